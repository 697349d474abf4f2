//! The page of a program: shapes, loops, assumptions, derivation.

use super::{MOST_STEPS, Note, Page, Pane, derivation, printed, reasons};
use crate::explain::{html, of_program, story::Story};
use crate::infer::show::{Wanted, show_all};
use crate::infer::{self, Inferred, diagnosed};
use crate::output::{Exit, Output};
use crate::project;
use crate::system::Source;
use crate::told::Told;
use crate::warnings;
use lozenge::program::InferError;
use lozenge::solver::Policy;

/// What the text is called.
const NAME: &str = "program.loz";

/// All of it. What does not fit is told first; the panes show what is known so far.
pub fn page(text: String, policy: Policy) -> Page {
    let source = Source::new(NAME, text);
    let story = infer::read(&source.text)
        .and_then(|program| {
            of_program::tell(NAME, &program, &source.text, policy, MOST_STEPS, &Output::keep())
                .map_err(InferError::Program)
        })
        .map_err(|error| Note::of(&Told::of(diagnosed(&error, &source.text, policy), &source), &source.text));
    let story = match story {
        Ok(story) => story,
        Err(note) => return Page::refused(note),
    };
    let mut page = Page { verdict: story.ending.name(), good: story.ending.exit() == Exit::Yes, ..Page::default() };
    page.says.clone_from(&story.says);
    match infer::infer(source, policy) {
        Ok(inferred) => {
            page.told = warnings::told(&inferred.warnings, &inferred.source, policy)
                .map(|told| Note::of(&told, &inferred.source.text))
                .collect();
            page.panes = panes(&inferred, &story, policy);
        }
        Err(failed) => {
            let (error, source) = *failed;
            let told = Told::of(diagnosed(&error, &source.text, policy), &source);
            page.told.push(Note::of(&told, &source.text));
            page.panes.push(known(&story));
            page.panes.push(derivation(&story, "lozenge explain program.loz --calculus"));
        }
    }
    page
}

fn known(story: &Story) -> Pane {
    let html = html::program::told(story);
    Pane { id: "shapes", title: "Known so far", command: "lozenge explain program.loz", html }
}

fn panes(inferred: &Inferred, story: &Story, policy: Policy) -> Vec<Pane> {
    let table = printed(|out| {
        show_all(inferred, policy, Wanted::default(), out)?;
        Ok(Exit::Yes)
    });
    let beside = html::program::source("Beside the lines", &story.source);
    let loops = printed(|out| {
        let nests = project::nests(&inferred.inference, &inferred.source)?;
        project::print_all(&inferred.inference, &nests, &inferred.source.text, project::Shown::default(), out)?;
        Ok(Exit::Yes)
    });
    vec![
        Pane { id: "shapes", title: "Shapes", command: "lozenge infer program.loz", html: table + &beside },
        Pane { id: "loops", title: "Loops", command: "lozenge project program.loz", html: loops },
        Pane {
            id: "assumptions",
            title: "Assumptions",
            command: "lozenge infer program.loz --assumptions",
            html: reasons(&story.assumptions),
        },
        derivation(story, "lozenge explain program.loz --calculus"),
    ]
}
