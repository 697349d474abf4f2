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
        let (mut counts, mut layers) = (Vec::new(), Vec::with_capacity(self.layers.len()));
        for layer in &self.layers {
            let at = |TooLarge| ModelError::new(ModelProblem::TooLarge, layer.span);
            let (number, one) = self.layer(layer).map_err(at)?;
            counts.push(number);
            layers.push(one);
        }
        let count = self.sum(&counts, |number| *number)?;
        let parameters = self.sum(&layers, |one| one.parameters)?;
        let activations = match self.activations {
            Activations::All => self.sum(&layers, |one| one.activations)?,
            Activations::Largest => layers.iter().fold(Bounds::ZERO, |largest, one| largest.or_larger(one.activations)),
        };
        let last = self.layers.last().map_or_else(Default::default, |layer| layer.span);
        let end = |TooLarge| ModelError::new(ModelProblem::TooLarge, last);
        let training = TrainingMemory::new(parameters, self.optimizer, activations).map_err(end)?;
        let total = training.total().map_err(end)?;
        Ok(Estimate { layers, parameters: count, training, total })
    }

    /// The sum over all layers. Where it does not fit, that is said of the first layer with which it does not.
    fn sum<T>(&self, layers: &[T], of: fn(&T) -> Bounds) -> Result<Bounds, ModelError> {
        Bounds::sum(layers.iter().map(of)).map_err(|TooLarge| {
            let mut sum = Ok(Bounds::ZERO);
            let mut fits = |one: &T| {
                sum = sum.and_then(|so_far: Bounds| so_far.plus(of(one)));
                sum.is_ok()
            };
            let first = layers.iter().take_while(|one| fits(one)).count();
            let span = self.layers.get(first).map_or_else(Default::default, |layer| layer.span);
            ModelError::new(ModelProblem::TooLarge, span)
        })
    }

    fn layer(&self, layer: &Layer) -> Result<(Bounds, LayerEstimate), TooLarge> {
        let element = self.dtype.bytes();
        let own = (layer.role == Role::Parameter).then_some(&layer.shape);
        let shapes = || layer.parameters.iter().chain(own);
        let count = Bounds::sum(shapes().map(elements).collect::<Result<Vec<_>, _>>()?.into_iter())?;
        let sizes = shapes().map(|shape| bytes(shape, element));
        let parameters = Bounds::sum(sizes.collect::<Result<Vec<_>, _>>()?.into_iter())?;
        let counted = match (layer.role, self.activations) {
            (Role::Result, _) | (Role::Input, Activations::All) => true,
            (Role::Input, Activations::Largest) | (Role::Parameter | Role::View, _) => false,
        };
        let activations = if counted { bytes(&layer.shape, element)? } else { Bounds::ZERO };
        let total = TrainingMemory::new(parameters, self.optimizer, activations)?.total()?;
        Ok((count, LayerEstimate { parameters, activations, total }))
    }
}
