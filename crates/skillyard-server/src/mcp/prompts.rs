//! Skills that users may invoke, as prompts: clients show them as commands.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use super::caller::Caller;
use super::skills::invalid;
use crate::server::Server;
use crate::tool::usable;

/// The name of the one argument.
const ARGUMENTS: &str = "arguments";

/// Every skill that users may invoke.
pub(super) fn list(server: &Server) -> Vec<Prompt> {
    let stock = server.shelf.stock();
    let skills = stock.catalog.enabled();
    let mut prompts: Vec<Prompt> = skills
        .filter(|skill| skill.record.user_invocable)
        .map(|skill| {
            let fields: Value = serde_json::from_str(&skill.record.fields).unwrap_or_default();
            let hint = fields.get("argument-hint").and_then(Value::as_str);
            let hint = hint.unwrap_or("What the skill should do it with");
            let argument = PromptArgument::new(ARGUMENTS)
                .with_description(hint)
                .with_required(false);
            let description = Some(skill.record.description.to_string());
            Prompt::new(
                skill.record.name.to_string(),
                description,
                Some(vec![argument]),
            )
        })
        .collect();
    prompts.sort_by(|a, b| a.name.cmp(&b.name));
    prompts
}

/// A skill's instructions, as if the user had written them.
pub(super) fn get(
    server: &Server,
    name: &str,
    arguments: Option<&JsonObject>,
    caller: &Caller,
) -> Result<GetPromptResult, ErrorData> {
    let stock = server.stock();
    let skill = usable(&stock, name).map_err(|problem| invalid(problem.detail()))?;
    if !skill.record.user_invocable {
        return Err(invalid(format!("skill `{name}` is not for users")));
    }
    let given = arguments.and_then(|arguments| arguments.get(ARGUMENTS));
    let given = given.and_then(Value::as_str).unwrap_or_default();
    let activated = server
        .activate(skill, given, caller.asker("mcp prompt"))
        .map_err(|error| invalid(crate::problem::Problem::from(error).detail()))?;
    let digest = activated.digest.to_string();
    let conversation = &caller.conversation;
    server.acting.load(conversation, activated.active, digest);
    let message = PromptMessage::new_text(Role::User, activated.text);
    let mut result = GetPromptResult::new(vec![message]);
    result.description = Some(skill.record.description.to_string());
    Ok(result)
}
