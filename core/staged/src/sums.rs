//! Bounds of unknowns that hang together like a tree by sums Σ ±xᵢ + c = 0, kept while the unknowns become known. What one
//! of them changes is found without looking at its sums from end to end: a sum of thousands has its least and its greatest
//! value beside it.
//!
//! Bounds that are read off all sums from the start are the same numbers: on a tree, and with nothing but ±1 before an
//! unknown, there is one end that all narrowing comes to (`range.rs`). Who says them, and what they rest on, is not kept.

use std::collections::VecDeque;

/// Larger numbers are left to `range.rs`.
pub(super) const LARGEST: i128 = 1 << 60;

/// How many elements an unknown has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    pub least: i128,
    pub most: Option<i128>,
}

impl Bounds {
    /// The one number that it can be.
    pub(super) fn exact(self) -> Option<i128> {
        self.most.filter(|most| *most == self.least)
    }
}

/// No number is left, or it is too large to be kept here.
#[derive(Debug)]
pub(super) struct Lost;

/// The least or the greatest value of a sum.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// What is known of it.
    n: i128,
    /// How many terms have no bound on this side.
    none: usize,
    /// Their places, combined so that the last one can be told.
    places: usize,
}

impl End {
    fn add(&mut self, place: usize, term: Option<i128>) {
        match term {
            Some(term) => self.n += term,
            None => (self.none, self.places) = (self.none + 1, self.places ^ place),
        }
    }

    fn take(&mut self, place: usize, term: Option<i128>) {
        match term {
            Some(term) => self.n -= term,
            None => (self.none, self.places) = (self.none - 1, self.places ^ place),
        }
    }

    /// That of all other terms.
    fn without(self, term: Option<i128>) -> Option<i128> {
        match term {
            Some(term) => (self.none == 0).then(|| self.n - term),
            None => (self.none == 1).then_some(self.n),
        }
    }
}

/// +x or −x.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    pub unknown: usize,
    pub positive: bool,
}

impl Term {
    /// The least and the greatest it can be.
    fn ends(self, bounds: Bounds) -> (Option<i128>, Option<i128>) {
        let (least, most) = (Some(bounds.least), bounds.most);
        if self.positive { (least, most) } else { (most.map(|n| -n), least.map(|n| -n)) }
    }
}

#[derive(Debug)]
struct Sum {
    terms: Vec<Term>,
    low: End,
    high: End,
    /// No term has more room than this.
    widest: Option<i128>,
    /// Is it to be looked at?
    due: bool,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Sums {
    bounds: Vec<Bounds>,
    /// The sums that have an unknown, and its places there.
    of: Vec<Vec<(usize, usize)>>,
    sums: Vec<Sum>,
    due: VecDeque<usize>,
    /// Unknowns that were narrowed.
    news: Vec<usize>,
}

impl Sums {
    /// One more unknown; its number.
    pub(super) fn unknown(&mut self, bounds: Bounds) -> usize {
        self.bounds.push(bounds);
        self.of.push(Vec::new());
        self.bounds.len() - 1
    }

    /// One more sum, which says nothing new; its number.
    pub(super) fn sum(&mut self, known: i128, terms: Vec<Term>) -> usize {
        let (mut low, mut high) = (End { n: known, ..End::default() }, End { n: known, ..End::default() });
        for (place, term) in terms.iter().enumerate() {
            let (least, most) = term.ends(self.bounds[term.unknown]);
            low.add(place, least);
            high.add(place, most);
            self.of[term.unknown].push((self.sums.len(), place));
        }
        let widest = self.widest(&terms);
        self.sums.push(Sum { terms, low, high, widest, due: false });
        self.sums.len() - 1
    }

    pub(super) fn bounds(&self, unknown: usize) -> Bounds {
        self.bounds[unknown]
    }

    /// The unknowns of a sum, those as well that have become known.
    pub(super) fn unknowns(&self, sum: usize) -> impl Iterator<Item = usize> {
        self.sums[sum].terms.iter().map(|term| term.unknown)
    }

