//! The journal of a run: a folder with a manifest, which says what is done in it, and a file of
//! keyed lines, one for each piece of work that is done.
//!
//! Lines stand in the order in which they were finished. A line that was cut short by the end of
//! the process is dropped when the folder is opened again.
//!
//! The folder of a part has the lines of some keys only, and its manifest names the part;
//! [`merge`] joins the parts.

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::hash::Hash;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Difference, Lock, LockError, Shard, ShardError};
use crate::{create_folder, difference, write_whole};

/// The manifest's key that names the part.
const SHARD: &str = "shard";

/// The manifest's key of what made it, which parts do not share.
const PROVENANCE: &str = "provenance";

/// Lines up to this length are quoted in messages.
const SHORT: usize = 200;

/// The form of a kind of journal.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// What is kept in it, in a word, as in `measurement`.
    pub run: &'static str,
    /// The name of the manifest: TOML, for people and for the next run.
    pub manifest: &'static str,
    /// The name of the file of lines.
    pub lines: &'static str,
    /// The first line, with its end; empty if there is none.
    pub header: &'static str,
    /// What a line describes, and with its article.
    pub item: [&'static str; 2],
    /// The key of a line.
    pub key: fn(&str) -> &str,
    /// Whether parts share pieces of work, and other files in the folder, which these made: a line
    /// may then be repeated.
    pub shared: bool,
    /// Fields of the manifest that may change, besides its provenance.
    pub ignored: &'static [&'static str],
    /// Words for fields of the manifest, see [`difference`].
    pub named: &'static [(&'static str, &'static str)],
    /// Files that only folders of other runs have, and what those hold, with its article.
    pub foreign: &'static [(&'static str, &'static str)],
}

/// The reason why a folder cannot be used, or parts cannot be joined.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum RunError {
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is in use by another process; wait for it, or choose another folder with \
             --out", .0.display())]
    InUse(PathBuf),
    #[error(
        "{} holds another {run}: {difference}; choose another folder with --out, or remove \
         this one", .path.display()
    )]
    Other { path: PathBuf, run: &'static str, difference: Box<Difference> },
    #[error("{}: {reason}; remove the folder to start again", .path.display())]
    Bad { path: PathBuf, reason: String },
    #[error(
        "this part would be empty: there are {0} results in all, so give at most as many parts"
    )]
    EmptyPart(u64),
    #[error("{} is not the folder of a {run}'s part: there is no {manifest} in it",
             .path.display())]
    NoPart { path: PathBuf, run: &'static str, manifest: &'static str },
    #[error("{} is not a part: it was made without --shard", .0.display())]
    Whole(PathBuf),
    #[error("{} and {} are not parts of the same {run}: their `{field}` \
             differs", .one.display(), .other.display())]
    Different { run: &'static str, one: PathBuf, other: PathBuf, field: String },
    #[error(transparent)]
    Parts(#[from] ShardError),
    #[error("{} already exists; choose another folder with --out", .0.display())]
    Exists(PathBuf),
}

impl RunError {
    /// The error of the system for a path.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> RunError + use<> {
        let path = path.to_path_buf();
        move |source| RunError::Io { path, source }
    }

    /// The error for a folder that holds another run than was asked for.
    pub fn other(path: &Path, run: &'static str, difference: Difference) -> RunError {
        RunError::Other { path: path.to_path_buf(), run, difference: Box::new(difference) }
    }

    /// Checks that a folder holds the part that was asked for; `None` is the whole run.
    ///
    /// # Errors
    /// [`RunError::Other`].
    pub fn check_part(
        path: &Path,
        run: &'static str,
        [ours, theirs]: [Option<Shard>; 2],
    ) -> Result<(), RunError> {
        if ours == theirs {
            return Ok(());
        }
        let name = |part: Option<Shard>| part.map_or("none".to_owned(), |of| of.to_string());
        let what = "part (--shard)".to_owned();
        let difference = Difference { what, ours: name(ours), theirs: name(theirs) };
        Err(RunError::other(path, run, difference))
    }
}

/// A journal that is open for appending; one process at a time can open it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// The lock on the file of lines itself.
    lock: Lock,
}

