//! Skills that users may invoke, as prompts: clients show them as commands.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;
use skillyard_catalog::record::Record;
use skillyard_format::render::arguments::Arguments;
use skillyard_format::skill::argument_names_in;

use super::caller;
use super::caller::Caller;
use super::skills::invalid;
use super::skills::page;
use crate::catalog_cache::edition::Edition;
use crate::server::Server;

/// How many prompts are listed at once.
const PAGE: usize = 100;
/// The argument that stands for all words, and is the only one of a skill that names none.
const ARGUMENTS: &str = "arguments";

/// The skills that users may invoke, a part of them.
pub(super) fn list(
    edition: &Edition,
    cursor: Option<&str>,
) -> Result<(Vec<Prompt>, Option<String>), ErrorData> {
    let records = edition
        .snapshot
        .catalog
        .enabled()
        .map(|skill| &*skill.record);
    let records = records.filter(|record| record.user_invocable);
    let mut records: Vec<&Record> = records.collect();
    records.sort_by(|a, b| a.name.cmp(&b.name));
    let (page, next) = page(edition, &records, cursor, PAGE)?;
    let prompts = page.iter().map(|record| {
        let description = Some(record.description.clone());
        Prompt::new(record.name.clone(), description, Some(offered(record)))
    });
    Ok((prompts.collect(), next))
}

/// The arguments of a skill: those that it names, or all in one.
fn offered(record: &Record) -> Vec<PromptArgument> {
    let fields = record.fields_json();
    let hint = match fields.get("argument-hint") {
        Some(Value::String(hint)) => hint.clone(),
        // What is written `[file]` is a list to YAML.
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            format!("[{}]", words.join(", "))
        }
        _ => "What the skill should do it with".to_owned(),
    };
    let mut names: Vec<String> = Vec::new();
    for name in argument_names_in(&fields) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        names.push(ARGUMENTS.to_owned());
    }
    let argument = |name: &String| PromptArgument::new(name).with_description(&hint);
    names
        .iter()
        .map(|name| argument(name).with_required(false))
        .collect()
}

/// What would be written behind the name of a skill with these arguments.
fn written(record: &Record, arguments: Option<&JsonObject>) -> Result<String, ErrorData> {
    let names = argument_names_in(&record.fields_json());
    let (mut words, mut whole) = (Vec::new(), String::new());
    for (name, value) in arguments.into_iter().flatten() {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            _ => return Err(invalid(format!("the argument `{name}` must be text"))),
        };
        match names.iter().position(|each| each == name) {
            Some(at) => {
                if words.len() <= at {
                    words.resize(at + 1, String::new());
                }
                words[at] = text;
            }
            None if name == ARGUMENTS => whole = text,
            None => {
                let known = if names.is_empty() {
                    ARGUMENTS.to_owned()
                } else {
                    names.join("`, `")
                };
                let told = format!("there is no argument `{name}`; there is `{known}`");
                return Err(invalid(told));
            }
        }
    }
    // Who fills in a form sends what was left empty, too.
    while words.pop_if(|word| word.is_empty()).is_some() {}
    match (words.is_empty(), whole.trim().is_empty()) {
        (true, _) => Ok(whole),
        (false, true) => Ok(Arguments::joined(&words)),
        (false, false) => Err(invalid(format!(
            "`{ARGUMENTS}` stands for all arguments: give it, or each by its name"
        ))),
    }
}

/// A skill's instructions, as if the user had written them.
pub(super) fn get(
    server: &Server,
    name: &str,
    arguments: Option<&JsonObject>,
    caller: &Caller,
) -> Result<GetPromptResult, ErrorData> {
    let snapshot = server.fresh_snapshot();
    let skill = server
        .usable(&snapshot, name)
        .map_err(|problem| caller::error(server, caller, &problem))?;
    if !skill.record.user_invocable {
        return Err(invalid(format!("skill `{name}` is not for users")));
    }
    let given = written(&skill.record, arguments)?;
    let activated = server
        .activate(skill, &given, caller.request_context("mcp prompt"))
        .map_err(|error| caller::error(server, caller, &error.into()))?;
    let digest = activated.digest.to_string();
    caller.load(server, activated.active, digest);
    let message = PromptMessage::new_text(Role::User, activated.text);
    let mut result = GetPromptResult::new(vec![message]);
    result.description = Some(skill.record.description.clone());
    Ok(result)
}
