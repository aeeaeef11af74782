//! `GET /view/{name}`: all that is known about a skill, at its latest version or another.

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use semver::Version;
use serde::Deserialize;
use skillyard_format::{Document, QualifiedName};
use skillyard_http::address::encoded;
use skillyard_http::markdown::{Rendered, render};
use utoipa::IntoParams;

use super::Frame;
use super::opened;
use super::{file_address, page, skill_address, with_query};
use crate::endpoints::{named, numbered};
use crate::error::RegistryError;
use crate::extract::PublicUrl;
use crate::extract::Segments;
use crate::registry::no_version;
use crate::server::Server;
use crate::store::versions::VersionRow;
use crate::store::{owners, skills, versions};

/// Most skills that are told to need this one.
const MAX_DEPENDENTS: usize = 50;

/// Which version is wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct VersionQuery {
    /// A version; without one, the latest.
    version: Option<String>,
}

impl VersionQuery {
    /// The version that a page is asked for.
    pub(super) fn version(
        wanted: Result<Query<Self>, QueryRejection>,
        name: &QualifiedName,
    ) -> Result<Option<Version>, RegistryError> {
        let wrong = |_| RegistryError::Parameter("`version` is one version".to_owned());
        let text = wanted.map_err(wrong)?.0.version;
        text.map(|text| numbered(name, &text)).transpose()
    }
}

#[derive(Template)]
#[template(path = "skill.html")]
struct SkillPage {
    frame: Frame,
    name: String,
    deprecated: Option<String>,
    downloads: u64,
    owners: Vec<String>,
    /// The version that is shown.
    shown: VersionRow,
    /// The latest version, if another is shown.
    latest: Option<Version>,
    /// Whether there is a version for anybody new.
    is_offered: bool,
    versions: Vec<VersionRow>,
    dependents: Vec<String>,
    clients: Vec<(&'static str, String)>,
    instructions: Rendered,
}

/// Look at a skill
#[utoipa::path(get, path = "/view/{name}", tag = "pages",
    params(("name" = String, Path, description = "the skill"), VersionQuery),
    responses((status = 200, description = "a page", content_type = "text/html")))]
pub(crate) async fn skill(
    State(server): State<Server>,
    frame: Frame,
    reached: PublicUrl,
    Segments(name): Segments<String>,
    wanted: Result<Query<VersionQuery>, QueryRejection>,
) -> Result<Response, RegistryError> {
    let name = named(&name)?;
    let version = VersionQuery::version(wanted, &name)?;
    // All of it as it is at one moment, while others publish.
    let mut moment = server.registry.database.snapshot().await?;
    let skill = skills::one(&mut *moment, name.as_str()).await?;
    let skill = skill.ok_or_else(|| RegistryError::NoSkill(name.to_string()))?;
    let mut versions = versions::of(&mut *moment, name.as_str()).await?;
    versions.reverse();
    let owners = owners::of(&mut *moment, name.as_str()).await?;
    drop(moment);
    let (latest, is_offered) = (skill.latest.version.clone(), skill.latest.yanked.is_none());
    let shown = match version {
        Some(version) => {
            let found = versions.iter().find(|each| each.version == version);
            found.cloned().ok_or_else(|| no_version(&name, &version))?
        }
        None => skill.latest,
    };
    page(&SkillPage {
        frame,
        instructions: instructions(&server, &name, &shown).await?,
        dependents: dependents(&server, name.as_str()).await?,
        clients: clients(
            &reached.0,
            &name,
            owners.first().unwrap_or(&shown.publisher),
        ),
        owners,
        latest: (shown.version != latest).then_some(latest),
        is_offered,
        name: skill.name,
        deprecated: skill.deprecated,
        downloads: skill.downloads,
        shown,
        versions,
    })
}

async fn instructions(
    server: &Server,
    name: &QualifiedName,
    version: &VersionRow,
) -> Result<Rendered, RegistryError> {
    let (name, number) = (name.to_string(), version.version.to_string());
    let is_skill_file = |path: &str| path.eq_ignore_ascii_case("SKILL.md");
    opened(server, [version], is_skill_file, move |[files]| {
        let bytes = files.first().map_or(&[][..], |file| &file.bytes);
        render(Document::parse(bytes).body(), |link| {
            file_address(&name, &number, "", link)
        })
    })
    .await
}

/// The skills whose latest version needs this one.
async fn dependents(server: &Server, name: &str) -> Result<Vec<String>, RegistryError> {
    let picture = server.registry.search_snapshot().await?;
    let names = picture.dependents(name).into_iter();
    Ok(names.take(MAX_DEPENDENTS).map(str::to_owned).collect())
}

/// What to type into the clients of others.
fn clients(url: &str, name: &QualifiedName, owner: &str) -> Vec<(&'static str, String)> {
    let own = name.name();
    let (place, owner, market) = match name.namespace() {
        Some(namespace) => (
            format!("{url}/{namespace}"),
            namespace.as_str(),
            format!("skillyard-{}", namespace.as_str()),
        ),
        None => (url.to_owned(), owner, "skillyard".to_owned()),
    };
    vec![
        (
            "Make this the registry that Skillyard asks",
            format!("skillyard config set registry.url {url}"),
        ),
        (
            "npx skills",
            format!("npx skills add {place} --skill {own}"),
        ),
        (
            "apm, with this registry in its apm.yml",
            format!("apm install {owner}/{own}"),
        ),
        (
            "Claude Code",
            format!(
                "claude plugin marketplace add {place}/.claude-plugin/marketplace.json && claude plugin install {own}@{market}"
            ),
        ),
    ]
}

impl SkillPage {
    fn address(&self) -> String {
        skill_address(&self.name)
    }

    fn version_address(&self, version: &Version) -> String {
        with_query(&self.address(), &[("version", &version.to_string())])
    }

    fn file_address(&self, path: &str) -> String {
        file_address(
            &self.name,
            &self.shown.version.to_string(),
            "",
            &encoded(path),
        )
    }

    fn compare_address(&self, from: &Version, to: &Version) -> String {
        let address = format!("{}/compare", self.address());
        let (from, to) = (from.to_string(), to.to_string());
        with_query(&address, &[("from", &from), ("to", &to)])
    }

    fn archive_address(&self) -> String {
        format!(
            "/skills/{}/{}/download",
            encoded(&self.name),
            self.shown.version
        )
    }

    fn install(&self) -> String {
        // What was withdrawn is not for anybody new.
        if self.latest.is_none() || self.shown.yanked.is_some() {
            return format!("skillyard install {}", self.name);
        }
        format!("skillyard install {}@{}", self.name, self.shown.version)
    }
}
