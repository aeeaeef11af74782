//! Repositories on forges.

use std::path::Path;

use secrecy::SecretString;
use skillyard_format::package::archive::Limits;
use skillyard_install::fetch::Transfer;
use skillyard_install::fetch::forge::{self, Forge};
use skillyard_install::fetch::github::GitHub;
use skillyard_install::fetch::gitlab::GitLab;
use skillyard_install::fetch::http::Header;
use skillyard_install::reference::{Host, Hosted};

use super::{Web, headers_of, parsed, proof, setting};
use crate::config::hosts::HostSettings;
use crate::config::source::SourceKind;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::alias;
use crate::install::open_source::OpenSource;
use crate::redactor::secret::Secret;

impl Web {
    /// A repository on a forge, as an archive of one commit.
    pub(crate) fn hosted(
        &self,
        hosted: &Hosted,
        tag_name: &str,
        quarantine: &Path,
    ) -> Result<OpenSource, CommandError> {
        let forge = self.forge(&hosted.host)?;
        let failed = InstallFailure::from;
        let resolved = forge::resolve(&*forge, &self.http, hosted, tag_name).map_err(failed)?;
        let tags = resolved.tags.clone();
        let transfer = Transfer {
            limit: Limits::repository().archive_bytes,
            ..self.transfer(quarantine)
        };
        let fetched = forge::fetch(&*forge, &transfer, hosted, resolved);
        let material = self.opened(fetched.map_err(failed)?)?;
        Ok(OpenSource::new(material, tags))
    }

    /// Where the pages of a forge are, for git.
    pub(crate) fn web_address(&self, host: &Host) -> Result<String, CommandError> {
        Ok(match host {
            Host::GitHub => self.config.github().map_err(setting)?.web,
            Host::GitLab => self.config.gitlab().map_err(setting)?.web,
            Host::Alias(alias) => self.settings_of(alias)?.1.web,
        })
    }

    /// Where the forge of an alias is, and what logs in there.
    fn settings_of(
        &self,
        alias: &str,
    ) -> Result<(SourceKind, HostSettings, Vec<Header>), CommandError> {
        let source = self.source(alias)?;
        let mut headers = headers_of(&source)?;
        let is_gitlab = source.kind == SourceKind::Gitlab;
        let settings = if source.is_on_public_forge() {
            let settings = if is_gitlab {
                self.config.gitlab()
            } else {
                self.config.github()
            };
            let settings = settings.map_err(setting)?;
            if headers.is_empty() {
                headers = login(is_gitlab, &settings)?;
            }
            settings
        } else {
            let mut web = source.url.trim_end_matches('/').to_owned();
            if alias::repository(alias, &source)?.is_some() {
                web = parsed(&web)?.origin().ascii_serialization();
            }
            let version = if is_gitlab { "v4" } else { "v3" };
            HostSettings {
                api: format!("{web}/api/{version}"),
                web,
                token: None,
            }
        };
        Ok((source.kind, settings, headers))
    }

    fn forge(&self, host: &Host) -> Result<Box<dyn Forge>, CommandError> {
        Ok(match host {
            Host::GitHub => {
                let settings = self.config.github().map_err(setting)?;
                github(&settings.api, login(false, &settings)?)?
            }
            Host::GitLab => {
                let settings = self.config.gitlab().map_err(setting)?;
                gitlab(&settings.api, login(true, &settings)?)?
            }
            Host::Alias(alias) => match self.settings_of(alias)? {
                (SourceKind::Gitlab, settings, headers) => gitlab(&settings.api, headers)?,
                (_, settings, headers) => github(&settings.api, headers)?,
            },
        })
    }
}

/// What the token of a host logs in with.
fn login(is_gitlab: bool, settings: &HostSettings) -> Result<Vec<Header>, CommandError> {
    let secret = |token: &Secret| SecretString::from(token.expose().to_owned());
    let token = settings.token.as_ref().map(secret);
    proof(token.map(|token| {
        if is_gitlab {
            Header::private_token(&token)
        } else {
            Header::bearer(&token)
        }
    }))
}

fn github(api: &str, headers: Vec<Header>) -> Result<Box<dyn Forge>, CommandError> {
    let api = parsed(api)?;
    Ok(Box::new(GitHub { api, headers }))
}

fn gitlab(api: &str, headers: Vec<Header>) -> Result<Box<dyn Forge>, CommandError> {
    let api = parsed(api)?;
    Ok(Box::new(GitLab { api, headers }))
}
