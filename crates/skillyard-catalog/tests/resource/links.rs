//! Links, devices and other things that are no file of the skill.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, Mode};
use skillyard_catalog::resource::{
    FileKind, HardLinks, ReadLimits, ReadRange, ResourceError, SkillRoot,
};

use crate::{Fixture, RESOLVERS, SECRET, read, refused, text};

#[test]
fn symbolic_links_are_not_followed() {
    let fixture = Fixture::new();
    let skill = fixture.skill();
    symlink("../outside/file", skill.join("relative")).unwrap();
    symlink(fixture.outside().join("file"), skill.join("absolute")).unwrap();
    symlink("../outside", skill.join("folder")).unwrap();
    symlink("SKILL.md", skill.join("inside")).unwrap();
    symlink("nowhere", skill.join("dangling")).unwrap();
    symlink("circle", skill.join("circle")).unwrap();
    symlink("/proc/self/root", skill.join("magic")).unwrap();
    for path in [
        "relative",
        "absolute",
        "folder/file",
        "folder",
        "inside",
        "dangling",
        "circle",
        "circle/x",
        "magic/etc/passwd",
    ] {
        refused(
            &fixture,
            path,
            &format!("`{path}` is or passes through a symbolic link"),
        );
    }
    for resolver in RESOLVERS {
        let error = fixture.root(resolver).list(Some("folder")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`folder` is or passes through a symbolic link"
        );
    }
}

#[test]
fn a_root_may_be_reached_through_a_symbolic_link() {
    let fixture = Fixture::new();
    let link = fixture.folder.path().join("link");
    symlink("skill", &link).unwrap();
    let root = SkillRoot::open(&link).unwrap();
    assert_eq!(text(read(&root, "references/guide.md").unwrap()), "guide");
    assert_eq!(root.path(), link);
}

#[test]
#[cfg(target_os = "linux")]
fn magic_links_of_proc_are_not_followed() {
    for resolver in RESOLVERS {
        let root = SkillRoot::open_with(Path::new("/proc/self"), resolver).unwrap();
        for path in ["cwd/Cargo.toml", "root/etc/passwd", "exe", "fd/0"] {
            let error = read(&root, path).unwrap_err();
            assert!(
                matches!(error, ResourceError::Symlink { .. }),
                "{path}: {error}"
            );
        }
        // A file without a size is read until it ends.
        assert!(text(read(&root, "status").unwrap()).starts_with("Name:"));
    }
}

#[test]
fn hard_links_are_refused_unless_the_caller_allows_them() {
    let fixture = Fixture::new();
    fs::hard_link(
        fixture.outside().join("file"),
        fixture.skill().join("linked"),
    )
    .unwrap();
    refused(
        &fixture,
        "linked",
        "`linked` has 2 hard links, and the others may lie outside the skill",
    );
    let limits = ReadLimits {
        hard_links: HardLinks::Allow,
        ..ReadLimits::default()
    };
    for resolver in RESOLVERS {
        let root = fixture.root(resolver);
        assert_eq!(
            text(root.read("linked", ReadRange::default(), &limits).unwrap()),
            SECRET
        );
    }
}

#[test]
fn only_regular_files_are_read_and_nothing_waits() {
    let fixture = Fixture::new();
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(
        CWD,
        fixture.skill().join("pipe"),
        fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(fixture.skill().join("socket")).unwrap();
    refused(
        &fixture,
        "pipe",
        "`pipe` is a named pipe, not a regular file",
    );
    refused(
        &fixture,
        "socket",
        "`socket` is a socket, not a regular file",
    );
    refused(
        &fixture,
        "references",
        "`references` is a folder, not a regular file",
    );
    refused(&fixture, "missing.md", "`missing.md` is not in the skill");
    refused(&fixture, "missing/x", "`missing/x` is not in the skill");
    refused(
        &fixture,
        "SKILL.md/x",
        "`SKILL.md/x` is not a folder or passes through a file",
    );
    for resolver in RESOLVERS {
        let device = SkillRoot::open_with(Path::new("/dev"), resolver).unwrap();
        let error = read(&device, "null").unwrap_err();
        assert!(
            matches!(
                error,
                ResourceError::NotRegular {
                    kind: FileKind::Device,
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn a_root_must_be_a_folder() {
    let fixture = Fixture::new();
    for path in [
        fixture.skill().join("SKILL.md"),
        fixture.skill().join("missing"),
    ] {
        let error = SkillRoot::open(&path).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("skill folder `{}` cannot be opened", path.display())
        );
    }
}
