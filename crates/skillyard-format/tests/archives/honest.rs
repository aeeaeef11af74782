//! What ordinary tools write is accepted, and comes out as it went in.

use skillyard_format::package::archive::{ArchiveFormat, Junk, Mode, Remark, Shape};

use crate::support::{SKILL, gzip, tar, unpack, zip, zstandard};

fn names(bytes: &[u8]) -> Vec<String> {
    unpack(bytes).unwrap().files.into_keys().collect()
}

#[test]
fn a_folder_and_a_flat_archive_are_told_apart() {
    let flat = unpack(&tar::tar(&[tar::skill()])).unwrap();
    assert_eq!(flat.shape, Shape::Flat);
    let folder = tar::tar(&[
        tar::entry(b'5', "pdf/", b""),
        tar::file("pdf/SKILL.md", SKILL),
    ]);
    let folder = unpack(&folder).unwrap();
    assert_eq!(
        folder.shape,
        Shape::Folder {
            name: "pdf".to_owned()
        }
    );
    assert_eq!(folder.files["pdf/SKILL.md"], (Mode::Plain, SKILL.to_vec()));
}

#[test]
fn a_skill_may_hold_other_skill_files_below_its_own() {
    let entries = ["pdf/SKILL.md", "pdf/templates/SKILL.md"].map(|path| tar::file(path, SKILL));
    assert_eq!(
        names(&tar::tar(&entries)),
        ["pdf/SKILL.md", "pdf/templates/SKILL.md"]
    );
    let entries = ["SKILL.md", "assets/templates/SKILL.md"].map(|path| tar::file(path, SKILL));
    assert_eq!(
        names(&tar::tar(&entries)),
        ["SKILL.md", "assets/templates/SKILL.md"]
    );
}

#[test]
fn modes_become_one_bit() {
    for (mode, expected) in [
        ("0000644", Mode::Plain),
        ("0000666", Mode::Plain),
        ("0000777", Mode::Executable),
        ("0100755", Mode::Executable),
        ("0000011", Mode::Plain),
    ] {
        let file = tar::Entry {
            mode: mode.as_bytes().to_vec(),
            ..tar::file("x", b"")
        };
        let unpacked = unpack(&tar::tar(&[tar::skill(), file])).unwrap();
        assert_eq!(unpacked.files["x"].0, expected, "{mode}");
    }
    let mut shared = tar::entry(b'5', "d", b"");
    shared.mode = b"0002775\0".to_vec();
    assert_eq!(names(&tar::tar(&[tar::skill(), shared])), ["SKILL.md"]);
}

#[test]
fn what_packers_for_javascript_write_is_read() {
    // Two times stand where the end of the prefix would, and the folder itself comes first.
    let mut times = vec![0; 131];
    times.extend(b"15277034445\x0015277034444\0");
    let entries = [
        tar::entry(b'5', ".", b""),
        tar::entry(b'5', "pdf/", b""),
        tar::file("pdf/SKILL.md", SKILL),
    ];
    let entries = entries.map(|entry| tar::Entry {
        prefix: times.clone(),
        ..entry
    });
    assert_eq!(names(&tar::tar(&entries)), ["pdf/SKILL.md"]);
    let mut below = times.clone();
    below[..3].copy_from_slice(b"pdf");
    let prefixed = tar::Entry {
        prefix: below,
        ..tar::skill()
    };
    assert_eq!(names(&tar::tar(&[prefixed])), ["pdf/SKILL.md"]);
    // What is no time is part of the path.
    times[140] = b'x';
    let hidden = tar::Entry {
        prefix: times,
        ..tar::skill()
    };
    assert!(unpack(&tar::tar(&[hidden])).is_err());
}

#[test]
fn paths_with_a_dot_in_front_are_read_when_all_have_it() {
    let entries = [
        tar::entry(b'5', "./", b""),
        tar::file("./SKILL.md", SKILL),
        tar::file("./a/b", b""),
    ];
    assert_eq!(names(&tar::tar(&entries)), ["SKILL.md", "a/b"]);
}

#[test]
fn long_names_and_attributes_of_every_form_are_read() {
    let long = format!("{}/{}", "a".repeat(110), "b".repeat(110));
    let xattr = ("SCHILY.xattr.security.capability", &b"\x01\0\0\x02"[..]);
    let entries = [
        tar::entry(
            b'g',
            "pax_global_header",
            &tar::pax_records(&[("comment", b"0123abcd")]),
        ),
        tar::skill(),
        tar::pax(&[
            ("path", long.as_bytes()),
            ("size", b"1"),
            ("mtime", b"99999999999.5"),
            xattr,
        ]),
        tar::file("short", b"1"),
        tar::long_name(format!("{long}2").as_bytes()),
        tar::file("short", b"2"),
    ];
    assert_eq!(
        names(&tar::tar(&entries)),
        ["SKILL.md".to_owned(), long.clone(), format!("{long}2")]
    );
}

