//! Model files (D12): tensors and operations, one a line, and what training them takes.
//!
//! ```
//! use lozenge::ranged::model::Model;
//! let text = "dim batch 1..64\ninput x [batch, 784]\nh = linear x 256\ny = linear h 10\n";
//! let model = Model::parse(text)?;
//! assert_eq!(model.layers[2].shape.to_string(), "[batch:1..64, 10]");
//! assert_eq!(model.estimate()?.parameters.min, 784 * 256 + 256 + 256 * 10 + 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod estimate;
mod operation;
mod parse;

pub use error::{MAX_STATEMENTS, ModelError, ModelProblem};
pub use estimate::{Estimate, LayerEstimate};
pub use parse::parse_bytes;

use super::context::Context;
use super::reshape::Obligation;
use super::shape::Shape;
use super::training::{Activations, DType, Optimizer};
use lozenge_notation::Span;

/// What a line brings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A tensor from outside.
    Input,
    /// A tensor that is trained.
    Parameter,
    /// The result of an operation.
    Result,
    /// A result that shares the elements of its operand.
    View,
}

/// A tensor of the model, with the parameters that come with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// What the line does, as written.
    pub operation: String,
    /// What it is.
    pub role: Role,
    /// Its shape, with everything that is known at the end of the file.
    pub shape: Shape,
    /// Shapes of the parameters it brings with it.
    pub parameters: Vec<Shape>,
    /// What only a run can tell.
    pub obligation: Option<Obligation>,
    /// Its line.
    pub span: Span,
}

/// A model: its layers in order, and how it is trained.
#[derive(Clone, Debug)]
pub struct Model {
    /// How elements are stored.
    pub dtype: DType,
    /// The optimiser.
    pub optimizer: Optimizer,
    /// Which results count.
    pub activations: Activations,
    /// The bytes of the device, if one is named.
    pub device: Option<u128>,
    /// The layers.
    pub layers: Vec<Layer>,
    /// The variables.
    pub context: Context,
}

impl Model {
    /// Reads a model and infers its shapes.
    ///
    /// # Errors
    /// [`ModelError`] with the place.
    pub fn parse(text: &str) -> Result<Model, ModelError> {
        parse::parse(text)
    }
}
