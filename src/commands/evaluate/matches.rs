//! `cardroom evaluate match`, `exploiters` and `panel`: duplicate matches of the agent against
//! another agent, against simple bots, each of which plays one idea, and in a panel against some
//! other agents, too.

use std::fmt;

use evaluation::exploiters::{
    Answers, ExploiterSettings, Outcome, Progress as Position, Won, ideas, panel, run as measure,
};
use evaluation::folder::{MANIFEST, model_sha256};
use logs::Rate;
use matches::plan::MatchPlan;
use matches::play::{Settings, default_folder};
use serde::Serialize;
use show::Table;
use show::number::{counted, signed, whole};

use super::{Common, interrupted};
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::{play_shown, provenance, stopped, strict_match, usual_level};
use crate::output::{Output, Report};
use crate::progress::Progress;
use crate::report;

/// Play a duplicate match against another agent.
///
/// `cardroom match` plays the same match, with more options.
#[derive(clap::Args)]
pub(super) struct MatchArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// The opponent
    #[arg(long, value_name = "AGENT")]
    pub(super) against: String,
    /// Hands to play, two per deal
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    hands: u64,
    #[command(flatten)]
    faults: Faults,
}

/// What happens when an agent does not play as it should.
#[derive(clap::Args)]
struct Faults {
    /// Exit with 5 if a decision was made for an agent that gave no answer, or its action was not
    /// legal
    #[arg(long)]
    strict: bool,
}

/// The options of matches against several opponents.
#[derive(clap::Args)]
pub(super) struct ExploitersArgs {
    #[command(flatten)]
    pub(super) common: Common,
    /// Hands against each opponent, two per deal [default: 10000; 2000 in a panel]
    #[arg(long, value_name = "N")]
    hands: Option<u64>,
    #[command(flatten)]
    faults: Faults,
}

/// Runs the command: plays the match and prints its report.
pub(super) fn run_match(args: &MatchArgs) -> Result<Output, Failure> {
    let data = args.common.named.load()?.config.server.data;
    let registry = args.common.named.registry()?;
    let entrants = [args.common.agent.as_str(), args.against.as_str()]
        .into_iter()
        .map(|name| registry.resolve(name))
        .collect::<Result<_, _>>()?;
    let plan = MatchPlan {
        def: args.common.game.load()?,
        game_name: args.common.game.name().to_owned(),
        entrants,
        given_names: Vec::new(),
        hands: args.hands,
        seed: args.common.seed,
        duplicate: true,
        shard: args.common.shard,
        deadline: None,
        rule: None,
    };
    let folder = args.common.out.clone().unwrap_or_else(|| default_folder(&data, &plan));
    if folder.join(MANIFEST).exists() {
        return Err(Failure::input(anyhow::anyhow!(
            "{} holds another measurement; choose another folder with --out",
            folder.display()
        )));
    }
    let settings = Settings {
        level: usual_level(plan.hands),
        folder: folder.clone(),
        jobs: args.common.threads.count(),
        provenance: provenance(),
    };
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let played = play_shown(&plan, &settings, "", args.common.quiet, &stop)?;
    let end = match played.outcome.complete {
        true if args.faults.strict => strict_match(&played),
        true => Ok(()),
        false => Err(stopped(played.outcome.hands, args.hands, settings.level)),
    };
    Ok(report::show(&played, Some(&folder), args.common.json)?.then(end))
}

/// The default numbers of hands against each exploiter, and against each opponent of a panel.
const HANDS: u64 = 10_000;
const PANEL_HANDS: u64 = 2_000;

/// Runs the command: plays the matches and prints the results.
pub(super) fn run_exploiters(args: &ExploitersArgs, in_panel: bool) -> Result<Output, Failure> {
    let registry = args.common.named.registry()?;
    let agent = registry.resolve(&args.common.agent)?;
    let def = args.common.game.load()?;
    let plan = ExploiterSettings {
        game_name: args.common.game.name().to_owned(),
        model_sha256: model_sha256(&agent)?,
        agent,
        hands: args.hands.unwrap_or(if in_panel { PANEL_HANDS } else { HANDS }),
        seed: args.common.seed,
        shard: args.common.shard,
        opponents: if in_panel { panel(&def, &registry) } else { ideas(&def).to_vec() },
        def,
    };
    let folder = args.common.folder(&plan.name())?;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    if args.common.quiet {
        matches::waiting::only_failures();
    }
    let all = plan.ideas().len();
    let total = plan.hands * all as u64;
    let mut progress = Progress::new(total, "hands", args.common.quiet);
    let mut show = |position: &Position| progress.show(position.hands, position.idea.words);
    let found = measure(
        &plan,
        &registry,
        &folder,
        provenance(),
        args.common.threads.count(),
        &stop,
        &mut show,
    );
    progress.finish();
    let found = found.map_err(failure)?;
    let results = Results::new(&plan, &found, all, args.common.kept_in(&folder));
    let shown = if in_panel {
        let panel = found.won.iter().map(|won| PanelRow::new(won, plan.agent.name()));
        Output::report(&PanelReport { results, panel: panel.collect() }, args.common.json)?
    } else {
        let exploiters = found.won.iter().map(|won| ExploiterRow::new(won, plan.agent.name()));
        Output::report(
            &ExploitersReport { results, exploiters: exploiters.collect() },
            args.common.json,
        )?
    };
    Ok(shown.then(end(args, &found, all)))
}

