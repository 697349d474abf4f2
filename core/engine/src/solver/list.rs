//! Tables by the numbers of variables, and lists of what is stored, threaded through the entries themselves: most
//! variables have one or two.

use lozenge_calculus::internal::broken;
use lozenge_calculus::rules::By;

/// Where a stored bound comes from. There is one for every bound, so the numbers are short; only a derivation reads
/// them, and one with two thousand million steps fits no machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Short {
    /// Twice the step, and one more if it is tainted.
    step: u32,
    node: u32,
}

/// The most steps that [`Short`] has numbers for.
pub(crate) const MOST_STEPS: u64 = (u32::MAX / 2) as u64;

impl Short {
    pub(super) fn new(By { step, node, tainted }: By) -> Self {
        Short { step: short(2 * step + usize::from(tainted)), node: short(node) }
    }

    pub(super) fn tainted(self) -> bool {
        self.step % 2 == 1
    }

    /// The number of the constraint in the derivation.
    pub(super) fn node(self) -> usize {
        self.node as usize
    }

    pub(super) fn by(self) -> By {
        By { step: (self.step / 2) as usize, node: self.node(), tainted: self.tainted() }
    }
}

/// A stored constraint; none once it has left the store again.
#[derive(Clone, Debug)]
pub(super) struct Entry<T> {
    pub(super) it: Option<T>,
    pub(super) by: Short,
    /// The next entry in each of the two lists that this one is in.
    pub(super) next: [Link; 2],
}

/// The number of an entry, or [`END`].
pub(crate) type Link = u32;
pub(crate) const END: Link = Link::MAX;

/// Entries in the order stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    pub(super) first: Link,
    pub(super) last: Link,
}

impl Default for List {
    fn default() -> Self {
        List { first: END, last: END }
    }
}

impl List {
    /// Adds an entry to the list that is threaded through `next[thread]`.
    pub(super) fn push<T>(&mut self, entries: &mut [Entry<T>], thread: usize, entry: Link) {
        match entries.get_mut(self.last as usize) {
            Some(last) => last.next[thread] = entry,
            None => self.first = entry,
        }
        self.last = entry;
    }

    pub(super) fn iter<T>(self, entries: &[Entry<T>], thread: usize) -> impl Iterator<Item = &Entry<T>> {
        let at = |link: Link| entries.get(link as usize);
        std::iter::successors(at(self.first), move |entry| at(entry.next[thread]))
    }

    /// Forgets what is not live at the beginning.
    pub(super) fn skip_dead<T>(&mut self, entries: &[Entry<T>], thread: usize) {
        while let Some(entry) = entries.get(self.first as usize)
            && entry.it.is_none()
        {
            self.first = entry.next[thread];
        }
        if self.first == END {
            self.last = END;
        }
    }

    /// Takes the list's live entries out of the store.
    pub(super) fn take<T>(self, entries: &mut [Entry<T>], thread: usize, mut give: impl FnMut(T, Short)) {
        let mut link = self.first;
        while let Some(entry) = entries.get_mut(link as usize) {
            if let Some(it) = entry.it.take() {
                give(it, entry.by);
            }
            link = entry.next[thread];
        }
    }
}

/// A number of entries or steps, which are kept short. A run takes no more steps than that, and each adds few entries.
pub(crate) fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or_else(|_| broken("entries and steps have short numbers", number.to_string()))
}

/// The slot of a variable by its number, made if it is new; so are a few more, for the variables that come next.
pub fn slot<T>(slots: &mut Vec<T>, id: u32, empty: impl FnMut() -> T) -> &mut T {
    let index = id as usize;
    if slots.len() <= index {
        slots.resize_with(index + index / 16 + 8, empty);
    }
    &mut slots[index]
}

/// Adds an entry that is in no list yet, and gives its number.
pub(super) fn stored<T>(entries: &mut Vec<Entry<T>>, it: T, by: Short) -> Link {
    let number = short(entries.len());
    entries.push(Entry { it: Some(it), by, next: [END; 2] });
    number
}
