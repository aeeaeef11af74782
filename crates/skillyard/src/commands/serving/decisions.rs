//! What was decided on this machine, read again only when one of the files that say so changed.
//!
//! A server asks with nearly every answer, and a lock of a thousand skills takes longer to read
//! than all the rest of it.

use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use skillyard_catalog::walk::WatchedPath;
use skillyard_install::scope::Scope;

use crate::config::project;
use crate::context::Context;
use crate::error::CommandError;
use crate::library::permission::Permissions;
use crate::scope;

/// What was decided, as of the files that it was read from.
#[derive(Default)]
pub(super) struct Decisions {
    kept: Mutex<Option<(Vec<WatchedPath>, Arc<Permissions>)>>,
}

impl Decisions {
    /// What holds now.
    pub(super) fn of(&self, context: &Context) -> Result<Arc<Permissions>, CommandError> {
        // Before they are read: what changes meanwhile is noticed the next time.
        let files = files(context);
        let mut kept = self.kept.lock();
        if let Some((looked, permissions)) = &*kept
            && *looked == files
            && permissions.is_current()
        {
            return Ok(Arc::clone(permissions));
        }
        *kept = None;
        let permissions = Arc::new(Permissions::load(context)?);
        let now = SystemTime::now();
        if !files.iter().any(|file| file.is_racy(now)) {
            *kept = Some((files, Arc::clone(&permissions)));
        }
        Ok(permissions)
    }
}

/// The files that [`Permissions`] are read from, and that say which skills may be used.
pub(crate) fn files(context: &Context) -> Vec<WatchedPath> {
    let environment = &context.environment;
    let own = [
        environment.org_config.clone(),
        environment.config_file(),
        environment.approvals_file(),
        environment.trust_file(),
        environment.signed_policy_file(),
        environment.pins_file(),
        environment.sigstore_file(),
    ];
    let scopes = scope::deciding(context);
    let locks = scopes.iter().map(Scope::lock_file);
    let project = project::config_file(environment);
    let all = own.into_iter().chain(project).chain(locks);
    all.map(WatchedPath::new).collect()
}
