//! The form in which a client asks its user, and their answer.

use rmcp::ErrorData;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Value, json};

/// What a yes is called in the form.
const ALLOW: &str = "allow";

/// The form that a client shows.
pub(super) fn form(message: &str) -> Result<ElicitRequestParams, ErrorData> {
    let schema = json!({
        "type": "object",
        "properties": { ALLOW: {
            "type": "boolean",
            "title": "Allow it",
            "description": "Run this script once, in the sandbox",
            "default": false,
        } },
        "required": [ALLOW],
    });
    let form = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    serde_json::from_value(form).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// Whether the user said yes, and nothing else.
pub(super) fn is_yes(answer: &ElicitResult) -> bool {
    let allowed = answer
        .content
        .as_ref()
        .and_then(|content| content.get(ALLOW));
    answer.action == ElicitationAction::Accept && allowed == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_one() {
        let said = |value: Value| is_yes(&serde_json::from_value(value).unwrap());
        assert!(said(
            json!({ "action": "accept", "content": { "allow": true } })
        ));
        for value in [
            json!({ "action": "accept" }),
            json!({ "action": "accept", "content": { "allow": false } }),
            json!({ "action": "accept", "content": { "allow": "true" } }),
            json!({ "action": "decline", "content": { "allow": true } }),
            json!({ "action": "cancel" }),
        ] {
            assert!(!said(value.clone()), "{value}");
        }
    }
}
