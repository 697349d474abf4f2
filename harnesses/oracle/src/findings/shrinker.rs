//! A question made as small as it can be while the engine still gets it wrong in the same way.
//!
//! After each step the question is written in the one way that stands for all of its kind, if the engine gets that wrong
//! too. So most ways down meet, and where one has led before is remembered.

use super::cluster::Cluster;
use super::{Class, Heard, Observed, observe};
use crate::compare::Capabilities;
use crate::engine::Engine;
use crate::made::Made;
use crate::made::canonical::canonical;
use crate::made::shrink::smaller;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long shrinking one finding may take, and how many questions.
const PATIENCE: Duration = Duration::from_secs(30);
const MOST_QUESTIONS: usize = 4_000;

/// The id of questions that are made smaller, so that an engine can tell them.
const SHRINK: &str = "smaller";

/// A question that an engine gets wrong.
#[derive(Clone)]
struct Wrong {
    made: Made,
    observed: Observed,
    expected: Value,
}

/// Where questions lead when they are made smaller.
pub struct Shrinker {
    capabilities: Capabilities,
    /// By the text of a question and the way in which it is wrong.
    known: Mutex<HashMap<String, Arc<Cluster>>>,
}

/// One way down.
struct Way<'a> {
    engine: &'a mut Engine,
    capabilities: &'a Capabilities,
    began: Instant,
    questions: usize,
    passed: Vec<String>,
}

impl Way<'_> {
    fn tired(&self) -> bool {
        self.questions >= MOST_QUESTIONS || self.began.elapsed() > PATIENCE
    }

    /// The same question asked, if it is wrong in the same way.
    fn ask(&mut self, made: Made, like: &Observed) -> Option<Wrong> {
        self.questions += 1;
        let (heard, expected) = observe(self.engine, self.capabilities, &made.request(SHRINK));
        match heard {
            Heard::Wrong(observed) if observed.same_way(like) => Some(Wrong { made, observed, expected }),
            _ => None,
        }
    }

    /// The one that stands for all, if it is wrong too.
    fn represented(&mut self, wrong: Wrong, known: &Shrinker) -> Wrong {
        for made in canonical(&wrong.made) {
            if made.text() == wrong.made.text() {
                return wrong;
            }
            if known.remembered(&name(&made, &wrong.observed)).is_some() {
                // It was asked before.
                return Wrong { made, ..wrong };
            }
            if let Some(same) = self.ask(made, &wrong.observed) {
                return same;
            }
        }
        wrong
    }

    /// What hung for a moment may only have been slow: is there no answer in the time that an answer may take?
    fn confirmed(&mut self, wrong: Wrong) -> Option<Wrong> {
        match wrong.observed.class {
            Class::Hang => self.ask(wrong.made, &wrong.observed),
            _ => Some(wrong),
        }
    }

    /// Something smaller that is wrong in the same way.
    fn down(&mut self, wrong: &Wrong) -> Option<Wrong> {
        for made in smaller(&wrong.made) {
            if self.tired() {
                return None;
            }
            if let Some(less) = self.ask(made, &wrong.observed) {
                return Some(less);
            }
        }
        None
    }
}

/// What a question is known by, with the way in which it is wrong.
fn name(made: &Made, observed: &Observed) -> String {
    let Observed { class, difference, .. } = observed;
    let (kind, definition) = (difference.kind.name(), &difference.definition);
    format!("{} {} {kind} {definition}\n{}", made.op(), class.name(), made.text().join("\n"))
}

impl Shrinker {
    /// For an engine that says this of itself.
    pub fn new(capabilities: &Capabilities) -> Self {
        Shrinker { capabilities: capabilities.clone(), known: Mutex::default() }
    }

    fn remembered(&self, name: &str) -> Option<Arc<Cluster>> {
        self.known.lock().ok()?.get(name).cloned()
    }

    /// Asks again, unless the same was asked before, and then as long as something smaller is wrong in the same way. None where it is not wrong a second
    /// time: an engine that answers differently each time, or one that was slow.
    pub fn shrink(&self, engine: &mut Engine, made: Made, like: &Observed) -> Option<Arc<Cluster>> {
        let limit = engine.limit;
        if like.class == Class::Hang {
            // Only the end has to be waited for.
            engine.limit = engine.short_limit();
        }
        let known = canonical(&made).iter().find_map(|made| self.remembered(&name(made, like)));
        let cluster = known.or_else(|| self.shrink_within(engine, made, limit));
        engine.limit = limit;
        cluster
    }

    fn shrink_within(&self, engine: &mut Engine, made: Made, limit: Duration) -> Option<Arc<Cluster>> {
        let (heard, expected) = observe(engine, &self.capabilities, &made.request(SHRINK));
        let Heard::Wrong(observed) = heard else { return None };
        let mut wrong = Wrong { made, observed, expected };
        let first = wrong.clone();
        let (began, passed) = (Instant::now(), Vec::new());
        let mut way = Way { engine, capabilities: &self.capabilities, began, questions: 0, passed };
        let known = loop {
            wrong = way.represented(wrong, self);
            let name = name(&wrong.made, &wrong.observed);
            if let Some(known) = self.remembered(&name) {
                break Some(known);
            }
            way.passed.push(name);
            match way.down(&wrong) {
                Some(less) => wrong = less,
                None => break None,
            }
        };
        let cluster = match known {
            Some(known) => known,
            None => {
                way.engine.limit = limit;
                let end = way.confirmed(wrong).or_else(|| way.confirmed(first))?;
                Arc::new(Cluster::new(&end.made, &end.observed, &end.expected))
            }
        };
        if let Ok(mut known) = self.known.lock() {
            known.extend(way.passed.into_iter().map(|name| (name, Arc::clone(&cluster))));
        }
        Some(cluster)
    }
}
