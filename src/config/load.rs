//! Reading a configuration: merging its layers, with the origin of each value, and its errors.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::{
    Analyse, Config, ConfigError, Decide, Login, OutsideDealer, Queue, Run, Scrimmage, Server,
    Slumbot, Study,
};
use crate::shell::without_accounts;

/// A value given by a flag.
#[derive(Debug, Clone)]
pub struct Flag {
    /// The flag as typed.
    pub flag: &'static str,
    /// The key that it sets.
    pub key: &'static str,
    /// The value as typed.
    pub value: String,
}

/// A configuration with the origins of its values.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The values of all layers.
    pub config: Config,
    /// The file it was read from, if there was one.
    pub file: Option<PathBuf>,
    origins: BTreeMap<String, ValueOrigin>,
}

/// The file that is read by default, if it exists.
pub const USUAL_FILE: &str = "cardroom.toml";

/// The prefix of environment variables that set values.
const PREFIX: &str = "CARDROOM_";

/// Variables with this prefix that set no value: the one that names the file, one that the build
/// sets for the program's own use, the one of a command's progress, and the accounts of `cardroom
/// play`.
const NOT_KEYS: [&str; 6] = [
    FILE_VARIABLE,
    matches::program::PROGRESS_FILE,
    "CARDROOM_COMMIT",
    "CARDROOM_SLUMBOT_USERNAME",
    "CARDROOM_SLUMBOT_PASSWORD",
    "CARDROOM_GTOWIZARD_KEY",
];

/// The variable that names the file.
const FILE_VARIABLE: &str = "CARDROOM_CONFIG";

/// Whether environment variables are left aside.
static IGNORED: AtomicBool = AtomicBool::new(false);

/// Leaves environment variables aside from now on: for commands whose configuration comes from
/// elsewhere, such as the parts of a queued run.
pub fn ignore_variables() {
    IGNORED.store(true, Ordering::Relaxed);
}

/// The environment variables. Bytes that are no Unicode are replaced, so that a value with such
/// bytes is an error and not ignored.
pub fn variables() -> impl Iterator<Item = (String, String)> {
    let all = std::env::vars_os().filter(|_| !IGNORED.load(Ordering::Relaxed));
    let text = |text: OsString| text.to_string_lossy().into_owned();
    all.map(move |(name, value)| (text(name), text(value)))
}

impl Loaded {
    /// Reads all layers: the defaults, `file` (or the one that a variable names, or
    /// `./cardroom.toml` if it exists), the variables that set a value, and the flags.
    ///
    /// # Errors
    /// When a file cannot be read, or a value is not of its kind.
    pub fn load(
        file: Option<&Path>,
        variables: impl IntoIterator<Item = (String, String)>,
        flags: &[Flag],
    ) -> Result<Loaded, ConfigError> {
        let config = Config::default();
        let mut merged = Table::try_from(&config).expect("the defaults can be written as TOML");
        let mut loaded = Loaded { config, file: None, origins: BTreeMap::new() };
        let mut variables: Vec<(String, String)> =
            variables.into_iter().filter(|(name, _)| name.starts_with(PREFIX)).collect();
        variables.sort();
        let named = variables.iter().find(|(name, file)| name == FILE_VARIABLE && !file.is_empty());
        let named = named.map(|(_, file)| Path::new(file));
        let usual = || Some(Path::new(USUAL_FILE)).filter(|path| path.is_file());
        if let Some(path) = file.or(named).or_else(usual) {
            loaded.file = Some(path.to_owned());
            lay_over(&mut merged, loaded.read_file(path)?);
        }
        variables.retain(|(name, _)| !NOT_KEYS.contains(&name.as_str()));
        for (name, value) in variables {
            let path = name[PREFIX.len()..].to_lowercase();
            if !merged.contains_key(&path) && !path.contains("__") {
                let nearest = nearest_variable(&path);
                let hint = nearest.map(|name| format!(" (did you mean `{name}`?)"));
                return Err(ConfigError::new(format!(
                    "environment variable {name} sets nothing{}: two underscores separate the \
                     parts of a key, as in CARDROOM_SERVER__BIND",
                    hint.unwrap_or_default()
                )));
            }
            let path: Vec<&str> = path.split("__").collect();
            loaded.set(&mut merged, &path, &value, &ValueOrigin::Variable(name.clone()))?;
        }
        for Flag { flag, key, value } in flags {
            let path: Vec<&str> = key.split('.').collect();
            loaded.set(&mut merged, &path, value, &ValueOrigin::Flag(flag))?;
        }
        loaded.config = typed(&merged).expect("checked with every layer");
        loaded.resolve_folders();
        Ok(loaded)
    }

