//! `cardroom dealer`: deals a match to players that connect over sockets.

use std::io::Write;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use game::Quirks;
use matches::games::{load_game_file, without_discards};
use protocol::acpc::dealer::Replies;
use protocol::acpc::gamedef::Reading;
use protocol::acpc::scan;
use wire::dealer::{self, Options};

use crate::exit::Failure;
use crate::output;

const USAGE: &str = "cardroom dealer [OPTIONS] NAME GAME HANDS SEED P1 P2 …";

/// Deal a match to players that connect over sockets, as the original ACPC dealer does.
///
/// Takes the same arguments as the original and writes the same files and streams. The first line
/// of the output contains the players' ports, the last line the score. Exit codes: 0 when every
/// hand was played; 2 on a bad command line; 3 when the game, a file or a port is bad; 4 when a
/// player disconnected, was too slow or broke the rules of --replies; 130 when interrupted. The
/// last line on stderr says why a match ended: the player, the reason, the hand and the score so
/// far. With -T, the same command with -T -a resumes a stopped match.
#[derive(clap::Args)]
#[command(override_usage = USAGE, infer_long_args = true, args_override_self = true)]
pub struct Args {
    /// Name of the match: its files are NAME.log, NAME.tlog, NAME.playerN.std, NAME.playerN.err
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// A game definition file, parsed as by the original dealer, or the name of a built-in game
    #[arg(value_name = "GAME")]
    game: Option<String>,
    /// Hands to play, 1 to 4294967295
    #[arg(value_name = "HANDS")]
    hands: Option<String>,
    /// Seed of the cards, 0 to 4294967295; deals the same cards as the original dealer
    #[arg(value_name = "SEED")]
    seed: Option<String>,
    /// The players' names, one per seat; extra names are ignored
    #[arg(value_name = "P1 P2 …")]
    names: Vec<String>,

    /// Players keep their positions instead of moving by one after every hand
    #[arg(short = 'f')]
    fixed: bool,
    /// Write no log file
    #[arg(short = 'l', overrides_with = "log")]
    no_log: bool,
    /// Write a log file (default)
    #[arg(short = 'L', overrides_with = "no_log")]
    log: bool,
    /// Write no transaction file (default)
    #[arg(short = 't', overrides_with = "transactions")]
    no_transactions: bool,
    /// Write a transaction file, from which the match can be resumed
    #[arg(short = 'T', overrides_with = "no_transactions")]
    transactions: bool,
    /// Append to the files; with -T, resume the match in the transaction file
    #[arg(short = 'a')]
    append: bool,
    /// Print no transcript on stderr, only warnings, errors and the score
    #[arg(short = 'q', long)]
    quiet: bool,
    /// Ports by seat, separated by commas; the system chooses those that are missing or 0
    #[arg(short = 'p', value_name = "PORTS", allow_hyphen_values = true)]
    ports: Option<String>,
    /// Time limit for one reply, in milliseconds
    #[arg(
        long = "t_response",
        value_name = "MS",
        default_value = "600000",
        allow_hyphen_values = true
    )]
    t_response: String,
    /// Time limit for all replies of a player in one hand, in milliseconds
    #[arg(
        long = "t_hand",
        value_name = "MS",
        default_value = "600000",
        allow_hyphen_values = true
    )]
    t_hand: String,
    /// Time limit for all replies of a player in the match, in milliseconds times the number of
    /// hands
    #[arg(
        long = "t_per_hand",
        value_name = "MS",
        default_value = "7000",
        allow_hyphen_values = true
    )]
    t_per_hand: String,
    /// Time limit for all players to connect, in milliseconds; negative: no limit, as in the
    /// original
    #[arg(
        long = "start_timeout",
        value_name = "MS",
        default_value = "600000",
        allow_hyphen_values = true
    )]
    start_timeout: String,
    /// Time limit for all players to send their version, in milliseconds; negative: no limit
    #[arg(
        long = "version_timeout",
        value_name = "MS",
        default_value = "60000",
        allow_hyphen_values = true
    )]
    version_timeout: String,
    /// Time limit for a player to receive what it is sent, in milliseconds
    #[arg(long = "write_timeout", value_name = "MS", default_value = "60000")]
    write_timeout: u64,

    /// Address to listen on; 0.0.0.0 or :: for every address of this machine
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// Treatment of bad replies: `compatible` corrects or ignores them like the original; `strict`
    /// ends the match at the first invalid line; `limit=N` ends it after N corrected replies
    #[arg(long, value_name = "POLICY", default_value = "compatible")]
    replies: Replies,
    /// Start a player: CMD is split into words as in a shell, but runs without one; HOST and PORT
    /// are appended. Once per seat, in order; an empty CMD leaves the seat to other programs
    #[arg(long, value_name = "CMD", action = clap::ArgAction::Append)]
    run: Vec<String>,
    /// Write a JSON summary: result, scores, reply times, corrected and ignored replies
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Refuse game files with errors, instead of parsing them like the original
    #[arg(long)]
    strict_game: bool,
}

