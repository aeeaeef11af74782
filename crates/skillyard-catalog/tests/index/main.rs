//! The index: whatever happened since, a warm start tells what a cold one does.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any_history;
mod damage;
#[path = "../support/tree.rs"]
mod tree;

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};
use skillyard_catalog::{Catalog, CatalogSettings, IndexUse};
use tree::{Tree, skill, told};

/// Skills of every kind, changed long ago.
fn old_tree() -> Tree {
    let tree = Tree::new();
    tree.skill("work/.skills/pdf", "Fills forms.")
        .skill("work/.skills/group/csv", "Reads tables.")
        .skill("home/.agents/skills/pdf", "Another one.")
        .write("home/.agents/skills/lower/skill.md", skill("lower", "x"))
        .write("home/.agents/skills/bad/SKILL.md", "no frontmatter")
        .write("home/.agents/skills/.gitignore", "draft-a\n")
        .skill("home/.agents/skills/draft-a", "x")
        .skill("home/.agents/skills/draft-b", "x")
        .skill("home/dotfiles/linked", "x")
        .write("home/dotfiles/shared.md", skill("shared", "x"))
        .write("elsewhere/SKILL.md", skill("secret", "x"))
        .mkdir("home/.agents/skills/shared")
        .mkdir("home/.agents/skills/gone")
        .mkdir("home/.agents/skills/odd/SKILL.md")
        .link(
            "../../../dotfiles/shared.md",
            "home/.agents/skills/shared/SKILL.md",
        )
        .link("nothing", "home/.agents/skills/gone/SKILL.md")
        .link("../../dotfiles/linked", "home/.agents/skills/linked")
        .link("../../later", "home/.agents/skills/later")
        .age();
    tree
}

/// Compares a warm start with a cold one, and tells how the warm one went.
#[track_caller]
fn same(tree: &Tree) -> IndexUse {
    let warm = tree.load_indexed();
    let cold = tree.load();
    assert_eq!(told(&warm), told(&cold));
    warm.index_use
}

/// Changes something after the index was made, and compares.
#[track_caller]
fn check(change: impl FnOnce(&Tree)) -> IndexUse {
    let tree = old_tree();
    same(&tree);
    let used = same(&tree);
    assert_eq!((used.walked, used.reread), (0, 0), "nothing changed yet");
    change(&tree);
    let used = same(&tree);
    same(&tree);
    used
}

/// Writes other bytes of the same length, and gives the file its old time and size back.
fn edit_in_secret(path: &Path, bytes: &[u8]) {
    let before = path.metadata().unwrap();
    assert_eq!(before.len(), bytes.len() as u64);
    fs::write(path, bytes).unwrap();
    let time = Timespec {
        tv_sec: before.mtime(),
        tv_nsec: before.mtime_nsec(),
    };
    let times = Timestamps {
        last_access: time,
        last_modification: time,
    };
    rustix::fs::utimensat(CWD, path, &times, AtFlags::empty()).unwrap();
}

#[test]
fn nothing_changed() {
    let used = check(|_| {});
    assert_eq!((used.walked, used.reread), (0, 0));
    assert!(used.fresh > 10);
}

#[test]
fn one_file_changed() {
    let used = check(|tree| {
        tree.skill("work/.skills/pdf", "Fills forms!");
    });
    // Only the one file is read again.
    assert_eq!((used.walked, used.reread), (0, 1));
}

#[test]
fn a_file_changed_and_nobody_can_tell_by_its_time() {
    let used = check(|tree| {
        let path = tree.path("work/.skills/pdf/SKILL.md");
        edit_in_secret(&path, skill("pdf", "Fills FORMS.").as_bytes());
    });
    assert_eq!((used.walked, used.reread), (0, 1));
}

#[test]
fn a_file_became_good_or_bad() {
    check(|tree| {
        tree.skill("home/.agents/skills/bad", "Good now.");
    });
    check(|tree| {
        tree.write("work/.skills/pdf/SKILL.md", "bad now");
    });
    check(|tree| {
        tree.remove("work/.skills/pdf/SKILL.md")
            .mkdir("work/.skills/pdf/SKILL.md");
    });
}

