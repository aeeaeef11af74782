//! Archives of whole repositories, in which links and odd names are normal.

use std::io::Cursor;

use skillyard_format::package::archive::{Archive, ArchiveListing, Limits, Rules, Shape};

use crate::support::{Collector, SKILL, gzip, tar, zip};

fn list(bytes: Vec<u8>) -> Result<ArchiveListing, &'static str> {
    match Archive::open(Cursor::new(bytes), Rules::repository()) {
        Ok(archive) => Ok(archive.listing().clone()),
        Err(error) => Err(error.code()),
    }
}

fn repository() -> Vec<tar::Entry> {
    vec![
        tar::entry(
            b'g',
            "pax_global_header",
            &tar::pax_records(&[("comment", b"0123")]),
        ),
        tar::entry(b'5', "repo-1/", b""),
        tar::file("repo-1/README.md", b"read me"),
        tar::link(b'2', "repo-1/latest", "skills/good"),
        tar::file("repo-1/tests/aux.c", b"int"),
        tar::file("repo-1/tests/A", b""),
        tar::file("repo-1/tests/a", b""),
        tar::file("repo-1/skills/good/SKILL.md", SKILL),
        tar::file("repo-1/skills/good/run.sh", b"#!/bin/sh"),
        tar::file("repo-1/skills/linked/SKILL.md", SKILL),
        tar::link(b'2', "repo-1/skills/linked/secrets", "/etc/passwd"),
        tar::file("repo-1/skills/named/SKILL.md", SKILL),
        tar::file("repo-1/skills/named/a\u{202e}b", b""),
        tar::file("repo-1/skills/folded/SKILL.md", SKILL),
        tar::file("repo-1/skills/folded/x", b""),
        tar::file("repo-1/skills/Folded/x", b""),
    ]
}

#[test]
fn blemishes_are_listed_and_spoil_only_their_own_skill() {
    let mut archive = Archive::open(
        Cursor::new(gzip(&tar::tar(&repository()))),
        Rules::repository(),
    )
    .unwrap();
    let listing = archive.listing().clone();
    let shape = listing.repository_shape().unwrap();
    assert_eq!(
        shape,
        Shape::Repository {
            root: "repo-1".to_owned()
        }
    );
    let found: Vec<_> = listing
        .blemishes
        .iter()
        .map(|blemish| (blemish.name.as_str(), blemish.problem.code()))
        .collect();
    assert_eq!(
        found,
        [
            ("repo-1/latest", "entry-symlink"),
            ("repo-1/tests/aux.c", "entry-reserved-name"),
            ("repo-1/tests/a", "entry-collision"),
            ("repo-1/skills/linked/secrets", "entry-symlink"),
            (
                "repo-1/skills/named/a\u{202e}b",
                "entry-invisible-character"
            ),
            ("repo-1/skills/Folded/x", "entry-collision"),
        ]
    );
    let check = |folder: &str| match listing.check_folder(folder, &Limits::skill()) {
        Ok(()) => "ok",
        Err(error) => error.code(),
    };
    assert_eq!(check("repo-1/skills/good"), "ok");
    assert_eq!(check("repo-1/skills/linked"), "entry-symlink");
    assert_eq!(check("repo-1/skills/named"), "entry-invisible-character");
    assert_eq!(check("repo-1/skills/folded"), "entry-collision");
    assert_eq!(check("repo-1/latest/deeper"), "entry-symlink");

    let mut collector = Collector::default();
    archive
        .deliver(
            &mut |path| path.below("repo-1/skills/good").is_some(),
            &mut collector,
        )
        .unwrap();
    assert_eq!(
        collector.files.keys().collect::<Vec<_>>(),
        ["repo-1/skills/good/SKILL.md", "repo-1/skills/good/run.sh"]
    );
}

#[test]
fn what_deceives_is_refused_in_a_repository_too() {
    for (entry, code) in [
        (tar::file("../x", b""), "entry-escapes"),
        (tar::file("/x", b""), "entry-absolute"),
        (tar::file("C:/x", b""), "entry-drive"),
        (
            tar::link(b'1', "repo-1/h", "/etc/passwd"),
            "entry-hard-link",
        ),
        (tar::entry(b'3', "repo-1/d", b""), "entry-special"),
        (
            tar::file("repo-1/latest/x", b"through the link"),
            "entry-file-and-folder",
        ),
        (tar::file("repo-1/README.md", b""), "entry-duplicate"),
        (
            tar::pax(&[("path", b"a"), ("path", b"b")]),
            "tar-duplicate-key",
        ),
    ] {
        let entries = [repository(), vec![entry]].concat();
        assert_eq!(list(tar::tar(&entries)).err(), Some(code));
    }
}

#[test]
fn a_skill_in_a_repository_has_the_limits_of_a_skill() {
    let mut entries = repository();
    entries.push(tar::file("repo-1/skills/big/video", &vec![1; 17 << 20]));
    entries.extend((0..513).map(|index| tar::file(format!("repo-1/skills/many/{index}"), b"")));
    let deep = format!("repo-1/skills/deep/{}x", "d/".repeat(17));
    entries.push(tar::file(&deep, b""));
    let listing = list(tar::tar(&entries)).unwrap();
    for (folder, code) in [
        ("big", "entry-too-large"),
        ("many", "limit-files"),
        ("deep", "entry-too-deep"),
    ] {
        let error = listing
            .check_folder(&format!("repo-1/skills/{folder}"), &Limits::skill())
            .expect_err(folder);
        assert_eq!(error.code(), code);
    }
}

#[test]
fn a_repository_is_one_folder() {
    let of = |paths: &[&str]| {
        let entries = paths.iter().map(|path| zip::file(path, b"")).collect();
        let listing = list(zip::zip(entries).bytes()).unwrap();
        listing.repository_shape().err().map(|error| error.code())
    };
    assert_eq!(of(&["a/x", "a/y"]), None);
    assert_eq!(of(&["a/x", "b/y"]), Some("shape-many-roots"));
    assert_eq!(of(&["a"]), Some("shape-file-at-root"));
    assert_eq!(of(&[]), Some("shape-empty"));
}

#[test]
fn names_are_counted_before_they_are_kept() {
    // Each is over the limit of one path, which in a repository is a blemish only.
    let name = "n".repeat(60_000);
    let mut entries = Vec::new();
    for _ in 0..600 {
        entries.push(tar::pax(&[("path", name.as_bytes())]));
        entries.push(tar::file("x", b""));
    }
    assert_eq!(list(tar::tar(&entries)).err(), Some("limit-names-bytes"));
}

#[test]
fn a_file_that_shrinks_to_nothing_spoils_only_its_own_skill() {
    let noise: Vec<u8> = {
        let mut random = crate::support::random::Random::new(3);
        (0..4096)
            .flat_map(|_| random.next().to_le_bytes())
            .collect()
    };
    let entries = vec![
        zip::deflated("r/tests/zeros", &vec![0; 2 << 20]),
        zip::file("r/skills/a/noise", &noise),
    ];
    let listing = list(zip::zip(entries).bytes()).unwrap();
    assert_eq!(listing.files().count(), 1);
    assert!(listing.check_folder("r/skills/a", &Limits::skill()).is_ok());
    let error = listing.check_folder("r/tests", &Limits::skill());
    assert_eq!(error.expect_err("a bomb").code(), "entry-ratio");
}
