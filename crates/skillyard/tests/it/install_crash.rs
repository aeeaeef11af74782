//! Many processes at once, and processes that are killed at any instant.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::install_recovery::digest;
use crate::{TestContext, output};

/// A project with a source of skills beside it.
fn project() -> TestContext {
    let context = TestContext::new();
    context.write("skills.toml", "");
    context
}

/// A skill of several files, whose content is `version`.
fn publish(context: &TestContext, name: &str, version: &str) {
    let text = format!("---\nname: {name}\ndescription: Use when {version}.\n---\n\n{version}\n");
    context.write(&format!("source/{name}/SKILL.md"), text);
    for at in 0..5 {
        context.write(
            &format!("source/{name}/references/{at}.md"),
            version.repeat(500),
        );
    }
}

/// The installed files of a skill that do not have this content.
fn installed(context: &TestContext, name: &str) -> Option<String> {
    let folder = context.root().join(".agents/skills").join(name);
    let text = fs::read_to_string(folder.join("SKILL.md")).ok()?;
    let version = text.trim_end().rsplit('\n').next()?.to_owned();
    for at in 0..5 {
        let other = fs::read_to_string(folder.join(format!("references/{at}.md"))).ok()?;
        assert_eq!(other, version.repeat(500), "a mixture of two versions");
    }
    Some(version)
}

