//! The audit page: what happened, and whether the log is intact; and a session replayed beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::Deserialize;
use skillyard_audit::{AuditEntry, Filter, read, read_page, verify};

use super::{Frame, NoPage, Page, PathInput, elsewhere, shown};
use crate::problem::Problem;
use crate::replay::{Replayed, unknown_filter};
use crate::server::Server;

/// How many events a page shows.
const MAX_EVENTS: usize = 200;

/// What the reader wants to see.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct AuditQuery {
    #[serde(default)]
    skill: String,
    #[serde(default)]
    event: String,
    #[serde(default)]
    session: String,
    #[serde(default)]
    outcome: String,
    /// Only events before this number; what is none is left out.
    #[serde(default)]
    before: String,
}

impl AuditQuery {
    /// The address of the events before a number, or of the newest.
    fn address(&self, before: Option<u64>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let chosen = [
            ("skill", &self.skill),
            ("event", &self.event),
            ("session", &self.session),
            ("outcome", &self.outcome),
        ];
        query.extend_pairs(chosen.iter().filter(|(_, value)| !value.is_empty()));
        if let Some(before) = before {
            query.append_pair("before", &before.to_string());
        }
        match query.finish() {
            query if query.is_empty() => "/audit".to_owned(),
            query => format!("/audit?{query}"),
        }
    }
}

#[derive(Template)]
#[template(path = "audit.html")]
struct AuditPage {
    frame: Frame,
    active: &'static str,
    wanted: AuditQuery,
    rows: Vec<EventRow>,
    events: u64,
    fault: Option<String>,
    /// What is asked for and cannot be in any log.
    wrong: Option<String>,
    /// Where the newest are, if these are not.
    newest: Option<String>,
    /// Where older ones are.
    older: Option<String>,
}

/// An event as a page shows it.
pub(super) struct EventRow {
    pub(super) seq: u64,
    pub(super) time: String,
    pub(super) event: String,
    pub(super) skill: String,
    pub(super) session: String,
    pub(super) actor: String,
    /// With which token and role they did it, and who agreed.
    pub(super) holder: String,
    pub(super) trigger: String,
    /// What it was about, where that is more than the skill.
    pub(super) what: String,
    pub(super) outcome: String,
    pub(super) reason: String,
}

/// `GET /audit`.
pub(crate) async fn page(
    State(server): State<Arc<Server>>,
    frame: Frame,
    wanted: Result<Query<AuditQuery>, QueryRejection>,
) -> Page {
    // What makes no sense is left out.
    let Query(wanted) = wanted.unwrap_or_default();
    let within = frame.clone();
    let composed = elsewhere(move || compose(&server, within, wanted)).await;
    match composed.and_then(|page| page) {
        Ok(page) => Ok(shown(&page)),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

fn compose(server: &Server, frame: Frame, wanted: AuditQuery) -> Result<AuditPage, Problem> {
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let filter = Filter {
        skill: given(&wanted.skill),
        event: given(&wanted.event),
        session: given(&wanted.session),
        outcome: given(&wanted.outcome),
        limit: Some(MAX_EVENTS),
        before: wanted.before.trim().parse().ok(),
        ..Filter::default()
    };
    let folder = server.host.audit_folder();
    let (reading, older) = read_page(folder, &filter)?;
    let verdict = verify(folder, None)?;
    let entries = reading.lines.iter().rev();
    Ok(AuditPage {
        active: "audit",
        rows: entries.filter_map(|line| EventRow::of(line)).collect(),
        events: verdict.events,
        fault: verdict.fault.map(|fault| fault.to_string()),
        wrong: unknown_filter(filter.event.as_deref(), filter.outcome.as_deref()),
        newest: filter.before.map(|_| wanted.address(None)),
        older: older.map(|before| wanted.address(Some(before))),
        frame,
        wanted,
    })
}

/// Who did something over the server, where it asks for tokens: an account has many.
fn holder(detail: &BTreeMap<String, String>) -> String {
    let named = |what: &str, token: &str, role: &str| {
        let token = detail.get(token)?;
        let role = detail.get(role).map_or("", String::as_str);
        Some(format!("{what} {token} ({role})"))
    };
    let parts = [
        named("token", "token", "role"),
        named("agreed by", "decider", "decider_role"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

impl EventRow {
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let entry = AuditEntry::parse(line)?;
        let about = ["script", "path", "command", "tool", "agent", "model"];
        let what = about.iter().find_map(|key| entry.detail.get(*key));
        let text =
            |value: Option<std::borrow::Cow<'_, str>>| value.unwrap_or_default().into_owned();
        Some(Self {
            seq: entry.seq,
            time: entry.time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
            event: entry.event.into_owned(),
            skill: text(entry.skill),
            session: text(entry.session),
            what: what.cloned().unwrap_or_default(),
            actor: entry.actor.into_owned(),
            holder: holder(&entry.detail),
            trigger: text(entry.trigger),
            outcome: entry.outcome.into_owned(),
            reason: text(entry.reason),
        })
    }
}

/// How many events a page shows.
const MAX_REPLAYED: usize = 500;

#[derive(Template)]
#[template(path = "replay.html")]
struct ReplayPage {
    frame: Frame,
    active: &'static str,
    replayed: Replayed,
    rows: Vec<EventRow>,
}

/// `GET /audit/replay/{session}`.
pub(crate) async fn replay(
    State(server): State<Arc<Server>>,
    frame: Frame,
    PathInput(session): PathInput<String>,
) -> Page {
    let within = frame.clone();
    let composed = elsewhere(move || compose_replay(&server, within, &session)).await;
    match composed.and_then(|page| page) {
        Ok(page) => Ok(shown(&page)),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

fn compose_replay(server: &Server, frame: Frame, session: &str) -> Result<ReplayPage, Problem> {
    let replayed = server.replayed(session)?;
    let filter = Filter {
        session: Some(session.to_owned()),
        limit: Some(MAX_REPLAYED),
        ..Filter::default()
    };
    let reading = read(server.host.audit_folder(), &filter)?;
    let lines = reading.lines.iter();
    Ok(ReplayPage {
        active: "audit",
        replayed,
        rows: lines.filter_map(|line| EventRow::of(line)).collect(),
        frame,
    })
}
