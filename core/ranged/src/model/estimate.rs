//! What a model takes, layer by layer.

use super::super::memory::{Bounds, TooLarge, bytes, elements};
use super::super::training::{Activations, TrainingMemory};
use super::{Layer, Model, ModelError, ModelProblem, Role};

/// What one layer takes, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayerEstimate {
    /// Its own parameters.
    pub parameters: Bounds,
    /// Its result, where that is counted.
    pub activations: Bounds,
    /// Parameters, gradients, the optimiser's state and the result.
    pub total: Bounds,
}

/// What a model takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Estimate {
    /// For each layer.
    pub layers: Vec<LayerEstimate>,
    /// How many parameters there are.
    pub parameters: Bounds,
    /// The parts.
    pub training: TrainingMemory,
    /// The sum.
    pub total: Bounds,
}

impl Model {
    /// The memory that training takes (D11).
    ///
    /// # Errors
    /// [`ModelProblem::TooLarge`] at the layer where a number does not fit 128 bits.
    pub fn estimate(&self) -> Result<Estimate, ModelError> {
        let mut layers = Vec::with_capacity(self.layers.len());
        let (mut count, mut parameters, mut activations) = (Bounds::ZERO, Bounds::ZERO, Bounds::ZERO);
        for layer in &self.layers {
            let at = |TooLarge| ModelError::new(ModelProblem::TooLarge, layer.span);
            let (number, one) = self.layer(layer).map_err(at)?;
            count = count.plus(number).map_err(at)?;
            parameters = parameters.plus(one.parameters).map_err(at)?;
            activations = match self.activations {
                Activations::All => activations.plus(one.activations).map_err(at)?,
                Activations::Largest => activations.or_larger(one.activations),
            };
            layers.push(one);
        }
        let last = self.layers.last().map_or_else(Default::default, |layer| layer.span);
        let end = |TooLarge| ModelError::new(ModelProblem::TooLarge, last);
        let training = TrainingMemory::new(parameters, self.optimizer, activations).map_err(end)?;
        let total = training.total().map_err(end)?;
        Ok(Estimate { layers, parameters: count, training, total })
    }

    fn layer(&self, layer: &Layer) -> Result<(Bounds, LayerEstimate), TooLarge> {
        let element = self.dtype.bytes();
        let own = (layer.role == Role::Parameter).then_some(&layer.shape);
        let (mut count, mut parameters) = (Bounds::ZERO, Bounds::ZERO);
        for shape in layer.parameters.iter().chain(own) {
            count = count.plus(elements(shape)?)?;
            parameters = parameters.plus(bytes(shape, element)?)?;
        }
        let counted = match (layer.role, self.activations) {
            (Role::Result, _) | (Role::Input, Activations::All) => true,
            (Role::Input, Activations::Largest) | (Role::Parameter | Role::View, _) => false,
        };
        let activations = if counted { bytes(&layer.shape, element)? } else { Bounds::ZERO };
        let total = TrainingMemory::new(parameters, self.optimizer, activations)?.total()?;
        Ok((count, LayerEstimate { parameters, activations, total }))
    }
}
