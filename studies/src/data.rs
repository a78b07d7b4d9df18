//! Studies as data: the steps, the published figures, the claims and the report of a study are
//! texts in its folder beside `src`, compiled into the program.
//!
//! All but `published.toml`, which has the figures of the paper, are templates of
//! [minijinja](https://docs.rs/minijinja):
//!
//! - `steps.toml` has the steps in order. In a file of TOML, blocks of the template stand in
//!   comments; what they set is known in all later files.
//! - `results.j2` gives names to the figures that are read from the steps' outputs, and sets
//!   `document`, the report as JSON. Texts outside its blocks are dropped.
//! - `claims.toml` compares these figures with the published ones.
//! - `report.md.j2` is the report in the form that [`Section::parse`] reads.
//! - The other templates are tables in CSV; an empty one is left out.
//!
//! Templates know `scale`, `trial`, `device`, `options` and `published`, and the functions and
//! filters of [`Engine::new`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, Value, escape_formatter};
use serde::Deserialize;
use show::number;
use show::svg::Colour;
use show::svg::chart::{Chart, Line};

use crate::claims::{self, Claim, Estimate};
use crate::picture::{self, Row};
use crate::record::Record;
use crate::report::{Frame, Section};
use crate::{Action, Options, Report, Step, StudySection};

/// The texts in a study's folder.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) folder: &'static str,
    /// The names of the tables in CSV; their templates end in `.j2`.
    pub(crate) tables: &'static [&'static str],
    /// All texts by the names of their files.
    pub(crate) texts: &'static [(&'static str, &'static str)],
}

/// The texts in a study's folder, with these tables.
macro_rules! data {
    ($folder:literal, $($table:literal),*) => {
        crate::data::data!(@ $folder, [$($table),*],
            "steps.toml", "published.toml", "results.j2", "claims.toml", "report.md.j2",
            $(concat!($table, ".j2")),*)
    };
    (@ $folder:literal, [$($table:literal),*], $($name:expr),*) => {
        crate::data::Data {
            folder: $folder,
            tables: &[$($table),*],
            texts: &[$(($name, include_str!(concat!("../", $folder, "/", $name)))),*],
        }
    };
}
pub(crate) use data;

/// What `steps.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepsFile {
    step: Vec<StepData>,
}

/// A step. Words that begin with `@/`, or have it after `=` or `,`, are paths in the study's
/// folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepData {
    title: String,
    /// A command after the program's name, as for a shell.
    command: Option<String>,
    /// A file that is copied instead.
    copy: Option<CopyData>,
    /// The file in the study's folder that the command's output is written to.
    output: Option<String>,
    /// The folder in the study's folder that the command makes.
    makes: Option<String>,
}

/// The copy of a file in the study's folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CopyData {
    from: String,
    to: String,
}

/// What `claims.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimsFile {
    claim: Vec<Claim>,
}

/// The head of `published.toml`.
#[derive(Deserialize)]
struct Head {
    /// The heading of the page, and the paragraph below it.
    heading: String,
    about: String,
}

