//! What a solved river leaves open, as `cardroom solve river` and the study page show it: the
//! frequencies over all equilibria, and what the other player must do for a hand's action to be
//! right.

use std::cmp::Reverse;
use std::fmt;

use cards::{Combo, Range, StartingHand};
use game::{Action, PublicState, Turn};
use models::chart::Chart;
use schemars::JsonSchema;
use serde::Serialize;
use show::Table;
use show::number::{counted, fixed, percent, whole};
use solvers::Player;
use solvers::showdown::{Equilibria, Interval, Plane, River, Standing};
use solvers::subgame::needs::{LineClass, Need, Share, line_classes, needs};
use solvers::subgame::{OffTree, Solver};

/// Up to so many hands are shown with the other's line by class.
const FEW: usize = 16;

/// The equilibria of a river as a whole.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct EquilibriaView {
    /// What each player wins in all of them, in chips of the whole hand.
    pub(crate) values: [f64; 2],
    /// How far the middle of what was found is from an equilibrium, as a share of the pot.
    pub(crate) gap: f64,
    /// Pairs of hand and decision that get there.
    pub(crate) reached: usize,
    /// Of these, those with the same action in all equilibria.
    pub(crate) always: usize,
    /// Of these, those with more than one.
    pub(crate) mixed: usize,
    /// Pairs of hand and action of which it could not be told whether an equilibrium has them.
    pub(crate) undecided: usize,
}

impl EquilibriaView {
    pub(crate) fn new(river: &River, equilibria: &Equilibria<'_>) -> EquilibriaView {
        let (mut always, mut mixed) = (0, 0);
        for player in Player::BOTH {
            for decision in 0..river.places[player.index()].len() {
                for hand in 0..river.game.hands(player) {
                    match equilibria.standing(player, decision, hand) {
                        Standing::Always(_) => always += 1,
                        Standing::Mixes(_) => mixed += 1,
                        Standing::NotPlayed | Standing::NotMet => {}
                    }
                }
            }
        }
        EquilibriaView {
            values: Player::BOTH.map(|player| equilibria.value_for(player)),
            gap: equilibria.gap().max(0.0) / river.game.pot(),
            reached: always + mixed,
            always,
            mixed,
            undecided: equilibria.undecided(),
        }
    }
}

/// A decision over all equilibria.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct DecisionView {
    /// The actions that lead there; empty for the beginning.
    pub(crate) at: String,
    /// The player who acts, 1 or 2.
    pub(crate) player: usize,
    /// The words of the actions.
    pub(crate) actions: Vec<String>,
    /// For each action how often the range takes it; null where no equilibrium gets there.
    pub(crate) range: Vec<Option<IntervalView>>,
    /// The hands that were asked for.
    pub(crate) hands: Vec<HandView>,
}

/// How often an action is taken over all equilibria.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct IntervalView {
    /// From 0 to 1.
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Whether all equilibria have the same frequency.
    pub(crate) forced: bool,
    /// What the strategies at the ends give away, as a share of the pot: rounding.
    pub(crate) gives_away: f64,
}

impl IntervalView {
    fn new(interval: &Interval, pot: f64) -> IntervalView {
        IntervalView {
            least: interval.least,
            most: interval.most,
            forced: interval.is_forced(),
            gives_away: interval.gives_away.max(0.0) / pot,
        }
    }
}

impl fmt::Display for IntervalView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.forced {
            percent(f64::midpoint(self.least, self.most), 1)
        } else {
            format!("{} to {}", fixed(100.0 * self.least, 1), percent(self.most, 1))
        };
        f.pad(&text)
    }
}

/// A hand at a decision.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct HandView {
    pub(crate) hand: String,
    /// Whether the hand always does the same, mixes, or is never there; null where that is not
    /// known.
    pub(crate) standing: Option<StandingView>,
    /// For each action how often it is taken over all equilibria; null where the hand never gets
    /// there, and on the page where it mixes until they are asked for.
    pub(crate) intervals: Vec<Option<IntervalView>>,
    /// What each action loses against the equilibrium in the middle, in chips.
    pub(crate) loses: Vec<f64>,
    /// What the other must do for its actions to be right, against the solver's strategies.
    pub(crate) needs: Vec<NeedView>,
    /// The hands of the other player's line by class.
    pub(crate) line: Vec<ClassView>,
}

