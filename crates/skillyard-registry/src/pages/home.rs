//! `GET /`: all skills, or those that fit some words and choices.

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;

use super::card::Card;
use super::facets::{Facet, facets};
use super::{page, with_query};
use crate::error::RegistryError;
use crate::search::{Question, Sort};
use crate::server::Server;
use crate::store::skills::SkillRow;

/// How many skills stand on a page, and the furthest page.
const PAGE: usize = 25;
const FURTHEST: usize = 1_000_000;
/// The longest question.
const LONGEST: usize = 400;

/// What the reader wants to see; what makes no sense is left out.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub(crate) struct Wanted {
    /// Words to look for.
    pub(super) q: String,
    /// Only of this owner.
    pub(super) owner: String,
    /// Only with this licence.
    pub(super) license: String,
    /// Only with this tag.
    pub(super) tag: String,
    /// `yes`: only with scripts, `no`: only without.
    pub(super) scripts: String,
    /// `signed`, `unsigned`, `clean` or `findings`.
    pub(super) trust: String,
    /// `relevance`, `name`, `downloads` or `updated`.
    pub(super) sort: String,
    /// How many to leave out at the start.
    offset: usize,
}

impl Wanted {
    /// The address of the first page, with one choice made otherwise.
    pub(super) fn address(&self, key: &str, value: &str) -> String {
        let other = |(name, kept)| (name, if name == key { value } else { kept });
        with_query("/", &self.pairs().map(other))
    }

    fn pairs(&self) -> [(&'static str, &str); 7] {
        [
            ("q", &self.q),
            ("owner", &self.owner),
            ("license", &self.license),
            ("tag", &self.tag),
            ("scripts", &self.scripts),
            ("trust", &self.trust),
            ("sort", &self.sort),
        ]
    }

    fn question(&self) -> Question {
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        Question {
            words: self.q.clone(),
            owner: some(&self.owner),
            license: some(&self.license),
            tag: some(&self.tag),
            scripts: match self.scripts.as_str() {
                "yes" => Some(true),
                "no" => Some(false),
                _ => None,
            },
            sort: match self.sort.as_str() {
                "name" => Sort::Name,
                "downloads" => Sort::Downloads,
                "updated" => Sort::Updated,
                // Without words there is nothing to be relevant to.
                _ if self.q.trim().is_empty() => Sort::Updated,
                _ => Sort::Relevance,
            },
            offset: 0,
            limit: usize::MAX,
        }
    }

    fn trusts(&self, skill: &SkillRow) -> bool {
        match self.trust.as_str() {
            "signed" => skill.latest.signer.is_some(),
            "unsigned" => skill.latest.signer.is_none(),
            "clean" => skill.latest.verdict == "clean",
            "findings" => skill.latest.verdict != "clean",
            _ => true,
        }
    }

    /// The ways to sort, with their addresses, and which one it is.
    fn orders(&self) -> Vec<(&'static str, String, bool)> {
        let chosen = self.question().sort;
        let all = [
            ("Best match", "", Sort::Relevance),
            ("New", "updated", Sort::Updated),
            ("Most fetched", "downloads", Sort::Downloads),
            ("By name", "name", Sort::Name),
        ];
        let has_words = !self.q.trim().is_empty();
        all.into_iter()
            .filter(|(.., sort)| has_words || *sort != Sort::Relevance)
            .map(|(label, value, sort)| (label, self.address("sort", value), sort == chosen))
            .collect()
    }
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    /// The command that makes this registry the default one.
    configure: String,
    words: String,
    /// Choices that typing keeps.
    kept: Vec<(&'static str, String)>,
    all: usize,
    total: usize,
    facets: Vec<Facet>,
    orders: Vec<(&'static str, String, bool)>,
    skills: Vec<Card>,
    previous: Option<String>,
    next: Option<String>,
}

/// Look for skills
#[utoipa::path(get, path = "/", tag = "pages", params(Wanted),
    responses((status = 200, description = "a page", content_type = "text/html")))]
pub(crate) async fn home(
    State(server): State<Server>,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response, RegistryError> {
    let mut wanted = wanted.map(|query| query.0).unwrap_or_default();
    wanted.q = wanted.q.chars().take(LONGEST).collect();
    let offset = wanted.offset.min(FURTHEST);
    let registry = &server.registry;
    let picture = registry.search.picture(&registry.database).await?;
    let (mut found, _) = picture.ask(&wanted.question());
    found.retain(|skill| wanted.trusts(skill));
    let total = found.len();
    let offered = picture.skills().iter();
    let all = offered
        .filter(|skill| skill.latest.yanked.is_none())
        .count();
    let at = |offset: usize| {
        let first = wanted.address("", "");
        let mark = if first.contains('?') { '&' } else { '?' };
        match offset {
            0 => first,
            offset => format!("{first}{mark}offset={offset}"),
        }
    };
    let kept = wanted.pairs().into_iter().skip(1);
    let kept = kept.filter(|(_, value)| !value.is_empty());
    page(&Home {
        configure: format!("skillyard config set registry.url {}", server.settings.url),
        kept: kept.map(|(key, value)| (key, value.to_owned())).collect(),
        all,
        total,
        facets: facets(&wanted, &found),
        orders: wanted.orders(),
        skills: found
            .iter()
            .skip(offset)
            .take(PAGE)
            .map(|skill| Card::from(*skill))
            .collect(),
        previous: (offset > 0).then(|| at(offset.saturating_sub(PAGE))),
        next: (offset + PAGE < total).then(|| at(offset + PAGE)),
        words: wanted.q,
    })
}
