//! Pot shares and apparent strengths of two known hands.

use cards::{CardSet, Combo, Ties, all_in, evaluate, win_rate};

/// The exact average pot share of hand `a` against hand `b` over all boards that `board` (0, 3, 4
/// or 5 cards) can become; a tie is half.
///
/// It is a martingale: its mean over the next street's cards is the share before them. The
/// corrections for the luck of the board rely on that.
pub(super) fn share(a: CardSet, b: CardSet, board: CardSet) -> f64 {
    all_in(combo(a), combo(b), board).map_or(0.5, |counts| counts.value(Ties::Half))
}

/// A two-card set as a combo.
fn combo(hand: CardSet) -> Combo {
    let mut cards = hand.iter();
    let both = cards.next().zip(cards.next()).and_then(|(a, b)| Combo::new(a, b));
    both.expect("hold'em hands have two cards")
}

/// The apparent strength of each hand to its holder, from 0 to 1: before the flop its win-rate
/// against any two cards, later the share of all other hands that it beats on the present board,
/// ties half.
pub(super) fn strengths(a: CardSet, b: CardSet, board: CardSet) -> [f64; 2] {
    if board.is_empty() {
        return [preflop_strength(a), preflop_strength(b)];
    }
    if board.len() == 5 {
        let rate = |hand| win_rate(combo(hand), board).map_or(0.5, |r| r.value(Ties::Half));
        return [rate(a), rate(b)];
    }
    let ranks = [evaluate(a | board), evaluate(b | board)];
    let rest: Vec<CardSet> = (CardSet::FULL - board).iter().map(CardSet::of).collect();
    let (mut halves, mut hands) = ([0u32; 2], [0u32; 2]);
    for (i, &one) in rest.iter().enumerate() {
        for &other in &rest[i + 1..] {
            let rank = evaluate(one | other | board);
            let set = one | other;
            for (k, mine) in [a, b].into_iter().enumerate() {
                let free = u32::from(!set.intersects(mine));
                halves[k] += free * (ranks[k].cmp(&rank) as i8 + 1) as u32;
                hands[k] += 2 * free;
            }
        }
    }
    [0, 1].map(|k| f64::from(halves[k]) / f64::from(hands[k]))
}

fn preflop_strength(hand: CardSet) -> f64 {
    f64::from(PREFLOP.as_flattened()[combo(hand).starting_hand().index()]) / 1e4
}

/// Preflop win-rates against any two cards in ten-thousandths, in the order of
/// [`StartingHand`](cards::StartingHand). They are only features of a value function, so their
/// rounding causes no bias.
const PREFLOP: [[u16; 13]; 13] = [
    [8527, 6704, 6620, 6543, 6463, 6281, 6194, 6092, 5990, 5993, 5895, 5827, 5738],
    [6531, 8240, 6337, 6258, 6175, 6002, 5836, 5763, 5662, 5587, 5487, 5402, 5316],
    [6439, 6150, 7994, 6033, 5938, 5770, 5600, 5437, 5361, 5279, 5177, 5111, 5020],
    [6355, 6054, 5812, 7739, 5751, 5571, 5407, 5227, 5062, 4990, 4909, 4822, 4741],
    [6269, 5974, 5732, 5528, 7497, 5395, 5240, 5067, 4889, 4725, 4650, 4571, 4485],
    [6083, 5772, 5554, 5324, 5161, 7205, 5074, 4911, 4745, 4570, 4384, 4323, 4234],
    [5987, 5611, 5366, 5148, 4968, 4812, 6913, 4790, 4624, 4455, 4274, 4091, 4023],
    [5881, 5517, 5173, 4971, 4791, 4634, 4502, 6632, 4532, 4368, 4188, 4006, 3817],
    [5774, 5420, 5099, 4780, 4600, 4449, 4318, 4230, 6329, 4316, 4133, 3954, 3763],
    [5773, 5332, 5014, 4720, 4426, 4274, 4139, 4051, 4001, 6036, 4151, 3971, 3783],
    [5677, 5232, 4913, 4608, 4351, 4064, 3948, 3860, 3791, 3819, 5701, 3860, 3688],
    [5583, 5146, 4825, 4526, 4250, 4003, 3747, 3659, 3604, 3626, 3515, 5366, 3599],
    [5489, 5050, 4730, 4427, 4158, 3919, 3684, 3464, 3414, 3435, 3318, 3227, 5033],
];
