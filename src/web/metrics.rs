//! Metrics in Prometheus's text format. Counters are incremented where things happen; gauges are
//! set when the page is requested. No label names a hand or a match.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use metrics::{describe_counter, describe_gauge, describe_histogram, gauge};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

use super::{Site, VERSION};

/// The bounds of histograms for times, in seconds: 10 µs to 10 s.
const BOUNDS: [f64; 13] =
    [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0];

/// Installs the recorder; call once in a process.
pub fn start() -> Result<PrometheusHandle, BuildError> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BOUNDS)?
        .install_recorder()?;
    describe_gauge!("cardroom_build_info", "Always 1; its label is the version.");
    describe_counter!("cardroom_hands_total", "Hands finished at a table.");
    describe_counter!("cardroom_decisions_total", "Actions played, by agent, street and kind.");
    describe_histogram!("cardroom_decision_seconds", "Time for a decision, by agent.");
    describe_counter!(
        "cardroom_fallbacks_total",
        "Fallbacks: checks or folds in place of a missing answer."
    );
    describe_counter!("cardroom_illegal_actions_total", "Actions that had to be corrected.");
    describe_counter!("cardroom_refused_total", "Bots that were turned away at a table.");
    describe_counter!("cardroom_http_requests_total", "Web requests, by the code of the answer.");
    describe_histogram!("cardroom_db_commit_seconds", "Time to record a hand.");
    describe_gauge!("cardroom_matches_active", "Matches being played at hosted tables.");
    describe_gauge!("cardroom_queue_depth", "Bots waiting for a seat.");
    describe_gauge!("cardroom_winrate_mbb", "Win rate in the running match, mbb per hand.");
    describe_gauge!(
        "cardroom_winrate_ci_halfwidth_mbb",
        "Half the width of its 95 % interval, mbb per hand."
    );
    describe_gauge!("cardroom_uptime_seconds", "Time since the start.");
    gauge!("cardroom_build_info", "version" => VERSION).set(1.0);
    Ok(handle)
}

/// The metrics page.
pub async fn page(State(site): State<Site>) -> Response {
    refresh(&site);
    let text = site.metrics().render();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

fn refresh(site: &Site) {
    let mut active = 0u32;
    for view in site.tables() {
        let status = view.status();
        let table = || status.name.clone();
        for (i, seat) in status.seats.iter().enumerate() {
            let name = || seat.name.clone();
            if seat.address.is_some() {
                gauge!("cardroom_queue_depth", "table" => table(), "seat" => name())
                    .set(seat.waiting as f64);
            }
            let playing = status.playing.as_ref();
            if let Some(rate) = playing.and_then(|playing| playing.rates[i]) {
                gauge!(
                    "cardroom_winrate_mbb", "kind" => "raw", "table" => table(), "agent" => name()
                )
                .set(rate.mbb);
                gauge!(
                    "cardroom_winrate_ci_halfwidth_mbb", "table" => table(), "agent" => name()
                )
                .set(rate.half_width());
            }
        }
        active += u32::from(status.playing.is_some());
    }
    gauge!("cardroom_matches_active").set(f64::from(active));
    gauge!("cardroom_uptime_seconds").set(site.uptime().as_secs_f64());
}
