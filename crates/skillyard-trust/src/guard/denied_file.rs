//! Whether a call touches a file that is denied.
//!
//! Runtimes name the path of a file in more than one way, and a call may have words that its runtime
//! does not read. So every text of a call counts as a path, unless it is known to be something else.

use serde_json::Value;

use super::command;
use super::opened;
use super::path::{PathPattern, Place};
use super::request::{GuardInput, GuardRequest, Surroundings};
use super::shell::Access;
use super::tool::{self, FileUse, Kind};

/// What tools for files are given besides paths, without case and `_`.
#[rustfmt::skip]
const DATA: &[&str] = &[
    "cellid", "celltype", "content", "contents", "description", "editmode", "exclude", "glob",
    "ignore", "include", "newsource", "newstr", "newstring", "newtext", "oldstr", "oldstring",
    "oldtext", "outputmode", "pattern", "text", "type",
];
/// How the names of words end that are paths and nothing else.
const PATHS: [&str; 6] = ["path", "paths", "file", "files", "filename", "uri"];

/// Why a call touches a file that a pattern denies, in the way it denies, if it does.
pub(super) fn files(
    pattern: &PathPattern,
    denied: Kind,
    request: &GuardRequest,
    world: &dyn Surroundings,
) -> Option<String> {
    let touches = |path: &str| {
        let path = path.trim();
        let path = path.strip_prefix("file://").unwrap_or(path);
        Place::of(path, world).is_none_or(|place| pattern.denies(&place, world))
    };
    let found = match tool::kind(&request.tool) {
        Kind::Command => match redirected(&request.input, denied) {
            Ok(paths) => paths.iter().any(|path| touches(path)),
            Err(problem) => return Some(may_open(&problem)),
        },
        kind if kind != denied => return None,
        _ => paths(request).is_none_or(|paths| paths.iter().any(|path| touches(path))),
    };
    found.then(|| "the file is denied, or cannot be told".into())
}

/// Why a command opens any file at all in the way that is denied, if it does.
pub(super) fn any_file(input: &GuardInput, denied: Kind) -> Option<String> {
    match redirected(input, denied) {
        Ok(opens) if opens.is_empty() => None,
        Ok(_) => Some("it opens a file as the denied tool would".into()),
        Err(problem) => Some(may_open(&problem)),
    }
}

/// The files that redirections of a command open in the way that is denied, or why that cannot be
/// told.
fn redirected(input: &GuardInput, denied: Kind) -> Result<Vec<String>, String> {
    let access = match denied {
        Kind::File(FileUse::Write) => Access::Write,
        _ => Access::Read,
    };
    opened::by(input, access)
}

fn may_open(problem: &str) -> String {
    format!("it may open a file that is denied: {problem}")
}

/// The paths that a call may name; `None` when they cannot be told.
fn paths(request: &GuardRequest) -> Option<Vec<&str>> {
    let searches = tool::searches(&request.tool);
    let fields = match &request.input {
        GuardInput::Text(text) => return Some(vec![text]),
        GuardInput::Fields(fields) => fields,
    };
    if command::runs_elsewhere(&request.input) {
        return None;
    }
    let mut words = Words::default();
    for (key, value) in fields {
        words.take(key, value)?;
    }
    // What is looked for may name a place too.
    let pattern = fields.get("pattern").and_then(Value::as_str);
    let leaves = |text: &str| text.starts_with(['/', '~']) || text.contains("..");
    if request.tool == "Glob" && pattern.is_none_or(leaves) {
        return None;
    }
    if searches && !words.has_path {
        words.found.push(".");
    }
    (!words.found.is_empty()).then_some(words.found)
}

/// The words of a call that may be paths.
#[derive(Default)]
struct Words<'a> {
    found: Vec<&'a str>,
    has_path: bool,
}

impl<'a> Words<'a> {
    /// Takes what stands under a name; `None` when that is a path which cannot be told.
    fn take(&mut self, key: &str, value: &'a Value) -> Option<()> {
        let key = key.to_ascii_lowercase().replace(['_', '-'], "");
        if DATA.contains(&key.as_str()) {
            return Some(());
        }
        let is_path = PATHS.iter().any(|end| key.ends_with(end));
        self.has_path |= is_path;
        match value {
            Value::String(text) => {
                // Only a path is one with a line break in it.
                if is_path || !text.contains(char::is_control) {
                    self.found.push(text);
                }
                Some(())
            }
            Value::Array(all) => all.iter().try_for_each(|each| self.take(&key, each)),
            Value::Object(fields) => {
                let mut fields = fields.iter();
                fields.try_for_each(|(key, each)| self.take(key, each))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => (!is_path).then_some(()),
        }
    }
}
