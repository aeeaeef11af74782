//! `[mcp.servers.*]`: the MCP servers whose tools and skills agents can use.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Config;
use super::address::is_readable_by_others;
use super::discovery::expanded;
use super::layer::Setting;
use super::template::Template;
use crate::config::value::ConfigValue;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::redactor::secret::Secret;
use crate::redactor::without_userinfo;

const TABLE: &str = "mcp.servers.";

/// An MCP server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct McpServer {
    /// Its name.
    pub(crate) name: String,
    /// How it is reached.
    pub(crate) reach: McpEndpoint,
    /// If given, only these of its tools.
    pub(crate) only: Option<Vec<String>>,
    /// Whether the user is asked before a call.
    pub(crate) approval: Approval,
    /// Whether its skills are offered.
    pub(crate) skills: bool,
    /// How long a call may take.
    pub(crate) timeout: Duration,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum McpEndpoint {
    /// As a program.
    Program {
        /// The program.
        command: String,
        /// What it is told.
        arguments: Vec<Secret>,
        /// Variables and their values.
        environment: Vec<(String, Secret)>,
        /// Variables that are passed on.
        pass: Vec<String>,
        /// The folder that it starts in, where one is named.
        folder: Option<PathBuf>,
    },
    /// At an address.
    Address {
        /// The address.
        url: String,
        /// Headers and their values.
        headers: Vec<(String, Secret)>,
    },
}

/// Whether the user is asked before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    /// Each time, unless they said so for the session.
    Ask,
    /// Not at all.
    Never,
}

impl Approval {
    /// The word for users.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Never => "never",
        }
    }
}

impl Config {
    /// The names of all MCP servers, sorted.
    pub(crate) fn mcp_servers(&self) -> Vec<String> {
        let names = self.settings().filter_map(|setting| {
            let (name, last) = setting.key.strip_prefix(TABLE)?.split_once('.')?;
            // What only tightens a server does not make one.
            matches!(last, "command" | "url").then(|| name.to_owned())
        });
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Names that something is said of which only a server needs, and that are none: they have neither
    /// a program nor an address.
    pub(crate) fn mcp_unreachable(&self) -> Vec<String> {
        let servers = self.mcp_servers();
        let names = self.settings().filter_map(|setting| {
            let (name, last) = setting.key.strip_prefix(TABLE)?.split_once('.')?;
            let first = last.split('.').next()?;
            matches!(first, "args" | "env" | "headers" | "pass" | "folder").then(|| name.to_owned())
        });
        let mut names: Vec<String> = names.filter(|name| !servers.contains(name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The MCP servers whose skills are not offered.
    pub(crate) fn mcp_without_skills(&self) -> impl Iterator<Item = String> {
        let names = self.mcp_servers().into_iter();
        names.filter(|name| !self.offers_skills_of(name))
    }

    fn offers_skills_of(&self, server: &str) -> bool {
        let setting = self.get(&format!("{TABLE}{server}.skills"));
        !setting.is_some_and(|setting| matches!(setting.value, ConfigValue::Switch(false)))
    }

    /// The MCP server of a name; its variables are read now.
    pub(crate) fn mcp_server(&self, name: &str) -> Result<Option<McpServer>, ConfigError> {
        if !self.mcp_servers().iter().any(|each| each == name) {
            return Ok(None);
        }
        let key = |last: &str| format!("{TABLE}{name}.{last}");
        let command = self.text(&key("command"));
        let url = self.url(&key("url"))?;
        let reach = match (command, url) {
            (Some(command), None) => McpEndpoint::Program {
                command,
                arguments: self.arguments(&key("args"))?,
                environment: self.values(self.named(&key("env.")))?,
                pass: self.list(&key("pass")).unwrap_or_default(),
                folder: self.text(&key("folder")).map(|text| self.folder(&text)),
            },
            (None, Some(url)) => {
                let headers = self.logins(&key("headers."));
                let headers = self.values(headers.into_iter())?;
                check_secrecy(&key("headers"), &url, &headers)?;
                for (name, value) in &headers {
                    let header = format!("{name}: {}", value.expose());
                    self.redactor().learn_header(&header);
                }
                McpEndpoint::Address { url, headers }
            }
            _ => return Err(unreachable(name)),
        };
        let seconds = self.count(&key("timeout")).unwrap_or(60);
        Ok(Some(McpServer {
            name: name.to_owned(),
            reach,
            only: self.list(&key("tools")),
            approval: match self.text(&key("approval")).as_deref() {
                Some("never") => Approval::Never,
                _ => Approval::Ask,
            },
            skills: self.offers_skills_of(name),
            timeout: Duration::from_secs(u64::try_from(seconds).unwrap_or(60)),
        }))
    }

    /// The folder that a text means: `~/x` is in the home directory, and one without a root is in the
    /// current folder.
    fn folder(&self, text: &str) -> PathBuf {
        let environment = self.environment();
        let folder = expanded(Path::new(text), environment.home.as_deref());
        environment.current_dir.join(folder)
    }

    fn arguments(&self, key: &str) -> Result<Vec<Secret>, ConfigError> {
        let words = self.list(key).unwrap_or_default();
        let words = words.iter().map(|word| {
            let Some(setting) = self.get(key).filter(|_| word.contains("${")) else {
                return Ok(Secret::new(word.as_str()));
            };
            let template = Template::parse(word).map_err(|problem| ConfigError {
                at: Some(setting.origin.clone()),
                problem: ConfigProblem::Value {
                    key: key.to_owned(),
                    problem,
                },
            })?;
            let value = self.resolved(setting, &template)?;
            for variable in template.variables() {
                if let Some(value) = self.environment().variable(variable) {
                    self.redactor().learn(value.expose());
                }
            }
            Ok(value)
        });
        words.collect()
    }

    /// All settings whose keys begin so, by the rest of the key.
    fn named(&self, beginning: &str) -> impl Iterator<Item = (&str, &Setting)> {
        let settings = self.settings();
        settings.filter_map(move |setting| Some((setting.key.strip_prefix(beginning)?, setting)))
    }

    /// The names with the values of their settings.
    fn values<'a>(
        &self,
        settings: impl Iterator<Item = (&'a str, &'a Setting)>,
    ) -> Result<Vec<(String, Secret)>, ConfigError> {
        let tokens = settings.filter_map(|(name, setting)| match &setting.value {
            ConfigValue::Token(template) => Some((name, setting, template)),
            _ => None,
        });
        tokens
            .map(|(name, setting, template)| {
                Ok((name.to_owned(), self.resolved(setting, template)?))
            })
            .collect()
    }
}

/// A server that has no program and no address, or both.
pub(crate) fn unreachable(name: &str) -> ConfigError {
    ConfigError::here(ConfigProblem::Value {
        key: format!("{TABLE}{name}"),
        problem: "it needs `command` or `url`, and not both".into(),
    })
}

/// Refuses to send secrets where others can read them on the way.
fn check_secrecy(key: &str, url: &str, headers: &[(String, Secret)]) -> Result<(), ConfigError> {
    if headers.is_empty() || !is_readable_by_others(url) {
        return Ok(());
    }
    Err(ConfigError::here(ConfigProblem::Readable {
        key: key.to_owned(),
        url: without_userinfo(url).into_owned(),
    }))
}
