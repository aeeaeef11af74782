//! The program that understands a script, on this machine.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use skillyard_catalog::regular_file;
use skillyard_format::script::{BEGINNING, Starter, starter};

use super::{ScriptError, installation};

/// Folders that every sandbox shows.
const SHOWN: &[&str] = &["/usr", "/bin", "/sbin", "/nix/store", "/run/current-system"];

/// How a script is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interpreter {
    /// The program; `None` if the script is one itself.
    pub(super) program: Option<PathBuf>,
    /// What it is told before the script.
    pub(super) arguments: Vec<OsString>,
    /// The program and what belongs to it, as far as the sandbox does not show it anyway.
    pub(super) installation: Vec<PathBuf>,
}

/// Finds the interpreter of a script, whose path in the skill is `name`.
pub(super) fn find(
    script: &Path,
    name: &str,
    path: &[PathBuf],
    home: Option<&Path>,
) -> Result<Interpreter, ScriptError> {
    let (command, arguments) = match starter(name, &beginning(script)) {
        None => return Err(ScriptError::NotAScript(name.to_owned())),
        Some(Starter::Itself) => {
            return Ok(Interpreter {
                program: None,
                arguments: Vec::new(),
                installation: Vec::new(),
            });
        }
        Some(Starter::Command { name, arguments }) => (name, arguments),
    };
    let missing = || ScriptError::NoInterpreter {
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

/// As much of a file as it takes to know whether it is a script.
pub fn beginning(script: &Path) -> Vec<u8> {
    // What cannot be read has no beginning, and is no script then.
    regular_file::beginning(script, BEGINNING as u64).unwrap_or_default()
}

/// The first program of this name that every sandbox shows.
pub(super) fn program(name: &str, path: &[PathBuf]) -> Option<PathBuf> {
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
    use std::fs;

    use super::*;

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
