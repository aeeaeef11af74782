//! `[hosts.github]` and `[hosts.gitlab]`: where they are, which an enterprise or a test changes.

use super::Config;
use super::address::is_readable_by_others;
use super::problem::{ConfigError, Problem};
use super::value::Value;
use crate::redactor::without_userinfo;
use crate::secret::Secret;

/// A host of git repositories.
#[derive(Debug, Clone)]
pub(crate) struct HostSettings {
    /// Its pages, without a slash at the end.
    pub(crate) web: String,
    /// Its API, without a slash at the end.
    pub(crate) api: String,
    /// The token to use.
    pub(crate) token: Option<Secret>,
}

impl Config {
    /// GitHub, or what stands in for it.
    pub(crate) fn github(&self) -> Result<HostSettings, ConfigError> {
        let web = self.host_url("hosts.github.url", "https://github.com")?;
        let api = if web == "https://github.com" {
            "https://api.github.com".to_owned()
        } else {
            format!("{web}/api/v3")
        };
        self.host(
            "hosts.github",
            web,
            &api,
            self.environment().github_token.as_ref(),
        )
    }

    /// GitLab, or what stands in for it.
    pub(crate) fn gitlab(&self) -> Result<HostSettings, ConfigError> {
        let web = self.host_url("hosts.gitlab.url", "https://gitlab.com")?;
        let api = format!("{web}/api/v4");
        self.host(
            "hosts.gitlab",
            web,
            &api,
            self.environment().gitlab_token.as_ref(),
        )
    }

    fn host(
        &self,
        table: &str,
        web: String,
        api: &str,
        fallback: Option<&Secret>,
    ) -> Result<HostSettings, ConfigError> {
        let api = self.host_url(&format!("{table}.api"), api)?;
        let setting = self.get(&format!("{table}.token"));
        let token = match setting.map(|setting| (setting, &setting.value)) {
            Some((setting, Value::Token(template))) => Some(self.resolved(setting, template)?),
            _ => fallback.cloned(),
        };
        if let Some(token) = &token {
            self.redactor().learn(token.expose());
            if is_readable_by_others(&api) {
                let key = format!("{table}.token");
                let url = without_userinfo(&api).into_owned();
                return Err(ConfigError {
                    at: setting.map(|setting| setting.origin.clone()),
                    problem: Problem::Readable { key, url },
                });
            }
        }
        Ok(HostSettings { web, api, token })
    }

    fn host_url(&self, key: &str, default: &str) -> Result<String, ConfigError> {
        let url = self.url(key)?.unwrap_or_else(|| default.to_owned());
        Ok(url.trim_end_matches('/').to_owned())
    }
}
