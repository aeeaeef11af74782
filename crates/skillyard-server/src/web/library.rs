//! The library: all skills, found by words and narrowed by source, trust and status.

use std::collections::HashMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::Deserialize;
use skillyard_catalog::CatalogSkill;

use super::{Frame, NoPage, Page, elsewhere, shown};
use crate::server::Server;
use crate::view::SkillSummary;

/// How many skills a page shows.
const PAGE: usize = 60;

/// What the reader wants to see.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct LibraryQuery {
    #[serde(default)]
    q: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    trust: String,
    #[serde(default)]
    page: usize,
}

#[derive(Template)]
#[template(path = "library.html")]
struct LibraryPage {
    frame: Frame,
    active: &'static str,
    wanted: LibraryQuery,
    sources: Vec<String>,
    skills: Vec<(SkillSummary, String)>,
    /// What is locked, revoked and in no folder, and why.
    revoked: Vec<(String, String)>,
    found: usize,
    total: usize,
    enabled: usize,
    /// Whether skills are offered at all.
    offered: bool,
    previous: Option<String>,
    next: Option<String>,
}

/// `GET /skills`.
pub(crate) async fn page(
    State(server): State<Arc<Server>>,
    frame: Frame,
    wanted: Result<Query<LibraryQuery>, QueryRejection>,
) -> Page {
    // What makes no sense is left out.
    let Query(wanted) = wanted.unwrap_or_default();
    let within = frame.clone();
    let page = elsewhere(move || compose(&server, within, wanted)).await;
    let page = page.map_err(|problem| NoPage::new(frame, problem))?;
    Ok(shown(&page))
}

fn compose(server: &Server, frame: Frame, wanted: LibraryQuery) -> LibraryPage {
    let snapshot = server.catalog.snapshot();
    let all = &snapshot.catalog.skills;
    let tiers = server.host.tiers(all);
    let names = all.iter().map(|skill| skill.record.name.as_str());
    let tiers: HashMap<&str, &String> = names.zip(&tiers).collect();
    let tier = |skill: &CatalogSkill| {
        let tier = tiers.get(skill.record.name.as_str());
        tier.map(|tier| (*tier).clone()).unwrap_or_default()
    };
    let found: Vec<&CatalogSkill> = if wanted.q.trim().is_empty() {
        all.iter().collect()
    } else {
        let hits = snapshot.search(&wanted.q, all.len());
        hits.into_iter().map(|(skill, _)| skill).collect()
    };
    let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
    let found: Vec<&CatalogSkill> = found
        .into_iter()
        .filter(|skill| is(&wanted.source, skill.kind.as_str()))
        .filter(|skill| is(&wanted.status, skill.status.as_str()))
        .filter(|skill| is(&wanted.trust, &tier(skill)))
        .collect();
    let mut sources: Vec<String> = all.iter().map(|it| it.kind.as_str().to_owned()).collect();
    sources.sort_unstable();
    sources.dedup();
    let first = wanted.page.saturating_mul(PAGE).min(found.len());
    let last = first.saturating_add(PAGE).min(found.len());
    let address = |page: usize| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("q", &wanted.q);
        query.append_pair("source", &wanted.source);
        query.append_pair("status", &wanted.status);
        query.append_pair("trust", &wanted.trust);
        query.append_pair("page", &page.to_string());
        format!("/skills?{}", query.finish())
    };
    let viewer = frame.viewer(server);
    let revoked = absent(server, &wanted).into_iter();
    let revoked = revoked.map(|(name, reason)| (name, viewer.redactor().redact(&reason)));
    LibraryPage {
        revoked: revoked.collect(),
        active: "library",
        offered: server.host.offers_skills(),
        sources,
        skills: found[first..last]
            .iter()
            .map(|skill| (SkillSummary::of(skill, &viewer), tier(skill)))
            .collect(),
        found: found.len(),
        total: all.len(),
        enabled: all
            .iter()
            .filter(|skill| skill.status.as_str() == "enabled")
            .count(),
        previous: (first > 0).then(|| address(wanted.page.saturating_sub(1))),
        next: (last < found.len()).then(|| address(wanted.page + 1)),
        frame,
        wanted,
    }
}

/// What is locked, revoked and in no folder: it has neither a source nor a tier, and its name is all
/// that words can be found in.
fn absent(server: &Server, wanted: &LibraryQuery) -> Vec<(String, String)> {
    let is_status = wanted.status.is_empty() || wanted.status == "revoked";
    let is_wanted = is_status && wanted.source.is_empty() && wanted.trust.is_empty();
    if !is_wanted || wanted.page > 0 {
        return Vec::new();
    }
    let words = wanted.q.to_lowercase();
    let mut absent = server.host.revoked_absent();
    absent.retain(|(name, _)| words.split_whitespace().all(|word| name.contains(word)));
    absent
}
