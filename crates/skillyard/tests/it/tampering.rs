//! What becomes of a file of the store: by accident, or by somebody who wants other bytes installed.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::{TestContext, output};

/// Puts other bytes where a file is.
pub(crate) fn replace(file: &Path, bytes: &[u8]) {
    fs::remove_file(file).unwrap();
    fs::write(file, bytes).unwrap();
}

/// The last byte is another.
pub(crate) fn flip(_: &TestContext, file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    replace(file, &bytes);
}

pub(crate) fn cut_off(_: &TestContext, file: &Path) {
    let bytes = fs::read(file).unwrap();
    replace(file, &bytes[..bytes.len() - 1]);
}

pub(crate) fn empty(_: &TestContext, file: &Path) {
    replace(file, b"");
}

pub(crate) fn link(context: &TestContext, file: &Path) {
    let elsewhere = context.root().join("elsewhere");
    fs::rename(file, &elsewhere).unwrap();
    symlink(&elsewhere, file).unwrap();
}

pub(crate) fn pipe(context: &TestContext, file: &Path) {
    fs::remove_file(file).unwrap();
    assert!(output(context.command("mkfifo").arg(file)).status.success());
}

/// A terabyte that takes no room on the disk.
pub(crate) fn huge(_: &TestContext, file: &Path) {
    let bytes = fs::read(file).unwrap();
    replace(file, &bytes);
    let file = File::options().write(true).open(file).unwrap();
    file.set_len(1 << 40).unwrap();
}
