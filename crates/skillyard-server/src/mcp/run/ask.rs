//! Asks the user of the client, in the way that its generation of the protocol has for it.

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientResult, ElicitRequest, ElicitResult,
    InputRequest, InputRequests, InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer};
use skillyard_audit::{EventKind, Outcome};

use crate::consent::{Nameless, PATIENCE};
use crate::mcp::form::{Reply, form, reply};
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
    #[error("nobody answered within {} minutes", PATIENCE.as_secs() / 60)]
    Late,
    #[error("the client took the call back before anybody answered")]
    Withdrawn,
    #[error("the client was gone before anybody answered")]
    Gone,
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
    let can_ask = context.client_capabilities().is_some_and(|can| {
        // Who names no way means a form; an address to open in a browser would not do.
        let ways = can.elicitation.as_ref();
        ways.is_some_and(|ways| ways.form.is_some() || ways.url.is_none())
    });
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
    let answer = if stateless {
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
        given(request)
    } else {
        server.record(&about(EventKind::ApprovalRequested).reason(reason));
        let ask = ElicitRequest::new(form(&message)?);
        waited_for(ask, context).await
    };
    let script = &wanted.input.script;
    let Err(why) = answer else {
        server.record(&about(EventKind::ApprovalGranted).detail("scope", "once"));
        return Ok(Answer::Yes);
    };
    server.record(&about(EventKind::ApprovalDenied).ended(Outcome::Denied, why.to_string()));
    Ok(Answer::No(match why {
        Unallowed::Refused => format!("Denied: the user does not let `{script}` run"),
        why => format!("Denied: {why}, so `{script}` does not run"),
    }))
}

/// Asks on the stream of the call, and waits.
async fn waited_for(
    ask: ElicitRequest,
    context: &RequestContext<RoleServer>,
) -> Result<(), Unallowed> {
    let mut options = PeerRequestOptions::no_options();
    options.timeout = Some(PATIENCE);
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