    /// The sums that have an unknown.
    pub(super) fn with(&self, unknown: usize) -> Vec<usize> {
        self.of[unknown].iter().map(|(sum, _)| *sum).collect()
    }

    /// Those that were narrowed.
    pub(super) fn take_news(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.news)
    }

    /// An unknown has become known.
    ///
    /// # Errors
    /// [`Lost`] where it cannot be that number.
    pub(super) fn known(&mut self, unknown: usize, n: u64) -> Result<(), Lost> {
        let (n, before) = (i128::from(n), self.bounds[unknown]);
        if n < before.least || before.most.is_some_and(|most| n > most) {
            return Err(Lost);
        }
        self.narrow(unknown, Bounds { least: n, most: Some(n) })
    }

    /// Narrows until nothing is new; how much was looked at.
    ///
    /// # Errors
    /// [`Lost`] where nothing is left for an unknown.
    pub(super) fn settle(&mut self) -> Result<u64, Lost> {
        let mut looks = 0;
        while let Some(sum) = self.due.pop_front() {
            self.sums[sum].due = false;
            looks += 1 + self.look(sum)?;
        }
        Ok(looks)
    }

    /// What a sum says of its terms: of all of them where both its ends are known, and else of the one that has no bound.
    fn look(&mut self, sum: usize) -> Result<u64, Lost> {
        let Sum { low, high, widest, terms, .. } = &self.sums[sum];
        let (low, high, widest, all) = (*low, *high, *widest, terms.len());
        if low.none > 0 && high.none > 0 {
            for end in [low, high].into_iter().filter(|end| end.none == 1) {
                self.look_at(sum, end.places)?;
            }
            return Ok(2);
        }
        if low.none == 0 && high.none == 0 {
            if low.n > 0 || high.n < 0 {
                return Err(Lost);
            }
            // A term is narrowed where it has more room than all together leave it.
            if widest.is_some_and(|widest| widest <= high.n.min(-low.n)) {
                return Ok(0);
            }
        }
        for place in 0..all {
            self.look_at(sum, place)?;
        }
        self.sums[sum].widest = self.widest(&self.sums[sum].terms);
        Ok(all as u64)
    }

    /// The room of the term that has most of it.
    fn widest(&self, terms: &[Term]) -> Option<i128> {
        terms.iter().try_fold(0, |widest, term| {
            let Bounds { least, most } = self.bounds[term.unknown];
            Some((most? - least).max(widest))
        })
    }

    /// ±x = −(the rest).
    fn look_at(&mut self, sum: usize, place: usize) -> Result<(), Lost> {
        let Sum { terms, low, high, .. } = &self.sums[sum];
        let term = terms[place];
        let before = self.bounds[term.unknown];
        let (least, most) = term.ends(before);
        let (low, high) = (low.without(least), high.without(most));
        let negative = |n: Option<i128>| n.map(|n| -n);
        let (least, most) = if term.positive { (negative(high), negative(low)) } else { (low, high) };
        let least = least.map_or(before.least, |n| n.max(before.least));
        let most = most.into_iter().chain(before.most).min();
        let narrower = Bounds { least, most };
        if narrower == before { Ok(()) } else { self.narrow(term.unknown, narrower) }
    }

    fn narrow(&mut self, unknown: usize, bounds: Bounds) -> Result<(), Lost> {
        if bounds.least > LARGEST || bounds.most.is_some_and(|most| most < bounds.least) {
            return Err(Lost);
        }
        let before = std::mem::replace(&mut self.bounds[unknown], bounds);
        self.news.push(unknown);
        for (at, place) in &self.of[unknown] {
            let sum = &mut self.sums[*at];
            let term = sum.terms[*place];
            let ((low, high), (least, most)) = (term.ends(before), term.ends(bounds));
            sum.low.take(*place, low);
            sum.low.add(*place, least);
            sum.high.take(*place, high);
            sum.high.add(*place, most);
            if !std::mem::replace(&mut sum.due, true) {
                self.due.push_back(*at);
            }
        }
        Ok(())
    }
}
