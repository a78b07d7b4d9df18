//! Published claims beside the results of a study.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::Options;
use crate::sections::{Section, row};

/// What stands for a verdict in a trial.
pub(crate) const TRIAL: &str = "trial";

/// A published claim.
pub(crate) struct Claim {
    pub(crate) claim: Cow<'static, str>,
    /// Whether the result is as near to the claim as its text requires.
    pub(crate) holds: bool,
    pub(crate) found: String,
}

/// The section of a report that lists claims.
pub(crate) fn section(options: &Options, claims: Vec<Claim>) -> Section {
    let mut table = vec![row(["claim", "", "found"])];
    table.extend(claims.into_iter().map(|Claim { claim, holds, found }| {
        vec![claim.into_owned(), word(options, holds).to_owned(), found]
    }));
    Section { title: "What reproduces".to_owned(), table, wide: true, ..Section::default() }
}

/// The claims as part of a JSON document.
pub(crate) fn document(options: &Options, claims: Vec<Claim>) -> Value {
    let claim = |Claim { claim, holds, found }| {
        json!({
            "claim": claim, "reproduced": word(options, holds), "found": found,
        })
    };
    claims.into_iter().map(claim).collect()
}

fn word(options: &Options, holds: bool) -> &'static str {
    match holds {
        _ if options.is_trial() => TRIAL,
        true => "reproduced",
        false => "not reproduced",
    }
}
