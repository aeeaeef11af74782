//! Repositories on forges.

use std::path::Path;

use secrecy::SecretString;
use skillyard_install::fetch::forge::{self, Forge};
use skillyard_install::fetch::github::GitHub;
use skillyard_install::fetch::gitlab::GitLab;
use skillyard_install::fetch::http::Header;
use skillyard_install::material::Material;
use skillyard_install::reference::{Host, Hosted};

use super::{Web, headers_of, parsed, proof, setting};
use crate::config::hosts::HostSettings;
use crate::config::sources::SourceKind;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::secret::Secret;

impl Web {
    /// A repository on a forge, as an archive of one commit.
    pub(crate) fn hosted(
        &self,
        hosted: &Hosted,
        quarantine: &Path,
    ) -> Result<Box<dyn Material>, CommandError> {
        let forge = self.forge(&hosted.host)?;
        let failed = InstallFailure::from;
        let resolved = forge::resolve(&*forge, &self.http, hosted).map_err(failed)?;
        let fetched = forge::fetch(&*forge, &self.transfer(quarantine), hosted, resolved);
        self.opened(fetched.map_err(failed)?)
    }

    /// Where the pages of a forge are, for git.
    pub(crate) fn web_address(&self, host: &Host) -> Result<String, CommandError> {
        Ok(match host {
            Host::GitHub => self.config.github().map_err(setting)?.web,
            Host::GitLab => self.config.gitlab().map_err(setting)?.web,
            Host::Alias(alias) => self.registry_source(Some(alias))?.url,
        })
    }

    fn forge(&self, host: &Host) -> Result<Box<dyn Forge>, CommandError> {
        let secret = |token: Secret| SecretString::from(token.expose().to_owned());
        Ok(match host {
            Host::GitHub => {
                let HostSettings { api, token, .. } = self.config.github().map_err(setting)?;
                let token = token.map(|token| Header::bearer(&secret(token)));
                github(&api, proof(token)?)?
            }
            Host::GitLab => {
                let HostSettings { api, token, .. } = self.config.gitlab().map_err(setting)?;
                let token = token.map(|token| Header::private_token(&secret(token)));
                gitlab(&api, proof(token)?)?
            }
            Host::Alias(alias) => {
                let source = self.registry_source(Some(alias))?;
                let headers = headers_of(&source)?;
                let base = source.url.trim_end_matches('/');
                match source.kind {
                    SourceKind::Gitlab => gitlab(&format!("{base}/api/v4"), headers)?,
                    _ => github(&format!("{base}/api/v3"), headers)?,
                }
            }
        })
    }
}

fn github(api: &str, headers: Vec<Header>) -> Result<Box<dyn Forge>, CommandError> {
    let api = parsed(api)?;
    Ok(Box::new(GitHub { api, headers }))
}

fn gitlab(api: &str, headers: Vec<Header>) -> Result<Box<dyn Forge>, CommandError> {
    let api = parsed(api)?;
    Ok(Box::new(GitLab { api, headers }))
}
