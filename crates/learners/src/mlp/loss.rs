//! Loss functions of networks.

use std::any::Any;
use std::fmt;

use models::network::Output;

/// The loss of one row's answers.
///
/// [`CrossEntropy`] and [`Huber`] are here; others can be given to [`Mlp::with`](super::Mlp::with).
pub trait Loss: Any + fmt::Debug + Send + Sync {
    /// Returns the loss of the answers of `output` to `row` for the target. Writes its gradient by
    /// the last layer's sums, which [`Output::backward`] makes from that by the answers, to
    /// `gradient`.
    fn loss(
        &self,
        output: &dyn Output,
        row: &[f32],
        answers: &[f32],
        target: &[f32],
        gradient: &mut [f32],
    ) -> f64;
}

/// The lower bound of shares in logarithms.
const MIN_SHARE: f32 = crate::measure::MIN_SHARE;

/// Cross-entropy −Σ target ln(share), in nats, for targets that sum to one and a network with
/// [`Softmax`](models::network::Softmax) output: together they have a gradient without division.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrossEntropy;

impl Loss for CrossEntropy {
    fn loss(
        &self,
        _: &dyn Output,
        _: &[f32],
        answers: &[f32],
        target: &[f32],
        gradient: &mut [f32],
    ) -> f64 {
        let mut loss = 0.0;
        for ((slope, &share), &target) in gradient.iter_mut().zip(answers).zip(target) {
            *slope = share - target;
            loss -= f64::from(target) * f64::from(share.max(MIN_SHARE)).ln();
        }
        loss
    }
}

/// Huber's loss, as the mean over the answers: d²/2 where the difference d is at most `delta`, and
/// delta (|d| − delta / 2) beyond.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Huber {
    /// The difference above which the loss is linear; above zero.
    pub delta: f32,
}

impl Huber {
    /// The loss of one difference, and its derivative.
    pub fn of(self, difference: f32) -> (f32, f32) {
        let inside = difference.clamp(-self.delta, self.delta);
        (inside * (difference - inside / 2.0), inside)
    }
}

impl Loss for Huber {
    fn loss(
        &self,
        output: &dyn Output,
        row: &[f32],
        answers: &[f32],
        target: &[f32],
        gradient: &mut [f32],
    ) -> f64 {
        let mut loss = 0.0;
        let share = 1.0 / answers.len() as f32;
        for ((slope, &answer), &target) in gradient.iter_mut().zip(answers).zip(target) {
            let (of_answer, by_answer) = self.of(answer - target);
            *slope = by_answer * share;
            loss += f64::from(of_answer * share);
        }
        output.backward(row, answers, gradient);
        loss
    }
}
