//! Exercise sheets, and classes that answer one.
//!
//! A [`Sheet`] is a number of exercises of one kind: with its answers and their prices on a page to
//! print, or given to a class. A class is a name and a sheet: whoever reaches the page writes a
//! name and answers each question once; the board has what everybody's answers cost. Questions are
//! made from the sheet's seed, which the page of a class does not show, so that nobody can look the
//! prices up before answering.
//!
//! A class is kept in its folder: the questions as they were when it was begun, with their prices,
//! so that they are the same for everybody whatever becomes of what they were made from; and a
//! [`Journal`] with the sheet and a line for each answer.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Form, Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::future::try_join_all;
use jiff::Timestamp;
use learners::mixed;
use logs::stats::Rate;
use parallel::lock;
use runs::{Form as JournalForm, Journal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::{decimal, percent};
use tokio_util::sync::CancellationToken;
use tower_http::set_header::SetResponseHeaderLayer;

use super::Limits;
use super::api::{DESCRIBED, Problem, read_json};
use super::decide::read_body;
use super::description::{Description, schema};
use super::exercises::{
    AnswerView, ExerciseView, Introduction, Sources, StepView, Trainer, read, wrong,
};
use super::hands::encoded;
use super::hosts::{self, Hosts};
use super::pages::{self, CardText, blocking, cards_of, is_name, page, text};

/// The most questions of a sheet.
const MOST_QUESTIONS: u32 = 30;
/// The most classes, and students of one.
const MOST_CLASSES: usize = 100;
const MOST_STUDENTS: usize = 200;
/// The most letters of a name, and of a sheet's query.
const LONGEST_NAME: usize = 40;
const LONGEST_SHEET: usize = 500;
/// Seeds are whole numbers in a browser, too.
const SEEDS: u64 = 1 << 48;
/// The hands that are tried for a question.
const TRIALS: u64 = 32;
/// The pause between two looks at the board.
const PAUSE: Duration = Duration::from_secs(1);

/// The paths of the API.
const CLASSES: &str = "/api/v1/classes";

/// The method of a path of the API that is not for GET alone; `None` for all others.
pub fn method(path: &str) -> Option<&'static str> {
    match path.strip_prefix(CLASSES)? {
        "" => Some("GET or POST"),
        rest => rest.ends_with("/answers").then_some("POST"),
    }
}

/// A number of exercises of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sheet {
    /// The kind: `shove-or-fold`, `last-bet`, `spot`, `rules`, `hand` or `match`.
    what: String,
    /// The solution or the match that the exercises are from; empty for other kinds.
    of: String,
    /// What else their path is asked with, as a query.
    query: String,
    /// Determines the questions.
    seed: u64,
    /// How many there are.
    count: u32,
}

impl Sheet {
    /// Reads the query of a sheet's address.
    ///
    /// # Errors
    /// When it has no kind, or a number that is none.
    fn read(pairs: &[(String, String)]) -> Result<Sheet, Problem> {
        let mut sheet = Sheet {
            what: String::new(),
            of: String::new(),
            query: String::new(),
            seed: 1,
            count: 12,
        };
        let number = |key: &str, value: &str, most: u64| match value.parse::<u64>() {
            Ok(number) if (1..=most).contains(&number) => Ok(number),
            _ => Err(wrong(format!("`{key}` is a number from 1 to {most}"))),
        };
        let mut rest = Vec::new();
        for (key, value) in pairs {
            match key.as_str() {
                "what" => sheet.what.clone_from(value),
                "id" => sheet.of.clone_from(value),
                "seed" => sheet.seed = number("seed", value, SEEDS)?,
                "count" => {
                    let count = number("count", value, MOST_QUESTIONS.into())?;
                    sheet.count = u32::try_from(count).unwrap_or(MOST_QUESTIONS);
                }
                // How long hands go on, which sheets do not.
                "length" => {}
                key => rest.push(format!("{}={}", encoded(key), encoded(value))),
            }
        }
        sheet.query = rest.join("&");
        if sheet.address().len() > LONGEST_SHEET {
            return Err(wrong("the sheet's address is too long"));
        }
        Ok(sheet)
    }

    /// The query of its address.
    fn address(&self) -> String {
        let Sheet { what, of, query, seed, count } = self;
        let mut text = format!("what={}", encoded(what));
        if !of.is_empty() {
            text += &format!("&id={}", encoded(of));
        }
        text += &format!("&seed={seed}&count={count}");
        if query.is_empty() { text } else { format!("{text}&{query}") }
    }

