//! Asks the user of the client, in the way that its generation of the protocol has for it.

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientResult, ElicitRequest, ElicitResult,
    InputRequest, InputRequests, InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use skillyard_audit::{EventKind, Outcome};

use crate::consent::Nameless;
use crate::mcp::form::{form, is_yes};
use crate::script::{Asked, Wanted};
use crate::server::Server;

/// The question's name in a result that wants an answer.
const QUESTION: &str = "consent";

/// What came of asking.
pub(super) enum Answer {
    Yes,
    No(String),
    Later(Box<InputRequiredResult>),
}

/// Asks the user of the client, in the way that the protocol has for it.
pub(super) async fn asked(
    server: &Server,
    request: &CallToolRequestParams,
    wanted: &Wanted,
    reason: &str,
    who: &Asked,
    context: &RequestContext<RoleServer>,
) -> Result<Answer, ErrorData> {
    let about = |kind| wanted.about(who.event(kind));
    let stateless = context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28);
    let can_ask = context
        .client_capabilities()
        .is_some_and(|can| can.elicitation.is_some());
    if !can_ask {
        let name = &wanted.skill.record.name;
        server.record(
            &about(EventKind::ToolBlocked).ended(Outcome::Denied, "the client cannot ask the user"),
        );
        let text = format!(
            "Denied: {reason}, and this client cannot ask the user. They can approve the scripts \
             of this skill with `skillyard trust {name} --scripts`."
        );
        if !stateless {
            return Ok(Answer::No(text));
        }
        // This revision has an error of its own for what a client would have to be able to do.
        let needed = ClientCapabilities::builder().enable_elicitation().build();
        let mut error = ErrorData::missing_required_client_capability(needed);
        error.message = text.into();
        return Err(error);
    }
    let message = wanted.question(reason);
    let answer: Option<ElicitResult> = if stateless {
        let key = wanted.key();
        let state = request.request_state.as_deref();
        if !state.is_some_and(|state| server.consents.take(state, key)) {
            server.record(&about(EventKind::ApprovalRequested).reason(reason));
            let ask = ElicitRequest::new(form(&message)?);
            let questions =
                InputRequests::from([(QUESTION.to_owned(), InputRequest::Elicitation(ask))]);
            let state = server.consents.ask(&who.token, key);
            let failed = |error: Nameless| ErrorData::internal_error(error.to_string(), None);
            let state = state.map_err(failed)?;
            let later = InputRequiredResult::new(Some(questions), Some(state));
            return Ok(Answer::Later(Box::new(later)));
        }
        let answers = request.input_responses.as_ref();
        let answer = answers.and_then(|answers| answers.get(QUESTION));
        answer.and_then(|answer| serde_json::from_value(answer.clone()).ok())
    } else {
        server.record(&about(EventKind::ApprovalRequested).reason(reason));
        let ask = ServerRequest::ElicitRequest(ElicitRequest::new(form(&message)?));
        match context.peer.send_request(ask).await {
            Ok(ClientResult::ElicitResult(answer)) => Some(answer),
            _ => None,
        }
    };
    if answer.as_ref().is_some_and(is_yes) {
        server.record(&about(EventKind::ApprovalGranted).detail("scope", "once"));
        return Ok(Answer::Yes);
    }
    server.record(&about(EventKind::ApprovalDenied).ended(Outcome::Denied, "the user said no"));
    let text = format!(
        "Denied: the user does not let `{}` run",
        wanted.input.script
    );
    Ok(Answer::No(text))
}
