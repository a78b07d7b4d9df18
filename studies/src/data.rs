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
//! - `report.md.j2` is the report in the form that [`Section::parse`] reads. What stands before its
//!   first heading is the first thing on all pages.
//! - The other templates are tables in CSV; an empty one is left out.
//!
//! Templates know `scale`, `trial`, `device`, `options` and `published`, and the functions and
//! filters of [`Engine::new`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, ValueKind, ViaDeserialize};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, State, UndefinedBehavior, Value};
use serde::Deserialize;
use show::markdown::cell;
use show::number;
use show::svg::chart::ChartData;
use show::svg::intervals::Intervals;

use crate::claims::{self, Claim, Estimate};
use crate::record::Record;
use crate::report::{self, Frame, Section};
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

impl Data {
    fn text(&self, name: &str) -> &'static str {
        let text = self.texts.iter().find(|(known, _)| *known == name);
        text.unwrap_or_else(|| panic!("{} has no {name}", self.folder)).1
    }

    /// The same with the texts that are in a folder, which stay for as long as the program runs.
    pub(crate) fn replaced(&self, folder: &Path) -> Result<&'static Data, crate::Error> {
        if !self.texts.iter().any(|(name, _)| folder.join(name).is_file()) {
            return Err(crate::Error::file(folder, "it has none of a study's texts"));
        }
        let text = |&(name, built_in): &(&'static str, &'static str)| match folder.join(name) {
            path if !path.exists() => Ok((name, built_in)),
            path => std::fs::read_to_string(&path)
                .map(|text| (name, &*text.leak()))
                .map_err(|error| crate::Error::file(&path, error)),
        };
        let texts = self.texts.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        Ok(Box::leak(Box::new(Data { texts: texts.leak(), ..*self })))
    }

    /// The steps, in order.
    pub(crate) fn steps(&self, options: &Options) -> Result<Vec<Step>, crate::Error> {
        let engine = Engine::new(options, None);
        let steps = || -> Result<Vec<Step>, Error> {
            let text = engine.render("steps.toml", self, &engine.published(self)?)?;
            let file: StepsFile =
                toml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
            file.step.into_iter().map(|step| step.resolved(options)).collect()
        };
        steps().map_err(|error| crate::Error(format!("steps.toml: {}", detail(&error))))
    }

    /// The report of what is in the folder.
    pub(crate) fn report(
        &self,
        options: &Options,
        record: &Record,
    ) -> Result<Report, crate::Error> {
        let engine = Engine::new(options, Some(record.clone()));
        self.made(&engine, options, record).map_err(|error| {
            let file = locked(&engine.outside.error).take();
            file.unwrap_or_else(|| crate::Error::damaged(&options.folder, detail(&error)))
        })
    }

    fn made(&self, engine: &Engine, options: &Options, record: &Record) -> Result<Report, Error> {
        let results = engine.set_by("steps.toml", self, &engine.published(self)?)?;
        let heading = results.get_attr("published")?.get_attr("heading")?.to_string();
        let results = engine.set_by("results.j2", self, &results)?;
        let claims = engine.render("claims.toml", self, &results)?;
        let claims: ClaimsFile =
            toml::from_str(&claims).map_err(|error| invalid(error.to_string()))?;
        let judged = claims::judged(options, claims.claim, &|place| engine.measured(place))?;
        let table = Value::from_safe_string(claims::table(&judged));
        let context = minijinja::context! { claims => table, ..results.clone() };
        let trial = if options.is_trial() { options.scale_in_words() } else { String::new() };
        let text = trial + "\n\n" + &engine.render("report.md.j2", self, &context)?;
        let mut sections = Section::parse(&text);
        if options.is_trial() {
            sections.iter_mut().for_each(Section::mark_trial);
        }
        let pictures = sections.iter().flat_map(Section::pictures);
        let pictures = pictures.map(|name| Ok((name.to_owned(), engine.outside.picture(name)?)));
        let pictures = pictures.collect::<Result<BTreeMap<String, String>, Error>>()?;
        let set = |name: &str| results.get_attr(name).ok().filter(|value| !value.is_undefined());
        let document = set("document").and_then(|value| serde_json::to_value(value).ok());
        let document = document.and_then(|value| value.as_object().cloned());
        let mut document = document.ok_or_else(|| invalid("`document` is no object".to_owned()))?;
        document.insert("scale".to_owned(), options.scale.into());
        document.insert("claims".to_owned(), claims::document(&judged));
        let made = set("made").map_or_else(String::new, |made| format!("{made} "));
        let frame = Frame {
            heading: &heading,
            made: made + &options.scale_in_words(),
            commands: set("commands").map_or_else(String::new, |text| text.to_string()),
        };
        // The number, as in the names of the pictures of all studies.
        let prefix = self.folder.split_inclusive('-').next().unwrap_or_default();
        let mut files = vec![
            ("page.md".to_owned(), report::markdown(&heading, &sections, prefix)),
            ("report.html".to_owned(), report::page(&frame, record, &sections, &pictures)?),
        ];
        for &name in self.tables {
            let table = engine.render(&format!("{name}.j2"), self, &results)?;
            files.extend((!table.trim().is_empty()).then(|| (name.to_owned(), table)));
        }
        let drawn = locked(&engine.outside.drawn);
        for section in &sections {
            let own = section
                .pictures()
                .filter(|name| !section.is_extra() || drawn.iter().any(|(drawn, _)| drawn == name));
            files.extend(own.map(|name| (format!("{prefix}{name}"), pictures[name].clone())));
        }
        files.push(("results.json".to_owned(), engine.outside.results(record)));
        Ok(Report { text: report::text(&sections), document: document.into(), files })
    }
}