impl Data {
    fn text(&self, name: &str) -> &'static str {
        let text = self.texts.iter().find(|(known, _)| *known == name);
        text.unwrap_or_else(|| panic!("{} has no {name}", self.folder)).1
    }

    /// The steps, in order.
    pub(crate) fn steps(&self, options: &Options) -> Vec<Step> {
        let engine = Engine::new(options, None);
        let steps = || -> Result<StepsFile, Error> {
            let text = engine.render("steps.toml", self, &engine.published(self)?)?;
            toml::from_str(&text).map_err(|error| invalid(format!("{error}: {text}")))
        };
        let steps = steps().unwrap_or_else(|error| panic!("{}: {error}", self.folder));
        steps.step.into_iter().map(|step| step.resolved(options)).collect()
    }

    /// The report of what is in the folder.
    pub(crate) fn report(
        &self,
        options: &Options,
        record: &Record,
    ) -> Result<Report, crate::Error> {
        let engine = Engine::new(options, Some(record.clone()));
        self.made(&engine, options, record).map_err(|error| engine.explained(&error, options))
    }

    fn made(&self, engine: &Engine, options: &Options, record: &Record) -> Result<Report, Error> {
        let of_toml = |error: toml::de::Error| invalid(error.to_string());
        let head: Head = toml::from_str(self.text("published.toml")).map_err(of_toml)?;
        let results = engine.set_by("steps.toml", self, &engine.published(self)?)?;
        let results = engine.set_by("results.j2", self, &results)?;
        let claims = engine.render("claims.toml", self, &results)?;
        let claims: ClaimsFile = toml::from_str(&claims).map_err(of_toml)?;
        let judged = claims::judged(options, claims.claim, &|place| engine.measured(place))?;
        let table = claims::table(&judged);
        let context = minijinja::context! { claims => table, ..results.clone() };
        let mut sections = Section::parse(&engine.render("report.md.j2", self, &context)?);
        for section in sections.iter_mut().filter(|section| !section.table.is_empty()) {
            section.title += if options.is_trial() { " (trial)" } else { "" };
        }
        let mut files = Vec::new();
        for &name in self.tables {
            let table = engine.render(&format!("{name}.j2"), self, &results)?;
            files.extend((!table.trim().is_empty()).then(|| (name.to_owned(), table)));
        }
        let set = |name: &str| results.get_attr(name).ok().filter(|value| !value.is_undefined());
        let document = set("document").and_then(|value| serde_json::to_value(value).ok());
        let document = document.and_then(|value| value.as_object().cloned());
        let mut document = document.ok_or_else(|| invalid("`document` is no object".to_owned()))?;
        document.insert("scale".to_owned(), options.scale.into());
        document.insert("claims".to_owned(), claims::document(&judged));
        let made = set("made").map_or_else(String::new, |made| format!("{made} "));
        let frame = Frame {
            title: &head.heading,
            about: &head.about,
            made: made + &options.scale_in_words(),
            commands: set("commands").map_or_else(String::new, |text| text.to_string()),
        };
        let sections = engine.with_pictures(sections)?;
        let drawn = engine.outside.drawn();
        let drawn: Vec<&str> = drawn.iter().map(|(name, _)| name.as_str()).collect();
        Report::new(&frame, record, &sections, files, &drawn, document.into())
            .map_err(|error| engine.outside.failed(error))
    }
}

impl StepData {
    fn resolved(self, options: &Options) -> Step {
        let folder = options.folder.join("").display().to_string();
        let word = |word: String| {
            let mut text = word;
            for before in ["", "=", ","] {
                let from = format!("{before}@/");
                match before {
                    "" if text.starts_with("@/") => text.replace_range(..2, &folder),
                    "" => (),
                    _ => text = text.replace(&from, &format!("{before}{folder}")),
                }
            }
            text
        };
        let at = |path: String| options.folder.join(path);
        let action = match (self.command, self.copy) {
            (None, Some(CopyData { from, to })) => Action::Copy { from: at(from), to: at(to) },
            (command, _) => {
                let command = command.unwrap_or_default();
                let words = shlex::split(&command)
                    .unwrap_or_else(|| panic!("{}: an open quote in {command}", self.title));
                Action::Command {
                    arguments: words.into_iter().map(word).collect(),
                    prints: self.output.map(at),
                    makes: self.makes.map(at),
                }
            }
        };
        Step { title: self.title, action }
    }
}

/// What functions of templates read and make outside the templates.
#[derive(Debug, Default)]
struct Outside {
    folder: PathBuf,
    /// The error of a file that could not be read.
    error: Mutex<Option<crate::Error>>,
    /// The pictures that were drawn, by the names of their files.
    drawn: Mutex<Vec<(String, String)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Outside {
    fn drawn(&self) -> MutexGuard<'_, Vec<(String, String)>> {
        locked(&self.drawn)
    }

    /// Keeps the error of a file, and gives one for the template.
    fn failed(&self, error: crate::Error) -> Error {
        let short = Error::new(ErrorKind::InvalidOperation, error.to_string());
        *locked(&self.error) = Some(error);
        short
    }

    fn text(&self, name: &str) -> Result<String, Error> {
        let path = self.folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| self.failed(crate::Error::at(&path, error)))
    }

    fn json(&self, name: &str) -> Result<serde_json::Value, Error> {
        let damaged = |error: serde_json::Error| {
            self.failed(crate::Error::damaged(&self.folder.join(name), error.to_string()))
        };
        serde_json::from_str(&self.text(name)?).map_err(damaged)
    }
}

/// The templates' functions and filters, for a study's folder.
struct Engine {
    environment: Environment<'static>,
    /// The same for files of TOML, where blocks stand in comments and keep the ends of their lines.
    toml: Environment<'static>,
    outside: Arc<Outside>,
}

