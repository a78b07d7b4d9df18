//! Output functions and losses as tensor operations, equivalent to `Output` and `Loss` on the
//! processor up to rounding.

use std::any::Any;

use burn_tensor::Tensor;
use learners::measure::MIN_SHARE;
use learners::mlp::{CrossEntropy, Huber, TrainingConstants};
use learners::values::RangeHuber;
use models::network::{Identity, Softmax, ZeroSum};

/// An output function.
#[derive(Debug, Clone, Copy, PartialEq)]
enum OutputRule {
    Softmax,
    Identity,
    ZeroSum,
}

/// A loss function.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LossRule {
    CrossEntropy,
    /// Huber's, over all answers or over those with a positive probability in the row.
    Huber {
        delta: f32,
        in_range: bool,
    },
}

/// The output and loss functions of a run, both of which the GPU computes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rules {
    output: OutputRule,
    loss: LossRule,
}

/// The inputs of the loss for a batch, as matrices with one row for each of its rows.
pub(crate) struct Rows {
    /// The targets of the answers.
    pub(crate) targets: Tensor<2>,
    /// One weight per row.
    pub(crate) weights: Tensor<2>,
    /// The probabilities that the rows begin with, one per answer, if [`Rules::needs_shares`].
    pub(crate) shares: Option<Tensor<2>>,
}

impl Rules {
    /// The rules of a run; `None` if the output or the loss is a custom one, or if they do not go
    /// together.
    pub(crate) fn of(plan: &TrainingConstants) -> Option<Rules> {
        let (output, loss): (&dyn Any, &dyn Any) = (&*plan.output, &*plan.loss);
        let output = if output.is::<Softmax>() {
            OutputRule::Softmax
        } else if output.is::<Identity>() {
            OutputRule::Identity
        } else if output.is::<ZeroSum>() {
            OutputRule::ZeroSum
        } else {
            return None;
        };
        let loss = if loss.is::<CrossEntropy>() && output == OutputRule::Softmax {
            LossRule::CrossEntropy
        } else if let Some(&Huber { delta }) = loss.downcast_ref() {
            LossRule::Huber { delta, in_range: false }
        } else if loss.is::<RangeHuber>() {
            LossRule::Huber { delta: 1.0, in_range: true }
        } else {
            return None;
        };
        Some(Rules { output, loss })
    }

    /// Whether the output or the loss depends on the probabilities that rows begin with.
    pub(crate) fn needs_shares(self) -> bool {
        let of_loss = matches!(self.loss, LossRule::Huber { in_range: true, .. });
        of_loss || self.output == OutputRule::ZeroSum
    }

    /// The sum of weight · loss over a batch whose last layer has these sums, and the gradient of
    /// that sum times `scale` with respect to them.
    pub(crate) fn judge(self, sums: Tensor<2>, rows: Rows, scale: f64) -> (Tensor<1>, Tensor<2>) {
        let Rows { targets, weights, shares } = rows;
        let answers = self.forward(sums, shares.as_ref());
        let scaled = weights.clone().mul_scalar(scale as f32);
        match self.loss {
            LossRule::CrossEntropy => {
                let told = targets.clone() * answers.clone().clamp_min(MIN_SHARE).log();
                (-(told.sum_dim(1) * weights).sum(), (answers - targets) * scaled)
            }
            LossRule::Huber { delta, in_range } => {
                let count = answers.dims()[1] as f32;
                let difference = answers.clone() - targets;
                let inside = difference.clone().clamp(-delta, delta);
                let losses = inside.clone() * (difference - inside.clone().div_scalar(2.0));
                // The factor of each answer in the mean.
                let factors = match shares.as_ref().filter(|_| in_range) {
                    Some(shares) => {
                        let held = shares.clone().greater_scalar(0.0).float();
                        held.clone() / held.sum_dim(1).clamp_min(1.0)
                    }
                    None => answers.ones_like().div_scalar(count),
                };
                let loss = ((losses * factors.clone()).sum_dim(1) * weights).sum();
                (loss, self.backward(&answers, shares.as_ref(), inside * factors) * scaled)
            }
        }
    }

    /// The answers of the last layer's sums.
    fn forward(self, sums: Tensor<2>, shares: Option<&Tensor<2>>) -> Tensor<2> {
        match (self.output, shares) {
            (OutputRule::Softmax, _) => {
                let powers = (sums.clone() - sums.max_dim(1)).exp();
                powers.clone() / powers.sum_dim(1)
            }
            (OutputRule::ZeroSum, Some(shares)) => {
                let mean = (sums.clone() * shares.clone()).sum_dim(1) * inverse_of_total(shares);
                sums - mean
            }
            _ => sums,
        }
    }

    /// The gradient with respect to the sums, from that with respect to the answers.
    fn backward(
        self,
        answers: &Tensor<2>,
        shares: Option<&Tensor<2>>,
        gradient: Tensor<2>,
    ) -> Tensor<2> {
        match (self.output, shares) {
            (OutputRule::Softmax, _) => {
                let mean = (answers.clone() * gradient.clone()).sum_dim(1);
                answers.clone() * (gradient - mean)
            }
            (OutputRule::ZeroSum, Some(shares)) => {
                let of_share = gradient.clone().sum_dim(1) * inverse_of_total(shares);
                gradient - shares.clone() * of_share
            }
            _ => gradient,
        }
    }
}

/// One over each row's sum; 0 where that is 0.
fn inverse_of_total(shares: &Tensor<2>) -> Tensor<2> {
    let total = shares.clone().sum_dim(1);
    let none = total.clone().lower_equal_scalar(0.0);
    total.recip().mask_fill(none, 0.0)
}
