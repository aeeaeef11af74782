//! Skills of other MCP servers: found, loaded and read under the name of their server, if the same
//! lists allow them as our own and they are not revoked.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::ResourceContents;
use serde_json::{Map, Value, json};
use skillyard_agent::mcp_client::PublishedSkill;
use skillyard_agent::message::CallOutcome;
use skillyard_agent::tool::whole_number;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_catalog::resource::ReadLimits;
use skillyard_catalog::search::{Detail, Index, Options, SearchDocument};
use skillyard_format::Document as SkillDocument;
use skillyard_format::Skill;
use skillyard_format::render::activation;
use skillyard_format::render::activation::Activation;
use skillyard_format::render::arguments::{Arguments, substitute};
use skillyard_trust::guard::{ActiveSkill, ToolList};

use super::caller::Caller;
use super::uri::upstream_root;
use crate::contents::{ContentsError, part};
use crate::problem::Problem;
use crate::server::Server;
use crate::telemetry::CallTrace;
use crate::tool::{MAX_HITS, ReadInput, Tool, ToolAnswer, USUAL_HITS, told, understood};
use crate::upstream::{SKILL_FILE, Upstream, content, digest};

/// How many skills of other servers a description tells of.
const MAX_DESCRIBED: usize = 40;
/// With how many characters each.
const MAX_DESCRIPTION_LENGTH: usize = 200;

/// What a skill of another server gives, if one of that name is meant and none is here.
pub(super) fn call(
    server: &Server,
    tool: Tool,
    input: &Map<String, Value>,
    caller: &Caller,
) -> Option<Result<ToolAnswer, Problem>> {
    let name = text(input, "name");
    let upstream = server.upstream.as_ref()?;
    if matches!(tool, Tool::Search | Tool::List) || server.catalog.snapshot().usable(name).is_some()
    {
        return None;
    }
    let found = server.published_as(name)?;
    let watched = CallTrace::begin(server, tool.name(), input, caller.parent.as_ref());
    let answered = found.and_then(|skill| {
        for_models(server, &skill, tool, input, caller)?;
        answer(server, upstream, &skill, tool, input, caller)
    });
    let outcome = match &answered {
        Ok(_) => CallOutcome::Ok,
        Err(_) => CallOutcome::Failed,
    };
    watched.end(server, outcome);
    Some(answered)
}

/// Refuses to a model, and records so, what only users activate.
fn for_models(
    server: &Server,
    skill: &PublishedSkill,
    tool: Tool,
    input: &Map<String, Value>,
    caller: &Caller,
) -> Result<(), Problem> {
    let name = skill.qualified_name();
    if skill.is_model_invocable() || server.conversation_skills.has(&caller.conversation, &name) {
        return Ok(());
    }
    let error = ContentsError::ForUsers { name };
    let mut event = match tool {
        Tool::Load => activated(skill, ""),
        _ => was_read(skill, text(input, "path")),
    };
    event.digest = None;
    let event = event.ended(Outcome::Denied, error.to_string());
    server.record(&caller.event(event));
    Err(error.into())
}

/// The skills of other servers that models may choose from.
fn choosable(server: &Server) -> Vec<PublishedSkill> {
    let mut skills = server.published();
    skills.retain(PublishedSkill::is_model_invocable);
    skills
}

fn answer(
    server: &Server,
    upstream: &Upstream,
    skill: &PublishedSkill,
    tool: Tool,
    input: &Map<String, Value>,
    caller: &Caller,
) -> Result<ToolAnswer, Problem> {
    match tool {
        Tool::Load => {
            let most = server.host.portions().instruction_bytes;
            let answer = load(upstream, skill, text(input, "arguments"), most)?;
            let digest = answer.loaded.as_ref().map(|(_, digest)| digest.as_str());
            let event = activated(skill, digest.unwrap_or_default());
            server.record(&caller.event(event));
            Ok(answer)
        }
        Tool::Read => {
            let input: ReadInput = understood(input.clone())?;
            let answer = read(upstream, skill, &input, server.host.read_limits());
            let event = was_read(skill, &input.path);
            let event = match &answer {
                Ok(_) => event,
                Err(problem) => event.ended(Outcome::Denied, problem.detail()),
            };
            server.record(&caller.event(event));
            answer
        }
        // A search or a list goes over all of them, so that none is asked alone.
        Tool::Files | Tool::Search | Tool::List => {
            let files = skill.manifest.files.values();
            let files = files.map(|file| json!({ "path": file.path, "size": file.size }));
            let value = json!({ "files": files.collect::<Vec<_>>(), "truncated": false });
            Ok(ToolAnswer::new(value.to_string(), Some(value)))
        }
    }
}

