//! Asking the user, and the limit of what a session runs.

use skillyard_audit::{Event, EventKind, Outcome};

use super::{Calls, Ended};
use crate::front_end::{Action, Answer, ApprovalRequest};
use crate::host::HostError;
use crate::message::ToolCall;
use crate::session::Grant;

impl Calls<'_> {
    /// Whether no more may be run in this session.
    pub(super) fn spent(&self) -> Option<Ended> {
        let limit = self.session.prompt.settings.limits.runs;
        (self.session.state.runs >= limit).then(|| {
            let reason = format!("this session has run {limit} scripts and commands, its limit");
            Ended::denied(format!("Denied: {reason}"), reason.clone())
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
    ) -> Result<Answer, HostError> {
        if self.session.state.grants.contains(&grant) {
            return Ok(Answer::Session);
        }
        let session = self.session.id.clone();
        let event = |kind| about(Event::new(kind).session(&session).detail("call", &call.id));
        self.host
            .record(&event(EventKind::ApprovalRequested).reason(&reason))?;
        let request = ApprovalRequest {
            call: call.id.clone(),
            action,
            reason,
        };
        let answer = self.front.approve(&request);
        let ended = match answer {
            Answer::No => {
                event(EventKind::ApprovalDenied).ended(Outcome::Denied, "the user said no")
            }
            Answer::Once => event(EventKind::ApprovalGranted).detail("scope", "once"),
            Answer::Session => event(EventKind::ApprovalGranted).detail("scope", "session"),
            Answer::Digest => event(EventKind::ApprovalGranted).detail("scope", "digest"),
        };
        self.host.record(&ended)?;
        if matches!(answer, Answer::Session | Answer::Digest) {
            self.session.state.grants.push(grant);
        }
        Ok(answer)
    }
}