impl Engine {
    fn new(options: &Options, record: Option<Record>) -> Engine {
        let outside = Arc::new(Outside { folder: options.folder.clone(), ..Outside::default() });
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_keep_trailing_newline(true);
        environment.add_global("scale", options.scale);
        environment.add_global("trial", options.is_trial());
        environment.add_global("options", chosen(options));
        let device = options.device.map(|device| format!("--device {device}"));
        environment.add_global("device", device.unwrap_or_default());
        let scale = options.scale;
        environment.add_function("scaled", move |whole: f64, least: f64, kwargs: Kwargs| {
            let step = kwargs.get::<Option<f64>>("step")?.unwrap_or(1.0);
            let share = match kwargs.get::<Option<bool>>("root")? {
                Some(true) => scale.sqrt(),
                _ => scale,
            };
            let up = kwargs.get::<Option<bool>>("up")?;
            kwargs.assert_all_used()?;
            let parts = whole * share / step;
            let parts = if up == Some(true) { parts.ceil() } else { parts.round() };
            Ok((step * parts).max(least) as u64)
        });
        let files = Arc::clone(&outside);
        environment.add_function("json", move |name: String| {
            files.json(&name).map(|value| Value::from_serialize(&value))
        });
        let files = Arc::clone(&outside);
        environment.add_function("text", move |name: String| files.text(&name));
        let files = Arc::clone(&outside);
        environment.add_function("chart", move |file: String, kwargs: Kwargs| {
            let svg = chart(&file, &kwargs)?;
            files.drawn().push((file, svg));
            Ok(Value::UNDEFINED)
        });
        let files = Arc::clone(&outside);
        environment.add_function("intervals", move |file: String, kwargs: Kwargs| {
            let svg = intervals(&kwargs)?;
            files.drawn().push((file, svg));
            Ok(Value::UNDEFINED)
        });
        environment.add_function("seconds", move |title: String| {
            record.as_ref().map_or(0.0, |record| record.seconds(&title))
        });
        environment.add_function("collect", || Value::from_object(Collected::default()));
        environment.add_function("spread", |values: Vec<f64>| spread(&values));
        environment.add_function("object", |pairs: Vec<Value>| -> Result<Value, Error> {
            let pair = |pair: Value| Ok((pair.get_item_by_index(0)?, pair.get_item_by_index(1)?));
            let pairs = pairs.into_iter().map(pair).collect::<Result<Vec<(Value, Value)>, Error>>();
            Ok(pairs?.into_iter().collect())
        });
        environment
            .add_filter("fixed", |value: f64, decimals: usize| format!("{value:.decimals$}"));
        environment.add_filter("power", |value: f64| format!("{value:.0e}"));
        environment.add_filter("whole", |value: f64| number::whole(value as u64));
        environment.add_filter("percent", number::percent);
        environment.add_filter("signed", number::signed_minus);
        environment
            .add_filter("plus", |value: f64, decimals: usize| format!("{value:+.decimals$}"));
        environment.add_filter("sqrt", f64::sqrt);
        environment.add_filter("minutes", number::minutes);
        environment.add_filter("repeat", |word: String, times: usize| vec![word; times]);
        environment.add_filter("quote", |word: String| {
            // For a shell, inside a string of TOML.
            let quoted = shlex::try_quote(&word).map_err(|error| invalid(error.to_string()))?;
            let escaped = quoted.chars().map(|letter| match letter {
                '\\' | '"' => format!("\\{letter}"),
                letter if letter.is_control() => format!("\\u{:04X}", u32::from(letter)),
                letter => letter.to_string(),
            });
            Ok::<_, Error>(escaped.collect::<String>())
        });
        environment.add_filter("estimate", |value: Value| estimate(&value));
        environment.add_filter("sign", |value: Value| Ok::<_, Error>(numbers(&value)?.sign()));
        environment
            .add_filter("half", |value: Value| Ok::<_, Error>(numbers(&value)?.half_width()));
        environment.add_filter("rate", |value: Value| {
            let value = numbers(&value)?;
            let (mbb, half) = (number::signed_minus(value.mbb, 0), value.half_width());
            Ok::<_, Error>(format!("{mbb} ± {half:.0}"))
        });
        environment.add_function("difference", |one: Value, other: Value| {
            Ok::<_, Error>(of_numbers(numbers(&one)?.to(numbers(&other)?)))
        });
        environment.add_filter("cell", |text: String| text.replace('|', "\\|"));
        environment.add_filter("pick", |of: Value, names: Vec<String>| -> Result<Value, Error> {
            let parts = names.into_iter().map(|name| Ok((name.clone(), of.get_attr(&name)?)));
            parts.collect::<Result<Value, Error>>()
        });
        // As in TOML and JSON, and not as in Python.
        environment.set_formatter(|out, state, value| match value.kind() {
            ValueKind::Bool => write!(out, "{}", value.is_true()).map_err(Error::from),
            _ => escape_formatter(out, state, value),
        });
        let mut toml = environment.clone();
        toml.set_trim_blocks(false);
        Engine { environment, toml, outside }
    }

