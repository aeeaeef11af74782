//! `[hosts.github]` and `[hosts.gitlab]`: where they are, which an enterprise or a test changes.

use super::Config;
use super::address::is_readable_by_others;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::redactor::secret::Secret;
use crate::redactor::without_userinfo;

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
        let token = self.environment().github_token.as_ref();
        self.host("github", web, token)
    }

    /// GitLab, or what stands in for it.
    pub(crate) fn gitlab(&self) -> Result<HostSettings, ConfigError> {
        let web = self.host_url("hosts.gitlab.url", "https://gitlab.com")?;
        let token = self.environment().gitlab_token.as_ref();
        self.host("gitlab", web, token)
    }

    /// Where the API of a host is, which its token is sent to.
    pub(super) fn host_api(&self, name: &str) -> Option<String> {
        let api = self.address(&format!("hosts.{name}.api"));
        api.or_else(|| {
            let web = self.address(&format!("hosts.{name}.url"))?;
            Some(api_below(name, web.trim_end_matches('/')))
        })
    }

    fn host(
        &self,
        name: &str,
        web: String,
        variable: Option<&Secret>,
    ) -> Result<HostSettings, ConfigError> {
        let api = self.host_url(&format!("hosts.{name}.api"), &api_below(name, &web))?;
        let key = format!("hosts.{name}.token");
        let (setting, token) = self.login_or(&key, variable)?;
        if let Some(token) = &token {
            self.redactor().learn(token.expose());
            if is_readable_by_others(&api) {
                let url = without_userinfo(&api).into_owned();
                return Err(ConfigError {
                    at: setting.map(|setting| setting.origin.clone()),
                    problem: ConfigProblem::Readable { key, url },
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

/// Where the API of a host is whose pages are there, unless something else is said.
fn api_below(name: &str, web: &str) -> String {
    match (name, web) {
        ("github", "https://github.com") => "https://api.github.com".to_owned(),
        ("github", _) => format!("{web}/api/v3"),
        _ => format!("{web}/api/v4"),
    }
}
