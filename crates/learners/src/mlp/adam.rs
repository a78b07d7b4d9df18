//! The Adam optimiser, as in PyTorch.
//!
//! Holds `unsafe` code: calls of functions compiled for wider vector registers, each after checking
//! that the processor has them. The result is identical for all of them.
#![allow(unsafe_code)]

/// Adam's constants; the default is PyTorch's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adam {
    /// The decay rate of the mean gradient (β₁).
    pub keep_mean: f64,
    /// The decay rate of the mean squared gradient (β₂).
    pub keep_square: f64,
    /// The number added to the root of the mean square, so that it is never zero.
    pub epsilon: f64,
}

impl Default for Adam {
    fn default() -> Adam {
        Adam { keep_mean: 0.9, keep_square: 0.999, epsilon: 1e-8 }
    }
}

/// Adam's moments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moments {
    /// The number of steps taken.
    pub steps: u64,
    /// The running mean of each parameter's gradient, biased towards zero since it started there.
    pub mean: Vec<f32>,
    /// The running mean of each parameter's squared gradient, biased likewise.
    pub square: Vec<f32>,
}

impl Moments {
    /// Zero moments for this many parameters.
    pub fn new(parameters: usize) -> Moments {
        Moments { steps: 0, mean: vec![0.0; parameters], square: vec![0.0; parameters] }
    }
}

/// Means smaller than this are set to zero, since subnormal numbers are slow.
const MIN_MOMENT: f32 = 1e-30;

/// The same for mean squares.
const MIN_SQUARE: f32 = f32::MIN_POSITIVE;

/// Parameters in one thread's unit of work.
const CHUNK: usize = 1 << 15;

impl Adam {
    /// Takes one step against the gradient with learning rate `rate`, on all threads.
    pub fn step(&self, rate: f64, parameters: &mut [f32], gradient: &[f32], moments: &mut Moments) {
        moments.steps += 1;
        let steps = moments.steps as f64;
        let step = Step {
            stride: (rate / (1.0 - self.keep_mean.powf(steps))) as f32,
            root: (1.0 - self.keep_square.powf(steps)).sqrt() as f32,
            keep_mean: self.keep_mean as f32,
            keep_square: self.keep_square as f32,
            new_mean: (1.0 - self.keep_mean) as f32,
            new_square: (1.0 - self.keep_square) as f32,
            epsilon: self.epsilon as f32,
        };
        let pieces = parameters.chunks_mut(CHUNK).zip(gradient.chunks(CHUNK));
        let moments = moments.mean.chunks_mut(CHUNK).zip(moments.square.chunks_mut(CHUNK));
        parallel::for_each(pieces.zip(moments), |((parameters, gradient), (means, squares))| {
            step.take(parameters, gradient, means, squares);
        });
    }
}

/// The constants of one step.
#[derive(Clone, Copy)]
struct Step {
    stride: f32,
    root: f32,
    keep_mean: f32,
    keep_square: f32,
    new_mean: f32,
    new_square: f32,
    epsilon: f32,
}

impl Step {
    /// Applies the step to some parameters, in the widest registers the processor has.
    fn take(
        self,
        parameters: &mut [f32],
        gradient: &[f32],
        means: &mut [f32],
        squares: &mut [f32],
    ) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512(s: Step, p: &mut [f32], g: &[f32], m: &mut [f32], q: &mut [f32]) {
                s.plainly(p, g, m, q);
            }
            #[target_feature(enable = "avx2")]
            fn avx2(s: Step, p: &mut [f32], g: &[f32], m: &mut [f32], q: &mut [f32]) {
                s.plainly(p, g, m, q);
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                // SAFETY: the processor has the instructions that the function is compiled for.
                return unsafe { avx512(self, parameters, gradient, means, squares) };
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: as above.
                return unsafe { avx2(self, parameters, gradient, means, squares) };
            }
        }
        self.plainly(parameters, gradient, means, squares);
    }

    #[inline(always)]
    fn plainly(
        self,
        parameters: &mut [f32],
        gradient: &[f32],
        means: &mut [f32],
        squares: &mut [f32],
    ) {
        let moments = means.iter_mut().zip(squares);
        for ((parameter, &slope), (mean, square)) in
            parameters.iter_mut().zip(gradient).zip(moments)
        {
            let next = self.keep_mean * *mean + self.new_mean * slope;
            *mean = if next.abs() < MIN_MOMENT { 0.0 } else { next };
            let next = self.keep_square * *square + self.new_square * slope * slope;
            *square = if next < MIN_SQUARE { 0.0 } else { next };
            *parameter -= self.stride * (*mean / (square.sqrt() / self.root + self.epsilon));
        }
    }
}
