//! Names that are compared as disks compare them which ignore case.
//!
//! On those of macOS, of Windows and of some folders of Linux `.GIT` is `.git`. Git refuses such
//! spellings everywhere, and so do we, but for names without a dot in front below the top of a
//! workspace: `docs/agents.md` is a file like any other where case counts.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::Path;

/// Whether disks ignore case, as far as the system tells.
const CASE_IS_IGNORED: bool = cfg!(target_os = "macos");

/// A set of names, known however they are spelled.
pub(super) struct Names {
    exact: HashSet<&'static OsStr>,
    folded: HashSet<String>,
}

impl Names {
    pub(super) fn new(names: impl Iterator<Item = &'static str>) -> Self {
        let exact: HashSet<&OsStr> = names.map(OsStr::new).collect();
        Self {
            folded: exact.iter().map(|name| folded(name)).collect(),
            exact,
        }
    }

    /// Whether a name in a folder of a workspace is one of them.
    pub(super) fn has(&self, folder: &Path, name: &OsStr) -> bool {
        if self.exact.contains(name) {
            return true;
        }
        let plain = folded(name);
        let counts = CASE_IS_IGNORED || plain.starts_with('.') || folder == Path::new("");
        counts && self.folded.contains(&plain)
    }
}

/// A name without what such disks pass over: case, and letters that nobody sees.
pub(super) fn folded(name: &OsStr) -> String {
    let is_seen = |letter: &char| !matches!(*letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen: String = name.to_string_lossy().chars().filter(is_seen).collect();
    // There and back, because some small letters have the same large one.
    seen.to_uppercase().to_lowercase()
}
