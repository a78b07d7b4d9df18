//! What a paper says, beside what was found.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::sections::{Section, row};

/// A published claim.
pub(crate) struct Claim {
    pub(crate) claim: Cow<'static, str>,
    /// Whether what was found is as near to it as the claim's text says.
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

/// Claims as part of a document.
pub(crate) fn document(claims: Vec<Claim>) -> Value {
    let claim = |Claim { claim, holds, found }| json!({ "claim": claim, "reproduced": word(holds), "found": found });
    claims.into_iter().map(claim).collect()
}

fn word(holds: bool) -> &'static str {
    if holds { "reproduced" } else { "not reproduced" }
}
