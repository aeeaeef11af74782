//! Asks the user of a client before a script runs or a tool is called, as its protocol revision allows.

use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
    ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::package::Digest;

use crate::consent::{Nameless, QUESTION_TIMEOUT};
use crate::server::Server;

/// The question's name in a result that wants an answer.
const QUESTION: &str = "consent";

/// What the user is asked.
pub(super) struct ConsentQuestion<'a> {
    /// What is to be decided, with everything that would make it another decision.
    pub(super) key: Digest,
    /// What they read.
    pub(super) message: &'a str,
    pub(super) action: Action,
    /// The script or the tool.
    pub(super) subject: &'a str,
    /// Why they are asked.
    pub(super) reason: &'a str,
    /// Whose question it is.
    pub(super) token: &'a str,
    /// An event about it.
    pub(super) about: &'a (dyn Fn(EventKind) -> Event + Sync),
}

/// What a yes lets happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// A script runs.
    Run,
    /// A tool of another server is called.
    Call,
}

/// What came of asking.
pub(super) enum Consented {
    Yes,
    No(String),
    Later(Box<InputRequiredResult>),
}

/// Why there is no yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Unallowed {
    #[error("the user said no")]
    Refused,
    #[error("the user closed the question without an answer")]
    Closed,
    #[error("the client's answer is neither yes nor no")]
    Unclear,
    #[error("the client came back without an answer")]
    Unanswered,
    #[error("the client did not ask the user (error {code})")]
    Unasked { code: i32 },
    #[error("nobody answered within {} minutes", QUESTION_TIMEOUT.as_secs() / 60)]
    Late,
    #[error("the client took the call back before anybody answered")]
    Withdrawn,
    #[error("the client was gone before anybody answered")]
    Gone,
}

/// Whether nothing is kept between requests, so that an answer comes with another one.
pub(super) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28)
}

/// Whether the client can ask its user.
pub(super) fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|can| {
        // Who names no way means a form; an address to open in a browser would not do.
        let ways = can.elicitation.as_ref();
        ways.is_some_and(|ways| ways.form.is_some() || ways.url.is_none())
    })
}

/// Asks the user of a client that can, in the way that the protocol has for it.
pub(super) async fn asked(
    server: &Server,
    request: &CallToolRequestParams,
    question: &ConsentQuestion<'_>,
    context: &RequestContext<RoleServer>,
) -> Result<Consented, ErrorData> {
    let ConsentQuestion {
        key,
        about,
        subject,
        reason,
        ..
    } = *question;
    let ask = || Ok::<_, ErrorData>(ElicitRequest::new(form(question.message, question.action)?));
    let answer = if is_stateless(context) {
        let state = request.request_state.as_deref();
        if !state.is_some_and(|state| server.consents.take(state, key)) {
            server.record(&about(EventKind::ApprovalRequested).reason(reason));
            let questions =
                InputRequests::from([(QUESTION.to_owned(), InputRequest::Elicitation(ask()?))]);
            let state = server.consents.ask(question.token, key);
            let failed = |error: Nameless| ErrorData::internal_error(error.to_string(), None);
            let state = state.map_err(failed)?;
            let later = InputRequiredResult::new(Some(questions), Some(state));
            return Ok(Consented::Later(Box::new(later)));
        }
        given(request)
    } else {
        server.record(&about(EventKind::ApprovalRequested).reason(reason));
        waited_for(ask()?, context).await
    };
    let Err(why) = answer else {
        server.record(&about(EventKind::ApprovalGranted).detail("scope", "once"));
        return Ok(Consented::Yes);
    };
    server.record(&about(EventKind::ApprovalDenied).ended(Outcome::Denied, why.to_string()));
    let (lets, does) = match question.action {
        Action::Run => ("run", "does not run"),
        Action::Call => ("be called", "is not called"),
    };
    Ok(Consented::No(match why {
        Unallowed::Refused => format!("Denied: the user does not let `{subject}` {lets}"),
        why => format!("Denied: {why}, so `{subject}` {does}"),
    }))
}

/// Asks on the stream of the call, and waits.
async fn waited_for(
    ask: ElicitRequest,
    context: &RequestContext<RoleServer>,
) -> Result<(), Unallowed> {
    let mut options = PeerRequestOptions::no_options();
    options.timeout = Some(QUESTION_TIMEOUT);
    let asked = async {
        let ask = ServerRequest::ElicitRequest(ask);
        let question = context.peer.send_cancellable_request(ask, options).await?;
        question.await_response().await
    };
    let answered = tokio::select! {
        // A yes to what nobody wants any more is none.
        biased;
        () = context.ct.cancelled() => return Err(Unallowed::Withdrawn),
        answered = asked => answered,
    };
    match answered {
        Ok(ClientResult::ElicitResult(answer)) => said(&answer),
        Ok(_) => Err(Unallowed::Unclear),
        Err(ServiceError::McpError(error)) => Err(Unallowed::Unasked { code: error.code.0 }),
        Err(ServiceError::Timeout { .. }) => Err(Unallowed::Late),
        Err(_) => Err(Unallowed::Gone),
    }
}

/// The answer that came with a request.
fn given(request: &CallToolRequestParams) -> Result<(), Unallowed> {
    let answers = request.input_responses.as_ref();
    let answer = answers.and_then(|answers| answers.get(QUESTION));
    let answer = answer.ok_or(Unallowed::Unanswered)?;
    let answer: ElicitResult =
        serde_json::from_value(answer.clone()).map_err(|_| Unallowed::Unclear)?;
    said(&answer)
}

fn said(answer: &ElicitResult) -> Result<(), Unallowed> {
    match reply(answer) {
        Reply::Yes => Ok(()),
        Reply::No => Err(Unallowed::Refused),
        Reply::Closed => Err(Unallowed::Closed),
        Reply::Unclear => Err(Unallowed::Unclear),
    }
}

/// What a yes is called in the form.
const ALLOW: &str = "allow";

/// The form that a client shows.
pub(super) fn form(message: &str, action: Action) -> Result<ElicitRequestParams, ErrorData> {
    let description = match action {
        Action::Run => "Run this script once, in the sandbox",
        Action::Call => "Call this tool once",
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
