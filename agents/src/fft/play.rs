//! Decisions by fast-and-frugal trees.

use abstraction::facts::{Facts, Texture, is_aggressive};
use cards::HoleCards;
use game::{Action, Chips, InfoSet, PublicState, Seat, Strategy, Street};
use models::heuristic::{Act, Decider, Pot, Rulebook, Situation, facts_in_words};
use rand::RngExt;

use crate::fallback::{PartialAgent, PartialPolicy};
use crate::winrate::{Effort, win_rate, win_rates};
use crate::{Context, Decision};

/// The effect of one statement at a decision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatementEffect {
    /// The index of the statement in its list; that of the default action is the number of
    /// statements.
    pub statement: usize,
    /// The probability that the statement decides, above 0.
    pub chance: f64,
    /// The action of the statement, mapped to a legal one.
    pub action: Action,
}

/// The lists of a file, ready to play heads-up hold'em.
pub struct HeuristicPlayer {
    dry: Texture,
    streets: [Option<CompiledList>; 4],
}

/// The list of one street.
struct CompiledList {
    decider: Decider,
    asks_win_rate: bool,
    /// The text for notes, for each statement and the default.
    texts: Vec<String>,
}

impl HeuristicPlayer {
    /// Prepares lists, which must be valid for the games played later ([`Rulebook::check`]).
    pub fn new(book: &Rulebook) -> HeuristicPlayer {
        let list = |street: Street| {
            let heuristic = book.street(street)?;
            Some(CompiledList {
                decider: Decider::new(heuristic),
                asks_win_rate: heuristic.asks_win_rate(),
                texts: (0..=heuristic.statements().len())
                    .map(|at| heuristic.item_text(at))
                    .collect(),
            })
        };
        HeuristicPlayer { dry: book.dry(), streets: Street::ALL.map(list) }
    }

    /// The statements that may decide, with their actions; their probabilities sum to one. `None`
    /// on streets without a list.
    pub fn effects(&self, infoset: &InfoSet) -> Option<Vec<StatementEffect>> {
        let InfoSet { public, seat, hole } = infoset;
        let list = self.list(public)?;
        let mut situation = unrated(self.dry, public, *seat, *hole);
        if list.asks_win_rate {
            let rate = win_rate(public.def(), *hole, public.board(), 1, Effort::default());
            situation = situation.with_win_rate(rate);
        }
        let mut effects = Vec::new();
        list.decider.outcomes(situation, |statement, chance, act| {
            effects.push(StatementEffect {
                statement,
                chance,
                action: act_made_legal(act, public),
            });
        });
        Some(effects)
    }

    fn list(&self, public: &PublicState) -> Option<&CompiledList> {
        self.streets[public.street().index()].as_ref()
    }
}

/// The situation without the win-rate of the hand.
fn unrated(dry: Texture, public: &PublicState, seat: Seat, hole: HoleCards) -> Situation {
    let pot = Pot::new(public.pot(), public.def().big_blind());
    let facts = Facts::new(hole.set(), public.board().set(), dry);
    Situation::new(facts, pot, is_aggressive(public, seat))
}

/// Everything that a list may test at a decision, with `dry` as the definition of dry boards.
pub fn situation(infoset: &InfoSet, dry: Texture) -> Situation {
    let InfoSet { public, seat, hole } = infoset;
    let rate = win_rate(public.def(), *hole, public.board(), 1, Effort::default());
    unrated(dry, public, *seat, *hole).with_win_rate(rate)
}

/// The legal action for the action of a statement.
pub fn act_made_legal(act: Act, public: &PublicState) -> Action {
    let legal = public.legal();
    legal.nearest(match (act, legal.raise) {
        (Act::Fold, _) => Action::Fold,
        (Act::Raise, Some(raise)) => Action::RaiseTo(raise.min),
        (Act::AllIn, Some(raise)) => Action::RaiseTo(raise.max),
        (Act::Bet(hundredths), Some(_)) => {
            let pot = public.pot() as f64 + f64::from(legal.to_call);
            let more = (f64::from(hundredths) / 100.0 * pot).round();
            // Saturates; the nearest legal raise is used.
            Action::RaiseTo((f64::from(public.highest()) + more) as Chips)
        }
        (Act::Call, _) | (_, None) => Action::Call,
    })
}

impl CompiledList {
    /// The probability of each action, merged over statements with the same action.
    fn strategy(&self, situation: Situation, public: &PublicState) -> Strategy {
        let mut strategy = Strategy { actions: Vec::new() };
        self.decider.outcomes(situation, |_, chance, act| {
            let action = act_made_legal(act, public);
            match strategy.actions.iter_mut().find(|(known, _)| *known == action) {
                Some((_, sum)) => *sum += chance,
                None => strategy.actions.push((action, chance)),
            }
        });
        strategy
    }

    /// The index and action of the statement that decides, drawn at random if there are several.
    fn draw(&self, situation: Situation, cx: &mut Context) -> (usize, Act) {
        let mut effects = Vec::new();
        self.decider.outcomes(situation, |at, chance, act| effects.push((at, chance, act)));
        let mut point = if effects.len() > 1 { cx.rng.random() } else { 0.0 };
        let drawn = effects.iter().find(|(_, chance, _)| {
            point -= chance;
            point < 0.0
        });
        let &(at, _, act) = drawn.or(effects.last()).expect("a list has a default");
        (at, act)
    }
}

impl PartialAgent for Option<HeuristicPlayer> {
    fn decide(&self, infoset: &InfoSet, cx: &mut Context) -> Option<Decision> {
        let InfoSet { public, seat, hole } = infoset;
        let play = self.as_ref()?;
        let list = play.list(public)?;
        let mut situation = unrated(play.dry, public, *seat, *hole);
        let pot = public.pot() as f64 / f64::from(public.def().big_blind());
        let facts = Facts::new(hole.set(), public.board().set(), play.dry);
        let mut seen = facts_in_words(facts, public.street(), pot);
        if is_aggressive(public, *seat) {
            seen += ", aggressive";
        }
        if list.asks_win_rate {
            let rate = win_rate(public.def(), *hole, public.board(), 1, Effort::default());
            situation = situation.with_win_rate(rate);
            seen += &format!(", win rate {:.1} %", 100.0 * rate);
        }
        let (at, act) = list.draw(situation, cx);
        let strategy = Some(list.strategy(situation, public));
        let note = format!("{} ({seen})", list.texts[at]);
        Some(Decision { strategy, note: Some(note), ..act_made_legal(act, public).into() })
    }
}

impl PartialPolicy for Option<HeuristicPlayer> {
    fn strategies(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
    ) -> Vec<Option<Strategy>> {
        let Some((play, list)) = self.as_ref().and_then(|play| Some((play, play.list(public)?)))
        else {
            return vec![None; hands.len()];
        };
        let situations = hands.iter().map(|&hole| unrated(play.dry, public, seat, hole));
        if !list.asks_win_rate {
            return situations.map(|situation| Some(list.strategy(situation, public))).collect();
        }
        let rates = win_rates(public.def(), hands, public.board(), 1, Effort::default());
        let rated = situations.zip(rates).map(|(situation, rate)| situation.with_win_rate(rate));
        rated.map(|situation| Some(list.strategy(situation, public))).collect()
    }
}
