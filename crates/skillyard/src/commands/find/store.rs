//! What `skillyard search --offline` finds in the store: skills of other projects, and what was
//! installed once.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_catalog::CatalogSkill;
use skillyard_format::package::Digest;
use skillyard_format::text::one_line;
use skillyard_format::{Document, Skill};
use skillyard_install::store::StoreError;
use skillyard_install::tree::Tree;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::scope;
use crate::text::sanitize::visible;

/// A skill in the store.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stored {
    name: String,
    description: String,
    digest: Digest,
}

/// Those whose name or description has every word, without what is here anyway.
pub(crate) fn search(
    context: &Context,
    words: &str,
    limit: usize,
    here: &[CatalogSkill],
) -> Result<Vec<Stored>, CommandError> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let here: BTreeSet<&str> = here.iter().map(|skill| &*skill.record.name).collect();
    let store = scope::store(context);
    let digests = store.list().map_err(InstallFailure::from)?;
    let read = |digest, tree: Result<Tree, StoreError>| {
        // What is damaged is found with `store verify`.
        let (name, description) = about(&tree.ok()?)?;
        let text = format!("{name} {description}").to_lowercase();
        let fits = words.iter().all(|word| text.contains(word.as_str()));
        (fits && !here.contains(&*name)).then_some(Stored {
            name,
            description,
            digest,
        })
    };
    let found = store.read_each(&digests, read);
    let mut found: Vec<Stored> = found.into_iter().flatten().collect();
    found.sort_unstable();
    // Versions that say the same of themselves are one to who searches.
    found.dedup_by(|a, b| a.name == b.name && a.description == b.description);
    found.truncate(limit);
    Ok(found)
}

/// The name and the description of a skill.
fn about(tree: &Tree) -> Option<(String, String)> {
    let file = tree.get("SKILL.md").or_else(|| tree.get("skill.md"))?;
    let document = Document::parse(&file.bytes);
    let skill = Skill::from_document(&document, None)?;
    let offer = skill.offer().into_owned();
    Some((skill.name, offer))
}

/// For programs.
pub(crate) fn json(found: &[Stored]) -> impl Iterator<Item = Value> {
    found.iter().map(|each| {
        json!({
            "name": each.name,
            "description": each.description,
            "source": "store",
            "digest": each.digest,
        })
    })
}

/// For people.
pub(crate) fn text(context: &Context, found: &[Stored]) -> String {
    let mut text = String::new();
    for each in found {
        let _ = writeln!(
            text,
            "· {}  in the store\n    {}",
            context.printer.heading(&visible(&each.name)),
            visible(&one_line(&each.description)),
        );
    }
    text
}