impl Journal {
    /// Makes the folder, or goes on with the same run, or the same part of it. Also returns what is
    /// done, in order: `read` gives the key and the result of a complete line.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn open<K: Hash + Eq + Clone + fmt::Display, R>(
        folder: &Path,
        form: &Form,
        manifest: &(impl Serialize + DeserializeOwned),
        shard: Option<Shard>,
        read: impl Fn(&str) -> Option<(K, R)>,
    ) -> Result<(Journal, Vec<(K, R)>), RunError> {
        create_folder(folder).map_err(RunError::io(folder))?;
        if let Some((_, what)) = form.foreign.iter().find(|(file, _)| folder.join(file).exists()) {
            let (ours, theirs) = (format!("a {}", form.run), (*what).to_owned());
            let difference = Difference { what: "kind".to_owned(), ours, theirs };
            return Err(RunError::other(folder, form.run, difference));
        }
        let path = folder.join(form.lines);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).map_err(RunError::io(&path))?;
        let lock = Lock::from_file(file).map_err(|error| match error {
            LockError::Taken(_) => RunError::InUse(folder.to_path_buf()),
            LockError::Io(source) => RunError::io(&path)(source),
        })?;
        let mut file = lock.file();
        check_manifest(folder, form, manifest, shard)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(RunError::io(&path))?;
        let bad = |reason| RunError::Bad { path: path.clone(), reason };
        let (mut known, mut keys) = (Vec::new(), HashSet::new());
        let first = 1 + usize::from(!form.header.is_empty());
        for (number, line) in (first..).zip(lines(&text, form).map_err(bad)?.lines()) {
            let quoted = if line.len() <= SHORT { format!(": '{line}'") } else { String::new() };
            let read = read(line);
            let (key, result) =
                read.ok_or_else(|| bad(format!("line {number} is not {}{quoted}", form.item[1])))?;
            if !keys.insert(key.clone()) && !form.shared {
                return Err(bad(format!("line {number}: {} {key} appears twice", form.item[0])));
            }
            known.push((key, result));
        }
        // In a new file, everything is dropped.
        let whole = complete(&text);
        file.set_len(whole.len() as u64).map_err(RunError::io(&path))?;
        file.seek(SeekFrom::End(0)).map_err(RunError::io(&path))?;
        if whole.is_empty() {
            file.write_all(form.header.as_bytes()).map_err(RunError::io(&path))?;
        }
        Ok((Journal { path, lock }, known))
    }

    /// Appends a line, which must end with a line feed.
    ///
    /// # Errors
    /// [`RunError::Io`].
    pub fn add(&self, line: &str) -> Result<(), RunError> {
        self.lock.file().write_all(line.as_bytes()).map_err(RunError::io(&self.path))
    }
}

/// The complete lines of a text.
fn complete(text: &str) -> &str {
    text.rfind('\n').map_or("", |end| &text[..=end])
}

/// The complete lines of a text after the header.
fn lines<'a>(text: &'a str, form: &Form) -> Result<&'a str, String> {
    match complete(text) {
        "" => Ok(""),
        whole => whole
            .strip_prefix(form.header)
            .ok_or_else(|| format!("line 1 is not the header of a {}", form.run)),
    }
}

/// Writes the manifest of a new folder, or compares it with that of an existing one.
fn check_manifest<M: Serialize + DeserializeOwned>(
    folder: &Path,
    form: &Form,
    manifest: &M,
    shard: Option<Shard>,
) -> Result<(), RunError> {
    let path = folder.join(form.manifest);
    let bad = |reason| RunError::Bad { path: path.clone(), reason };
    let Some(text) = read_if_there(&path)? else {
        let text = toml::to_string(manifest).map_err(|error| bad(error.to_string()))?;
        let part = shard.map_or_else(String::new, |shard| format!("{SHARD} = \"{shard}\"\n"));
        return write_text(&path, &(part + &text));
    };
    let (table, part) = read_manifest(&text).map_err(bad)?;
    let held: M =
        table.clone().try_into().map_err(|error: toml::de::Error| bad(error.to_string()))?;
    let known = toml::Table::try_from(&held).map_err(|error| bad(error.to_string()))?;
    if let Some(field) = table.keys().find(|field| !known.contains_key(*field)) {
        return Err(bad(format!("it has a field `{field}`, which this program does not know")));
    }
    RunError::check_part(folder, form.run, [shard, part])?;
    let ignored = [&[PROVENANCE], form.ignored].concat();
    let found = difference(manifest, &held, &ignored, form.named);
    found.map_or(Ok(()), |found| Err(RunError::other(folder, form.run, found)))
}

/// Parses a manifest and the part it names.
fn read_manifest(text: &str) -> Result<(toml::Table, Option<Shard>), String> {
    let mut manifest: toml::Table =
        text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let part = match manifest.remove(SHARD) {
        None => None,
        Some(toml::Value::String(text)) => {
            Some(text.parse().map_err(|error| format!("{SHARD}: {error}"))?)
        }
        Some(other) => return Err(format!("{SHARD} = {other} is not a part")),
    };
    Ok((manifest, part))
}

