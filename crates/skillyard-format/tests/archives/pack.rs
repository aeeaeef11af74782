//! What is packed comes out again, to the byte and under the same digest.

use std::collections::BTreeMap;

use proptest::prelude::*;
use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackError, PackFile, PackFormat, pack};
use skillyard_format::package::{Digest, TreeDigest};

use crate::support::{SKILL, unpack};

type Files = BTreeMap<String, (Mode, Vec<u8>)>;

fn digest(files: &Files) -> Digest {
    let mut tree = TreeDigest::default();
    for (path, (mode, content)) in files {
        tree.add(path, *mode == Mode::Executable, Digest::of(content));
    }
    tree.finish()
}

fn pack_all(files: &Files, format: PackFormat) -> Result<Vec<u8>, PackError> {
    let files: Vec<_> = files
        .iter()
        .rev()
        .map(|(path, (mode, content))| PackFile {
            path,
            mode: *mode,
            content,
        })
        .collect();
    pack(&files, format, &Limits::skill())
}

fn one(path: &str) -> Files {
    let mut files = Files::from([("SKILL.md".to_owned(), (Mode::Plain, SKILL.to_vec()))]);
    files.insert(path.to_owned(), (Mode::Executable, b"x".to_vec()));
    files
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn unpacking_gives_back_what_was_packed(
        extra in prop::collection::btree_map(
            "([a-zé日]{1,40}/){0,5}[a-z0-9_-]{1,100}\\.[a-z]{2}",
            (any::<bool>(), prop::collection::vec(any::<u8>(), 0..600)),
            0..8,
        )
    ) {
        let mut files = one("run.sh");
        for (path, (executable, content)) in extra {
            let mode = if executable { Mode::Executable } else { Mode::Plain };
            files.insert(path, (mode, content));
        }
        for format in [PackFormat::TarGz, PackFormat::Zip, PackFormat::ZipStored] {
            match pack_all(&files, format) {
                Ok(bytes) => {
                    let unpacked = unpack(&bytes).unwrap();
                    prop_assert_eq!(digest(&unpacked.files), digest(&files));
                    prop_assert_eq!(&unpacked.files, &files);
                    prop_assert_eq!(bytes, pack_all(&files, format).unwrap());
                }
                // Random paths may be too long, or a file where another has a folder.
                Err(error) => prop_assert!(matches!(error, PackError::Refused(_)), "{error}"),
            }
        }
    }
}

#[test]
fn the_bytes_are_the_same_each_time() {
    let files = one("scripts/run.sh");
    let known = |format| Digest::of(&pack_all(&files, format).unwrap()).to_string();
    assert_eq!(known(PackFormat::TarGz), known(PackFormat::TarGz));
    let zip = pack_all(&files, PackFormat::Zip).unwrap();
    assert!(zip.starts_with(b"PK\x03\x04\x14\0\0\0"));
    let tar = pack_all(&files, PackFormat::TarGz).unwrap();
    assert_eq!(tar[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
}

#[test]
fn long_paths_survive_in_every_form() {
    for path in [
        "a".repeat(100),
        "b".repeat(128),
        format!("{}/{}", "c".repeat(100), "d".repeat(100)),
        format!("{}/{}", "e".repeat(120), "f".repeat(119)),
        format!("{}x", "g/".repeat(15)),
    ] {
        for format in [PackFormat::TarGz, PackFormat::Zip, PackFormat::ZipStored] {
            let files = one(&path);
            assert_eq!(
                unpack(&pack_all(&files, format).unwrap()).unwrap().files,
                files
            );
        }
    }
}

#[test]
fn what_could_not_be_unpacked_is_not_packed() {
    for path in ["../x", "/x", "a:b", "skill.md", "CON", "SKILL.md/x"] {
        let refused = pack_all(&one(path), PackFormat::Zip);
        assert!(matches!(refused, Err(PackError::Refused(_))), "{path}");
    }
    for path in [".git/config", "x.pyc", "node_modules/a.js"] {
        let left_out = pack_all(&one(path), PackFormat::TarGz);
        assert!(
            matches!(left_out, Err(PackError::LeftOut(left)) if left == path),
            "{path}"
        );
    }
    let mut bomb = one("x");
    bomb.insert("zeros".to_owned(), (Mode::Plain, vec![0; 4 << 20]));
    assert!(matches!(
        pack_all(&bomb, PackFormat::Zip),
        Err(PackError::Refused(_))
    ));
}
