//! Starting the servers of a session: all at once, and each only once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use skillyard_agent::mcp_client::{McpError, Skills, Tools};

use super::Lenders;
use crate::sanitize::visible;

/// What a server lends.
#[derive(Debug, Clone)]
pub(crate) struct Lent {
    /// The server.
    pub(crate) server: String,
    /// Its tools.
    pub(crate) tools: Arc<Tools>,
    /// The skills that it publishes, of which nothing is read yet.
    pub(crate) skills: Skills,
}

/// What a server says of its tools and, where they are wanted, of its skills.
type Answers = (
    Result<Arc<Tools>, McpError>,
    Option<Result<Skills, McpError>>,
);

impl Lenders {
    /// Starts all servers and asks what they lend, unless somebody stops that; `tell` hears of
    /// those that lend nothing.
    pub(crate) fn wake(&mut self, cancel: &AtomicBool, tell: &mut dyn FnMut(&str)) {
        let servers = &*self.servers;
        let answers: Vec<Option<Answers>> = thread::scope(|scope| {
            let asked = self.configured.iter().map(|server| {
                scope.spawn(move || {
                    let tools = servers.tools(&server.name, cancel);
                    let skills = server.skills.then(|| servers.skills(&server.name, cancel));
                    (tools, skills)
                })
            });
            let asked: Vec<_> = asked.collect();
            asked.into_iter().map(|each| each.join().ok()).collect()
        });
        self.lent.clear();
        for (server, answers) in self.configured.iter().zip(answers) {
            let Some((tools, skills)) = answers else {
                continue;
            };
            if let Some(reason) = failure(&tools, skills.as_ref()) {
                tell(&format!("MCP server `{}` lends {reason}", server.name));
            }
            self.lent.push(Lent {
                server: server.name.clone(),
                tools: tools.unwrap_or_default(),
                skills: skills.and_then(Result::ok).unwrap_or_default(),
            });
        }
    }
}

/// What a server does not lend, and why.
fn failure(
    tools: &Result<Arc<Tools>, McpError>,
    skills: Option<&Result<Skills, McpError>>,
) -> Option<String> {
    let (what, error) = match (tools, skills) {
        (Err(error), None | Some(Err(_))) => ("nothing", error),
        (Err(error), Some(Ok(_))) => ("no tools", error),
        (Ok(_), Some(Err(error))) => ("no skills", error),
        (Ok(_), None | Some(Ok(_))) => return None,
    };
    // Whoever stopped it knows.
    let is_told = !matches!(error, McpError::Cancelled);
    is_told.then(|| format!("{what}: {}", visible(&error.to_string())))
}
