//! What a run made that other programs obey.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use skillyard_sandbox::Profile;

use super::{SkillFolders, protected};

/// The most places that a line names.
const MAX_NAMED: usize = 10;

/// What other programs obey in the workspace and was not there before a run.
#[derive(Debug, Default)]
pub struct Made {
    /// The places that were found, by their relative paths.
    pub places: Vec<PathBuf>,
    /// Whether there is more than can be looked through, which a run can see to.
    pub more: bool,
}

impl Made {
    /// What was made in the folders that a run with this profile could write to; `created` are
    /// the protected places that the sandbox saw come into being.
    pub fn by(profile: &Profile, skill_folders: &SkillFolders, created: &[PathBuf]) -> Self {
        let known: HashSet<&Path> = profile.protected.iter().map(PathBuf::as_path).collect();
        let (mut made, mut places) = (Self::default(), BTreeSet::new());
        for mount in profile.writable() {
            let is_known = |place: &Path| known.contains(place);
            let found = protected::find(&mount.source, skill_folders, is_known);
            made.more |= !found.is_all;
            let new = found.places.into_iter();
            // Of some places it is only known where they would be.
            let is_there = |place: &Path| mount.source.join(place).symlink_metadata().is_ok();
            let new = new.filter(|place| !is_known(place) && is_there(place));
            // The folder itself can become a repository of git.
            places.extend(new.map(|place| {
                if place.as_os_str().is_empty() {
                    PathBuf::from(".")
                } else {
                    place
                }
            }));
            let created = created.iter();
            let created = created.filter_map(|place| place.strip_prefix(&mount.source).ok());
            places.extend(created.map(Path::to_owned));
        }
        made.places = places.into_iter().collect();
        made
    }

    /// What it is in words, if it is anything.
    pub fn told(&self) -> Option<String> {
        let named = self.places.iter().take(MAX_NAMED);
        // Whoever made it chose its name, too.
        let shown = |place: &PathBuf| match place.to_string_lossy() {
            text if text == "." => "`.`, a repository of git or closed to us".to_owned(),
            text => format!("`{}`", text.replace(char::is_control, "?")),
        };
        let named: Vec<String> = named.map(shown).collect();
        let named = named.join(", ");
        match (self.places.len(), self.more) {
            (0, false) => None,
            (0, true) => Some("more folders than can be looked through".to_owned()),
            (_, true) => Some(format!("{named} and more than can be listed")),
            (count, false) if count > MAX_NAMED => {
                Some(format!("{named} and {} more", count - MAX_NAMED))
            }
            (_, false) => Some(named),
        }
    }
}