/// See [`Standing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StandingView {
    /// It does not get there in any equilibrium.
    NotPlayed,
    /// The other player does not lead there in any equilibrium.
    NotMet,
    /// It always does the same.
    Always,
    /// Different actions in different equilibria, or in one.
    Mixes,
}

impl From<&Standing> for StandingView {
    fn from(standing: &Standing) -> StandingView {
        match standing {
            Standing::NotPlayed => StandingView::NotPlayed,
            Standing::NotMet => StandingView::NotMet,
            Standing::Always(_) => StandingView::Always,
            Standing::Mixes(_) => StandingView::Mixes,
        }
    }
}

/// What the other must do for an action to be right.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct NeedView {
    /// The action, and the one it is compared with, in words of a line.
    pub(crate) action: String,
    pub(crate) against: String,
    /// `wins`: the share of the other's hands here that the hand beats; `folds`: that fold.
    pub(crate) of: &'static str,
    /// The share at which both get the same.
    pub(crate) needed: f64,
    /// The share that there is.
    pub(crate) has: f64,
    /// Whether the action is the better one above that share.
    pub(crate) above: bool,
    /// The combos that are missing; below 0 there are more than it takes.
    pub(crate) missing: f64,
    /// In a sentence.
    pub(crate) words: String,
}

impl NeedView {
    /// With the words of the actions in a line, and their names.
    fn new(need: &Need, words: &[String], names: &[String]) -> NeedView {
        let (action, against) = (words[need.action].clone(), words[need.against].clone());
        NeedView {
            of: match need.of {
                Share::Wins => "wins",
                Share::Folds => "folds",
            },
            needed: need.needed,
            has: need.has,
            above: need.above,
            missing: need.missing,
            words: need_words(need, &names[need.action], &names[need.against]),
            action,
            against,
        }
    }
}

/// A need in a sentence.
fn need_words(need: &Need, action: &str, against: &str) -> String {
    let Need { needed, has, missing, .. } = *need;
    let share = |share: f64| percent(share, 1);
    let combos = fixed(missing.abs(), 1);
    match need.of {
        Share::Wins if missing > 0.05 => format!(
            "{action} if it beats more than {} of his line; it beats {}: {combos} more combos that \
             it beats are missing",
            share(needed),
            share(has)
        ),
        Share::Wins => format!(
            "{action} if it beats more than {} of his line; it beats {}, {combos} combos more than \
             needed",
            share(needed),
            share(has)
        ),
        Share::Folds if !(0.0..=1.0).contains(&needed) => {
            let better = need.is_met();
            format!(
                "{action} is {} than {against} however many fold, if he plays the rest as now",
                if better { "better" } else { "worse" }
            )
        }
        Share::Folds => format!(
            "{action} rather than {against} if {} than {} fold; {} do, {combos} combos {}",
            if need.above { "more" } else { "fewer" },
            share(needed),
            share(has),
            match (need.above, missing > 0.0) {
                (true, true) => "too few",
                (true, false) => "more than needed",
                (false, true) => "fewer than allowed",
                (false, false) => "too many",
            }
        ),
    }
}

/// A class of the other's hands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ClassView {
    pub(crate) name: &'static str,
    /// Combos of his line that the hand beats, ties with, and loses to.
    pub(crate) beaten: f64,
    pub(crate) tied: f64,
    pub(crate) better: f64,
    /// Combos that it beats and that he plays otherwise.
    pub(crate) elsewhere: f64,
}

impl From<&LineClass> for ClassView {
    fn from(class: &LineClass) -> ClassView {
        let &LineClass { name, beaten, tied, better, elsewhere } = class;
        ClassView { name, beaten, tied, better, elsewhere }
    }
}

/// What is asked about a decision.
pub(crate) struct Question<'a> {
    pub(crate) player: Player,
    pub(crate) decision: usize,
    /// The hands to show.
    pub(crate) hands: &'a Range,
    /// Whether the range as a whole gets its intervals.
    pub(crate) range: bool,
    /// Whether hands that mix get their intervals, which take seconds each.
    pub(crate) ends: bool,
}