    /// The query of an exercise's path: the seed, and what else is asked for.
    fn query_with(&self, seed: u64) -> String {
        if self.query.is_empty() {
            format!("seed={seed}")
        } else {
            format!("seed={seed}&{}", self.query)
        }
    }

    /// A question, from 0. The other player may end a hand before anything is asked: then it is
    /// another hand.
    fn question(&self, sources: &Sources, number: u32) -> Result<ExerciseView, Problem> {
        for trial in 0..TRIALS {
            let seed = mixed(mixed(self.seed, number.into()), trial) % SEEDS;
            let made = sources.make(&self.what, &self.of, &self.query_with(seed))?;
            if !made.answers.is_empty() {
                return Ok(made);
            }
        }
        Err(wrong("nobody is asked anything there"))
    }

    /// The address at which a question is asked for training.
    fn trained_at(&self, exercise: &ExerciseView) -> String {
        let of = match self.of.as_str() {
            "" => String::new(),
            of => format!("&id={}", encoded(of)),
        };
        let query = self.query_with(exercise.seed);
        format!("/train?what={}{of}&length=one&{query}", encoded(&self.what))
    }

    /// What it asks, in words.
    fn title(&self) -> &'static str {
        match self.what.as_str() {
            "shove-or-fold" => "All-in or fold",
            "last-bet" => "The last bet",
            "spot" => "A solved spot",
            "rules" => "Rules of a street",
            "hand" => "Hands against an agent",
            _ => "Hands that were played",
        }
    }
}

/// The questions of a sheet, with their prices.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Questions {
    introduction: Introduction,
    list: Vec<ExerciseView>,
}

impl Questions {
    /// Makes all questions of a sheet, as many at a time as exercises are.
    async fn make(trainer: &Trainer, sheet: &Sheet) -> Result<Questions, Problem> {
        let of = sheet.clone();
        let introduced = move |sources: &Sources| sources.introduction(&of.what, &of.of, &of.query);
        let introduction = trainer.clone().work(introduced).await?;
        let list = (0..sheet.count).map(|number| {
            let sheet = sheet.clone();
            trainer.clone().work(move |sources| sheet.question(sources, number))
        });
        Ok(Questions { introduction, list: try_join_all(list).await? })
    }
}

/// An answer of a student, as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Given {
    student: String,
    /// The number of the question, from 0.
    question: u32,
    /// The answer's number, from 0.
    answer: usize,
    /// What it costs, as a share of the pot.
    share: f64,
    grade: String,
    at: Timestamp,
}

/// How a class is kept.
const FORM: JournalForm = JournalForm {
    run: "class",
    manifest: "class.toml",
    lines: "answers.jsonl",
    header: "",
    item: ["the answer", "an answer of a student"],
    key: |line| line,
    shared: false,
    ignored: &[],
    named: &[],
    foreign: &[],
};

/// The name of the file with the questions of a class.
const QUESTIONS: &str = "questions.json";

/// A class that is open.
struct Class {
    sheet: Sheet,
    questions: Questions,
    journal: Journal,
    given: Mutex<Vec<Given>>,
}

/// The classes; cheap to clone.
#[derive(Clone)]
pub struct Classes(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    /// Whether classes may be begun.
    begin: bool,
    trainer: Trainer,
    open: Mutex<BTreeMap<String, Arc<Class>>>,
    stop: CancellationToken,
}

/// A class in the list.
#[derive(Debug, Serialize, JsonSchema)]
struct ClassLine {
    /// Its name.
    class: String,
    /// What it is asked.
    what: String,
    questions: u32,
    students: usize,
    answers: usize,
    /// Why it cannot be shown; null if it can.
    problem: Option<String>,
}

/// What the answers of a class cost.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Board {
    /// The class's name.
    class: String,
    /// What it is asked: `shove-or-fold`, `last-bet`, `spot`, `rules`, `hand` or `match`.
    what: String,
    questions: u32,
    /// Those whose answers cost least on average first, of those with as many answers.
    students: Vec<StudentLine>,
    /// By question: how many answered it, and what their answers cost on average.
    by_question: Vec<QuestionLine>,
}

