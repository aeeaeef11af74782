//! What somebody wrote into the places of skills after a change was worked out, and before another
//! process went on with it: it is never thrown away.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::install_recovery::{Interrupted, digest};
use crate::project::everything;
use crate::servers::repository::skill;

/// An update of `pdf` that wrote down what was in its place, and that it happens.
struct Overtaken {
    interrupted: Interrupted,
    seen: Value,
    note: String,
}

impl Overtaken {
    fn new() -> Self {
        let interrupted = Interrupted::new();
        let seen = json!({"Folder": {"tidy": digest(&interrupted.place), "stamp": null}});
        let event = json!({
            "kind": "skill.updated", "outcome": "ok", "skill": "pdf", "detail": {"transaction": "7-7"},
        });
        let note = json!({"transaction": "7-7", "events": [event]}).to_string();
        let Interrupted { context, locks, .. } = &interrupted;
        context.write("skills.lock", &locks[1]);
        interrupted.write_journal(&[], &note);
        context.done(&["list"]);
        context.write("skills.lock", &locks[0]);
        interrupted.stage("pdf", "two");
        Self {
            interrupted,
            seen,
            note,
        }
    }

    /// The update of `pdf`.
    fn update(&self) -> Value {
        let mut step = self.interrupted.step("pdf", ".old/pdf");
        step["seen"] = self.seen.clone();
        step
    }

    /// The removal of `pdf`.
    fn removal(&self) -> Value {
        let old = self.interrupted.stage.join(".old/pdf");
        json!({"place": self.interrupted.place, "new": null, "old": old, "seen": self.seen})
    }

    /// Somebody adds a line and a file to a skill.
    fn edit(folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("SKILL.md"), skill("pdf", "mine")).unwrap();
        fs::write(folder.join("NOTES.md"), "notes").unwrap();
    }

    /// Another command comes by; says what the log has as the reason.
    fn goes_on(&self, moves: &[Value]) -> String {
        let Interrupted { context, locks, .. } = &self.interrupted;
        self.interrupted.write_journal(moves, &self.note);
        context.done(&["list"]);
        assert_eq!(context.read("skills.lock"), locks[0]);
        let journal = context.in_home(".skillyard/journal");
        assert_eq!(everything(&journal), Vec::<String>::new());
        let log = context.json(&["audit", "log", "--skill", "pdf", "--json"]);
        let last = log["events"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last["outcome"], "failed", "{last}");
        last["reason"].as_str().unwrap().to_owned()
    }

    /// That the edit is where it was made, and nothing is left over.
    #[track_caller]
    fn is_kept(&self) {
        let Interrupted { context, stage, .. } = &self.interrupted;
        assert_eq!(context.version_of("pdf").as_deref(), Some("mine"));
        assert_eq!(context.read(".agents/skills/pdf/NOTES.md"), "notes");
        assert!(!stage.exists());
    }
}

#[test]
fn a_skill_of_ones_own_in_a_place_that_was_empty_stays() {
    let overtaken = Overtaken::new();
    let Interrupted { context, place, .. } = &overtaken.interrupted;
    let mut csv = overtaken.interrupted.step("csv", ".old/csv");
    csv["seen"] = json!("Nothing");
    // `pdf` was exchanged, `csv` was to follow.
    overtaken.interrupted.stage("pdf", "one");
    overtaken.interrupted.stage("csv", "two");
    fs::write(place.join("SKILL.md"), skill("pdf", "two")).unwrap();
    context.write(".agents/skills/csv/SKILL.md", skill("csv", "mine"));
    let reason = overtaken.goes_on(&[overtaken.update(), csv]);
    assert!(
        reason.contains("csv") && reason.contains("meanwhile"),
        "{reason}"
    );
    assert_eq!(context.version_of("csv").as_deref(), Some("mine"));
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    assert!(!overtaken.interrupted.stage.exists());
}

#[test]
fn edits_of_a_skill_that_was_to_be_replaced_or_removed_stay() {
    // Nothing had been done to it.
    for step in [Overtaken::update, Overtaken::removal] {
        let overtaken = Overtaken::new();
        Overtaken::edit(&overtaken.interrupted.place);
        let reason = overtaken.goes_on(&[step(&overtaken)]);
        assert!(reason.contains("meanwhile"), "{reason}");
        overtaken.is_kept();
    }
    // It was out of its place already, and nobody had looked at what came out.
    let exchanged = Overtaken::new();
    let Interrupted { place, stage, .. } = &exchanged.interrupted;
    fs::write(place.join("SKILL.md"), skill("pdf", "two")).unwrap();
    Overtaken::edit(&stage.join("pdf"));
    exchanged.goes_on(&[exchanged.update()]);
    exchanged.is_kept();

    let removed = Overtaken::new();
    let Interrupted { place, stage, .. } = &removed.interrupted;
    fs::remove_dir_all(place).unwrap();
    Overtaken::edit(&stage.join(".old/pdf"));
    removed.goes_on(&[removed.removal()]);
    removed.is_kept();
}

#[test]
fn what_cannot_go_back_is_kept_and_named() {
    let overtaken = Overtaken::new();
    let Interrupted { context, stage, .. } = &overtaken.interrupted;
    let old = stage.join(".old/pdf");
    Overtaken::edit(&old);
    context.write(".agents/skills/pdf/SKILL.md", skill("pdf", "another"));
    let reason = overtaken.goes_on(&[overtaken.removal()]);
    assert!(reason.contains(".skillyard-7-7-0/.old/pdf"), "{reason}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("another"));
    assert_eq!(fs::read(old.join("NOTES.md")).unwrap(), b"notes");
}

#[test]
fn what_is_as_it_was_seen_is_replaced_and_what_programs_left_is_no_edit() {
    let overtaken = Overtaken::new();
    let Interrupted { context, .. } = &overtaken.interrupted;
    context.write(".agents/skills/pdf/.DS_Store", "litter");
    let update = overtaken.update();
    overtaken.interrupted.write_journal(&[update], "");
    overtaken.interrupted.ends("two", 1);
}
