//! Endpoints for supervisors: liveness, readiness and version.

use std::io::Write;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;

use super::{COMMIT, Site, VERSION};

/// The least free bytes in the data folder.
const PROBE_SIZE: usize = 256 << 10;

/// Liveness: the process answers.
pub async fn alive() -> &'static str {
    "alive\n"
}

/// A readiness check and its result.
#[derive(Debug, Serialize)]
pub struct Check {
    name: &'static str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Readiness: 200 if matches can be played and recorded, otherwise 503 and the reason.
pub async fn ready(State(site): State<Site>) -> (StatusCode, Json<Vec<Check>>) {
    let for_check = site.clone();
    let writable = tokio::task::spawn_blocking(move || {
        let matches = for_check.data().join("matches");
        let file = matches.join(format!(".ready-{}", std::process::id()));
        std::fs::create_dir_all(&matches)?;
        let written = std::fs::File::create(&file)?.write_all(&[0; PROBE_SIZE]);
        std::fs::remove_file(&file)?;
        written
    });
    let writable = match writable.await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(format!("{}: {error}", site.data().display())),
        Err(error) => Some(error.to_string()),
    };
    let check = |name, reason: Option<String>| Check { name, ok: reason.is_none(), reason };
    let no_agents = site.agents().is_empty().then(|| "there are no agents".to_owned());
    let draining = site.draining().then(|| "the server is stopping".to_owned());
    let checks = vec![
        check("records can be written", writable),
        check("agents are loaded", no_agents),
        check("new matches are accepted", draining),
    ];
    let ok = checks.iter().all(|check| check.ok);
    (if ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, Json(checks))
}

/// The version, and the commit it was built from (null if unknown).
pub async fn version() -> Json<serde_json::Value> {
    Json(serde_json::json!({ "name": "cardroom", "version": VERSION, "commit": COMMIT }))
}
