//! The equities, now and later, of the 169 starting hands, over all boards up to suit isomorphism.

use super::Equity;
use super::distribution::{Distribution, FLOP, HandEquity, RIVER, TURN};
use super::hands::TurnSums;
use super::river::{RiverBoard, RiverTable};
use crate::{Card, CardSet, Combo, Rank, StartingHand, Suit};

/// Number of starting hands processed together: their counters take 16 MB.
const BATCH_SIZE: usize = 43;

impl RiverTable {
    /// Calls `visit` with the equity of each starting hand, over all its 19,600 flops, 230,300
    /// turns and 2,118,760 rivers: about 2 s for all 169.
    pub fn each_starting_hand(&self, mut visit: impl FnMut(StartingHand, &HandEquity)) {
        let all: Vec<StartingHand> = StartingHand::all().collect();
        for hands in all.chunks(BATCH_SIZE) {
            for (&hand, hand_equity) in hands.iter().zip(self.starting_hands(hands)) {
                visit(hand, &hand_equity);
            }
        }
    }

    /// The equities, now and later, of some starting hands.
    ///
    /// One board of each isomorphism class is combined with all combos of a hand, which covers
    /// every case up to suits; the counts are then divided by the number of combos.
    pub(crate) fn starting_hands(&self, hands: &[StartingHand]) -> Vec<HandEquity> {
        let combos: Vec<(usize, Combo)> = (hands.iter().enumerate())
            .flat_map(|(slot, hand)| hand.combos().map(move |combo| (slot, combo)))
            .collect();
        let free = |board: CardSet| {
            combos.iter().copied().filter(move |(_, combo)| !combo.set().intersects(board))
        };

        let mut flops = vec![Vec::new(); hands.len()];
        each_board(3, |flop, boards| {
            let turns = TurnSums::after_flop(self, flop, u32::from);
            for (slot, combo) in free(flop) {
                let next = turns.iter().filter(|(card, _)| !combo.set().contains(*card));
                let sum: u32 = next.map(|(_, sums)| sums.sum(self, combo)).sum();
                // Each run-out was counted for both of its cards.
                flops[slot].push((sum / 2, boards));
            }
        });
        let mut turns = vec![vec![0u32; TURN as usize + 1]; hands.len()];
        each_board(4, |turn, boards| {
            let sums = TurnSums::new(self, turn, u32::from);
            for (slot, combo) in free(turn) {
                turns[slot][sums.sum(self, combo) as usize] += boards;
            }
        });
        let mut rivers = vec![vec![0u32; RIVER as usize + 1]; hands.len()];
        each_board(5, |board, boards| {
            let river = RiverBoard::from_set(board);
            for (slot, combo) in free(board) {
                rivers[slot][self.value_of_state(river.state(combo)) as usize] += boards;
            }
        });

        let mut hand_equity = |slot: usize| {
            let size = hands[slot].combos().count() as u32;
            flops[slot].sort_unstable();
            let flop = merged(FLOP, flops[slot].iter().copied(), size);
            let turn = merged(TURN, (0..).zip(turns[slot].iter().copied()), size);
            let river = merged(RIVER, (0..).zip(rivers[slot].iter().copied()), size);
            HandEquity {
                numerator: river.sum(),
                denominator: u64::from(river.boards()) * u64::from(RIVER),
                later: vec![flop, turn, river],
            }
        };
        (0..hands.len()).map(&mut hand_equity).collect()
    }
}

/// A distribution from increasing numerators, given the number of boards of each as counted for
/// `times` combos.
fn merged(denominator: u32, counts: impl Iterator<Item = (u32, u32)>, times: u32) -> Distribution {
    let mut distribution = Distribution::default();
    distribution.reset(denominator);
    for (numerator, count) in counts.filter(|(_, count)| *count > 0) {
        distribution.push(numerator, count);
    }
    distribution.divide(times);
    distribution
}

/// Calls `visit` with one board of each suit-isomorphism class of boards of `size` cards (at most
/// five) and the class's number of boards: 1,755 flop, 16,432 turn and 134,459 river classes.
fn each_board(size: u32, mut visit: impl FnMut(CardSet, u32)) {
    let masks: Vec<u16> = (0..1 << 13).filter(|mask: &u16| mask.count_ones() <= size).collect();
    extend(&masks, size, &mut [0; 4], 0, &mut visit);
}

