//! The tools that lead to skills and only read: search, load, read and list.
//!
//! What they answer depends on the shelf and on what was loaded before, and on nothing else. A
//! replay asks them again and compares.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value, json};
use skillyard_catalog::resource::{ReadRange, ResourceContent};
use skillyard_format::Digest;
use skillyard_format::render::activation;
use skillyard_format::text::counted;
use skillyard_trust::guard::ActiveSkill;

use crate::session::SessionState;
use crate::shelf::{Author, Caller, Hashed, Loaded, Shelf, ShelfError};

/// The tool that finds skills.
pub(crate) const SEARCH: &str = "skill_search";

/// Most skills that a search gives.
const MAX_FOUND: usize = 8;
/// Most skills that a list gives at once.
const MAX_LISTED: usize = 100;
/// Most bytes of a file that one call gives.
const MAX_BYTES: u64 = 40_000;
/// Most files that a listing gives.
const MAX_FILES: usize = 500;

/// The result of one of these tools.
#[derive(Debug)]
pub(crate) struct Output {
    /// What the model reads.
    pub(crate) content: String,
    /// The skill that became active, unless it is a receipt.
    pub(crate) activated: Option<Activation>,
}

/// A skill on its way into a session.
#[derive(Debug)]
pub(crate) struct Activation {
    pub(crate) name: String,
    pub(crate) digest: Digest,
    pub(crate) rendered: Digest,
    /// Bytes of the instructions that were left out because there are too many.
    pub(crate) omitted: usize,
    pub(crate) active: ActiveSkill,
}

impl Output {
    fn text(content: String) -> Self {
        Self {
            content,
            activated: None,
        }
    }
}

/// Answers one of these tools; `None` for any other.
pub(crate) fn answer(
    tool: &str,
    arguments: &Map<String, Value>,
    shelf: &Shelf,
    known: &SessionState,
) -> Option<Result<Output, String>> {
    let result = match tool {
        SEARCH => search(arguments, shelf),
        "skill_load" => load_call(arguments, shelf, known),
        "skill_read" => read(arguments, shelf, known),
        "skill_files" => files(arguments, shelf, known),
        _ => return None,
    };
    Some(result)
}

fn search(arguments: &Map<String, Value>, shelf: &Shelf) -> Result<Output, String> {
    let query = optional(arguments, "query")?.unwrap_or_default();
    if query.trim().is_empty() {
        return list(arguments, shelf);
    }
    let hits = shelf.search(query, MAX_FOUND);
    let found = hits.iter().map(|(each, score)| {
        json!({
            "name": each.skill.record.name.as_str(),
            "description": each.skill.record.description.as_str(),
            "score": format!("{score:.3}"),
        })
    });
    let found: Vec<Value> = found.collect();
    Ok(Output::text(json!({ "skills": found }).to_string()))
}

/// All skills, for who asks for none in particular, as other runtimes have it.
fn list(arguments: &Map<String, Value>, shelf: &Shelf) -> Result<Output, String> {
    let first = usize::try_from(number(arguments, "cursor")?).unwrap_or(usize::MAX);
    let total = shelf.offered().count();
    let page = shelf.offered().skip(first).take(MAX_LISTED).map(|each| {
        let record = &each.skill.record;
        json!({ "name": record.name.as_str(), "description": record.description.as_str() })
    });
    let page: Vec<Value> = page.collect();
    let next = first.saturating_add(page.len());
    let mut value = json!({ "skills": page, "total": total });
    if next < total {
        value["cursor"] = next.into();
    }
    Ok(Output::text(value.to_string()))
}

fn load_call(
    arguments: &Map<String, Value>,
    shelf: &Shelf,
    known: &SessionState,
) -> Result<Output, String> {
    let name = wanted(arguments, "name")?;
    let told = optional(arguments, "arguments")?.unwrap_or_default();
    let loaded = shelf.load(name, told, Caller::Model);
    Ok(receive(loaded.map_err(|error| error.to_string())?, known))
}

/// Takes a skill in, or gives a receipt when the session has exactly this text.
pub(crate) fn receive(loaded: Loaded, known: &SessionState) -> Output {
    let rendered = loaded.identity;
    if known.has_envelope(&loaded.name, &loaded.digest, &rendered) {
        let mut receipt = format!(
            "Skill `{}` is loaded already, with the same content ({}). Its instructions are above.",
            loaded.name, loaded.digest
        );
        if !loaded.arguments.is_empty() {
            let _ = write!(receipt, "\nARGUMENTS: {}", loaded.arguments);
        }
        return Output::text(receipt);
    }
    Output {
        content: loaded.text,
        activated: Some(Activation {
            name: loaded.name,
            digest: loaded.digest,
            rendered,
            omitted: loaded.omitted,
            active: loaded.active,
        }),
    }
}

