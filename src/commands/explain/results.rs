//! The winnings of tree nodes in a recorded match: the results of the hands in which the entrant
//! that plays the tree reached them.
//!
//! The decisions are replayed and passed through the tree again, so that a record of hands is
//! enough. A hand counts once for a node, however often it reached the node; the hands of one deal
//! are one group of [`Sums`].

use abstraction::features::{FeatureMaker, opponent_bets};
use cards::Combo;
use game::{Chips, Payoff, Street};
use logs::stats::{NoRate, Sums};
use logs::{LedgerReader, Rate};
use models::student::Student;
use serde_json::{Value, json};
use show::number::counted;

use super::tree_source::{explainer, student};
use crate::exit::Failure;
use crate::progress::Progress;
use crate::resolve_names::Named;

/// The winnings of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Won {
    /// Number of decisions that reached the node.
    decisions: u64,
    sums: Sums,
    big_blind: Chips,
}

impl Won {
    fn rate(&self) -> Result<Rate, NoRate> {
        Rate::of(&self.sums, self.big_blind)
    }

    /// The win rate in words, as in `won +120 ± 300 mbb/hand in 512 hands`.
    pub(super) fn words(&self) -> String {
        let hands = counted(self.sums.hands, "hand");
        match (self.rate(), self.sums.mean()) {
            (Ok(rate), _) => {
                format!("won {:+.0} ± {:.0} mbb/hand in {hands}", rate.mbb, rate.half_width())
            }
            (Err(_), Some(mean)) => {
                let mbb = 1000.0 * mean / f64::from(self.big_blind);
                format!("won {mbb:+.0} mbb/hand in {hands} of one deal, too few for an interval")
            }
            (Err(_), None) => "not reached".to_owned(),
        }
    }

    /// The number of decisions, in words.
    pub(super) fn decisions(&self) -> String {
        counted(self.decisions, "decision")
    }

    /// The JSON document. `rate` is null with hands of fewer than two deals.
    pub(super) fn document(&self) -> Value {
        json!({
            "decisions": self.decisions,
            "hands": self.sums.hands,
            "won_chips": self.sums.chips(),
            "rate": self.rate().ok(),
        })
    }
}

/// The first entrant of a match that plays the trees of the student with this name.
///
/// # Errors
/// If there is none.
pub(super) fn entrant(
    ledger: &LedgerReader,
    named: &Named,
    name: &str,
    expected: &Student,
) -> Result<u8, Failure> {
    let entrants = &ledger.info().entrants;
    let is_same = |agent: &str| {
        student(named, agent).is_ok_and(|student| student.manifest() == expected.manifest())
    };
    let found = entrants.iter().position(|entrant| entrant.agent == name);
    let found = found.or_else(|| entrants.iter().position(|entrant| is_same(&entrant.agent)));
    found.map(|index| index as u8).ok_or_else(|| {
        let agents: Vec<&str> = entrants.iter().map(|entrant| entrant.agent.as_str()).collect();
        Failure::input(anyhow::anyhow!(
            "{}: no player has the trees of `{name}`; the agents are {}",
            ledger.path().display(),
            agents.join(", ")
        ))
    })
}

/// The winnings of nodes of a street's tree when this entrant played it, in the order of `nodes`.
///
/// # Errors
/// If the match cannot be read, or its game is not the student's.
pub(super) fn results(
    ledger: &LedgerReader,
    entrant: u8,
    student: &Student,
    street: Street,
    nodes: &[usize],
) -> Result<Vec<Won>, Failure> {
    student.check_game(ledger.def()).map_err(Failure::input)?;
    let tree = explainer(student, street)?.tree();
    let mut indices = vec![None; tree.nodes()];
    nodes.iter().enumerate().for_each(|(index, &node)| indices[node] = Some(index));
    let mut maker = FeatureMaker::new(student.schema());
    let mut progress = Progress::patient(ledger.count().map_err(Failure::input)?, "hands", false);
    let mut count = Count::new(nodes.len(), ledger.def().big_blind());
    let mut here: Vec<usize> = Vec::new();
    for (done, hand) in (1..).zip(ledger.hands()) {
        let hand = hand.map_err(Failure::input)?;
        count.deal(hand.deal);
        here.clear();
        let own = hand.entrants.iter().find(|&(_, &who)| who == entrant).map(|(seat, _)| seat);
        let decided = |played: &game::Played| Some(played.seat) == own && played.street == street;
        if hand.public.history().iter().any(decided) {
            hand.each_decision(|public, seat| {
                if Some(seat) != own || public.street() != street {
                    return;
                }
                // Hands with unknown hole cards cannot be passed through the tree.
                let &[a, b] = hand.hole[seat].as_slice() else { return };
                let Some(hole) = Combo::new(a, b) else { return };
                let bets = opponent_bets(public, seat);
                let Ok(features) = maker.cards(hole, public.board().set(), bets) else { return };
                for index in tree.path(features.as_slice()).into_iter().filter_map(|n| indices[n]) {
                    count.won[index].decisions += 1;
                    here.push(index);
                }
            });
        }
        if let Some(seat) = own {
            count.hand(&mut here, hand.payoffs[seat]);
        }
        if done % 256 == 0 {
            progress.show(done, "");
        }
    }
    progress.finish();
    Ok(count.done())
}

/// Sums for nodes, with the hands of the current deal.
struct Count {
    won: Vec<Won>,
    deal: Option<u64>,
    /// The current deal: position of a node, its winnings, and the number of hands.
    open: Vec<(usize, Payoff, u32)>,
}

impl Count {
    fn new(nodes: usize, big_blind: Chips) -> Count {
        let none = Won { decisions: 0, sums: Sums::default(), big_blind };
        Count { won: vec![none; nodes], deal: None, open: Vec::new() }
    }

    /// Starts the next hand; if its deal is a new one, the last deal is added to the sums.
    fn deal(&mut self, deal: u64) {
        if self.deal.replace(deal) != Some(deal) {
            for (index, won, hands) in self.open.drain(..) {
                self.won[index].sums.add(won, hands);
            }
        }
    }

    /// Adds the result of a hand that reached these nodes.
    fn hand(&mut self, indices: &mut Vec<usize>, payoff: Payoff) {
        indices.sort_unstable();
        indices.dedup();
        for &index in indices.iter() {
            match self.open.iter_mut().find(|(known, ..)| *known == index) {
                Some((_, won, hands)) => (*won, *hands) = (*won + payoff, *hands + 1),
                None => self.open.push((index, payoff, 1)),
            }
        }
    }

    fn done(mut self) -> Vec<Won> {
        for (index, won, hands) in self.open.drain(..) {
            self.won[index].sums.add(won, hands);
        }
        self.won
    }
}
