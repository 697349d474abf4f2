//! A run that ends in solved form: σ⋆, what is left open, and how firm it all is.

use super::derivation::Derivation;
use super::placement::{Elsewhere, Others, Placement};
use super::{Report, heading};
use crate::answer::ground_terms;
use crate::output::{GOOD, Output, paint};
use crate::system::lines_text;
use lozenge::constraint::Constraint;
use lozenge::solver::{Residual, Solved, Standing};
use lozenge::term::{Term, Var};
use std::io;

impl<'a> Report<'a> {
    pub(super) fn solved(&self, solved: &Solved, out: &mut Output) -> io::Result<()> {
        let steps = solved.steps();
        let word = if steps == 1 { "step" } else { "steps" };
        out.line(&format!("{}: {steps} {word}, Def. 5.3", paint(GOOD, "solved")))?;
        self.steps(out)?;
        heading("σ⋆", out)?;
        self.bindings(solved.sigma().bindings(), "nothing is bound", out)?;
        heading("residual store", out)?;
        self.residual(&solved.residual(), out)?;
        heading("γ↑, the greatest solution of this solved form", out)?;
        match solved.greatest() {
            Some(gamma) => self.bindings(ground_terms(&gamma), "there are no variables", out)?,
            None => out.line("  none: a deferred equation rules it out")?,
        }
        heading("bound variables of the input", out)?;
        self.forced(&solved.forced(), out)?;
        let choice = self.placements(out)?;
        out.line("")?;
        let verdict = principal(solved, choice);
        let verdict = out.text(verdict);
        out.line(&verdict)
    }

    fn bindings(
        &self,
        bindings: impl IntoIterator<Item = (Var, Term)>,
        none: &str,
        out: &mut Output,
    ) -> io::Result<()> {
        let bindings: Vec<(Var, Term)> = bindings.into_iter().collect();
        if out.bindings(&bindings, self.names)? { Ok(()) } else { out.line(&format!("  {none}")) }
    }

    fn residual(&self, residual: &Residual, out: &mut Output) -> io::Result<()> {
        if residual.is_empty() {
            return out.line("  empty");
        }
        let caps = residual.dim_caps.iter().map(|(a, d)| Constraint::DimLe(*d, (*a).into()));
        let rows = residual.row_caps.iter().map(|(r, cap)| Constraint::RowLe(cap.clone(), (*r).into()));
        let below = residual.below.iter().map(|(a, b)| Constraint::DimLe((*a).into(), (*b).into()));
        let all = caps.chain(rows).map(|phi| ("cap", phi));
        let all = all.chain(below.map(|phi| ("below", phi)));
        let all = all.chain(residual.deferred.iter().map(|phi| ("deferred", phi.clone())));
        for (kind, phi) in all {
            out.line(&format!("  {kind:<8}  {}", out.show(&phi, self.names)))?;
        }
        Ok(())
    }

    fn forced(&self, forced: &[(Var, Standing)], out: &mut Output) -> io::Result<()> {
        if forced.is_empty() {
            return out.line("  none");
        }
        for (var, standing) in forced {
            let how = match standing {
                Standing::Entailed => "entailed",
                Standing::Content => "the content is entailed, the place of the marker was chosen",
                Standing::Policy => "derived through a choice",
            };
            out.line(&format!("  {}: {how}", out.show(var, self.names)))?;
        }
        Ok(())
    }

    /// Where markers were placed by choice, and what is known of other places.
    fn placements(&self, out: &mut Output) -> io::Result<Choice> {
        let derived = match self.derived {
            None => return Ok(Choice::Forced),
            Some(derived) if derived.cut.is_some() => return Ok(Choice::Unknown),
            Some(derived) => derived,
        };
        let derivation = Derivation::new(&derived.run.trace, self.system, self.names, true);
        let mut elsewhere = Elsewhere::of(&self.system.phi, self.names, self.policy);
        let with_others = |it: Placement<'a>| (elsewhere.others(&it), it);
        let (forced, chosen): (Vec<_>, Vec<_>) =
            derivation.placements().map(with_others).partition(|(others, _)| matches!(others, Others::Nowhere));
        self.placed("chosen beyond entailment", &chosen, &derivation, out)?;
        self.placed("chosen, and possible nowhere else", &forced, &derivation, out)?;
        let known = chosen.iter().any(|(others, _)| matches!(others, Others::Places(_) | Others::Apart));
        Ok(match chosen.is_empty() {
            true => Choice::Forced,
            false if known => Choice::Free,
            false => Choice::Unknown,
        })
    }

    fn placed(
        &self,
        title: &str,
        placed: &[(Others, Placement<'_>)],
        derivation: &Derivation<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        if !placed.is_empty() {
            heading(title, out)?;
        }
        for (others, placement) in placed {
            let lines = lines_text(&derivation.lines_of(placement.step));
            out.line(&format!("  {} ({}, {lines})", placement.words(self.names, out), placement.rule))?;
            out.line(&format!("    {}", placement.others(others, self.names, out)))?;
        }
        Ok(())
    }
}

/// What the placements of a run come to.
#[derive(Clone, Copy)]
enum Choice {
    /// There was none, or no solution with another.
    Forced,
    /// With another there is a solution.
    Free,
    /// Whether there is one is not known.
    Unknown,
}

fn principal(solved: &Solved, choice: Choice) -> &'static str {
    match (solved.is_principal(), solved.residual().is_empty(), choice) {
        (true, ..) => "σ⋆ is the principal model (Cor. 5.8)",
        (false, true, Choice::Forced) => "σ⋆ is the principal model (Cor. 5.8): every placement was forced",
        (false, true, Choice::Free) => "σ⋆ is not a principal model (Cor. 5.8): a placement was chosen",
        (false, true, Choice::Unknown) => {
            "a placement was chosen, so that σ⋆ need not be a principal model (Cor. 5.8); no other is known"
        }
        (false, false, Choice::Forced) => "σ⋆ is not a principal model (Cor. 5.8): the residual store is not empty",
        (false, false, Choice::Free | Choice::Unknown) => {
            "σ⋆ is not a principal model (Cor. 5.8): the residual store is not empty, and a placement was chosen"
        }
    }
}
