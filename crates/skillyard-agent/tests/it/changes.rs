//! Changes to the files of the workspace: what is written, and what is written down about it.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use skillyard_agent::front_end::{Action, ApprovalAnswer};
use skillyard_agent::host::CommandRun;
use skillyard_agent::settings::AgentSettings;
use skillyard_audit::EventKind;

use crate::guard::turn;
use crate::lab::{Front, Lab, Scripted, calls};

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("Write", json!({ "path": path, "content": content }))
}

/// Starts what was to run in the sandbox, with no room for more than a few blocks.
#[expect(
    clippy::disallowed_methods,
    reason = "what the sandbox would start has to be started"
)]
fn with_little_room(run: &CommandRun, folder: &Path) -> bool {
    let mut child = Command::new("/bin/sh")
        .args(["-c", "ulimit -f 8; exec \"$@\"", "sh"])
        .args(&run.argv)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Who has no room stops reading.
    let content = run.stdin.as_deref().unwrap();
    let _ = child.stdin.take().unwrap().write_all(content);
    child.wait().unwrap().success()
}

#[test]
fn a_file_is_as_it_was_where_there_is_no_room_for_the_new_one() {
    let lab = Lab::new();
    lab.write("work/a.txt", "alpha\n");
    let long = "x".repeat(100_000);
    let all = [
        write("a.txt", &long),
        write("n/new.txt", &long),
        write("a.txt", "short"),
    ];
    turn(&lab, &mut Front::new(ApprovalAnswer::Once), "write", &all);
    let commands = lab.machine.lock().unwrap().commands.clone();
    let work = lab.folder.path().join("work");
    let file = work.join("a.txt");
    fs::set_permissions(&file, Permissions::from_mode(0o750)).unwrap();
    assert!(!with_little_room(&commands[0], &work));
    assert_eq!(fs::read(&file).unwrap(), b"alpha\n");
    assert!(!with_little_room(&commands[1], &work));
    assert!(!work.join("n/new.txt").exists());
    assert!(with_little_room(&commands[2], &work));
    assert_eq!(fs::read(&file).unwrap(), b"short");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o750);
    let left: Vec<_> = fs::read_dir(&work).unwrap().flatten().collect();
    assert_eq!(left.len(), 2, "{left:?}");
    // A file with two names keeps both, and a link stays one.
    fs::write(&file, "alpha\n").unwrap();
    fs::rename(&file, work.join("b.txt")).unwrap();
    fs::hard_link(work.join("b.txt"), &file).unwrap();
    assert!(with_little_room(&commands[2], &work));
    assert_eq!(fs::read(work.join("b.txt")).unwrap(), b"short");
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("b.txt", &file).unwrap();
    fs::write(work.join("b.txt"), "alpha\n").unwrap();
    assert!(with_little_room(&commands[2], &work));
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    assert_eq!(fs::read(work.join("b.txt")).unwrap(), b"short");
}

#[test]
fn what_was_changed_is_written_down_however_it_was_allowed_and_ended() {
    let lab = Lab::new();
    lab.write("work/a.txt", "alpha\n");
    let all = [
        write("a.txt", "one"),
        write("b.txt", "two"),
        (
            "Edit",
            json!({ "path": "a.txt", "old": "nowhere", "new": "x" }),
        ),
        ("Bash", json!({ "command": "ls" })),
    ];
    turn(
        &lab,
        &mut Front::new(ApprovalAnswer::Session),
        "write",
        &all,
    );
    let machine = lab.machine.lock().unwrap();
    let ended = machine.events.iter();
    let ended = ended.filter(|event| event.kind == EventKind::ToolAllowed);
    let about: Vec<(&str, &str)> = ended
        .filter_map(|event| {
            let detail = |name| event.detail.get(name).map(String::as_str);
            Some((detail("tool")?, detail("path").or(detail("command"))?))
        })
        .collect();
    assert_eq!(
        about,
        [
            ("Write", "a.txt"),
            ("Write", "b.txt"),
            ("Edit", "a.txt"),
            ("Bash", "ls")
        ]
    );
}