/// How a student did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct StudentLine {
    student: String,
    answered: usize,
    /// Answers that were the best or correct.
    good: usize,
    /// The mean price, as a share of the pot.
    mean: f64,
    /// Half of its 95 % interval over questions; null for fewer than two answers.
    half_width: Option<f64>,
}

/// How a question was answered.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct QuestionLine {
    answered: usize,
    /// The share of answers that were the best or correct; null without answers.
    good: Option<f64>,
    /// The mean price, as a share of the pot; null without answers.
    mean: Option<f64>,
}

/// A class to begin.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Begin {
    /// Its name in addresses: letters, digits, `-` and `_`.
    class: String,
    /// The query of the sheet's address, as in `what=shove-or-fold&stack=10&seed=7&count=12`.
    sheet: String,
}

/// A student's answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Answered {
    /// The name that the student has written.
    student: String,
    /// The number of the question, from 0.
    question: u32,
    /// The answer's number, from 0.
    answer: usize,
}

/// A name as people write it, without blanks around it.
fn name_of(text: &str) -> Result<String, Problem> {
    let name = text.trim();
    if is_name(name, LONGEST_NAME) {
        return Ok(name.to_owned());
    }
    let remedy = format!("write 1 to {LONGEST_NAME} letters that can be seen");
    Err(Problem::at_pointer("/student", "it is no name", remedy))
}

impl Classes {
    /// The classes in the folder `classes` of a data folder; new ones may be begun if `begin`.
    pub fn new(data: &FilePath, begin: bool, trainer: Trainer, stop: CancellationToken) -> Classes {
        let (folder, open) = (data.join("classes"), Mutex::default());
        Classes(Arc::new(Inner { folder, begin, trainer, open, stop }))
    }