#[test]
fn a_file_that_became_good_loses_to_those_that_come_before_it() {
    let tree = Tree::new();
    tree.write("work/.skills/a/SKILL.md", skill("twice", "The first."))
        .write("work/.skills/b/SKILL.md", "no frontmatter")
        .age();
    same(&tree);
    tree.write("work/.skills/b/SKILL.md", skill("twice", "The second."))
        .age();
    assert_eq!(same(&tree).reread, 1);
    let used = same(&tree);
    assert_eq!((used.walked, used.reread), (0, 0));
}

#[test]
fn skills_came_and_went() {
    check(|tree| {
        tree.skill("work/.skills/new", "x");
    });
    check(|tree| {
        tree.skill("work/.skills/group/new", "x");
    });
    check(|tree| {
        tree.remove("work/.skills/pdf");
    });
    check(|tree| {
        tree.remove("work/.skills/pdf/SKILL.md");
    });
    check(|tree| {
        tree.remove("work/.skills");
    });
    check(|tree| {
        fs::rename(tree.path("work/.skills/pdf"), tree.path("work/.skills/pdg")).unwrap();
    });
    check(|tree| {
        let path = |name: &str| tree.path("home/.agents/skills/lower").join(name);
        fs::rename(path("skill.md"), path("SKILL.md")).unwrap();
    });
}

#[test]
fn a_source_appeared() {
    check(|tree| {
        tree.skill("home/.claude/skills/new", "x");
    });
    // Links may lead into every source, so a new one can allow what was passed over.
    check(|tree| {
        tree.mkdir("extra");
        tree.link(tree.path("home/.claude/skills/new"), "work/.skills/new");
        tree.age();
        same(tree);
        tree.skill("home/.claude/skills/new", "x");
    });
    check(|tree| {
        tree.skill("home/.claude/skills", "itself");
    });
}

#[test]
fn the_repository_got_another_root() {
    check(|tree| {
        tree.mkdir(".git").skill(".skills/above", "x");
    });
}

#[test]
fn the_list_of_ignored_folders_changed() {
    check(|tree| {
        // Written in place, so that no folder's time tells of it.
        tree.write("home/.agents/skills/.gitignore", "draft-b\n");
    });
    check(|tree| {
        tree.remove("home/.agents/skills/.gitignore");
    });
    check(|tree| {
        tree.write("work/.skills/.ignore", "group\n");
    });
}

#[test]
fn what_was_passed_over_was_mended() {
    check(|tree| {
        tree.remove("home/.agents/skills/odd/SKILL.md")
            .skill("home/.agents/skills/odd", "x");
    });
    check(|tree| {
        tree.remove("home/.agents/skills/gone/SKILL.md")
            .skill("home/.agents/skills/gone", "x");
    });
    check(|tree| {
        tree.skill("home/later", "It came later.");
    });
    check(|tree| {
        tree.write("home/.agents/skills/gone/nothing", skill("gone", "x"));
    });
}

#[test]
fn a_folder_over_the_limit_became_a_skill() {
    let tree = Tree::new();
    for folder in ["a", "b", "c"] {
        tree.mkdir(&format!("work/.skills/{folder}"));
    }
    tree.age();
    let load = |index_folder| {
        let mut settings = tree.settings();
        settings.limits.folders = 2;
        Catalog::load(&CatalogSettings {
            index_folder,
            ..settings
        })
    };
    let index = || Some(tree.path("index"));
    assert_eq!(told(&load(index())), told(&load(None)));
    tree.skill("work/.skills/c", "x");
    let warm = load(index());
    assert_eq!(told(&warm), told(&load(None)));
    assert!(warm.find("c").is_some());
}

