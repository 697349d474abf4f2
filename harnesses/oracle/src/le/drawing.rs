//! The picture under a question: result, operand, and a sign per axis.

use super::{Question, Why};
use crate::output::{BAD, FAINT, GOOD, Output};
use crate::picture::{Pen, Strip, draw};
use lozenge::dim::Dim;
use lozenge::rigid::TwoSorted;

impl Question<'_> {
    /// The rows in columns: against the expansion where it is defined, else from the outer edges.
    pub(super) fn picture(&self, out: &Output) -> Vec<String> {
        let pen = Pen { names: self.names, out };
        match self.columns() {
            Some(columns) => self.against_expansion(&columns, &pen),
            None => self.outer_edges(&pen),
        }
    }

    /// Both rows over the result's rank.
    fn against_expansion(&self, columns: &[(Dim, Dim)], pen: &Pen<'_>) -> Vec<String> {
        let rank = columns.len();
        let mut focus = Vec::new();
        let mut draw_row = |label, row: &TwoSorted| match row {
            TwoSorted::Marked(r) => {
                focus.extend([r.lead.len(), rank.saturating_sub(r.trail.len())]);
                Strip::expanded(label, pen, r, rank)
            }
            TwoSorted::Rigid(f) => Strip::rigid(label, pen, &f.0, rank),
        };
        let rows = [draw_row("result", self.result), draw_row("operand", self.operand)];
        let mut tags = Strip::new("", rank);
        if let TwoSorted::Marked(r) = self.operand {
            let (lead, trail) = (r.lead.len(), rank.saturating_sub(r.trail.len()));
            let parts = [("lead", 0..lead), ("pad", lead..trail), ("trail", trail..rank)];
            for (part, places) in parts {
                places.for_each(|i| tags.under(i, part, FAINT));
            }
        }
        let (mut signs, mut caret) = (Strip::new("", rank), Strip::new("", rank));
        for (i, &(d2, d1)) in columns.iter().enumerate() {
            let (sign, style) = if d2.le(d1) { ("⊑", GOOD) } else { ("⋢", BAD) };
            signs.under(i, &pen.out.text(sign), style);
        }
        if let Why::At(position) = self.why {
            caret.under(position, "^", BAD);
            focus.push(position);
        }
        let [result, operand] = rows;
        draw(rank, &[result, operand, tags, signs, caret], &focus)
    }

    /// Both rows as they are, with what the result lacks.
    fn outer_edges(&self, pen: &Pen<'_>) -> Vec<String> {
        use TwoSorted::{Marked, Rigid};
        let (mut rows, rank, missing) = match (self.result, self.operand) {
            (Marked(r2), Marked(r1)) => {
                let lead = r2.lead.len().max(r1.lead.len());
                let trail = r2.trail.len().max(r1.trail.len());
                let rows = [("result", r2), ("operand", r1)].map(|(label, r)| Strip::outer(label, pen, r, lead, trail));
                // A flank shorter than the picture is shorter than the operand's: the picture is no wider than both.
                let missing = (r2.lead.len()..lead).chain(lead..(lead + trail).saturating_sub(r2.trail.len()));
                (rows, lead + trail, missing.collect())
            }
            (x, y) => {
                let rank = x.rank().max(y.rank());
                let draw_row = |label, row: &TwoSorted| match row {
                    Marked(r) => Strip::expanded(label, pen, r, r.rank()).widened(rank),
                    Rigid(f) => Strip::rigid(label, pen, &f.0, rank),
                };
                let rows = [draw_row("result", x), draw_row("operand", y)];
                let missing: Vec<usize> =
                    if matches!(self.why, Why::Ranks) { (x.rank()..rank).collect() } else { vec![] };
                (rows, rank, missing)
            }
        };
        let mut tags = Strip::new("", rank);
        for &i in &missing {
            rows[0].missing(i);
            tags.under(i, "missing", FAINT);
        }
        let [result, operand] = rows;
        draw(rank, &[result, operand, tags], &missing.first().copied().into_iter().collect::<Vec<_>>())
    }
}