    /// The names of all classes.
    fn names(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(&self.0.folder) else { return Vec::new() };
        let names = entries.flatten().filter(|entry| entry.path().join(FORM.manifest).is_file());
        let mut names: Vec<String> = names
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| is_class(name))
            .collect();
        names.sort();
        names
    }

    /// Whether a class may be begun under this name.
    ///
    /// # Errors
    /// When nobody may, the name is taken or none, or there are too many.
    fn check(&self, name: &str) -> Result<(), Problem> {
        if !self.0.begin {
            let remedy = "set `study.solve = \"all\"` in the configuration, if everybody who can \
                          reach the server may have it keep some";
            let error = "this server begins no classes for others";
            return Err(Problem::new(StatusCode::NOT_FOUND, error, remedy));
        }
        if !is_class(name) {
            let remedy = format!("write 1 to {LONGEST_NAME} letters, digits, `-` and `_`");
            return Err(Problem::at_pointer("/class", "it is no name of a class", remedy));
        }
        let known = self.names();
        if known.iter().any(|known| known == name) {
            let remedy = "take another, or delete its folder in `classes` of the data folder";
            return Err(Problem::new(
                StatusCode::CONFLICT,
                "there is a class of this name",
                remedy,
            ));
        }
        if known.len() >= MOST_CLASSES {
            let remedy = "delete some in `classes` of the data folder";
            return Err(Problem::new(StatusCode::CONFLICT, "there are too many classes", remedy));
        }
        Ok(())
    }

    /// Begins a class with these questions.
    ///
    /// # Errors
    /// As [`check`](Self::check), or when it cannot be written.
    fn begin(&self, name: &str, sheet: Sheet, questions: Questions) -> Result<(), Problem> {
        // Held, so that of two of one name one is refused.
        let mut open = lock(&self.0.open);
        self.check(name)?;
        let folder = self.0.folder.join(name);
        let written = std::fs::create_dir_all(&folder)
            .and_then(|()| Ok(serde_json::to_vec(&questions)?))
            .and_then(|json| {
                runs::write_whole(&folder.join(QUESTIONS), |out| out.write_all(&json))
            });
        written.map_err(|error| self.unreadable(name, &error))?;
        self.keep(&mut open, name, sheet, questions).map(drop)
    }

    /// Opens the journal of a class that is not open yet.
    fn keep(
        &self,
        open: &mut BTreeMap<String, Arc<Class>>,
        name: &str,
        sheet: Sheet,
        questions: Questions,
    ) -> Result<Arc<Class>, Problem> {
        let read = |line: &str| {
            let given: Given = serde_json::from_str(line).ok()?;
            Some((format!("{} {}", given.question, given.student), given))
        };
        let opened = Journal::open(&self.0.folder.join(name), &FORM, &sheet, None, read);
        let (journal, given) = opened.map_err(|error| self.unreadable(name, &error))?;
        let given = Mutex::new(given.into_iter().map(|(_, given)| given).collect());
        let class = Arc::new(Class { sheet, questions, journal, given });
        open.insert(name.to_owned(), Arc::clone(&class));
        Ok(class)
    }

    fn unreadable(&self, name: &str, error: &dyn std::fmt::Display) -> Problem {
        tracing::warn!(class = name, %error, "a class cannot be read or written");
        let code = StatusCode::SERVICE_UNAVAILABLE;
        Problem::new(code, "this class cannot be read or written now", "the server's log says why")
    }

    /// The class of this name.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    fn find(&self, name: &str) -> Result<Arc<Class>, Problem> {
        if let Some(class) = lock(&self.0.open).get(name) {
            return Ok(Arc::clone(class));
        }
        let folder = self.0.folder.join(name);
        if !is_class(name) || !folder.join(FORM.manifest).is_file() {
            let remedy = "`/api/v1/classes` lists the classes";
            return Err(Problem::new(StatusCode::NOT_FOUND, "there is no such class", remedy));
        }
        let mut open = lock(&self.0.open);
        if let Some(class) = open.get(name) {
            return Ok(Arc::clone(class));
        }
        let wrong = |error: &dyn std::fmt::Display| self.unreadable(name, error);
        let sheet = std::fs::read_to_string(folder.join(FORM.manifest));
        let sheet: Sheet = toml::from_str(&sheet.map_err(|error| wrong(&error))?)
            .map_err(|error| wrong(&error))?;
        let questions = std::fs::read(folder.join(QUESTIONS)).map_err(|error| wrong(&error))?;
        let questions: Questions =
            serde_json::from_slice(&questions).map_err(|error| wrong(&error))?;
        if questions.list.len() != sheet.count as usize {
            return Err(wrong(&format!("{QUESTIONS} has not as many questions as its sheet")));
        }
        self.keep(&mut open, name, sheet, questions)
    }

    fn board(&self, name: &str) -> Result<Board, Problem> {
        let class = self.find(name)?;
        let given = lock(&class.given).clone();
        Ok(Board::new(name, &class.sheet, &given))
    }

    fn all(&self) -> Vec<ClassLine> {
        let line = |name: String| match self.find(&name) {
            Ok(class) => {
                let given = lock(&class.given);
                ClassLine {
                    class: name,
                    what: class.sheet.what.clone(),
                    questions: class.sheet.count,
                    students: by_student(&given).len(),
                    answers: given.len(),
                    problem: None,
                }
            }
            Err(problem) => ClassLine {
                class: name,
                what: String::new(),
                questions: 0,
                students: 0,
                answers: 0,
                problem: Some(problem.words()),
            },
        };
        self.names().into_iter().map(line).collect()
    }

    /// Takes a student's answer, the first one to each question, and returns the question with its
    /// prices.
    fn answer(&self, name: &str, answered: &Answered) -> Result<ExerciseView, Problem> {
        let class = self.find(name)?;
        let student = name_of(&answered.student)?;
        let made = class.questions.list.get(answered.question as usize);
        let made = made.ok_or_else(|| wrong("there is no question with this number"))?;
        let answer = made.answers.get(answered.answer);
        let answer = answer.ok_or_else(|| wrong("there is no answer with this number"))?;
        let given = Given {
            student,
            question: answered.question,
            answer: answered.answer,
            share: answer.price / made.pot,
            grade: answer.grade.clone(),
            at: Timestamp::now(),
        };
        self.take(name, &class, given)?;
        Ok(made.clone())
    }

    fn take(&self, name: &str, class: &Class, given: Given) -> Result<(), Problem> {
        let mut all = lock(&class.given);
        let mine = |other: &Given| other.student == given.student;
        if all.iter().any(|other| mine(other) && other.question == given.question) {
            let remedy = "the first answer counts: go on with the next question";
            return Err(Problem::new(StatusCode::CONFLICT, "this question is answered", remedy));
        }
        if !all.iter().any(mine) && by_student(&all).len() >= MOST_STUDENTS {
            let remedy = "begin another class";
            return Err(Problem::new(StatusCode::CONFLICT, "the class is full", remedy));
        }
        let line = serde_json::to_string(&given).map_err(|error| self.unreadable(name, &error))?;
        class.journal.add(&(line + "\n")).map_err(|error| self.unreadable(name, &error))?;
        all.push(given);
        Ok(())
    }
}

