//! A real shell as the judge: what the guard allows is run with no programs to be found, and the
//! shell tells which it looked for.

use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::allows;

const BASH: &str = "/bin/bash";

/// Pieces that are strung together at random.
const PIECES: [&str; 46] = [
    "git log",
    "git",
    "pdftotext",
    "curl",
    "curl x",
    " ",
    " ",
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "(",
    ")",
    "{ ",
    "; }",
    "$(",
    ")",
    "`",
    "\"",
    "'",
    "\\",
    "\\\n",
    "#",
    "<<E\n",
    "\nE\n",
    "<<'E'\n",
    "$x",
    "${x}",
    "$((1))",
    "*",
    "{a,b}",
    "if ",
    "; then ",
    "; fi",
    "for f in a; do ",
    "; done",
    "case a in a) ",
    ";; esac",
    "! ",
    "x=1 ",
    ">out",
    "2>&1",
    "<<<",
];

/// The programs that bash looks for when it runs `text`.
#[expect(
    clippy::disallowed_methods,
    reason = "the shell is the judge of this test"
)]
fn programs(text: &str, folder: &Path) -> Vec<String> {
    let script = format!("command_not_found_handle() {{ echo \"$1\" >&9; return 1; }}\n{text}\n");
    let log = folder.join("log");
    let output = std::fs::File::create(&log).unwrap();
    let status = Command::new(BASH)
        .args([
            "--norc",
            "--noprofile",
            "-c",
            &format!("exec 9>'{}'\n{script}", log.display()),
        ])
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    drop(output);
    status.unwrap();
    let text = std::fs::read_to_string(log).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn bash_starts_only_what_the_guard_saw() {
    assert!(Path::new(BASH).exists(), "this test needs {BASH}");
    let folder = std::env::temp_dir().join(format!("skillyard-guard-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    assert_eq!(programs("curl x; git y", &folder), ["curl", "git"]);
    let mut runner = TestRunner::new(Config {
        cases: 10_000,
        failure_persistence: None,
        ..Config::default()
    });
    let pieces = proptest::collection::vec(0..PIECES.len(), 1..9);
    let ran = std::cell::Cell::new(0);
    let result = runner.run(&pieces, |pieces| {
        let text: String = pieces.iter().map(|at| PIECES[*at]).collect();
        if allows("Bash(git:*) Bash(pdftotext:*)", "Bash", &text) {
            ran.set(ran.get() + 1);
            for program in programs(&text, &folder) {
                prop_assert!(
                    program == "git" || program == "pdftotext",
                    "{program}: {text:?}"
                );
            }
        }
        Ok(())
    });
    std::fs::remove_dir_all(&folder).unwrap();
    result.unwrap();
    assert!(ran.get() > 100, "only {} texts were run", ran.get());
}