impl StepData {
    fn resolved(self, options: &Options) -> Result<Step, Error> {
        let folder = options.folder.join("").display().to_string();
        let word = |word: String| {
            let text = ["=", ","].iter().fold(word, |text, sign| {
                text.replace(&format!("{sign}@/"), &format!("{sign}{folder}"))
            });
            text.strip_prefix("@/").map_or_else(|| text.clone(), |rest| folder.clone() + rest)
        };
        let at = |path: String| options.folder.join(path);
        let action = match (self.command, self.copy) {
            (None, Some(CopyData { from, to })) => Action::Copy { from: at(from), to: at(to) },
            (command, _) => {
                let command = command.unwrap_or_default();
                let words = shlex::split(&command).ok_or_else(|| {
                    invalid(format!("{}: an open quote in {command}", self.title))
                })?;
                Action::Command {
                    arguments: words.into_iter().map(word).collect(),
                    prints: self.output.map(at),
                    makes: self.makes.map(at),
                }
            }
        };
        Ok(Step { title: self.title, action })
    }
}

/// What functions of templates read and make outside the templates.
#[derive(Debug, Default)]
struct Outside {
    folder: PathBuf,
    /// The error of a file that could not be read.
    error: Mutex<Option<crate::Error>>,
    /// The outputs that were read, by the names of their files.
    read: Mutex<BTreeMap<String, serde_json::Value>>,
    /// The pictures that were drawn, by the names of their files.
    drawn: Mutex<Vec<(String, String)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Outside {
    /// Keeps the error of a file, and gives one for the template.
    fn failed(&self, error: crate::Error) -> Error {
        let short = Error::new(ErrorKind::InvalidOperation, error.to_string());
        *locked(&self.error) = Some(error);
        short
    }

    fn file(&self, name: &str) -> Result<String, Error> {
        let path = self.folder.join(name);
        std::fs::read_to_string(&path)
            .map_err(|error| self.failed(crate::Error::file(&path, error)))
    }

    fn text(&self, name: &str) -> Result<String, Error> {
        let text = self.file(name)?;
        locked(&self.read).insert(name.to_owned(), text.clone().into());
        Ok(text)
    }

    fn json(&self, name: &str) -> Result<serde_json::Value, Error> {
        let damaged = |error: serde_json::Error| {
            self.failed(crate::Error::damaged(&self.folder.join(name), error.to_string()))
        };
        let value: serde_json::Value = serde_json::from_str(&self.file(name)?).map_err(damaged)?;
        locked(&self.read).insert(name.to_owned(), value.clone());
        Ok(value)
    }

    /// A picture that was drawn or is in the folder, with ids that are unique on a page.
    fn picture(&self, name: &str) -> Result<String, Error> {
        let drawn = locked(&self.drawn).iter().find(|(file, _)| file == name).cloned();
        match drawn {
            Some((_, svg)) => Ok(svg),
            None => Ok(own_ids(&self.file(name)?, Path::new(name))),
        }
    }

    /// All that the report was made from, in one document: the steps done, and what was read of
    /// their outputs.
    fn results(&self, record: &Record) -> String {
        let read = &*locked(&self.read);
        format!("{}\n", serde_json::json!({ "steps": record.done, "files": read }))
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
            let chart = ChartData::deserialize(Value::from(kwargs))?;
            let svg = chart.draw(file.trim_end_matches(".svg"));
            locked(&files.drawn).push((file, svg));
            Ok::<_, Error>(Value::UNDEFINED)
        });
        let files = Arc::clone(&outside);
        environment.add_function("intervals", move |file: String, kwargs: Kwargs| {
            let svg = Intervals::deserialize(Value::from(kwargs))?.draw();
            locked(&files.drawn).push((file, svg));
            Ok::<_, Error>(Value::UNDEFINED)
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
        environment.add_filter("fixed", number::fixed);
        environment.add_filter("power", |value: f64| format!("{value:.0e}"));
        environment.add_filter("whole", |value: f64| number::whole(value as u64));
        environment.add_filter("percent", number::percent);
        environment.add_filter("signed", number::signed_minus);
        environment.add_filter("minutes", number::minutes);
        environment.add_filter("quote", |word: String| {
            let quoted = shlex::try_quote(&word).map_err(|error| invalid(error.to_string()))?;
            Ok::<_, Error>(quoted.into_owned())
        });
        environment
            .add_filter("estimate", |value: Value| estimate(&value).map(Value::from_serialize));
        environment
            .add_filter("ends", |value: Value| estimate(&value).map(|it| vec![it.low, it.high]));
        environment.add_filter("sign", |ViaDeserialize(value): Given| value.sign());
        environment.add_filter("half", |ViaDeserialize(value): Given| value.half_width());
        environment.add_filter("rate", |ViaDeserialize(value): Given| {
            let half = number::fixed(value.half_width(), 0);
            format!("{} ± {half}", number::signed_minus(value.mbb, 0))
        });
        environment.add_function(
            "difference",
            |ViaDeserialize(one): Given, ViaDeserialize(other): Given| {
                Value::from_serialize(one.difference_to(other))
            },
        );
        environment.add_filter("pick", |of: Value, names: Vec<String>| -> Result<Value, Error> {
            let parts = names.into_iter().map(|name| Ok((name.clone(), of.get_attr(&name)?)));
            parts.collect::<Result<Value, Error>>()
        });
        environment.add_filter("cell", |text: String| Value::from_safe_string(cell(&text)));
        // Cells of a row of Markdown, joined.
        environment.add_filter("cells", |cells: Vec<Value>| {
            let cells = cells.iter().map(|value| cell(&value.to_string()));
            Value::from_safe_string(cells.collect::<Vec<_>>().join(" | "))
        });
        environment.set_auto_escape_callback(|name| {
            let kinds = ["toml", "csv.j2", "md.j2"];
            let kind = kinds.into_iter().find(|ending| name.ends_with(ending));
            kind.map_or(AutoEscape::None, AutoEscape::Custom)
        });
        environment.set_formatter(|out, state, value| {
            let text = match (value.kind(), state.auto_escape()) {
                // As in TOML and JSON, and not as in Python.
                (ValueKind::Bool, _) => value.is_true().to_string(),
                (ValueKind::String, AutoEscape::Custom(kind)) if !value.is_safe() => {
                    escaped(kind, &value.to_string())
                }
                _ => value.to_string(),
            };
            out.write_str(&text).map_err(Error::from)
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
        self.environment_for(name).render_named_str(name, data.text(name), context)
    }

    /// `context` with what a template sets.
    fn set_by(&self, name: &str, data: &Data, context: &Value) -> Result<Value, Error> {
        let template = self.environment_for(name).template_from_named_str(name, data.text(name))?;
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

    fn environment_for(&self, name: &str) -> &Environment<'static> {
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

/// A text of a value in a file of this kind: inside a string of TOML, as a field of CSV, or in a
/// table of Markdown.
fn escaped(kind: &str, text: &str) -> String {
    let letter = |letter: char| match letter {
        '\\' | '"' => format!("\\{letter}"),
        letter if letter.is_control() => format!("\\u{:04X}", u32::from(letter)),
        letter => letter.to_string(),
    };
    match kind {
        "toml" => text.chars().map(letter).collect(),
        "csv.j2" if text.contains([',', '"', '\n']) => format!("\"{}\"", text.replace('"', "\"\"")),
        "md.j2" => cell(text),
        _ => text.to_owned(),
    }
}

/// An estimate that a template got from `estimate` or `difference`.
type Given = ViaDeserialize<Estimate>;

/// An estimate with its interval, in one of the forms in which commands print them.
fn estimate(value: &Value) -> Result<Estimate, Error> {
    let value = serde_json::Value::deserialize(value)?;
    let middle = ["mbb", "mean"].iter().find_map(|name| value.get(name)?.as_f64());
    let found = claims::interval(&value).zip(middle);
    found
        .map(|([low, high], mbb)| Estimate { mbb, low, high })
        .ok_or_else(|| invalid(format!("no estimate: {value}")))
}

/// The mean of some numbers, their standard deviation, how many there are, and half the width of
/// the mean's 95 % interval by Student's distribution.
fn spread(values: &[f64]) -> Value {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let freedom = (count - 1.0).max(1.0);
    let deviation = (squares / freedom).sqrt();
    // The quantile, by powers of one over the degrees of freedom (Fisher and Cornish).
    let terms = [1.589_56, 2.555_86, 2.822_51, 2.372_27, 1.959_964];
    let quantile = terms.into_iter().reduce(|sum, term| sum / freedom + term).unwrap_or_default();
    let half_width = quantile * deviation / count.sqrt();
    minijinja::context! { mean, deviation, half_width, count => values.len() }
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
