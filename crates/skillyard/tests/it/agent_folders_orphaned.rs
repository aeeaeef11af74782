//! Folders of agents that a variable named once: what was put there is judged by what was installed,
//! whatever the variable says now.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use skillyard_format::package::pack::PackFormat;

use crate::project::packed;
use crate::servers::http::{Reply, Server};
use crate::{TestContext, output, text};

impl TestContext {
    /// Runs the binary with a folder beside the working one as Claude Code's, or without.
    pub(crate) fn claude(&self, folder: Option<&str>, arguments: &[&str]) -> (bool, String) {
        let mut command = self.skillyard();
        if let Some(folder) = folder {
            command.env("CLAUDE_CONFIG_DIR", self.root().join(folder));
        }
        let told = output(command.args(arguments));
        let words = text(&told.stdout) + &text(&told.stderr);
        (told.status.success(), words)
    }

    #[track_caller]
    pub(crate) fn claude_done(&self, folder: Option<&str>, arguments: &[&str]) -> String {
        let (is_done, told) = self.claude(folder, arguments);
        assert!(is_done, "{arguments:?}: {told}");
        told
    }

    /// That the script of a skill from strangers is blocked, by its path and within it.
    #[track_caller]
    fn is_foreign(&self, variable: Option<&str>, skill: &Path, reason: &str) {
        let skill = skill.to_str().unwrap();
        for answer in ["--yes", "--allow-scripts"] {
            let run = ["run", skill, "scripts/run.sh", answer];
            let (is_done, told) = self.claude(variable, &run);
            assert!(!is_done && told.contains(reason), "{variable:?}: {told}");
        }
    }
}

/// Why the script of a skill from the web is blocked.
const STRANGE: &str = "it comes from an archive from the web";
const IN: [&str; 5] = ["--scope", "user", "--agent", "claude-code", "--yes"];

fn web() -> Server {
    Server::start(|_| Reply::ok(packed("pdf/", "one", PackFormat::Zip)))
}

#[test]
fn what_was_installed_there_is_known_whatever_the_variable_says() {
    let server = web();
    let url = server.url("/pdf.zip");
    // Set, unset, and set to something else.
    let usual = "../home/.claude";
    for (first, others) in [
        (Some("../cc"), [None, Some("../dd")]),
        (None, [Some("../cc"), Some("../dd")]),
    ] {
        let context = TestContext::new();
        context.claude_done(first, &[&["install", url.as_str()][..], &IN].concat());
        let folder = context.root().join(first.unwrap_or(usual));
        let skill = folder.join("skills/pdf").canonicalize().unwrap();
        for other in [first].into_iter().chain(others) {
            context.is_foreign(other, &skill, STRANGE);
        }
        context.write_skill("../dd/skills/mine");
        // What is changed for another folder changes nothing for this one.
        context.claude_done(others[1], &["sync", "--scope", "user"]);
        context.claude_done(others[1], &["remove", "pdf", "--scope", "user", "--yes"]);
        assert!(skill.is_dir());
        for other in others {
            context.is_foreign(other, &skill, STRANGE);
        }
        std::fs::write(skill.join("scripts/run.sh"), "echo other\n").unwrap();
        for other in others {
            context.is_foreign(other, &skill, "is locked");
        }
        let listed = context.claude_done(others[1], &["list"]);
        assert!(listed.contains("✓ mine"), "{listed}");
    }
}

#[test]
fn what_was_left_there_can_be_removed() {
    let server = web();
    let url = server.url("/pdf.zip");
    let install = [&["install", url.as_str()][..], &IN].concat();
    let remove = ["remove", "pdf", "--scope", "user", "--yes"];
    // Whether the variable names the folder again, names another one, or nothing.
    for last in [Some("../cc"), Some("../dd"), None] {
        let context = TestContext::new();
        context.claude_done(Some("../cc"), &install);
        context.claude_done(None, &["sync", "--scope", "user"]);
        context.claude_done(None, &remove);
        let skill = context.root().join("../cc/skills/pdf");
        assert!(skill.is_dir());
        if last != Some("../cc") {
            let there = "cc/skills`, which is not used as the variables are set";
            let listed = context.claude_done(last, &["list", "--installed"]);
            assert!(
                listed.contains(there) && listed.contains("`pdf`"),
                "{listed}"
            );
            let told = context.claude_done(last, &["sync", "--scope", "user"]);
            assert!(told.contains(there), "{told}");
            for command in ["why", "update"] {
                let asked = [command, "pdf", "--scope", "user"];
                let (is_done, told) = context.claude(last, &asked);
                assert!(!is_done && told.contains(there), "{told}");
            }
        }
        let told = context.claude_done(last, &remove);
        assert!(told.contains("- pdf"), "{told}");
        assert!(!skill.exists(), "{last:?}");
        // Nothing knows it any more, so one's own may be called so.
        let (is_done, _) = context.claude(last, &remove);
        assert!(!is_done);
        context.write_skill("../cc/skills/pdf");
        let shown = context.claude_done(Some("../cc"), &["show", "pdf"]);
        assert!(!shown.contains("locked"), "{shown}");
    }
}