/// Whether a text can be the name of a class, and of its folder.
fn is_class(name: &str) -> bool {
    let plain = |letter: u8| letter.is_ascii_alphanumeric() || b"-_".contains(&letter);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(plain)
}

fn by_student(given: &[Given]) -> BTreeMap<&str, Vec<&Given>> {
    let mut students: BTreeMap<&str, Vec<&Given>> = BTreeMap::new();
    for one in given {
        students.entry(&one.student).or_default().push(one);
    }
    students
}

fn is_good(given: &Given) -> bool {
    matches!(given.grade.as_str(), "best" | "correct")
}

/// The mean of prices, with half of its 95 % interval where there are two or more.
fn mean(shares: &[f64]) -> (f64, Option<f64>) {
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let square = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>();
    let error = (square / (count - 1.0) / count).sqrt();
    let answers = shares.len() as u64;
    let half = || Rate::from_error(mean, error, answers, answers).half_width();
    (mean, (answers > 1).then(half))
}

impl Board {
    fn new(name: &str, sheet: &Sheet, given: &[Given]) -> Board {
        let line = |(student, given): (&str, Vec<&Given>)| {
            let shares: Vec<f64> = given.iter().map(|one| one.share).collect();
            let (mean, half_width) = mean(&shares);
            let good = given.iter().filter(|one| is_good(one)).count();
            StudentLine {
                student: student.to_owned(),
                answered: given.len(),
                good,
                mean,
                half_width,
            }
        };
        let mut students: Vec<StudentLine> = by_student(given).into_iter().map(line).collect();
        students.sort_by(|a, b| b.answered.cmp(&a.answered).then(a.mean.total_cmp(&b.mean)));
        let question = |number: u32| {
            let here: Vec<&Given> = given.iter().filter(|one| one.question == number).collect();
            let shares: Vec<f64> = here.iter().map(|one| one.share).collect();
            let good = here.iter().filter(|one| is_good(one)).count();
            let some = !here.is_empty();
            QuestionLine {
                answered: here.len(),
                good: some.then(|| good as f64 / here.len() as f64),
                mean: some.then(|| mean(&shares).0),
            }
        };
        Board {
            class: name.to_owned(),
            what: sheet.what.clone(),
            questions: sheet.count,
            students,
            by_question: (0..sheet.count).map(question).collect(),
        }
    }
}

/// The routes of the pages and of the API.
pub fn router(classes: Classes, limits: Limits, hosts: &Hosts, api: &mut Description) -> Router {
    let list = api.get::<Vec<ClassLine>>(CLASSES, "classes", "The classes.");
    let operation = (
        "beginClass",
        "Begins a class.",
        "Everybody who reaches the server answers the sheet's questions under a name, each once.",
    );
    let begin = ("Begin", schema::<Begin>());
    let begin_path = api.post::<Board>(CLASSES, operation, begin, &[404, 408, 409, 415]);
    debug_assert_eq!(list, begin_path);
    let board = "What the answers of a class cost, by student and by question.";
    let board_path = api.get::<Board>("/api/v1/classes/{class}", "class", board);
    let operation = (
        "answerInClass",
        "Answers a question of a class.",
        "The first answer of a name to a question counts. What comes back is the question with \
         its prices.",
    );
    let answer = ("Answered", schema::<Answered>());
    let answer_path = "/api/v1/classes/{class}/answers";
    let answer_path =
        api.post::<ExerciseView>(answer_path, operation, answer, &[404, 408, 409, 415]);
    Router::new()
        .route("/train/sheet", get(sheet_page))
        .route("/train/classes", get(list_page).post(begin_by_form))
        .route("/train/class/{class}", get(class_page).post(answer_by_form))
        .route("/train/class/{class}/live", get(live))
        .route(list, get(list_document).post(begin_document))
        .route(board_path, get(board_document))
        .route(answer_path, post(answer_document))
        .layer(middleware::from_fn_with_state(Arc::new(hosts.clone()), hosts::from_here))
        // Without any referrer browsers do not say which page a form is from.
        .layer(SetResponseHeaderLayer::if_not_present(
            header::REFERRER_POLICY,
            HeaderValue::from_static("same-origin"),
        ))
        .with_state((classes, limits))
}

type Shared = State<(Classes, Limits)>;

