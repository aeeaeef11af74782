//! What was decided on this machine, read again only when one of the files that say so changed.
//!
//! A server asks with nearly every answer, and a lock of a thousand skills takes longer to read
//! than all the rest of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use skillyard_catalog::walk::Watched;
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
    kept: Mutex<Option<(Vec<Watched>, Arc<Permissions>)>>,
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
        if !files.iter().any(is_racy) {
            *kept = Some((files, Arc::clone(&permissions)));
        }
        Ok(permissions)
    }
}

/// The files that [`Permissions`] are read from.
fn files(context: &Context) -> Vec<Watched> {
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
    all.map(Watched::new).collect()
}

fn is_racy(file: &Watched) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let recently = now.unwrap_or_default().saturating_sub(RACY);
    let recently = i64::try_from(recently.as_nanos()).unwrap_or(i64::MAX);
    // Nobody can set this one.
    file.stamp.is_ok_and(|stamp| stamp.changed >= recently)
}
