//! Sites that list their skills, and archives whose addresses do not say what they are.

use std::path::Path;
use std::sync::Arc;

use skillyard_format::SkillName;
use skillyard_install::fetch::archive_url;
use skillyard_install::fetch::http::{Header, HttpError};
use skillyard_install::fetch::well_known::{Site, WellKnownError};
use skillyard_install::material::Material;
use skillyard_install::reference::Address;
use skillyard_install::site::SiteMaterial;

use super::{Given, Web};
use crate::error::CommandError;
use crate::error::install::InstallFailure;

impl Web {
    /// The skills that a site lists; where it lists none for a part of it, and none is named, the
    /// archive that is there.
    pub(crate) fn site(
        &self,
        address: &Address,
        skill: Option<&SkillName>,
        (alias, given): (Option<&str>, Given),
        quarantine: &Path,
    ) -> Result<Box<dyn Material>, CommandError> {
        let headers = self.headers_for(alias, given)?;
        let site = Site {
            address: address.clone(),
            headers: headers.clone(),
            trusted_hosts: Vec::new(),
        };
        let (http, progress) = (Arc::clone(&self.http), Arc::clone(&self.progress));
        match SiteMaterial::open(site, http, progress, quarantine.to_owned(), self.limits) {
            Ok(site) => Ok(Box::new(site)),
            Err(error)
                if address.url().path() != "/" && skill.is_none() && may_be_elsewhere(&error) =>
            {
                self.unlisted(address, &headers, quarantine, error)
            }
            Err(error) => Err(InstallFailure::from(error).into()),
        }
    }

    /// What is at an address that no list was found for.
    fn unlisted(
        &self,
        address: &Address,
        headers: &[Header],
        quarantine: &Path,
        unlisted: WellKnownError,
    ) -> Result<Box<dyn Material>, CommandError> {
        let found = match archive_url::fetch_unnamed(&self.transfer(quarantine), address, headers) {
            Ok(Some(fetched)) => return self.opened(fetched),
            Ok(None) => "is no archive".to_owned(),
            Err(error) => match error.status() {
                Some(status @ (404 | 410)) => format!("answered {status}"),
                _ => return Err(InstallFailure::from(error).into()),
            },
        };
        let error = match unlisted {
            WellKnownError::NoIndex { tried } => WellKnownError::Nothing {
                url: address.to_string(),
                found,
                tried,
            },
            error => error,
        };
        Err(InstallFailure::from(error).into())
    }
}

/// Whether a site said no more than that it does not give out a list: some say 403 of whatever
/// they do not have.
fn may_be_elsewhere(error: &WellKnownError) -> bool {
    match error {
        WellKnownError::NoIndex { .. } => true,
        WellKnownError::Http(HttpError::Status { status, .. }) => (400..500).contains(status),
        _ => false,
    }
}
