//! The pages under `docs/studies/`: they are what the commands write, to the byte.
//!
//! `results.json.gz` in a study's folder is the `results.json` of the run that its page documents.
//! To document another run, compress the file of the run's folder (`gzip -9n`); to write the pages
//! again after a change of templates, run `CARDROOM_WRITE_PAGES=1 cargo test -p studies pages`.

use std::fs;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;
use studies::record::{Done, Record};
use studies::{Action, Options, Report, STUDIES, Study};

/// Studies whose results are rules for people.
const OF_RULES: [&str; 3] = ["001", "002", "003"];

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/studies")
}

/// The results of the documented run.
fn results(study: &Study) -> Value {
    let folders = fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the folder of studies");
    let folder = folders
        .map(|entry| entry.expect("an entry").path())
        .find(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(study.number))
        })
        .expect("the study's folder");
    let file = fs::File::open(folder.join("results.json.gz")).expect("its results");
    serde_json::from_reader(GzDecoder::new(file)).expect("a document")
}

/// The report that these results give.
fn report(study: &Study, results: &Value) -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options::new(folder.path().to_owned());
    let write = |name: &Path, content: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, content).expect("written");
    };
    for (name, content) in results["files"].as_object().expect("outputs by name") {
        match content {
            Value::String(text) => write(Path::new(name), text),
            document => write(Path::new(name), &document.to_string()),
        }
    }
    // Pictures that steps draw are kept among the pages, those of `report.html` alone nowhere.
    for step in study.steps(&options).expect("steps") {
        let Action::Command { arguments, .. } = step.action else { continue };
        for drawn in arguments.iter().skip_while(|argument| *argument != "--svg").skip(1).take(1) {
            let name = Path::new(drawn).strip_prefix(folder.path()).expect("in the folder");
            let kept = docs().join(format!("{}-{}", study.number, name.display()));
            let empty = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_owned();
            write(name, &fs::read_to_string(kept).unwrap_or(empty));
        }
    }
    let mut record = Record::open(study.number, &options, "the program").expect("a record");
    let done: Vec<Done> = serde_json::from_value(results["steps"].clone()).expect("steps");
    for done in done {
        record.add(done).expect("recorded");
    }
    study.report(&options, &record).expect("a report")
}

#[test]
fn pages_in_docs_are_what_the_commands_write() {
    let writes = std::env::var_os("CARDROOM_WRITE_PAGES").is_some();
    for study in STUDIES {
        let report = report(&study, &results(&study));
        let page = report.files.iter().find(|(name, _)| name == "page.md").expect("a page");
        let pictures =
            report.files.iter().filter(|(name, _)| page.1.contains(&format!("({name})")));
        let of_page = [(format!("{}.md", study.number), &page.1)];
        let of_page =
            of_page.into_iter().chain(pictures.map(|(name, content)| (name.clone(), content)));
        for (name, content) in of_page {
            let path = docs().join(&name);
            if writes {
                fs::write(path, content).expect("written");
            } else {
                let kept = fs::read_to_string(path).unwrap_or_default();
                let same = kept.lines().zip(content.lines()).take_while(|(a, b)| a == b).count();
                assert!(
                    kept == *content,
                    "docs/studies/{name} is another from line {}; CARDROOM_WRITE_PAGES=1 cargo \
                     test -p studies pages writes it",
                    same + 1
                );
            }
        }
    }
}

#[test]
fn rules_are_the_first_thing_on_pages_about_rules() {
    for number in OF_RULES {
        let Some(study) = STUDIES.iter().find(|study| study.number == number) else { continue };
        let report = report(study, &results(study));
        for (name, heading, rules) in
            [("page.md", "\n## ", "```"), ("report.html", "<h2>", "<pre>")]
        {
            let file = report.files.iter().find(|(file, _)| file == name).expect("a page");
            let first = file.1.split(heading).next().unwrap_or_default();
            assert!(first.contains(rules), "study {number}, {name}: {first}");
        }
    }
}

#[test]
fn pictures_on_pages_name_no_folder_of_the_machine_that_drew_them() {
    for entry in fs::read_dir(docs()).expect("the pages") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("text");
        for folder in ["/work/", "/home/", "/root/", "/tmp/", "/Users/"] {
            let found = text.lines().find(|line| line.contains(folder));
            assert!(found.is_none(), "{}: {found:?}", path.display());
        }
    }
}
