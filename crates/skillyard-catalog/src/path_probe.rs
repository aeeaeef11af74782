//! Follows the symbolic links of a path one by one.
//!
//! The author of each link chose its target, so each of them counts where trust is decided, whatever the spelling of the path.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

/// As many links as systems follow.
const MAX_LINKS: usize = 40;

/// Each path on the way to where an absolute one leads: one for every link that is followed, with what
/// comes before it resolved, and last the real path. What does not exist yet is not a link.
pub(crate) fn link_steps(path: &Path) -> Vec<PathBuf> {
    let mut ahead = steps(path);
    let mut here = PathBuf::from("/");
    let mut found = Vec::new();
    while let Some(step) = ahead.pop_front() {
        if step == ".." {
            here.pop();
            continue;
        }
        here.push(&step);
        let Ok(says) = here.read_link() else {
            continue;
        };
        found.push(here.iter().chain(ahead.iter().map(AsRef::as_ref)).collect());
        if found.len() > MAX_LINKS {
            return found;
        }
        if says.is_absolute() {
            here = PathBuf::from("/");
        } else {
            here.pop();
        }
        for step in steps(&says).into_iter().rev() {
            ahead.push_front(step);
        }
    }
    // Where names may be written in capitals or not, they are as the disk has them.
    found.push(here.canonicalize().unwrap_or(here));
    found
}

/// A path with no link in it, also where nothing is there yet.
pub fn resolved(path: &Path) -> PathBuf {
    let real = path.canonicalize().ok();
    let real = real.or_else(|| path.is_absolute().then(|| link_steps(path).pop()).flatten());
    real.unwrap_or_else(|| path.to_owned())
}

/// The link to nothing by which there is nothing at a path, and where it leads: the path itself, or what
/// lies furthest up on the way to it. What it leads to may be on a disk that is not mounted now.
pub fn dangling_link(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let is_listed = |each: &&Path| each.symlink_metadata().is_ok();
    let link = path.ancestors().find(is_listed)?;
    let to = link.read_link().ok()?;
    let found = link.metadata();
    let is_nothing = found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    is_nothing.then(|| (link.to_owned(), to))
}

/// The link on the way to a path that leads back to itself, so that nothing can be at the path.
pub fn link_loop(path: &Path) -> Option<PathBuf> {
    let is_listed = |each: &&Path| each.symlink_metadata().is_ok();
    let link = path.ancestors().find(is_listed)?;
    let is_loop = |error: io::Error| error.raw_os_error() == Some(Errno::LOOP.raw_os_error());
    let is_looping = link.metadata().is_err_and(is_loop);
    is_looping.then(|| link.to_owned())
}

/// The folder on the way to a path, or the path itself, that the user may not look into.
pub fn inaccessible(path: &Path) -> Option<PathBuf> {
    let is_refused = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    match path.metadata() {
        Ok(found) if found.is_dir() => {
            let listed = path.read_dir();
            listed
                .is_err_and(|error| is_refused(&error))
                .then(|| path.to_owned())
        }
        Err(error) if is_refused(&error) => {
            let mut around = path.ancestors().skip(1);
            around
                .find(|each| each.metadata().is_ok())
                .map(Path::to_owned)
        }
        _ => None,
    }
}

/// The steps of a path; what is neither a name nor a step back says nothing.
fn steps(path: &Path) -> VecDeque<OsString> {
    let steps = path.components().filter_map(|step| match step {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_link_on_the_way_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |path: &str| root.join(path);
        fs::create_dir_all(at("data/clone")).unwrap();
        fs::create_dir(at("home")).unwrap();
        symlink("data", at("lnk")).unwrap();
        symlink(at("lnk/clone"), at("home/c")).unwrap();
        symlink("loop", at("loop")).unwrap();
        let check = |path: &str, expected: &[&str]| {
            let expected: Vec<PathBuf> = expected.iter().map(|each| at(each)).collect();
            assert_eq!(link_steps(&at(path)), expected, "{path}");
        };
        check("data/clone", &["data/clone"]);
        check("data/../data/./clone//x", &["data/clone/x"]);
        check("lnk/clone/x", &["lnk/clone/x", "data/clone/x"]);
        check(
            "home/c/skills",
            &["home/c/skills", "lnk/clone/skills", "data/clone/skills"],
        );
        // A step back from behind a link is not one in front of it.
        check("home/c/../y", &["home/c/../y", "lnk/clone/../y", "data/y"]);
        check("none/../none/x", &["none/x"]);
        assert_eq!(link_steps(&at("loop")).len(), MAX_LINKS + 1);
    }

    #[test]
    fn a_link_to_nothing_is_found_from_below_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir(at("disk")).unwrap();
        symlink("disk", at("there")).unwrap();
        symlink("gone/home", at("link")).unwrap();
        for below in ["link", "link/a", "link/a/b"] {
            let found = dangling_link(&at(below));
            assert_eq!(found, Some((at("link"), "gone/home".into())), "{below}");
        }
        for sound in ["disk", "disk/a/b", "there", "there/a", "none/a"] {
            assert_eq!(dangling_link(&at(sound)), None, "{sound}");
        }
        symlink("other", at("round")).unwrap();
        symlink("round", at("other")).unwrap();
        for below in ["round", "round/a/b"] {
            assert_eq!(link_loop(&at(below)), Some(at("round")), "{below}");
            assert_eq!(dangling_link(&at(below)), None, "{below}");
        }
        for other in ["disk", "there/a", "none/a", "link/a"] {
            assert_eq!(link_loop(&at(other)), None, "{other}");
        }
    }
}
