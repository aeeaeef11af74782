//! Where a skill came from, as far as that is believed here.

use std::path::Path;

use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{CatalogSkill, ProjectTrust};
use skillyard_install::scope::ScopeKind;
use skillyard_trust::provenance::{Origin, Provenance};

use super::Permissions;
use crate::installed::is_from_strangers;

impl Permissions {
    /// Where a skill came from: as the lock says that names its folder, else as its source tells.
    pub(crate) fn provenance(&self, skill: &CatalogSkill) -> Provenance {
        self.provenance_of(Some(skill.kind), &skill.record.folder)
    }

    /// The same for a folder; one that was named by its path has no source.
    pub(crate) fn provenance_of(&self, kind: Option<SourceKind>, folder: &Path) -> Provenance {
        let project = kind.and_then(|kind| self.project_trust(kind, folder));
        let by_source = match (kind, project) {
            (_, Some(ProjectTrust::Trusted)) => Origin::ProjectTrusted,
            (_, Some(ProjectTrust::Untrusted)) => {
                return Provenance::of(Origin::ProjectUntrusted);
            }
            (Some(SourceKind::Builtin), _) => Origin::Builtin,
            (Some(SourceKind::Org | SourceKind::OrgPinned), _) => Origin::Org,
            (Some(SourceKind::User | SourceKind::Project), None) => Origin::WrittenHere,
            // Whoever names a path has not said by that that they trust the project.
            (None, _) if self.untrusted_project(folder).is_some() => {
                return Provenance::of(Origin::ProjectUntrusted);
            }
            (None | Some(SourceKind::Plugin | SourceKind::Extra), _) => Origin::LocalFolder,
            (Some(SourceKind::Mcp), _) => return Provenance::of(Origin::Mcp),
        };
        if self.unreadable(folder).is_some() {
            return Provenance::of(Origin::ProjectUntrusted);
        }
        let in_project = project.is_some();
        match self.installed.provenance(folder) {
            // What a project in the home folder brought along lies among the user's own.
            Some((ScopeKind::Project, found)) if by_source == Origin::WrittenHere => Provenance {
                signer: None,
                place: Some(by_source),
                ..found
            },
            // A project's lock is the word of whoever wrote the project: it can make a skill
            // less trusted than it would be without, never more, wherever the skill lies. So
            // what it is without counts as well.
            Some((whose, found))
                if (in_project || whose == ScopeKind::Project) && !is_from_strangers(&found) =>
            {
                Provenance::of(by_source)
            }
            // That the lock names a signer does not make them trusted now.
            Some((whose, found)) => Provenance {
                place: match whose {
                    ScopeKind::Project => Some(by_source),
                    ScopeKind::User => found.place,
                },
                signer: self
                    .installed
                    .entry(folder)
                    .and_then(|entry| self.signers.as_ref().ok()?.of(&entry)),
                ..found
            },
            // Nobody knows any more where it came from.
            None if by_source != Origin::Org && self.installed.is_in_store(folder) => {
                Provenance::of(Origin::ProjectUntrusted)
            }
            None => Provenance::of(by_source),
        }
    }
}
