//! The configuration of an MCP server: how it is reached and what it may send.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::blocking::Client;
use secrecy::SecretString;

/// A configured MCP server.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// Its name, which [`is_server_name`] accepts.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// The tools to use, by the server's names for them; `None` for all.
    pub only: Option<Vec<String>>,
    /// Size limits and timeouts.
    pub limits: McpLimits,
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub enum Transport {
    /// A child process.
    Stdio(ServerCommand),
    /// Streamable HTTP.
    Http {
        /// The HTTP client, which follows no redirects.
        client: Client,
        /// The server's URL.
        url: String,
        /// Headers of every request.
        headers: Vec<(String, SecretString)>,
    },
}

/// The command of a server that speaks on standard input and output.
#[derive(Debug, Clone)]
pub struct ServerCommand {
    /// The program; a name is looked up in the `PATH` of `environment`.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<SecretString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, SecretString)>,
    /// Its working directory.
    pub folder: PathBuf,
}

/// Size limits and timeouts of a server.
#[derive(Debug, Clone)]
pub struct McpLimits {
    /// Timeout of the handshake, and of a list with all its pages.
    pub handshake: Duration,
    /// Timeout of a call.
    pub call: Duration,
    /// Bytes of one message.
    pub message: usize,
    /// Bytes of a result that a model reads.
    pub result: usize,
    /// Tools of a server.
    pub tools: usize,
    /// Characters of a tool's description.
    pub description: usize,
    /// Bytes of a tool's schema.
    pub schema: usize,
    /// Bytes of a tool's entry in the list.
    pub tool: usize,
    /// Pages of a list.
    pub pages: usize,
    /// Bytes of a list with all its pages.
    pub list: usize,
    /// Skills of a server.
    pub skills: usize,
    /// Bytes of a skill's entry in the list.
    pub entry: usize,
    /// Files of a skill.
    pub files: usize,
    /// Bytes of all files of a skill.
    pub skill_bytes: u64,
}

impl Default for McpLimits {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(20),
            call: Duration::from_mins(1),
            // A file of a skill may have 16 MiB; Base64 adds a third.
            message: 24 << 20,
            result: 64 << 10,
            tools: 128,
            description: 1_024,
            schema: 32 << 10,
            tool: 128 << 10,
            pages: 64,
            list: 32 << 20,
            skills: 256,
            // 512 files with long names need less than half of it.
            entry: 1 << 20,
            files: 512,
            skill_bytes: 16 << 20,
        }
    }
}

/// Whether a server may have this name: 1 to 32 letters, digits, `-` and single `_`.
pub fn is_server_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=32).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.contains("__")
        && !name.ends_with('_')
        && name.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_names_contain_no_separator() {
        for name in ["a", "git-hub", "a_b", "A1"] {
            assert!(is_server_name(name), "{name}");
        }
        for name in [
            "",
            "a__b",
            "-a",
            "_a",
            "a_",
            "a b",
            "a.b",
            "ü",
            &"x".repeat(33),
        ] {
            assert!(!is_server_name(name), "{name}");
        }
    }
}
