//! Skills that are asked for, and why they are not here.

use skillyard_catalog::{CatalogSkill, Status};

use crate::catalog_cache::CatalogSnapshot;
use crate::contents::ContentsError;
use crate::problem::Problem;
use crate::server::Server;

impl Server {
    /// The skill that a name means, whether it may be used or not.
    pub(crate) fn meant<'a>(
        &self,
        snapshot: &'a CatalogSnapshot,
        name: &str,
    ) -> Result<&'a CatalogSkill, Problem> {
        let absent = |problem| self.absent(name, problem);
        snapshot.meant(name).map_err(absent)
    }

    /// The skill that may be used by this name.
    pub(crate) fn usable<'a>(
        &self,
        snapshot: &'a CatalogSnapshot,
        name: &str,
    ) -> Result<&'a CatalogSkill, Problem> {
        usable(snapshot, name).map_err(|problem| self.absent(name, problem))
    }

    /// What is wrong with asking for a skill that is not here: one that is locked and revoked is in no
    /// folder any more.
    pub(crate) fn absent(&self, name: &str, problem: Problem) -> Problem {
        let mut absent = self.host.revoked_absent().into_iter();
        match absent.find(|(each, _)| each == name) {
            Some((_, reason)) => Problem::revoked(name, &reason),
            None => problem,
        }
    }
}

/// The skill of a name that may be used, or why not.
pub(crate) fn usable<'a>(
    snapshot: &'a CatalogSnapshot,
    name: &str,
) -> Result<&'a CatalogSkill, Problem> {
    snapshot.usable(name).ok_or_else(|| {
        let catalog = &snapshot.catalog;
        let Some(skill) = catalog.find(name) else {
            return Problem::no_skill(name, catalog.nearest(name));
        };
        let name = skill.record.name.as_str();
        match &skill.status {
            // The same error as when hashing fails later.
            Status::Unhashable { reason } => ContentsError::Unhashable {
                name: name.to_owned(),
                reason: reason.clone(),
            }
            .into(),
            status => Problem::unusable(name, &status.reason().unwrap_or_default()),
        }
    })
}