/// A file of a skill as its server has it; who reads its own file has loaded the skill.
pub(super) fn resource(
    server: &Server,
    skill: &PublishedSkill,
    path: &str,
    uri: &str,
    caller: &Caller,
) -> Result<Option<ResourceContents>, Problem> {
    let Some(upstream) = &server.upstream else {
        return Ok(None);
    };
    let files = upstream.files(skill)?;
    let Some(bytes) = content(&files, path) else {
        return Ok(None);
    };
    if let Err(error) = server.host.read_limits().admit(path) {
        let event = was_read(skill, path).ended(Outcome::Denied, error.to_string());
        server.record(&caller.event(event));
        return Err(ContentsError::from(error).into());
    }
    let event = if path == SKILL_FILE {
        let digest = digest(&files);
        let event = activated(skill, &digest);
        let active = active(skill, &SkillDocument::parse(bytes));
        caller.load(server, active, digest);
        event
    } else {
        was_read(skill, path)
    };
    server.record(&caller.event(event));
    Ok(Some(match std::str::from_utf8(bytes) {
        Ok(text) => ResourceContents::text(text, uri),
        Err(_) => ResourceContents::blob(BASE64_STANDARD.encode(bytes), uri),
    }))
}

fn activated(skill: &PublishedSkill, digest: &str) -> Event {
    Event::new(EventKind::SkillActivated)
        .skill(skill.qualified_name())
        .digest(digest)
        .source("mcp")
        .origin(&skill.uri)
        .tier("untrusted")
}

fn was_read(skill: &PublishedSkill, path: &str) -> Event {
    Event::new(EventKind::ResourceRead)
        .skill(skill.qualified_name())
        .source("mcp")
        .detail("path", path)
}

fn text<'a>(input: &'a Map<String, Value>, key: &str) -> &'a str {
    input.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// What a search found here, together with what other servers have: in turns, ours first, because
/// scores of different collections cannot be compared.
pub(super) fn found(server: &Server, input: &Map<String, Value>, answer: ToolAnswer) -> ToolAnswer {
    let limit = input.get("limit").and_then(whole_number);
    let limit = limit.and_then(|limit| usize::try_from(limit).ok());
    let limit = limit.unwrap_or(USUAL_HITS).clamp(1, MAX_HITS);
    let words = input
        .get("query")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let all = choosable(server);
    let theirs = matching(&all, words, limit);
    if theirs.is_empty() {
        return answer;
    }
    let mut value = answer.structured.unwrap_or_default();
    if let Some(total) = value["total"].as_u64() {
        value["total"] = (total + all.len() as u64).into();
    }
    let ours = match value["results"].take() {
        Value::Array(ours) => ours,
        _ => Vec::new(),
    };
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
    value["results"] = results.into();
    ToolAnswer::new(value.to_string(), Some(value))
}

/// What a list gave here, with what other servers have behind it.
pub(super) fn listed(server: &Server, answer: ToolAnswer) -> ToolAnswer {
    let theirs = choosable(server);
    let mut value = answer.structured.unwrap_or_default();
    let total = value["total"].as_u64().unwrap_or_default();
    value["total"] = (total + theirs.len() as u64).into();
    if value["cursor"].is_null()
        && let Some(results) = value["results"].as_array_mut()
    {
        results.extend(theirs.iter().map(shown));
    }
    ToolAnswer::new(value.to_string(), Some(value))
}

fn shown(skill: &PublishedSkill) -> Value {
    json!({
        "name": skill.qualified_name(),
        "description": described(skill),
        "server": skill.server,
    })
}

fn matching(skills: &[PublishedSkill], words: &str, limit: usize) -> Vec<Value> {
    if words.trim().is_empty() {
        return skills.iter().take(limit).map(shown).collect();
    }
    let documents = skills.iter().map(|skill| SearchDocument {
        id: skill.uri.as_str().into(),
        name: skill.name.as_str().into(),
        description: skill.offer(),
        ..SearchDocument::default()
    });
    let index = Index::build(documents);
    let options = Options {
        limit,
        detail: Detail::Ranking,
        ..Options::default()
    };
    let hits = index.search(words, &options);
    let hits = hits.iter().filter_map(|hit| {
        let mut found = shown(skills.get(hit.document as usize)?);
        found["score"] = hit.score.into();
        Some(found)
    });
    hits.collect()
}

/// Lines that tell of them, for the description of a tool.
pub(super) fn lines(server: &Server) -> String {
    let skills = choosable(server);
    let lines = skills.iter().take(MAX_DESCRIBED).map(|skill| {
        let (name, server) = (skill.qualified_name(), &skill.server);
        format!(
            "\n- {name} (of MCP server `{server}`): {}",
            described(skill)
        )
    });
    lines.collect()
}

/// The words of another server, on one line and without tags.
fn described(skill: &PublishedSkill) -> String {
    let words: String = skill.offer().chars().take(MAX_DESCRIPTION_LENGTH).collect();
    skillyard_format::text::one_line(&words).replace('<', "&lt;")
}