#[test]
fn what_may_change_something_is_on_record_before_it_is_done() {
    let lab = Lab::new();
    lab.write("work/a.txt", "alpha\n");
    let all = [
        ("Read", json!({ "path": "a.txt" })),
        write("a.txt", "one"),
        (
            "Edit",
            json!({ "path": "a.txt", "old": "alpha", "new": "x" }),
        ),
        ("Bash", json!({ "command": "ls" })),
        ("mcp__s__run", json!({ "x": 1 })),
    ];
    let turn = |lab: &Lab, all: &[(&str, Value)]| {
        let parts = all.iter().enumerate();
        let parts = parts.map(|(at, (tool, input))| calls(&format!("c{at}"), tool, input));
        let mut runtime = lab.runtime(Scripted::new([parts.collect()]));
        let mut session = lab.session(&runtime, &AgentSettings::default());
        session.prompt = runtime.prompt(&AgentSettings::default());
        let mut front = Front::new(ApprovalAnswer::Session);
        runtime.turn(&mut session, "go", &mut front).is_ok()
    };
    assert!(turn(&lab, &all));
    {
        let machine = lab.machine.lock().unwrap();
        let of = |kind| {
            let events = machine
                .events
                .iter()
                .filter(move |event| event.kind == kind);
            events.map(|event| &event.detail)
        };
        let ended: Vec<_> = of(EventKind::ToolAllowed).collect();
        let mut tools = Vec::new();
        for begun in of(EventKind::ToolStarted) {
            tools.push(begun["tool"].as_str());
            let end = ended.iter().find(|end| end["call"] == begun["call"]);
            for key in ["input", "path", "command"] {
                assert_eq!(end.unwrap().get(key), begun.get(key), "{begun:?}");
            }
        }
        assert_eq!(tools, ["Write", "Edit", "Bash", "mcp__s__run"]);
    }
    // What cannot be recorded is not done.
    for call in [1, 3, 4] {
        let lab = Lab::new();
        lab.machine.lock().unwrap().unrecorded = Some(EventKind::ToolStarted);
        assert!(!turn(&lab, &all[call..=call]), "{}", all[call].0);
        let machine = lab.machine.lock().unwrap();
        assert!(machine.commands.is_empty() && machine.lent.is_empty());
    }
}

#[test]
fn a_path_may_be_written_in_other_ways_and_nobody_is_asked_about_none() {
    let lab = Lab::new();
    lab.write("work/a.txt", "alpha\n");
    let work = lab.folder.path().canonicalize().unwrap().join("work");
    let edit = |path: &str| ("Edit", json!({ "path": path, "old": "alpha", "new": "x" }));
    let read = |path: &str| ("Read", json!({ "path": path }));
    let all = [
        write("./w1.txt", "x"),
        write("d//./w2.txt", "x"),
        write(work.join("w3.txt").to_str().unwrap(), "x"),
        edit("./a.txt"),
        read("./a.txt"),
        read(".//a.txt"),
        write("../w4.txt", "x"),
        write("d/", "x"),
        read("."),
        edit("missing.txt"),
        read("missing.txt"),
    ];
    let mut front = Front::new(ApprovalAnswer::Once);
    let (results, _) = turn(&lab, &mut front, "write", &all);
    let results: Vec<&str> = results.iter().map(|(_, content)| &**content).collect();
    assert_eq!(
        results,
        [
            "Wrote 1 byte to `w1.txt`",
            "Wrote 1 byte to `d/w2.txt`",
            "Wrote 1 byte to `w3.txt`",
            "Edited `a.txt`",
            "alpha\n",
            "alpha\n",
            "`../w4.txt` is not a path in the workspace",
            "`d/` names a folder, not a file",
            "`.` names a folder, not a file",
            "`missing.txt` is not in the workspace",
            "`missing.txt` is not in the workspace",
        ]
    );
    let asked = front.asked.iter().map(|request| match &request.action {
        Action::Change { path, .. } => path.as_str(),
        _ => panic!("{request:?}"),
    });
    let asked: Vec<&str> = asked.collect();
    assert_eq!(
        asked,
        ["w1.txt", "d/w2.txt", "w3.txt", "a.txt", "missing.txt"]
    );
}

