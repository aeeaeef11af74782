//! `GET /`: search and browse skills.

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use utoipa::IntoParams;

use super::{Card, Frame, page, with_query};
use crate::error::RegistryError;
use crate::extract::PublicUrl;
use crate::facets::{Count, Facets};
use crate::search::{SearchQuery, Sort};
use crate::server::Server;
use crate::store::skills;

/// How many skills stand on a page, and the furthest page.
const PAGE_SIZE: usize = 25;
const MAX_OFFSET: usize = 1_000_000;
/// The longest question.
const MAX_QUERY_LENGTH: usize = 400;

/// What the reader wants to see; what makes no sense is left out.
#[derive(Debug, Clone, Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct HomeQuery {
    /// Words to look for.
    #[param(required = false)]
    pub(super) q: String,
    /// Only of this owner.
    #[param(required = false)]
    pub(super) owner: String,
    /// Only with this licence.
    #[param(required = false)]
    pub(super) license: String,
    /// Only with this tag.
    #[param(required = false)]
    pub(super) tag: String,
    /// `yes`: only with scripts, `no`: only without.
    #[param(required = false)]
    pub(super) scripts: String,
    /// `yes`: only what somebody signed, `no`: only what nobody did.
    #[param(required = false)]
    pub(super) signed: String,
    /// Only with this verdict of the scanner.
    #[param(required = false)]
    pub(super) verdict: String,
    /// `relevance`, `name`, `downloads` or `updated`.
    #[param(required = false)]
    pub(super) sort: String,
    /// How many to leave out at the start.
    #[param(required = false)]
    offset: usize,
}