/// Runs the command: deals the match.
pub fn run(args: Args) -> Result<(), Failure> {
    output::check(args.summary.as_deref())?;
    let mut err = std::io::stderr();
    let (Some(name), Some(game), Some(hands), Some(seed)) =
        (&args.name, &args.game, &args.hands, &args.seed)
    else {
        return Err(usage("NAME, GAME, HANDS and SEED are needed"));
    };
    let reading = if args.strict_game { Reading::Strict } else { Reading::Original };
    let file = load_game_file(game, reading).map_err(|error| {
        let _ = writeln!(err, "ERROR: could not read game {game}");
        Failure::input(error)
    })?;
    without_discards(game, &file.def).map_err(Failure::input)?;
    for warning in &file.warnings {
        let _ = writeln!(err, "WARNING: {game}: {warning}");
    }
    let players = file.def.players;
    if args.names.len() < players {
        return Err(usage(&format!("this game needs the names of {players} players")));
    }
    let numbers = Numbers { quiet: args.quiet };
    let (hands, seed) = (numbers.u32("HANDS", hands)?, numbers.u32("SEED", seed)?);
    if hands == 0 {
        return Err(Failure::usage("HANDS must be a number above 0"));
    }
    let def = Arc::new(file.def.with_quirks(Quirks::ORIGINAL));
    let mut options = Options::new(name, game, def, hands, seed);
    options.names = args.names[..players].to_vec();
    options.fixed_seats = args.fixed;
    options.log = !args.no_log;
    options.transactions = args.transactions;
    options.append = args.append;
    options.quiet = args.quiet;
    options.ports = args.ports.as_deref().map_or(Ok(Vec::new()), |text| numbers.ports(text))?;
    options.bind = args.bind;
    options.milliseconds = [
        numbers.u64("--t_response", &args.t_response)?,
        numbers.u64("--t_hand", &args.t_hand)?,
        numbers.u64("--t_per_hand", &args.t_per_hand)?,
    ];
    options.sockets.start = timeout("--start_timeout", &args.start_timeout)?;
    options.sockets.write = Duration::from_millis(args.write_timeout);
    options.version_limit = timeout("--version_timeout", &args.version_timeout)?;
    options.replies = args.replies;
    options.run = args.run;
    options.summary = args.summary;
    let mut out = std::io::stdout();
    dealer::run(&options, &mut out, &mut err).map_err(|error| match error {
        error if error.is_gone() => Failure::gone(error),
        error if error.is_interruption() => Failure::interrupted(error),
        error => Failure::input(error),
    })
}

/// Prints the usage to standard output, as the original does, and returns the usage error.
fn usage(message: &str) -> Failure {
    let _ = writeln!(std::io::stdout(), "usage: {USAGE}\nsee cardroom dealer --help");
    Failure::usage(message)
}

fn timeout(option: &str, text: &str) -> Result<Option<Duration>, Failure> {
    match scan::scan_i64(text.as_bytes()) {
        Some((number, _)) => Ok(u64::try_from(number).ok().map(Duration::from_millis)),
        None => Err(Failure::usage(format!("{option} takes milliseconds, not `{text}`"))),
    }
}

/// A reader of numbers that behaves like the original: it truncates them to their size and ignores
/// what follows them. A warning is printed when the value differs from the text, unless `quiet` is
/// set.
struct Numbers {
    quiet: bool,
}

impl Numbers {
    fn u32(&self, what: &str, text: &str) -> Result<u32, Failure> {
        let number = scan::scan_u32(text.as_bytes());
        let (number, _) =
            number.ok_or_else(|| Failure::usage(format!("{what} must be a number")))?;
        self.compare(what, text, number.into());
        Ok(number)
    }

    fn u64(&self, option: &str, text: &str) -> Result<u64, Failure> {
        let number = scan::scan_u64(text.as_bytes());
        let (number, _) = number
            .ok_or_else(|| Failure::usage(format!("{option} takes milliseconds, not `{text}`")))?;
        self.compare(option, text, number);
        Ok(number)
    }

    /// Numbers separated by commas, at most ten; text after the tenth is not read.
    fn ports(&self, text: &str) -> Result<Vec<u16>, Failure> {
        let bad =
            || Failure::from(anyhow!("bad port string {text}: write numbers separated by commas"));
        let mut rest = text;
        let mut ports = Vec::new();
        while !rest.is_empty() && ports.len() < game::MAX_PLAYERS {
            if !ports.is_empty() {
                rest = rest.strip_prefix(',').ok_or_else(bad)?;
            }
            let (port, used) = scan::scan_u16(rest.as_bytes()).ok_or_else(bad)?;
            let (written, after) = rest.split_at(used);
            self.compare("the port", written, port.into());
            ports.push(port);
            rest = after;
        }
        Ok(ports)
    }

    fn compare(&self, what: &str, written: &str, number: u64) {
        if !self.quiet && written.trim().parse() != Ok(i128::from(number)) {
            // Nothing can be done when stderr is closed.
            let _ = writeln!(
                std::io::stderr(),
                "WARNING: {what} `{written}` is read as {number}, as in the original"
            );
        }
    }
}
