//! Asking the user.

use serde_json::{Map, Value};
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::Digest;
use skillyard_trust::guard::{
    ActiveSkill, GuardInput, GuardRequest, GuardVerdict, ToolList, check,
};

use super::{Calls, Ended, logged};
use crate::front_end::{Action, ApprovalAnswer, ApprovalRequest};
use crate::host::HostError;
use crate::message::ToolCall;
use crate::session::{Grant, Granted};

/// Why something is denied that the user was asked about.
const NO: &str = "the user said no";

/// How a call ends that needs a yes and has none; `what` is what nobody said yes to.
pub(super) fn unallowed(answer: ApprovalAnswer, what: &str) -> Option<Ended> {
    match answer {
        ApprovalAnswer::No => Some(Ended::denied(
            format!("Denied: the user does not {what}"),
            NO,
        )),
        ApprovalAnswer::Unanswered(why) => Some(Ended::denied(
            format!("Denied: {why} whether to {what}"),
            why.to_string(),
        )),
        ApprovalAnswer::Once | ApprovalAnswer::Session | ApprovalAnswer::Digest => None,
    }
}

impl Calls<'_> {
    /// The active skill that the user approved this use of the tool for, by its bytes.
    pub(super) fn approved_before(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Option<(String, Digest)> {
        let request = GuardRequest {
            tool: tool.to_owned(),
            input: GuardInput::Fields(arguments.clone()),
        };
        let skills = self.active.clone();
        skills.into_iter().find_map(|skill| {
            let digest = self.session.state.active_digest(&skill.name)?;
            let digest: Digest = digest.parse().ok()?;
            let allowed = self.host.approved_tools(&skill.name, &digest);
            // Without a list the guard allows everything; here it means that nothing was approved.
            if !matches!(allowed, ToolList::Declared(_)) {
                return None;
            }
            let approved = ActiveSkill { allowed, ..skill };
            let (denied, world) = (self.host.denied().ok()?, self.host.surroundings());
            let decision = check(&request, std::slice::from_ref(&approved), &denied, world);
            (decision.verdict == GuardVerdict::Allowed).then_some((approved.name, digest))
        })
    }

    /// Asks the user, unless they said so before.
    pub(super) fn approved(
        &mut self,
        call: &ToolCall,
        action: Action,
        reason: String,
        grant: Grant,
        about: &dyn Fn(Event) -> Event,
    ) -> Result<ApprovalAnswer, HostError> {
        let workspace = self.host.surroundings().workspace().to_string_lossy();
        let granted = Granted {
            grant,
            workspace: workspace.into_owned(),
            seal: String::new(),
        };
        let session = self.session.id.clone();
        let told = granted
            .sealed_text(&session)
            .map_err(|error| HostError::new(error.to_string()))?;
        let mut before = self.session.state.grants.iter();
        let before = before.find(|each| each.is_same(&granted));
        // Where it was said, and whether it was taken back since, is for the machine to know.
        if before.is_some_and(|before| self.host.is_sealed(&told, &before.seal)) {
            return Ok(ApprovalAnswer::Session);
        }
        let event = |kind| {
            about(
                Event::new(kind)
                    .session(&session)
                    .detail("call", logged(&call.id)),
            )
        };
        self.host
            .record(&event(EventKind::ApprovalRequested).reason(&reason))?;
        let request = ApprovalRequest {
            call: call.id.clone(),
            action,
            reason,
        };
        let answer = request.action.within(self.front.approve(&request));
        let denied =
            |reason: String| event(EventKind::ApprovalDenied).ended(Outcome::Denied, reason);
        let ended = match answer {
            ApprovalAnswer::No => denied(NO.into()),
            ApprovalAnswer::Unanswered(why) => denied(why.to_string()),
            ApprovalAnswer::Once => event(EventKind::ApprovalGranted).detail("scope", "once"),
            ApprovalAnswer::Session => event(EventKind::ApprovalGranted).detail("scope", "session"),
            ApprovalAnswer::Digest => event(EventKind::ApprovalGranted).detail("scope", "digest"),
        };
        self.host.record(&ended)?;
        if matches!(answer, ApprovalAnswer::Session | ApprovalAnswer::Digest) {
            let seal = self.host.seal(&told)?;
            let grants = &mut self.session.state.grants;
            grants.retain(|each| !each.is_same(&granted));
            grants.push(Granted { seal, ..granted });
        }
        Ok(answer)
    }
}