#[test]
fn who_asks_for_a_file_of_a_skill_is_led_to_it() {
    let lab = Lab::new();
    lab.skill(
        "refs",
        "Has references. Use when reading.",
        "",
        "See references/a.md.",
    );
    lab.write("skills/refs/references/a.md", "REFERENCE\n");
    let folder = lab.folder.path().canonicalize().unwrap();
    let folder = folder.join("skills/refs").display().to_string();
    let read = |path: &str| ("Read", json!({ "path": path }));
    let all = [
        ("skill_load", json!({ "name": "refs" })),
        read(&format!("{folder}/references/a.md")),
        read("references/a.md"),
        read("references/b.md"),
        read(&format!("{folder}/../refs/SKILL.md")),
        ("Grep", json!({ "pattern": "REF", "path": folder })),
        (
            "skill_read",
            json!({ "name": "refs", "path": "skill:refs/references/a.md" }),
        ),
    ];
    let mut front = Front::new(ApprovalAnswer::Once);
    let (results, _) = turn(&lab, &mut front, "read", &all);
    let results: Vec<&str> = results.iter().map(|(_, content)| &**content).collect();
    let way = "; call `skill_read` with the name `refs` and the path `references/a.md`";
    assert!(results[1].ends_with(way), "{results:?}");
    assert!(results[2].ends_with(way), "{results:?}");
    assert_eq!(results[3], "`references/b.md` is not in the workspace");
    assert!(
        results[4].ends_with("is not a path in the workspace"),
        "{results:?}"
    );
    assert!(results[5].contains("`skill_files`"), "{results:?}");
    assert!(results[6].contains("REFERENCE"), "{results:?}");
}

#[test]
fn a_file_may_be_called_as_this_system_lets_it() {
    let names = ["aux.c", "nul.txt", "c:d.txt", "a\\b.txt", "%2e.txt", "con"];
    for name in names {
        let lab = Lab::new();
        lab.write(&format!("work/{name}"), "important\n");
        let edit = json!({ "path": name, "old": "important", "new": "x" });
        let all = [
            ("Read", json!({ "path": name })),
            ("Grep", json!({ "pattern": "important" })),
            ("Edit", edit),
            write(name, "new\n"),
        ];
        let mut front = Front::new(ApprovalAnswer::Once);
        let (results, _) = turn(&lab, &mut front, "write", &all);
        let results: Vec<&str> = results.iter().map(|(_, content)| &**content).collect();
        let grep = format!("{name}:1: important");
        let (edited, wrote) = (
            format!("Edited `{name}`"),
            format!("Wrote 4 bytes to `{name}`"),
        );
        assert_eq!(results, ["important\n", &grep, &edited, &wrote]);
        // Whoever is asked sees what will be gone.
        for asked in &front.asked {
            let Action::Change { difference, .. } = &asked.action else {
                panic!("{asked:?}");
            };
            let shown = format!("{difference:?}");
            assert!(shown.contains("important"), "{shown}");
        }
    }
    let lab = Lab::new();
    lab.write("work/.git/config", "secret\n");
    let all = [
        ("Read", json!({ "path": ".git/config" })),
        ("Read", json!({ "path": ".GIT/config" })),
    ];
    let (results, _) = turn(&lab, &mut Front::new(ApprovalAnswer::Once), "read", &all);
    for (_, content) in results {
        assert!(
            content.ends_with("leads into `.git`, which is not read"),
            "{content}"
        );
    }
}

#[test]
fn numbers_are_understood_as_models_write_them_and_unknown_arguments_are_not() {
    let lab = Lab::new();
    lab.write("work/a.txt", "0123456789");
    let all = [
        ("Read", json!({ "path": "a.txt", "cursor": 4.0 })),
        ("Read", json!({ "path": "a.txt", "cursor": "4.0" })),
        ("Read", json!({ "path": "a.txt", "cursor": 4.5 })),
        ("Read", json!({ "path": "a.txt", "cursor": -4.0 })),
        (
            "Read",
            json!({ "path": "a.txt", "offset": 5000, "limit": 3 }),
        ),
    ];
    let (results, _) = turn(&lab, &mut Front::new(ApprovalAnswer::Once), "read", &all);
    let results: Vec<&str> = results.iter().map(|(_, content)| &**content).collect();
    let no_number = "the argument `cursor` must be a number from 0 up";
    let unknown = "there is no argument `limit`; there are `path`, `cursor`";
    assert_eq!(results[..4], ["456789", "456789", no_number, no_number]);
    assert!(
        results[4] == unknown || results[4] == unknown.replace("limit", "offset"),
        "{}",
        results[4]
    );
}
