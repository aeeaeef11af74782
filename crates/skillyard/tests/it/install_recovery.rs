//! Changes that another process began: journals of this version and of older ones, in every state
//! that a kill can leave, and in projects that are not what they were.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};
use skillyard_install::tree::{Tree, TreeLimits};

use crate::project::{everything, installed, project};
use crate::servers::repository::skill;
use crate::{TestContext, output, text};

/// An update of `pdf` from `one` to `two` that was interrupted before its first step.
pub(crate) struct Interrupted {
    pub(crate) context: TestContext,
    /// The lock before and after it.
    pub(crate) locks: [String; 2],
    /// Where the skill is, and where the new one waits.
    pub(crate) place: PathBuf,
    pub(crate) stage: PathBuf,
}

impl Interrupted {
    pub(crate) fn new() -> Self {
        let context = installed();
        let before = context.read("skills.lock");
        context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
        context.done(&["update", "--yes"]);
        let after = context.read("skills.lock");
        context.write("skills.lock", &before);
        context.write(".agents/skills/pdf/SKILL.md", skill("pdf", "one"));
        // Then the lock is believed.
        fs::remove_dir_all(context.in_home(".skillyard/placed")).unwrap();
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
    pub(crate) fn stage(&self, name: &str, version: &str) {
        let folder = self.stage.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), skill("pdf", version)).unwrap();
    }

    /// Writes the journal; `old` is where the old skill goes.
    fn journal(&self, old: &str, more: Option<Value>) {
        let moves = [self.step("pdf", old)].into_iter().chain(more);
        self.write_journal(&moves.collect::<Vec<_>>(), "");
    }

    pub(crate) fn write_journal(&self, moves: &[Value], note: &str) {
        self.write_journal_of(moves, note, &[]);
    }

    /// The same by a version that says what the lock was before.
    fn write_journal_of(&self, moves: &[Value], note: &str, before: &[&str]) {
        let commit = json!({
            "stages": [self.stage],
            "moves": moves,
            "files": [[self.context.root().join("skills.lock"), self.locks[1]]],
            "before": before,
            "note": note,
        });
        let journal = json!({
            "guarded": self.context.root(), "progress": {"Committed": commit},
        });
        let folder = self.context.in_home(".skillyard/journal");
        fs::write(folder.join("project-x.json"), journal.to_string()).unwrap();
    }

    /// A move of the skill `two` to a place.
    pub(crate) fn step(&self, name: &str, old: &str) -> Value {
        let content = json!({"Folder": digest(&self.context.root().join("lib/pdf"))});
        json!({
            "place": self.place.with_file_name(name),
            "new": [self.stage.join(name), content],
            "old": self.stage.join(old),
        })
    }

    /// Lets the next command find it, and says what came of it.
    #[track_caller]
    pub(crate) fn ends(&self, version: &str, lock: usize) {
        self.context.done(&["list"]);
        assert_eq!(self.context.version_of("pdf").as_deref(), Some(version));
        assert_eq!(self.context.read("skills.lock"), self.locks[lock]);
        let journal = self.context.in_home(".skillyard/journal");
        assert_eq!(everything(&journal), Vec::<String>::new());
        assert!(!self.stage.exists());
        assert_eq!(self.context.code(&["sync", "--frozen", "--check"]), Some(0));
    }
}

