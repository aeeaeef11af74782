//! The MCP servers of the configuration, as agents and the gateway use them.

mod awake;
pub(crate) mod left;
mod published;
mod start;

use std::ffi::OsString;
use std::sync::Arc;

use secrecy::SecretString;
use skillyard_agent::mcp_client::{
    McpLimits, PublishedSkill, ServerCommand, ServerSpec, Servers, Transport,
};
use url::Url;

use crate::config::mcp::{McpServer, Reach};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::error::mcp::McpFailure;
use crate::install::web::http;
use crate::secret::Secret;

pub(crate) use awake::Lent;
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
        Reach::Program {
            command,
            arguments,
            environment,
            pass,
            folder,
        } => Transport::Stdio(ServerCommand {
            program: command.into(),
            arguments: arguments.iter().map(hidden).collect(),
            environment: variables(context, environment, pass),
            folder: start::folder(context, folder.as_deref())?,
        }),
        Reach::Address { url, headers } => {
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