async fn list_document(State((classes, _)): Shared) -> Result<Json<Vec<ClassLine>>, Response> {
    blocking(move || classes.all()).await.map(Json)
}

async fn board_document(
    State((classes, _)): Shared,
    Path(name): Path<String>,
) -> Result<Json<Board>, Response> {
    let board = blocking(move || classes.board(&name)).await?;
    board.map(Json).map_err(IntoResponse::into_response)
}

/// Begins a class with a sheet, whose questions are made now.
async fn begun(classes: &Classes, Begin { class, sheet }: Begin) -> Result<String, Problem> {
    let sheet = Sheet::read(&read::<Vec<(String, String)>>(&sheet)?)?;
    let (classes, name) = (classes.clone(), class.trim().to_owned());
    classes.check(&name)?;
    let questions = Questions::make(&classes.0.trainer, &sheet).await?;
    classes.begin(&name, sheet, questions)?;
    Ok(name)
}

async fn begin_document(
    State((classes, limits)): Shared,
    request: Request,
) -> Result<Json<Board>, Response> {
    let body = read_body(request, limits).await.map_err(IntoResponse::into_response)?;
    let asked: Begin = read_json(&body, DESCRIBED).map_err(IntoResponse::into_response)?;
    let name = begun(&classes, asked).await.map_err(IntoResponse::into_response)?;
    let board = blocking(move || classes.board(&name)).await?;
    board.map(Json).map_err(IntoResponse::into_response)
}

async fn answer_document(
    State((classes, limits)): Shared,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<ExerciseView>, Response> {
    let body = read_body(request, limits).await.map_err(IntoResponse::into_response)?;
    let answered: Answered = read_json(&body, DESCRIBED).map_err(IntoResponse::into_response)?;
    let made = blocking(move || classes.answer(&name, &answered)).await?;
    made.map(Json).map_err(IntoResponse::into_response)
}

async fn begin_by_form(State((classes, _)): Shared, Form(asked): Form<Begin>) -> Response {
    match begun(&classes, asked).await {
        Ok(name) => Redirect::to(&format!("/train/class/{name}")).into_response(),
        Err(problem) => problem.into_page(),
    }
}

async fn answer_by_form(
    State((classes, _)): Shared,
    Path(name): Path<String>,
    Form(answered): Form<Answered>,
) -> Result<Response, Response> {
    let student = encoded(answered.student.trim());
    let again = format!("/train/class/{}?student={student}", encoded(&name));
    let made = blocking(move || {
        let question = answered.question;
        classes.answer(&name, &answered)?;
        ClassPage::new(&classes, name, &answered.student, Some((question, answered.answer)))
    });
    match made.await? {
        Ok(made) => Ok(page(&made)),
        // As when the page is loaded again.
        Err(problem) if problem.code() == StatusCode::CONFLICT => {
            Ok(Redirect::to(&again).into_response())
        }
        Err(problem) => Ok(problem.into_page()),
    }
}

#[derive(Template)]
#[template(path = "class_list.html", config = ".askama.toml")]
struct ListPage {
    classes: Vec<ClassLine>,
}

async fn list_page(State((classes, _)): Shared) -> Result<Response, Response> {
    Ok(page(&ListPage { classes: blocking(move || classes.all()).await? }))
}

/// A question as it is printed.
struct Printed {
    /// From 1.
    number: u32,
    exercise: ExerciseView,
    trained_at: String,
}

#[derive(Template)]
#[template(path = "sheet.html", config = ".askama.toml")]
struct SheetPage {
    sheet: Sheet,
    questions: Vec<Printed>,
    introduction: Introduction,
    begin: bool,
}

impl SheetPage {
    /// The parts of the address that the form keeps.
    fn hidden(&self) -> Vec<(String, String)> {
        let mut hidden = vec![("what".to_owned(), self.sheet.what.clone())];
        if !self.sheet.of.is_empty() {
            hidden.push(("id".to_owned(), self.sheet.of.clone()));
        }
        hidden.extend(read::<Vec<(String, String)>>(&self.sheet.query).unwrap_or_default());
        hidden
    }
}

async fn sheet_page(
    State((classes, _)): Shared,
    query: Result<Query<Vec<(String, String)>>, QueryRejection>,
) -> Response {
    let read = query.map_err(|error| wrong(error.body_text()));
    let sheet = match read.and_then(|Query(pairs)| Sheet::read(&pairs)) {
        Ok(sheet) => sheet,
        Err(problem) => return problem.into_page(),
    };
    let Questions { introduction, list } = match Questions::make(&classes.0.trainer, &sheet).await {
        Ok(questions) => questions,
        Err(problem) => return problem.into_page(),
    };
    let questions = (1..).zip(list);
    let questions = questions.map(|(number, exercise)| Printed {
        number,
        trained_at: sheet.trained_at(&exercise),
        exercise,
    });
    page(&SheetPage { questions: questions.collect(), introduction, sheet, begin: classes.0.begin })
}

/// What a page of a class is asked with.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ClassQuery {
    /// The name that the student has written.
    student: String,
}

