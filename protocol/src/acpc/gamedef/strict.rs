//! The strict reading of game files.

use game::{Betting, GameDef, GameSpec, Quirks};

use super::error::shorten;
use super::{GameFileProblem, KEYS, cap_from_file};

type Fault = (Option<usize>, GameFileProblem);

/// The parsed lines of a file.
#[derive(Default)]
struct Lines {
    betting: Option<(usize, Betting)>,
    /// For each of [`KEYS`]: its line number and its numbers.
    numbers: [Option<(usize, Vec<u32>)>; KEYS.len()],
}

pub(super) fn read(text: &[u8]) -> Result<GameDef, Fault> {
    let text = String::from_utf8_lossy(text);
    let mut lines = Lines::default();
    let mut begun = None;
    let mut ended = false;
    for (number, line) in (1..).zip(text.lines()) {
        let fail = |problem| (Some(number), problem);
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if ended {
            return Err(fail(GameFileProblem::AfterEnd));
        }
        if line.starts_with(char::is_whitespace) {
            return Err(fail(GameFileProblem::LeadingBlank));
        }
        let split = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
        let (key, rest) = line.split_at(split);
        if key.eq_ignore_ascii_case("end") && rest.trim().eq_ignore_ascii_case("gamedef") {
            ended = true;
        } else if key.eq_ignore_ascii_case("gamedef") {
            nothing_follows(rest).map_err(fail)?;
            if let Some(first) = begun.replace(number) {
                return Err(fail(GameFileProblem::Duplicate { key: key.to_owned(), first }));
            }
        } else {
            lines.read(number, key, rest).map_err(fail)?;
        }
    }
    lines.finish()
}

fn nothing_follows(rest: &str) -> Result<(), GameFileProblem> {
    match rest.trim() {
        "" => Ok(()),
        text => Err(GameFileProblem::Trailing { text: shorten(text) }),
    }
}

/// The largest number that a key takes.
fn largest(key: &str) -> u32 {
    match key {
        "stack" | "blind" | "raiseSize" => GameSpec::MAX_STACK,
        _ => 255,
    }
}

impl Lines {
    fn read(&mut self, line: usize, key: &str, rest: &str) -> Result<(), GameFileProblem> {
        let betting = [("limit", Betting::Limit), ("nolimit", Betting::NoLimit)];
        if let Some((_, kind)) = betting.iter().find(|(name, _)| key.eq_ignore_ascii_case(name)) {
            nothing_follows(rest)?;
            if let Some((first, _)) = self.betting.replace((line, *kind)) {
                return Err(GameFileProblem::Duplicate { key: key.to_owned(), first });
            }
            return Ok(());
        }
        let Some(index) = KEYS.iter().position(|known| key.eq_ignore_ascii_case(known)) else {
            let known = KEYS.into_iter().chain(["limit", "nolimit", "END GAMEDEF"]);
            let nearest = show::nearest::nearest(key, known);
            let key = if key.is_empty() { rest } else { key };
            return Err(GameFileProblem::UnknownKey { key: shorten(key), nearest });
        };
        let rest = rest.trim_start();
        let rest = rest.strip_prefix('=').unwrap_or(rest);
        let most = largest(KEYS[index]);
        let mut numbers = Vec::new();
        for word in rest.split_whitespace() {
            let digits = word.bytes().all(|b| b.is_ascii_digit());
            let number = word.parse().ok().filter(|&n: &u32| digits && n <= most);
            numbers.push(number.ok_or_else(|| GameFileProblem::NotANumber {
                key: KEYS[index],
                text: shorten(word),
                most,
            })?);
        }
        if let Some((first, _)) = self.numbers[index].replace((line, numbers)) {
            return Err(GameFileProblem::Duplicate { key: key.to_owned(), first });
        }
        Ok(())
    }

    /// The numbers of a key with their count checked, or `None` if the file does not have it.
    fn list(
        &mut self,
        key: &'static str,
        needed: usize,
        per: &'static str,
    ) -> Result<Option<Vec<u32>>, Fault> {
        let index = KEYS.iter().position(|&known| known == key).expect("one of the known keys");
        let Some((line, numbers)) = self.numbers[index].take() else { return Ok(None) };
        if numbers.len() != needed {
            let found = numbers.len();
            return Err((Some(line), GameFileProblem::Count { key, found, needed, per }));
        }
        Ok(Some(numbers))
    }

    fn required(
        &mut self,
        key: &'static str,
        needed: usize,
        per: &'static str,
    ) -> Result<Vec<u32>, Fault> {
        self.list(key, needed, per)?.ok_or((None, GameFileProblem::Missing(key)))
    }

    fn one(&mut self, key: &'static str) -> Result<u32, Fault> {
        Ok(self.required(key, 1, "game")?[0])
    }

    fn finish(mut self) -> Result<GameDef, Fault> {
        let (_, betting) = self.betting.ok_or((None, GameFileProblem::NoBetting))?;
        let players = self.one("numPlayers")? as usize;
        let streets = self.one("numRounds")? as usize;
        let stacks = self.list("stack", players, "player")?;
        let blinds = self.required("blind", players, "player")?;
        let raise_line = self.numbers[4].as_ref().map(|(line, _)| *line);
        let raise_sizes = match (betting, raise_line) {
            (Betting::Limit, _) => self.required("raiseSize", streets, "round")?,
            (Betting::NoLimit, None) => Vec::new(),
            (Betting::NoLimit, line) => return Err((line, GameFileProblem::RaiseSizeInNoLimit)),
        };
        let first_line = self.numbers[5].as_ref().map(|(line, _)| *line);
        let first = self.list("firstPlayer", streets, "round")?.unwrap_or(vec![1; streets]);
        if first.contains(&0) {
            let text = "0".to_owned();
            let most = players as u32;
            let problem = GameFileProblem::NotANumber { key: "firstPlayer", text, most };
            return Err((first_line, problem));
        }
        let caps = self.list("maxRaises", streets, "round")?;
        let spec = GameSpec {
            betting,
            players,
            streets,
            stacks: stacks.unwrap_or(vec![GameSpec::MAX_STACK; players]),
            blinds,
            raise_sizes,
            first_to_act: first.into_iter().map(|first| first as usize - 1).collect(),
            max_raises: caps.map_or(vec![GameSpec::NO_CAP; streets], |caps| {
                caps.into_iter().map(cap_from_file).collect()
            }),
            suits: self.one("numSuits")? as u8,
            ranks: self.one("numRanks")? as u8,
            hole_cards: self.one("numHoleCards")? as u8,
            board_cards: self
                .required("numBoardCards", streets, "round")?
                .into_iter()
                .map(|count| count as u8)
                .collect(),
            quirks: Quirks::default(),
        };
        GameDef::new(spec).map_err(|error| (None, error.into()))
    }
}