    /// The published figures.
    fn published(&self, data: &Data) -> Result<Value, Error> {
        let table: toml::Table = toml::from_str(data.text("published.toml"))
            .map_err(|error| invalid(error.to_string()))?;
        Ok(minijinja::context! { published => Value::from_serialize(&table) })
    }

    fn render(&self, name: &str, data: &Data, context: &Value) -> Result<String, Error> {
        self.of(name).render_named_str(name, data.text(name), context)
    }

    /// `context` with what a template sets.
    fn set_by(&self, name: &str, data: &Data, context: &Value) -> Result<Value, Error> {
        let template = self.of(name).template_from_named_str(name, data.text(name))?;
        let captured = template.render_captured(context)?;
        let state = captured.state();
        let values = state.exports().into_iter().filter_map(|name| {
            // Macros cannot be called from elsewhere.
            let value = state.lookup(name).filter(|value| value.kind() != ValueKind::Plain);
            Some((name.to_owned(), value?))
        });
        let values: BTreeMap<String, Value> = values.collect();
        Ok(minijinja::context! { ..Value::from(values), ..context.clone() })
    }

    fn of(&self, name: &str) -> &Environment<'static> {
        if name.ends_with(".toml") { &self.toml } else { &self.environment }
    }

    /// The value at `FILE#POINTER` in the study's folder.
    fn measured(&self, place: &str) -> Result<serde_json::Value, Error> {
        let (file, pointer) = place.split_once('#').unwrap_or((place, ""));
        let document = self.outside.json(file)?;
        document.pointer(pointer).cloned().ok_or_else(|| {
            let path = self.outside.folder.join(file);
            let what = format!("there is nothing at {pointer}");
            self.outside.failed(crate::Error::damaged(&path, what))
        })
    }

    /// The sections with the pictures that were drawn or are in the folder.
    fn with_pictures(&self, mut sections: Vec<Section>) -> Result<Vec<Section>, Error> {
        for picture in sections.iter_mut().flat_map(|section| &mut section.pictures) {
            let drawn =
                self.outside.drawn().iter().find(|(file, _)| *file == picture.file).cloned();
            picture.svg = match drawn {
                Some((_, svg)) => svg,
                None => own_ids(&self.outside.text(&picture.file)?, Path::new(&picture.file)),
            };
        }
        Ok(sections)
    }

    /// The reason why a report could not be made: a file, or what a template expects of the files.
    fn explained(&self, error: &Error, options: &Options) -> crate::Error {
        let file = locked(&self.outside.error).take();
        file.unwrap_or_else(|| crate::Error::damaged(&options.folder, detail(error)))
    }
}

/// The options of the study as templates see them.
fn chosen(options: &Options) -> Value {
    let network = options.network.map(|network| {
        minijinja::context! {
            name => network.to_string(), layers => network.layers, units => network.units
        }
    });
    let slumbot = options.slumbot.iter().map(|run| {
        let folder = run.folder.display().to_string();
        minijinja::context! { kind => run.kind, folder, server => run.server }
    });
    minijinja::context! {
        folder => options.folder.join("").display().to_string(),
        shipped => options.shipped,
        teacher => options.teacher.as_ref().map(|path| path.display().to_string()),
        only => options.only.map(|StudySection::Depths| "depths"),
        network,
        slumbot => slumbot.collect::<Vec<_>>(),
    }
}

/// A list that a template fills: `collect()`, then `add`.
#[derive(Debug, Default)]
struct Collected(Mutex<Vec<Value>>);

impl Object for Collected {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        locked(&self.0).get(key.as_usize()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(locked(&self.0).len())
    }

    fn call_method(
        self: &Arc<Self>,
        _: &State<'_, '_>,
        method: &str,
        arguments: &[Value],
    ) -> Result<Value, Error> {
        match (method, arguments) {
            ("add", [value]) => {
                locked(&self.0).push(value.clone());
                Ok(Value::UNDEFINED)
            }
            _ => Err(Error::from(ErrorKind::UnknownMethod)),
        }
    }
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}