impl HomeQuery {
    /// What a query asks for; of what is said twice, the last counts.
    fn read(query: &str) -> Self {
        let mut wanted = Self::default();
        for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let choice = match &*key {
                "q" => &mut wanted.q,
                "owner" => &mut wanted.owner,
                "license" => &mut wanted.license,
                "tag" => &mut wanted.tag,
                "scripts" => &mut wanted.scripts,
                "signed" => &mut wanted.signed,
                "verdict" => &mut wanted.verdict,
                "sort" => &mut wanted.sort,
                "offset" => {
                    wanted.offset = value.parse().unwrap_or(0);
                    continue;
                }
                _ => continue,
            };
            *choice = value.into_owned();
        }
        wanted.q = wanted.q.chars().take(MAX_QUERY_LENGTH).collect();
        wanted
    }

    /// The address of the first page, with one choice made otherwise.
    pub(super) fn address(&self, key: &str, value: &str) -> String {
        let other = |(name, kept)| (name, if name == key { value } else { kept });
        with_query("/", &self.pairs().map(other))
    }

    fn pairs(&self) -> [(&'static str, &str); 8] {
        [
            ("q", &self.q),
            ("owner", &self.owner),
            ("license", &self.license),
            ("tag", &self.tag),
            ("scripts", &self.scripts),
            ("signed", &self.signed),
            ("verdict", &self.verdict),
            ("sort", &self.sort),
        ]
    }

    fn question(&self) -> SearchQuery {
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        SearchQuery {
            words: self.q.clone(),
            owner: some(&self.owner),
            license: some(&self.license),
            tag: some(&self.tag),
            scripts: answer(&self.scripts),
            signed: answer(&self.signed),
            verdict: some(&self.verdict),
            sort: match self.sort.as_str() {
                "name" => Sort::Name,
                "downloads" => Sort::Downloads,
                "updated" => Sort::Updated,
                // Without words there is nothing to be relevant to.
                _ if self.q.trim().is_empty() => Sort::Updated,
                _ => Sort::Relevance,
            },
            offset: self.offset.min(MAX_OFFSET),
            limit: PAGE_SIZE,
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

fn answer(text: &str) -> Option<bool> {
    match text {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    frame: Frame,
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
#[utoipa::path(get, path = "/", tag = "pages", params(HomeQuery),
    responses((status = 200, description = "a page", content_type = "text/html")))]
pub(crate) async fn home(
    State(server): State<Server>,
    frame: Frame,
    reached: PublicUrl,
    RawQuery(query): RawQuery,
) -> Result<Response, RegistryError> {
    let wanted = HomeQuery::read(&query.unwrap_or_default());
    let picture = server.registry.search_snapshot().await?;
    let (all, question) = (picture.offered(), wanted.question());
    // Held until everything is counted; the semaphore is never closed.
    let permit = server.opened.acquire().await;
    // Counting over a whole registry is work for milliseconds, not for the reactor.
    let counting = tokio::task::spawn_blocking(move || {
        let (found, facets) = picture.survey(&question);
        let names: Vec<String> = found.names.into_iter().map(str::to_owned).collect();
        (names, found.total, facets)
    });
    let (names, total, facets) = counting.await.map_err(RegistryError::internal)?;
    drop(permit);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = skills::named(&server.registry.database, &names).await?;
    let cards = found.iter().map(Card::from).collect();
    let home = compose(frame, &reached.0, wanted, (all, total), &facets, cards);
    page(&home)
}

/// The page; of all skills so many are there, and so many of them fit.
fn compose(
    frame: Frame,
    url: &str,
    wanted: HomeQuery,
    (all, total): (usize, usize),
    found: &Facets,
    skills: Vec<Card>,
) -> Home {
    let offset = wanted.offset.min(MAX_OFFSET);
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
    Home {
        frame,
        configure: format!("skillyard config set registry.url {url}"),
        kept: kept.map(|(key, value)| (key, value.to_owned())).collect(),
        all,
        total,
        facets: facets(&wanted, found, total),
        orders: wanted.orders(),
        skills,
        previous: (offset > 0).then(|| at(offset.saturating_sub(PAGE_SIZE))),
        next: (offset + PAGE_SIZE < total).then(|| at(offset + PAGE_SIZE)),
        words: wanted.q,
    }
}

/// Most choices of one kind.
const MAX_CHOICES: usize = 8;

/// One thing to narrow down by.
pub(super) struct Facet {
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) choices: Vec<Choice>,
}

/// One choice; made already, its address takes it back.
pub(super) struct Choice {
    pub(super) label: String,
    pub(super) count: usize,
    pub(super) chosen: bool,
    pub(super) address: String,
}

/// The choices among what was found, `total` skills.
pub(super) fn facets(wanted: &HomeQuery, found: &Facets, total: usize) -> Vec<Facet> {
    let facet = |key, title, chosen: &str, choices: Vec<(&str, &str, usize)>| Facet {
        key,
        title,
        choices: choices
            .into_iter()
            .map(|(value, label, count)| {
                let is_chosen = chosen.eq_ignore_ascii_case(value);
                Choice {
                    label: label.to_owned(),
                    // All that was found has what was chosen.
                    count: if is_chosen { total } else { count },
                    chosen: is_chosen,
                    address: wanted.address(key, if is_chosen { "" } else { value }),
                }
            })
            .filter(|choice| choice.count > 0 || choice.chosen)
            .collect(),
    };
    let counted = |key, title, chosen, counts| facet(key, title, chosen, commonest(counts, chosen));
    let (signed, scripts) = (found.signed, found.with_scripts);
    let is_signed = vec![
        ("yes", "Signed", signed),
        ("no", "Not signed", total.saturating_sub(signed)),
    ];
    let has_scripts = vec![
        ("no", "Without scripts", total.saturating_sub(scripts)),
        ("yes", "With scripts", scripts),
    ];
    let all = [
        facet("signed", "Signature", &wanted.signed, is_signed),
        counted("verdict", "Scan", &wanted.verdict, &found.verdicts),
        facet("scripts", "Scripts", &wanted.scripts, has_scripts),
        counted("tag", "Tags", &wanted.tag, &found.tags),
        counted("license", "Licence", &wanted.license, &found.licenses),
        counted("owner", "Owner", &wanted.owner, &found.owners),
    ];
    all.into_iter()
        .filter(|facet| !facet.choices.is_empty())
        .collect()
}

/// The commonest values. The one that was chosen is among them, so that it is seen and can be taken
/// back.
fn commonest<'a>(counts: &'a [Count], chosen: &'a str) -> Vec<(&'a str, &'a str, usize)> {
    let counts = counts.iter().take(MAX_CHOICES);
    let told = |each: &'a Count| (each.value.as_str(), each.value.as_str(), each.count);
    let mut counts: Vec<_> = counts.map(told).collect();
    let is_told = |(value, ..): &(&str, &str, usize)| value.eq_ignore_ascii_case(chosen);
    if !chosen.is_empty() && !counts.iter().any(is_told) {
        counts.push((chosen, chosen, 0));
    }
    counts
}
