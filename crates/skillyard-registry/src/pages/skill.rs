//! `GET /view/{name}`: all that is known about a skill.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use skillyard_format::Document;

use super::markdown::rendered;
use super::page;
use crate::endpoints::named;
use crate::error::RegistryError;
use crate::package::{self, FileFact, FindingFact};
use crate::segments::Segments;
use crate::server::Server;
use crate::store::versions::VersionRow;
use crate::store::{owners, skills, versions};

#[derive(Template)]
#[template(path = "skill.html")]
struct Page {
    name: String,
    version: String,
    description: String,
    deprecated: Option<String>,
    yanked: Option<String>,
    owners: Vec<String>,
    license: String,
    signer: String,
    verdict: String,
    downloads: u64,
    digest: String,
    findings: Vec<FindingFact>,
    versions: Vec<VersionRow>,
    files: Vec<FileFact>,
    /// Made harmless by `markdown`.
    instructions: String,
}

pub(crate) async fn skill(
    State(server): State<Server>,
    Segments(name): Segments<String>,
) -> Result<Response, RegistryError> {
    let name = named(&name)?;
    let database = &server.registry.database;
    let skill = skills::one(database, name.as_str()).await?;
    let skill = skill.ok_or_else(|| RegistryError::NoSkill(name.to_string()))?;
    let mut versions = versions::of(database, name.as_str()).await?;
    versions.reverse();
    let latest = skill.latest;
    page(&Page {
        version: latest.version.to_string(),
        owners: owners::of(database, name.as_str()).await?,
        instructions: instructions(&server, &latest).await?,
        name: skill.name,
        deprecated: skill.deprecated,
        downloads: skill.downloads,
        description: latest.facts.description,
        yanked: latest.yanked,
        license: latest
            .facts
            .license
            .unwrap_or_else(|| "not stated".to_owned()),
        signer: latest.signer.unwrap_or_else(|| "nobody".to_owned()),
        verdict: latest.verdict,
        digest: latest.digest.to_string(),
        findings: latest.facts.findings,
        files: latest.facts.files,
        versions,
    })
}

async fn instructions(server: &Server, latest: &VersionRow) -> Result<String, RegistryError> {
    let is_skill_file = |file: &&FileFact| file.path.eq_ignore_ascii_case("SKILL.md");
    let path = latest.facts.files.iter().find(is_skill_file);
    let path = path.map(|file| file.path.clone()).unwrap_or_default();
    let archive = server.registry.blobs.read(latest.digest).await?;
    // Unpacking and rendering are work for milliseconds, not for the reactor.
    let made = tokio::task::spawn_blocking(move || {
        let bytes = package::file(&archive, &path)?.unwrap_or_default();
        Ok(rendered(Document::parse(&bytes).body()))
    });
    let made: Result<_, skillyard_format::package::archive::ArchiveError> =
        made.await.map_err(RegistryError::internal)?;
    made.map_err(RegistryError::internal)
}
