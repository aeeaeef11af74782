//! Writing what was mended.

use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::{Path, PathBuf};
use std::{fs, io};

use skillyard_catalog::walk::FoundSkill;
use skillyard_format::diagnostic::{Diagnostic, Severity};
use skillyard_format::fix::{self, Fixed};

use crate::library::installed::Installed;
use crate::redactor::without_userinfo;
use crate::report::NOT_MENDED;
use crate::scope::whole;
use crate::text::shell::shell_word;

/// Where `--fix` may write, and where not.
pub(super) struct FixScope<'a> {
    /// What the user named.
    pub(super) named: &'a [PathBuf],
    /// What was installed is mended where it came from: here it would be altered, and not used.
    /// Nothing where that could be anything.
    pub(super) installed: Option<Installed>,
    /// The folder whose files every project shares.
    pub(super) store: PathBuf,
}

impl FixScope<'_> {
    /// Writes the mended file in place of the old one, which stays whole until it is replaced; or
    /// says why not.
    pub(super) fn mend(
        &self,
        found: &FoundSkill<'_>,
        path: &Path,
        directory: Option<&str>,
    ) -> Result<Option<Fixed>, Diagnostic> {
        let Some(fixed) = fix::fix(found.bytes, found.file_name, directory) else {
            return Ok(None);
        };
        let installed = self.installed.as_ref().ok_or_else(|| unknown(None))?;
        if let Some(entry) = installed.entry(found.folder) {
            let name = shell_word(&entry.name);
            let source = without_userinfo(&entry.source);
            let message = format!("it was installed from `{source}`, and is left as it is");
            let update = update(installed, &name, found.folder);
            let help = format!("mend it there, then run {update}");
            return Err(not_mended(Severity::Warning, message, help));
        }
        if let Some(lock) = installed.unreadable(found.folder) {
            return Err(unknown(Some(&lock)));
        }
        let named = self.named.iter().map(PathBuf::as_path);
        let folders = std::iter::once(found.folder).chain(named);
        match replace(folders, path, &self.store, fixed.text.as_bytes()) {
            Ok(()) => Ok(Some(fixed)),
            Err(error) => {
                let message = format!("its file cannot be written: {error}");
                let help = "see to it that it can be written, or mend it by hand";
                Err(not_mended(Severity::Error, message, help.into()))
            }
        }
    }
}

/// Why a file was left as it is.
fn not_mended(severity: Severity, message: String, help: String) -> Diagnostic {
    Diagnostic {
        code: NOT_MENDED,
        severity,
        span: None,
        message,
        help: Some(help),
        fix: Vec::new(),
    }
}

/// That a lock which cannot be read may name the skill.
fn unknown(lock: Option<&Path>) -> Diagnostic {
    let lock = lock.map_or_else(
        || "the lock of your own skills".to_owned(),
        |lock| format!("`{}`", lock.display()),
    );
    let message =
        format!("it is left as it is: {lock} cannot be read, and may say that it was installed");
    let help = "mend the lock first, then run this again";
    not_mended(Severity::Error, message, help.into())
}

/// How an installed skill is updated from here.
fn update(installed: &Installed, name: &str, folder: &Path) -> String {
    let scope = installed.typed_scope(folder);
    let command = format!("`skillyard update {name}{scope}`");
    let root = installed.root_elsewhere(folder);
    let place = root.map(|root| format!(" in `{}`", root.display()));
    command + &place.unwrap_or_default()
}

fn replace<'p>(
    mut folders: impl Iterator<Item = &'p Path>,
    path: &Path,
    store: &Path,
    bytes: &[u8],
) -> io::Result<()> {
    // A link is followed, so that what is replaced is the file and not the link to it; but whoever
    // made the link may not choose a file outside of what the user named.
    let path = path.canonicalize()?;
    let holds = |folder: &Path| {
        folder
            .canonicalize()
            .is_ok_and(|folder| path.starts_with(folder))
    };
    if !folders.any(holds) {
        return Err(io::Error::other(
            "it is a link that leads out of the folder",
        ));
    }
    if path.starts_with(whole(store)) {
        return Err(io::Error::other(
            "it lies in the store, which every project shares",
        ));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    let before = fs::metadata(&path)?;
    temporary.as_file().set_permissions(before.permissions())?;
    // Root takes no file from whom it belongs to.
    if temporary.as_file().metadata()?.uid() == 0 && before.uid() != 0 {
        fchown(temporary.as_file(), Some(before.uid()), Some(before.gid()))?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&path)?;
    Ok(())
}
