//! The inner loops, in the widest vector registers that the processor has.
//!
//! Besides `cards`' evaluation of many hands the only module with `unsafe` code: calls of functions compiled for
//! instructions that the build in general may not assume, each after asking the processor whether it has
//! them. The results are the same to the bit in all of them: no sum runs across lanes or hands, and nothing is
//! fused.
#![allow(unsafe_code)]

use super::boards::Board;
use super::rows::{self, Discount};
use super::terminal::{self, LANES, Lanes, Real};
use crate::Player;

/// For each function one that calls the version for the processor at hand.
macro_rules! widest {
    ($($(#[$doc:meta])* $module:ident::$name:ident $(<$real:ident>)? ($($argument:ident: $type:ty),* $(,)?);)*) => {$(
        $(#[$doc])*
        pub(super) fn $name $(<$real: Real>)? ($($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                fn avx512 $(<$real: Real>)? ($($argument: $type),*) {
                    $module::$name($($argument),*);
                }
                #[target_feature(enable = "avx2")]
                fn avx2 $(<$real: Real>)? ($($argument: $type),*) {
                    $module::$name($($argument),*);
                }
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                {
                    // SAFETY: the processor has the instructions that the function is compiled for.
                    return unsafe { avx512($($argument),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: as above.
                    return unsafe { avx2($($argument),*) };
                }
            }
            $module::$name($($argument),*);
        }
    )*};
}

widest! {
    /// See [`rows::split`].
    rows::split(weights: &[f32], reach: &[f32], children: &mut [f32], averages: &mut [f32], factor: f32);
    /// See [`rows::learn`].
    rows::learn(regrets: &mut [f32], values: &[f32], value: &mut [f32], discount: Discount);
    /// See [`rows::learn_ahead`].
    rows::learn_ahead(regrets: &mut [f32], predicted: &mut [f32], values: &[f32], value: &mut [f32], discount: Discount);
    /// See [`rows::split_by`].
    rows::split_by<R>(weights: &[f32], reach: &[R], children: &mut [R]);
    /// See [`rows::portion`].
    rows::portion<R>(shares: &[f32], reach: &[R], children: &mut [R]);
    /// See [`rows::mean`].
    rows::mean<R>(averages: &[f32], values: &[R], value: &mut [R]);
    /// See [`rows::best`].
    rows::best<R>(values: &[R], value: &mut [R]);
    /// See [`rows::sum`].
    rows::sum<R>(values: &[R], value: &mut [R]);
    /// See [`rows::into_lanes`].
    rows::into_lanes<R>(numbers: &[R], rows: [usize; LANES], lanes: &mut [Lanes<R>]);
    /// See [`rows::from_lanes`].
    rows::from_lanes<R>(lanes: &[Lanes<R>], rows: &[(usize, usize, R)], numbers: &mut [R]);
    /// See [`terminal::meet`].
    terminal::meet<R>(board: &Board, player: Player, weights: &[Lanes<R>], met: &mut [Lanes<R>]);
    /// See [`terminal::show`].
    terminal::show<R>(board: &Board, player: Player, weights: &[Lanes<R>], won: &mut [Lanes<R>]);
    /// See [`terminal::gather_lanes`].
    terminal::gather_lanes<R>(weights: &[Lanes<R>], before: &[u16], chance: R, later: &mut [Lanes<R>]);
    /// See [`terminal::scatter_lanes`].
    terminal::scatter_lanes<R>(later: &[Lanes<R>], before: &[u16], won: &mut [Lanes<R>]);
}
