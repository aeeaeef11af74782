//! What decisions rest on: looked at again whenever it may be something else.

use std::time::{Duration, Instant, SystemTime};

use skillyard_catalog::Catalog;
use skillyard_catalog::walk::WatchedPath;

use crate::context::Context;
use crate::error::CommandError;
use crate::library::{self, Choice, IndexMode};
use crate::permission::Permissions;
use crate::serving::decisions;

/// How long a catalog is believed: no file tells of a skill that somebody puts into a folder.
const LASTS: Duration = Duration::from_secs(1);

/// What is known, and as of when.
pub(super) struct Known {
    pub(super) permissions: Permissions,
    catalog: Option<Catalog>,
    /// The files that decided, unless they may have changed unnoticed.
    files: Option<Vec<WatchedPath>>,
    since: Instant,
}

impl Known {
    /// What holds now.
    pub(super) fn load(context: &Context) -> Result<Self, CommandError> {
        // Before they are read: what changes meanwhile is noticed the next time.
        let files = decisions::files(context);
        let permissions = Permissions::load(context)?;
        let now = SystemTime::now();
        let is_settled = !files.iter().any(|file| file.is_racy(now));
        Ok(Self {
            permissions,
            catalog: None,
            files: is_settled.then_some(files),
            since: Instant::now(),
        })
    }

    /// Whether nothing was decided or installed since; what nobody tells of counts after a moment.
    pub(super) fn is_current(&self, context: &Context) -> bool {
        self.since.elapsed() < LASTS
            && self.files == Some(decisions::files(context))
            && self.permissions.is_current()
    }

    /// The catalog, if it satisfies, or else a new one.
    pub(super) fn catalog(
        &mut self,
        context: &Context,
        satisfies: impl Fn(&Catalog) -> bool,
    ) -> Result<&Catalog, CommandError> {
        let known = self.catalog.take().filter(satisfies);
        Ok(self.catalog.insert(match known {
            Some(catalog) => catalog,
            None => library::load(context, IndexMode::Use, &Choice::default())?,
        }))
    }
}
