//! `resources/directory/read`: what is in a folder of a skill.

use std::collections::BTreeMap;

use rmcp::ErrorData;
use serde_json::{Value, json};

use super::caller::Caller;
use super::skills::page;
use super::skills::{Asked, fresh, published, unknown};
use super::uri::{self, upstream_root};
use crate::catalog_cache::edition::{Edition, Package};
use crate::contents::Contents;
use crate::server::Server;

/// How many names a page has.
const PAGE: usize = 200;

/// A file: its path, its size and, where it is known, its kind.
type Listed = (String, u64, Option<String>);

/// Answers the request.
pub(super) fn read(
    server: &Server,
    edition: &Edition,
    asked: &Asked<'_>,
    caller: &Caller,
) -> Result<Value, ErrorData> {
    let wanted = asked.uri()?;
    let text = asked.text("uri")?.unwrap_or_default();
    let theirs = published(server, edition, &wanted, caller)?;
    let (root, folder, files) = if let Some((skill, path)) = theirs {
        let files = skill.manifest.files.values();
        let files = files.map(|file| (file.path.clone(), file.size, None));
        (upstream_root(&skill), path, files.collect())
    } else {
        let files = own(edition, &wanted.name).ok_or_else(|| unknown(text))?;
        (uri::root(&wanted.name), wanted.path, files)
    };
    let children = children(&folder, &files);
    if children.is_empty() && !folder.is_empty() {
        return Err(unknown(text));
    }
    let children: Vec<(String, Child<'_>)> = children.into_iter().collect();
    let (shown, next) = page(edition, &children, asked.text("cursor")?, PAGE)?;
    let resources: Vec<Value> = shown
        .iter()
        .map(|(name, child)| {
            let path = match folder.as_str() {
                "" => name.clone(),
                folder => format!("{folder}/{name}"),
            };
            let uri = format!("{root}/{}", uri::encoded(&path));
            match child {
                Child::Folder => {
                    json!({ "uri": uri, "name": name, "mimeType": "inode/directory" })
                }
                Child::File(size, Some(kind)) => {
                    json!({ "uri": uri, "name": name, "mimeType": kind, "size": size })
                }
                Child::File(size, None) => json!({ "uri": uri, "name": name, "size": size }),
            }
        })
        .collect();
    let mut result = fresh(edition);
    result["resources"] = resources.into();
    if let Some(next) = next {
        result["nextCursor"] = next.into();
    }
    Ok(result)
}

/// The files of a skill of ours.
fn own(edition: &Edition, name: &str) -> Option<Vec<Listed>> {
    let (skill, package) = edition.skill(name)?;
    Some(match package {
        Package::Files(packed) => packed
            .files
            .iter()
            .map(|(path, file)| (path.clone(), file.size, Some(file.media_type.clone())))
            .collect(),
        Package::Dynamic => {
            let list = Contents::open(skill).and_then(|it| it.list(None));
            let files = list.ok()?.files.into_iter();
            files.map(|file| (file.path, file.size, None)).collect()
        }
    })
}

/// What is directly in a folder.
enum Child<'a> {
    Folder,
    File(u64, Option<&'a str>),
}

fn children<'a>(folder: &str, files: &'a [Listed]) -> BTreeMap<String, Child<'a>> {
    let mut children = BTreeMap::new();
    for (path, size, kind) in files {
        let below = match folder {
            "" => Some(path.as_str()),
            folder => path
                .strip_prefix(folder)
                .and_then(|rest| rest.strip_prefix('/')),
        };
        match below.map(|below| below.split_once('/').ok_or(below)) {
            None => {}
            Some(Ok((name, _))) => {
                children.insert(name.to_owned(), Child::Folder);
            }
            Some(Err(name)) => {
                children.insert(name.to_owned(), Child::File(*size, kind.as_deref()));
            }
        }
    }
    children
}