/// Chooses rank masks recursively for the suits from `suit` on, none above the one before.
fn extend(
    masks: &[u16],
    missing: u32,
    suits: &mut [u16; 4],
    suit: usize,
    visit: &mut impl FnMut(CardSet, u32),
) {
    if missing == 0 {
        suits[suit..].fill(0);
        return visit(board_of(suits), arrangements(suits));
    }
    if suit == 4 {
        return;
    }
    for (at, &mask) in masks.iter().enumerate() {
        if mask > 0 && mask.count_ones() <= missing {
            suits[suit] = mask;
            extend(&masks[..=at], missing - mask.count_ones(), suits, suit + 1, visit);
        }
    }
}

fn board_of(suits: &[u16; 4]) -> CardSet {
    let cards = Suit::all().flat_map(|suit| {
        let mask = suits[suit.index() as usize];
        Rank::all()
            .filter(move |rank| mask >> rank.index() & 1 == 1)
            .map(move |rank| Card::new(rank, suit))
    });
    cards.collect()
}

/// Number of ways to assign these masks to the four suits.
fn arrangements(suits: &[u16; 4]) -> u32 {
    let same = |run: &[u16]| (1..=run.len() as u32).product::<u32>();
    24 / suits.chunk_by(PartialEq::eq).map(same).product::<u32>()
}

/// The opponent's 1,225 hands times the 1,712,304 boards that remain.
const TOTAL: u64 = 2_097_572_400;

/// The wins and ties of a starting hand against a uniform opponent over all boards: computed from
/// the river table, and by a test again.
pub(super) fn counts(hand: StartingHand) -> Equity {
    let [wins, ties] = COUNTS[hand.index()].map(u64::from);
    Equity { wins, ties, total: TOTAL }
}

