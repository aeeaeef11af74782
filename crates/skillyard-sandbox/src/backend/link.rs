//! Links that decide about others, such as `CLAUDE.md -> AGENTS.md`.
//!
//! A link cannot be a mount, so a program that may write to its folder can replace it. What it
//! leads to is read-only while the program runs; the link itself is put back when it ends.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, lchown, symlink};
use std::path::{Path, PathBuf};

use super::guard::Guard;

/// The links of one run, as they were before it.
#[derive(Default)]
pub(crate) struct Links {
    kept: Vec<Link>,
}

struct Link {
    path: PathBuf,
    says: PathBuf,
    /// Whose it is; root puts back what is not root's.
    owner: Option<(u32, u32)>,
}

impl Links {
    /// Notes the links of a writable folder.
    pub(crate) fn note(&mut self, root: &Path, guard: &Guard) {
        self.kept.extend(guard.links.iter().map(|(path, says)| {
            let path = root.join(path);
            let found = path.symlink_metadata().ok();
            Link {
                owner: found.map(|found| (found.uid(), found.gid())),
                says: says.clone(),
                path,
            }
        }));
    }

    /// Puts back those that are no longer what they were, and names them.
    pub(crate) fn put_back(&self) -> io::Result<Vec<PathBuf>> {
        let mut changed = Vec::new();
        for Link { path, says, owner } in &self.kept {
            if fs::read_link(path).is_ok_and(|now| now == *says) {
                continue;
            }
            match path.symlink_metadata() {
                Ok(found) if found.is_dir() => fs::remove_dir_all(path)?,
                Ok(_) => fs::remove_file(path)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            symlink(says, path)?;
            if let Some((user, group)) = *owner {
                // Only root can, and only root has to.
                let _ = lchown(path, Some(user), Some(group));
            }
            changed.push(path.clone());
        }
        Ok(changed)
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        // Also where following the program failed, and nobody asked what became of them.
        let _ = self.put_back();
    }
}
