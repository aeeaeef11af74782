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