    /// The origin of a key's value.
    pub fn origin(&self, key: &str) -> ValueOrigin {
        self.origins.get(key).cloned().unwrap_or(ValueOrigin::Default)
    }

    /// The origin to report for a key: that of its value, or else that of the table or list it
    /// belongs to.
    fn nearest_origin(&self, key: &str) -> ValueOrigin {
        let mut key = key;
        loop {
            if let Some(origin) = self.origins.get(key) {
                return origin.clone();
            }
            match key.rfind(['.', '[']) {
                Some(end) => key = &key[..end],
                None => return ValueOrigin::Default,
            }
        }
    }

    /// The error that a key's value cannot be used.
    pub fn unusable(&self, key: &str, reason: impl fmt::Display) -> ConfigError {
        ConfigError::new(format!("{}: {key}: {reason}", self.nearest_origin(key)))
    }

    /// The folder to which relative paths in the file refer; empty without a file.
    pub fn folder(&self) -> &Path {
        self.file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""))
    }

    /// The folder from which relative paths in a key's value start.
    pub fn folder_of(&self, key: &str) -> &Path {
        match self.nearest_origin(key) {
            ValueOrigin::Line(..) => self.folder(),
            _ => Path::new(""),
        }
    }

    /// All values as TOML with their keys, in order; secrets are masked.
    pub fn values(&self) -> Vec<(String, String)> {
        let table = Table::try_from(&self.config).expect("a configuration can be written as TOML");
        let mut values = Vec::new();
        flatten("", &Value::Table(table), &mut values);
        values
    }

    fn read_file(&mut self, path: &Path) -> Result<Table, ConfigError> {
        let read = std::fs::read_to_string(path);
        let text = read.map_err(|reason| {
            ConfigError::new(format!("cannot read the configuration {}: {reason}", path.display()))
        })?;
        let text = text.as_str();
        let bad = |error: &toml::de::Error, reason: String| {
            let line = error.span().map_or(1, |s| line(text, s.start));
            ConfigError::new(format!("{}: {reason}", ValueOrigin::Line(path.to_owned(), line)))
        };
        let no_toml = |error: toml::de::Error| bad(&error, one_line(error.message()));
        let spanned = DeTable::parse(text).map_err(no_toml)?;
        let root = Spanned::new(spanned.span(), DeValue::Table(spanned.into_inner()));
        let origin = |at: usize| ValueOrigin::Line(path.to_owned(), line(text, at));
        let mut keys = BTreeMap::new();
        self.note_origins("", &root, &origin, &mut keys);
        toml::from_str::<Config>(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            match (unknown_field(&error), keys.get(&at)) {
                (Some((field, known)), Some(key)) => unknown_key(&origin(at), key, &field, &known),
                _ => bad(&error, explain(&error, &root)),
            }
        })?;
        toml::from_str(text).map_err(no_toml)
    }

    /// Walks a file's values, and records the line of every one; `keys` gets the keys by their byte
    /// offset in the file.
    fn note_origins(
        &mut self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        origin: &impl Fn(usize) -> ValueOrigin,
        keys: &mut BTreeMap<usize, String>,
    ) {
        match value.get_ref() {
            DeValue::Table(table) => {
                for (name, inner) in table {
                    let (at, key) = (name.span().start, join(key, name.get_ref()));
                    self.origins.insert(key.clone(), origin(at));
                    self.note_origins(&key, inner, origin, keys);
                    keys.insert(at, key);
                }
            }
            DeValue::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    let key = format!("{key}[{i}]");
                    self.origins.insert(key.clone(), origin(item.span().start));
                    self.note_origins(&key, item, origin, keys);
                }
            }
            _ => {}
        }
    }

    /// Sets one value from text.
    fn set(
        &mut self,
        merged: &mut Table,
        path: &[&str],
        text: &str,
        origin: &ValueOrigin,
    ) -> Result<(), ConfigError> {
        let key = key_of(path);
        let mut reason = None;
        // The type of the value is the one that is accepted.
        for value in [parsed(text), Some(Value::String(text.to_owned()))].into_iter().flatten() {
            let mut tried = merged.clone();
            let error = match put(&mut tried, path, value) {
                Err(error) => error.to_owned(),
                Ok(()) => match typed(&tried) {
                    Ok(_) => {
                        *merged = tried;
                        self.origins.insert(key, origin.clone());
                        return Ok(());
                    }
                    Err(error) => {
                        if let Some((field, known)) = unknown_field(&error)
                            && let Some(at) = path.iter().position(|part| **part == field)
                        {
                            let key = key_of(&path[..=at]);
                            return Err(unknown_key(origin, &key, &field, &known));
                        }
                        one_line(error.message())
                    }
                },
            };
            reason.get_or_insert(error);
        }
        let reason = match reason.unwrap_or_default() {
            _ if is_secret(&key) => format!("{key} cannot have this value, which is not shown"),
            reason => without_accounts(&format!("{key} cannot be `{text}`: {reason}")),
        };
        Err(ConfigError::new(format!("{origin}: {reason}")))
    }

    /// Resolves relative paths in the file against its folder.
    fn resolve_folders(&mut self) {
        let folder = self.folder().to_owned();
        for agent in self.config.agents.values_mut() {
            agent.folder.clone_from(&folder);
        }
        for (key, path) in self.config.paths() {
            let in_file = matches!(self.origins.get(key), Some(ValueOrigin::Line(..)));
            if in_file && !path.as_os_str().is_empty() {
                *path = folder.join(&*path);
            }
        }
    }
}