/// Wins and ties by the number of the starting hand: a chart's rows from the aces down.
const COUNTS: [[u32; 2]; StartingHand::COUNT] = [
    // A
    [1_781_508_418, 11_402_312],
    [1_389_004_215, 34_610_976],
    [1_370_002_117, 37_553_414],
    [1_350_786_717, 41_744_140],
    [1_331_725_962, 46_711_746],
    [1_290_209_940, 53_342_951],
    [1_269_195_105, 60_242_341],
    [1_245_678_450, 67_008_466],
    [1_220_344_506, 72_447_218],
    [1_217_936_943, 77_979_612],
    [1_198_506_708, 79_533_094],
    [1_181_668_536, 79_089_680],
    [1_164_284_001, 78_559_848],
    // K
    [1_352_291_878, 35_687_839],
    [1_722_470_558, 11_676_960],
    [1_309_061_790, 41_615_142],
    [1_289_515_286, 45_759_944],
    [1_270_857_555, 50_404_375],
    [1_229_977_429, 56_648_553],
    [1_191_219_968, 63_847_580],
    [1_171_417_014, 70_957_375],
    [1_149_567_662, 77_025_547],
    [1_129_204_024, 82_185_635],
    [1_109_381_784, 83_726_409],
    [1_092_208_613, 83_267_308],
    [1_074_795_095, 82_718_864],
    // Q
    [1_332_142_795, 38_723_369],
    [1_267_610_255, 42_939_290],
    [1_670_338_644, 12_299_076],
    [1_239_054_394, 49_852_123],
    [1_220_171_285, 54_407_652],
    [1_179_313_858, 60_474_078],
    [1_141_436_364, 67_152_284],
    [1_101_718_156, 74_622_259],
    [1_084_009_562, 81_105_669],
    [1_063_751_334, 86_250_529],
    [1_043_815_735, 87_773_537],
    [1_026_518_567, 87_294_132],
    [1_008_970_414, 86_722_846],
    // J
    [1_311_720_573, 43_129_563],
    [1_246_822_903, 47_298_240],
    [1_193_649_409, 51_535_593],
    [1_618_339_604, 13_277_356],
    [1_177_887_186, 57_602_534],
    [1_135_038_051, 65_045_137],
    [1_097_274_797, 71_484_894],
    [1_058_318_785, 78_462_767],
    [1_018_879_951, 85_231_180],
    [1_003_078_936, 90_862_846],
    [983_104_243, 92_368_088],
    [965_759_044, 91_868_379],
    [948_153_923, 91_274_251],
    // T
    [1_291_435_142, 48_393_949],
    [1_226_959_959, 52_214_074],
    [1_173_537_003, 56_357_281],
    [1_129_039_428, 59_642_287],
    [1_566_053_110, 14_746_566],
    [1_098_642_842, 69_247_375],
    [1_059_465_943, 76_570_746],
    [1_020_494_848, 83_391_254],
    [981_668_027, 89_796_157],
    [942_628_592, 95_533_249],
    [927_212_359, 97_596_865],
    [909_895_095, 97_076_852],
    [892_310_673, 96_459_882],
    // 9
    [1_247_001_366, 55_504_495],
    [1_183_191_163, 58_911_625],
    [1_129_794_528, 62_861_351],
    [1_083_173_398, 67_618_021],
    [1_044_920_282, 71_987_711],
    [1_503_238_936, 16_428_186],
    [1_024_795_719, 81_573_810],
    [985_655_348, 89_249_246],
    [947_078_416, 95_528_642],
    [908_515_397, 101_068_049],
    [868_544_377, 102_984_434],
    [855_951_949, 103_094_363],
    [838_461_663, 102_454_551],
    // 8
    [1_224_440_175, 62_862_129],
    [1_141_742_922, 66_641_512],
    [1_089_280_295, 70_028_300],
    [1_042_779_957, 74_526_982],
    [1_003_019_374, 79_840_679],
    [966_316_620, 85_106_929],
    [1_441_396_848, 18_695_790],
    [958_257_237, 94_484_411],
    [919_124_997, 101_722_112],
    [880_780_296, 107_166_353],
    [841_184_813, 109_025_471],
    [803_004_465, 108_693_752],
    [790_348_964, 108_755_450],
    // 7
    [1_199_171_976, 70_129_398],
    [1_120_467_131, 74_254_989],
    [1_046_780_178, 78_084_287],
    [1_001_090_143, 82_048_768],
    [961_312_472, 87_190_712],
    [924_443_362, 93_373_294],
    [895_522_755, 98_901_298],
    [1_378_636_878, 21_423_310],
    [898_379_280, 106_652_749],
    [859_564_300, 113_123_404],
    [820_337_671, 114_963_889],
    [782_469_104, 114_627_274],
    [743_376_257, 113_942_467],
    // 6
    [1_171_920_110, 76_022_178],
    [1_096_969_965, 80_805_137],
    [1_027_737_078, 85_058_721],
    [958_874_577, 89_387_379],
    [919_746_160, 94_133_959],
    [883_149_152, 100_178_053],
    [853_640_324, 106_737_798],
    [831_767_413, 111_965_689],
    [1_315_178_390, 24_530_044],
    [846_332_445, 116_843_119],
    [807_166_360, 119_659_864],
    [769_503_449, 119_483_186],
    [730_742_786, 118_782_017],
    // 5
    [1_169_234_974, 81_983_213],
    [1_075_088_026, 86_422_307],
    [1_005_974_746, 90_660_555],
    [941_907_501, 95_491_577],
    [877_990_854, 100_409_701],
    [841_896_769, 106_238_788],
    [812_626_207, 112_692_288],
    [790_253_778, 119_028_199],
    [776_369_338, 122_982_645],
    [1_250_992_922, 28_731_922],
    [808_247_748, 122_535_513],
    [771_039_857, 123_097_534],
    [732_672_291, 122_489_533],
    // 4
    [1_148_061_584, 83_768_953],
    [1_053_508_976, 88_195_273],
    [984_280_928, 92_415_629],
    [920_178_475, 97_228_759],
    [861_166_500, 102_727_325],
    [798_877_137, 108_455_313],
    [770_001_459, 114_847_103],
    [748_030_580, 121_159_938],
    [734_213_031, 126_168_959],
    [735_719_749, 129_230_044],
    [1_180_021_110, 32_147_698],
    [749_407_203, 122_271_282],
    [711_453_440, 122_123_616],
    // 3
    [1_129_654_161, 83_453_609],
    [1_034_758_983, 87_864_179],
    [965_405_538, 92_064_087],
    [901_258_949, 96_856_769],
    [842_284_099, 102_334_887],
    [785_077_590, 108_721_395],
    [728_903_246, 114_693_723],
    [707_257_588, 121_002_505],
    [693_662_773, 126_183_313],
    [695_659_494, 130_040_672],
    [672_613_963, 129_193_193],
    [1_108_341_244, 35_819_814],
    [694_128_063, 121_342_843],
    // 2
    [1_110_608_066, 83_116_441],
    [1_015_702_916, 87_508_267],
    [946_213_445, 91_685_171],
    [882_013_792, 96_454_849],
    [823_068_840, 101_909_963],
    [765_970_787, 108_273_467],
    [714_995_931, 114_982_393],
    [665_146_081, 120_541_920],
    [651_897_304, 125_706_786],
    [654_312_693, 129_665_137],
    [631_734_409, 129_308_773],
    [613_318_625, 128_529_945],
    [1_035_889_822, 39_805_340],
];