#[derive(Template)]
#[template(path = "class.html", config = ".askama.toml")]
struct ClassPage {
    class: String,
    title: &'static str,
    introduction: Introduction,
    questions: u32,
    student: String,
    /// The next question of the student, if one is left.
    next: Option<Printed>,
    /// The question that was just answered, with the answer's number.
    done: Option<(Printed, usize)>,
    /// The questions that the student has answered.
    answered: usize,
    board: String,
}

#[derive(Template)]
#[template(path = "class_board.html", config = ".askama.toml")]
struct BoardPart {
    board: Board,
}

async fn class_page(
    State((classes, _)): Shared,
    Path(name): Path<String>,
    query: Result<Query<ClassQuery>, QueryRejection>,
) -> Response {
    let asked = match query {
        Ok(Query(asked)) => asked,
        Err(error) => return wrong(error.body_text()).into_page(),
    };
    let made = blocking(move || ClassPage::new(&classes, name, &asked.student, None));
    match made.await {
        Ok(Ok(made)) => page(&made),
        Ok(Err(problem)) => problem.into_page(),
        Err(response) => response,
    }
}

impl ClassPage {
    /// The page for a student, or for nobody yet; `done` is the question that was just answered,
    /// with the answer: prices are shown to who has answered, and at no address.
    fn new(
        classes: &Classes,
        name: String,
        student: &str,
        done: Option<(u32, usize)>,
    ) -> Result<ClassPage, Problem> {
        let (class, board) = (classes.find(&name)?, classes.board(&name)?);
        let student = if student.is_empty() { String::new() } else { name_of(student)? };
        let given = lock(&class.given);
        let mine: BTreeSet<u32> = given
            .iter()
            .filter(|given| given.student == student)
            .map(|given| given.question)
            .collect();
        drop(given);
        let printed = |number: u32| -> Option<Printed> {
            let exercise = class.questions.list.get(number as usize)?.clone();
            let trained_at = class.sheet.trained_at(&exercise);
            Some(Printed { number: number + 1, exercise, trained_at })
        };
        let next = (0..class.sheet.count).find(|number| !mine.contains(number));
        let next = next.filter(|_| !student.is_empty()).and_then(printed);
        let done = done.and_then(|(number, answer)| Some((printed(number)?, answer)));
        Ok(ClassPage {
            title: class.sheet.title(),
            introduction: class.questions.introduction.clone(),
            questions: class.sheet.count,
            answered: mine.len(),
            board: text(&BoardPart { board }),
            class: name,
            student,
            next,
            done,
        })
    }

    fn live(&self) -> String {
        format!("/train/class/{}/live", encoded(&self.class))
    }
}

async fn live(State((classes, _)): Shared, Path(name): Path<String>) -> Response {
    if let Err(refusal) = classes.find(&name) {
        return refusal.into_response();
    }
    pages::live("board", classes.0.stop.clone(), PAUSE, move || {
        let (classes, name) = (classes.clone(), name.clone());
        async move {
            let board = classes.board(&name).ok()?;
            Some((text(&BoardPart { board }), PAUSE))
        }
    })
}

impl BoardPart {
    fn mean(&self, line: &StudentLine) -> String {
        let mean = percent(line.mean, 2);
        match line.half_width {
            Some(half) => format!("{mean} ± {}", decimal(100.0 * half, 2)),
            None => mean,
        }
    }

    fn share(&self, share: &Option<f64>, decimals: usize) -> String {
        share.map(|share| percent(share, decimals)).unwrap_or_default()
    }
}

impl Printed {
    fn cards(&self) -> Vec<CardText> {
        cards_of(&self.exercise.cards)
    }

    fn board(&self) -> Vec<CardText> {
        cards_of(&self.exercise.board)
    }