#[test]
fn what_the_user_wrote_is_meant_before_what_was_left() {
    let server = web();
    let context = TestContext::new();
    let url = server.url("/pdf.zip");
    context.claude_done(
        Some("../cc"),
        &[&["install", url.as_str()][..], &IN].concat(),
    );
    let remove = ["remove", "pdf", "--scope", "user", "--yes"];
    context.claude_done(None, &remove);
    context.write_skill("../home/.claude/skills/pdf");
    let (is_done, told) = context.claude(None, &remove);
    assert!(
        !is_done && told.contains("`pdf` was not installed"),
        "{told}"
    );
    context.claude_done(None, &[&remove[..], &["--force"]].concat());
    assert!(!context.in_home(".claude/skills/pdf").exists());
    assert!(context.root().join("../cc/skills/pdf").is_dir());
}

#[test]
fn what_was_left_there_is_synced_when_the_variable_names_it_again() {
    let server = web();
    let url = server.url("/pdf.zip");
    let install = [&["install", url.as_str()][..], &IN].concat();
    let sync = ["sync", "--scope", "user"];
    let cc = Some("../cc");
    // Removed meanwhile.
    let context = TestContext::new();
    context.claude_done(cc, &install);
    context.claude_done(None, &["remove", "pdf", "--scope", "user", "--yes"]);
    let skill = context.root().join("../cc/skills/pdf");
    assert!(skill.is_dir());
    context.claude_done(cc, &sync);
    assert!(!skill.exists());
    // Changed meanwhile.
    let context = TestContext::new();
    context.claude_done(cc, &install);
    let other = Server::start(|_| Reply::ok(packed("pdf/", "two", PackFormat::Zip)));
    let other = other.url("/pdf.zip");
    let force = [&["install", other.as_str()][..], &IN, &["--force"]].concat();
    context.claude_done(None, &force);
    let file = context.root().join("../cc/skills/pdf/SKILL.md");
    let now = || std::fs::read_to_string(&file).unwrap();
    assert!(now().contains("one"), "{}", now());
    // What else is installed meanwhile says nothing of it.
    context.write_skill("mine");
    context.claude_done(cc, &["install", "./mine", "--scope", "user"]);
    context.is_foreign(None, file.parent().unwrap(), STRANGE);
    context.claude_done(cc, &sync);
    assert!(now().contains("two"), "{}", now());
}

#[test]
fn what_was_removed_there_makes_room_for_ones_own() {
    let server = web();
    let context = TestContext::new();
    let url = server.url("/pdf.zip");
    let install = [&["install", url.as_str()][..], &IN].concat();
    let cc = Some("../cc");
    context.claude_done(cc, &install);
    context.claude_done(cc, &["remove", "pdf", "--scope", "user", "--yes"]);
    context.write_skill("../cc/skills/pdf");
    let shown = context.claude_done(cc, &["show", "pdf"]);
    assert!(!shown.contains("locked"), "{shown}");
    let listed = context.claude_done(cc, &["list"]);
    assert!(listed.contains("✓ pdf"), "{listed}");
}

#[test]
fn what_lies_there_is_what_was_put_there_and_not_what_is_locked_by_now() {
    let is_newer = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_newer);
    let server = Server::start(move |_| {
        let version = if asked.load(Ordering::Relaxed) {
            "two"
        } else {
            "one"
        };
        Reply::ok(packed("pdf/", version, PackFormat::Zip))
    });
    let context = TestContext::new();
    let url = server.url("/pdf.zip");
    let (cc, dd) = (Some("../cc"), Some("../dd"));
    context.claude_done(cc, &[&["install", url.as_str()][..], &IN].concat());
    is_newer.store(true, Ordering::Relaxed);
    context.claude_done(dd, &["update", "--scope", "user", "--yes"]);
    context.write_skill("lib/other");
    context.claude_done(cc, &[&["install", "./lib/other"][..], &IN].concat());
    for (folder, variable) in [(cc, None), (cc, dd), (dd, cc)] {
        let skill = context.root().join(folder.unwrap()).join("skills/pdf");
        context.is_foreign(variable, &skill.canonicalize().unwrap(), STRANGE);
    }
    // What was seen to is what is locked.
    context.claude_done(cc, &["sync", "--scope", "user", "--force"]);
    let skill = context.root().join("../cc/skills/pdf");
    context.is_foreign(None, &skill.canonicalize().unwrap(), STRANGE);
}

#[test]
fn what_is_left_there_is_no_other_skill() {
    let context = TestContext::new();
    context.write_skill("lib/pdf");
    context.claude_done(None, &[&["install", "./lib/pdf"][..], &IN].concat());
    let remove = ["remove", "pdf", "--scope", "user", "--dry-run"];
    let told = context.claude_done(Some("../cc"), &[&remove[..], &["--json"]].concat());
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["stays"], serde_json::json!([]));
    let folder = told["left"][0]["folder"].as_str().unwrap();
    assert!(folder.ends_with("home/.claude/skills/pdf"), "{told}");
    let told = context.claude_done(Some("../cc"), &remove[..4]);
    assert!(told.contains("still has `pdf`"), "{told}");
    assert!(!told.contains("another skill"), "{told}");
    // A second time it goes from there.
    context.claude_done(Some("../cc"), &remove[..4]);
    assert!(!context.in_home(".claude/skills/pdf").exists());
}