#[test]
fn parallel_installs_lose_nothing() {
    let context = project();
    let names: Vec<String> = (0..64).map(|at| format!("skill-{at:02}")).collect();
    for name in &names {
        publish(&context, name, "one");
    }
    let children: Vec<_> = names
        .iter()
        .map(|name| {
            let mut command = context.skillyard();
            command.args(["install", &format!("./source/{name}"), "--scope", "project"]);
            command.stdout(Stdio::null()).stderr(Stdio::piped());
            command.spawn().expect("it starts")
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let folders = fs::read_dir(context.root().join(".agents/skills"))
        .expect("skills")
        .count();
    let lock = context.read("skills.lock");
    let manifest = context.read("skills.toml");
    assert_eq!(folders, 64);
    assert_eq!(lock.matches("[[skill]]").count(), 64);
    assert_eq!(manifest.matches("source/skill-").count(), 64);
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
}

/// A small generator, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn a_killed_process_leaves_the_old_state_or_the_new_one() {
    let context = project();
    publish(&context, "pdf", "zero");
    publish(&context, "csv", "zero");
    let start = Instant::now();
    assert_eq!(context.code(&["install", "./source", "--all"]), Some(0));
    let usual = start.elapsed().max(Duration::from_millis(5));
    let mut dice = Dice(0x5eed);
    let mut killed = 0;
    for round in 0..200 {
        let version = format!("v{round}");
        publish(&context, "pdf", &version);
        publish(&context, "csv", &version);
        let before = (installed(&context, "pdf"), installed(&context, "csv"));
        let arguments: &[&str] = match dice.below(3) {
            0 => &["remove", "pdf", "csv"],
            1 => &[
                "install",
                "./source",
                "--all",
                "--agent",
                "claude-code,codex",
            ],
            _ => &["update"],
        };
        let mut command = context.skillyard();
        command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let until = Instant::now()
            + Duration::from_micros(dice.below(u64::try_from(usual.as_micros()).unwrap() + 1));
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        let _ = child.kill();
        killed += u32::from(!child.wait().expect("it ends").success());
        // The next command finds everything in order, whatever it is.
        output(context.skillyard().args(["list", "--json"]));
        let now = (installed(&context, "pdf"), installed(&context, "csv"));
        let new = Some(version.clone());
        assert!(
            now == before || now == (new.clone(), new) || now == (None, None),
            "round {round}: {before:?} became {now:?}"
        );
        let lock = context.read("skills.lock");
        let count = usize::from(now.0.is_some()) + usize::from(now.1.is_some());
        assert_eq!(lock.matches("[[skill]]").count(), count, "round {round}");
        assert_eq!(
            context.code(&["sync", "--frozen", "--check"]),
            Some(0),
            "round {round}"
        );
        assert_eq!(leftovers(&context), Vec::<String>::new(), "round {round}");
        for (name, now) in [("pdf", now.0), ("csv", now.1)] {
            let wanted = now.and_then(|_| locked_digest(&lock, name));
            assert_eq!(recorded_digest(&context, name), wanted, "round {round}");
        }
    }
    assert!(killed > 20, "only {killed} processes were killed");
}

/// The events about a skill that say that something was done, each of them once.
fn recorded(context: &TestContext, name: &str) -> Vec<serde_json::Value> {
    let log = context.json(&["audit", "log", "--skill", name, "--json"]);
    let events = log["events"].as_array().expect("events").clone();
    let mut transactions = Vec::new();
    for event in &events {
        let transaction = (
            event["detail"]["transaction"].clone(),
            event["event"].clone(),
        );
        assert!(!transactions.contains(&transaction), "twice: {event}");
        transactions.push(transaction);
    }
    events
}

/// What the log says is installed.
fn recorded_digest(context: &TestContext, name: &str) -> Option<String> {
    let events = recorded(context, name);
    let last = events.last().expect("an event");
    let is_removed = last["event"] == "skill.removed";
    (!is_removed).then(|| last["digest"].as_str().expect("a digest").to_owned())
}

/// What the lock says is installed.
fn locked_digest(lock: &str, name: &str) -> Option<String> {
    let entry = lock
        .split("[[skill]]")
        .find(|entry| entry.contains(&format!("name = \"{name}\"")))?;
    let digest = entry
        .lines()
        .find_map(|line| line.strip_prefix("digest = "))?;
    Some(digest.trim_matches('"').to_owned())
}

#[test]
fn what_a_killed_process_had_begun_is_recorded_once() {
    let context = project();
    let event = serde_json::json!({
        "kind": "skill.installed", "outcome": "ok", "skill": "pdf", "detail": {"transaction": "7-7"},
    });
    let note = serde_json::json!({"transaction": "7-7", "events": [event]}).to_string();
    let commit = serde_json::json!({"stages": [], "moves": [], "files": [], "note": note});
    let journal = serde_json::json!({
        "guarded": context.root(), "progress": {"Committed": commit},
    });
    let folder = context.root().join("../home/.skillyard/journal");
    fs::create_dir_all(&folder).expect("a folder");
    for _ in 0..2 {
        fs::write(folder.join("x.json"), journal.to_string()).expect("a journal");
        output(context.skillyard().args(["list"]));
        let recorded = recorded(&context, "pdf");
        assert_eq!(recorded.len(), 1);
        assert_eq!(recorded[0]["detail"]["interrupted"], "yes");
        assert_eq!(leftovers(&context), Vec::<String>::new());
    }
}

#[test]
fn a_change_that_cannot_be_recorded_waits() {
    let context = project();
    let new = context.root().join("new");
    let place = context.root().join(".agents/skills/pdf");
    context.write(
        "new/SKILL.md",
        "---\nname: pdf\ndescription: Use when.\n---\n",
    );
    fs::create_dir_all(context.root().join(".agents/skills")).expect("a folder");
    let digest = digest(&new);
    let step =
        serde_json::json!({"place": place, "new": [new, {"Folder": digest}], "old": "/nowhere"});
    let note = serde_json::json!({"transaction": "7-7", "events": [{
        "kind": "skill.installed", "outcome": "ok", "skill": "pdf", "detail": {"transaction": "7-7"},
    }]});
    let commit = serde_json::json!({
        "stages": [], "moves": [step], "files": [], "note": note.to_string(),
    });
    let journal = serde_json::json!({
        "guarded": context.root(), "progress": {"Committed": commit},
    });
    let home = context.root().join("../home/.skillyard");
    fs::create_dir_all(home.join("journal")).expect("a folder");
    fs::write(home.join("journal/x.json"), journal.to_string()).expect("a journal");
    // A file where the folder of the log would be.
    fs::write(home.join("logs"), "").expect("a file");
    output(context.skillyard().args(["list"]));
    assert!(!place.exists(), "it happened unrecorded");
    fs::remove_file(home.join("logs")).expect("it goes");
    output(context.skillyard().args(["list"]));
    assert!(place.join("SKILL.md").exists());
    assert_eq!(recorded(&context, "pdf").len(), 1);
}

/// What only a change in progress may have.
fn leftovers(context: &TestContext) -> Vec<String> {
    let mut found: Vec<String> = context
        .tree()
        .into_iter()
        .filter(|path| path.contains(".skillyard-") || is_temporary(path))
        .collect();
    let journal = context.root().join("../home/.skillyard/journal");
    if let Ok(entries) = fs::read_dir(journal) {
        // The one file that a killed writer can leave is used up by the next.
        let names = entries
            .flatten()
            .map(|entry| entry.path().display().to_string());
        found.extend(names.filter(|name| !is_temporary(name)));
    }
    found
}

fn is_temporary(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "tmp")
}
