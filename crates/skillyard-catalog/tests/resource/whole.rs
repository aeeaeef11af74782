//! All files of a skill: their list and their digest.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use rustix::fs::{CWD, Mode};
use skillyard_catalog::resource::{DigestLimits, Resolver, ResourceError, digest, digest_within};
use skillyard_format::Digest;
use skillyard_format::package::TreeDigest;

use crate::{Fixture, RESOLVERS};

#[test]
fn listings_are_sorted_and_name_what_they_skip() {
    let fixture = Fixture::new();
    let skill = fixture.skill();
    fixture.write("references-old.md", b"");
    fixture.write(".git/config", b"token");
    fixture.write("scripts/run.sh", b"#!/bin/sh\n");
    fixture.write("nul.txt", b"");
    fs::set_permissions(
        skill.join("scripts/run.sh"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    symlink("../outside", skill.join("link")).unwrap();
    rustix::fs::mknodat(
        CWD,
        skill.join("pipe"),
        rustix::fs::FileType::Fifo,
        Mode::RUSR,
        0,
    )
    .unwrap();
    for resolver in RESOLVERS {
        let root = fixture.root(resolver);
        let listing = root.list(None).unwrap();
        let files: Vec<_> = listing
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.size, file.executable))
            .collect();
        assert_eq!(
            files,
            [
                ("SKILL.md", 20, false),
                ("references-old.md", 0, false),
                ("references/deep/more.md", 4, false),
                ("references/guide.md", 5, false),
                ("scripts/run.sh", 10, true),
            ]
        );
        let skipped: Vec<_> = listing
            .skipped
            .iter()
            .map(|skipped| skipped.reason.to_string())
            .collect();
        assert_eq!(
            skipped,
            [
                "`link` is or passes through a symbolic link",
                "resource path `nul.txt` contains `nul.txt`, a device on Windows",
                "`pipe` is a named pipe, not a regular file",
            ]
        );
        assert!(!listing.truncated);
        for folder in ["references", "./references/"] {
            let paths: Vec<_> = root
                .list(Some(folder))
                .unwrap()
                .files
                .into_iter()
                .map(|file| file.path)
                .collect();
            assert_eq!(paths, ["references/deep/more.md", "references/guide.md"]);
        }
        assert_eq!(root.list(Some(".")).unwrap().files, listing.files);
        for (folder, message) in [
            ("..", "resource path `..` contains `..`"),
            ("/", "resource path `/` is absolute"),
            (
                "references//",
                "resource path `references/` contains `//` or ends in `/`",
            ),
            (
                "SKILL.md",
                "`SKILL.md` is not a folder or passes through a file",
            ),
            (
                ".git",
                "resource path `.git` leads into `.git`, which is no part of the skill",
            ),
        ] {
            assert_eq!(root.list(Some(folder)).unwrap_err().to_string(), message);
        }
    }
}

#[test]
fn listings_are_bounded() {
    let fixture = Fixture::new();
    for number in 0..2_010 {
        fixture.write(&format!("many/{number:04}"), b"");
    }
    let deep = "d/".repeat(65);
    fixture.write(&format!("{deep}file"), b"");
    let root = fixture.root(Resolver::Best);
    let listing = root.list(None).unwrap();
    assert_eq!((listing.files.len(), listing.truncated), (2_000, true));
    let listing = root.list(Some("d")).unwrap();
    assert_eq!(listing.files, []);
    assert_eq!(
        listing.skipped[0].reason.to_string(),
        format!("`{}` is deeper than 64 folders", &deep[..deep.len() - 1])
    );
    let error = digest_within(
        &root,
        &DigestLimits {
            max_files: 5_000,
            max_bytes: 1 << 20,
        },
    )
    .unwrap_err();
    assert!(matches!(error, ResourceError::TooDeep { .. }), "{error}");
}

#[test]
fn the_digest_is_that_of_the_files_and_links() {
    let fixture = Fixture::new();
    fixture.write("nul.txt", b"counts on every system");
    fixture.write(".git/HEAD", b"does not");
    fixture.write("run.sh", b"#!/bin/sh\n");
    fs::set_permissions(
        fixture.skill().join("run.sh"),
        fs::Permissions::from_mode(0o700),
    )
    .unwrap();
    symlink("../outside/file", fixture.skill().join("link")).unwrap();
    let mut tree = TreeDigest::default();
    tree.add("SKILL.md", false, Digest::of(b"---\nname: skill\n---\n"));
    tree.add("references/guide.md", false, Digest::of(b"guide"));
    tree.add("references/deep/more.md", false, Digest::of(b"more"));
    tree.add("nul.txt", false, Digest::of(b"counts on every system"));
    tree.add("run.sh", true, Digest::of(b"#!/bin/sh\n"));
    tree.add_link("link", Digest::of(b"../outside/file"));
    let root = fixture.root(Resolver::Best);
    assert_eq!(digest(&root).unwrap(), tree.finish());

    let limited = |max_files, max_bytes| {
        digest_within(
            &root,
            &DigestLimits {
                max_files,
                max_bytes,
            },
        )
    };
    assert!(limited(5, 61).is_ok());
    assert_eq!(
        limited(4, 61).unwrap_err().to_string(),
        "the skill has more than 4 files"
    );
    assert_eq!(
        limited(5, 60).unwrap_err().to_string(),
        "the files of the skill have more than 60 bytes"
    );

    let whole = digest(&root).unwrap();
    fixture.write("a\nforged line", b"");
    let other = digest(&root).unwrap();
    assert_ne!(whole, other);
    // Files whose names are no text count, too; so do those in a folder with such a name.
    let latin = fixture.skill().join(OsStr::from_bytes(b"caf\xe9"));
    if fs::create_dir(&latin).is_ok() {
        fs::write(latin.join("a"), b"").unwrap();
        assert_ne!(other, digest(&root).unwrap());
        let listing = root.list(None).unwrap();
        let reasons: Vec<String> = listing
            .skipped
            .iter()
            .map(|it| it.reason.to_string())
            .collect();
        assert!(reasons.contains(&"the name of `caf\u{fffd}/a` is not UTF-8".to_owned()));
    }
}

#[test]
fn a_linked_skill_file_counts_by_what_is_read_through_it() {
    let fixture = Fixture::new();
    let file = fixture.skill().join("SKILL.md");
    fs::rename(&file, fixture.skill().join("../real.md")).unwrap();
    symlink("../real.md", &file).unwrap();
    let root = fixture.root(Resolver::Best);
    let before = digest(&root).unwrap();
    assert_eq!(digest(&root).unwrap(), before);
    fixture.write("../real.md", b"another");
    let changed = digest(&root).unwrap();
    assert_ne!(changed, before);
    fs::remove_file(fixture.skill().join("../real.md")).unwrap();
    assert!(![before, changed].contains(&digest(&root).unwrap()));
}
