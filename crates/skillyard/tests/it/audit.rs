//! `skillyard audit`: what the commands wrote down, and that nobody changed it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use insta::assert_snapshot;
use skillyard_format::package::Digest;

use crate::chat::conformance;
use crate::{TestContext, output, text};

const LOG: &str = "../home/.skillyard/logs/audit.jsonl";

/// A machine on which a few things happened.
fn machine() -> TestContext {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/csv", "Use when asked.");
    for arguments in [
        &["disable", "csv"][..],
        &["enable", "csv"],
        &["trust", "."],
        &["config", "set", "install.scope", "user"],
        &["config", "unset", "install.scope"],
        &["trust", "revoke", "."],
    ] {
        assert_eq!(context.code(arguments), Some(0), "{arguments:?}");
    }
    context
}

/// `text` with every time and every hash of the log left out.
fn timeless(text: &str) -> String {
    let is_time = |word: &str| word.len() == 8 && word.matches(':').count() == 2;
    let is_date = |word: &str| word.starts_with("20") && word.matches('-').count() == 2;
    let without = |word: &str| {
        let is_hash = word
            .rsplit(':')
            .next()
            .is_some_and(|hash| hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit()));
        match word {
            _ if is_date(word) => "[DATE]".to_owned(),
            _ if is_time(word) => "[TIME]".to_owned(),
            _ if is_hash => format!("{}[HASH]", &word[..word.len() - 64]),
            _ => word.to_owned(),
        }
    };
    let lines = text.lines().map(|line| {
        let words: Vec<String> = line.split(' ').map(without).collect();
        words.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_happened_is_told() {
    let context = machine();
    assert_snapshot!(timeless(&context.stdout(&["audit", "log"])), @r"
    [DATE] [TIME]  skill.disabled         ok      csv  (ada)
    [DATE] [TIME]  skill.enabled          ok      csv  (ada)
    [DATE] [TIME]  approval.granted       ok      folder=[DIR]  (ada)
    [DATE] [TIME]  config.changed         ok      change=set  file=[HOME]/.skillyard/config.toml  key=install.scope  (ada)
    [DATE] [TIME]  config.changed         ok      change=unset  file=[HOME]/.skillyard/config.toml  key=install.scope  (ada)
    [DATE] [TIME]  approval.revoked       ok      folder=[DIR]  (ada)
    ");
    let count = |arguments: &[&str]| {
        let told = context.stdout(&[&["audit", "log"], arguments].concat());
        told.lines().count()
    };
    assert_eq!(count(&["--skill", "csv"]), 2);
    assert_eq!(count(&["--event", "approval"]), 2);
    assert_eq!(count(&["--event", "skill.enabled"]), 1);
    assert_eq!(count(&["--outcome", "denied"]), 0);
    assert_eq!(count(&["--since", "1h"]), 6);
    assert_eq!(count(&["--until", "1h"]), 0);
    assert_eq!(count(&["--limit", "4", "--event", "config"]), 2);
    let events = context.json(&["audit", "log", "--json", "--limit", "1"]);
    assert_eq!(events["events"][0]["event"], "approval.revoked");
    assert_eq!(events["events"][0]["seq"], 6);
    assert!(events["events"][0]["hash"].as_str().unwrap().len() == 64);
}

#[test]
fn questions_that_make_no_sense() {
    let context = machine();
    assert_snapshot!(context.tell(&["audit", "log", "--event", "skill.instaled"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no event `skill.instaled`

    hint: Did you mean `skill.installed`?
    ");
    assert_snapshot!(context.tell(&["audit", "log", "--since", "yesterday"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `yesterday` is no time

    hint: Write `2h`, `7d`, `2026-11-15` or `2026-11-15T12:00:00Z`
    ");
    assert_eq!(
        context.code(&["audit", "log", "--outcome", "good"]),
        Some(2)
    );
    assert_eq!(
        context.code(&["audit", "verify", "--expect", "1:x"]),
        Some(2)
    );
    assert_snapshot!(context.tell(&["audit", "log", "--skill", "pdf"]), @r"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    No such event was recorded
    ");
}

#[test]
fn an_intact_log_verifies() {
    let context = TestContext::new();
    assert_snapshot!(context.tell(&["audit", "verify"]), @r"
    exit status: 0
    ----- stdout -----
    ✓ nothing was recorded yet
    ----- stderr -----
    ");
    let context = machine();
    assert_snapshot!(timeless(&context.tell(&["audit", "verify"])), @r"
    exit status: 0
    ----- stdout -----
    ✓ intact: 6 events in 1 file, the last is 6:[HASH]
    ----- stderr -----
    ");
    let verdict = context.json(&["audit", "verify", "--json"]);
    assert_eq!(verdict["intact"], true);
    assert_eq!(verdict["last"]["seq"], 6);
    let expected = format!("6:{}", verdict["last"]["hash"].as_str().unwrap());
    context.tell(&["disable", "csv"]);
    assert_eq!(
        context.code(&["audit", "verify", "--expect", &expected]),
        Some(0)
    );
    let other = format!("5:{}", verdict["last"]["hash"].as_str().unwrap());
    assert_eq!(
        context.code(&["audit", "verify", "--expect", &other]),
        Some(1)
    );
}

#[test]
fn tampering_is_found_and_located() {
    let context = machine();
    let whole = context.read(LOG);
    let lines: Vec<&str> = whole.lines().collect();
    let tell = |lines: &[&str]| {
        context.write(LOG, lines.join("\n") + "\n");
        context.tell(&["audit", "verify"])
    };
    let changed = lines[2].replace("approval.granted", "approval.denied");
    assert_snapshot!(tell(&[lines[0], lines[1], &changed, lines[3], lines[4], lines[5]]), @r"
    exit status: 1
    ----- stdout -----
    ✗ audit.jsonl:3: this line was changed
    ----- stderr -----
    ");
    assert_snapshot!(tell(&[lines[0], lines[1], lines[3], lines[4], lines[5]]), @r"
    exit status: 1
    ----- stdout -----
    ✗ audit.jsonl:3: 1 line before this one was removed
    ----- stderr -----
    ");
    assert_snapshot!(tell(&[lines[0], lines[2], lines[1], lines[3], lines[4], lines[5]]), @r"
    exit status: 1
    ----- stdout -----
    ✗ audit.jsonl:2: this line stands in the wrong place: lines were swapped
    ----- stderr -----
    ");
    assert_snapshot!(tell(&lines[..4]), @r"
    exit status: 1
    ----- stdout -----
    ✗ audit.jsonl:4: the log was cut off: 2 events are missing after this line
    ----- stderr -----
    ");
    let verdict = context.json(&["audit", "verify", "--json"]);
    assert_eq!(verdict["fault"]["kind"], "truncated");
    assert_eq!(verdict["fault"]["line"], 4);
    // What was cut off stays known, also when the log goes on.
    context.tell(&["disable", "csv"]);
    assert!(
        context
            .stdout(&["audit", "verify"])
            .contains("2 events were missing at the end")
    );
}

#[test]
fn a_forged_end_stays_known_when_the_log_goes_on() {
    let context = machine();
    let whole = context.read(LOG);
    let (before, last) = whole.trim_end().rsplit_once('\n').unwrap();
    let (body, _) = last.rsplit_once(",\"hash\":").unwrap();
    let body = body.replace("approval.revoked", "skill.discovered.not");
    let hash = Digest::of(body.as_bytes()).to_hex();
    context.write(LOG, format!("{before}\n{body},\"hash\":\"{hash}\"}}\n"));
    let told = context.stdout(&["audit", "verify"]);
    assert!(told.contains("does not end as `audit.head` says"), "{told}");
    context.done(&["disable", "csv"]);
    context.done(&["enable", "csv"]);
    assert_eq!(context.code(&["audit", "verify"]), Some(1));
    let told = context.stdout(&["audit", "verify"]);
    assert!(told.contains("line 6 is not as it was written"), "{told}");
    let broken = context.json(&["audit", "log", "--json", "--event", "audit.broken"]);
    let known = broken["events"][0]["detail"]["known_hash"].as_str();
    assert!(last.contains(known.unwrap()), "{broken}");
}

#[test]
fn what_stands_behind_the_room_of_a_field_is_in_the_log() {
    let context = TestContext::new();
    let folder = "../home/.agents/skills/csv";
    context.skill(folder, "Use when asked.");
    context.write(&format!("{folder}/scripts/x.sh"), "exit 0\n");
    let long = "a".repeat(4_200);
    let run = [
        "run",
        "csv",
        "scripts/x.sh",
        "--yes",
        "--",
        &long,
        "EVIL-ARG",
    ];
    assert_eq!(context.code(&run), Some(0));
    for event in ["skill.script_started", "skill.script_executed"] {
        let told = context.json(&["audit", "log", "--json", "--event", event]);
        let argv = told["events"][0]["detail"]["argv"].as_str().unwrap();
        assert!(argv.ends_with("aaa\",\"EVIL-ARG\"]"), "{argv}");
        assert!(argv.contains(" bytes left out, sha256:"), "{argv}");
    }
}

#[test]
fn export() {
    let context = machine();
    assert_eq!(context.stdout(&["audit", "export"]).lines().count(), 6);
    let out = text(&output(context.skillyard().args(["audit", "export"])).stdout);
    assert_eq!(out, context.read(LOG), "the lines are those of the log");
    assert_snapshot!(context.tell(&["audit", "export", "--format", "csv", "--skill", "csv", "--output", "out.csv"]), @r"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    2 events written to `out.csv`
    ");
    let table = context.read("out.csv");
    assert!(
        table.starts_with("seq,time,event,actor,") && table.lines().count() == 3,
        "{table}"
    );
    let mode = fs::metadata(context.root().join("out.csv"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    // Nothing is written over, nor through a link.
    assert_eq!(
        context.code(&["audit", "export", "--output", "out.csv"]),
        Some(2)
    );
    context.link("elsewhere", "link.csv");
    assert_eq!(
        context.code(&["audit", "export", "--output", "link.csv"]),
        Some(2)
    );
    assert!(!context.root().join("elsewhere").exists());
}

#[test]
fn new_events_are_told_as_they_happen() {
    let context = machine();
    let mut command = context.skillyard();
    command.args(["audit", "log", "--follow", "--json", "--event", "skill"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || {
        let line = lines.next().unwrap().unwrap();
        let event: serde_json::Value = serde_json::from_str(&line).unwrap();
        (
            event["seq"].as_u64().unwrap(),
            event["event"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(next(), (1, "skill.disabled".into()));
    assert_eq!(next(), (2, "skill.enabled".into()));
    context.tell(&["disable", "csv"]);
    assert_eq!(next(), (7, "skill.disabled".into()));
    context.tell(&["config", "set", "scripts.allow", "true"]);
    context.tell(&["enable", "csv"]);
    assert_eq!(next(), (9, "skill.enabled".into()));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_log_that_leads_elsewhere_is_refused() {
    let context = TestContext::new();
    context
        .write("../victim", "precious")
        .mkdir("../home/.skillyard/logs");
    context.link("../../../victim", LOG);
    let told = context.tell(&["config", "set", "scripts.allow", "true"]);
    assert!(told.starts_with("exit status: 2"), "{told}");
    assert!(
        told.contains("is not a plain file: links are not followed"),
        "{told}"
    );
    assert_eq!(context.read("../victim"), "precious");
    assert_eq!(context.code(&["audit", "log"]), Some(2));
    assert_eq!(context.code(&["audit", "verify"]), Some(2));
}

#[test]
fn a_value_does_not_pass_for_fields() {
    let context = TestContext::new();
    let folder = "a  tool=Read  (root)";
    context.mkdir(folder);
    context.mkdir(&format!("{folder}/.git"));
    context.tell(&["trust", folder, "--yes"]);
    let told = context.stdout(&["audit", "log"]);
    assert!(told.contains("/a  tool=Read  (root)\""), "{told}");
    assert!(told.contains("  folder=\"[DIR]/"), "{told}");
}

#[test]
fn what_a_line_says_does_not_reach_the_terminal_raw() {
    let context = TestContext::new();
    context.tell(&["disable", "x*\u{1b}[31m]\u{202e}\nfake"]);
    let told = context.stdout(&["audit", "log"]);
    assert!(
        !told.contains(['\u{1b}', '\u{202e}']) && told.lines().count() == 1,
        "{told}"
    );
}

#[test]
fn a_skill_is_discovered_once() {
    let context = conformance();
    let discovered = || {
        let log = context.json(&["audit", "log", "--event", "skill.discovered", "--json"]);
        let events = log["events"].as_array().unwrap().iter();
        let events = events.map(|event| event["skill"].as_str().unwrap().to_owned());
        events.collect::<Vec<_>>()
    };
    context.json(&["list", "--json"]);
    assert_eq!(discovered(), Vec::<String>::new());
    for _ in 0..2 {
        context.json(&["chat", "-p", "hello", "--json"]);
        assert_eq!(discovered(), ["skills-system-validation"]);
    }
    let text = "---\nname: other\ndescription: Does more. Use for more.\n---\nMore.\n";
    context.write(".skills/other/SKILL.md", text);
    context.json(&["chat", "-p", "hello", "--json"]);
    assert_eq!(discovered(), ["skills-system-validation", "other"]);
    // It lies elsewhere, and somebody should know.
    fs::create_dir(context.root().join(".agents")).unwrap();
    let moved = context.root().join(".agents/skills");
    fs::rename(context.root().join(".skills"), moved).unwrap();
    context.json(&["chat", "-p", "hello", "--json"]);
    assert_eq!(discovered().len(), 4);
}

#[test]
fn an_export_is_checked_without_the_log() {
    let context = machine();
    context.done(&["audit", "export", "--output", "all.jsonl"]);
    let last = context.json(&["audit", "verify", "--json"])["last"].clone();
    let noted = format!("{}:{}", last["seq"], last["hash"].as_str().unwrap());
    let all = context.read("all.jsonl");
    fs::remove_dir_all(context.in_home(".skillyard/logs")).unwrap();
    let told = context.done(&["audit", "verify", "all.jsonl", "--expect", &noted]);
    assert!(told.is_empty(), "{told}");
    let lines: Vec<&str> = all.lines().collect();
    let kind = |lines: &[&str]| {
        context.write("part.jsonl", lines.join("\n") + "\n");
        let told = context.json(&["audit", "verify", "part.jsonl", "--json"]);
        assert_eq!(told["intact"], told["fault"].is_null(), "{told}");
        told["fault"]["kind"].clone()
    };
    // A time of it is whole in itself; what is cut off at the end is in nobody's reach but by a note.
    assert!(kind(&lines[2..]).is_null());
    assert!(kind(&lines[..4]).is_null());
    let cut = ["audit", "verify", "part.jsonl", "--expect", &noted];
    assert_eq!(context.code(&cut), Some(1));
    assert_eq!(kind(&[&lines[..2], &lines[3..]].concat()), "removed");
    let other = lines[3].replace("csv", "pdf").replace("ada", "eve");
    let changed = [&lines[..3], &[other.as_str()], &lines[4..]].concat();
    assert_eq!(kind(&changed), "changed");
    assert_eq!(context.code(&["audit", "verify", "none.jsonl"]), Some(2));
}

#[test]
fn copies_are_judged_by_themselves_and_blame_nobody() {
    let context = machine();
    let logs = context.in_home(".skillyard/logs");
    let log = fs::read(logs.join("audit.jsonl")).unwrap();
    let elsewhere = context.root().join("kept");
    fs::create_dir(&elsewhere).unwrap();
    // It was made while a line was written.
    fs::write(elsewhere.join("audit.jsonl.bak"), &log[..log.len() - 9]).unwrap();
    let told = context.tell(&["audit", "verify", "kept/audit.jsonl.bak"]);
    assert!(told.contains("✓ intact"), "{told}");
    assert!(
        told.contains("it was copied while it was written"),
        "{told}"
    );
    // A folder of them has no head, or a later one.
    fs::write(elsewhere.join("audit.jsonl"), &log[..log.len() - 9]).unwrap();
    for later in [0, 1] {
        let told = context.json(&["audit", "verify", "kept", "--json"]);
        assert_eq!(told["intact"], true, "{told}");
        assert_eq!(told["later"], later, "{told}");
        fs::copy(logs.join("audit.head"), elsewhere.join("audit.head")).unwrap();
    }
    let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let cut = [&lines[..2], &lines[3..]].concat().concat();
    fs::write(elsewhere.join("audit.jsonl"), cut).unwrap();
    let told = context.json(&["audit", "verify", "kept", "--json"]);
    assert_eq!(told["fault"]["kind"], "removed", "{told}");
}

#[test]
fn a_folder_is_not_intact_for_what_is_not_in_it() {
    let context = machine();
    let logs = context.in_home(".skillyard/logs");
    let log = fs::read_to_string(logs.join("audit.jsonl")).unwrap();
    let forged = log.replacen("\"outcome\":\"ok\"", "\"outcome\":\"no\"", 1);
    context.write("exports/march.jsonl", &forged);
    let told = context.tell(&["audit", "verify", "exports"]);
    assert!(told.starts_with("exit status: 2"), "{told}");
    assert!(told.contains("no file of a log is in `exports`"), "{told}");
    let file = ["audit", "verify", "exports/march.jsonl"];
    assert_eq!(context.code(&file), Some(1));
    // The folder of the log is the log, of which nothing may be missing.
    let last = log.trim_end().rfind('\n').unwrap();
    fs::write(logs.join("audit.jsonl"), &log[..=last]).unwrap();
    let logs = logs.to_str().unwrap();
    assert_eq!(context.code(&["audit", "verify", logs]), Some(1));
}

#[test]
fn copies_beside_the_log_are_no_part_of_it() {
    let context = machine();
    let logs = context.in_home(".skillyard/logs");
    let copy = |name: &str| fs::copy(logs.join("audit.jsonl"), logs.join(name)).unwrap();
    let events = || {
        let log = context.json(&["audit", "log", "--json"]);
        log["events"].as_array().unwrap().len()
    };
    let before = events();
    copy("audit.jsonl.bak");
    copy("audit.000007.jsonl");
    assert_eq!(events(), before);
    for _ in 0..2 {
        let told = context.tell(&["audit", "verify"]);
        assert!(told.contains("✓ intact"), "{told}");
        let copied = "`audit.000007.jsonl` is a copy of `audit.jsonl`";
        assert!(told.contains(copied), "{told}");
        let beside = "`audit.jsonl.bak` is no part of the log";
        assert!(told.contains(beside), "{told}");
        // The log goes on; a copy stays one.
        context.done(&["trust", "."]);
    }
    // What says something else is no copy.
    let other = fs::read_to_string(logs.join("audit.jsonl")).unwrap();
    let other = other.replacen("\"outcome\":\"ok\"", "\"outcome\":\"no\"", 2);
    fs::write(logs.join("audit.000007.jsonl"), other).unwrap();
    assert_eq!(context.code(&["audit", "verify"]), Some(1));
}
