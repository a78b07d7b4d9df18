//! Dispatch of the inner loops to the widest vector registers that the processor has and that pay.
//!
//! Besides `cards`' evaluation of many hands this is the only module with `unsafe` code: it calls
//! functions compiled for instructions that the build in general may not assume, each after
//! checking that the processor has them. The results are bitwise identical for all registers: no
//! sum runs across lanes or hands, and no operations are fused.
//!
//! Each function names the widest registers it is compiled for. Where hands are processed one after
//! the other, a register that holds all lanes of one hand is wide enough. Without a barrier the
//! compiler uses AVX-512 to process several hands there, with gathers and scatters of their lanes.
//! That is slower everywhere, and much slower on AMD up to Zen 4, which implements these
//! instructions in microcode. [`one_hand`] prevents it. `tests/conformance/check_vectors.py`
//! rejects gathers and scatters, and `cargo bench -p solvers --bench registers` compares the
//! widths.
#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

use arrayvec::ArrayVec;

use super::boards::Board;
use super::rows::{self, Discount};
use super::storage::{self, Packed};
use super::terminal::{self, LANES, Lanes, Real, Sums};
use crate::Player;
use crate::regret::Weight;

/// The vector registers that the inner loops use. Results are bitwise identical for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Registers {
    /// The registers of every processor that the program was built for.
    Any = 1,
    /// x86-64 with AVX2: 256 bits.
    Avx2,
    /// x86-64 with AVX-512 (F, BW, DQ and VL): 512 bits where that pays.
    Avx512,
}

/// The widest registers to use, or 0 before detection; never wider than the processor has.
static WIDEST: AtomicU8 = AtomicU8::new(0);

/// Limits the inner loops of the whole process to registers up to `most`, as far as the processor
/// has them, and returns the registers now used. Only useful for comparing widths on one machine.
pub fn use_registers(most: Registers) -> Registers {
    let widest = most.min(detected());
    WIDEST.store(widest as u8, Ordering::Relaxed);
    widest
}

/// The widest registers that the processor has.
fn detected() -> Registers {
    #[cfg(target_arch = "x86_64")]
    {
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if is_x86_feature_detected!("avx2") {
            return if avx512 { Registers::Avx512 } else { Registers::Avx2 };
        }
    }
    Registers::Any
}

/// The widest registers to use.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "there is only one kind"))]
fn widest() -> Registers {
    match WIDEST.load(Ordering::Relaxed) {
        0 => use_registers(Registers::Avx512),
        1 => Registers::Any,
        2 => Registers::Avx2,
        _ => Registers::Avx512,
    }
}

/// An optimisation barrier for the end of a loop body, so that hands are processed one by one, with
/// all lanes of a hand in a register.
#[inline(always)]
pub(crate) fn one_hand() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: the assembly is empty and changes nothing. The compiler cannot see that and does not
    // reorder the code around it.
    unsafe {
        std::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// A queue of memory to prefetch, one cache line at a time, during other work. Waiting for the
/// stored numbers would otherwise take about a sixth of an iteration on a turn. Memory delivers a
/// line in some 5 ns: fetching faster than that makes other work wait.
#[derive(Debug, Default)]
pub(crate) struct PrefetchQueue {
    /// Byte addresses still to be fetched from the current range; `later` holds the ranges after
    /// it.
    now: Range<usize>,
    later: ArrayVec<Range<usize>, 2>,
}

impl PrefetchQueue {
    /// The address range of a slice, in bytes.
    pub(crate) fn address_range<T>(numbers: &[T]) -> Range<usize> {
        let range = numbers.as_ptr_range();
        range.start as usize..range.end as usize
    }

    /// Replaces the queue by these ranges; the last one is fetched first.
    pub(crate) fn set(&mut self, ranges: [Range<usize>; 3]) {
        let [second, first, now] = ranges;
        *self = PrefetchQueue { now, later: [second, first].into() };
    }

    /// Number of cache lines in the queue.
    pub(crate) fn lines(&self) -> usize {
        let ranges = self.later.iter().chain([&self.now]);
        ranges.map(|range| range.len().div_ceil(LINE)).sum()
    }

    /// Prefetches the next cache line of the queue.
    #[inline(always)]
    pub(crate) fn fetch(&mut self) {
        if self.now.start >= self.now.end {
            match self.later.pop() {
                Some(next) => self.now = next,
                None => return,
            }
        }
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch is only a hint; it reads nothing and accepts any address.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T1>(self.now.start as *const i8);
        }
        self.now.start += LINE;
    }
}

/// The registers that hold a number for each lane.
#[cfg(target_arch = "x86_64")]
const fn lanes<R>() -> Registers {
    if size_of::<Lanes<R>>() > 32 { Registers::Avx512 } else { Registers::Avx2 }
}