fn read(
    arguments: &Map<String, Value>,
    shelf: &Shelf,
    known: &SessionState,
) -> Result<Output, String> {
    let (name, hashed) = active(arguments, shelf, known)?;
    let path = wanted(arguments, "path")?;
    let range = ReadRange {
        offset: number(arguments, "cursor")?,
        limit: Some(MAX_BYTES),
    };
    let told = |error: ShelfError| error.to_string();
    let found = shelf.find(&name).map_err(told)?;
    // Models are told where the skill lies.
    let below = Path::new(path).strip_prefix(&found.directory).ok();
    let path = below.and_then(Path::to_str).unwrap_or(path);
    let read = hashed.read(path, range).map_err(told)?;
    let text = match read.content {
        ResourceContent::Text(text) => text,
        ResourceContent::Binary { media_type, .. } => {
            return Ok(Output::text(format!(
                "`{}` is not text: {media_type}, {}",
                read.path,
                counted(read.size, "byte")
            )));
        }
    };
    let mut content =
        activation::render_file(&name, &read.path, found.author == Author::ThirdParty, &text);
    if let Some(next) = read.next_offset {
        let _ = write!(
            content,
            "\n{} of {} bytes were given; go on with cursor {next}.",
            next - read.offset,
            read.size
        );
    }
    Ok(Output::text(content))
}

fn files(
    arguments: &Map<String, Value>,
    shelf: &Shelf,
    known: &SessionState,
) -> Result<Output, String> {
    let (name, _) = active(arguments, shelf, known)?;
    let folder = optional(arguments, "dir")?;
    let all = shelf
        .files(&name, folder)
        .map_err(|error| error.to_string())?;
    let more = all.len().saturating_sub(MAX_FILES);
    let files: Vec<&String> = all.iter().take(MAX_FILES).collect();
    let value = json!({ "name": name, "files": files, "omitted": more });
    Ok(Output::text(value.to_string()))
}

/// The skill that is meant, if it was loaded and is still what it was, with its files.
fn active(
    arguments: &Map<String, Value>,
    shelf: &Shelf,
    known: &SessionState,
) -> Result<(String, Hashed), String> {
    let name = wanted(arguments, "name")?;
    let found = shelf.find(name).map_err(|error| error.to_string())?;
    let name = found.skill.record.name.clone();
    let Some(loaded) = known.active_digest(&name) else {
        return Err(format!(
            "skill `{name}` is not loaded; call `skill_load` first"
        ));
    };
    let now = shelf.hashed(&name).map_err(|error| error.to_string())?;
    if now.digest().to_string() != loaded {
        return Err(format!(
            "skill `{name}` has changed since it was loaded; call `skill_load` again"
        ));
    }
    Ok((name, now))
}

/// A text that must be there.
pub(super) fn wanted<'a>(arguments: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    optional(arguments, key)?.ok_or_else(|| format!("the argument `{key}` is missing"))
}

/// A text that may be there.
pub(super) fn optional<'a>(
    arguments: &'a Map<String, Value>,
    key: &str,
) -> Result<Option<&'a str>, String> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("the argument `{key}` must be text")),
    }
}

/// A number that may be there, also as a text; zero without it.
pub(super) fn number(arguments: &Map<String, Value>, key: &str) -> Result<u64, String> {
    let number = match arguments.get(key) {
        None | Some(Value::Null) => Some(0),
        Some(value) => whole_number(value),
    };
    number.ok_or_else(|| format!("the argument `{key}` must be a number from 0 up"))
}

/// A number from 0 up as models write it: some make it a text, and some `10.0`.
pub fn whole_number(value: &Value) -> Option<u64> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    text.strip_suffix(".0").unwrap_or(&text).parse().ok()
}

/// Refuses arguments that are not known: the guard may have judged the call by them, and a model
/// that sees no error takes them for heeded.
pub(super) fn only(arguments: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    let mut others = arguments
        .keys()
        .filter(|key| !known.contains(&key.as_str()));
    match others.next() {
        None => Ok(()),
        Some(other) => Err(format!(
            "there is no argument `{other}`; there are `{}`",
            known.join("`, `")
        )),
    }
}
