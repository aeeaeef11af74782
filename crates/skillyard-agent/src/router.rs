//! Choosing skills before the model is asked.
//!
//! A router that names no choice, because it thought until its answer was cut off or speaks another
//! language than was asked for, has not said that no skill is needed: then the search chooses.

use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use skillyard_format::render::catalog::{self, CatalogEntry, CatalogFormat};

use crate::message::Message;
use crate::provider::{Completion, Delta, ModelRequest, Provider, ProviderError, Stop, Usage};
use crate::settings::{AgentSettings, ToolMode};
use crate::shelf::{MIN_SCORE, Shelf, ShelfSkill};

/// Most skills that a router is shown.
const SHORTLIST: usize = 20;
/// Skills that are named to a model which decides itself.
const CANDIDATES: usize = 5;
/// How near the second must be to the first for the router to be asked.
const CLOSE: f32 = 0.9;
/// How near another skill must be to the first to be taken beside it without a model.
const BESIDE: f32 = 0.5;
/// Tokens of a router's answer, with its thoughts, and without where there is no room for them.
const ANSWER_TOKENS: (u32, u32) = (2_000, 200);
/// How servers refuse a request whose answer has a shape.
const NO_SHAPES: [u16; 3] = [400, 422, 501];
/// The choice of no skill.
const NONE: &str = "none";

/// What a router chose, and what it cost.
pub(crate) struct RouterChoice {
    pub(crate) skills: Vec<String>,
    pub(crate) usage: Usage,
    /// Why it was not the router that chose, if it was not.
    pub(crate) instead: Option<&'static str>,
}

impl RouterChoice {
    fn of(skills: Vec<String>) -> Self {
        Self {
            skills,
            usage: Usage::default(),
            instead: None,
        }
    }
}

/// Chooses at most as many skills as the settings allow; `on` hears of what comes meanwhile.
pub(crate) fn choose(
    provider: &dyn Provider,
    settings: &AgentSettings,
    shelf: &Shelf,
    task: &str,
    on: &mut dyn FnMut(Delta<'_>),
    cancel: &AtomicBool,
) -> Result<RouterChoice, ProviderError> {
    let most = settings.limits.routed_skills;
    let found = shelf.search(task, SHORTLIST);
    if provider.name() == crate::provider::offline::NAME {
        return Ok(RouterChoice::of(fitting(&found, most)));
    }
    let all: Vec<&ShelfSkill> = shelf.offered().collect();
    let shown: Vec<&ShelfSkill> = if all.len() <= SHORTLIST {
        all
    } else {
        found.iter().map(|(each, _)| *each).collect()
    };
    if shown.is_empty() || most == 0 {
        return Ok(RouterChoice::of(Vec::new()));
    }
    let names: Vec<String> = shown.iter().map(|each| name(each)).collect();
    let entries: Vec<CatalogEntry> = shown.iter().map(|each| entry(each)).collect();
    let system = format!(
        "{}\n\nChoose the skill that the user's message needs. Choose `{NONE}` when no skill is \
         needed. Answer with JSON only.",
        catalog::render(&entries, CatalogFormat::Xml)
    );
    let system_alone = format!("{system} Its form is {}.", form(most));
    let shape = shape(&names, most);
    let messages = [Message::user(task)];
    let mut ask = |shape: Option<&Value>| -> Result<Completion, ProviderError> {
        let mut request = ModelRequest {
            model: settings.router_name(),
            system: shape.map_or(&system_alone, |_| &system),
            tools: &[],
            messages: &messages,
            max_tokens: ANSWER_TOKENS.0,
            shape,
        };
        let mut answer = provider.complete(&request, on, cancel);
        if let Err(ProviderError::Overfull { .. }) = answer {
            request.max_tokens = ANSWER_TOKENS.1;
            answer = provider.complete(&request, on, cancel);
        }
        let mut completion = answer?;
        completion.usage = Usage::of(provider, &request, &completion);
        Ok(completion)
    };
    let router = settings.router_model.as_ref();
    let is_same = router.is_none_or(|router| *router == settings.model);
    let completion = if is_same && settings.tool_mode == ToolMode::Text {
        ask(None)?
    } else {
        match ask(Some(&shape)) {
            // Not every server can force answers into a shape, and words say it, too.
            Err(ProviderError::Status { status, .. }) if NO_SHAPES.contains(&status) => ask(None)?,
            outcome => outcome?,
        }
    };
    let usage = completion.usage;
    let Some(mut skills) = chosen(&completion, &names) else {
        return Ok(RouterChoice {
            skills: fitting(&found, most),
            usage,
            instead: Some(match completion.stop {
                Stop::Length => "the router's answer was cut off, so the search chose skills",
                _ => "the router named no choice, so the search chose skills",
            }),
        });
    };
    skills.truncate(most);
    Ok(RouterChoice {
        usage,
        ..RouterChoice::of(skills)
    })
}

/// The skills that a search takes without a model.
fn fitting(found: &[(&ShelfSkill, f32)], most: usize) -> Vec<String> {
    let best = found.first().map_or(0.0, |(_, score)| *score);
    let least = MIN_SCORE.max(best * BESIDE);
    let fitting = found.iter().filter(|(_, score)| *score >= least);
    fitting.take(most).map(|(each, _)| name(each)).collect()
}

/// The skills that a search would take, for a model that decides itself, and whether the first
/// two are close.
pub(crate) fn candidates(shelf: &Shelf, task: &str) -> (Vec<String>, bool) {
    let found = shelf.search(task, CANDIDATES);
    let close = match found.as_slice() {
        [(_, first), (_, second), ..] => *second >= first * CLOSE,
        _ => false,
    };
    (found.iter().map(|(each, _)| name(each)).collect(), close)
}

fn name(each: &ShelfSkill) -> String {
    each.skill.record.name.clone()
}

fn entry(each: &ShelfSkill) -> CatalogEntry {
    CatalogEntry {
        name: name(each),
        description: each.skill.record.description.clone(),
        location: None,
    }
}

fn shape(names: &[String], most: usize) -> Value {
    let mut choices: Vec<&str> = names.iter().map(String::as_str).collect();
    choices.push(NONE);
    let choice = json!({ "type": "string", "enum": choices });
    let value = match most {
        1 => choice,
        _ => json!({ "type": "array", "items": choice, "maxItems": most }),
    };
    json!({
        "type": "object",
        "properties": { "skill": value },
        "required": ["skill"],
        "additionalProperties": false,
    })
}

/// The same in words, for a model that nothing forces.
fn form(most: usize) -> &'static str {
    match most {
        1 => "{\"skill\": \"NAME\"}",
        _ => "{\"skill\": [\"NAME\"]}",
    }
}

/// The known names in an answer, if it is a choice; any other name chooses nothing.
fn chosen(completion: &Completion, names: &[String]) -> Option<Vec<String>> {
    let text = completion.text();
    // Some put it into a fence, or say something around it.
    let object = text.find('{').zip(text.rfind('}'));
    let object = object.and_then(|(start, end)| text.get(start..=end));
    let value: Value = serde_json::from_str(object.unwrap_or_default()).unwrap_or_default();
    let said: Vec<&str> = match &value["skill"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let known = said
        .into_iter()
        .filter(|said| names.iter().any(|name| name == said));
    let mut skills: Vec<String> = known.map(str::to_owned).collect();
    skills.dedup();
    Some(skills)
}