impl DecisionView {
    /// A decision over all equilibria. `go_on` is told how many hands are done, and of how many;
    /// when it says no, the rest are left out.
    ///
    /// # Errors
    /// When a linear program has no optimum that can be found.
    pub(crate) fn new(
        river: &River,
        equilibria: &Equilibria<'_>,
        question: &Question<'_>,
        go_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<DecisionView, solvers::Error> {
        let &Question { player, decision, hands, range: of_range, ends } = question;
        let place = &river.places[player.index()][decision];
        let words = place.words();
        let pot = river.game.pot();
        let view = |interval: &Option<Interval>| {
            interval.as_ref().map(|interval| IntervalView::new(interval, pot))
        };
        let held = &river.hands[player.index()];
        let mut plane = equilibria.face(player);
        let all: Vec<(usize, f64)> =
            river.weights[player.index()].iter().copied().enumerate().collect();
        let mut range = Vec::new();
        for action in (0..words.len()).filter(|_| of_range) {
            range.push(view(&plane.interval(decision, action, &all)?));
        }
        let asked = held.iter().copied().enumerate();
        let mut asked: Vec<(usize, Combo)> =
            asked.filter(|&(_, combo)| hands.weight(combo) > 0.0).collect();
        asked.sort_by_key(|&(_, combo)| in_order(combo));
        let first = river.game.choices(player)[decision].first as usize;
        let mut views = Vec::new();
        for (done, &(at, combo)) in asked.iter().enumerate() {
            if !go_on(done, asked.len()) {
                break;
            }
            let standing = equilibria.standing(player, decision, at);
            let intervals = if ends {
                intervals(&mut plane, decision, words.len(), at, &standing)?
            } else {
                known(words.len(), &standing)
            };
            let loses = (0..words.len()).map(|action| equilibria.loss(player, first + action, at));
            views.push(HandView {
                hand: combo.to_string(),
                standing: Some((&standing).into()),
                intervals: intervals.iter().map(view).collect(),
                loses: loses.collect(),
                needs: Vec::new(),
                line: Vec::new(),
            });
        }
        let (at, player) = (place.path.clone(), player.index() + 1);
        Ok(DecisionView { at, player, actions: words, range, hands: views })
    }

    /// A decision of which only the hands are known.
    pub(crate) fn unsolved(
        state: &PublicState,
        actions: &[Action],
        at: String,
        hands: &Range,
    ) -> DecisionView {
        let player = match state.turn() {
            Turn::Act(seat) => seat.index() + 1,
            Turn::Deal(_) | Turn::Over => 0,
        };
        let mut combos: Vec<Combo> = hands.combos().map(|(combo, _)| combo).collect();
        combos.sort_by_key(|&combo| in_order(combo));
        let hand = |combo: Combo| HandView {
            hand: combo.to_string(),
            standing: None,
            intervals: Vec::new(),
            loses: Vec::new(),
            needs: Vec::new(),
            line: Vec::new(),
        };
        DecisionView {
            at,
            player,
            actions: actions.iter().map(|&action| state.action_word(action)).collect(),
            range: Vec::new(),
            hands: combos.into_iter().map(hand).collect(),
        }
    }

    /// Adds what the other player must do for the actions of each hand to be right.
    ///
    /// # Errors
    /// When the state is not one of the subgame.
    pub(crate) fn add_needs(
        &mut self,
        solver: &mut Solver,
        state: &PublicState,
    ) -> Result<(), OffTree> {
        let all = needs(solver, state)?;
        let few = self.hands.len() <= FEW;
        let actions: Vec<Action> =
            self.actions.iter().filter_map(|word| state.action_of_word(word)).collect();
        let named = Chart::new(state, &actions, Vec::new()).actions;
        let names: Vec<String> = named.into_iter().map(|action| action.name).collect();
        for hand in &mut self.hands {
            let Some((combo, needs)) = all.iter().find(|(combo, _)| combo.to_string() == hand.hand)
            else {
                continue;
            };
            let views = needs.iter().map(|need| NeedView::new(need, &self.actions, &names));
            hand.needs = views.collect();
            if few {
                hand.line =
                    line_classes(solver, state, *combo)?.iter().map(ClassView::from).collect();
            }
        }
        Ok(())
    }
}

/// The order of hands in a chart.
fn in_order(combo: Combo) -> (StartingHand, Reverse<Combo>) {
    (combo.starting_hand(), Reverse(combo))
}

/// The intervals of a hand that does the same in all equilibria.
fn known(actions: usize, standing: &Standing) -> Vec<Option<Interval>> {
    let Standing::Always(always) = *standing else { return vec![None; actions] };
    let share = |action: usize| f64::from(u8::from(action == always));
    let one =
        |action: usize| Interval { least: share(action), most: share(action), gives_away: 0.0 };
    (0..actions).map(|action| Some(one(action))).collect()
}

/// How often a hand takes each action; the last of two is what the first leaves.
fn intervals(
    plane: &mut Plane<'_>,
    decision: usize,
    actions: usize,
    hand: usize,
    standing: &Standing,
) -> Result<Vec<Option<Interval>>, solvers::Error> {
    let one = [(hand, 1.0)];
    if matches!(standing, Standing::NotPlayed | Standing::NotMet) {
        return Ok(vec![None; actions]);
    }
    let mut found = Vec::with_capacity(actions);
    for action in 0..actions {
        let other = match standing {
            Standing::Mixes(mixed) if mixed.len() == 2 && action == mixed[1] => found[mixed[0]],
            _ => None,
        };
        found.push(match other {
            Some(Interval { least, most, gives_away }) => {
                Some(Interval { least: 1.0 - most, most: 1.0 - least, gives_away })
            }
            None => plane.interval(decision, action, &one)?,
        });
    }
    Ok(found)
}

impl fmt::Display for EquilibriaView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "in all equilibria player 1 wins {} chips; found to {:.1e} of the pot\n\
             of {} that a hand gets to, {} do the same in all equilibria and {} mix",
            show::number::signed(self.values[0], 4),
            self.gap,
            counted(self.reached as u64, "decision"),
            whole(self.always as u64),
            whole(self.mixed as u64)
        )?;
        if self.undecided > 0 {
            writeln!(
                f,
                "of {} it cannot be told whether they are ever played; they count as played",
                counted(self.undecided as u64, "action")
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for DecisionView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.at.is_empty() {
            "At the beginning".to_owned()
        } else {
            format!("After {}", self.at)
        };
        writeln!(f, "{place}, player {}: how often over all equilibria\n", self.player)?;
        let mut table =
            Table::new(std::iter::once("").chain(self.actions.iter().map(String::as_str)))
                .right(1..)
                .at_the_margin();
        let cells = |intervals: &[Option<IntervalView>]| {
            let cells = intervals
                .iter()
                .map(|interval| interval.map_or_else(|| "-".into(), |it| it.to_string()));
            cells.collect::<Vec<String>>()
        };
        if !self.range.is_empty() {
            table.row(std::iter::once("range".to_owned()).chain(cells(&self.range)));
        }
        for hand in &self.hands {
            table.row(std::iter::once(hand.hand.clone()).chain(cells(&hand.intervals)));
        }
        writeln!(f, "{table}")?;
        for hand in &self.hands {
            let why = match hand.standing {
                Some(StandingView::NotPlayed) => "in no equilibrium does it get here",
                Some(StandingView::NotMet) => "in no equilibrium does the other player lead here",
                Some(StandingView::Always | StandingView::Mixes) | None => "",
            };
            if hand.needs.is_empty() && why.is_empty() {
                continue;
            }
            writeln!(f, "\n{}{}{why}", hand.hand, if why.is_empty() { "" } else { ": " })?;
            for need in &hand.needs {
                writeln!(f, "  {}", need.words)?;
            }
            let classes = hand.line.iter().filter(|class| {
                class.beaten + class.tied + class.better > 0.05 || class.elsewhere > 0.05
            });
            if hand.needs.iter().any(|need| need.of == "wins") {
                let mut table =
                    Table::new(["  his line", "beaten", "tied", "better", "beaten elsewhere"])
                        .right(1..)
                        .at_the_margin();
                for class in classes {
                    table.row([
                        format!("  {}", class.name),
                        fixed(class.beaten, 1),
                        fixed(class.tied, 1),
                        fixed(class.better, 1),
                        fixed(class.elsewhere, 1),
                    ]);
                }
                writeln!(f, "{table}")?;
            }
        }
        Ok(())
    }
}
