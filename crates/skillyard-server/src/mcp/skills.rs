//! Methods of the Skills extension: `skills/list`, `skills/get`, `resources/read`.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use rmcp::ErrorData;
use rmcp::model::{CacheScope, ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};
use skillyard_agent::mcp_client::PublishedSkill;
use skillyard_audit::EventKind;
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::resource::{DigestLimits, ResourceContent};
use skillyard_format::Document;
use skillyard_format::package::Digest;
use skillyard_format::yaml::Mapping;

use super::caller::Caller;
use super::uri::{SkillUri, upstream_name, upstream_root};
use super::{caller, upstream_skills, uri};
use crate::activation::active;
use crate::catalog_cache::edition::{Edition, Package, PackedFile, pack_file};
use crate::contents::{Contents, ContentsError};
use crate::lookup::usable;
use crate::problem::Problem;
use crate::server::Server;
use crate::upstream::SKILL_FILE;

/// How many skills a page has.
const PAGE: usize = 50;

/// The parameters of a request of the extension.
pub(super) struct Asked<'a>(pub(super) Option<&'a Value>);

impl<'a> Asked<'a> {
    /// A parameter that is text.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, ErrorData> {
        match self.0.and_then(|params| params.get(key)) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(invalid(format!("`{key}` is not text"))),
        }
    }

    /// The URI that every request but a list has.
    pub(super) fn uri(&self) -> Result<SkillUri, ErrorData> {
        let text = self
            .text("uri")?
            .ok_or_else(|| invalid("`uri` is missing"))?;
        SkillUri::parse(text).ok_or_else(|| unknown(text))
    }
}

/// `skills/list`: our own, and on the last page those of other servers.
pub(super) fn list(
    server: &Server,
    edition: &Edition,
    asked: &Asked<'_>,
) -> Result<Value, ErrorData> {
    let names: Vec<&str> = edition.names().collect();
    let (page, next) = page(edition, &names, asked.text("cursor")?, PAGE)?;
    let mut skills: Vec<Value> = page
        .iter()
        .filter_map(|name| edition.skill(name))
        .filter_map(|(skill, package)| entry(skill, package))
        .collect();
    if next.is_none() {
        skills.extend(server.published().iter().map(passed_on));
    }
    let mut result = fresh(edition);
    result["skills"] = skills.into();
    if let Some(next) = next {
        result["nextCursor"] = next.into();
    }
    Ok(result)
}

/// `skills/get`.
pub(super) fn get(
    server: &Server,
    edition: &Edition,
    asked: &Asked<'_>,
    caller: &Caller,
) -> Result<Value, ErrorData> {
    let wanted = asked.uri()?;
    if let Some((skill, path)) = published(server, edition, &wanted, caller)?
        && path == SKILL_FILE
    {
        let mut result = fresh(edition);
        result["skill"] = passed_on(&skill);
        return Ok(result);
    }
    let found = edition.skill(&wanted.name);
    let found = found.filter(|(skill, _)| wanted.path == skill.record.file_name.as_str());
    let entry = found.and_then(|(skill, package)| entry(skill, package));
    let entry =
        entry.ok_or_else(|| unknown(asked.text("uri").ok().flatten().unwrap_or_default()))?;
    let mut result = fresh(edition);
    result["skill"] = entry;
    Ok(result)
}

/// `resources/read`.
pub(super) fn read(
    server: &Server,
    edition: &Edition,
    uri: &str,
    caller: &Caller,
) -> Result<ReadResourceResult, ErrorData> {
    let wanted = SkillUri::parse(uri).ok_or_else(|| unknown(uri))?;
    let refused = |problem: Problem| caller::error(server, caller, &problem);
    if let Some((skill, path)) = published(server, edition, &wanted, caller)? {
        let read =
            upstream_skills::resource(server, &skill, &path, uri, caller).map_err(refused)?;
        let contents = read.ok_or_else(|| unknown(uri))?;
        return Ok(ReadResourceResult::new(vec![contents]).with_cache_scope(CacheScope::Private));
    }
    let (skill, package) = edition.skill(&wanted.name).ok_or_else(|| unknown(uri))?;
    // What was listed stays what it is; whether it may be used is decided now.
    let snapshot = server.fresh_snapshot();
    if snapshot.catalog.find(&wanted.name).is_some() {
        usable(&snapshot, &wanted.name).map_err(refused)?;
    }
    let path = wanted.path.as_str();
    let give = |file: &PackedFile, hashed: Result<Digest, ContentsError>| {
        let given = give(server, skill, (path, file), caller, hashed);
        given.map_err(|error| refused(error.into()))?;
        Ok::<_, ErrorData>(shown(uri, file))
    };
    let contents = match package {
        Package::Files(packed) => {
            let file = packed.files.get(path).ok_or_else(|| unknown(uri))?;
            // What was listed before the skill was altered is still what was installed.
            give(file, Ok(packed.digest))?
        }
        Package::Dynamic => {
            // What is not there is unknown; what cannot be read is the server's trouble.
            let refused = |error: ContentsError| match &error {
                ContentsError::Resource(resource) if resource.is_trouble() => refused(error.into()),
                _ => unknown(uri),
            };
            let contents = Contents::open(skill).map_err(refused)?;
            let most = DigestLimits::USUAL.max_bytes;
            // First, so that what is read is what was hashed.
            let hashed = server.hashed(skill, &contents);
            let read = pack_file(&contents, path, most).map_err(refused)?;
            let file = read.ok_or_else(|| unknown(uri))?;
            give(&file, hashed)?
        }
    };
    let ttl = u64::try_from(edition.tell().as_millis()).unwrap_or_default();
    Ok(ReadResourceResult::new(vec![contents])
        .with_ttl_ms(ttl)
        .with_cache_scope(CacheScope::Private))
}

