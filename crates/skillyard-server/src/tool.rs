//! The tools for models, as MCP, the API and chat call them.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use skillyard_agent::message::CallOutcome;
use skillyard_agent::tool::whole_number;
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::resource::{BinaryContent, ReadRange, Resource, ResourceContent};
use skillyard_format::render::activation;
use skillyard_format::text::counted;
use skillyard_trust::guard::ActiveSkill;

use crate::catalog_cache::CatalogSnapshot;
use crate::contents::{Contents, media_type};
use crate::problem::Problem;
use crate::request_context::RequestContext;
use crate::server::Server;
use crate::telemetry::CallTrace;

/// How many skills a search gives at most.
pub(crate) const MAX_HITS: usize = 50;
/// How many it gives to who does not say.
pub(crate) const USUAL_HITS: usize = 10;
/// How many skills a list gives at once.
const MAX_LISTED: usize = 1_000;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Finds skills.
    Search,
    /// Gives a skill's instructions.
    Load,
    /// Gives one of its files.
    Read,
    /// Lists its files.
    Files,
    /// Lists skills, for other runtimes; models are told of the others.
    List,
}

impl Tool {
    /// Every tool that models are told of, in that order.
    pub(crate) const ALL: [Self; 4] = [Self::Search, Self::Load, Self::Read, Self::Files];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Search => "skill_search",
            Self::Load => "skill_load",
            Self::Read => "skill_read",
            Self::Files => "skill_files",
            Self::List => "skills.list",
        }
    }

    /// The tool of a name, also of one that other runtimes use.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "skills.list" => Self::List,
            "skills.activate" | "skillsActivate" | "skills.read" => Self::Load,
            "skills.readResource" | "skillsReadResource" | "skills.read_resource" => Self::Read,
            "skills.listResources" | "skillsListResources" | "skills.list_resources" => Self::Files,
            _ => return Self::ALL.into_iter().find(|tool| tool.name() == name),
        })
    }
}

/// What a tool gave.
#[derive(Debug, Clone)]
pub(crate) struct ToolAnswer {
    /// For a model.
    pub(crate) text: String,
    /// For a program, where the text is more than text.
    pub(crate) structured: Option<Value>,
    /// The skill that was loaded, with its digest.
    pub(crate) loaded: Option<(ActiveSkill, String)>,
}

impl ToolAnswer {
    /// Text, and what it says to a program.
    pub(crate) fn new(text: String, structured: Option<Value>) -> Self {
        Self {
            text,
            structured,
            loaded: None,
        }
    }
}

impl Server {
    /// Calls a tool; what the model did wrong is a problem it can read.
    pub(crate) fn call(
        &self,
        tool: Tool,
        input: Map<String, Value>,
        context: RequestContext<'_>,
    ) -> Result<ToolAnswer, Problem> {
        let watched = CallTrace::begin(self, tool.name(), &input, context.trace);
        let answered = self.answered(tool, input, context);
        let outcome = match &answered {
            Ok(_) => CallOutcome::Ok,
            Err(_) => CallOutcome::Failed,
        };
        watched.end(self, outcome);
        answered
    }

    fn answered(
        &self,
        tool: Tool,
        input: Map<String, Value>,
        context: RequestContext<'_>,
    ) -> Result<ToolAnswer, Problem> {
        let snapshot = self.fresh_snapshot();
        match tool {
            Tool::Search => {
                let input: SearchInput = understood(input)?;
                Ok(Self::search_tool(&snapshot, &input))
            }
            Tool::Load => {
                let input: LoadInput = understood(input)?;
                let skill = self.usable(&snapshot, &input.name)?;
                self.for_models(skill, Event::new(EventKind::SkillActivated), context)?;
                let arguments = input.arguments.unwrap_or_default();
                let activated = self.activate(skill, &arguments, context)?;
                let digest = activated.digest.to_string();
                let mut answer = ToolAnswer::new(activated.text, None);
                answer.loaded = Some((activated.active, digest));
                Ok(answer)
            }
            Tool::Read => {
                let input: ReadInput = understood(input)?;
                let skill = self.usable(&snapshot, &input.name)?;
                let event = Event::new(EventKind::ResourceRead).detail("path", &input.path);
                self.for_models(skill, event, context)?;
                self.read_tool(skill, &input, context)
            }
            Tool::Files => {
                let input: FilesInput = understood(input)?;
                let skill = self.usable(&snapshot, &input.name)?;
                self.for_models(skill, Event::new(EventKind::ResourceRead), context)?;
                files_tool(skill, input.dir.as_deref())
            }
            Tool::List => {
                let input: ListInput = understood(input)?;
                list_tool(&snapshot, &input)
            }
        }
    }

