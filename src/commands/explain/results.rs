//! What nodes of a tree have won or lost in a recorded match: the hands in which the one who plays
//! the tree came to them.
//!
//! The decisions are replayed and led through the tree again, so that a record of hands is enough.
//! A hand counts once for a node, however often it came there; hands of one deal are one group of
//! [`Sums`].

use abstraction::features::{FeatureMaker, opponent_bets};
use cards::Combo;
use game::{Chips, Payoff, Street};
use logs::stats::{NoRate, Sums};
use logs::{LedgerReader, Rate};
use models::student::Student;
use serde_json::{Value, json};
use show::number::whole;

use super::tree_source::{explainer, student};
use crate::exit::Failure;
use crate::named::Named;
use crate::progress::Progress;

/// What a node has won or lost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Won {
    /// Decisions that came there.
    decisions: u64,
    sums: Sums,
    big_blind: Chips,
}

impl Won {
    fn rate(&self) -> Result<Rate, NoRate> {
        Rate::of(&self.sums, self.big_blind)
    }

    /// `won +120 ± 300 mbb/hand in 512 hands`.
    pub(super) fn words(&self) -> String {
        let hands = match self.sums.hands {
            1 => "1 hand".to_owned(),
            hands => format!("{} hands", whole(hands)),
        };
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

    /// How many decisions came there, in words.
    pub(super) fn decisions(&self) -> String {
        match self.decisions {
            1 => "1 decision".to_owned(),
            decisions => format!("{} decisions", whole(decisions)),
        }
    }

    /// `rate` is absent where there are no hands of two deals.
    pub(super) fn document(&self) -> Value {
        json!({
            "decisions": self.decisions,
            "hands": self.sums.hands,
            "won_chips": self.sums.chips(),
            "rate": self.rate().ok(),
        })
    }
}

/// The first entrant of a match that plays the trees of a student, which was named so.
///
/// # Errors
/// When none does.
pub(super) fn entrant(
    ledger: &LedgerReader,
    named: &Named,
    name: &str,
    whose: &Student,
) -> Result<u8, Failure> {
    let entrants = &ledger.info().entrants;
    let is_same = |agent: &str| {
        student(named, agent).is_ok_and(|student| student.manifest() == whose.manifest())
    };
    let found = entrants.iter().position(|entrant| entrant.agent == name);
    let found = found.or_else(|| entrants.iter().position(|entrant| is_same(&entrant.agent)));
    found.map(|place| place as u8).ok_or_else(|| {
        let agents: Vec<&str> = entrants.iter().map(|entrant| entrant.agent.as_str()).collect();
        Failure::input(anyhow::anyhow!(
            "{}: nobody plays the trees of `{name}` there; the agents are {}",
            ledger.path().display(),
            agents.join(", ")
        ))
    })
}

/// What these nodes of the tree of a street have won or lost when this entrant played it, in their
/// order.
///
/// # Errors
/// When the match cannot be read or is of another game than the student.
pub(super) fn results(
    ledger: &LedgerReader,
    entrant: u8,
    student: &Student,
    street: Street,
    nodes: &[usize],
) -> Result<Vec<Won>, Failure> {
    student.check_game(ledger.def()).map_err(Failure::input)?;
    let tree = explainer(student, street)?.tree();
    let mut places = vec![None; tree.nodes()];
    nodes.iter().enumerate().for_each(|(place, &node)| places[node] = Some(place));
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
                // What is not known of the cards cannot be led through the tree.
                let &[a, b] = hand.hole[seat].as_slice() else { return };
                let Some(hole) = Combo::new(a, b) else { return };
                let bets = opponent_bets(public, seat);
                let Ok(features) = maker.cards(hole, public.board().set(), bets) else { return };
                for place in tree.path(features.as_slice()).into_iter().filter_map(|n| places[n]) {
                    count.won[place].decisions += 1;
                    here.push(place);
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

/// Sums of nodes, with the deal whose hands come.
struct Count {
    won: Vec<Won>,
    deal: Option<u64>,
    /// What the places have won in the deal, and in how many hands.
    open: Vec<(usize, Payoff, u32)>,
}

impl Count {
    fn new(nodes: usize, big_blind: Chips) -> Count {
        let none = Won { decisions: 0, sums: Sums::default(), big_blind };
        Count { won: vec![none; nodes], deal: None, open: Vec::new() }
    }

    /// The next hand is of this deal.
    fn deal(&mut self, deal: u64) {
        if self.deal.replace(deal) != Some(deal) {
            for (place, won, hands) in self.open.drain(..) {
                self.won[place].sums.add(won, hands);
            }
        }
    }

    /// A hand that came to these places.
    fn hand(&mut self, places: &mut Vec<usize>, payoff: Payoff) {
        places.sort_unstable();
        places.dedup();
        for &place in places.iter() {
            match self.open.iter_mut().find(|(known, ..)| *known == place) {
                Some((_, won, hands)) => (*won, *hands) = (*won + payoff, *hands + 1),
                None => self.open.push((place, payoff, 1)),
            }
        }
    }

    fn done(mut self) -> Vec<Won> {
        for (place, won, hands) in self.open.drain(..) {
            self.won[place].sums.add(won, hands);
        }
        self.won
    }
}