/// A path of keys and indices as one key.
fn key_of(path: &[&str]) -> String {
    path.iter().fold(String::new(), |key, part| match part.parse::<usize>() {
        Ok(i) => format!("{key}[{i}]"),
        Err(_) => join(&key, part),
    })
}

/// The field that a type does not have, and those that it has, if that is the error: serde names
/// them in backquotes.
fn unknown_field(error: &toml::de::Error) -> Option<(String, Vec<String>)> {
    let (field, rest) = error.message().strip_prefix("unknown field `")?.split_once('`')?;
    let known = rest.split('`').skip(1).step_by(2).map(str::to_owned);
    Some((field.to_owned(), known.collect()))
}

/// The error that there is no key of this name among those known in its table.
fn unknown_key(origin: &ValueOrigin, key: &str, name: &str, known: &[String]) -> ConfigError {
    let nearest = show::nearest::nearest(name, known.iter().map(String::as_str));
    let hint = nearest.map(|key| format!(" (did you mean `{key}`?)")).unwrap_or_default();
    let known = known.join(", ");
    ConfigError::new(format!("{origin}: there is no key `{key}`{hint}; keys here: {known}"))
}

/// The names of a type's fields.
fn fields<T: DeserializeOwned>() -> Vec<String> {
    let error = toml::from_str::<T>("\"\" = 0").err();
    error.as_ref().and_then(unknown_field).map(|(_, known)| known).unwrap_or_default()
}

/// The nearest variable to one without `__`; `path` is the part after the prefix.
fn nearest_variable(path: &str) -> Option<String> {
    let digits = |c: char| c.is_ascii_digit();
    let index = path.split(|c| !digits(c)).find(|part| !part.is_empty()).unwrap_or("0");
    let known = [
        ("server".to_owned(), fields::<Server>()),
        ("server__login".to_owned(), fields::<Login>()),
        ("slumbot".to_owned(), fields::<Slumbot>()),
        ("decide".to_owned(), fields::<Decide>()),
        ("queue".to_owned(), fields::<Queue>()),
        ("scrimmage".to_owned(), fields::<Scrimmage>()),
        ("study".to_owned(), fields::<Study>()),
        ("run".to_owned(), fields::<Run>()),
        ("analyse".to_owned(), fields::<Analyse>()),
        (format!("tables__{index}"), fields::<super::Table>()),
        (format!("dealers__{index}"), fields::<OutsideDealer>()),
    ];
    let variables = known.iter().flat_map(|(above, keys)| {
        keys.iter().map(move |key| format!("{above}__{key}").to_uppercase())
    });
    let variables: Vec<String> = variables.collect();
    let nearest = show::nearest::nearest(path, variables.iter().map(String::as_str))?;
    Some(format!("{PREFIX}{nearest}"))
}

/// The message about a value: its key, the fault, and what to write instead.
fn explain(error: &toml::de::Error, root: &Spanned<DeValue<'_>>) -> String {
    let reason = one_line(error.message());
    let found = error.span().and_then(|span| value_at("", root, span.start));
    let Some((key, value)) = found.filter(|(key, _)| !key.is_empty()) else { return reason };
    let missing = reason.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    let Some(field) = missing else { return format!("{key}: {reason}") };
    let name = value.as_table().and_then(|table| table.get("name")?.get_ref().as_str());
    let name = name.map(|name| format!(" (`{name}`)")).unwrap_or_default();
    let example = match field {
        "name" => "name = \"a-name\"",
        "game" => "game = \"holdem.nolimit.2p.reverse_blinds\"",
        "seats" => "seats = [{ agent = \"equity\" }, { port = 0 }]",
        "host" => "host = \"dealer.example.org\"",
        "port" => "port = 18791",
        "agent" => "agent = \"equity\"",
        "kind" => "kind = \"external\"",
        _ => return format!("{key}{name} has no `{field}`, which is required"),
    };
    format!("{key}{name} has no `{field}`, which is required: add a line such as `{example}`")
}

