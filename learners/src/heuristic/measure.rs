//! What a rule is worth, exactly or by playing matches.

use abstraction::facts::Facts;
use models::heuristic::{Act, Decider, Heuristic, Pot, Situation};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use solvers::Player;
use solvers::fitness::{self, FactClasses, Fitness, Move, MoveTable, Sampler};

/// Exact fitness with all the questions that a rule may be asked, made ready.
#[derive(Debug, Clone)]
pub struct Judge {
    fitness: Fitness,
    /// By situation of the betting, then class.
    questions: Vec<Situation>,
}

/// What a rule wins in chips a match, with the standard error of a sampled figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worth {
    /// The mean over both seats.
    pub mean: f64,
    /// 0 where the mean is exact.
    pub error: f64,
}

/// What an act of a limit game comes to. Bets of a size are raises there.
pub fn made(act: Act) -> Move {
    match act {
        Act::Fold => Move::Fold,
        Act::Call => Move::Call,
        Act::Raise | Act::Bet(_) | Act::AllIn => Move::Raise,
    }
}

/// A question in the words of rules.
fn question(class: u16, seen: fitness::Situation, big_blind: u32) -> Situation {
    let facts: Option<Facts> = FactClasses::facts(class);
    let facts = facts.expect("only classes of facts are counted");
    Situation::new(facts, Pot::new(seen.pot.into(), big_blind), seen.aggressive)
}

impl Judge {
    /// Fitness whose classes are [`FactClasses`].
    pub fn new(fitness: Fitness, big_blind: u32) -> Judge {
        let questions = fitness.situations().iter().flat_map(|&seen| {
            let ask = move |&class: &u16| question(class, seen, big_blind);
            fitness.classes().iter().map(ask)
        });
        let questions = questions.collect();
        Judge { fitness, questions }
    }

    /// The fitness it goes by.
    pub fn fitness(&self) -> &Fitness {
        &self.fitness
    }

    /// All questions: by situation of the betting, then class.
    pub fn questions(&self) -> &[Situation] {
        &self.questions
    }

    /// What a rule does in all of them.
    pub fn moves(&self, rule: &Heuristic) -> MoveTable {
        let decider = Decider::new(rule);
        MoveTable(self.questions.iter().map(|&asked| made(decider.decide(asked))).collect())
    }

    /// What a rule wins, exactly.
    pub fn value(&self, rule: &Heuristic) -> f64 {
        self.fitness.value(&self.moves(rule))
    }
}

/// What each of the rules wins, by so many matches, half from each seat: all rules play the same
/// deals. Some 300 ns a match, and 50 for each rule more.
pub fn sampled(sampler: &Sampler<'_>, rules: &[Heuristic], matches: u64, seed: u64) -> Vec<Worth> {
    let big_blind = sampler.tree.def().big_blind();
    let deciders: Vec<Decider> = rules.iter().map(Decider::new).collect();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut sums = vec![[[0.0f64; 2]; 2]; rules.len()];
    for number in 0..matches {
        let player = Player::BOTH[(number % 2) as usize];
        let dealt = sampler.deal(player, &mut rng);
        for (decider, sums) in deciders.iter().zip(&mut sums) {
            let rule = |class: u16, seen: fitness::Situation| {
                made(decider.decide(question(class, seen, big_blind)))
            };
            let won = sampler.play(&dealt, rule, &mut rng);
            let [sum, squares] = &mut sums[player.index()];
            *sum += won;
            *squares += won * won;
        }
    }
    let worth = |sums: &[[f64; 2]; 2]| {
        // A stratum for each seat.
        let count = (matches / 2).max(1) as f64;
        let [one, other] = sums.map(|[sum, squares]| {
            let mean = sum / count;
            (mean, (squares / count - mean * mean).max(0.0) / count)
        });
        Worth { mean: 0.5 * (one.0 + other.0), error: 0.5 * (one.1 + other.1).sqrt() }
    };
    sums.iter().map(worth).collect()
}

/// What each rule wins from each, in chips a match: both play the street by a rule, all pairs on
/// the same deals, each match twice with hands and seats exchanged. By rule, then the other one.
pub fn meetings(
    sampler: &Sampler<'_>,
    rules: &[Heuristic],
    matches: u64,
    seed: u64,
) -> Vec<Vec<Worth>> {
    let big_blind = sampler.tree.def().big_blind();
    let deciders: Vec<Decider> = rules.iter().map(Decider::new).collect();
    let asked = |decider: &Decider| {
        let decider = decider.clone();
        move |class: u16, seen: fitness::Situation| {
            made(decider.decide(question(class, seen, big_blind)))
        }
    };
    let players: Vec<_> = deciders.iter().map(asked).collect();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut sums = vec![vec![[0.0f64; 2]; rules.len()]; rules.len()];
    for number in 0..matches {
        let dealt = sampler.deal(Player::BOTH[(number % 2) as usize], &mut rng);
        for one in 0..rules.len() {
            for other in 0..one {
                let pair = [&players[one], &players[other]];
                let won = sampler.meet(&dealt, pair) - sampler.meet(&dealt, [pair[1], pair[0]]);
                sums[one][other][0] += 0.5 * won;
                sums[one][other][1] += 0.25 * won * won;
            }
        }
    }
    let count = matches.max(1) as f64;
    let worth = |[sum, squares]: [f64; 2]| {
        let mean = sum / count;
        Worth { mean, error: ((squares / count - mean * mean).max(0.0) / count).sqrt() }
    };
    let of = |one: usize, other: usize| match one > other {
        true => worth(sums[one][other]),
        false => {
            let Worth { mean, error } = worth(sums[other][one]);
            Worth { mean: 0.0 - mean, error }
        }
    };
    (0..rules.len()).map(|one| (0..rules.len()).map(|other| of(one, other)).collect()).collect()
}