/// Gives a file of a skill of ours, if it may be given; who reads its own file has loaded the skill.
fn give(
    server: &Server,
    skill: &CatalogSkill,
    (path, file): (&str, &PackedFile),
    caller: &Caller,
    hashed: Result<Digest, ContentsError>,
) -> Result<(), ContentsError> {
    let context = caller.request_context("mcp");
    if path != skill.record.file_name.as_str() {
        let given = server.give(skill, EventKind::ResourceRead, path, context, hashed);
        return given.map(drop);
    }
    let digest = server.give(skill, EventKind::SkillActivated, path, context, hashed)?;
    let ResourceContent::Text(text) = &file.content else {
        return Ok(());
    };
    let active = active(skill, &Document::parse(text.as_bytes()));
    caller.load(server, active, digest.to_string());
    Ok(())
}

/// Every skill's own file, for hosts that only know resources.
pub(super) fn resources(
    edition: &Edition,
    cursor: Option<&str>,
) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
    let names: Vec<&str> = edition.names().collect();
    let (page, next) = page(edition, &names, cursor, 2 * PAGE)?;
    let resources = page.iter().filter_map(|name| {
        let record = &edition.snapshot.usable(name)?.record;
        let mut resource = Resource::new(uri::file(name, &record.file_name), *name);
        resource.description = Some(record.description.clone());
        resource.mime_type = Some("text/markdown".into());
        resource.size = Some(record.stamp.size);
        Some(resource)
    });
    Ok((resources.collect(), next))
}

/// The skill of another server that an address leads to, and the path in it.
pub(super) fn published(
    server: &Server,
    edition: &Edition,
    wanted: &SkillUri,
    caller: &Caller,
) -> Result<Option<(PublishedSkill, String)>, ErrorData> {
    if edition.skill(&wanted.name).is_some() {
        return Ok(None);
    }
    let Some((name, path)) = upstream_name(&wanted.name, &wanted.path) else {
        return Ok(None);
    };
    let found = server.published_as(&name).transpose();
    let found = found.map_err(|problem| caller::error(server, caller, &problem))?;
    Ok(found.map(|skill| (skill, path)))
}

/// The entry of a skill of another server, with our addresses for its files.
fn passed_on(skill: &PublishedSkill) -> Value {
    let root = upstream_root(skill);
    let at = |path: &str| format!("{root}/{}", uri::encoded(path));
    let files = skill.manifest.files.values();
    let files = files.map(|file| {
        json!({ "uri": at(&file.path), "digest": file.digest.to_string(), "size": file.size })
    });
    json!({
        "uri": at(SKILL_FILE),
        "frontmatter": skill.frontmatter,
        "resources": files.collect::<Vec<_>>(),
    })
}

/// An entry as the extension wants it: the frontmatter as it was written, and every file's digest.
fn entry(skill: &CatalogSkill, package: &Package) -> Option<Value> {
    let (name, own) = (&*skill.record.name, &*skill.record.file_name);
    let (text, resources) = match package {
        Package::Files(packed) => {
            let list: Vec<Value> = packed
                .files
                .iter()
                .map(|(path, file)| {
                    json!({
                        "uri": uri::file(name, path),
                        "digest": file.digest.to_string(),
                        "size": file.size,
                    })
                })
                .collect();
            let ResourceContent::Text(text) = &packed.files.get(own)?.content else {
                return None;
            };
            (text.clone(), list.into())
        }
        Package::Dynamic => {
            let text = Contents::open(skill).and_then(|it| it.skill_file()).ok()?;
            (text, json!("dynamic"))
        }
    };
    let document = Document::parse(text.as_bytes());
    let frontmatter = document.mapping().map(Mapping::to_json)?;
    Some(json!({
        "uri": uri::file(name, own),
        "frontmatter": frontmatter,
        "resources": resources,
    }))
}

fn shown(uri: &str, file: &PackedFile) -> ResourceContents {
    let contents = match &file.content {
        ResourceContent::Text(text) => ResourceContents::text(text.clone(), uri),
        ResourceContent::Binary { bytes, .. } => {
            let bytes = bytes.as_deref().unwrap_or_default();
            ResourceContents::blob(BASE64_STANDARD.encode(bytes), uri)
        }
    };
    contents.with_mime_type(file.media_type.clone())
}

/// A result with its time to live.
pub(super) fn fresh(edition: &Edition) -> Value {
    let ttl = u64::try_from(edition.tell().as_millis()).unwrap_or_default();
    json!({ "resultType": "complete", "ttlMs": ttl, "cacheScope": "private" })
}

pub(super) fn invalid(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}

pub(super) fn unknown(uri: &str) -> ErrorData {
    let shown: String = uri.chars().take(200).collect();
    let data = json!({ "uri": shown });
    ErrorData::invalid_params("there is no such skill or file", Some(data))
}

/// A part of a list, and where the next begins. A cursor is of one state only.
pub(super) fn page<'a, T>(
    edition: &Edition,
    all: &'a [T],
    cursor: Option<&str>,
    size: usize,
) -> Result<(&'a [T], Option<String>), ErrorData> {
    let state = edition.snapshot.fingerprint.as_str();
    let first = match cursor {
        None => 0,
        Some(cursor) => place(cursor, state)
            .filter(|first| *first < all.len())
            .ok_or_else(|| invalid("the list has changed, or the cursor is none; start again"))?,
    };
    let last = first.saturating_add(size).min(all.len());
    let next = (last < all.len()).then(|| BASE64_URL_SAFE_NO_PAD.encode(format!("{state}:{last}")));
    Ok((&all[first..last], next))
}

fn place(cursor: &str, state: &str) -> Option<usize> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.strip_prefix(state)?.strip_prefix(':')?.parse().ok()
}
