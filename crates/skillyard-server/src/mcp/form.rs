//! The form in which a client asks its user, and their answer.

use rmcp::ErrorData;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Value, json};

use super::ask::Deed;

/// What a yes is called in the form.
const ALLOW: &str = "allow";

/// The form that a client shows.
pub(super) fn form(message: &str, deed: Deed) -> Result<ElicitRequestParams, ErrorData> {
    let description = match deed {
        Deed::Run => "Run this script once, in the sandbox",
        Deed::Call => "Call this tool once",
    };
    let schema = json!({
        "type": "object",
        "properties": { ALLOW: {
            "type": "boolean",
            "title": "Allow it",
            "description": description,
            "default": false,
        } },
        "required": [ALLOW],
    });
    let form = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    serde_json::from_value(form).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// What somebody who was asked said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    Yes,
    No,
    /// The question was closed, and nothing said.
    Closed,
    /// The form was sent back without what it asks for.
    Unclear,
}

/// What the user said; nothing is a yes but a yes.
pub(super) fn reply(answer: &ElicitResult) -> Reply {
    let content = answer.content.as_ref();
    let allowed = content.and_then(|content| content.get(ALLOW));
    match (&answer.action, allowed) {
        (ElicitationAction::Accept, Some(Value::Bool(true))) => Reply::Yes,
        (ElicitationAction::Accept, Some(Value::Bool(false))) | (ElicitationAction::Decline, _) => {
            Reply::No
        }
        (ElicitationAction::Cancel, _) => Reply::Closed,
        _ => Reply::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_one() {
        for (value, expected) in [
            (
                json!({ "action": "accept", "content": { "allow": true } }),
                Reply::Yes,
            ),
            (json!({ "action": "accept" }), Reply::Unclear),
            (
                json!({ "action": "accept", "content": { "allow": false } }),
                Reply::No,
            ),
            (
                json!({ "action": "accept", "content": { "allow": "true" } }),
                Reply::Unclear,
            ),
            (
                json!({ "action": "decline", "content": { "allow": true } }),
                Reply::No,
            ),
            (json!({ "action": "cancel" }), Reply::Closed),
            (
                json!({ "action": "cancel", "content": { "allow": true } }),
                Reply::Closed,
            ),
        ] {
            let answer = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(reply(&answer), expected, "{value}");
        }
    }
}
