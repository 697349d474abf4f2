//! Shapes: lists of dimensions.

use super::dim::Dim;
use std::fmt;

/// The highest rank that is handled; NumPy has the same.
pub const MAX_RANK: usize = 64;

/// A shape, outermost axis first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shape(pub Vec<Dim>);

impl Shape {
    /// How many axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The axes as written, and for each where it begins and how wide it is, in characters.
    #[must_use]
    pub fn layout(&self) -> (String, Vec<(usize, usize)>) {
        let mut text = String::from("[");
        let mut width = 1;
        let mut places = Vec::with_capacity(self.0.len());
        for (i, dim) in self.0.iter().enumerate() {
            if i > 0 {
                text.push_str(", ");
                width += 2;
            }
            let shown = dim.to_string();
            let wide = shown.chars().count();
            places.push((width, wide));
            width += wide;
            text.push_str(&shown);
        }
        text.push(']');
        (text, places)
    }
}

impl From<Vec<Dim>> for Shape {
    fn from(dims: Vec<Dim>) -> Self {
        Shape(dims)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.layout().0)
    }
}
