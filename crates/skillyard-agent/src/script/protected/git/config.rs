//! The files of a working tree that git's configuration names: hooks, and more configuration.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use skillyard_catalog::regular_file::beginning;

use super::LONGEST_PATH;

/// The most files of configuration that are followed.
const MAX_FILES: usize = 20;
/// The most bytes of each that are read.
const LARGEST: u64 = 16 << 20;

/// Where the hooks of a repository are, and what its configuration includes. Programs that it
/// names with all their words, such as filters, are not looked for.
pub(super) fn named(repository: &Path, top: &Path) -> Vec<PathBuf> {
    let common = beginning(&repository.join("commondir"), LONGEST_PATH);
    let common = common.map_or_else(
        |_| repository.to_owned(),
        |path| repository.join(OsStr::from_bytes(path.trim_ascii())),
    );
    let mut ahead = vec![common.join("config"), repository.join("config.worktree")];
    let (mut found, mut read) = (Vec::new(), 0);
    while let Some(file) = ahead.pop().filter(|_| read < MAX_FILES) {
        read += 1;
        let Ok(bytes) = beginning(&file, LARGEST) else {
            continue;
        };
        let beside = file.parent().unwrap_or(repository);
        for line in String::from_utf8_lossy(&bytes).lines() {
            match entry(line) {
                Some(("hookspath", value)) => found.push(top.join(value)),
                Some(("path", value)) => {
                    found.push(beside.join(&value));
                    ahead.push(beside.join(value));
                }
                _ => {}
            }
        }
    }
    found
}

/// A key of one of the two kinds, in lower case, and its value.
fn entry(line: &str) -> Option<(&'static str, String)> {
    let (key, value) = line.split_once('=')?;
    // A section may begin on the same line.
    let key = key.rsplit(']').next().unwrap_or(key).trim();
    let known = ["hookspath", "path"];
    let key = known
        .into_iter()
        .find(|each| key.eq_ignore_ascii_case(each))?;
    let value = value.split([';', '#']).next().unwrap_or(value);
    Some((key, value.trim().replace('"', "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_git_reads_them() {
        for (line, expected) in [
            ("\thooksPath = .githooks", Some(("hookspath", ".githooks"))),
            (
                "[core] HOOKSPATH=\"my hooks\" ; mine",
                Some(("hookspath", "my hooks")),
            ),
            (
                "  path = ../.gitconfig # shared",
                Some(("path", "../.gitconfig")),
            ),
            ("\turl = https://example.com/path", None),
            ("[include]", None),
        ] {
            let expected = expected.map(|(key, value)| (key, value.to_owned()));
            assert_eq!(entry(line), expected, "{line}");
        }
    }
}