fn write_text(path: &Path, text: &str) -> Result<(), RunError> {
    write_whole(path, |out| out.write_all(text.as_bytes())).map_err(RunError::io(path))
}

/// The form of the journal in one of these folders; `None` if none has one.
pub fn form_of(folders: &[PathBuf], forms: &'static [Form]) -> Option<&'static Form> {
    let has = |form: &&Form| folders.iter().any(|folder| folder.join(form.lines).exists());
    let manifest = |form: &&Form| folders.iter().any(|folder| folder.join(form.manifest).exists());
    forms.iter().find(has).or_else(|| forms.iter().find(manifest))
}

/// Joins the folders of all parts of a run into a new one. The result is the same for any order of
/// the parts.
///
/// # Errors
/// [`RunError`].
pub fn merge(folders: &[PathBuf], form: &Form, out: &Path) -> Result<(), RunError> {
    if out.exists() {
        return Err(RunError::Exists(out.to_path_buf()));
    }
    let parts = folders.iter().map(|folder| Part::read(folder, form));
    let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
    parts.sort_by_key(|part| part.shard.index);
    let Some(first) = parts.first() else { return Ok(()) };
    for other in &parts {
        let field = if first.lines.is_some() == other.lines.is_some() {
            let found = difference(&first.table, &other.table, &[PROVENANCE], form.named);
            found.map(|found| found.what)
        } else {
            Some("kind".to_owned())
        };
        if let Some(field) = field {
            let (one, other) = (first.folder.to_path_buf(), other.folder.to_path_buf());
            return Err(RunError::Different { run: form.run, one, other, field });
        }
    }
    Shard::all(&parts.iter().map(|part| part.shard).collect::<Vec<_>>())?;
    let mut lines: Vec<&str> =
        parts.iter().filter_map(|part| part.lines.as_deref()).flat_map(str::lines).collect();
    if form.shared {
        let mut met = HashSet::new();
        lines.retain(|line| met.insert((form.key)(line)));
    } else {
        lines.sort_by_key(|line| sort_key(form, line));
        if let Some(pair) = lines.windows(2).find(|pair| (form.key)(pair[0]) == (form.key)(pair[1]))
        {
            let reason = format!("`{}` is in two parts", (form.key)(pair[0]));
            return Err(RunError::Bad { path: first.folder.join(form.lines), reason });
        }
    }
    create_folder(out).map_err(RunError::io(out))?;
    if form.shared {
        for part in &parts {
            copy(part.folder, out, &[form.manifest, form.lines])
                .map_err(RunError::io(part.folder))?;
        }
    }
    // The first line names the part.
    let manifest = first.manifest.split_once('\n').map_or("", |(_, rest)| rest);
    write_text(&out.join(form.manifest), manifest)?;
    let mut text = form.header.to_owned();
    lines.iter().for_each(|line| text.extend([line, "\n"]));
    // Only what is complete is done.
    write_text(&out.join(form.lines), &text)
}

/// Copies the files of a folder that the other one does not have, but for some.
fn copy(from: &Path, to: &Path, but: &[&str]) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&from, &to, &[])?;
        } else if !to.exists() && !but.iter().any(|name| entry.file_name() == *name) {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

/// The key of a line, for sorting: its number, or its text.
fn sort_key<'a>(form: &Form, line: &'a str) -> (u64, &'a str) {
    let key = (form.key)(line);
    (key.parse().unwrap_or_default(), key)
}

/// The folder of a part, read for merging.
struct Part<'a> {
    folder: &'a Path,
    shard: Shard,
    manifest: String,
    table: toml::Table,
    /// `None` if there is no file of them.
    lines: Option<String>,
}

impl Part<'_> {
    fn read<'a>(folder: &'a Path, form: &Form) -> Result<Part<'a>, RunError> {
        let path = folder.join(form.manifest);
        let Some(manifest) = read_if_there(&path)? else {
            let (run, manifest) = (form.run, form.manifest);
            return Err(RunError::NoPart { path: folder.to_path_buf(), run, manifest });
        };
        let (table, shard) =
            read_manifest(&manifest).map_err(|reason| RunError::Bad { path, reason })?;
        let shard = shard.ok_or_else(|| RunError::Whole(folder.to_path_buf()))?;
        let path = folder.join(form.lines);
        let text = read_if_there(&path)?;
        let lines = text.map(|text| lines(&text, form).map(str::to_owned)).transpose();
        let lines = lines.map_err(|reason| RunError::Bad { path, reason })?;
        Ok(Part { folder, shard, manifest, table, lines })
    }
}

/// The text of a file; `None` if there is none.
fn read_if_there(path: &Path) -> Result<Option<String>, RunError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RunError::io(path)(error)),
    }
}
