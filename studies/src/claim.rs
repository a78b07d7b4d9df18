//! Published claims beside the results of a study.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::sections::{Section, row};

/// A published claim.
pub(crate) struct Claim {
    pub(crate) claim: Cow<'static, str>,
    /// Whether the result is as near to the claim as its text requires.
    pub(crate) holds: bool,
    pub(crate) found: String,
}

/// The section of a report that lists claims.
pub(crate) fn section(claims: Vec<Claim>) -> Section {
    let mut table = vec![row(["claim", "", "found"])];
    table.extend(claims.into_iter().map(|Claim { claim, holds, found }| {
        vec![claim.into_owned(), word(holds).to_owned(), found]
    }));
    Section { title: "What reproduces".to_owned(), table, wide: true, ..Section::default() }
}

/// The claims as part of a JSON document.
pub(crate) fn document(claims: Vec<Claim>) -> Value {
    let claim = |Claim { claim, holds, found }| {
        json!({
            "claim": claim, "reproduced": word(holds), "found": found,
        })
    };
    claims.into_iter().map(claim).collect()
}

fn word(holds: bool) -> &'static str {
    if holds { "reproduced" } else { "not reproduced" }
}
