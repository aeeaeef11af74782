//! The file of tasks that `skillyard eval` measures with.

use std::path::Path;

use skillyard_format::yaml::{self, Node};

use crate::error::CommandError;

/// A task and the names of the skills that fit it.
pub(super) struct Labelled {
    pub(super) text: String,
    pub(super) wanted: Vec<String>,
}

/// Reads the tasks; what is not understood is said with its place in the list.
pub(super) fn read(file: &Path) -> Result<Vec<Labelled>, CommandError> {
    let text = std::fs::read_to_string(file).map_err(|source| CommandError::Read {
        path: file.to_owned(),
        source,
    })?;
    let error = |message: String| CommandError::Tasks {
        path: file.to_owned(),
        message,
    };
    let text = text
        .strip_prefix(skillyard_format::text::BOM)
        .unwrap_or(&text);
    let tree = yaml::parse(text, 0).map_err(|each| {
        let line = skillyard_format::Position::of(text, each.span.start).line;
        error(format!("line {line}: {each}"))
    })?;
    let none = || error("it is not a list of tasks".into());
    let root = tree.root.ok_or_else(none)?;
    let items = match (root.as_sequence(), root.as_mapping()) {
        (Some(items), _) => items,
        (None, Some(map)) => map
            .get("tasks")
            .and_then(|entry| entry.value.as_sequence())
            .ok_or_else(|| error("it has no list of tasks".into()))?,
        (None, None) => return Err(none()),
    };
    items
        .iter()
        .enumerate()
        .map(|(at, item)| {
            labelled(item)
                .ok_or_else(|| error(format!("entry {} has no `task` and `skills`", at + 1)))
        })
        .collect()
}

fn labelled(item: &Node) -> Option<Labelled> {
    let map = item.as_mapping()?;
    let first = |keys: [&str; 3]| {
        let mut values = keys.into_iter().filter_map(|key| map.get(key));
        values.next().map(|entry| &entry.value)
    };
    let text = scalar(first(["task", "query", "prompt"])?)?;
    let wanted = first(["skills", "skill", "expected"])?;
    let wanted = match wanted.as_sequence() {
        Some(names) => names.iter().map(scalar).collect::<Option<_>>()?,
        None if wanted.is_null() => Vec::new(),
        None => vec![scalar(wanted)?],
    };
    Some(Labelled { text, wanted })
}

/// A text as it is written: a skill may be called `123`, which is a number to YAML.
fn scalar(node: &Node) -> Option<String> {
    let text = node.as_str().filter(|_| !node.is_null());
    text.map(str::to_owned)
}
