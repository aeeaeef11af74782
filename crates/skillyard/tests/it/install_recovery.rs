//! Changes that another process began: journals of this version and of older ones, in every state
//! that a kill can leave, and in projects that are not what they were.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillyard_install::tree::{Tree, TreeLimits};

use crate::TestContext;
use crate::project::{everything, installed};
use crate::servers::repository::skill;

/// An update of `pdf` from `one` to `two` that was interrupted before its first step.
struct Interrupted {
    context: TestContext,
    /// The lock before and after it.
    locks: [String; 2],
    /// Where the skill is, and where the new one waits.
    place: PathBuf,
    stage: PathBuf,
}

impl Interrupted {
    fn new() -> Self {
        let context = installed();
        let before = context.read("skills.lock");
        context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
        context.done(&["update", "--yes"]);
        let after = context.read("skills.lock");
        context.write("skills.lock", &before);
        context.write(".agents/skills/pdf/SKILL.md", skill("pdf", "one"));
        let interrupted = Self {
            place: context.root().join(".agents/skills/pdf"),
            stage: context.root().join(".agents/.skillyard-7-7-0"),
            locks: [before, after],
            context,
        };
        interrupted.stage("pdf", "two");
        interrupted
    }

    /// Puts a skill into the stage.
    fn stage(&self, name: &str, version: &str) {
        let folder = self.stage.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), skill("pdf", version)).unwrap();
    }

    /// Writes the journal; `old` is where the old skill goes.
    fn journal(&self, old: &str, more: Option<Value>) {
        let moves = self.step("pdf", old).into_iter().chain(more);
        let commit = json!({
            "stages": [self.stage],
            "moves": moves.collect::<Vec<_>>(),
            "files": [[self.context.root().join("skills.lock"), self.locks[1]]],
        });
        let journal = json!({
            "guarded": self.context.root(), "progress": {"Committed": commit},
        });
        let folder = self.context.in_home(".skillyard/journal");
        fs::write(folder.join("project-x.json"), journal.to_string()).unwrap();
    }

    /// A move of the skill `two` to a place.
    fn step(&self, name: &str, old: &str) -> Option<Value> {
        let content = json!({"Folder": digest(&self.context.root().join("lib/pdf"))});
        Some(json!({
            "place": self.place.with_file_name(name),
            "new": [self.stage.join(name), content],
            "old": self.stage.join(old),
        }))
    }

    /// Lets the next command find it, and says what came of it.
    #[track_caller]
    fn ends(&self, version: &str, lock: usize) {
        self.context.done(&["list"]);
        assert_eq!(self.context.version_of("pdf").as_deref(), Some(version));
        assert_eq!(self.context.read("skills.lock"), self.locks[lock]);
        let journal = self.context.in_home(".skillyard/journal");
        assert_eq!(everything(&journal), Vec::<String>::new());
        assert!(!self.stage.exists());
        assert_eq!(self.context.code(&["sync", "--frozen", "--check"]), Some(0));
    }
}

fn digest(folder: &Path) -> String {
    let tree = Tree::read(folder, &TreeLimits::default()).unwrap();
    tree.digest().to_string()
}

#[test]
fn a_skill_may_have_the_name_that_another_one_had_for_a_while() {
    let context = installed();
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    for name in ["pdf.old", "old", "pdf.new"] {
        context.write(&format!("lib/{name}/SKILL.md"), skill(name, "other"));
    }
    context.done(&["install", "./lib", "--all"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    assert_eq!(context.version_of("pdf.old").as_deref(), Some("other"));
    assert_eq!(context.code(&["sync", "--frozen", "--check"]), Some(0));
    context.done(&["remove", "pdf", "pdf.old"]);
    assert_eq!(context.version_of("pdf"), None);
    assert_eq!(context.version_of("pdf.old"), None);
    assert_eq!(context.version_of("pdf.new").as_deref(), Some("other"));
}

#[test]
fn a_name_may_be_as_long_as_a_file_system_allows() {
    let context = installed();
    let name = "x".repeat(253);
    let file = format!("lib/{name}/SKILL.md");
    context.write(&file, skill(&name, "one"));
    context.done(&["install", &format!("./lib/{name}")]);
    context.write(&file, skill(&name, "two"));
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of(&name).as_deref(), Some("two"));
    context.done(&["remove", &name]);
    assert_eq!(context.version_of(&name), None);
}

#[test]
fn a_journal_is_finished_whichever_step_was_the_last() {
    for old in ["pdf.old", ".old/pdf"] {
        let nothing = Interrupted::new();
        nothing.journal(old, None);
        nothing.ends("two", 1);

        let exchanged = Interrupted::new();
        exchanged.journal(old, None);
        exchanged.stage("pdf", "one");
        fs::write(exchanged.place.join("SKILL.md"), skill("pdf", "two")).unwrap();
        exchanged.ends("two", 1);

        // The old one was put aside, as older versions did, or where nothing can be exchanged.
        let aside = Interrupted::new();
        aside.journal(old, None);
        fs::rename(aside.stage.join("pdf"), aside.stage.join("new")).unwrap();
        aside.stage(old, "one");
        fs::rename(&aside.place, aside.stage.join("gone")).unwrap();
        fs::rename(aside.stage.join("new"), &aside.place).unwrap();
        aside.ends("two", 1);

        let between = Interrupted::new();
        between.journal(old, None);
        between.stage(old, "one");
        fs::remove_dir_all(&between.place).unwrap();
        between.ends("two", 1);
    }
}

#[test]
fn a_journal_of_an_older_version_in_which_two_names_met_is_finished() {
    // `pdf` was exchanged, and could not be put where the new `pdf.old` waits.
    let met = Interrupted::new();
    met.journal("pdf.old", met.step("pdf.old", "pdf.old.old"));
    met.stage("pdf", "one");
    fs::write(met.place.join("SKILL.md"), skill("pdf", "two")).unwrap();
    met.stage("pdf.old", "two");
    met.context.done(&["list"]);
    assert_eq!(met.context.version_of("pdf").as_deref(), Some("two"));
    assert_eq!(met.context.version_of("pdf.old").as_deref(), Some("two"));
    assert_eq!(met.context.read("skills.lock"), met.locks[1]);
    assert!(!met.stage.exists());
}
