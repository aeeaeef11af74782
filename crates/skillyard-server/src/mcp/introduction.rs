//! What the server says about itself when a client comes.

#![expect(deprecated, reason = "clients of older revisions want to be logged to")]

use rmcp::model::{ExtensionCapabilities, Implementation, ServerCapabilities, ServerConfig};
use serde_json::json;

use super::instructions::instructions;
use crate::server::Server;

/// The extension's name.
const SKILLS: &str = "io.modelcontextprotocol/skills";

/// Its name, what it can do, and how to use it.
pub(super) fn introduction(server: &Server) -> ServerConfig {
    let mut extensions = ExtensionCapabilities::new();
    let settings = json!({ "directoryRead": true });
    extensions.insert(
        SKILLS.into(),
        settings.as_object().cloned().unwrap_or_default(),
    );
    let capabilities = ServerCapabilities::builder()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_resources_subscribe()
        .enable_logging()
        .enable_extensions_with(extensions)
        .build();
    ServerConfig::new(capabilities)
        .with_server_info(Implementation::new("skillyard", server.version))
        .with_instructions(instructions(server))
}