/// [`into_lanes`] for `f32`.
pub(crate) fn singles_into_lanes(numbers: &[f32], rows: [usize; LANES], lanes: &mut [Lanes<f32>]) {
    #[cfg(target_arch = "x86_64")]
    if widest() >= Registers::Avx2 {
        // SAFETY: the processor has the instructions that the function is compiled for.
        return unsafe { transpose::into_lanes(numbers, rows, lanes) };
    }
    into_lanes(numbers, rows, lanes);
}

/// [`from_lanes`] for `f32`.
pub(crate) fn singles_from_lanes(
    lanes: &[Lanes<f32>],
    rows: &[(usize, usize, f32)],
    numbers: &mut [f32],
) {
    #[cfg(target_arch = "x86_64")]
    if widest() >= Registers::Avx2 {
        // SAFETY: the processor has the instructions that the function is compiled for.
        return unsafe { transpose::from_lanes(lanes, rows, numbers) };
    }
    from_lanes(lanes, rows, numbers);
}

/// Defines for each function a wrapper that calls the version compiled for the registers in use, at
/// most those named in brackets.
macro_rules! widest {
    ($(
        $(#[$doc:meta])*
        [$most:expr] $module:ident::$name:ident $(<$real:ident: $bound:ident>)? ($(
            $argument:ident: $type:ty),* $(,)?);
    )*) => {$(
        $(#[$doc])*
        pub(crate) fn $name $(<$real: $bound>)? ($($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                fn avx512 $(<$real: $bound>)? ($($argument: $type),*) {
                    $module::$name($($argument),*);
                }
                #[target_feature(enable = "avx2")]
                fn avx2 $(<$real: $bound>)? ($($argument: $type),*) {
                    $module::$name($($argument),*);
                }
                let widest = widest();
                if const { matches!($most, Registers::Avx512) } && widest == Registers::Avx512 {
                    // SAFETY: the processor has the instructions that the function is compiled for.
                    return unsafe { avx512($($argument),*) };
                }
                if widest >= Registers::Avx2 {
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
    [Registers::Avx512] rows::split(weights: &[f32], reach: &[f32], children: &mut [f32],
        averages: &mut [f32], of: Weight, row: usize);
    /// See [`rows::learn`].
    [Registers::Avx512] rows::learn(regrets: &mut [f32], values: &[f32], value: &mut [f32],
        discount: Discount, row: usize);
    /// See [`rows::learn_ahead`].
    [Registers::Avx512] rows::learn_ahead(regrets: &mut [f32], predicted: &mut [f32],
        values: &[f32], value: &mut [f32], discount: Discount, row: usize);
    /// See [`storage::unpack`].
    [Registers::Avx2] storage::unpack<P: Packed>(packed: &[P], scale: f32, numbers: &mut [f32]);
    /// See [`storage::pack`].
    [Registers::Avx2] storage::pack<P: Packed>(numbers: &[f32], packed: &mut [P], scale: &mut f32,
        dither: f32);
    /// See [`rows::split_by`].
    [Registers::Avx512] rows::split_by<R: Real>(weights: &[f32], reach: &[R], children: &mut [R],
        row: usize);
    /// See [`rows::portion`].
    [Registers::Avx2] rows::portion<R: Real>(shares: &[f32], reach: &[R], children: &mut [R]);
    /// See [`rows::mean`].
    [Registers::Avx512] rows::mean<R: Real>(averages: &[f32], values: &[R], value: &mut [R],
        row: usize);
    /// See [`rows::best`].
    [Registers::Avx2] rows::best<R: Real>(values: &[R], value: &mut [R], count: usize, row: usize);
    /// See [`rows::sum`].
    [Registers::Avx512] rows::sum<R: Real>(values: &[R], value: &mut [R], count: usize, row: usize);
    /// See [`rows::into_lanes`].
    [Registers::Avx2] rows::into_lanes<R: Real>(numbers: &[R], rows: [usize; LANES],
        lanes: &mut [Lanes<R>]);
    /// See [`rows::from_lanes`].
    [Registers::Avx2] rows::from_lanes<R: Real>(lanes: &[Lanes<R>], rows: &[(usize, usize, R)],
        numbers: &mut [R]);
    /// See [`terminal::total`].
    [lanes::<R>()] terminal::total<R: Real>(board: &Board, player: Player, weights: &[Lanes<R>],
        sums: &mut Sums<R>);
    /// See [`terminal::unblocked_weights`].
    [lanes::<R>()] terminal::unblocked_weights<R: Real>(board: &Board, player: Player,
        range: Range<usize>, weights: &[Lanes<R>], sums: &Sums<R>, unblocked: &mut [Lanes<R>]);
    /// See [`terminal::settle`].
    [lanes::<R>()] terminal::settle<R: Real>(board: &Board, player: Player, range: Range<usize>,
        weights: &[Lanes<R>], sums: &Sums<R>, unblocked: &mut [Lanes<R>], won: &mut [Lanes<R>]);
    /// See [`terminal::show`].
    [lanes::<R>()] terminal::show<R: Real>(board: &Board, player: Player, weights: &[Lanes<R>],
        sums: &mut Sums<R>, won: &mut [Lanes<R>], prefetch: &mut PrefetchQueue);
    /// See [`terminal::gather_lanes`].
    [lanes::<R>()] terminal::gather_lanes<R: Real>(weights: &[Lanes<R>], before: &[u16], chance: R,
        later: &mut [Lanes<R>]);
    /// See [`terminal::scatter_lanes`].
    [lanes::<R>()] terminal::scatter_lanes<R: Real>(later: &[Lanes<R>], before: &[u16],
        won: &mut [Lanes<R>]);
}

/// AVX2 transposition of rows to lanes and back: [`into_lanes`] and [`from_lanes`] for `f32`, which
/// the compiler would otherwise turn into loads and stores of single numbers.
#[cfg(target_arch = "x86_64")]
mod transpose {
    use std::arch::x86_64::{
        __m256, _mm256_castpd_ps, _mm256_castps_pd, _mm256_loadu_ps, _mm256_loadu2_m128,
        _mm256_mul_ps, _mm256_permute2f128_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
        _mm256_unpackhi_pd, _mm256_unpackhi_ps, _mm256_unpacklo_pd, _mm256_unpacklo_ps,
    };

    use super::{LANES, Lanes};

    /// See [`rows::into_lanes`](super::rows::into_lanes).
    #[target_feature(enable = "avx2")]
    pub(crate) fn into_lanes(numbers: &[f32], rows: [usize; LANES], lanes: &mut [Lanes<f32>]) {
        let row = lanes.len();
        let mut fours: [&[[f32; 4]]; LANES] = [&[]; LANES];
        for (fours, number) in fours.iter_mut().zip(rows) {
            *fours = &numbers[number..][..row].as_chunks().0[..row / 4];
        }
        for (at, lanes) in lanes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let four = |row: usize| {
                // SAFETY: both pointers are valid for reads of four numbers.
                unsafe { _mm256_loadu2_m128(fours[row + 4][at].as_ptr(), fours[row][at].as_ptr()) }
            };
            // Rows 0 and 4 are in the halves of one register, and so on.
            let turned = turned([four(0), four(1), four(2), four(3)]);
            for (lanes, register) in lanes.iter_mut().zip(turned) {
                // SAFETY: the pointer is valid for a write of eight numbers.
                unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), register) };
            }
        }
    }

    /// See [`rows::from_lanes`](super::rows::from_lanes).
    #[target_feature(enable = "avx2")]
    pub(crate) fn from_lanes(
        lanes: &[Lanes<f32>],
        rows: &[(usize, usize, f32)],
        numbers: &mut [f32],
    ) {
        let mut starts = [None; LANES];
        for &(lane, start, factor) in rows {
            starts[lane] = Some((start, _mm256_set1_ps(factor)));
        }
        for (at, hands) in lanes.as_chunks::<8>().0.iter().enumerate() {
            // SAFETY: the pointer is valid for a read of eight numbers.
            let hand = |hand: usize| unsafe { _mm256_loadu_ps(hands[hand].as_ptr()) };
            // For four hands, the numbers of lanes 0 and 4 in the halves of one register, and so
            // on.
            let first = turned([hand(0), hand(1), hand(2), hand(3)]);
            let later = turned([hand(4), hand(5), hand(6), hand(7)]);
            let mut turned = [_mm256_setzero_ps(); LANES];
            for lane in 0..LANES / 2 {
                turned[lane] = _mm256_permute2f128_ps::<0x20>(first[lane], later[lane]);
                turned[lane + 4] = _mm256_permute2f128_ps::<0x31>(first[lane], later[lane]);
            }
            for (row, register) in starts.iter().zip(turned) {
                let Some((start, factor)) = *row else { continue };
                let row: &mut [f32; 8] =
                    numbers[start + at * 8..].first_chunk_mut().expect("rows of whole chunks");
                // SAFETY: the pointer is valid for a write of eight numbers.
                unsafe { _mm256_storeu_ps(row.as_mut_ptr(), _mm256_mul_ps(register, factor)) };
            }
        }
    }

    /// Transposes the corresponding halves of four registers: each half of the first result has the
    /// first numbers of that half of all inputs, the second result the second numbers, and so on.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn turned([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
        let [ab, ab_more] = [_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b)];
        let [cd, cd_more] = [_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d)];
        let low = |ab, cd| {
            _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(ab), _mm256_castps_pd(cd)))
        };
        let high = |ab, cd| {
            _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(ab), _mm256_castps_pd(cd)))
        };
        [low(ab, cd), high(ab, cd), low(ab_more, cd_more), high(ab_more, cd_more)]
    }
}