/// The innermost value at this byte offset of the file, with its key.
fn value_at<'a>(
    key: &str,
    value: &'a Spanned<DeValue<'a>>,
    at: usize,
) -> Option<(String, &'a DeValue<'a>)> {
    let inner = match value.get_ref() {
        DeValue::Table(table) => {
            let mut inner = table.iter();
            inner.find_map(|(name, inner)| value_at(&join(key, name.get_ref()), inner, at))
        }
        DeValue::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(i, item)| value_at(&format!("{key}[{i}]"), item, at))
        }
        _ => None,
    };
    inner.or_else(|| value.span().contains(&at).then(|| (key.to_owned(), value.get_ref())))
}

fn typed(table: &Table) -> Result<Config, toml::de::Error> {
    toml::from_str(&table.to_string())
}

/// Merges `upper` into `lower`: tables are merged, other values replaced.
fn lay_over(lower: &mut Table, upper: Table) {
    for (key, value) in upper {
        match (lower.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            (_, value) => {
                lower.insert(key, value);
            }
        }
    }
}

/// Sets the value at a path of keys and indices.
fn put(table: &mut Table, path: &[&str], value: Value) -> Result<(), &'static str> {
    let (last, above) = path.split_last().ok_or("no key is named")?;
    let Some((first, rest)) = above.split_first() else {
        table.insert((*last).to_owned(), value);
        return Ok(());
    };
    let mut inner = table.entry(*first).or_insert_with(|| Value::Table(Table::new()));
    for part in rest {
        inner = step(inner, part)?;
    }
    match inner {
        Value::Table(table) => {
            table.insert((*last).to_owned(), value);
        }
        other => *step(other, last)? = value,
    }
    Ok(())
}

fn step<'a>(value: &'a mut Value, part: &str) -> Result<&'a mut Value, &'static str> {
    match value {
        Value::Table(table) => Ok(table.entry(part).or_insert_with(|| Value::Table(Table::new()))),
        Value::Array(items) => {
            let index = part.parse::<usize>().map_err(|_| "a list has numbers for keys")?;
            items.get_mut(index).ok_or("the list has no entry of this number (the first is 0)")
        }
        _ => Err("there is nothing inside this value"),
    }
}

/// The text as a TOML value other than a string.
fn parsed(text: &str) -> Option<Value> {
    format!("value = {text}").parse::<Table>().ok()?.remove("value")
}

fn join(key: &str, name: &str) -> String {
    if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&b| b == b'\n').count() + 1
}

fn one_line(message: &str) -> String {
    message.trim().lines().collect::<Vec<_>>().join("; ")
}

fn flatten(key: &str, value: &Value, values: &mut Vec<(String, String)>) {
    match value {
        Value::Table(table) => {
            for (name, inner) in table {
                flatten(&join(key, name), inner, values);
            }
        }
        Value::Array(items) if items.iter().any(|item| matches!(item, Value::Table(_))) => {
            for (i, item) in items.iter().enumerate() {
                flatten(&format!("{key}[{i}]"), item, values);
            }
        }
        _ if is_secret(key) => values.push((key.to_owned(), "\"(not shown)\"".to_owned())),
        other => values.push((key.to_owned(), without_accounts(&other.to_string()))),
    }
}

/// Whether a key's name says that its value is secret.
fn is_secret(key: &str) -> bool {
    let name = key.rsplit('.').next().unwrap_or(key).to_lowercase();
    ["password", "secret", "token", "api_key"].iter().any(|word| name.ends_with(word))
}

/// The layer that set a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueOrigin {
    /// The built-in default.
    Default,
    /// A line of a file.
    Line(PathBuf, usize),
    /// An environment variable.
    Variable(String),
    /// A flag on the command line.
    Flag(&'static str),
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueOrigin::Default => f.write_str("default"),
            ValueOrigin::Line(file, line) => write!(f, "{}:{line}", file.display()),
            ValueOrigin::Variable(name) => write!(f, "environment variable {name}"),
            ValueOrigin::Flag(flag) => f.write_str(flag),
        }
    }
}
