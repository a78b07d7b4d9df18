//! Tests of the records of a match, one module for each part.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod anytime;
mod checks;
mod estimate;
mod export;
mod gamelog;
mod hands;
mod import;
mod integrity;
mod journal;
mod ledger;
mod other_formats;
mod phh;
mod results;
mod select;
mod site_files;
mod stats;
mod web_run;