/// An estimate with its interval, in one of the forms in which commands print them.
fn estimate(value: &Value) -> Result<Value, Error> {
    let value = serde_json::to_value(value).map_err(|error| invalid(error.to_string()))?;
    let ends = claims::interval(&value);
    let middle = ["mbb", "mean"].iter().find_map(|name| value.get(name)?.as_f64());
    let ([low, high], mbb) =
        ends.zip(middle).ok_or_else(|| invalid(format!("no estimate: {value}")))?;
    Ok(of_numbers(Estimate { mbb, low, high }))
}

fn of_numbers(Estimate { mbb, low, high }: Estimate) -> Value {
    minijinja::context! { mbb, low, high }
}

fn numbers(value: &Value) -> Result<Estimate, Error> {
    let number = |name: &str| f64::try_from(value.get_attr(name)?);
    Ok(Estimate { mbb: number("mbb")?, low: number("low")?, high: number("high")? })
}

/// The mean of some numbers, their standard deviation, how many there are, and half the width of
/// the mean's 95 % interval.
fn spread(values: &[f64]) -> Value {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
    let half_width = 1.96 * deviation / count.sqrt();
    minijinja::context! { mean, deviation, half_width, count => values.len() }
}

/// A line of a chart, as in a template.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineData {
    class: String,
    colour: String,
    #[serde(default)]
    name: String,
    points: Vec<(f64, f64)>,
    #[serde(default)]
    band: Vec<(f64, [f64; 2])>,
}

/// Draws a chart: `chart(FILE, title=, along=, lines=, description=, logarithmic=)`.
fn chart(file: &str, kwargs: &Kwargs) -> Result<String, Error> {
    let lines = serde_json::to_value(kwargs.get::<Value>("lines")?)
        .and_then(serde_json::from_value::<Vec<LineData>>)
        .map_err(|error| invalid(format!("{file}: {error}")))?;
    let along: String = kwargs.get("along")?;
    let name: Option<String> = kwargs.get("name")?;
    let name = name.as_deref().unwrap_or(file.trim_end_matches(".svg"));
    let mut drawn = Vec::new();
    for LineData { class, colour, name, points, band } in &lines {
        let colour = colour_of(colour).ok_or_else(|| invalid(format!("no colour {colour}")))?;
        let (points, band) = (points.clone(), band.clone());
        drawn.push(Line { class, colour, name, points, band });
    }
    let svg = Chart {
        description: kwargs.get::<Option<String>>("description")?.unwrap_or_default(),
        logarithmic: kwargs.get::<Option<bool>>("logarithmic")?.unwrap_or_default(),
        lines: drawn,
        size: [720, kwargs.get::<Option<u32>>("height")?.unwrap_or(340)],
        ..Chart::new(name, kwargs.get::<String>("title")?, &along)
    }
    .file();
    kwargs.assert_all_used()?;
    Ok(svg)
}

/// Draws estimates with their intervals: `intervals(FILE, title=, unit=, kinds=, rows=)`, where a
/// row is a name and a list of marks, each an estimate with half its interval, or none.
fn intervals(kwargs: &Kwargs) -> Result<String, Error> {
    let rows = serde_json::to_value(kwargs.get::<Value>("rows")?)
        .and_then(serde_json::from_value::<Vec<Row>>)
        .map_err(|error| invalid(error.to_string()))?;
    let kinds: Vec<String> = kwargs.get("kinds")?;
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    let title: String = kwargs.get("title")?;
    let unit: String = kwargs.get("unit")?;
    kwargs.assert_all_used()?;
    Ok(picture::intervals(&title, &unit, &kinds, &rows))
}

fn colour_of(name: &str) -> Option<Colour> {
    Some(match name {
        "felt" => Colour::Felt,
        "mark" => Colour::Mark,
        "grey" => Colour::Grey,
        "blue" => Colour::Blue,
        "red" => Colour::Red,
        "gold" => Colour::Gold,
        _ => return None,
    })
}

/// A picture with ids that are unique on a page.
fn own_ids(svg: &str, file: &Path) -> String {
    let prefix = svg.split_once("-title\"").and_then(|(before, _)| before.rsplit_once('"'));
    let (Some((_, prefix)), Some(name)) = (prefix, file.file_stem()) else { return svg.to_owned() };
    let prefix = prefix.to_owned();
    let name = name.to_string_lossy();
    let ids = ["title", "text"].map(|id| (format!("{prefix}-{id}"), format!("{name}-{id}")));
    ids.iter().fold(svg.to_owned(), |svg, (from, to)| svg.replace(from, to))
}

/// An error with its causes.
pub(crate) fn detail(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}
