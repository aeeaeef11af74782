//! An entry of a server's list: what it must say before anything of it is believed.

use std::collections::{BTreeMap, HashSet};

use percent_encoding::percent_decode_str;
use serde_json::Value;
use skillyard_format::text::one_line;
use unicode_normalization::UnicodeNormalization as _;

use super::{Manifest, PublishedFile, PublishedSkill, SKILL_FILE};
use crate::limits::Limits;
use crate::listing::size;

const SCHEME: &str = "skill://";
/// The longest path of a file.
const LONGEST_PATH: usize = 512;

/// The skill that an entry tells of, or why it cannot be used.
pub(super) fn published(
    server: &str,
    entry: &Value,
    limits: &Limits,
) -> Result<PublishedSkill, String> {
    if size(entry) > limits.entry {
        return Err(format!("its entry has more than {} bytes", limits.entry));
    }
    let uri = entry.get("uri").and_then(Value::as_str);
    let uri = uri.ok_or("it has no address")?;
    let root = uri
        .strip_suffix(&format!("/{SKILL_FILE}"))
        .filter(|root| root.starts_with(SCHEME))
        .ok_or("its address is not that of a `SKILL.md`")?;
    let Some(Value::Object(frontmatter)) = entry.get("frontmatter") else {
        return Err("it has no frontmatter".into());
    };
    let text = |key: &str| frontmatter.get(key).and_then(Value::as_str);
    let name = text("name").ok_or("it has no name")?;
    let name = skillyard_format::name::SkillName::new(name)
        .map_err(|problem| format!("its name cannot be used: {problem}"))?;
    let last = root.rsplit('/').next().unwrap_or_default();
    if percent_decode_str(last).decode_utf8_lossy() != name.as_str() {
        return Err("its address ends with another name".into());
    }
    let description = text("description").filter(|text| !text.trim().is_empty());
    let description = description.ok_or("it has no description")?;
    let manifest = manifest(root, entry.get("resources"), limits)?;
    Ok(PublishedSkill {
        server: server.to_owned(),
        uri: uri.to_owned(),
        name: name.as_str().to_owned(),
        description: description.chars().take(1_024).collect(),
        frontmatter: frontmatter.clone(),
        manifest,
        entry: entry.clone(),
    })
}

fn manifest(root: &str, listed: Option<&Value>, limits: &Limits) -> Result<Manifest, String> {
    let listed = match listed {
        Some(Value::Array(listed)) => listed,
        Some(Value::String(word)) if word == "dynamic" => {
            return Err("its files are not listed, so they cannot be checked".into());
        }
        _ => return Err("its files are not listed".into()),
    };
    if listed.len() > limits.files {
        return Err(format!("it has more than {} files", limits.files));
    }
    let (mut files, mut folded, mut total) = (BTreeMap::new(), HashSet::new(), 0u64);
    for entry in listed {
        let file = file(root, entry)?;
        total = total.saturating_add(file.size);
        // Names that a file system takes for one are two files that overwrite each other.
        if !folded.insert(file.path.nfc().collect::<String>().to_lowercase()) {
            return Err(format!("`{}` is there twice", one_line(&file.path)));
        }
        files.insert(file.path.clone(), file);
    }
    if total > limits.skill_bytes {
        return Err(format!(
            "its files have more than {} bytes",
            limits.skill_bytes
        ));
    }
    if !files.contains_key(SKILL_FILE) {
        return Err("its `SKILL.md` is not listed".into());
    }
    Ok(Manifest { files })
}

fn file(root: &str, entry: &Value) -> Result<PublishedFile, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let uri = text("uri");
    let outside = || format!("`{}` is not in the skill", one_line(uri));
    let below = uri
        .strip_prefix(root)
        .and_then(|rest| rest.strip_prefix('/'));
    let below = below
        .filter(|below| !below.contains(['?', '#']))
        .ok_or_else(outside)?;
    let path = percent_decode_str(below)
        .decode_utf8()
        .map_err(|_| outside())?;
    if !is_safe(&path) {
        return Err(outside());
    }
    let digest = text("digest")
        .parse()
        .map_err(|_| format!("`{}` has no SHA-256", one_line(&path)))?;
    let size = entry.get("size").and_then(Value::as_u64);
    let size = size.ok_or_else(|| format!("`{}` has no size", one_line(&path)))?;
    Ok(PublishedFile {
        path: path.into_owned(),
        uri: uri.to_owned(),
        digest,
        size,
    })
}

/// Whether a path stays where it is put.
fn is_safe(path: &str) -> bool {
    let part = |part: &str| !matches!(part, "" | "." | "..");
    path.len() <= LONGEST_PATH
        && !path.contains(|c: char| c == '\\' || c.is_control())
        && path.split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_that_leave_the_skill_are_refused() {
        let entry = |uri: &str| {
            let digest = format!("sha256:{}", "a".repeat(64));
            file(
                "skill://x/pdf",
                &json!({ "uri": uri, "digest": digest, "size": 1 }),
            )
        };
        assert_eq!(entry("skill://x/pdf/a%20b/c.md").unwrap().path, "a b/c.md");
        for uri in [
            "skill://x/pdf/../evil",
            "skill://x/pdf/%2e%2e/evil",
            "skill://x/pdf//etc/passwd",
            "skill://x/pdf/%2fetc/passwd",
            "skill://x/pdf/a%5cb",
            "skill://x/pdf/a%00b",
            "skill://x/pdf/a?b",
            "skill://x/pdfs/a",
            "skill://x/pdf",
            "skill://x/pdf/",
            "file:///etc/passwd",
        ] {
            assert!(entry(uri).is_err(), "{uri}");
        }
    }
}
