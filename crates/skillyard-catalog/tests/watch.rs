//! Watching skills: each test changes files and waits for what is told, never for a time.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use skillyard_catalog::watch::{
    ChangeKind, PollingReason, SkillChange, WatchMode, WatchOptions, Watcher,
};
use tempfile::TempDir;

/// Longer than anything here takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A folder of skills and a watcher.
struct Fixture {
    folder: TempDir,
    watcher: Watcher,
    marks: u32,
}

impl Fixture {
    /// A root `skills` with the skills `a` and `b`, and what `prepare` adds before watching starts.
    fn new(options: WatchOptions, prepare: impl FnOnce(&Path)) -> Self {
        Self::with_roots(&["skills"], options, prepare)
    }

    fn with_roots(roots: &[&str], options: WatchOptions, prepare: impl FnOnce(&Path)) -> Self {
        let folder = TempDir::new().unwrap();
        for skill in ["skills/a", "skills/b", "zz/mark"] {
            write(&folder.path().join(skill).join("SKILL.md"), "first");
        }
        write(&folder.path().join("skills/a/references/guide.md"), "first");
        prepare(folder.path());
        let mut roots: Vec<_> = roots.iter().map(|root| folder.path().join(root)).collect();
        roots.push(folder.path().join("zz"));
        let watcher = Watcher::new(&roots, options).unwrap();
        Self {
            folder,
            watcher,
            marks: 0,
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, content: &str) {
        write(&self.path(path), content);
    }

    /// Everything that is told up to a change made now, as `path` or `-path`.
    ///
    /// The skill that is changed for it sorts last among those noticed at the same time.
    fn told(&mut self) -> Vec<String> {
        self.marks += 1;
        self.write("zz/mark/SKILL.md", &"x".repeat(self.marks as usize));
        let mut told = Vec::new();
        loop {
            let change = self.watcher.changes().recv_timeout(TIMEOUT).unwrap();
            let change = self.name(&change);
            if change == "zz/mark" {
                return told;
            }
            told.push(change);
        }
    }

    /// The next change.
    fn next(&self) -> String {
        self.name(&self.watcher.changes().recv_timeout(TIMEOUT).unwrap())
    }

    /// Waits until all of `expected` were told, whatever else is.
    fn wait_for(&self, expected: &[&str]) {
        let mut missing: BTreeSet<&str> = expected.iter().copied().collect();
        while !missing.is_empty() {
            let next = self.next();
            missing.remove(next.as_str());
        }
    }

    fn name(&self, change: &SkillChange) -> String {
        let path = change.skill_dir.strip_prefix(self.folder.path()).unwrap();
        match change.kind {
            ChangeKind::Changed => path.display().to_string(),
            ChangeKind::Removed => format!("-{}", path.display()),
        }
    }
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn watched() -> Fixture {
    Fixture::new(WatchOptions::default(), |_| {})
}

#[test]
fn an_edit_is_told_for_its_skill_only() {
    let mut fixture = watched();
    assert_eq!(fixture.watcher.mode(), WatchMode::Events);
    fixture.write("skills/a/SKILL.md", "second");
    assert_eq!(fixture.told(), ["skills/a"]);
    fixture.write("skills/a/references/guide.md", "second");
    assert_eq!(fixture.told(), ["skills/a"]);
    let script = fixture.path("skills/b/SKILL.md");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(fixture.told(), ["skills/b"]);
    fixture.write("skills/README.md", "in no skill");
    assert_eq!(fixture.told(), [""; 0]);
}

#[test]
fn reading_is_no_change() {
    let mut fixture = watched();
    fs::read(fixture.path("skills/a/SKILL.md")).unwrap();
    fs::read_dir(fixture.path("skills/a"))
        .unwrap()
        .for_each(drop);
    assert_eq!(fixture.told(), [""; 0]);
}

#[test]
fn writing_through_a_second_file_is_one_change() {
    let mut fixture = watched();
    fixture.write("skills/a/.SKILL.md.tmp", "second");
    fs::rename(
        fixture.path("skills/a/SKILL.md"),
        fixture.path("skills/a/SKILL.md~"),
    )
    .unwrap();
    fs::rename(
        fixture.path("skills/a/.SKILL.md.tmp"),
        fixture.path("skills/a/SKILL.md"),
    )
    .unwrap();
    fs::remove_file(fixture.path("skills/a/SKILL.md~")).unwrap();
    assert_eq!(fixture.told(), ["skills/a"]);
}

#[test]
fn skills_come_and_go() {
    let mut fixture = watched();
    fixture.write("skills/team/new/SKILL.md", "first");
    fixture.wait_for(&["skills/team/new"]);
    fixture.write("skills/team/new/scripts/deep/run.sh", "first");
    fixture.wait_for(&["skills/team/new"]);
    fixture.write("skills/team/new/scripts/deep/run.sh", "second");
    assert_eq!(fixture.told(), ["skills/team/new"]);
    fs::rename(fixture.path("skills/team"), fixture.path("skills/group")).unwrap();
    assert_eq!(fixture.told(), ["skills/group/new", "-skills/team/new"]);
    fixture.write("skills/group/new/scripts/deep/run.sh", "third");
    assert_eq!(fixture.told(), ["skills/group/new"]);
    fs::remove_dir_all(fixture.path("skills/group")).unwrap();
    fixture.wait_for(&["-skills/group/new"]);
    fs::remove_file(fixture.path("skills/a/SKILL.md")).unwrap();
    assert_eq!(fixture.told(), ["-skills/a"]);
    fixture.write("skills/a/SKILL.md", "again");
    assert_eq!(fixture.told(), ["skills/a"]);
}

#[test]
fn a_skill_moved_in_from_elsewhere_is_watched() {
    let mut fixture = Fixture::new(WatchOptions::default(), |folder| {
        write(&folder.join("elsewhere/c/SKILL.md"), "first");
        write(&folder.join("elsewhere/c/references/guide.md"), "first");
    });
    fs::rename(fixture.path("elsewhere/c"), fixture.path("skills/c")).unwrap();
    assert_eq!(fixture.told(), ["skills/c"]);
    fixture.write("skills/c/references/guide.md", "second");
    assert_eq!(fixture.told(), ["skills/c"]);
    fs::rename(fixture.path("skills/c"), fixture.path("elsewhere/c")).unwrap();
    assert_eq!(fixture.told(), ["-skills/c"]);
    fixture.write("elsewhere/c/references/guide.md", "third");
    assert_eq!(fixture.told(), [""; 0]);
}

#[test]
fn a_skill_removed_and_made_again_is_watched() {
    let mut fixture = watched();
    for round in 0..3 {
        fs::remove_dir_all(fixture.path("skills/a")).unwrap();
        fixture.write("skills/a/SKILL.md", "made again");
        fixture.write("skills/a/references/guide.md", "made again");
        fixture.wait_for(&["skills/a"]);
        fixture.told();
        fixture.write("skills/a/references/guide.md", &format!("edited {round}"));
        assert_eq!(fixture.told(), ["skills/a"], "round {round}");
    }
}

#[test]
fn what_is_nested_in_a_skill_belongs_to_it() {
    let mut fixture = Fixture::new(WatchOptions::default(), |folder| {
        write(&folder.join("skills/a/examples/inner/SKILL.md"), "first");
    });
    fixture.write("skills/a/examples/inner/SKILL.md", "second");
    assert_eq!(fixture.told(), ["skills/a"]);
    fs::remove_file(fixture.path("skills/a/SKILL.md")).unwrap();
    assert_eq!(fixture.told(), ["-skills/a", "skills/a/examples/inner"]);
}

#[test]
fn a_root_may_be_a_skill() {
    let mut fixture = Fixture::with_roots(&["skills/a"], WatchOptions::default(), |_| {});
    fixture.write("skills/a/references/guide.md", "second");
    fixture.write("skills/b/SKILL.md", "not below a root");
    assert_eq!(fixture.told(), ["skills/a"]);
}

#[test]
fn folders_of_tools_are_not_watched() {
    let mut fixture = watched();
    for folder in [".git", "node_modules/x", "target/debug"] {
        fixture.write(&format!("skills/{folder}/c/SKILL.md"), "first");
        fixture.write(&format!("skills/a/{folder}/file"), "first");
    }
    assert_eq!(fixture.told(), [""; 0]);
}

#[test]
fn a_root_is_noticed_when_it_appears() {
    let mut fixture =
        Fixture::with_roots(&["home/.agents/skills"], WatchOptions::default(), |_| {});
    fixture.write("home/.agents/skills/c/SKILL.md", "first");
    fixture.wait_for(&["home/.agents/skills/c"]);
    fixture.write("home/.agents/skills/c/SKILL.md", "second");
    assert_eq!(fixture.told(), ["home/.agents/skills/c"]);
}

#[test]
fn a_root_survives_removal_and_moves_above_it() {
    let mut fixture = Fixture::with_roots(
        &["home/.agents/skills"],
        WatchOptions::default(),
        |folder| {
            write(&folder.join("home/.agents/skills/c/SKILL.md"), "first");
        },
    );
    fs::remove_dir_all(fixture.path("home/.agents")).unwrap();
    assert_eq!(fixture.next(), "-home/.agents/skills/c");
    fixture.write("home/.agents/skills/c/SKILL.md", "first");
    fixture.wait_for(&["home/.agents/skills/c"]);
    fs::rename(fixture.path("home"), fixture.path("moved")).unwrap();
    assert_eq!(fixture.next(), "-home/.agents/skills/c");
    fs::rename(fixture.path("moved"), fixture.path("home")).unwrap();
    assert_eq!(fixture.next(), "home/.agents/skills/c");
    fixture.write("home/.agents/skills/c/SKILL.md", "third");
    assert_eq!(fixture.told(), ["home/.agents/skills/c"]);
}

#[test]
fn a_skill_linked_into_two_roots_is_told_for_both() {
    let mut fixture =
        Fixture::with_roots(&["skills", "linked"], WatchOptions::default(), |folder| {
            fs::create_dir(folder.join("linked")).unwrap();
            symlink("../skills/a", folder.join("linked/a")).unwrap();
            // Leads back to itself, and to a folder that is neither a skill nor allowed.
            symlink("..", folder.join("linked/back")).unwrap();
            symlink(".", folder.join("linked/self")).unwrap();
        });
    assert_eq!(fixture.watcher.state().folders, 9);
    fixture.write("skills/a/references/guide.md", "second");
    assert_eq!(fixture.told(), ["linked/a", "skills/a"]);
    fs::remove_file(fixture.path("linked/a")).unwrap();
    assert_eq!(fixture.told(), ["-linked/a"]);
    fixture.write("skills/a/references/guide.md", "third");
    assert_eq!(fixture.told(), ["skills/a"]);
}

#[test]
fn a_linked_collection_is_followed_where_it_is_allowed() {
    let folder = TempDir::new().unwrap();
    write(&folder.path().join("collection/c/SKILL.md"), "first");
    let options = WatchOptions {
        allowed: vec![folder.path().to_owned()],
        ..WatchOptions::default()
    };
    let mut fixture = Fixture::new(options, |skills| {
        symlink(folder.path().join("collection"), skills.join("skills/team")).unwrap();
    });
    write(&folder.path().join("collection/c/SKILL.md"), "second");
    assert_eq!(fixture.told(), ["skills/team/c"]);
}

#[test]
fn too_many_folders_are_polled() {
    let options = WatchOptions {
        max_folders: 20,
        ..WatchOptions::default()
    };
    let fixture = Fixture::new(options.clone(), |folder| {
        for number in 0..30 {
            write(
                &folder.join(format!("skills/s{number:02}/SKILL.md")),
                "first",
            );
        }
    });
    let polling = WatchMode::Polling(PollingReason::TooManyFolders);
    assert_eq!(fixture.watcher.mode(), polling);
    fixture.write("skills/s07/SKILL.md", "second");
    assert_eq!(fixture.next(), "skills/s07");
    fixture.write("skills/s07/references/guide.md", "first");
    fs::remove_dir_all(fixture.path("skills/s08")).unwrap();
    fixture.wait_for(&["-skills/s08"]);
    fs::remove_dir_all(fixture.path("skills")).unwrap();
    fixture.wait_for(&["-skills/s07", "-skills/s29"]);
    fixture.write("skills/a/SKILL.md", "again");
    fixture.wait_for(&["skills/a"]);

    let fixture = Fixture::new(options, |_| {});
    assert_eq!(fixture.watcher.mode(), WatchMode::Events);
    for number in 0..30 {
        fixture.write(&format!("skills/s{number:02}/SKILL.md"), "first");
    }
    let names: Vec<_> = (0..30)
        .map(|number| format!("skills/s{number:02}"))
        .collect();
    fixture.wait_for(&names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(fixture.watcher.mode(), polling);
    assert_eq!(fixture.watcher.state().left_out, 0);
}

#[test]
fn folders_beyond_the_bound_are_counted() {
    let options = WatchOptions {
        max_folders: 2,
        ..WatchOptions::default()
    };
    let fixture = Fixture::with_roots(&[], options, |folder| {
        for number in 0..30 {
            write(&folder.join(format!("zz/{number:02}/file")), "");
        }
    });
    let state = fixture.watcher.state();
    assert_eq!((state.folders, state.left_out), (20, 12));
}

#[test]
fn a_skill_that_never_rests_is_told_meanwhile() {
    let fixture = watched();
    let done = AtomicBool::new(false);
    let log = fixture.path("skills/a/log");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rounds = 0_u64;
            while !done.load(Ordering::Relaxed) {
                rounds += 1;
                write(&log, &rounds.to_string());
            }
        });
        let first = fixture.watcher.changes().recv_timeout(TIMEOUT);
        done.store(true, Ordering::Relaxed);
        assert_eq!(fixture.name(&first.unwrap()), "skills/a");
    });
}

#[test]
fn dropping_the_handle_ends_the_changes() {
    let (changes, handle) = watched().watcher.into_parts();
    assert_eq!(handle.state().mode, WatchMode::Events);
    drop(handle);
    assert!(changes.recv().is_err());
}
