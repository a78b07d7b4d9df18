//! The loss function of value networks.

use models::network::Output;

use crate::mlp::{Huber, Loss};

/// Huber's loss with δ = 1 over the answers whose probability in the row is positive: hands that a
/// player cannot have, and buckets without hands, have no value to learn.
///
/// Rows begin with a probability for each answer, as for [`ZeroSum`](models::network::ZeroSum). The
/// mean over the counted answers is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeHuber;

impl Loss for RangeHuber {
    fn loss(
        &self,
        output: &dyn Output,
        row: &[f32],
        answers: &[f32],
        target: &[f32],
        gradient: &mut [f32],
    ) -> f64 {
        let held = &row[..answers.len()];
        let count = held.iter().filter(|&&share| share > 0.0).count().max(1) as f32;
        let mut loss = 0.0;
        for (at, slope) in gradient.iter_mut().enumerate() {
            *slope = 0.0;
            if held[at] > 0.0 {
                let (of_answer, by_answer) = Huber { delta: 1.0 }.of(answers[at] - target[at]);
                loss += f64::from(of_answer / count);
                *slope = by_answer / count;
            }
        }
        output.backward(row, answers, gradient);
        loss
    }
}
