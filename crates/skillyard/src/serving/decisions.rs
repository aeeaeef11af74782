//! What was decided on this machine, read again only when one of the files that say so changed.
//!
//! A server asks with nearly every answer, and a lock of a thousand skills takes longer to read
//! than all the rest of it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use skillyard_install::scope::Scope;

use crate::config::project;
use crate::context::Context;
use crate::error::CommandError;
use crate::install::place;
use crate::permission::Permissions;

/// Files that changed this shortly before they were read are read again: a clock's tick may hide
/// another change.
const RACY: Duration = Duration::from_millis(50);

/// What was decided, as of the files that it was read from.
#[derive(Default)]
pub(super) struct Decisions {
    kept: Mutex<Option<(Vec<Look>, Arc<Permissions>)>>,
}

/// A file, and what tells whether it changed; nothing where it cannot be looked at.
#[derive(PartialEq, Eq)]
struct Look {
    path: PathBuf,
    stamp: Option<Stamp>,
}

#[derive(PartialEq, Eq)]
struct Stamp {
    place: (u64, u64),
    size: u64,
    modified: (i64, i64),
    /// Nobody can set this one.
    changed: (i64, i64),
}

impl Decisions {
    /// What holds now.
    pub(super) fn of(&self, context: &Context) -> Result<Arc<Permissions>, CommandError> {
        // Before they are read: what changes meanwhile is noticed the next time.
        let files = files(context);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((looked, permissions)) = &*kept
            && *looked == files
        {
            return Ok(Arc::clone(permissions));
        }
        *kept = None;
        let permissions = Arc::new(Permissions::load(context)?);
        if !files.iter().any(Look::is_racy) {
            *kept = Some((files, Arc::clone(&permissions)));
        }
        Ok(permissions)
    }
}

/// The files that [`Permissions`] are read from.
fn files(context: &Context) -> Vec<Look> {
    let environment = &context.environment;
    let own = [
        environment.org_config.clone(),
        environment.config_file(),
        environment.approvals_file(),
    ];
    let scopes = place::scopes(context);
    let locks = scopes.iter().map(Scope::lock_file);
    let project = project::config_file(environment);
    let all = own.into_iter().chain(project).chain(locks);
    all.map(Look::at).collect()
}

impl Look {
    fn at(path: PathBuf) -> Self {
        let stamp = path.metadata().ok().as_ref().map(Stamp::of);
        Self { path, stamp }
    }

    fn is_racy(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let recently = now.unwrap_or_default().saturating_sub(RACY);
        self.stamp.as_ref().is_some_and(|stamp| {
            let (seconds, nanoseconds) = stamp.changed;
            let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
            (seconds, nanoseconds) >= (recently.as_secs(), recently.subsec_nanos().into())
        })
    }
}

impl Stamp {
    fn of(file: &Metadata) -> Self {
        Self {
            place: (file.dev(), file.ino()),
            size: file.size(),
            modified: (file.mtime(), file.mtime_nsec()),
            changed: (file.ctime(), file.ctime_nsec()),
        }
    }
}
