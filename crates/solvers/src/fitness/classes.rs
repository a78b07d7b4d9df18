//! The facts of a hand and a board as hand classes.

use abstraction::facts::{Facts, Texture, made, outs};
use cards::{CardSet, Category, Combo, Rank};
use game::Street;

use super::HandClasses;

/// Number of possible outs, including 0.
const OUTS: usize = 32;
const HIGHS: usize = Rank::COUNT as usize;
const CATEGORIES: usize = Category::ALL.len();

/// The hand classes of all [`Facts`], one for each combination: category, highest card, outs, and
/// whether the board is dry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FactClasses {
    /// The definition of a dry board.
    pub texture: Texture,
}

impl FactClasses {
    /// The class of facts.
    pub fn class(facts: Facts) -> u16 {
        let Facts { category, high, outs, dry } = facts;
        let made = category as usize * HIGHS + usize::from(high.index());
        let class = (usize::from(outs) * CATEGORIES * HIGHS + made) * 2 + usize::from(dry);
        class as u16
    }

    /// The facts of a class; `None` for an invalid number.
    pub fn facts(class: u16) -> Option<Facts> {
        let (rest, dry) = (usize::from(class) / 2, class % 2 == 1);
        let (outs, made) = (rest / (CATEGORIES * HIGHS), rest % (CATEGORIES * HIGHS));
        let category = *Category::ALL.get(made / HIGHS)?;
        let high = Rank::new((made % HIGHS) as u8)?;
        (outs < OUTS).then_some(Facts { category, high, outs: outs as u8, dry })
    }
}

impl HandClasses for FactClasses {
    fn name(&self) -> String {
        format!("facts/1, dry: {}", self.texture)
    }

    fn count(&self, street: Street) -> usize {
        let outs = if street == Street::River { 1 } else { OUTS };
        CATEGORIES * HIGHS * 2 * outs
    }

    fn of(&self, hand: Combo, board: CardSet) -> u16 {
        FactClasses::class(Facts::new(hand.set(), board, self.texture))
    }

    fn on_board(&self, board: CardSet) -> Box<[u16]> {
        let dry = self.texture.is_dry(board);
        let mut classes = vec![0; Combo::COUNT].into_boxed_slice();
        for hand in Combo::all().filter(|hand| !hand.set().intersects(board)) {
            let made = made(hand.set() | board);
            let (category, high) = (made.category, made.high);
            let facts = Facts { category, high, outs: outs(hand.set(), board), dry };
            classes[hand.index()] = FactClasses::class(facts);
        }
        classes
    }
}
