//! The five kinds of dimensions (D1), and what each of them means (D2).

use std::fmt;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU64;
use std::sync::Arc;

/// A size: one or more, as in Def. 1.1.
pub type Size = NonZeroU64;

/// Sizes from `lo` to `hi`, both included; without `hi` there is no upper bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    lo: Size,
    hi: Option<Size>,
}

/// A range whose lower end is above its upper end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EmptyRange {
    /// The lower end.
    pub lo: Size,
    /// The upper end.
    pub hi: Size,
}

impl fmt::Display for EmptyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{} has no sizes: the lower end comes first", self.lo, self.hi)
    }
}

impl std::error::Error for EmptyRange {}

impl Range {
    /// Every size: the range of a name that was given none.
    pub const ANY: Range = Range { lo: Size::MIN, hi: None };

    /// lo..hi.
    ///
    /// # Errors
    /// [`EmptyRange`] when lo > hi.
    pub fn new(lo: Size, hi: Option<Size>) -> Result<Self, EmptyRange> {
        match hi {
            Some(hi) if lo > hi => Err(EmptyRange { lo, hi }),
            _ => Ok(Range { lo, hi }),
        }
    }

    /// The one size v.
    #[must_use]
    pub const fn exactly(v: Size) -> Self {
        Range { lo: v, hi: Some(v) }
    }

    /// The lower end.
    #[must_use]
    pub const fn lo(self) -> Size {
        self.lo
    }

    /// The upper end, if there is one.
    #[must_use]
    pub const fn hi(self) -> Option<Size> {
        self.hi
    }

    /// v ∈ r.
    #[must_use]
    pub fn contains(self, v: Size) -> bool {
        self.lo <= v && self.hi.is_none_or(|hi| v <= hi)
    }

    /// r₁ ∩ r₂, unless it is empty.
    #[must_use]
    pub fn meet(self, other: Range) -> Option<Range> {
        let hi = match (self.hi, other.hi) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Range::new(self.lo.max(other.lo), hi).ok()
    }

    /// The only size in it, if there is only one.
    #[must_use]
    pub fn only(self) -> Option<Size> {
        (self.hi == Some(self.lo)).then_some(self.lo)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hi {
            Some(hi) => write!(f, "{}..{hi}", self.lo),
            None => write!(f, "{}..", self.lo),
        }
    }
}

/// An inference variable. It is its number; the name is for people.
#[derive(Clone, Debug)]
pub struct DimVar {
    pub(super) id: u32,
    pub(super) name: Option<Arc<str>>,
}

impl DimVar {
    /// Its number in its context.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// What it is called, if it is called something.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

impl PartialEq for DimVar {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for DimVar {}

impl Hash for DimVar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl fmt::Display for DimVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "_{name}"),
            None => write!(f, "_{}", self.id),
        }
    }
}

/// A dimension (D1).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    /// Exactly this size.
    Literal(Size),
    /// To be inferred.
    Var(DimVar),
    /// An axis with this label, and a size in this range.
    Named(Arc<str>, Range),
    /// Known at run time only.
    Dynamic,
    /// One, or what the other side has.
    Broadcast,
}

/// Which of the five a dimension is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// [`Dim::Literal`]
    Literal,
    /// [`Dim::Var`]
    Var,
    /// [`Dim::Named`]
    Named,
    /// [`Dim::Dynamic`]
    Dynamic,
    /// [`Dim::Broadcast`]
    Broadcast,
}

impl Kind {
    /// All five.
    pub const ALL: [Kind; 5] = [Kind::Literal, Kind::Var, Kind::Named, Kind::Dynamic, Kind::Broadcast];
}

impl Dim {
    /// A literal.
    ///
    /// # Errors
    /// [`SizeZero`](lozenge_calculus::dim::SizeZero) when n = 0.
    pub fn literal(n: u64) -> Result<Self, lozenge_calculus::dim::SizeZero> {
        Size::new(n).map(Dim::Literal).ok_or(lozenge_calculus::dim::SizeZero)
    }

    /// A name with a range.
    #[must_use]
    pub fn named(name: &str, range: Range) -> Self {
        Dim::Named(name.into(), range)
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Dim::Literal(_) => Kind::Literal,
            Dim::Var(_) => Kind::Var,
            Dim::Named(..) => Kind::Named,
            Dim::Dynamic => Kind::Dynamic,
            Dim::Broadcast => Kind::Broadcast,
        }
    }

    /// The sizes it allows, whatever the variables are (D2).
    #[must_use]
    pub fn range(&self) -> Range {
        match self {
            Dim::Literal(v) => Range::exactly(*v),
            Dim::Named(_, range) => *range,
            Dim::Var(_) | Dim::Dynamic | Dim::Broadcast => Range::ANY,
        }
    }

    /// Its size, if only one is allowed.
    #[must_use]
    pub fn size(&self) -> Option<Size> {
        self.range().only()
    }

    /// The label it asks for, if it asks for one.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        match self {
            Dim::Named(name, _) => Some(name),
            _ => None,
        }
    }

    /// Is this a literal 1, as written? Only that stretches in broadcasting (D6).
    #[must_use]
    pub fn is_one(&self) -> bool {
        matches!(self, Dim::Literal(v) if v.get() == 1)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Literal(v) => write!(f, "{v}"),
            Dim::Var(var) => write!(f, "{var}"),
            Dim::Named(name, range) => match range.only() {
                Some(v) => write!(f, "{name}:{v}"),
                None if *range == Range::ANY => write!(f, "{name}"),
                None => write!(f, "{name}:{range}"),
            },
            Dim::Dynamic => write!(f, "*"),
            Dim::Broadcast => write!(f, "?"),
        }
    }
}