/// The digest of a skill in a folder.
pub(crate) fn digest(folder: &Path) -> String {
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
fn what_somebody_wrote_since_is_not_overwritten() {
    let foreign = "# mine\nversion = 1\n";
    let begun = Interrupted::new();
    begun.write_journal_of(&[begun.step("pdf", ".old/pdf")], "", &[&begun.locks[0]]);
    begun.stage("pdf", "one");
    fs::write(begun.place.join("SKILL.md"), skill("pdf", "two")).unwrap();
    begun.context.write("skills.lock", foreign);
    begun.context.done(&["list"]);
    assert_eq!(begun.context.read("skills.lock"), foreign);
    assert_eq!(begun.context.version_of("pdf").as_deref(), Some("one"));
    assert!(!begun.stage.exists());

    // Everything but the end of the journal had happened.
    let ended = Interrupted::new();
    ended.write_journal_of(&[ended.step("pdf", ".old/pdf")], "", &[&ended.locks[0]]);
    fs::remove_dir_all(&ended.stage).unwrap();
    fs::write(ended.place.join("SKILL.md"), skill("pdf", "two")).unwrap();
    ended.context.write("skills.lock", foreign);
    ended.context.done(&["list"]);
    assert_eq!(ended.context.read("skills.lock"), foreign);
    assert_eq!(ended.context.version_of("pdf").as_deref(), Some("two"));
}

#[test]
fn a_journal_of_an_older_version_in_which_two_names_met_is_finished() {
    // `pdf` was exchanged, and could not be put where the new `pdf.old` waits.
    let met = Interrupted::new();
    met.journal("pdf.old", Some(met.step("pdf.old", "pdf.old.old")));
    met.stage("pdf", "one");
    fs::write(met.place.join("SKILL.md"), skill("pdf", "two")).unwrap();
    met.stage("pdf.old", "two");
    met.context.done(&["list"]);
    assert_eq!(met.context.version_of("pdf").as_deref(), Some("two"));
    assert_eq!(met.context.version_of("pdf.old").as_deref(), Some("two"));
    assert_eq!(met.context.read("skills.lock"), met.locks[1]);
    assert!(!met.stage.exists());
}

#[test]
fn a_change_whose_new_skills_are_gone_does_not_happen() {
    // Somebody cleaned the project of all that git does not know.
    let cleaned = Interrupted::new();
    cleaned.journal(".old/pdf", None);
    fs::remove_dir_all(&cleaned.stage).unwrap();
    cleaned.ends("one", 0);

    // One of two was exchanged, the other one is gone.
    let halved = Interrupted::new();
    halved.journal(".old/pdf", Some(halved.step("csv", ".old/csv")));
    halved.stage("pdf", "one");
    fs::write(halved.place.join("SKILL.md"), skill("pdf", "two")).unwrap();
    halved.ends("one", 0);
    assert_eq!(halved.context.version_of("csv"), None);

    // The same with a journal of an older version, which put the old one aside.
    let aside = Interrupted::new();
    aside.journal("pdf.old", Some(aside.step("csv", "csv.old")));
    fs::remove_dir_all(aside.stage.join("pdf")).unwrap();
    aside.stage("pdf.old", "one");
    fs::write(aside.place.join("SKILL.md"), skill("pdf", "two")).unwrap();
    aside.ends("one", 0);

    // One of two took an empty place.
    let first = Interrupted::new();
    first.journal(".old/pdf", Some(first.step("csv", ".old/csv")));
    fs::remove_dir_all(first.stage.join("pdf")).unwrap();
    fs::write(first.place.join("SKILL.md"), skill("pdf", "two")).unwrap();
    fs::create_dir_all(&first.stage).unwrap();
    first.context.done(&["list"]);
    assert_eq!(first.context.version_of("pdf"), None);
    assert_eq!(first.context.read("skills.lock"), first.locks[0]);
    assert!(!first.stage.exists());
}

#[test]
fn a_folder_without_a_byte_stays_where_the_change_did_not_reach_it() {
    let stopped = Interrupted::new();
    // The first step cannot be done, and nothing of the second has happened.
    let mut first = stopped.step("pdf", ".old/pdf");
    first["place"] = json!(stopped.context.root().join("gone/pdf"));
    stopped.write_journal(&[first, stopped.step("csv", ".old/csv")], "");
    stopped.stage("csv", "two");
    stopped
        .context
        .write(".agents/skills/csv/notes/.gitkeep", "");
    stopped.context.done(&["list"]);
    let skills = everything(&stopped.context.root().join(".agents"));
    let left = [
        "skills",
        "skills/csv",
        "skills/csv/notes",
        "skills/csv/notes/.gitkeep",
        "skills/pdf",
        "skills/pdf/SKILL.md",
    ];
    assert_eq!(skills, left);
    assert_eq!(stopped.context.version_of("pdf").as_deref(), Some("one"));
    assert_eq!(stopped.context.read("skills.lock"), stopped.locks[0]);
    let journal = stopped.context.in_home(".skillyard/journal");
    assert_eq!(everything(&journal), Vec::<String>::new());
}

#[test]
fn no_journal_of_a_finished_change_stays() {
    let context = installed();
    let folder = context.in_home(".skillyard/journal");
    assert_eq!(everything(&folder), Vec::<String>::new());
    context.done(&["install", "./lib", "--all", "--yes", "--force"]);
    assert_eq!(everything(&folder), Vec::<String>::new());
}

#[test]
fn a_skill_that_lost_bytes_in_a_power_cut_is_reported_and_restored_by_force() {
    let context = installed();
    let whole = skill("pdf", "one");
    let half = &whole[..whole.len() / 2];
    for left in ["", half, &format!("{half}\0\0")] {
        context.write(".agents/skills/pdf/SKILL.md", left);
        let list = context.done(&["list"]);
        assert!(list.contains("altered") || !list.contains("pdf"), "{list}");
        let refused = context.refused(&["sync"]);
        assert!(refused.contains("SKILL.md"), "{refused}");
        context.done(&["sync", "--force"]);
        assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
        assert_eq!(context.code(&["sync", "--frozen", "--check"]), Some(0));
    }
}

#[test]
fn who_cuts_off_empties_or_disables_a_file_of_a_skill_keeps_that() {
    for files in [1, 60] {
        let context = project();
        context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
        for number in 0..files {
            context.write(&format!("lib/pdf/scripts/{number}.sh"), "echo\n");
        }
        let runnable = context.root().join("lib/pdf/scripts/0.sh");
        fs::set_permissions(runnable, fs::Permissions::from_mode(0o755)).unwrap();
        context.done(&["install", "./lib/pdf"]);
        let file = context.root().join(".agents/skills/pdf/SKILL.md");
        let script = context.root().join(".agents/skills/pdf/scripts/0.sh");
        let whole = fs::read(&file).unwrap();
        let kept = |what: &str| {
            for command in [&["sync"][..], &["update", "--yes"], &["remove", "pdf"]] {
                let told = context.refused(command);
                assert!(told.contains("was edited"), "{files} {what}: {told}");
            }
        };
        for left in [&whole[..whole.len() / 2], b""] {
            fs::write(&file, left).unwrap();
            kept("cut off");
            // As editors do it, and with the time that the file had.
            let other = file.with_file_name("other");
            fs::write(&other, left).unwrap();
            let opened = fs::File::options().write(true).open(&other).unwrap();
            opened.set_modified(UNIX_EPOCH).unwrap();
            fs::rename(&other, &file).unwrap();
            kept("replaced");
            assert_eq!(fs::read(&file).unwrap(), left);
        }
        fs::write(&file, &whole).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
        kept("not executable");
        assert_eq!(script.metadata().unwrap().mode() & 0o111, 0);
        context.done(&["sync", "--force"]);
        assert_eq!(script.metadata().unwrap().mode() & 0o100, 0o100);
    }
}

#[test]
fn what_the_user_did_to_a_skill_meanwhile_stays() {
    let edited = Interrupted::new();
    edited.journal(".old/pdf", None);
    edited.stage("pdf", "one");
    fs::write(edited.place.join("SKILL.md"), skill("pdf", "mine")).unwrap();
    edited.context.done(&["list"]);
    assert_eq!(edited.context.version_of("pdf").as_deref(), Some("mine"));
    assert_eq!(edited.context.read("skills.lock"), edited.locks[0]);
    assert!(!edited.stage.exists());
}

#[test]
fn a_removal_is_finished_where_its_stage_is_gone_only_if_the_change_was_here() {
    let removal = Interrupted::new();
    let step = json!({
        "place": removal.place, "new": null, "old": removal.stage.join(".old/pdf"),
    });
    removal.write_journal(std::slice::from_ref(&step), "");
    fs::remove_dir_all(&removal.stage).unwrap();
    removal.ends("one", 0);

    removal.write_journal(&[step], "");
    fs::write(removal.context.root().join(".skills.lock.tmp"), "").unwrap();
    removal.context.done(&["list"]);
    assert_eq!(removal.context.version_of("pdf"), None);
    assert_eq!(removal.context.read("skills.lock"), removal.locks[1]);
    assert!(!removal.stage.exists());
}

#[test]
fn another_project_in_the_same_place_is_left_alone() {
    let other = Interrupted::new();
    let root = other.context.root();
    other.journal(".old/pdf", None);
    fs::remove_dir_all(&root).unwrap();
    // As long as there is nothing, nothing is wrong, either.
    let mut elsewhere = other.context.skillyard();
    let code = elsewhere
        .current_dir("/")
        .args(["doctor", "--json"])
        .output();
    let told = String::from_utf8_lossy(&code.unwrap().stdout).into_owned();
    assert!(!told.contains("interrupted"), "{told}");
    fs::create_dir_all(root.join(".git")).unwrap();
    other.context.done(&["list"]);
    assert_eq!(other.context.tree(), [".git/"]);
    let journal = other.context.in_home(".skillyard/journal");
    assert_eq!(everything(&journal), Vec::<String>::new());

    // Not even what is the same there is taken away.
    other
        .context
        .write("lib/pdf/SKILL.md", skill("pdf", "two"))
        .write(".agents/skills/csv/SKILL.md", skill("pdf", "two"));
    let (pdf, csv) = (other.step("pdf", ".old/pdf"), other.step("csv", ".old/csv"));
    other.write_journal(&[csv, pdf], "");
    other.context.done(&["list"]);
    assert_eq!(other.context.version_of("csv").as_deref(), Some("two"));
    assert!(!root.join("skills.lock").exists());
}

/// The stage goes last, but a power cut may keep that and take back the lock.
#[test]
fn a_change_is_finished_without_its_stage_if_the_project_is_the_same() {
    for is_same in [true, false] {
        let taken_back = Interrupted::new();
        let root = taken_back.context.root();
        let Ok(made) = root.metadata().unwrap().created() else {
            return;
        };
        let made = made.duration_since(UNIX_EPOCH).unwrap().as_nanos();
        let made = u64::try_from(made).unwrap() + u64::from(!is_same);
        taken_back.journal(".old/pdf", None);
        let journal = taken_back
            .context
            .in_home(".skillyard/journal/project-x.json");
        let mut change: Value = serde_json::from_slice(&fs::read(&journal).unwrap()).unwrap();
        change["identity"] = json!({"number": root.metadata().unwrap().ino(), "made": made});
        fs::write(&journal, change.to_string()).unwrap();
        fs::remove_dir_all(&taken_back.stage).unwrap();
        fs::write(taken_back.place.join("SKILL.md"), skill("pdf", "two")).unwrap();
        if is_same {
            taken_back.ends("two", 1);
        } else {
            taken_back.context.done(&["list"]);
            let lock = taken_back.context.read("skills.lock");
            assert_eq!(lock, taken_back.locks[0]);
        }
        assert!(!journal.exists());
    }
}

#[test]
fn what_was_recorded_and_did_not_happen_is_recorded_as_undone() {
    let lost = Interrupted::new();
    let event = json!({
        "kind": "skill.updated", "outcome": "ok", "skill": "pdf", "detail": {"transaction": "7-7"},
    });
    let note = json!({"transaction": "7-7", "events": [event]}).to_string();
    let step = lost.step("pdf", ".old/pdf");
    fs::remove_dir_all(&lost.stage).unwrap();
    let events = || {
        let log = lost
            .context
            .json(&["audit", "log", "--skill", "pdf", "--json"]);
        let events = log["events"].as_array().unwrap().clone();
        let ours = events
            .into_iter()
            .filter(|each| each["detail"]["transaction"] == "7-7");
        ours.map(|each| each["outcome"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    // Its process had recorded nothing.
    lost.write_journal(std::slice::from_ref(&step), &note);
    lost.ends("one", 0);
    assert_eq!(events(), Vec::<String>::new());
    // It had, before it was ended.
    lost.context.write("skills.lock", &lost.locks[1]);
    lost.write_journal(&[], &note);
    lost.context.done(&["list"]);
    assert_eq!(events(), ["ok"]);
    lost.context.write("skills.lock", &lost.locks[0]);
    for _ in 0..2 {
        lost.write_journal(std::slice::from_ref(&step), &note);
        lost.ends("one", 0);
        assert_eq!(events(), ["ok", "failed"]);
    }
}

#[test]
fn where_a_file_refuses_the_others_get_back_what_they_were() {
    // Older versions did not write down what a file was.
    for (published, known) in [(false, true), (true, true), (true, false)] {
        let blocked = Interrupted::new();
        let context = &blocked.context;
        blocked.journal(".old/pdf", None);
        // A file cannot take the place of a folder.
        context.write("folder/in/the/way", "");
        let journal = context.in_home(".skillyard/journal/project-x.json");
        let mut change: Value = serde_json::from_slice(&fs::read(&journal).unwrap()).unwrap();
        let commit = &mut change["progress"]["Committed"];
        let files = commit["files"].as_array_mut().unwrap();
        files.push(json!([context.root().join("folder"), "text"]));
        if known {
            commit["before"] = json!([blocked.locks[0], null]);
        }
        if published {
            context.write("skills.lock", &blocked.locks[1]);
        }
        fs::write(&journal, change.to_string()).unwrap();
        context.done(&["list"]);
        let (version, lock) = if known { ("one", 0) } else { ("two", 1) };
        assert_eq!(journal.exists(), !known);
        assert_eq!(context.version_of("pdf").as_deref(), Some(version));
        assert_eq!(context.read("skills.lock"), blocked.locks[lock]);
        // Once nothing is in the way, what waited is finished.
        fs::remove_dir_all(context.root().join("folder")).unwrap();
        context.done(&["list"]);
        assert!(!journal.exists());
    }
}

#[test]
fn the_collector_finishes_what_was_interrupted_first() {
    let packs =
        |context: &TestContext| everything(&context.in_home(".skillyard/store/archives")).len();
    let pending = Interrupted::new();
    let context = &pending.context;
    pending.journal(".old/pdf", None);
    assert_eq!(packs(context), 2);
    context.done(&["store", "gc"]);
    assert_eq!(packs(context), 1);
    pending.ends("two", 1);
    fs::remove_dir_all(context.root().join(".agents")).unwrap();
    context.done(&["sync", "--offline"]);

    // What cannot be finished may need anything.
    let blocked = Interrupted::new();
    let context = &blocked.context;
    blocked.journal(".old/pdf", None);
    let journal = context.in_home(".skillyard/journal/project-x.json");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, &text[1..]).unwrap();
    let told = context.refused(&["store", "gc"]);
    assert!(
        told.contains("project-x.json") && told.contains("hint: "),
        "{told}"
    );
    assert_eq!(packs(context), 2);
}

#[test]
fn a_change_is_finished_where_the_project_was_moved_to() {
    let moved = Interrupted::new();
    let root = moved.context.root();
    let Ok(made) = root.metadata().unwrap().created() else {
        return;
    };
    moved.journal(".old/pdf", None);
    let journal = moved.context.in_home(".skillyard/journal/project-x.json");
    let mut change: Value = serde_json::from_slice(&fs::read(&journal).unwrap()).unwrap();
    let made = u64::try_from(made.duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap();
    change["identity"] = json!({"number": root.metadata().unwrap().ino(), "made": made});
    fs::write(&journal, change.to_string()).unwrap();
    let (there, other) = (
        moved.context.outside("moved"),
        moved.context.outside("other"),
    );
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("skills.toml"), "").unwrap();
    fs::rename(&root, &there).unwrap();
    let sync = |folder: &Path| {
        let mut sync = moved.context.skillyard();
        let done = output(sync.arg("sync").current_dir(folder));
        assert!(done.status.success(), "{}", text(&done.stderr));
    };
    // Another project is none of its business.
    sync(&other);
    assert!(journal.exists());
    sync(&there);
    let read = |path: &str| fs::read_to_string(there.join(path)).unwrap();
    assert!(read(".agents/skills/pdf/SKILL.md").ends_with("\ntwo\n"));
    assert_eq!(read("skills.lock"), moved.locks[1]);
    assert!(!journal.exists());
    assert!(!there.join(".agents/.skillyard-7-7-0").exists());
}
