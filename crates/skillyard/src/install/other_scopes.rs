//! Where a skill is installed that is not installed where a command looks.

use skillyard_install::LeftFolder;
use skillyard_install::records::Records;
use skillyard_install::scope::Scope;

use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::scope;

/// Adds to a name that is not installed here the scope or the project that it is installed in, and
/// the folder where it was left.
pub(crate) fn look_elsewhere(failure: &mut InstallFailure, context: &Context) {
    if let InstallFailure::NotInstalled {
        name,
        elsewhere,
        left,
        around,
        ..
    } = failure
    {
        let has_it = |scope: &Scope| {
            let lock = Records::default().lock(scope);
            lock.is_ok_and(|lock| lock.get(name).is_some())
        };
        let scopes = scope::scopes(context);
        let has_left = |each: &LeftFolder| each.record.get(name).is_some();
        let mut folders = scopes.iter().flat_map(Scope::left_folders);
        *left = folders.find(has_left).map(|each| each.folder);
        let found = scopes.into_iter().find(has_it);
        *elsewhere = found.map(|scope| scope.kind);
        // The innermost is the one that `list` shows.
        let found = scope::deciding(context).into_iter().rev().find(has_it);
        *around = found.map(|scope| scope.root);
    }
}
