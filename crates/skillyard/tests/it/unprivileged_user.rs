//! Somebody who is not root, whom modes do not keep from anything.

use std::os::unix::fs::lchown;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use crate::TestContext;
use crate::project::everything;

const SOMEBODY: u32 = 65534;

/// Makes everything theirs, where we are root.
pub(crate) fn own(context: &TestContext) {
    if rustix::process::geteuid().is_root() {
        let top = context.root().parent().unwrap().to_owned();
        let below = everything(&top).into_iter().map(|path| top.join(path));
        for path in std::iter::once(top.clone()).chain(below) {
            lchown(path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
        }
    }
}

/// The binary, started by them.
pub(crate) fn skillyard(context: &TestContext) -> Command {
    let mut command = context.skillyard();
    if rustix::process::geteuid().is_root() {
        command.uid(SOMEBODY).gid(SOMEBODY);
    }
    command
}
