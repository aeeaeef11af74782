//! A folder that becomes a link while it is read.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{CWD, RenameFlags};
use skillyard_catalog::resource::{Resolver, ResourceError, digest};
use skillyard_format::Digest;
use skillyard_format::package::TreeDigest;

use crate::{Fixture, SECRET, read, text};

/// One thread exchanges a folder and a link to the secret, the others read through both: whatever they get is not the secret.
fn race(resolver: Resolver) {
    const SWAPS: usize = 10_000;
    let fixture = Fixture::new();
    fs::remove_dir_all(fixture.skill().join("references")).unwrap();
    fixture.write("folder/file", b"inside");
    symlink("../outside", fixture.skill().join("link")).unwrap();
    let root = fixture.root(resolver);
    let allowed = allowed_digests();
    let done = AtomicBool::new(false);
    let [good, refusals, leaks, digests] = [const { AtomicUsize::new(0) }; 4];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (one, other) = (fixture.skill().join("folder"), fixture.skill().join("link"));
            let mut swaps = 0;
            // Goes on until the race was run and a careless reader has shown that it can be lost.
            while swaps < SWAPS || leaks.load(Ordering::Relaxed) == 0 {
                rustix::fs::renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
                swaps += 1;
                assert!(swaps < 100 * SWAPS, "the careless reader never lost");
            }
            done.store(true, Ordering::Relaxed);
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    match read(&root, "folder/file") {
                        Ok(resource) => {
                            assert_eq!(text(resource), "inside");
                            good.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(ResourceError::Symlink { .. } | ResourceError::NotFolder { .. }) => {
                            refusals.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => panic!("{error:?}"),
                    }
                }
            });
        }
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                match digest(&root) {
                    Ok(digest) => assert!(allowed.contains(&digest)),
                    Err(ResourceError::Symlink { .. } | ResourceError::NotFolder { .. }) => {}
                    Err(error) => panic!("{error:?}"),
                }
                for file in root.list(None).unwrap().files {
                    assert_ne!(file.size, SECRET.len() as u64, "{}", file.path);
                }
                digests.fetch_add(1, Ordering::Relaxed);
            }
        });
        // How not to do it: look whether it is a link, then open it.
        scope.spawn(|| {
            let folder = fixture.skill().join("folder");
            while !done.load(Ordering::Relaxed) {
                if !folder.is_symlink()
                    && fs::read_to_string(folder.join("file")).unwrap() == SECRET
                {
                    leaks.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    });
    for (what, count) in [
        ("read", &good),
        ("refused", &refusals),
        ("hashed", &digests),
    ] {
        assert!(count.load(Ordering::Relaxed) > 0, "never {what}");
    }
}

/// The digests of the skill with the folder, the link or nothing under either name, as a walk may see it.
fn allowed_digests() -> Vec<Digest> {
    const ALL: [Option<bool>; 3] = [None, Some(false), Some(true)];
    let both = ALL
        .into_iter()
        .flat_map(|one| ALL.map(|other| [("folder", one), ("link", other)]));
    both.map(|names| {
        let mut tree = TreeDigest::default();
        tree.add("SKILL.md", false, Digest::of(b"---\nname: skill\n---\n"));
        for (name, is_link) in names {
            match is_link {
                Some(true) => tree.add_link(name, Digest::of(b"../outside")),
                Some(false) => tree.add(format!("{name}/file"), false, Digest::of(b"inside")),
                None => {}
            }
        }
        tree.finish()
    })
    .collect()
}

#[test]
fn a_folder_exchanged_for_a_link_gives_nothing_away() {
    race(Resolver::Best);
}

#[test]
fn a_folder_exchanged_for_a_link_gives_nothing_away_to_the_fallback() {
    race(Resolver::Walk);
}
