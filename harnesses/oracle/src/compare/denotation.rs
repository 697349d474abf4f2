//! Lemma 5.1 for a `solved` answer: what σ and the residual store allow, against the solutions of the constraints.

use super::read::Asked;
use super::search::Search;
use super::solve::wrong_values;
use super::{Difference, Kind, Order, Outcome, Question, Rows};
use lozenge::semantics::Ground;
use lozenge_harnesses::systems::Denotation;

/// What an answer says, beside what was asked.
struct Said<'a> {
    asked: &'a Asked,
    form: &'a Denotation,
    /// Must it have every solution? Not where a placement is free.
    all: bool,
    /// Must it have nothing else? Not where the residual store is left out.
    only: bool,
}

impl Said<'_> {
    fn admits(&self, order: Order, gamma: &Ground) -> bool {
        self.form.extend(gamma).is_some_and(|hat| self.form.constraints.iter().all(|phi| order.holds(&hat, phi)))
    }

    /// What is wrong at these values. A fault is one in both readings: what ⊑ allows must solve by ⊑¹ at least, and what
    /// solves by ⊑ must be allowed by ⊑¹ at least.
    fn at(&self, gamma: &Ground) -> Outcome {
        let (solves, admitted) = (self.asked.solves(Order::Marked, gamma), self.admits(Order::Marked, gamma));
        if self.only && admitted && !solves {
            let Some(phi) = self.asked.violated(gamma) else { return Outcome::Agree };
            let worded =
                |difference| Difference { definition: "5.1".to_owned(), kind: Kind::AllowsTooMuch, ..difference };
            return match wrong_values(self.asked, gamma, phi, "sigma and residual allow") {
                Outcome::Reading(difference) => Outcome::Reading(worded(difference)),
                Outcome::Differ(difference) => Outcome::Differ(worded(difference)),
                other => other,
            };
        }
        if self.all && solves && !admitted {
            let what = format!("sigma and residual rule out the solution {}", self.asked.names.show(gamma));
            let difference = Difference::new(Kind::LosesSolution, "5.1", what);
            return match self.admits(Order::OneShot, gamma) {
                true => Outcome::Reading(difference),
                false => Outcome::Differ(difference),
            };
        }
        Outcome::Agree
    }
}

/// Without placements the answer has exactly the solutions of the input, with them no others. A difference in one
/// reading of the order is looked at longer: it is one of reading only if no other is found.
pub fn compare(question: &Question<'_>, asked: &Asked, form: &Denotation, known: &[Ground]) -> Outcome {
    let all = question.freedom.rows == Rows::Exact;
    let said = Said { asked, form, all, only: question.capabilities.residual };
    let mut search = Search::new(asked);
    let mut seen = Outcome::Agree;
    for gamma in search.values(known) {
        match said.at(&gamma) {
            fault @ Outcome::Differ(_) => return fault,
            reading @ Outcome::Reading(_) if seen == Outcome::Agree => seen = reading,
            _ => {}
        }
    }
    if seen == Outcome::Agree {
        return seen;
    }
    search.more(known).map(|gamma| said.at(&gamma)).find(|at| matches!(at, Outcome::Differ(_))).unwrap_or(seen)
}

/// Is there a solution by ⊑¹ among the values tried?
pub fn has_one_shot_solution(asked: &Asked) -> bool {
    let mut search = Search::new(asked);
    let values = search.values(&[]);
    values.into_iter().chain(search.more(&[])).any(|gamma| asked.solves(Order::OneShot, &gamma))
}
