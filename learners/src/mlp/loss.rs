//! What training makes small.

use std::any::Any;
use std::fmt;

use models::network::Output;

/// A loss of one row's answers.
///
/// [`CrossEntropy`] and [`Huber`] are here; another one is given to
/// [`Mlp::with`](super::Mlp::with).
pub trait Loss: Any + fmt::Debug + Send + Sync {
    /// The loss of the answers of `output` to `row` where `target` should come out. Puts its
    /// gradient by the last layer's sums, which [`Output::backward`] makes from the one by the
    /// answers, into `gradient`.
    fn loss(
        &self,
        output: &dyn Output,
        row: &[f32],
        answers: &[f32],
        target: &[f32],
        gradient: &mut [f32],
    ) -> f64;
}

/// Shares below this count as this in the logarithm.
const LEAST_SHARE: f32 = crate::measure::LEAST_SHARE;

/// −Σ target ln(share), in nats, for targets that sum to one and a network that ends in
/// [`Softmax`](models::network::Softmax): the two together have a gradient that needs no division.
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
            loss -= f64::from(target) * f64::from(share.max(LEAST_SHARE)).ln();
        }
        loss
    }
}

/// The mean over the answers of d²/2 where the difference d is at most `delta`, and of delta (|d| −
/// delta / 2) beyond.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Huber {
    /// Where squares end; above zero.
    pub delta: f32,
}

impl Huber {
    /// The loss of a difference, and its derivative.
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