/// The end of the command: how to resume, an agent that never answers, or what `--strict` says.
fn end(args: &ExploitersArgs, found: &Outcome, all: usize) -> Result<(), Failure> {
    let Outcome { won, silent } = found;
    let name = &args.common.agent;
    if silent.is_some() {
        return Err(Failure::claim(format!(
            "`{name}` never answered; the other matches were not played"
        )));
    }
    if won.len() < all {
        return Err(interrupted(won.len(), all, "matches"));
    }
    let faults = |won: &&Won| won.decisions.fallbacks + won.decisions.corrected > 0;
    match won.iter().find(faults).filter(|_| args.faults.strict) {
        Some(Won { idea, decisions, .. }) => Err(Failure::claim(format!(
            "--strict: of {} in the match of {name} against `{}`, {} were made for it and {} \
             corrected",
            counted(decisions.decisions, "decision"),
            idea.words,
            whole(decisions.fallbacks),
            whole(decisions.corrected)
        ))),
        None => Ok(()),
    }
}

fn failure(error: evaluation::Error) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::input(error) }
}

/// The winner in a word, or `undecided` if the interval contains zero.
fn verdict(rate: &Rate) -> &'static str {
    match (rate.holds_zero(), rate.mbb > 0.0) {
        (true, _) => "undecided",
        (false, true) => "wins",
        (false, false) => "loses",
    }
}

/// The results of matches against several opponents.
#[derive(Serialize)]
struct Results<'a> {
    agent: &'a str,
    model_sha256: &'a Option<String>,
    game: &'a str,
    seed: u64,
    hands: u64,
    complete: bool,
    never_answered: Option<String>,
    #[serde(skip)]
    won: &'a [Won],
    /// The number of opponents.
    #[serde(skip)]
    all: usize,
    /// Where the results are kept, for the text.
    #[serde(skip)]
    kept: String,
}

/// The matches of exploiters, as they see them.
#[derive(Serialize)]
struct ExploitersReport<'a> {
    #[serde(flatten)]
    results: Results<'a>,
    exploiters: Vec<ExploiterRow>,
}

#[derive(Serialize)]
struct ExploiterRow {
    exploiter: String,
    words: &'static str,
    rate: Rate,
    verdict: &'static str,
    decisions: Answers,
}

/// The matches of a panel, as the agent sees them.
#[derive(Serialize)]
struct PanelReport<'a> {
    #[serde(flatten)]
    results: Results<'a>,
    panel: Vec<PanelRow>,
}

#[derive(Serialize)]
struct PanelRow {
    against: String,
    words: &'static str,
    rate: Rate,
    decisions: Answers,
    hands_to_separate: Option<u64>,
}

impl Report for ExploitersReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-exploiters/1";
}

impl Report for PanelReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-panel/1";
}

impl ExploiterRow {
    fn new(won: &Won, agent: &str) -> ExploiterRow {
        let &Won { idea, rate, decisions } = won;
        let (exploiter, words) = (idea.agent(agent), idea.words);
        ExploiterRow { exploiter, words, rate, verdict: verdict(&rate), decisions }
    }
}

impl PanelRow {
    fn new(won: &Won, agent: &str) -> PanelRow {
        let &Won { idea, rate, decisions } = won;
        let own = Rate::from_error(0.0 - rate.mbb, rate.standard_error, rate.hands, rate.groups);
        let needed = own.hands_needed(own.mbb.abs()).filter(|_| own.holds_zero());
        PanelRow {
            against: idea.agent(agent),
            words: idea.words,
            rate: own,
            decisions,
            hands_to_separate: needed,
        }
    }
}

