//! Numbers of 16 bits, beside another library's.

use half::f16;
use models::network::half_precision::{from_bits, to_bits};

#[test]
fn every_number_of_16_bits_is_read_and_written_as_by_another_library() {
    for bits in 0..=u16::MAX {
        let (ours, theirs) = (from_bits(bits), f16::from_bits(bits));
        assert_eq!(ours.is_nan(), theirs.is_nan(), "{bits:#x}");
        if !ours.is_nan() {
            assert_eq!(ours.to_bits(), theirs.to_f32().to_bits(), "{bits:#x}");
            assert_eq!(to_bits(ours), bits);
        }
    }
    assert!(f16::from_bits(to_bits(f32::NAN)).is_nan());
}

#[test]
fn numbers_are_rounded_as_by_another_library() {
    // Every number of 16 bits, the middle to the next one, and what is beside each.
    for bits in 0..0x7c00 {
        let step = |bits: u16| f16::from_bits(bits).to_f32();
        let middle = if bits == 0x7bff { 65_520.0 } else { (step(bits) + step(bits + 1)) / 2.0 };
        for near in [step(bits), middle] {
            for number in [near.next_down(), near, near.next_up()] {
                for number in [number, -number] {
                    assert_eq!(to_bits(number), f16::from_f32(number).to_bits(), "{number:e}");
                }
            }
        }
    }
    // Over the whole range of an `f32`.
    for bits in (0..0x7f80_0000).step_by(9_973) {
        let number = f32::from_bits(bits);
        assert_eq!(to_bits(number), f16::from_f32(number).to_bits(), "{number:e}");
    }
}