    fn search_tool(snapshot: &CatalogSnapshot, input: &SearchInput) -> ToolAnswer {
        let limit = input.limit.unwrap_or(USUAL_HITS).clamp(1, MAX_HITS);
        if input.query.trim().is_empty() {
            let all = snapshot.choosable();
            let some = all.iter().take(limit).map(|skill| listed(skill));
            let value = json!({ "results": some.collect::<Vec<_>>(), "total": all.len() });
            return ToolAnswer::new(value.to_string(), Some(value));
        }
        let hits = snapshot.matching(&input.query, limit);
        let results: Vec<Value> = hits
            .iter()
            .map(|(skill, score)| {
                json!({ "name": skill.record.name, "description": skill.record.description, "score": score })
            })
            .collect();
        let value = json!({ "results": results });
        ToolAnswer::new(value.to_string(), Some(value))
    }

    fn read_tool(
        &self,
        skill: &CatalogSkill,
        input: &ReadInput,
        context: RequestContext<'_>,
    ) -> Result<ToolAnswer, Problem> {
        let binary = BinaryContent::Describe;
        let read = self.read_file(skill, &input.path, input.range()?, binary, context)?;
        let third_party = self.host.standing(skill, None).third_party;
        Ok(told(&skill.record.name, third_party, read))
    }
}

/// What was read of a file, marked as what it is for a model.
pub(crate) fn told(skill: &str, third_party: bool, read: Resource) -> ToolAnswer {
    let kind = media_type(&read.path, &read.content);
    let mut text = match read.content {
        ResourceContent::Text(text) => {
            activation::render_file(skill, &read.path, third_party, &text)
        }
        ResourceContent::Binary { .. } => {
            let bytes = counted(read.size, "byte");
            format!("`{}` is not text: {kind}, {bytes}", read.path)
        }
    };
    if let Some(next) = read.next_offset {
        let size = read.size;
        let _ = write!(
            text,
            "\n[cut at byte {next} of {size}; go on with cursor {next}]"
        );
    }
    ToolAnswer::new(text, None)
}

fn list_tool(snapshot: &CatalogSnapshot, input: &ListInput) -> Result<ToolAnswer, Problem> {
    let all = snapshot.choosable();
    let limit = input.limit.unwrap_or(MAX_LISTED).clamp(1, MAX_LISTED);
    let (page, next) = snapshot.page(&all, input.cursor.as_deref(), limit)?;
    let page: Vec<Value> = page.iter().map(|skill| listed(skill)).collect();
    let mut value = json!({ "results": page, "total": all.len() });
    if let Some(next) = next {
        value["cursor"] = next.into();
    }
    Ok(ToolAnswer::new(value.to_string(), Some(value)))
}

fn listed(skill: &CatalogSkill) -> Value {
    json!({ "name": skill.record.name, "description": skill.record.description })
}

fn files_tool(skill: &CatalogSkill, folder: Option<&str>) -> Result<ToolAnswer, Problem> {
    let list = Contents::open(skill)?.list(folder.filter(|folder| !folder.is_empty()))?;
    let files: Vec<Value> = list
        .files
        .iter()
        .map(|file| json!({ "path": file.path, "size": file.size, "executable": file.executable }))
        .collect();
    let value = json!({ "files": files, "truncated": list.truncated });
    Ok(ToolAnswer::new(value.to_string(), Some(value)))
}

/// How many bytes of a file one call gives.
const MAX_BYTES: u64 = 64 * 1024;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchInput {
    #[serde(default)]
    query: String,
    limit: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListInput {
    limit: Option<usize>,
    cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadInput {
    name: String,
    #[serde(default)]
    arguments: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadInput {
    name: String,
    pub(crate) path: String,
    cursor: Option<Cursor>,
}

/// Where to go on in a file: models write the number as one, and as a text.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "`cursor` is neither a number nor a text")]
enum Cursor {
    Number(u64),
    Text(String),
}

impl ReadInput {
    /// The part of the file that one call gives.
    pub(crate) fn range(&self) -> Result<ReadRange, Problem> {
        let offset = match &self.cursor {
            None => 0,
            Some(Cursor::Number(offset)) => *offset,
            Some(Cursor::Text(text)) if text.is_empty() => 0,
            Some(Cursor::Text(text)) => text
                .parse()
                .map_err(|_| Problem::bad("`cursor` is not one that an earlier call gave"))?,
        };
        Ok(ReadRange {
            offset,
            limit: Some(MAX_BYTES),
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FilesInput {
    name: String,
    dir: Option<String>,
}

/// The input of a tool, or what is wrong with it.
pub(crate) fn understood<T: for<'de> Deserialize<'de>>(
    input: Map<String, Value>,
) -> Result<T, Problem> {
    let fields = input.into_iter().map(|(key, value)| match &value {
        // Some models write `5.0`.
        Value::Number(number) if number.is_f64() => {
            let whole = whole_number(&value).map(Value::from);
            (key, whole.unwrap_or(value))
        }
        _ => (key, value),
    });
    let input = Value::Object(fields.collect());
    serde_json::from_value(input).map_err(|error| Problem::bad(error.to_string()))
}
