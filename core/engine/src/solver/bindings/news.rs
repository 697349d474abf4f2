//! What was bound since someone looked, for closing: what is open then follows from what was open before.

use super::Bindings;
use lozenge_calculus::term::{DimTerm, RowTerm, Var};

impl Bindings {
    /// From now on, notes what is bound.
    pub fn keep_news(&mut self) {
        self.news.get_or_insert_default();
    }

    /// No longer notes what is bound.
    pub fn forget_news(&mut self) {
        self.news = None;
    }

    /// The variables that were bound since this was last asked, in the order in which they were; false if nothing was
    /// noted.
    pub fn take_news(&mut self, into: &mut Vec<Var>) -> bool {
        into.clear();
        self.news.as_mut().map(|news| std::mem::swap(news, into)).is_some()
    }

    #[inline]
    pub(super) fn note(&mut self, var: Var) {
        if self.news.is_some() {
            self.noted(var);
        }
    }

    /// Most runs note nothing.
    #[inline(never)]
    fn noted(&mut self, var: Var) {
        self.news.get_or_insert_default().push(var);
    }

    /// Shows the variables in what a variable is bound to, which may be bound themselves: but only after it.
    pub fn each_within(&self, var: Var, mut see: impl FnMut(Var)) {
        match var {
            Var::Dim(v) => {
                if let Some(DimTerm::Var(to)) = self.dim_at_end(v) {
                    see(Var::Dim(*to));
                }
            }
            Var::Row(v) => self.row_at_end(v).into_iter().for_each(|to: &RowTerm| to.each_var(&mut see)),
        }
    }
}
