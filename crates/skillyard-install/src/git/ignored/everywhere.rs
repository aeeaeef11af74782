//! The lists of files to be ignored that lie in no working tree: which they are is written in settings.
//!
//! Git goes by the last list that its settings name. Here all of them count, also those of settings
//! that hold only under a condition: where it is a guess what git ignores, rather too much is left
//! out than a secret handed on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use skillyard_catalog::regular_file::{Links, read};

use super::settings::settings;

/// The file of settings that is everybody's on this machine.
const EVERYBODYS: &str = "/etc/gitconfig";
/// Most bytes of a file of settings.
const LARGEST: u64 = 1 << 20;
/// Most files of settings that are read.
const MOST: usize = 100;

/// Where the settings of git are that are no repository's.
#[derive(Debug, Clone, Default)]
pub struct SettingsPlaces {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// What takes the place of `.config` in it.
    pub config: Option<PathBuf>,
    /// More files of settings.
    pub files: Vec<PathBuf>,
}

/// What settings say about the lists for a repository.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// The lists that are named anywhere, and the one that needs no naming. The last has the last word.
    pub(super) lists: Vec<PathBuf>,
    /// Whether small letters and capitals are the same in lists, as `git init` writes it on disks that
    /// do not tell them apart.
    pub(super) has_letters_alike: bool,
    /// Whether a list is named by a path that begins in the folder that git is started in.
    pub(super) is_relative: bool,
}

impl SettingsPlaces {
    /// What settings say about a repository, whose own ones are in `own`.
    pub(super) fn named(&self, root: &Path, own: &[PathBuf]) -> Named {
        let config = self.config.clone();
        let config = config.or_else(|| Some(self.home.as_ref()?.join(".config")));
        let config = config.map(|config| config.join("git"));
        let usual = config.iter().map(|config| config.join("config"));
        let usual = usual.chain(self.home.iter().map(|home| home.join(".gitconfig")));
        let files = std::iter::once(PathBuf::from(EVERYBODYS)).chain(usual);
        let files = files.chain(self.files.iter().chain(own).cloned());
        let mut found = Named {
            lists: config.iter().map(|config| config.join("ignore")).collect(),
            ..Named::default()
        };
        let mut seen = BTreeSet::new();
        for file in files {
            self.add_named(file, root, &mut seen, &mut found);
        }
        found
    }

    /// Adds what a file of settings and those that it includes say.
    fn add_named(
        &self,
        file: PathBuf,
        root: &Path,
        seen: &mut BTreeSet<PathBuf>,
        found: &mut Named,
    ) {
        let mut open = vec![file];
        while let Some(file) = open.pop() {
            if seen.len() >= MOST || !seen.insert(file.clone()) {
                continue;
            }
            let bytes = read(&file, Links::Followed, LARGEST).unwrap_or_default();
            for each in settings(&String::from_utf8_lossy(&bytes)) {
                match (&*each.section, &*each.key) {
                    ("core", "excludesfile") => {
                        found.is_relative |= !each.value.starts_with(['/', '~', '%']);
                        found.lists.extend(self.path(&each.value, root));
                    }
                    ("core", "ignorecase") => found.has_letters_alike |= is_yes(&each.value),
                    ("include" | "includeif", "path") => {
                        let around = file.parent();
                        open.extend(around.and_then(|around| self.path(&each.value, around)));
                    }
                    _ => {}
                }
            }
        }
    }

    /// A path in settings; one without a root begins in `around`. The homes of others and git's own
    /// folder are known to git alone.
    fn path(&self, written: &str, around: &Path) -> Option<PathBuf> {
        let written = written.strip_prefix(":(optional)").unwrap_or(written);
        if written.is_empty() {
            return None;
        }
        match written.strip_prefix("~/") {
            Some(below) => Some(self.home.as_ref()?.join(below)),
            None if written.starts_with('~') || written.starts_with("%(") => None,
            None => Some(around.join(written)),
        }
    }
}

/// Whether a setting is switched on.
fn is_yes(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    !matches!(&*value, "" | "false" | "no" | "off" | "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_wherever_settings_name_them() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let write = |path: &str, text: &str| {
            let path = home.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let mut places = SettingsPlaces {
            home: Some(home.to_owned()),
            ..SettingsPlaces::default()
        };
        let root = Path::new("/repository");
        let check = |places: &SettingsPlaces, own: &[PathBuf], expected: &[&str]| {
            let mut found = places.named(root, own).lists;
            // What the machine's own settings name is not this test's.
            found.retain(|list| list.starts_with(home) || list.starts_with(root));
            let expected: Vec<PathBuf> = expected.iter().map(|path| home.join(path)).collect();
            assert_eq!(found, expected);
        };
        check(&places, &[], &[".config/git/ignore"]);
        write(
            ".gitconfig",
            "[core]\nexcludesFile = ~/mine\n[include]\npath = more/a\n[include]\npath = .gitconfig\n",
        );
        write("more/a", "[includeIf \"gitdir:x\"]\npath = b\n");
        write(
            "more/b",
            "[core]\nexcludesfile = sub/list\n[core]\nexcludesfile = ~other/x\nexcludesfile =\n",
        );
        write("own", "[core]\nexcludesFile = :(optional)~/optional\n");
        check(
            &places,
            &[home.join("own")],
            &[
                ".config/git/ignore",
                "mine",
                "/repository/sub/list",
                "optional",
            ],
        );
        places.config = Some(home.join("xdg"));
        write("xdg/git/config", "[core]\nexcludesFile = ~/other\n");
        write("named", "[core]\nexcludesFile = ~/named-list\n");
        std::fs::remove_file(home.join(".gitconfig")).unwrap();
        places.files = vec![home.join("named")];
        check(&places, &[], &["xdg/git/ignore", "other", "named-list"]);
    }
}