impl<'a> Results<'a> {
    fn new(
        plan: &'a ExploiterSettings,
        found: &'a Outcome,
        all: usize,
        kept: String,
    ) -> Results<'a> {
        let Outcome { won, silent } = found;
        Results {
            agent: plan.agent.name(),
            model_sha256: &plan.model_sha256,
            game: &plan.game_name,
            seed: plan.seed,
            hands: plan.hands,
            complete: won.len() == all,
            never_answered: silent.as_ref().and_then(|counts| counts.fault(plan.agent.name())),
            won,
            all,
            kept,
        }
    }

    /// The matches of this kind in words, with their table and summary.
    fn text(&self, kind: &str, table: &str, summary: &str) -> String {
        let fault = self.never_answered.as_ref().map(|fault| format!("{fault}\n\n"));
        format!(
            "{}{}, {kind}, {}, seed {}, {} hands each\n\n{table}{}{summary}Where only some hands \
             or streets are named, the agent itself decides the rest.\n{}",
            fault.unwrap_or_default(),
            self.agent,
            self.game,
            self.seed,
            whole(self.hands),
            faults(self.won),
            self.kept,
        )
    }
}

impl fmt::Display for ExploitersReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Results { won, all, .. } = self.results;
        let summary = exploiter_summary(won, all);
        f.write_str(&self.results.text("exploiters", &exploiter_table(won), &summary))
    }
}

impl fmt::Display for PanelReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Results { agent, won, all, .. } = self.results;
        let summary = panel_summary(agent, won, all);
        f.write_str(&self.results.text("panel", &panel_table(won), &summary))
    }
}

fn exploiter_table(won: &[Won]) -> String {
    let header = ["what it wins", "mbb/hand", "±", "fallbacks", ""];
    let mut table = Table::new(header).right(1..4).at_the_margin();
    for Won { idea, rate, decisions } in won {
        let [mbb, half] = [signed(rate.mbb, 0), format!("{:.0}", rate.half_width())];
        table.row([idea.words, &mbb, &half, &whole(decisions.fallbacks), verdict(rate)]);
    }
    format!("{table}\n")
}

/// The rates of the measured agent.
fn panel_table(won: &[Won]) -> String {
    let header = ["against", "mbb/hand", "95 % interval", "hands", "fallbacks", "to separate"];
    let mut table = Table::new(header).right(1..6).at_the_margin();
    for Won { idea, rate, decisions } in won {
        let own = |value: f64| signed(-value, 0);
        let needed = if rate.holds_zero() {
            rate.hands_needed(rate.mbb.abs()).map_or_else(|| "-".to_owned(), whole)
        } else {
            "separated".to_owned()
        };
        table.row([
            idea.words.to_owned(),
            own(rate.mbb),
            format!("{} to {}", own(rate.interval.high), own(rate.interval.low)),
            whole(rate.hands),
            whole(decisions.fallbacks),
            needed,
        ]);
    }
    format!("{table}\n")
}

/// The decisions that were made for an agent, if there are any.
fn faults(won: &[Won]) -> String {
    let sum = |of: fn(&Won) -> u64| won.iter().map(of).sum::<u64>();
    let (made, corrected) =
        (sum(|won| won.decisions.fallbacks), sum(|won| won.decisions.corrected));
    if made + corrected == 0 {
        return String::new();
    }
    format!(
        "\nnote: of the {} of these matches, {} were made for an agent that gave no answer, and {} \
         corrected\n",
        counted(sum(|won| won.decisions.decisions), "decision"),
        whole(made),
        whole(corrected)
    )
}

fn exploiter_summary(won: &[Won], all: usize) -> String {
    let winners = won.iter().filter(|won| verdict(&won.rate) == "wins").count();
    match winners {
        _ if won.len() < all => {
            format!("\n{} of {all} were played, and {winners} of them win so far.\n", won.len())
        }
        0 => "\nNone of them wins beyond its 95 % interval.\n".to_owned(),
        1 => "\nOne of them wins beyond its 95 % interval.\n".to_owned(),
        some => format!("\n{some} of them win beyond their 95 % intervals.\n"),
    }
}

fn panel_summary(name: &str, won: &[Won], all: usize) -> String {
    // The verdicts are the opponents'.
    let count = |word: &str| won.iter().filter(|won| verdict(&won.rate) == word).count();
    let played = match won.len() {
        done if done < all => format!("{done} of {all} matches were played. "),
        _ => String::new(),
    };
    format!(
        "\n{played}{name} wins against {}, loses against {}, {} undecided. To separate: the hands \
         (--hands)\nafter which the 95 % interval leaves zero out, if the rate stays as it is.\n",
        count("loses"),
        count("wins"),
        count("undecided"),
    )
}
