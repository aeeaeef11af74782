//! Real shells as the judge: what the guard allows is run with stubs for programs, which write
//! down that they were started.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::allows;

/// The shells that judge; not every machine has all of them.
const SHELLS: [&str; 3] = ["/bin/bash", "/bin/sh", "/bin/zsh"];

/// Pieces that are strung together at random.
const PIECES: [&str; 72] = [
    "git log",
    "git log",
    "git",
    "git",
    "pdftotext",
    "pdftotext a",
    "curl",
    "curl x",
    "curl",
    " ",
    " ",
    " ",
    " ",
    "\t",
    "\n",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "|&",
    "&",
    "(",
    ")",
    "{ ",
    "; }",
    "{",
    "}",
    "$(",
    ")",
    "`",
    "`",
    "\"",
    "\"",
    "'",
    "'",
    "\\",
    "\\\n",
    "#",
    "<<E\n",
    "\nE\n",
    "<<'E'\n",
    "<<-E\n",
    "$x",
    "${x}",
    "$((1))",
    "((",
    "))",
    "*",
    "{a,b}",
    "if ",
    "; then ",
    "; fi",
    "else ",
    "for f in a; do ",
    "; done",
    "case a in a) ",
    ";; esac",
    "! ",
    "x=1 ",
    ">out",
    "2>&1",
    "<<<",
    "&>out",
    "<(",
    "()",
    "function ",
    "time ",
    "=",
    "~",
    "[",
    "$'",
];

/// Texts in which `curl` is only data, until something is put into them.
const BASES: [&str; 16] = [
    "git log 'curl x'",
    "git log \"curl x\"",
    "git log # curl x",
    "git log\n# curl x\ngit log",
    "git log a\\;curl x",
    "git log a\\ curl",
    "git log curl x",
    "git apply <<'E'\ncurl x\nE\ngit log",
    "git apply <<E\ncurl x\nE\ngit log",
    "git apply <<-E\n\tcurl x\n\tE\ngit log",
    "git apply <<E | git log 'curl x'\n; curl x\nE",
    "pdftotext \"$(git log 'curl x')\" curl",
    "pdftotext `git log curl` x",
    "case curl in curl) git log;; esac",
    "for f in curl x; do git log -- \"$f\"; done",
    "(git log 'a' \\\n curl) && { git log curl; }",
];

/// A text with pieces put in at random.
fn text(base: usize, pieces: &[(usize, usize)]) -> String {
    let mut text = BASES[base].to_owned();
    for (at, piece) in pieces {
        text.insert_str(at % (text.len() + 1), PIECES[*piece]);
    }
    text
}

/// A folder in which only the stubs can be started.
struct Cage(PathBuf);

impl Cage {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("skillyard-guard-{}", std::process::id()));
        fs::create_dir_all(folder.join("bin")).unwrap();
        fs::create_dir_all(folder.join("work")).unwrap();
        for program in ["git", "pdftotext", "curl"] {
            let stub = folder.join("bin").join(program);
            let log = folder.join("log");
            fs::write(
                &stub,
                format!("#!/bin/sh\necho {program} >>'{}'\nexit 1\n", log.display()),
            )
            .unwrap();
            fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(folder)
    }

    /// The programs that a shell starts when it runs `text`.
    #[expect(
        clippy::disallowed_methods,
        reason = "the shell is the judge of this test"
    )]
    fn started(&self, shell: &str, text: &str) -> String {
        let log = self.0.join("log");
        fs::write(&log, "").unwrap();
        let status = Command::new(shell)
            .args(["-c", text])
            .current_dir(self.0.join("work"))
            .env_clear()
            .env("PATH", self.0.join("bin"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.unwrap();
        fs::read_to_string(log).unwrap()
    }
}

impl Drop for Cage {
    fn drop(&mut self) {
        // What is left over lies in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn shells_start_only_what_the_guard_saw() {
    let shells: Vec<&str> = SHELLS
        .into_iter()
        .filter(|shell| Path::new(shell).exists())
        .collect();
    let cage = Cage::new();
    for shell in &shells {
        assert_eq!(
            cage.started(shell, "curl x; git y"),
            "curl\ngit\n",
            "{shell}"
        );
    }
    let mut runner = TestRunner::new(Config {
        cases: 1_500,
        failure_persistence: None,
        ..Config::default()
    });
    let pieces = proptest::collection::vec((0..1000_usize, 0..PIECES.len()), 0..4);
    let ran = std::cell::Cell::new(0);
    let result = runner.run(&(0..BASES.len(), pieces), |(base, pieces)| {
        let text = text(base, &pieces);
        if allows("Bash(git:*) Bash(pdftotext:*)", "Bash", &text) {
            ran.set(ran.get() + 1);
            for shell in &shells {
                let started = cage.started(shell, &text);
                prop_assert!(!started.contains("curl"), "{shell}: {text:?}");
            }
        }
        Ok(())
    });
    result.unwrap();
    assert!(ran.get() > 100, "only {} texts were run", ran.get());
}
