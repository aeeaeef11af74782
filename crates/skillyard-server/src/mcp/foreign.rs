//! Skills of other servers, for the tools that models call: found, loaded and read under the name
//! of their server.

use serde_json::{Map, Value, json};
use skillyard_agent::message::CallOutcome;
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::search::{Detail, Document, Index, Options};
use skillyard_mcp::PublishedSkill;

use super::caller::Caller;
use super::upstream::Upstream;
use crate::problem::Problem;
use crate::served::Watched;
use crate::server::Server;
use crate::tool::{Answer, MOST_HITS, Tool, USUAL_HITS};

/// How many skills of other servers a description tells of.
const MOST: usize = 40;
/// With how many characters each.
const LONGEST: usize = 200;

/// What a skill of another server gives, if one of that name is meant and none is here.
pub(super) fn call(
    server: &Server,
    tool: Tool,
    input: &Map<String, Value>,
    caller: &Caller,
) -> Option<Result<Answer, Problem>> {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
    let name = text("name");
    let upstream = server.upstream.as_ref()?;
    if tool == Tool::Search || server.shelf.stock().usable(name).is_some() {
        return None;
    }
    let skill = upstream.find(name)?;
    let watched = Watched::begin(server, tool.name(), input, caller.parent.as_ref());
    let answered = match tool {
        Tool::Search => return None,
        Tool::Load => upstream.load(&skill, text("arguments")).inspect(|answer| {
            let digest = answer.loaded.as_ref().map(|(_, digest)| digest.clone());
            let event = Event::new(EventKind::SkillActivated)
                .skill(name)
                .digest(digest.unwrap_or_default())
                .source("mcp")
                .origin(&skill.uri)
                .tier("untrusted");
            server.record(&caller.event(event));
        }),
        Tool::Read => upstream.read(&skill, text("path")).inspect(|_| {
            let event = Event::new(EventKind::ResourceRead)
                .skill(name)
                .source("mcp")
                .detail("path", text("path"));
            server.record(&caller.event(event));
        }),
        Tool::Files => {
            let files = skill.manifest.files.values();
            let files = files.map(|file| json!({ "path": file.path, "size": file.size }));
            let value = json!({ "files": files.collect::<Vec<_>>(), "truncated": false });
            Ok(Answer::new(value.to_string(), Some(value)))
        }
    };
    let outcome = match &answered {
        Ok(_) => CallOutcome::Ok,
        Err(_) => CallOutcome::Failed,
    };
    watched.end(server, outcome);
    Some(answered)
}

/// What a search found here, together with what other servers have: in turns, ours first, because
/// scores of different collections cannot be compared.
pub(super) fn found(upstream: &Upstream, input: &Map<String, Value>, answer: Answer) -> Answer {
    let limit = input.get("limit").and_then(Value::as_u64);
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(USUAL_HITS).clamp(1, MOST_HITS);
    let words = input
        .get("query")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let theirs = matching(&upstream.skills(), words, limit);
    if theirs.is_empty() {
        return answer;
    }
    let ours = answer
        .structured
        .and_then(|mut value| match value["results"].take() {
            Value::Array(ours) => Some(ours),
            _ => None,
        });
    let ours = ours.unwrap_or_default();
    let (mut ours, mut theirs) = (ours.into_iter(), theirs.into_iter());
    let mut results = Vec::new();
    loop {
        let before = results.len();
        results.extend(ours.next());
        results.extend(theirs.next());
        if results.len() == before || results.len() >= limit {
            break;
        }
    }
    results.truncate(limit);
    let value = json!({ "results": results });
    Answer::new(value.to_string(), Some(value))
}

fn matching(skills: &[PublishedSkill], words: &str, limit: usize) -> Vec<Value> {
    let shown = |skill: &PublishedSkill, score: f32| {
        json!({
            "name": skill.known_as(),
            "description": described(skill),
            "score": score,
            "server": skill.server,
        })
    };
    if words.trim().is_empty() {
        let some = skills.iter().take(limit);
        return some.map(|skill| shown(skill, 0.0)).collect();
    }
    let documents = skills.iter().map(|skill| Document {
        id: skill.uri.as_str().into(),
        name: skill.name.as_str().into(),
        description: skill.description.as_str().into(),
        ..Document::default()
    });
    let index = Index::build(documents);
    let options = Options {
        limit,
        detail: Detail::Ranking,
        ..Options::default()
    };
    let hits = index.search(words, &options);
    let hits = hits.iter().filter_map(|hit| {
        let skill = skills.get(hit.document as usize)?;
        Some(shown(skill, hit.score))
    });
    hits.collect()
}

/// Lines that tell of them, for the description of a tool.
pub(super) fn lines(upstream: &Upstream) -> String {
    let skills = upstream.skills();
    let lines = skills.iter().take(MOST).map(|skill| {
        let (name, server) = (skill.known_as(), &skill.server);
        format!(
            "\n- {name} (of MCP server `{server}`): {}",
            described(skill)
        )
    });
    lines.collect()
}

/// The words of another server, on one line and without tags.
fn described(skill: &PublishedSkill) -> String {
    let words: String = skill.description.chars().take(LONGEST).collect();
    skillyard_format::render::one_line(&words).replace('<', "&lt;")
}
