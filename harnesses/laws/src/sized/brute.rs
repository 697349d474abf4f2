//! All solutions of a program, by brute force.

use super::meaning::{Universe, results};
use super::{Dim, Program};

/// The solutions of a program within a universe: the shapes of its tensors, in order.
#[must_use]
pub fn solutions<'a>(program: &'a Program, universe: &'a Universe) -> Solutions<'a> {
    Solutions { program, universe, open: Vec::new(), shapes: Vec::new(), begun: false }
}

/// Tensor by tensor, in the program's order: what does not fit is left at the first statement that says so.
#[derive(Clone, Debug)]
pub struct Solutions<'a> {
    program: &'a Program,
    universe: &'a Universe,
    /// For each tensor that has a shape, the others that are still to be tried.
    open: Vec<Vec<Vec<Dim>>>,
    shapes: Vec<Vec<Dim>>,
    begun: bool,
}

impl Solutions<'_> {
    /// The shapes that the next tensor can have.
    fn descend(&mut self) {
        let mut shapes = results(&self.program.statements[self.shapes.len()], &self.shapes, self.universe);
        shapes.reverse();
        self.open.push(shapes);
    }

    /// The next shape of the last tensor that has one left; is there any?
    fn advance(&mut self) -> bool {
        while let Some(left) = self.open.last_mut() {
            let shape = left.pop();
            self.shapes.truncate(self.open.len() - 1);
            match shape {
                Some(shape) => {
                    self.shapes.push(shape);
                    return true;
                }
                None => drop(self.open.pop()),
            }
        }
        false
    }
}

impl Iterator for Solutions<'_> {
    type Item = Vec<Vec<Dim>>;

    fn next(&mut self) -> Option<Vec<Vec<Dim>>> {
        let all = self.program.statements.len();
        if !self.begun {
            self.begun = true;
            if all == 0 {
                return Some(Vec::new());
            }
            self.descend();
        }
        while self.advance() {
            if self.shapes.len() == all {
                return Some(self.shapes.clone());
            }
            self.descend();
        }
        None
    }
}
