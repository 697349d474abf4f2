//! §8: the staged extension. Meaning first, then the stages against brute force.
#![allow(missing_docs)]

mod cancel;
mod conj_8_3;
mod conj_8_4;
mod discard;
mod ending;
mod far;
mod fragment;
mod kept;
mod meaning;
mod stages;

use lozenge::closing::Tags;
use lozenge::constraint::Constraint;
use lozenge::dim::Dim;
use lozenge::names::Names;
use lozenge::notation::parse_system;
use lozenge::solver::Policy;
use lozenge::staged::{
    Affine, Conv, Factor, Marks, Outcome, Refusal, SizeClaim, SizeTerm, SizeWhy, Stage, StageRule, StagedSystem, solve,
};
use lozenge::term::{DimTerm, DimVar, RowTerm, Var};
use std::collections::BTreeSet;

fn size(n: u64) -> DimTerm {
    Dim::size(n).expect("sizes start at one").into()
}

fn strided(stride: u64, over: DimTerm) -> SizeTerm {
    SizeTerm::Affine(Affine { stride: Factor::Known(stride), over, conv: None, offset: 0 })
}

fn conv(stride: u64, over: DimTerm, dilation: u64, kernel: DimTerm, padded: bool) -> SizeTerm {
    let conv = Some(Conv { dilation: Factor::Known(dilation), kernel, padded });
    SizeTerm::Affine(Affine { stride: Factor::Known(stride), over, conv, offset: 0 })
}

/// A problem under construction: names, Φ, claims.
struct Given {
    names: Names,
    phi: Vec<Constraint>,
    claims: Vec<SizeClaim>,
    leaves: Vec<&'static str>,
    params: Vec<&'static str>,
    discard: Vec<&'static str>,
    marks: Marks,
}

impl Given {
    fn new(text: &str) -> Self {
        let mut names = Names::new();
        let phi = parse_system(text, &mut names).unwrap_or_else(|e| panic!("{}", e.render(text)));
        let none = Vec::new;
        Given { names, phi, claims: none(), leaves: vec![], params: vec![], discard: vec![], marks: Marks::default() }
    }

    fn dim(&mut self, name: &str) -> DimTerm {
        self.names.dim_var(name).expect("a dimension").into()
    }

    fn var(&mut self, name: &str) -> DimVar {
        self.names.dim_var(name).expect("a dimension")
    }

    fn row(&mut self, name: &str) -> RowTerm {
        self.names.row_var(name).expect("a row").into()
    }

    fn claim(mut self, make: impl FnOnce(&mut Self) -> SizeClaim) -> Self {
        let claim = make(&mut self);
        self.claims.push(claim);
        self
    }

    fn leaves(mut self, leaves: &[&'static str]) -> Self {
        self.leaves = leaves.to_vec();
        self
    }

    fn problem(&mut self) -> StagedSystem<'_> {
        let look = |names: &Names, list: &[&str]| -> BTreeSet<Var> {
            list.iter().map(|n| names.lookup(n).unwrap_or_else(|| panic!("{n}"))).collect()
        };
        let mut leaves = look(&self.names, &self.leaves);
        let params = look(&self.names, &self.params);
        leaves.extend(&params);
        let discardable = self.discard.iter().map(|n| self.names.dim_var(n).expect("a dimension")).collect();
        let tags = Tags { leaves, params };
        StagedSystem { phi: &self.phi, claims: &self.claims, tags, discardable, marks: self.marks }
    }

    fn run(&mut self, upto: Stage) -> Outcome {
        let mut names = self.names.clone();
        let outcome = solve(&self.problem(), &mut names, Policy::default(), upto);
        self.names = names;
        outcome
    }

    /// The sizes of these variables after all stages.
    fn sizes(&mut self, names: &[&str]) -> Vec<u64> {
        match self.run(Stage::Seven) {
            Outcome::Closed(closed) => {
                names.iter().map(|n| closed.values.count(self.dim(n)).expect("a plain size")).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    fn why(&mut self) -> (StageRule, SizeWhy, String) {
        match self.run(Stage::Seven) {
            Outcome::Unsat(Refusal::Size(f)) | Outcome::Rejected(Refusal::Size(f), ..) => {
                (f.rule, f.why.clone(), f.instance.show(&self.names))
            }
            other => panic!("{other:?}"),
        }
    }
}
