//! The machine behind a turn, watched: what it records is counted, and says who talks, who agreed
//! and which trace it is of.
//!
//! The machine knows how far it trusts a skill, and not who talks. A script whose skill needs no
//! question still needs a token with the role `run`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use skillyard_agent::host::{
    CommandRun, Executed, Host, HostError, Lent, LentCall, Permission, Ran, ScriptRun,
};
use skillyard_agent::shelf::Withheld;
use skillyard_agent::tool_spec::ToolSpec;
use skillyard_agent::trace_context::TraceParent;
use skillyard_audit::{Event, EventKind};
use skillyard_format::package::Digest;
use skillyard_trust::guard::{DenyLayer, GuardEnvironment, ToolList};

use crate::access::{Holder, Role};
use crate::chat::{ChatEvent, Conversation};
use crate::server::Server;

/// A machine that is watched.
pub(super) struct RecordingHost {
    pub(super) machine: Box<dyn Host>,
    pub(super) server: Arc<Server>,
    pub(super) conversation: Arc<Conversation>,
    pub(super) trace: Option<TraceParent>,
    /// The caller's name for the task of the message.
    pub(super) task: Option<String>,
    /// Who said something.
    pub(super) holder: Holder,
}

impl RecordingHost {
    /// An event that says whose it is, and what it belongs to.
    fn marked(&self, event: &Event) -> Event {
        let mut event = self.holder.signed(event.clone());
        event.task.clone_from(&self.task);
        match &self.trace {
            Some(trace) => event.detail("trace", trace.trace()),
            None => event,
        }
    }
}

impl Host for RecordingHost {
    fn script_permission(&mut self, skill: &str, digest: &Digest) -> Permission {
        match self.machine.script_permission(skill, digest) {
            Permission::Run if self.holder.role < Role::Run => Permission::Ask {
                reason: "whoever asks for it has no token with the role `run`".to_owned(),
            },
            permission => permission,
        }
    }

    fn unshown(&mut self, skill: &str) -> Option<String> {
        self.machine.unshown(skill)
    }

    fn approve_digest(&mut self, skill: &str, digest: &Digest) -> Result<(), HostError> {
        self.machine.approve_digest(skill, digest)
    }

    fn approved_tools(&mut self, skill: &str, digest: &Digest) -> ToolList {
        self.machine.approved_tools(skill, digest)
    }

    fn seal(&mut self, allowed: &str) -> Result<String, HostError> {
        self.machine.seal(allowed)
    }

    fn is_sealed(&mut self, allowed: &str, seal: &str) -> bool {
        self.machine.is_sealed(allowed, seal)
    }

    fn run_script(&mut self, run: &ScriptRun, cancel: &AtomicBool) -> Executed<HostError> {
        let start = Instant::now();
        // The machine itself writes down that it begins.
        let run = &ScriptRun {
            asked: self.marked(&run.asked),
            ..run.clone()
        };
        let ran = self.machine.run_script(run, cancel);
        // That it began took about as much of the log as that it ended.
        self.server.charge(&self.marked(&ran.event));
        self.server.metrics.script(&run.skill, start.elapsed());
        ran
    }

    fn run_command(&mut self, run: &CommandRun, cancel: &AtomicBool) -> Result<Ran, HostError> {
        self.machine.run_command(run, cancel)
    }

    fn keeps(&self, path: &str) -> bool {
        self.machine.keeps(path)
    }

    fn withheld(&self, skill: &str) -> Option<Withheld> {
        self.machine.withheld(skill)
    }

    fn record(&mut self, event: &Event) -> Result<(), HostError> {
        self.server.metrics.event(event);
        let mut event = self.marked(event);
        let is_answer = matches!(
            event.kind,
            EventKind::ApprovalGranted | EventKind::ApprovalDenied
        );
        // Others than who talks may be the ones who agree.
        if let Some(decider) = self.conversation.decider().filter(|_| is_answer) {
            event = event
                .detail("decider", decider.name)
                .detail("decider_role", decider.role.as_str());
        }
        self.server.charge(&event);
        self.machine.record(&event)?;
        // An answer of a model may hold many calls, and a turn many answers.
        if self.server.with_room(&event).is_err() && !self.conversation.is_stopped() {
            let text = "stopped: this token has added its share to the audit log".to_owned();
            self.conversation.tell(ChatEvent::Note { text });
            self.conversation.stop();
        }
        Ok(())
    }

    fn surroundings(&self) -> &dyn GuardEnvironment {
        self.machine.surroundings()
    }

    fn denied(&self) -> Result<Vec<DenyLayer>, HostError> {
        self.machine.denied()
    }

    fn lent(&self) -> Vec<ToolSpec> {
        self.machine.lent()
    }

    fn lent_permission(&self, tool: &str) -> Permission {
        self.machine.lent_permission(tool)
    }

    fn call_lent(&mut self, call: &LentCall<'_>, cancel: &AtomicBool) -> Result<Lent, HostError> {
        self.machine.call_lent(call, cancel)
    }
}
