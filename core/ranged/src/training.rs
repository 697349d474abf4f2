//! What training a model takes (D11): parameters, gradients, the optimiser's state, activations.

use super::memory::{Bounds, TooLarge};
use std::fmt;

/// How elements are stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum DType {
    F64,
    F32,
    F16,
    Bf16,
    F8,
    I64,
    I32,
    I16,
    I8,
    Bool,
}

impl DType {
    /// All of them.
    pub const ALL: [DType; 10] = [
        DType::F64,
        DType::F32,
        DType::F16,
        DType::Bf16,
        DType::F8,
        DType::I64,
        DType::I32,
        DType::I16,
        DType::I8,
        DType::Bool,
    ];

    /// Bytes of an element.
    #[must_use]
    pub fn bytes(self) -> u64 {
        match self {
            DType::F64 | DType::I64 => 8,
            DType::F32 | DType::I32 => 4,
            DType::F16 | DType::Bf16 | DType::I16 => 2,
            DType::F8 | DType::I8 | DType::Bool => 1,
        }
    }

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DType::F64 => "f64",
            DType::F32 => "f32",
            DType::F16 => "f16",
            DType::Bf16 => "bf16",
            DType::F8 => "f8",
            DType::I64 => "i64",
            DType::I32 => "i32",
            DType::I16 => "i16",
            DType::I8 => "i8",
            DType::Bool => "bool",
        }
    }
}

/// What changes the parameters, and how many numbers it keeps for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Optimizer {
    Sgd,
    Momentum,
    Adagrad,
    RmsProp,
    Lion,
    Adadelta,
    Adam,
    AdamW,
    AmsGrad,
}

impl Optimizer {
    /// All of them.
    pub const ALL: [Optimizer; 9] = [
        Optimizer::Sgd,
        Optimizer::Momentum,
        Optimizer::Adagrad,
        Optimizer::RmsProp,
        Optimizer::Lion,
        Optimizer::Adadelta,
        Optimizer::Adam,
        Optimizer::AdamW,
        Optimizer::AmsGrad,
    ];

    /// Numbers kept for each parameter.
    #[must_use]
    pub fn states(self) -> u64 {
        match self {
            Optimizer::Sgd => 0,
            // A velocity, a sum or mean of squares, or a momentum.
            Optimizer::Momentum | Optimizer::Adagrad | Optimizer::RmsProp | Optimizer::Lion => 1,
            // First and second moments; of gradients and of steps.
            Optimizer::Adadelta | Optimizer::Adam | Optimizer::AdamW => 2,
            // The greatest second moment as well.
            Optimizer::AmsGrad => 3,
        }
    }

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Optimizer::Sgd => "sgd",
            Optimizer::Momentum => "momentum",
            Optimizer::Adagrad => "adagrad",
            Optimizer::RmsProp => "rmsprop",
            Optimizer::Lion => "lion",
            Optimizer::Adadelta => "adadelta",
            Optimizer::Adam => "adam",
            Optimizer::AdamW => "adamw",
            Optimizer::AmsGrad => "amsgrad",
        }
    }
}

/// Which results of operations are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Activations {
    /// Inputs and every result that is not a view: what a backward pass may need.
    All,
    /// The largest result alone: the document's estimate.
    Largest,
}

impl Activations {
    /// Both.
    pub const ALL: [Activations; 2] = [Activations::All, Activations::Largest];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Activations::All => "all",
            Activations::Largest => "largest",
        }
    }
}

/// The parts of training memory, in bytes (D11).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrainingMemory {
    /// The parameters.
    pub parameters: Bounds,
    /// One gradient for each.
    pub gradients: Bounds,
    /// What the optimiser keeps.
    pub optimizer: Bounds,
    /// The results that are kept.
    pub activations: Bounds,
}

impl TrainingMemory {
    /// From the bytes of parameters and activations.
    ///
    /// # Errors
    /// [`TooLarge`] when a part does not fit 128 bits.
    pub fn new(parameters: Bounds, optimizer: Optimizer, activations: Bounds) -> Result<Self, TooLarge> {
        let optimizer = parameters.times(optimizer.states().into())?;
        Ok(TrainingMemory { parameters, gradients: parameters, optimizer, activations })
    }

    /// All of it.
    ///
    /// # Errors
    /// [`TooLarge`] when the sum does not fit 128 bits.
    pub fn total(&self) -> Result<Bounds, TooLarge> {
        Bounds::sum([self.parameters, self.gradients, self.optimizer, self.activations].into_iter())
    }
}

/// Does it fit a device?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// Whatever the sizes are.
    Always,
    /// For some sizes, as far as the bounds tell.
    Sometimes,
    /// For no sizes.
    Never,
}

impl Fit {
    /// Compares bounds with the bytes of a device.
    #[must_use]
    pub fn of(total: Bounds, device: u128) -> Fit {
        match total {
            Bounds { max: Some(max), .. } if max <= device => Fit::Always,
            Bounds { min, .. } if min <= device => Fit::Sometimes,
            _ => Fit::Never,
        }
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Fit::Always => "fits",
            Fit::Sometimes => "may not fit",
            Fit::Never => "does not fit",
        })
    }
}
