//! The machine behind a turn, watched: what it records is counted, and says which trace it is of.
//!
//! The machine knows how far it trusts a skill, and not who talks. A script whose skill needs no
//! question still needs somebody with the role `run`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use skillyard_agent::host::{
    CommandRun, Executed, Host, HostError, Lent, LentCall, Permission, Ran, ScriptRun,
};
use skillyard_agent::telemetry::TraceParent;
use skillyard_agent::tool::ToolSpec;
use skillyard_audit::Event;
use skillyard_format::package::Digest;
use skillyard_trust::guard::{DenyLayer, Surroundings, ToolList};

use crate::access::Role;
use crate::server::Server;

/// A machine that is watched.
pub(super) struct Watched {
    pub(super) machine: Box<dyn Host>,
    pub(super) server: Arc<Server>,
    pub(super) trace: Option<TraceParent>,
    /// What whoever said something may do.
    pub(super) role: Role,
}

impl Host for Watched {
    fn script_permission(&mut self, skill: &str, digest: &Digest) -> Permission {
        match self.machine.script_permission(skill, digest) {
            Permission::Run if self.role < Role::Run => Permission::Ask {
                reason: "whoever asks for it has no token with the role `run`".to_owned(),
            },
            permission => permission,
        }
    }

    fn approve_digest(&mut self, skill: &str, digest: &Digest) -> Result<(), HostError> {
        self.machine.approve_digest(skill, digest)
    }

    fn approved_tools(&mut self, skill: &str, digest: &Digest) -> ToolList {
        self.machine.approved_tools(skill, digest)
    }

    fn run_script(&mut self, run: &ScriptRun, cancel: &AtomicBool) -> Executed<HostError> {
        let start = Instant::now();
        let ran = self.machine.run_script(run, cancel);
        self.server.metrics.script(&run.skill, start.elapsed());
        ran
    }

    fn run_command(&mut self, run: &CommandRun, cancel: &AtomicBool) -> Result<Ran, HostError> {
        self.machine.run_command(run, cancel)
    }

    fn record(&mut self, event: &Event) -> Result<(), HostError> {
        self.server.metrics.event(event);
        match &self.trace {
            Some(trace) => {
                let event = event.clone().detail("trace", trace.trace());
                self.machine.record(&event)
            }
            None => self.machine.record(event),
        }
    }

    fn surroundings(&self) -> &dyn Surroundings {
        self.machine.surroundings()
    }

    fn denied(&self) -> &[DenyLayer] {
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
