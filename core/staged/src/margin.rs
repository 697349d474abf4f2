//! Padding (Prop. 8.1): how far the addresses of an axis go beyond its ends.

/// The padding of one use of an axis: how far its addresses go below 0 and beyond the last element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Margin {
    /// Before the first element.
    pub left: u128,
    /// After the last.
    pub right: u128,
}

impl Margin {
    /// Prop. 8.1: margins join by the maximum, side by side. Commutative, associative, idempotent.
    #[must_use]
    pub fn max(self, other: Margin) -> Margin {
        Margin { left: self.left.max(other.left), right: self.right.max(other.right) }
    }

    /// The margin of a padded convolution: what its addresses stride·o + offset + dilation·k − left need.
    #[must_use]
    pub fn of_padded(stride: u64, offset: u64, dilation: u64, kernel: u64) -> Margin {
        let left = left_padding(dilation, kernel);
        let beyond = reach(dilation, kernel) - left + u128::from(offset);
        let right = beyond.saturating_sub(stride.saturating_sub(1).into());
        Margin { left: left.saturating_sub(offset.into()), right }
    }
}

/// The left part of the padding: half of the kernel's reach, rounded up. For dilation 1 that is ⌊kernel/2⌋.
#[must_use]
pub fn left_padding(dilation: u64, kernel: u64) -> u128 {
    reach(dilation, kernel).div_ceil(2)
}

/// (kernel − 1)·dilation; a product of two numbers of 64 bits always fits.
fn reach(dilation: u64, kernel: u64) -> u128 {
    u128::from(kernel.saturating_sub(1)) * u128::from(dilation)
}
