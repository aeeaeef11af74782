//! Calls of agents elsewhere, on their way into traces: names and times, nothing of what was said.

use jiff::Timestamp;
use serde_json::{Map, Value};
use skillyard_agent::message::CallOutcome;
use skillyard_agent::telemetry::{Called, Happening, Served, TraceParent};

use crate::server::Server;

/// The longest name of a tool or a file that is told.
const LONGEST: usize = 200;

/// A call that is under way.
pub(crate) struct Watched {
    tool: String,
    skill: Option<String>,
    resource: Option<String>,
    parent: Option<TraceParent>,
    started: Timestamp,
}

impl Watched {
    /// A call of a tool that there is. Its skill and its file are told if the skill is known here.
    pub(crate) fn begin(
        server: &Server,
        tool: &str,
        input: &Map<String, Value>,
        parent: Option<&TraceParent>,
    ) -> Self {
        let text = |key: &str| {
            let value = input.get(key).and_then(Value::as_str)?;
            (value.len() <= LONGEST).then(|| value.to_owned())
        };
        let stock = server.shelf.stock();
        let skill = text("name").filter(|name| stock.catalog.find(name).is_some());
        Self {
            tool: tool.chars().take(LONGEST).collect(),
            resource: text("path")
                .or_else(|| text("script"))
                .filter(|_| skill.is_some()),
            skill,
            parent: parent.cloned(),
            started: Timestamp::now(),
        }
    }

    /// The call is over.
    pub(crate) fn end(self, server: &Server, outcome: CallOutcome) {
        // What is not there is a word of the model, and so may be what was denied.
        let resource = self.resource.as_deref();
        let resource = resource.filter(|_| outcome == CallOutcome::Ok);
        server.host.heard(&Happening::Served(Served {
            call: Called {
                session: "",
                tool: &self.tool,
                call: "",
                skill: self.skill.as_deref(),
                digest: None,
                uri: None,
                resource,
                exit: None,
                outcome,
                started: self.started,
                ended: Timestamp::now(),
            },
            parent: self.parent.as_ref(),
        }));
    }
}
