//! Stage 1, online: operation by operation, in the program's order, and applications of one function again where they find
//! what an earlier one found.

use super::solve::At;
use crate::generate::Generated;
use crate::told::Log;
use lozenge_staged::{SizeClaim, StagedRun};
use std::collections::BTreeMap;
use std::ops::Range;

/// Claims with their numbers.
type Claims = Vec<(usize, SizeClaim)>;

/// Solves as the program is built.
pub(super) fn online<'n>(
    generated: &'n Generated,
    claims: &[SizeClaim],
    run: &mut StagedRun<'n>,
    mut log: Option<&mut Log>,
) -> Result<(), At> {
    let (mut of_operation, others) = by_operation(generated, claims.len());
    for part in parts(generated) {
        let of_part = part.operations.iter().map(|range| {
            let of_this = generated.origins[range.start].operation.and_then(|o| of_operation.get_mut(o));
            numbered(&of_this.map(std::mem::take).unwrap_or_default(), claims)
        });
        let of_part = of_part.collect();
        match &mut log {
            None if part.comes_again => application(generated, &part, of_part, run)?,
            log => operations(generated, part, of_part, run, log.as_deref_mut())?,
        }
    }
    let rest: Vec<usize> = of_operation.into_iter().flatten().chain(others).collect();
    let phi = &generated.constraints;
    run.add(&[], numbered(&rest, claims)).map_err(|stop| (stop, phi.len()))
}

/// One operation after the other.
fn operations<'n>(
    generated: &'n Generated,
    part: Part,
    claims: Vec<Claims>,
    run: &mut StagedRun<'n>,
    mut log: Option<&mut Log>,
) -> Result<(), At> {
    for (range, claims) in part.operations.into_iter().zip(claims) {
        if let Some(log) = &mut log {
            log.number(range.clone(), run.configuration());
        }
        let upto = range.end;
        run.add(&generated.constraints[range], claims).map_err(|stop| (stop, upto))?;
    }
    Ok(())
}

/// The operations of an application, at once if another was like it.
fn application<'n>(
    generated: &'n Generated,
    part: &Part,
    claims: Vec<Claims>,
    run: &mut StagedRun<'n>,
) -> Result<(), At> {
    let (all, together) = (part.all(), claims.concat());
    let phi = &generated.constraints[all.clone()];
    let likeness = generated.likeness(&all);
    if run.again(phi, likeness, &together).map_err(|stop| (stop, all.end))? {
        return Ok(());
    }
    run.write_down(phi, likeness, &together);
    operations(generated, part.clone(), claims, run, None)?;
    run.configuration().written_down();
    Ok(())
}

/// Constraints that come one after the other: those of one operation, or of all operations of an application.
#[derive(Clone)]
struct Part {
    operations: Vec<Range<usize>>,
    /// Do several parts have so many operations and constraints? Only such can be alike.
    comes_again: bool,
}

impl Part {
    fn all(&self) -> Range<usize> {
        let (first, last) = (self.operations.first(), self.operations.last());
        first.map_or(0, |first| first.start)..last.map_or(0, |last| last.end)
    }

    fn size(&self) -> (usize, usize) {
        (self.operations.len(), self.all().len())
    }
}

/// The program in parts. Functions are applied inside each other: what counts is the outermost application.
fn parts(generated: &Generated) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut last = None;
    for range in generated.by_operation(generated.constraints.len()) {
        let operation = generated.origins[range.start].operation;
        let of = operation.and_then(|o| generated.operations[o].calls.first()).map(|call| call.start);
        match parts.last_mut() {
            Some(part) if of.is_some() && of == last => part.operations.push(range),
            _ => parts.push(Part { operations: vec![range], comes_again: false }),
        }
        last = of;
    }
    let mut sizes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    parts.iter().for_each(|part| *sizes.entry(part.size()).or_default() += 1);
    for part in &mut parts {
        part.comes_again = part.operations.len() > 1 && sizes.get(&part.size()).is_some_and(|count| *count > 1);
    }
    parts
}

/// The claims of each operation, and those of none.
fn by_operation(generated: &Generated, claims: usize) -> (Vec<Vec<usize>>, Vec<usize>) {
    let (mut of_operation, mut others) = (vec![Vec::new(); generated.operations.len()], Vec::new());
    for number in 0..claims {
        let fixed = number.checked_sub(generated.claim_origins.len()).and_then(|i| generated.fixed.get(i));
        let operation = match generated.claim_origins.get(number) {
            Some(origin) => origin.operation,
            None => fixed.map(|f| f.operation),
        };
        match operation {
            Some(operation) => of_operation[operation].push(number),
            None => others.push(number),
        }
    }
    (of_operation, others)
}

/// These claims with their numbers.
fn numbered(numbers: &[usize], claims: &[SizeClaim]) -> Claims {
    numbers.iter().filter_map(|i| Some((*i, claims.get(*i)?.clone()))).collect()
}