/// A skill's instructions for a model, with at most so many bytes of its own file.
fn load(
    upstream: &Upstream,
    skill: &PublishedSkill,
    arguments: &str,
    most: usize,
) -> Result<ToolAnswer, Problem> {
    let files = upstream.files(skill)?;
    let bytes = content(&files, SKILL_FILE).unwrap_or_default();
    let document = SkillDocument::parse(bytes);
    let name = skill.qualified_name();
    let directory = upstream_root(skill);
    let digest = digest(&files);
    let others = files.iter().map(|(file, _)| file.path.clone());
    let others: Vec<String> = others.filter(|path| path != SKILL_FILE).collect();
    let whole = std::str::from_utf8(bytes).unwrap_or(&document.text);
    let portion = activation::portion(whole, document.body(), SKILL_FILE, most);
    let arguments = Arguments::of(&document, arguments);
    let body = substitute(&portion.text, &arguments, &directory);
    let parsed = Skill::from_document(&document, Some(&skill.name));
    let compatibility = parsed.as_ref().and_then(Skill::stated_compatibility);
    let text = activation::render(&Activation {
        name: &name,
        digest: &digest,
        origin: &format!("the MCP server {}, {}", skill.server, skill.uri),
        third_party: true,
        compatibility: compatibility.as_deref(),
        directory: &directory,
        body: &body,
        resources: &others,
    });
    let mut answer = ToolAnswer::new(text, None);
    answer.loaded = Some((active(skill, &document), digest));
    Ok(answer)
}

/// A part of a file of a skill, for a model.
fn read(
    upstream: &Upstream,
    skill: &PublishedSkill,
    input: &ReadInput,
    limits: ReadLimits,
) -> Result<ToolAnswer, Problem> {
    let files = upstream.files(skill)?;
    let bytes = content(&files, &input.path);
    let bytes = bytes.ok_or_else(|| Problem::bad("the skill has no such file"))?;
    let read = part(&input.path, bytes, input.range()?, limits)?;
    Ok(told(&skill.qualified_name(), true, read))
}

/// What a skill of another server lets tools do: its list of allowed ones would widen what other
/// skills allow, so it does not count.
pub(super) fn active(skill: &PublishedSkill, document: &SkillDocument<'_>) -> ActiveSkill {
    let parsed = Skill::from_document(document, Some(&skill.name));
    let disallowed = parsed.map(|parsed| ActiveSkill::of(&parsed, None).disallowed);
    ActiveSkill {
        name: skill.qualified_name(),
        folder: None,
        allowed: ToolList::Absent,
        disallowed: disallowed.unwrap_or(ToolList::Unreadable),
    }
}

impl Server {
    /// The skills of other servers that are offered, in the order of the servers.
    pub(super) fn published(&self) -> Vec<PublishedSkill> {
        self.offered(Upstream::skills)
    }

    /// The names of those that are offered of what was listed last, for who waits for changes: lists and
    /// decisions change apart from each other.
    pub(super) fn offered_now(&self) -> Vec<String> {
        let offered = self.offered(Upstream::known).into_iter();
        offered.map(|skill| skill.qualified_name()).collect()
    }

    fn offered(&self, skills: fn(&Upstream) -> Vec<PublishedSkill>) -> Vec<PublishedSkill> {
        let all = self.judged(skills).into_iter();
        all.filter_map(|(skill, against)| against.is_none().then_some(skill))
            .collect()
    }

    /// The skill of a name such as `docs:greet`, or why it is not offered.
    pub(super) fn published_as(&self, name: &str) -> Option<Result<PublishedSkill, Problem>> {
        if !name.contains(':') {
            return None;
        }
        let mut all = self.judged(Upstream::skills).into_iter();
        let (skill, against) = all.find(|(skill, _)| skill.qualified_name() == name)?;
        Some(match against {
            None => Ok(skill),
            Some(reason) => Err(Problem::unusable(name, &reason)),
        })
    }

    /// Every skill that other servers publish, with what is against it.
    fn judged(
        &self,
        skills: fn(&Upstream) -> Vec<PublishedSkill>,
    ) -> Vec<(PublishedSkill, Option<String>)> {
        let Some(upstream) = &self.upstream else {
            return Vec::new();
        };
        // What was decided a moment ago counts already.
        self.fresh_snapshot();
        if !self.host.offers_skills() {
            return Vec::new();
        }
        let selection = self.host.selection();
        let against = |skill: &PublishedSkill| match &selection {
            Ok(selection) => selection
                .reason_against(&skill.qualified_name())
                .or_else(|| self.host.revoked_elsewhere(skill)),
            // What cannot be decided is decided against.
            Err(_) => Some("the configuration cannot be read".to_owned()),
        };
        let skills = skills(upstream).into_iter();
        skills
            .map(|skill| {
                let against = against(&skill);
                (skill, against)
            })
            .collect()
    }
}
