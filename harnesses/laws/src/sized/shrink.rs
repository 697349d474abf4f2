//! Smaller programs.

use super::{Affine, Axis, Basis, Dim, Program, Role, Spec, Statement};

/// What a program shrinks to, most of it gone first.
#[must_use]
pub fn smaller(program: &Program) -> Vec<Program> {
    let count = program.statements.len();
    let mut out: Vec<Program> = (0..count).rev().filter_map(|at| without(program, at)).collect();
    out.extend((0..count).filter_map(|at| as_leaf(program, at)));
    for at in 0..count {
        out.extend(simpler(&program.statements[at]).into_iter().map(|statement| {
            let mut program = program.clone();
            program.statements[at] = statement;
            program
        }));
    }
    out
}

/// The smallest program found that still fails.
#[must_use]
pub fn shrink(program: Program, fails: &dyn Fn(&Program) -> bool) -> Program {
    let mut least = program;
    while let Some(next) = smaller(&least).into_iter().find(fails) {
        least = next;
    }
    least
}

/// Without a statement that nothing reads.
fn without(program: &Program, at: usize) -> Option<Program> {
    if program.statements.iter().any(|s| s.operands().contains(&at)) {
        return None;
    }
    let mut statements = program.statements.clone();
    statements.remove(at);
    for statement in &mut statements {
        if let Statement::Spec(of, _) | Statement::Block(of, _) | Statement::Pointwise(of) = statement {
            of.iter_mut().filter(|x| **x > at).for_each(|x| *x -= 1);
        }
    }
    Some(Program { statements })
}

/// With an input instead of what a statement works out.
fn as_leaf(program: &Program, at: usize) -> Option<Program> {
    let rank = match &program.statements[at] {
        Statement::Spec(_, spec) | Statement::Block(_, spec) => spec.result.len(),
        _ => return None,
    };
    let mut program = program.clone();
    program.statements[at] = Statement::Leaf(Role::Input, vec![None; rank]);
    Some(program)
}

fn simpler(statement: &Statement) -> Vec<Statement> {
    match statement {
        Statement::Leaf(role, axes) => {
            let mut out = Vec::new();
            if *role != Role::Input {
                out.push(Statement::Leaf(Role::Input, axes.clone()));
            }
            for (i, axis) in axes.iter().enumerate() {
                let less: Vec<Option<Dim>> = match axis {
                    Some(Dim::Atom(n, Basis::Px)) => vec![Some(Dim::Atom(*n, Basis::Default))],
                    Some(Dim::Atom(n, Basis::Default)) if *n > 1 => vec![Some(Dim::Atom(n - 1, Basis::Default))],
                    None => vec![Some(Dim::Atom(6, Basis::Default))],
                    _ => Vec::new(),
                };
                out.extend(less.into_iter().map(|axis| Statement::Leaf(*role, with(axes, i, axis))));
            }
            out
        }
        Statement::Pointwise(of) if of.len() > 1 => of.iter().map(|x| Statement::Pointwise(vec![*x])).collect(),
        Statement::Pointwise(_) => Vec::new(),
        Statement::Spec(of, spec) => simpler_spec(spec).into_iter().map(|s| Statement::Spec(of.clone(), s)).collect(),
        Statement::Block(of, spec) => simpler_spec(spec).into_iter().map(|s| Statement::Block(of.clone(), s)).collect(),
    }
}

fn simpler_spec(spec: &Spec) -> Vec<Spec> {
    let mut out = Vec::new();
    for (s, slot) in spec.slots.iter().enumerate() {
        for (i, axis) in slot.iter().enumerate() {
            let less = simpler_axis(axis).into_iter();
            out.extend(less.map(|axis| Spec { slots: with(&spec.slots, s, with(slot, i, axis)), ..spec.clone() }));
        }
    }
    for (i, axis) in spec.result.iter().enumerate() {
        let less = simpler_axis(axis).into_iter();
        out.extend(less.map(|axis| Spec { result: with(&spec.result, i, axis), ..spec.clone() }));
    }
    out
}

fn simpler_axis(axis: &Axis) -> Vec<Axis> {
    match axis {
        Axis::Any => Vec::new(),
        Axis::Fixed(0) => vec![Axis::Any],
        Axis::Fixed(n) => vec![Axis::Any, Axis::Fixed(n - 1)],
        Axis::Label(_) => vec![Axis::Any],
        Axis::Concat(parts) => parts.iter().map(|part| Axis::Label(*part)).collect(),
        Axis::Affine(affine) => {
            let mut out = vec![Axis::Label(affine.over)];
            if affine.offset > 0 {
                out.push(Axis::Affine(Affine { offset: 0, ..affine.clone() }));
            }
            if affine.stride > 1 {
                out.push(Axis::Affine(Affine { stride: affine.stride - 1, offset: 0, ..affine.clone() }));
            }
            if let Some(kernel) = affine.kernel.as_ref().filter(|kernel| kernel.dilation > 1) {
                let kernel = super::Kernel { dilation: 1, ..kernel.clone() };
                out.push(Axis::Affine(Affine { kernel: Some(kernel), ..affine.clone() }));
            }
            out
        }
    }
}

fn with<T: Clone>(all: &[T], at: usize, new: T) -> Vec<T> {
    let mut all = all.to_vec();
    all[at] = new;
    all
}
