//! The MCP servers of the configuration, as agents and the gateway use them.

pub(crate) mod published;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use secrecy::SecretString;
use skillyard_agent::mcp_client::{
    McpError, McpLimits, PublishedSkill, ServerCommand, ServerSpec, Servers, Skills, Tools,
    Transport,
};
use skillyard_catalog::{ProjectTrust, private_dir};
use url::Url;

use crate::config::mcp::{McpEndpoint, McpServer};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::error::mcp::McpFailure;
use crate::files::check_ours;
use crate::install::web::http;
use crate::redactor::secret::Secret;
use crate::text::sanitize::visible;

pub(crate) use published::PublishedSkills;

/// What a program gets of our environment without being asked for: nothing that could be a secret.
const PASSED: &[&str] = &[
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ",
    "USER",
];

/// How names of variables end that hold secrets.
const SECRETS: &[&str] = &["KEY", "PASSWORD", "SECRET", "TOKEN"];

/// Servers that lend their tools and skills.
#[derive(Clone, Default)]
pub(crate) struct Lenders {
    /// The servers, none of which is started before it is needed.
    pub(crate) servers: Arc<Servers>,
    /// What the configuration says of each.
    pub(crate) configured: Vec<McpServer>,
    /// What they lend, once they were started.
    pub(crate) lent: Vec<Lent>,
}

impl Lenders {
    /// The servers of these names.
    pub(crate) fn named(context: &Context, names: &[String]) -> Result<Self, CommandError> {
        if names.is_empty() {
            return Ok(Self::default());
        }
        let config = context.config()?;
        let mut configured = Vec::new();
        for name in names {
            let found = config.mcp_server(name).map_err(CommandError::Setting)?;
            configured.push(found.ok_or_else(|| unknown(name, &config.mcp_servers()))?);
        }
        Self::of(context, configured)
    }

    /// All servers of the configuration.
    pub(crate) fn all(context: &Context) -> Result<Self, CommandError> {
        Self::named(context, &context.config()?.mcp_servers())
    }

    /// These servers.
    pub(crate) fn of(context: &Context, configured: Vec<McpServer>) -> Result<Self, CommandError> {
        let specs = configured.iter().map(|server| spec(context, server));
        let specs = specs.collect::<Result<_, _>>()?;
        Ok(Self {
            servers: Arc::new(Servers::redacting(specs, context.redaction())),
            configured,
            lent: Vec::new(),
        })
    }

    /// The skill of a name such as `docs:greet`, as its server listed it.
    pub(crate) fn skill(&self, name: &str) -> Option<&PublishedSkill> {
        let mut skills = self.lent.iter().flat_map(|lent| &lent.skills.skills);
        skills.find(|skill| skill.qualified_name() == name)
    }

    /// What the configuration says of the server that lends a tool.
    pub(crate) fn of_tool(&self, tool: &str) -> Option<&McpServer> {
        let name = self.servers.server_of(tool)?;
        self.configured.iter().find(|server| server.name == name)
    }
}

fn unknown(name: &str, known: &[String]) -> CommandError {
    let nearest = skillyard_format::text::nearest(name, known.iter().map(String::as_str));
    McpFailure::NoServer {
        name: name.to_owned(),
        nearest: nearest.map(str::to_owned),
    }
    .into()
}

fn spec(context: &Context, server: &McpServer) -> Result<ServerSpec, CommandError> {
    let transport = match &server.reach {
        McpEndpoint::Program {
            command,
            arguments,
            environment,
            pass,
            folder,
        } => Transport::Stdio(ServerCommand {
            program: command.into(),
            arguments: arguments.iter().map(hidden).collect(),
            environment: variables(context, environment, pass),
            folder: self::folder(context, folder.as_deref())?,
        }),
        McpEndpoint::Address { url, headers } => {
            let parsed = Url::parse(url).map_err(|_| McpFailure::Address(server.name.clone()))?;
            Transport::Http {
                client: http(context)
                    .client_for(&parsed)
                    .map_err(InstallFailure::from)?,
                url: url.clone(),
                headers: headers
                    .iter()
                    .map(|(name, value)| (name.clone(), hidden(value)))
                    .collect(),
            }
        }
    };
    let usual = McpLimits::default();
    Ok(ServerSpec {
        name: server.name.clone(),
        transport,
        only: server.only.clone(),
        limits: McpLimits {
            call: server.timeout,
            handshake: usual.handshake.min(server.timeout),
            ..usual
        },
    })
}

fn variables(
    context: &Context,
    own: &[(String, Secret)],
    pass: &[String],
) -> Vec<(OsString, SecretString)> {
    let passed = PASSED
        .iter()
        .copied()
        .chain(pass.iter().map(String::as_str));
    let passed = passed.filter_map(|name| {
        // What is not text cannot be kept secret, and nobody needs it.
        let value = context.environment.passed_on(name)?.into_string().ok()?;
        if SECRETS.iter().any(|end| name.ends_with(end)) {
            context.learn(&value);
        }
        Some((name.into(), value.into()))
    });
    let own = own.iter().map(|(name, value)| (name.into(), hidden(value)));
    passed.chain(own).collect()
}

fn hidden(value: &Secret) -> SecretString {
    SecretString::from(value.expose().to_owned())
}

/// The folder that is named, or the current one of a project that is trusted, or one of Skillyard's
/// own.
fn folder(context: &Context, named: Option<&Path>) -> Result<PathBuf, CommandError> {
    let environment = &context.environment;
    if let Some(folder) = named {
        if !folder.is_dir() {
            return Err(CommandError::NoSuchPath(folder.to_owned()));
        }
        return Ok(folder.to_owned());
    }
    if context.config()?.project_trust == ProjectTrust::Trusted {
        return Ok(environment.current_dir.clone());
    }
    check_ours(&environment.skillyard_home)?;
    let folder = environment.servers_folder();
    private_dir::create(&folder).map_err(|source| CommandError::Write {
        path: folder.clone(),
        source,
    })?;
    Ok(folder)
}

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
