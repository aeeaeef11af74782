//! Who understands a script: its first line says so, or else the end of its name.

use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::installation;
use crate::error::RunError;

/// Ends of names, and the command for each with what stands before the script.
const EXTENSIONS: &[(&str, &str, &[&str])] = &[
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

/// Folders that every sandbox shows.
const SHOWN: &[&str] = &["/usr", "/bin", "/sbin", "/nix/store", "/run/current-system"];

/// How a script is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interpreter {
    /// The program; `None` if the script is one itself.
    pub(crate) program: Option<PathBuf>,
    /// What it is told before the script.
    pub(crate) arguments: Vec<OsString>,
    /// The program and what belongs to it, as far as the sandbox does not show it anyway.
    pub(crate) installation: Vec<PathBuf>,
}

/// Finds the interpreter of a script, whose path in the skill is `name`.
pub(crate) fn find(
    script: &Path,
    name: &str,
    path: &[PathBuf],
    home: Option<&Path>,
) -> Result<Interpreter, RunError> {
    let start = beginning(script);
    if start.starts_with(b"\x7fELF") {
        return Ok(Interpreter {
            program: None,
            arguments: Vec::new(),
            installation: Vec::new(),
        });
    }
    let (command, arguments) = shebang(&start)
        .or_else(|| by_extension(name))
        .ok_or_else(|| RunError::NotAScript(name.to_owned()))?;
    let missing = || RunError::NoInterpreter {
        script: name.to_owned(),
        interpreter: command.clone(),
    };
    let (program, installation) = locate(&command, path, home).ok_or_else(missing)?;
    Ok(Interpreter {
        program: Some(program),
        arguments: arguments.into_iter().map(OsString::from).collect(),
        installation,
    })
}

fn beginning(script: &Path) -> Vec<u8> {
    let mut start = Vec::new();
    // What cannot be read has no beginning, and is no script then.
    let _ = fs::File::open(script).map(|file| file.take(512).read_to_end(&mut start));
    start
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

fn by_extension(name: &str) -> Option<(String, Vec<String>)> {
    let end = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
    let (_, command, arguments) = EXTENSIONS.iter().find(|(each, ..)| *each == end)?;
    Some((
        (*command).to_owned(),
        arguments.iter().map(|&each| each.to_owned()).collect(),
    ))
}

/// The first program of this name that every sandbox shows.
pub(crate) fn program(name: &str, path: &[PathBuf]) -> Option<PathBuf> {
    let (program, installation) = locate(name, path, None)?;
    installation.is_empty().then_some(program)
}

/// The first program of this name that a sandbox can show, and what it shows for it alone.
fn locate(command: &str, path: &[PathBuf], home: Option<&Path>) -> Option<(PathBuf, Vec<PathBuf>)> {
    let usual = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    let folders = path
        .iter()
        .filter(|folder| folder.is_absolute())
        .chain(&usual);
    folders
        .map(|folder| folder.join(command))
        .find_map(|program| {
            let metadata = program.metadata().ok()?;
            if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
                return None;
            }
            let real = program.canonicalize().ok()?;
            let is_shown = |path: &Path| SHOWN.iter().any(|folder| path.starts_with(folder));
            if is_shown(&real) {
                // By the name it has in a shown folder, which may say what it is to be.
                let named = if is_shown(&program) { program } else { real };
                return Some((named, Vec::new()));
            }
            // A small script in the place of a program leads to all kinds of places, and is
            // passed over.
            let is_program = beginning(&real).starts_with(b"\x7fELF");
            let places = installation::places(&real, home).filter(|_| is_program)?;
            Some((real, places))
        })
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
    fn a_home_is_no_installation() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["bin", ".local/bin", "node/v1/bin"] {
            fs::create_dir_all(home.join(folder)).unwrap();
            fs::copy("/bin/true", home.join(folder).join("tool")).unwrap();
        }
        let found = |folder: &str| locate("tool", &[home.join(folder)], Some(&home));
        assert_eq!(found("bin"), None);
        assert_eq!(found(".local/bin"), None);
        let (program, installation) = found("node/v1/bin").unwrap();
        assert_eq!(program, home.join("node/v1/bin/tool"));
        assert_eq!(installation, [home.join("node/v1/bin/tool")]);
        // A shim is passed over for what comes later.
        fs::write(home.join("node/v1/bin/sh"), "#!/bin/bash\n").unwrap();
        fs::set_permissions(
            home.join("node/v1/bin/sh"),
            fs::Permissions::from_mode(0o755),
        )
        .unwrap();
        let (program, _) = locate("sh", &[home.join("node/v1/bin")], Some(&home)).unwrap();
        assert_eq!(program, Path::new("/usr/bin/sh"));
        assert_eq!(
            locate("sh", &[PathBuf::from("relative")], None).unwrap().0,
            Path::new("/usr/bin/sh")
        );
    }
}