    /// Who acted, with the action; cards have nobody.
    fn step(&self, step: &StepView) -> (String, String) {
        let other = || self.exercise.other.clone();
        let who = match step.player {
            None => String::new(),
            Some(player) if player == self.exercise.player => "you".to_owned(),
            Some(player) => other().unwrap_or_else(|| format!("player {player}")),
        };
        (who, step.name.clone())
    }

    /// In the game of ten cards, the shares of both players' cards in words, the asked one's
    /// first.
    fn shares(&self) -> Vec<(&'static str, String)> {
        let Some(shares) = &self.exercise.shares else { return Vec::new() };
        let words = |player: usize| {
            let each = shares[player].iter().zip(1..);
            let each = each.map(|(share, card)| format!("{card}: {}", percent(*share, 0)));
            each.collect::<Vec<_>>().join(", ")
        };
        let own = self.exercise.player - 1;
        vec![("Your cards", words(own)), ("The other's", words(1 - own))]
    }

    fn unit(&self) -> &'static str {
        match self.exercise.unit.as_str() {
            "bb" => "big blinds",
            "pots" => "pots",
            _ => "chips",
        }
    }

    fn amount(&self, amount: &f64) -> String {
        decimal(*amount, if self.exercise.unit == "chips" { 2 } else { 3 })
    }

    fn often(&self, answer: &AnswerView) -> String {
        percent(answer.share, 0)
    }

    /// Between what the price is, where that is wider than what is shown.
    fn between(&self, answer: &AnswerView) -> String {
        let [least, most] = [&answer.least, &answer.most].map(|end| self.amount(end));
        if least == most { String::new() } else { format!("{least} to {most}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        let pair = |pair: &str| {
            let (key, value) = pair.split_once('=').expect("a pair");
            (key.to_owned(), value.to_owned())
        };
        text.split('&').map(pair).collect()
    }

    #[test]
    fn a_sheet_is_its_address_and_what_is_none_is_refused() -> Result<(), String> {
        let read = |text: &str| Sheet::read(&pairs(text)).map_err(|problem| problem.words());
        let text = "what=spot&id=abc&seed=7&count=3&player=1&from=x%20b66";
        let sheet = read("what=spot&id=abc&seed=7&count=3&length=hand&player=1&from=x b66")?;
        assert_eq!(sheet.address(), text);
        assert_eq!(sheet.query_with(5), "seed=5&player=1&from=x%20b66");
        for wrong in ["what=hand&count=0", "what=hand&count=31", "what=hand&seed=-1", "seed=x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read(&format!("what=hand&agent={}", "a".repeat(LONGEST_SHEET))).is_err());
        for (name, good) in [("poker-101", true), ("", false), ("..", false), ("a b", false)] {
            assert_eq!(is_class(name), good, "{name}");
        }
        Ok(())
    }

    #[test]
    fn a_board_has_means_with_intervals_and_the_first_of_those_with_as_many_answers() {
        let given = |student: &str, question: u32, share: f64, grade: &str| Given {
            student: student.to_owned(),
            question,
            answer: 0,
            share,
            grade: grade.to_owned(),
            at: Timestamp::UNIX_EPOCH,
        };
        let sheet = Sheet::read(&pairs("what=last-bet&count=3")).expect("a sheet");
        let all = [
            given("Ada", 0, 0.10, "mistake"),
            given("Ada", 1, 0.0, "best"),
            given("Bo", 0, 0.02, "inaccuracy"),
            given("Bo", 2, 0.0, "best"),
            given("Cy", 0, 0.0, "best"),
        ];
        let board = Board::new("c", &sheet, &all);
        let names: Vec<&str> = board.students.iter().map(|line| line.student.as_str()).collect();
        assert_eq!(names, ["Bo", "Ada", "Cy"]);
        let [bo, _, cy] = &board.students[..] else { panic!("three students") };
        // 0.02 and 0: the standard error of the mean is 0.01, Student's t for one degree 12.706.
        assert!((bo.mean - 0.01).abs() < 1e-12, "{bo:?}");
        assert!((bo.half_width.unwrap_or_default() - 0.12706).abs() < 1e-5, "{bo:?}");
        assert_eq!((cy.half_width, cy.good), (None, 1));
        let answered: Vec<usize> = board.by_question.iter().map(|line| line.answered).collect();
        assert_eq!(answered, [3, 1, 1]);
    }
}
