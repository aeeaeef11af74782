//! Which files of a skill are scripts, and who understands them: the first line of a file says so, or
//! else the end of its name.
//!
//! Whoever is asked about a skill, and whoever approves it, is shown what this calls a script; it is
//! all that can be started, and what looks as if it could be.

use std::path::Path;

/// So much of a file is looked at.
pub const BEGINNING: usize = 512;

/// Ends of names, and the command for each with what stands before the script.
const STARTED: &[(&str, &str, &[&str])] = &[
    ("sh", "sh", &[]),
    ("bash", "bash", &[]),
    ("py", "python3", &[]),
    ("js", "node", &[]),
    ("mjs", "node", &[]),
    ("cjs", "node", &[]),
    // The sandbox is what holds a script; a second list of rights would only differ from it.
    ("ts", "deno", &["run", "--allow-all", "--no-remote"]),
    ("rb", "ruby", &[]),
    ("pl", "perl", &[]),
    ("ps1", "pwsh", &["-NoProfile", "-NonInteractive", "-File"]),
];

/// Ends of names of what nothing here starts, and others do.
const STARTED_BY_OTHERS: &[&str] = &["bat", "cmd", "fish", "lua", "php", "zsh"];

/// How a script is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Starter {
    /// It is a program itself.
    Itself,
    /// By a command.
    Command {
        /// The name of the command.
        name: String,
        /// What it is told before the script.
        arguments: Vec<String>,
    },
}

/// How a file with this path in its skill is started, by the beginning of its content.
pub fn starter(path: &str, content: &[u8]) -> Option<Starter> {
    let start = &content[..content.len().min(BEGINNING)];
    if start.starts_with(b"\x7fELF") {
        return Some(Starter::Itself);
    }
    let (name, arguments) = shebang(start).or_else(|| by_extension(path))?;
    Some(Starter::Command { name, arguments })
}

/// Whether a file counts as a script: it is meant to be run, or can be started.
pub fn is_script(path: &str, executable: bool, content: &[u8]) -> bool {
    let is_others = || extension(path).is_some_and(|end| STARTED_BY_OTHERS.contains(&&*end));
    executable || path.starts_with("scripts/") || starter(path, content).is_some() || is_others()
}

/// Whether a file lies where scripts do, in `scripts/` or beside `SKILL.md`, and is called like one.
pub fn is_placed(path: &str) -> bool {
    path.starts_with("scripts/") || (!path.contains('/') && is_script(path, false, b""))
}

/// Whether a file that begins so is a program that a compiler made, for Linux, macOS or Windows.
pub fn is_compiled(start: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 7] = [
        b"\x7fELF",
        b"\xcf\xfa\xed\xfe",
        b"\xce\xfa\xed\xfe",
        b"\xfe\xed\xfa\xcf",
        b"\xfe\xed\xfa\xce",
        b"\xca\xfe\xba\xbe",
        b"MZ",
    ];
    BEGINNINGS.iter().any(|each| start.starts_with(each))
}

/// The command of a `#!` line and its arguments; the folder of the command does not count,
/// because scripts are written on other machines.
fn shebang(start: &[u8]) -> Option<(String, Vec<String>)> {
    let line = start
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let line = std::str::from_utf8(line).ok()?.trim();
    let mut words = line.split_whitespace().map(str::to_owned);
    let mut command = base(&words.next()?);
    if command == "env" {
        // Options of `env`, and variables that it would set, are passed over.
        command = words
            .find(|word| !word.starts_with('-') && !word.contains('='))
            .map(|word| base(&word))?;
    }
    let command = if command == "python" {
        "python3".to_owned()
    } else {
        command
    };
    Some((command, words.collect()))
}

fn base(word: &str) -> String {
    word.rsplit('/').next().unwrap_or(word).to_owned()
}

fn by_extension(path: &str) -> Option<(String, Vec<String>)> {
    let end = extension(path)?;
    let (_, command, arguments) = STARTED.iter().find(|(each, ..)| *each == end)?;
    Some((
        (*command).to_owned(),
        arguments.iter().map(|&each| each.to_owned()).collect(),
    ))
}

fn extension(path: &str) -> Option<String> {
    Some(Path::new(path).extension()?.to_str()?.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines_are_understood() {
        let check = |line: &str, command: &str, arguments: &[&str]| {
            let (found, rest) = shebang(line.as_bytes()).unwrap();
            assert_eq!(
                (found.as_str(), rest),
                (
                    command,
                    arguments.iter().map(|&each| each.to_owned()).collect()
                ),
                "{line}"
            );
        };
        check("#!/bin/bash -e\nx", "bash", &["-e"]);
        check("#!/usr/bin/env python3\n", "python3", &[]);
        check("#!/usr/bin/env -S python -u\r\n", "python3", &["-u"]);
        check("#! /opt/x/bin/node", "node", &[]);
        check("#!/usr/bin/env A=b ruby -w", "ruby", &["-w"]);
        for line in [
            "",
            "echo",
            "#!",
            "#!\n",
            "#!/usr/bin/env\n",
            "#!/usr/bin/env -S\n",
        ] {
            assert_eq!(shebang(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn ends_of_names_are_understood() {
        for (name, command) in [
            ("a.py", "python3"),
            ("x/b.SH", "sh"),
            ("c.mjs", "node"),
            ("d.ps1", "pwsh"),
            ("e.ts", "deno"),
        ] {
            assert_eq!(by_extension(name).unwrap().0, command);
        }
        assert_eq!(by_extension("SKILL.md"), None);
        assert_eq!(by_extension("scripts/run"), None);
    }

    #[test]
    fn what_can_be_started_is_a_script_whatever_it_is_called() {
        for (path, executable, content) in [
            ("references/z.md", false, "#!/bin/sh\n"),
            ("references/q.json", false, "#!/usr/bin/env python3"),
            ("references/program", false, "\x7fELF"),
            ("tools/x.PY", false, ""),
            ("tools/x.lua", false, ""),
            ("tools/x", true, ""),
            ("scripts/data.txt", false, ""),
        ] {
            assert!(is_script(path, executable, content.as_bytes()), "{path}");
        }
        for (path, content) in [("SKILL.md", "---\n"), ("a.txt", "# !/bin/sh\n"), ("b", "")] {
            assert!(!is_script(path, false, content.as_bytes()), "{path}");
        }
    }
}
