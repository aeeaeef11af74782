//! Who answers for a model: a server of the configuration, or nobody.

use secrecy::SecretString;
use skillyard_agent::provider::anthropic::Anthropic;
use skillyard_agent::provider::http::{Client, Endpoint, Patience};
use skillyard_agent::provider::offline::{self, Offline};
use skillyard_agent::provider::openai_chat::{LimitName, OpenAiChat};
use skillyard_agent::provider::openai_responses::OpenAiResponses;
use skillyard_agent::provider::{Provider, RedactingProvider};
use url::Url;

use crate::config::models::{ModelServer, known_servers};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::error::install::InstallFailure;
use crate::install::web::http;
use crate::redactor::secret::Secret;
use skillyard_format::text::nearest;

/// The version of Anthropic's API.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Who answers for a model, given as `SERVER/NAME`.
pub(super) fn provider(context: &Context, model: &str) -> Result<Box<dyn Provider>, CommandError> {
    if model == offline::NAME {
        return Ok(Box::new(Offline));
    }
    let server = server(context, model)?;
    if let Some(variable) = server.missing_key() {
        return Err(AgentFailure::NoKey {
            server: server.name,
            variable,
        }
        .into());
    }
    let endpoint = endpoint(context, &server)?;
    let key = server.key.as_ref().map(secret);
    let provider: Box<dyn Provider> = match server.api.as_str() {
        "anthropic" => Box::new(Anthropic {
            server: server.name,
            endpoint,
        }),
        "openai" => Box::new(OpenAiResponses {
            name: server.name,
            endpoint,
        }),
        _ => Box::new(OpenAiChat {
            limit_name: if server.url.starts_with("https://api.openai.com/") {
                LimitName::MaxCompletionTokens
            } else {
                LimitName::MaxTokens
            },
            name: server.name,
            endpoint,
        }),
    };
    Ok(match key {
        Some(key) => RedactingProvider::around(provider, &key),
        None => provider,
    })
}

/// An error where nothing is known of a model.
pub(crate) fn known_model(context: &Context, model: &str) -> Result<(), CommandError> {
    match model {
        offline::NAME => Ok(()),
        _ => server(context, model).map(drop),
    }
}

/// Tokens that a model takes at once, if that was said.
pub(crate) fn model_context(context: &Context, model: &str) -> Result<Option<usize>, CommandError> {
    match model {
        offline::NAME => Ok(None),
        _ => Ok(server(context, model)?.context),
    }
}

/// The server of a model.
fn server(context: &Context, model: &str) -> Result<ModelServer, CommandError> {
    let unknown = || no_model(model);
    let (server, _) = model.split_once('/').ok_or_else(unknown)?;
    let server = context.config()?.model_server(server);
    let server = server.map_err(CommandError::Setting)?;
    Ok(server.ok_or_else(unknown)?)
}

/// A secret as the runtime takes it.
pub(super) fn secret(value: &Secret) -> SecretString {
    SecretString::from(value.expose().to_owned())
}

/// Connections to an address, which `name` is known by.
pub(super) fn client(context: &Context, address: &str, name: &str) -> Result<Client, CommandError> {
    let unknown = || no_model(name);
    let url = Url::parse(address).map_err(|_| unknown())?;
    Ok(http(context)
        .client_for(&url)
        .map_err(InstallFailure::from)?)
}

fn endpoint(context: &Context, server: &ModelServer) -> Result<Endpoint, CommandError> {
    let client = client(context, &server.url, &server.name)?;
    let mut headers = Vec::new();
    if server.api == "anthropic" {
        headers.push(("anthropic-version", ANTHROPIC_VERSION.to_owned().into()));
        headers.extend(server.key.as_ref().map(|key| ("x-api-key", secret(key))));
    } else if let Some(key) = &server.key {
        let value = format!("Bearer {}", key.expose());
        headers.push(("authorization", value.into()));
    }
    let usual = Patience::default();
    Ok(Endpoint {
        client,
        url: server.url.clone(),
        headers,
        patience: Patience {
            silence: server.silence.unwrap_or(usual.silence),
            ..usual
        },
    })
}

fn no_model(name: &str) -> AgentFailure {
    AgentFailure::NoModel {
        nearest: near_server(name),
        name: name.to_owned(),
    }
}

/// A model of a server that is known, where the name of the server is only misspelt.
fn near_server(model: &str) -> Option<String> {
    let (server, name) = model.split_once('/')?;
    let known = nearest(server, known_servers())?;
    Some(format!("{known}/{name}"))
}
