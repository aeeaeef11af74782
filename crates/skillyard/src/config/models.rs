//! `[models]`: the servers that answer for models.

use std::time::Duration;

use super::Config;
use super::address::is_readable_by_others;
use crate::config::value::ConfigValue;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::redactor::secret::Secret;
use crate::redactor::without_userinfo;

/// A server of models.
#[derive(Debug, Clone)]
pub(crate) struct ModelServer {
    /// Its name.
    pub(crate) name: String,
    /// What it speaks: `anthropic`, `openai` or `openai-chat`.
    pub(crate) api: String,
    /// Its address, without a slash at the end.
    pub(crate) url: String,
    /// The key to use.
    pub(crate) key: Option<Secret>,
    /// How its models call tools: `auto` or the name of a mode.
    pub(crate) tool_mode: String,
    /// Tokens that its models take at once, if that was said.
    pub(crate) context: Option<usize>,
    /// How long it may say nothing, if that was said.
    pub(crate) silence: Option<Duration>,
}

/// Servers that need no configuration but a key: name, language, address.
const KNOWN: &[(&str, &str, &str)] = &[
    ("anthropic", "anthropic", "https://api.anthropic.com"),
    ("openai", "openai", "https://api.openai.com/v1"),
    ("ollama", "openai-chat", "http://127.0.0.1:11434/v1"),
];

/// Servers that answer nobody without a key, and where it is looked for.
const LOCKED: &[(&str, &str)] = &[
    ("https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    ("https://api.openai.com/", "OPENAI_API_KEY"),
];

/// The names of servers that need no configuration but a key.
pub(crate) fn known_servers() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|(name, ..)| *name)
}

impl ModelServer {
    /// The variable that should hold the key, where there is none and nothing goes without.
    pub(crate) fn missing_key(&self) -> Option<&'static str> {
        let mut locked = LOCKED.iter().filter(|_| self.key.is_none());
        let found = locked.find(|(url, _)| self.url.starts_with(url));
        found.map(|(_, variable)| *variable)
    }
}

impl Config {
    /// The names of all servers that the configuration says anything about, sorted.
    pub(crate) fn model_servers(&self) -> Vec<String> {
        let names = self.settings().filter_map(|setting| {
            let (name, last) = setting.key.strip_prefix("models.")?.split_once('.')?;
            matches!(last, "key" | "url").then(|| name.to_owned())
        });
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Where a server is, which its key is sent to.
    pub(super) fn model_address(&self, name: &str) -> Option<String> {
        let known = KNOWN.iter().find(|(each, ..)| *each == name);
        let url = self.address(&format!("models.{name}.url"));
        url.or_else(|| known.map(|(.., url)| (*url).to_owned()))
    }

    /// The server of a name; `None` when nothing says where it is.
    pub(crate) fn model_server(&self, name: &str) -> Result<Option<ModelServer>, ConfigError> {
        let known = KNOWN.iter().find(|(each, ..)| *each == name);
        let url = self.url(&format!("models.{name}.url"))?;
        let Some(url) = url.or_else(|| known.map(|(.., url)| (*url).to_owned())) else {
            return Ok(None);
        };
        let said = self.get(&format!("models.{name}.api"));
        let api = said.and_then(|setting| match &setting.value {
            ConfigValue::Text(text) => Some(text.clone()),
            _ => None,
        });
        let api = api.or_else(|| known.map(|(_, api, _)| (*api).to_owned()));
        let variable = self.environment().model_key(name);
        let (setting, key) = self.login_or(&format!("models.{name}.key"), variable)?;
        if let Some(key) = &key {
            self.redactor().learn_model_key(key.expose());
            if is_readable_by_others(&url) {
                let url = without_userinfo(&url).into_owned();
                return Err(ConfigError {
                    at: setting.map(|setting| setting.origin.clone()),
                    problem: ConfigProblem::Readable {
                        key: format!("models.{name}.key"),
                        url,
                    },
                });
            }
        }
        let tool_mode = self.text(&format!("models.{name}.tool_mode"));
        let context = self.count(&format!("models.{name}.context"));
        let silence = self.count(&format!("models.{name}.silence"));
        let silence = silence.and_then(|seconds| u64::try_from(seconds).ok());
        let api = api.unwrap_or_else(|| "openai-chat".into());
        let url = url.trim_end_matches('/');
        // `/v1/messages` is put behind it, and many write the first half already.
        let url = match api.as_str() {
            "anthropic" => url.strip_suffix("/v1").unwrap_or(url),
            _ => url,
        };
        Ok(Some(ModelServer {
            context,
            silence: silence.map(Duration::from_secs),
            tool_mode: tool_mode.unwrap_or_else(|| "auto".into()),
            name: name.to_owned(),
            api,
            url: url.to_owned(),
            key,
        }))
    }
}