/// A link to nothing starts to lead in a circle: no folder that was listed changes.
#[test]
fn a_link_to_nothing_becomes_a_circle() {
    let tree = Tree::new();
    tree.skill("work/.skills/a", "x")
        .link("a/c", "work/.skills/c")
        .age();
    tree.load_indexed();
    assert!(told(&tree.load()).contains("a symbolic link to nothing"));
    tree.link("../c", "work/.skills/a/c");
    same(&tree);
    assert!(told(&tree.load()).contains("leads in a circle"));
}

#[test]
fn a_link_leads_elsewhere() {
    let secret = |tree: &Tree| assert!(tree.load_indexed().find("secret").is_none());
    check(|tree| {
        tree.write("home/dotfiles/shared.md", skill("shared", "changed"));
    });
    check(|tree| {
        tree.remove("home/.agents/skills/shared/SKILL.md").link(
            tree.path("elsewhere/SKILL.md"),
            "home/.agents/skills/shared/SKILL.md",
        );
        secret(tree);
    });
    check(|tree| {
        tree.remove("home/.agents/skills/linked")
            .link(tree.path("elsewhere"), "home/.agents/skills/linked");
        secret(tree);
    });
    check(|tree| {
        tree.remove("home/dotfiles/linked")
            .link(tree.path("elsewhere"), "home/dotfiles/linked");
        secret(tree);
    });
    check(|tree| {
        tree.remove("work/.skills/pdf/SKILL.md")
            .link(tree.path("elsewhere/SKILL.md"), "work/.skills/pdf/SKILL.md");
        secret(tree);
    });
}

#[test]
fn permissions_changed() {
    check(|tree| {
        let path = tree.path("work/.skills/pdf/SKILL.md");
        fs::set_permissions(path, fs::Permissions::from_mode(0o200)).unwrap();
    });
    check(|tree| {
        let path = tree.path("work/.skills/group");
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    });
}

#[test]
fn a_change_in_the_moment_of_the_walk_is_seen() {
    let tree = Tree::new();
    tree.skill("work/.skills/pdf", "first!");
    for text in ["second", "third!", "fourth"] {
        same(&tree);
        tree.skill("work/.skills/pdf", text);
        same(&tree);
    }
}

#[test]
fn a_root_with_a_slash_at_its_end_is_indexed_too() {
    let tree = Tree::new();
    tree.skill("extra/pdf", "x").skill("extra/csv", "x").age();
    let load = || {
        let mut settings = tree.settings();
        settings.surroundings.extra =
            vec![PathBuf::from(format!("{}/", tree.path("extra").display()))];
        settings.index_folder = Some(tree.path("index"));
        Catalog::load(&settings)
    };
    let cold = load();
    let warm = load();
    assert_eq!(told(&warm), told(&cold));
    assert_eq!((warm.index_use.walked, warm.index_use.reread), (0, 0));
}

#[test]
fn each_set_of_sources_and_limits_has_its_own_index() {
    let tree = old_tree();
    let load = |depth, current: &str| {
        let mut settings = tree.settings();
        settings.limits.depth = depth;
        settings.surroundings.current = tree.path(current);
        settings.index_folder = Some(tree.path("index"));
        let warm = Catalog::load(&settings);
        settings.index_folder = None;
        assert_eq!(told(&warm), told(&Catalog::load(&settings)));
    };
    for _ in 0..2 {
        load(6, "work");
        load(1, "work");
        load(6, "home");
    }
    assert_eq!(fs::read_dir(tree.path("index")).unwrap().count(), 3);
}

#[test]
fn many_load_and_write_at_once() {
    let tree = old_tree();
    let cold = told(&tree.load());
    for round in 0..5 {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(told(&tree.load_indexed()), cold));
            }
        });
        // Some rounds start from nothing.
        if round < 3 {
            tree.remove("index");
        }
    }
    let left = fs::read_dir(tree.path("index")).unwrap().count();
    assert_eq!(left, 1, "no temporary file stays behind");
    assert_eq!(same(&tree).walked, 0);
}
