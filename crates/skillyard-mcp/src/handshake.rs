//! How a conversation begins.
//!
//! The stateless revision is tried first. A server that does not know it answers with an error, says
//! nothing, or ends; then the older way is taken, with a new process where the old one is gone. One
//! that said nothing may only have been slow to start: where it refuses the older way, it is asked
//! for the newer again.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::connection::{Hello, Protocol};
use crate::error::McpError;
use crate::wire::{Patience, Wire};

/// The stateless revision.
pub(crate) const MODERN: &str = "2026-07-28";
/// The last revision with a handshake.
pub(crate) const LEGACY: &str = "2025-11-25";
/// Revisions that the handshake may end with.
const SPOKEN: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY];
/// How long a server may think about a revision it does not know.
const PROBE: Duration = Duration::from_secs(5);
/// How much of what a server says of itself is kept.
const LONGEST: usize = 2_000;
const PREFIX: &str = "io.modelcontextprotocol/";

/// What came of the stateless way.
pub(crate) enum Discovered {
    /// The server begins with it.
    Known(Hello),
    /// It does not know it.
    Unknown,
    /// It has said nothing yet.
    Silent,
}

/// Begins in the stateless way.
pub(crate) fn discover(wire: &dyn Wire, patience: Patience<'_>) -> Result<Discovered, McpError> {
    wire.agree(MODERN);
    let patience = Patience {
        most: patience.most.min(PROBE),
        ..patience
    };
    let answer = match wire.ask(
        "server/discover",
        &with_meta(json!({}), Map::new()),
        patience,
    ) {
        Ok(answer) => answer,
        Err(
            error @ (McpError::Unreachable { .. } | McpError::Start { .. } | McpError::Cancelled),
        ) => {
            return Err(error);
        }
        Err(McpError::Silent { .. }) => return Ok(Discovered::Silent),
        Err(_) => return Ok(Discovered::Unknown),
    };
    let versions = answer.get("supportedVersions").and_then(Value::as_array);
    let knows = versions.is_some_and(|all| all.iter().any(|each| each == MODERN));
    if !knows {
        return Ok(Discovered::Unknown);
    }
    let info = answer.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
    let hello = hello(&answer, info, Protocol::Modern, MODERN);
    Ok(Discovered::Known(hello))
}

/// Begins in the older way.
pub(crate) fn initialize(wire: &dyn Wire, patience: Patience<'_>) -> Result<Hello, McpError> {
    wire.agree(LEGACY);
    let params = json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client() });
    let answer = wire.ask("initialize", &params, patience)?;
    let version = answer.get("protocolVersion").and_then(Value::as_str);
    let version = version
        .filter(|version| SPOKEN.contains(version))
        .ok_or_else(|| McpError::malformed("it speaks a revision that we do not know"))?;
    wire.agree(version);
    wire.tell("notifications/initialized", &json!({}))?;
    let info = answer.get("serverInfo");
    Ok(hello(&answer, info, Protocol::Legacy, version))
}

/// Parameters with what every request of the stateless revision says, and more.
pub(crate) fn with_meta(mut params: Value, more: Map<String, Value>) -> Value {
    let mut meta = more;
    meta.insert(format!("{PREFIX}protocolVersion"), MODERN.into());
    meta.insert(format!("{PREFIX}clientInfo"), client());
    meta.insert(format!("{PREFIX}clientCapabilities"), json!({}));
    params["_meta"] = meta.into();
    params
}

fn client() -> Value {
    json!({ "name": "skillyard", "version": env!("CARGO_PKG_VERSION") })
}

fn hello(answer: &Value, info: Option<&Value>, protocol: Protocol, version: &str) -> Hello {
    let short = |text: Option<&Value>| -> String {
        let text = text.and_then(Value::as_str).unwrap_or_default();
        let text = skillyard_format::text::one_line(text);
        text.chars().take(LONGEST).collect()
    };
    let part = |key: &str| info.and_then(|info| info.get(key));
    Hello {
        protocol,
        revision: version.to_owned(),
        name: short(part("name")),
        version: short(part("version")),
        instructions: short(answer.get("instructions")),
        capabilities: answer.get("capabilities").cloned().unwrap_or_default(),
    }
}
