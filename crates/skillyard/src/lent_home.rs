//! Root with the home directory of a user, as `sudo` may keep it: what it makes there for itself is
//! in the way of that user.
//!
//! A folder of theirs that is there already is not used. One that is made is not given away either:
//! where root is the only user, as in many containers, it could not use it the next time.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::context::Context;
use crate::sanitize::visible;
use crate::shell::shell_path;

/// The user whose home root would make a folder of Skillyard's own in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lender(u32);

impl Lender {
    /// Who it is; nobody where somebody else than root works, or where the folder is there.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        if !rustix::process::geteuid().is_root() || folder.symlink_metadata().is_ok() {
            return None;
        }
        let mut around = folder.ancestors().skip(1);
        let owner = around.find_map(|each| each.metadata().ok())?.uid();
        (owner != 0).then_some(Self(owner))
    }

    /// Says so, if the folder was made meanwhile.
    pub(crate) fn tell(self, context: &Context) {
        let folder = &context.environment.skillyard_home;
        if folder.symlink_metadata().is_err() {
            return;
        }
        let (Self(owner), pasted) = (self, shell_path(folder));
        context.printer.note(&format!(
            "warning: root made `{}` in the home of another user ({owner}), who cannot use it; give it to them with `chown -R {owner} {pasted}`, and run skillyard as that user (`sudo -u '#{owner}' skillyard …`)",
            visible(&folder.to_string_lossy())
        ));
    }
}
