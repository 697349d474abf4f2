//! Functions, and their applications.

use super::TensorId;
use super::scope::{Scope, similar};
use super::walk::{Walk, Walked, wrong};
use crate::ast::{Convolution, Expr, Name};
use crate::error::ProgramProblem;
use lozenge_notation::Span;

/// A function.
#[derive(Clone, Copy)]
pub(super) struct Function<'p> {
    number: usize,
    params: &'p [Name],
    body: &'p Expr,
    /// The mode of convolutions where it is written.
    convolution: Option<Convolution>,
    /// One application makes so many operations or more.
    operations: usize,
}

impl<'p> Walk<'p> {
    pub(super) fn function(&mut self, name: &'p Name, params: &'p [Name], body: &'p Expr) -> Walked<()> {
        self.free(name)?;
        for (i, param) in params.iter().enumerate() {
            if params[..i].contains(param) {
                return wrong(ProgramProblem::Twice(param.text.clone()), param.span);
            }
        }
        let (number, convolution) = (self.functions.len(), self.convolution);
        let operations = self.room.of_function(&name.text).operations;
        self.functions.insert(&name.text, Function { number, params, body, convolution, operations });
        self.out.applied.push(false);
        self.scope().functions += 1;
        Ok(())
    }

    /// A function is a macro: every application walks its body anew, so all its variables are fresh; or what an earlier one
    /// made is copied, which is the same.
    pub(super) fn call(&mut self, function: &'p Name, args: &'p [Expr], span: Span) -> Walked<TensorId> {
        let callable = self.scopes.last().map_or(0, |scope| scope.functions);
        let found = self.functions.get(function.text.as_str()).copied().filter(|it| it.number < callable);
        let Some(found) = found else {
            let known = self.functions.keys().copied().filter(|known| *known != function.text);
            let similar = similar(&function.text, known);
            return wrong(
                ProgramProblem::Unknown { name: function.text.clone(), what: "function", similar },
                function.span,
            );
        };
        let Function { number, params, operations, .. } = found;
        if params.len() != args.len() {
            let (takes, got) = (params.len(), args.len());
            return wrong(ProgramProblem::Arguments { function: function.text.clone(), takes, got }, span);
        }
        self.has_room(operations, span)?;
        self.out.applied[number] = true;
        let operands = args.iter().map(|arg| self.eval(arg)).collect::<Walked<Vec<_>>>()?;
        let application = self.scope().apply(&function.text);
        let way_back = self.trail.enter(&function.text, application);
        let result = match self.again(number, &operands, span) {
            Some(result) => Ok(result),
            None => self.apply(found, operands, span),
        };
        self.trail.leave(way_back);
        result
    }

    /// An application, walked.
    fn apply(&mut self, function: Function<'p>, operands: Vec<TensorId>, span: Span) -> Walked<TensorId> {
        let Function { number, params, body, convolution, .. } = function;
        let begun = self.begin(&operands);
        let mut scope = Scope { functions: number, ..Scope::default() };
        params.iter().zip(operands).for_each(|(param, operand)| scope.tensors.add(&param.text, operand));
        self.scopes.push(scope);
        let inside = self.calls.iter().copied().chain([span]).collect();
        let outside = std::mem::replace(&mut self.calls, inside);
        let here = std::mem::replace(&mut self.convolution, convolution);
        let result = self.eval(body);
        (self.calls, self.convolution) = (outside, here);
        self.scopes.pop();
        if let (Ok(result), Some(begun)) = (&result, begun) {
            self.end(number, begun, *result);
        }
        result
    }
}
