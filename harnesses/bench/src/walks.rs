//! What the machine takes for walking alone: the measure of how the times of systems grow that leave the caches.

use crate::families::shuffle;
use crate::{Outcome, timed};

/// A place that fills a cache line, and the place after it.
#[derive(Clone)]
#[repr(align(64))]
struct Place(usize);

/// How often each place is visited: a walk through a thousand takes as long as reading the clock.
const ROUNDS: usize = 10;

/// Goes round a cycle of so many places, which lie as the cycle goes or in no order, and does nothing else.
pub fn walk(order: &str, n: usize) -> Outcome {
    let mut cycle: Vec<usize> = (0..n).collect();
    match order {
        "in-order" => {}
        "in-no-order" => shuffle(&mut cycle),
        _ => return Err(format!("no order {order}").into()),
    }
    let mut places = vec![Place(0); n];
    for (i, place) in cycle.iter().enumerate() {
        places[*place] = Place(cycle[(i + 1) % n]);
    }
    let start = *cycle.first().ok_or("no places")?;
    let round = |from| (0..n).fold(from, |at: usize, _| places[at].0);
    timed(|| (0..ROUNDS).fold(start, |at, _| round(at)), |end| *end == start)
}
