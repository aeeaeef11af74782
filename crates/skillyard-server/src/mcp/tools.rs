//! The tools as MCP describes them.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, Tool as McpTool, ToolAnnotations};
use serde_json::{Map, Value, json};
use skillyard_catalog::prompt::Room;
use skillyard_catalog::selection::Selection;
use skillyard_format::render::catalog::CatalogFormat;

use super::caller::Caller;
use super::{caller, run, upstream_skills, upstream_tools};
use crate::catalog_cache::prompt::{self, PromptRequest};
use crate::script;
use crate::server::Server;
use crate::tool::Tool;

/// How many names are spelled out in a schema.
const MAX_NAMES: usize = 100;
/// How many tokens of a tool's description tell of skills.
const ROOM: Room = Room {
    tokens: 2_000,
    skills: 200,
};

/// Every tool, in a fixed order: our own, then those of other servers.
pub(super) fn list(server: &Server) -> Vec<McpTool> {
    let mut tools: Vec<McpTool> = Tool::ALL.into_iter().map(|it| tool(server, it)).collect();
    if script::is_offered(server) {
        tools.push(run::tool());
    }
    tools.extend(upstream_tools::list(server));
    tools
}

/// Calls a tool; problems become results that the model reads.
pub(super) fn call(
    server: &Server,
    tool: Tool,
    input: Map<String, Value>,
    caller: &Caller,
) -> CallToolResult {
    let answered = match (
        upstream_skills::call(server, tool, &input, caller),
        &server.upstream,
    ) {
        (Some(answered), _) => answered,
        (None, Some(_)) if tool == Tool::Search => server
            .call(tool, input.clone(), caller.request_context("mcp"))
            .map(|answer| upstream_skills::found(server, &input, answer)),
        (None, Some(_)) if tool == Tool::List => server
            .call(tool, input, caller.request_context("mcp"))
            .map(|answer| upstream_skills::listed(server, answer)),
        (None, _) => server.call(tool, input, caller.request_context("mcp")),
    };
    match answered {
        Ok(answer) => {
            if let Some((skill, digest)) = answer.loaded {
                caller.load(server, skill, digest);
            }
            let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
            result.structured_content = answer.structured;
            result
        }
        Err(problem) => caller::failure(server, caller, &problem),
    }
}

fn tool(server: &Server, tool: Tool) -> McpTool {
    let snapshot = server.catalog.snapshot();
    let choosable = snapshot.choosable();
    let name = json!({ "type": "string", "description": "The skill's name" });
    let mut loadable = name.clone();
    // Other servers may have more, or fewer, by the time of the call.
    let most = MAX_NAMES.min(server.host.portions().skills);
    if server.upstream.is_none() && (1..=most).contains(&choosable.len()) {
        let names = choosable.iter().map(|skill| skill.record.name.as_str());
        loadable["enum"] = names.collect::<Vec<_>>().into();
    }
    let (title, description, properties, required) = match tool {
        Tool::Search => (
            "Search skills",
            "Finds skills that fit a task, best first. Without a query it lists some of them."
                .to_owned(),
            json!({
                "query": { "type": "string", "description": "The task, in the user's words" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 50 },
            }),
            json!([]),
        ),
        Tool::Load => (
            "Load a skill",
            load_description(server),
            json!({
                "name": loadable,
                "arguments": { "type": "string", "description": "What the user wrote behind the skill's name" },
            }),
            json!(["name"]),
        ),
        Tool::Read => (
            "Read a skill's file",
            "Gives a file of a skill, such as a reference that its instructions name.".to_owned(),
            json!({
                "name": name,
                "path": { "type": "string", "description": "The path, relative to the skill's folder" },
                "cursor": { "type": "integer", "minimum": 0, "description": "Where an earlier call ended" },
            }),
            json!(["name", "path"]),
        ),
        Tool::Files => (
            "List a skill's files",
            "Lists the files of a skill, or those in one of its folders.".to_owned(),
            json!({
                "name": name,
                "dir": { "type": "string", "description": "A folder, relative to the skill's" },
            }),
            json!(["name"]),
        ),
        Tool::List => (
            "List skills",
            "Lists the skills.".to_owned(),
            json!({
                "limit": { "type": "integer", "minimum": 1, "maximum": 1000 },
                "cursor": { "type": "string", "description": "Where an earlier call ended" },
            }),
            json!([]),
        ),
    };
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    let annotations = ToolAnnotations::with_title(title)
        .read_only(true)
        .open_world(false);
    let described = McpTool::new(tool.name(), description, object(schema))
        .with_title(title)
        .with_annotations(annotations);
    match output(tool) {
        Some(schema) => described.with_raw_output_schema(Arc::new(object(schema))),
        None => described,
    }
}

/// What `skill_load` says: models choose by it, so it names the skills.
fn load_description(server: &Server) -> String {
    let wanted = PromptRequest {
        format: CatalogFormat::Markdown,
        room: ROOM,
        task: None,
        selection: &Selection::default(),
        mount: None,
    };
    let snapshot = server.catalog.snapshot();
    let (catalog, _) = prompt::render(&snapshot, &*server.host, wanted);
    let foreign = upstream_skills::lines(server);
    format!(
        "Loads a skill: instructions for a kind of task. Call it before you start on a task that \
         one of these fits, then follow what it says.\n\n{catalog}{foreign}"
    )
}

fn output(tool: Tool) -> Option<Value> {
    match tool {
        Tool::Search | Tool::List => Some(json!({
            "type": "object",
            "properties": {
                "results": { "type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "description": { "type": "string" },
                        "score": { "type": "number" },
                        "server": { "type": "string", "description": "The MCP server that has it, if it is not here" },
                    },
                    "required": ["name", "description"],
                } },
                "total": { "type": "integer", "description": "How many there are, without a query" },
            },
            "required": ["results"],
        })),
        Tool::Files => Some(json!({
            "type": "object",
            "properties": {
                "files": { "type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "path": { "type": "string" },
                        "size": { "type": "integer" },
                        "executable": { "type": "boolean" },
                    },
                    "required": ["path", "size"],
                } },
                "truncated": { "type": "boolean" },
            },
            "required": ["files"],
        })),
        Tool::Load | Tool::Read => None,
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
