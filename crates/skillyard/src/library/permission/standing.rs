//! What holds for a skill that is named by its path: it is no other than by its name.

use std::path::Path;

use skillyard_catalog::Status;
use skillyard_catalog::resource::{ResourceError, SkillRoot, digest};
use skillyard_format::Digest;

use crate::library::alteration::held_back;
use crate::library::permission::Permissions;

impl Permissions {
    /// Which name of the skill in a folder is disabled or denied, and why.
    pub(crate) fn unwanted(&self, name: &str, folder: &Path) -> Option<(String, String)> {
        let entry = self.installed.entry(folder);
        // What it was installed as, or with, is denied under that name.
        let installed = entry.as_ref().map(|entry| entry.name.as_str());
        let mut names = [Some(name), installed].into_iter().flatten();
        names.find_map(|name| {
            let reason = self.selection.reason_against(name)?;
            Some((name.to_owned(), reason))
        })
    }

    /// The standing of a skill that was named by its path, which is that of the same skill by its
    /// name; that commands are missing is not looked at.
    pub(crate) fn status_of(&self, name: &str, folder: &Path) -> Status {
        if let Some((_, reason)) = self.unwanted(name, folder) {
            return Status::Disabled { reason };
        }
        self.objection(name, folder).unwrap_or(Status::Enabled)
    }

    /// What is against the skill in a folder, whether or not anybody switched it off.
    pub(crate) fn objection(&self, name: &str, folder: &Path) -> Option<Status> {
        if self.untrusted_project(folder).is_some() {
            return Some(Status::Untrusted);
        }
        if let Some(reason) = self.revoked(None, folder) {
            return Some(Status::Revoked { reason });
        }
        if let Some(unreadable) = self.unreadable(folder) {
            return Some(held_back(&unreadable, ""));
        }
        self.unsound(name, folder)
    }

    /// What is against the files of an installed skill: they are other than was installed or approved,
    /// or nobody can say what they are.
    pub(crate) fn unsound(&self, name: &str, folder: &Path) -> Option<Status> {
        if !self.is_installed(folder) {
            return None;
        }
        let now = SkillRoot::open(folder).and_then(|root| digest(&root));
        self.compared(name, folder, now)
    }

    /// The same of files whose digest is known, or why it is not.
    pub(crate) fn compared(
        &self,
        name: &str,
        folder: &Path,
        now: Result<Digest, ResourceError>,
    ) -> Option<Status> {
        match now {
            Ok(now) => self.altered(name, folder, now).map(|_| Status::Altered),
            Err(error) => {
                let reason = error.whole();
                Some(Status::Unhashable { reason })
            }
        }
    }
}
