//! Intermediate results of a run, from the parts done so far: hands, and the cross table.

use ::queue::Status;
use logs::Rate;
use logs::stats::CrossTable;
use serde_json::Value;

/// The number of hands and the cross table of a part, from the JSON document of its command.
pub(super) fn of_part(document: &str) -> (u64, Option<Value>) {
    let Ok(document) = serde_json::from_str::<Value>(document) else { return (0, None) };
    let hands = |of: &Value| of["hands"].as_u64().unwrap_or_default();
    let matches = document["matches"].as_array();
    let all = matches.map_or_else(|| hands(&document), |all| all.iter().map(hands).sum());
    let table = document.get("crosstable").cloned();
    (all, table.or_else(|| serde_json::to_value(of_match(&document)?).ok()))
}

/// The cross table of a match between two, from its report.
fn of_match(report: &Value) -> Option<CrossTable> {
    let entrants = report["entrants"].as_array().filter(|entrants| entrants.len() == 2)?;
    let names = entrants.iter().map(|entrant| entrant["name"].as_str().map(str::to_owned));
    let mut table = CrossTable::new(names.collect::<Option<_>>()?);
    let rate = &entrants[0]["rate"];
    let number = |key: &str| rate[key].as_f64();
    let (mbb, error) = (number("mbb")?, number("standard_error")?);
    table.set(
        0,
        1,
        Rate::from_error(mbb, error, rate["hands"].as_u64()?, rate["groups"].as_u64()?),
    );
    Some(table)
}

/// The pooled cross table of the parts done so far; `None` if the command has none.
pub(crate) fn table(status: &Status) -> Option<CrossTable> {
    let tables = status.done.iter().filter_map(|done| done.table.clone());
    let tables: Vec<CrossTable> =
        tables.map(serde_json::from_value).collect::<Result<_, _>>().ok()?;
    CrossTable::pooled(&tables)
}