#[test]
fn zip_descriptors_comments_and_wide_fields_are_read() {
    let mut streamed = zip::deflated("streamed", b"some content");
    streamed.flags |= 1 << 3;
    streamed.local = zip::Local {
        crc: Some(0),
        size: Some(0),
        compressed: Some(0),
        ..zip::Local::default()
    };
    for wide in [false, true] {
        for signed in [false, true] {
            let mut entry = streamed.clone();
            entry.after = if signed {
                b"PK\x07\x08".to_vec()
            } else {
                Vec::new()
            };
            entry.after.extend(entry.crc.to_le_bytes());
            for value in [entry.compressed, entry.size] {
                let bytes = u64::from(value).to_le_bytes();
                entry
                    .after
                    .extend(if wide { &bytes[..] } else { &bytes[..4] });
            }
            let mut archive = zip::zip(vec![zip::skill(), entry]);
            archive.comment = b"0123456789abcdef0123456789abcdef01234567".to_vec();
            assert_eq!(names(&archive.bytes()), ["SKILL.md", "streamed"]);
        }
    }
    let mut forced = zip::file("forced", b"abc");
    forced.local.size = Some(u32::MAX);
    forced.local.compressed = Some(u32::MAX);
    forced.local_extra = [
        &[1, 0, 16, 0][..],
        &3_u64.to_le_bytes(),
        &3_u64.to_le_bytes(),
    ]
    .concat();
    assert_eq!(
        names(&zip::zip(vec![zip::skill(), forced]).bytes()),
        ["SKILL.md", "forced"]
    );
}

#[test]
fn what_machines_leave_behind_is_dropped_and_told() {
    let junk = [
        (".git/hooks/post-checkout", ".git", Junk::Git),
        (".git/config", ".git", Junk::Git),
        ("sub/.git", "sub/.git", Junk::Git),
        (".DS_Store", ".DS_Store", Junk::System),
        ("__MACOSX/._SKILL.md", "__MACOSX", Junk::System),
        ("a/._b", "a/._b", Junk::System),
        (
            "scripts/__pycache__/x.cpython-312.pyc",
            "scripts/__pycache__",
            Junk::PythonCache,
        ),
        ("evil.pyc", "evil.pyc", Junk::PythonCache),
        (
            "web/node_modules/left-pad/index.js",
            "web/node_modules",
            Junk::NodeModules,
        ),
    ];
    let mut entries = vec![zip::skill()];
    entries.extend(junk.iter().map(|(path, ..)| zip::file(path, b"x")));
    let unpacked = unpack(&zip::zip(entries).bytes()).unwrap();
    assert_eq!(unpacked.files.keys().collect::<Vec<_>>(), ["SKILL.md"]);
    let noted: Vec<_> = unpacked
        .notes
        .iter()
        .map(|note| (note.path.as_str(), note.remark))
        .collect();
    let mut expected: Vec<_> = junk
        .iter()
        .map(|(_, top, kind)| (*top, Remark::Dropped(*kind)))
        .collect();
    expected.dedup();
    assert_eq!(noted, expected);
}

#[test]
fn archives_in_archives_and_secrets_are_kept_and_told() {
    let inner = zip::zip(vec![zip::file("../../x", b"evil")]).bytes();
    let entries = vec![
        zip::skill(),
        zip::file("inner.bin", &inner),
        zip::deflated("inner.txt", &gzip(b"x")),
        zip::file("inner", &tar::tar(&[tar::skill()])),
        zip::file(".env", b"KEY=1"),
        zip::file(".env.example", b"KEY="),
        zip::file(".gitattributes", b"* filter=x"),
    ];
    let unpacked = unpack(&zip::zip(entries).bytes()).unwrap();
    assert_eq!(unpacked.files["inner.bin"].1, inner);
    let mut noted: Vec<_> = unpacked
        .notes
        .iter()
        .map(|note| (note.path.as_str(), note.remark))
        .collect();
    noted.sort_by_key(|(path, _)| *path);
    assert_eq!(
        noted,
        [
            (".env", Remark::Secrets),
            (".gitattributes", Remark::GitSettings),
            ("inner", Remark::NestedArchive),
            ("inner.bin", Remark::NestedArchive),
            ("inner.txt", Remark::NestedArchive),
        ]
    );
}

#[test]
fn the_content_decides_the_format_and_the_name_is_a_hint() {
    let plain = tar::tar(&[tar::skill()]);
    let mut old = tar::skill();
    old.magic = [0; 8];
    for (bytes, format) in [
        (zip::zip(vec![zip::skill()]).bytes(), ArchiveFormat::Zip),
        (gzip(&plain), ArchiveFormat::TarGz),
        (zstandard(&plain), ArchiveFormat::TarZst),
        (tar::tar(&[old]), ArchiveFormat::Tar),
        (plain, ArchiveFormat::Tar),
    ] {
        assert_eq!(
            ArchiveFormat::detect(&mut std::io::Cursor::new(&bytes)).unwrap(),
            format
        );
        assert_eq!(names(&bytes), ["SKILL.md"]);
    }
    assert_eq!(
        ArchiveFormat::of_name("a/My.SKILL"),
        Some(ArchiveFormat::Zip)
    );
    assert_eq!(ArchiveFormat::of_name("x.tgz"), Some(ArchiveFormat::TarGz));
    assert_eq!(
        ArchiveFormat::of_name("x.tar.zst"),
        Some(ArchiveFormat::TarZst)
    );
    assert_eq!(ArchiveFormat::of_name("x.md"), None);
}

#[test]
fn unix_tools_may_leave_the_mark_off_a_name_in_utf8() {
    for host in [3, 19] {
        let mut entry = zip::file("café.txt", b"x");
        (entry.flags, entry.host) = (0, host);
        let bytes = zip::zip(vec![zip::skill(), entry]).bytes();
        assert_eq!(names(&bytes), ["SKILL.md", "café.txt"]);
    }
}
