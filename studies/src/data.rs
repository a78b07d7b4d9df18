//! Studies as data: the steps, the published figures, the claims and the report of a study are
//! texts in its folder beside `src`, compiled into the program.
//!
//! All are templates of [minijinja](https://docs.rs/minijinja). `steps.toml` gives the steps,
//! `published.toml` the figures of the paper, `results.j2` names the figures that are read from the
//! steps' outputs, `claims.toml` compares them, `report.md.j2` is the report, and the other
//! templates are tables in CSV.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, Value, escape_formatter};
use serde::Deserialize;
use show::number;
use show::svg::Colour;
use show::svg::chart::{Chart, Line};

use crate::claims::{self, Claim};
use crate::page::Frame;
use crate::read::{self, ReadError};
use crate::record::Record;
use crate::sections::Section;
use crate::{Action, Options, Report, Step};

/// The texts of a study.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) folder: &'static str,
    pub(crate) steps: &'static str,
    pub(crate) published: &'static str,
    pub(crate) results: &'static str,
    pub(crate) claims: &'static str,
    pub(crate) report: &'static str,
    /// The templates of tables, by the names of their files.
    pub(crate) tables: &'static [(&'static str, &'static str)],
}

/// The texts in a study's folder, with these tables.
macro_rules! data {
    ($folder:literal, $($table:literal),*) => {
        crate::data::Data {
            folder: $folder,
            steps: include_str!(concat!("../", $folder, "/steps.toml")),
            published: include_str!(concat!("../", $folder, "/published.toml")),
            results: include_str!(concat!("../", $folder, "/results.j2")),
            claims: include_str!(concat!("../", $folder, "/claims.toml")),
            report: include_str!(concat!("../", $folder, "/report.md.j2")),
            tables: &[$(($table, include_str!(concat!("../", $folder, "/", $table, ".j2")))),*],
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

/// A step. Words that begin with `@/`, or have it after `=` or `,`, are paths in the study's folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepData {
    title: String,
    /// A command after the program's name, as for a shell.
    command: String,
    /// The file in the study's folder that the command's output is written to.
    output: Option<String>,
    /// Whether the device of networks' training is added.
    #[serde(default)]
    device: bool,
}

/// What `claims.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimsFile {
    claim: Vec<Claim>,
}

/// The head of `published.toml`.
#[derive(Deserialize)]
struct PublishedFile {
    /// The heading of the page, and the paragraph below it.
    heading: String,
    about: String,
}

impl Data {
    /// The steps, in order.
    pub(crate) fn steps(&self, options: &Options) -> Vec<Step> {
        let engine = Engine::new(options);
        let text = engine.published(self).and_then(|context| {
            engine.render("steps.toml", &dev(self.folder, "steps.toml", self.steps), &context)
        });
        let text = text.unwrap_or_else(|error| panic!("steps.toml: {error:#}"));
        let file: StepsFile =
            toml::from_str(&text).unwrap_or_else(|error| panic!("steps.toml: {error}: {text}"));
        file.step.into_iter().map(|step| step.resolved(options)).collect()
    }

    /// The report of what is in the folder.
    pub(crate) fn report(&self, options: &Options, record: &Record) -> Result<Report, ReadError> {
        let engine = Engine::new(options);
        self.made(&engine, options, record).map_err(|error| engine.explained(error, options))
    }

    fn made(&self, engine: &Engine, options: &Options, record: &Record) -> Result<Report, Error> {
        let invalid =
            |error: toml::de::Error| Error::new(ErrorKind::BadSerialization, error.to_string());
        let head: PublishedFile =
            toml::from_str(&dev(self.folder, "published.toml", self.published)).map_err(invalid)?;
        let published = engine.published(self)?;
        let (results, document) =
            engine.results(&dev(self.folder, "results.j2", self.results), &published)?;
        let claims: ClaimsFile = toml::from_str(&engine.render(
            "claims.toml",
            &dev(self.folder, "claims.toml", self.claims),
            &results,
        )?)
        .map_err(invalid)?;
        let verdicts =
            claims::verdicts(options, claims.claim, &|pointer| engine.measured(pointer))?;
        let context = minijinja::context! {
            claims => claims::table(&verdicts), ..results.clone()
        };
        let sections = Section::parse(&engine.render(
            "report.md.j2",
            &dev(self.folder, "report.md.j2", self.report),
            &context,
        )?);
        let mut files = Vec::new();
        for (name, template) in self.tables {
            files.push((
                (*name).to_owned(),
                engine.render(
                    name,
                    &dev(self.folder, &format!("{name}.j2"), template),
                    &results,
                )?,
            ));
        }
        let mut document: serde_json::Map<String, serde_json::Value> = document;
        document.insert("scale".to_owned(), options.scale.into());
        document.insert("claims".to_owned(), claims::document(&verdicts));
        let frame = Frame {
            title: &head.heading,
            about: &head.about,
            made: options.scale_in_words(),
            commands: String::new(),
        };
        let sections = engine.with_pictures(sections)?;
        let drawn: Vec<String> =
            engine.outside.drawn().iter().map(|(name, _)| name.clone()).collect();
        Report::new(&frame, record, &sections, files, &drawn, document.into())
            .map_err(|error| engine.failed(error))
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
        let words = shlex::split(&self.command)
            .unwrap_or_else(|| panic!("{}: an open quote in {}", self.title, self.command));
        let mut arguments: Vec<String> = words.into_iter().map(word).collect();
        if let Some(device) = options.device.filter(|_| self.device) {
            arguments.extend(["--device", device].map(str::to_owned));
        }
        let prints = self.output.map(|output| options.folder.join(output));
        Step { title: self.title, action: Action::Command { arguments, prints, makes: None } }
    }
}

/// What functions of templates read and make outside the templates.
#[derive(Debug, Default)]
struct Outside {
    folder: PathBuf,
    /// The error of a file that could not be read.
    error: Mutex<Option<ReadError>>,
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
    fn failed(&self, error: ReadError) -> Error {
        let short = Error::new(ErrorKind::InvalidOperation, error.to_string());
        *locked(&self.error) = Some(error);
        short
    }

    fn text(&self, name: &str) -> Result<String, Error> {
        read::text(&self.folder.join(name)).map_err(|error| self.failed(error))
    }

    fn json(&self, name: &str) -> Result<serde_json::Value, Error> {
        read::read(&self.folder.join(name)).map_err(|error| self.failed(error))
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
    fn new(options: &Options) -> Engine {
        let outside = Arc::new(Outside { folder: options.folder.clone(), ..Outside::default() });
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_keep_trailing_newline(true);
        environment.add_global("scale", options.scale);
        environment.add_global("trial", options.is_trial());
        let scale = options.scale;
        environment.add_function("scaled", move |whole: f64, least: f64, kwargs: Kwargs| {
            let step = kwargs.get::<Option<f64>>("step")?.unwrap_or(1.0);
            let share = match kwargs.get::<Option<bool>>("root")? {
                Some(true) => scale.sqrt(),
                _ => scale,
            };
            kwargs.assert_all_used()?;
            Ok((step * (whole * share / step).round()).max(least) as u64)
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
        environment.add_function("collect", || Value::from_object(Collected::default()));
        environment.add_function("spread", spread);
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
        let table: toml::Table =
            toml::from_str(&dev(data.folder, "published.toml", data.published))
                .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
        Ok(minijinja::context! { published => Value::from_serialize(&table) })
    }

    fn render(&self, name: &str, template: &str, context: &Value) -> Result<String, Error> {
        let environment = match name.ends_with(".toml") {
            true => &self.toml,
            false => &self.environment,
        };
        environment.render_named_str(name, template, context)
    }

    /// What `results.j2` sets: all of it with `context`, and the part for the JSON document.
    fn results(
        &self,
        template: &str,
        context: &Value,
    ) -> Result<(Value, serde_json::Map<String, serde_json::Value>), Error> {
        let template = self.environment.template_from_named_str("results.j2", template)?;
        let captured = template.render_captured(context)?;
        let state = captured.state();
        let values = state
            .exports()
            .into_iter()
            .filter_map(|name| state.lookup(name).map(|value| (name.to_owned(), value)));
        let all: std::collections::BTreeMap<String, Value> = values.collect();
        let document = all.get("document").cloned().unwrap_or_default();
        let document = serde_json::to_value(document)
            .ok()
            .and_then(|value| value.as_object().cloned())
            .ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "`document` is no object"))?;
        Ok((minijinja::context! { ..Value::from(all), ..context.clone() }, document))
    }

    /// The value at `FILE#POINTER` in the study's folder.
    fn measured(&self, place: &str) -> Result<serde_json::Value, Error> {
        let (file, pointer) = place.split_once('#').unwrap_or((place, ""));
        let document = self.outside.json(file)?;
        document.pointer(pointer).cloned().ok_or_else(|| {
            let path = self.outside.folder.join(file);
            let what = format!("there is nothing at {pointer}");
            self.failed(ReadError::damaged(&path, what))
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

    fn failed(&self, error: ReadError) -> Error {
        self.outside.failed(error)
    }

    /// The reason why a report could not be made: a file, or what a template expects of the files.
    fn explained(&self, error: Error, options: &Options) -> ReadError {
        let file = locked(&self.outside.error).take();
        file.unwrap_or_else(|| ReadError::damaged(&options.folder, detail(&error)))
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

/// The mean of some numbers, their standard deviation, how many there are, and half the width of
/// the mean's 95 % interval.
fn spread(values: Vec<f64>) -> Value {
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
    let invalid = |text: String| Error::new(ErrorKind::InvalidOperation, text);
    let lines = serde_json::to_value(kwargs.get::<Value>("lines")?)
        .and_then(serde_json::from_value::<Vec<LineData>>)
        .map_err(|error| invalid(format!("{file}: {error}")))?;
    let along: String = kwargs.get("along")?;
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
        ..Chart::new(file.trim_end_matches(".svg"), kwargs.get::<String>("title")?, &along)
    }
    .file();
    kwargs.assert_all_used()?;
    Ok(svg)
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
    let class = svg.split_once("class=\"").and_then(|(_, rest)| rest.split_once('"'));
    let (Some((class, _)), Some(name)) = (class, file.file_stem()) else { return svg.to_owned() };
    let name = name.to_string_lossy();
    let ids = ["title", "text"].map(|id| (format!("{class}-{id}"), format!("{name}-{id}")));
    ids.iter().fold(svg.to_owned(), |svg, (from, to)| svg.replace(from, to))
}

fn dev(folder: &str, name: &str, text: &str) -> String {
    match std::env::var("STUDIES_DEV") {
        Ok(dir) => std::fs::read_to_string(format!("{dir}/{folder}/{name}")).unwrap(),
        Err(_) => text.to_owned(),
    }
}

/// An error with its causes.
fn detail(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}
