//! Calls of agents elsewhere, on their way into traces: names and times, nothing of what was said.

use axum::http::HeaderMap;
use jiff::Timestamp;
use serde_json::{Map, Value};
use skillyard_agent::message::CallOutcome;
use skillyard_agent::telemetry::{TelemetryEvent, ToolCalled, ToolServed};
use skillyard_agent::trace_context::TraceParent;

use crate::server::Server;

/// The longest name of a tool or file in a trace.
const MAX_NAME_LENGTH: usize = 200;

/// A call that is under way.
pub(crate) struct CallTrace {
    tool: String,
    skill: Option<String>,
    resource: Option<String>,
    parent: Option<TraceParent>,
    started: Timestamp,
}

impl CallTrace {
    /// A call of an existing tool. Its skill and file are recorded if the skill is known here.
    pub(crate) fn begin(
        server: &Server,
        tool: &str,
        input: &Map<String, Value>,
        parent: Option<&TraceParent>,
    ) -> Self {
        let text = |key: &str| {
            let value = input.get(key).and_then(Value::as_str)?;
            (value.len() <= MAX_NAME_LENGTH).then(|| value.to_owned())
        };
        let snapshot = server.catalog.snapshot();
        let skill = text("name").filter(|name| snapshot.catalog.find(name).is_some());
        Self {
            tool: tool.chars().take(MAX_NAME_LENGTH).collect(),
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
        server.host.heard(&TelemetryEvent::ToolServed(ToolServed {
            call: ToolCalled {
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

/// The span that the headers name, if they name exactly one.
pub(crate) fn parent_of(headers: &HeaderMap) -> Option<TraceParent> {
    let mut values = headers.get_all("traceparent").iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    TraceParent::parse(value.to_str().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn two_of_them_are_none() {
        let mut headers = HeaderMap::new();
        headers.append("traceparent", PARENT.parse().unwrap());
        assert_eq!(parent_of(&headers).unwrap().to_string(), PARENT);
        headers.append("traceparent", PARENT.parse().unwrap());
        assert_eq!(parent_of(&headers), None);
    }
}
