//! The page of a system of constraints: what follows, the derivation, one solution with what it assumes.

use super::{MOST_STEPS, Note, Page, Pane, derivation, printed};
use crate::close;
use crate::explain::of_system;
use crate::output::{Exit, Failure, Output};
use crate::solve;
use crate::system::{Source, System};
use lozenge::closing::Tags;
use lozenge::solver::Policy;
use std::collections::BTreeSet;

/// What the text is called.
const NAME: &str = "system.txt";

/// All of it.
pub fn page(text: String, leaves: &[String], policy: Policy) -> Page {
    let source = Source::new(NAME, text);
    match told(&source, leaves, policy) {
        Ok(page) => page,
        Err(failure) => Page::refused(Note::failed(&failure, &source.text)),
    }
}

fn told(source: &Source, leaves: &[String], policy: Policy) -> Result<Page, Failure> {
    let system = System::of(source)?;
    let tags = Tags { leaves: close::vars(leaves, &system.names)?, params: BTreeSet::new() };
    let story = of_system::tell(NAME, &system, &tags, policy, MOST_STEPS, &Output::keep());
    let solved = printed(|out| solve::report(&system, policy, false, out));
    let closed = printed(|out| {
        let mut closing = System { names: system.names.clone(), phi: system.phi.clone(), lines: system.lines.clone() };
        let end = lozenge::closing::close_placing(&closing.phi, &mut closing.names, &tags, policy);
        close::report(&closing, &end, &tags, policy, out)?;
        Ok(Exit::Yes)
    });
    let panes = vec![
        Pane { id: "solved", title: "What follows", command: "lozenge solve system.txt", html: solved },
        derivation(&story, "lozenge explain system.txt"),
        Pane { id: "closed", title: "One solution", command: "lozenge close system.txt --leaf …", html: closed },
    ];
    let good = story.ending.exit() == Exit::Yes;
    Ok(Page { verdict: story.ending.name(), good, says: story.says, told: Vec::new(), panes })
}
