//! What belongs to a program that is installed outside of the system's folders.
//!
//! A skill names the program that understands its script, so what is shown for it is that
//! program's own and nothing around it: folders with programs hold other things as well, as
//! `~/.cargo` does its credentials. Only of a folder that is known to be the installation of a
//! language more is shown, and of that only the parts that installations have.

use std::fs;
use std::path::{Path, PathBuf};

/// The parts of most installations. Not `etc`, which has passwords in some.
const USUAL: &[&str] = &["bin", "include", "lib", "lib64", "libexec", "share", "ssl"];

/// How installations are known, and which parts belong to them: a folder holds something of this
/// name, which a version may follow.
const KNOWN: &[(&str, &str, &[&str])] = &[
    ("lib", "python", USUAL),
    ("lib", "pypy", USUAL),
    ("lib", "node_modules", USUAL),
    ("include", "node", USUAL),
    ("lib", "ruby", USUAL),
    ("lib", "perl", USUAL),
    // Perl again, where the name of the folder says already what it is.
    ("lib", "5", USUAL),
    ("lib", "php", USUAL),
    ("lib", "lua", USUAL),
    ("lib", "julia", USUAL),
    ("lib", "R", USUAL),
    ("lib", "ocaml", USUAL),
    ("lib", "tcl", USUAL),
    // Java.
    ("lib", "modules", &["bin", "conf", "lib"]),
    // Go.
    (
        "pkg",
        "tool",
        &["VERSION", "bin", "go.env", "lib", "pkg", "src"],
    ),
    // .NET, without the keys that it keeps in the same folder.
    ("host", "fxr", &["host", "packs", "sdk", "shared"]),
];

/// The places to show for a program, itself among them; none if it lies where no installation
/// does, as in somebody's home.
pub(super) fn places(program: &Path, home: Option<&Path>) -> Option<Vec<PathBuf>> {
    let beside = program.parent()?;
    let folder = if beside.ends_with("bin") {
        beside.parent()?
    } else {
        beside
    };
    let holds = |home: &Path| home.starts_with(folder);
    let holds_home = home.is_some_and(|home| {
        // The program's path is without links, and the home's may not be.
        holds(home) || home.canonicalize().is_ok_and(|home| holds(&home))
    });
    let deep = folder.components().count() > 2;
    if !deep || holds_home || folder.ends_with(".local") {
        return None;
    }
    if is_published(program) {
        return Some(vec![beside.to_owned()]);
    }
    let mut known = KNOWN.iter();
    let known = known.find(|(place, name, _)| any_in(&folder.join(place), |each| is(each, name)));
    let parts = match known {
        Some((.., parts)) => *parts,
        None if any_in(&folder.join("lib"), is_library) => &["lib"],
        None => &[],
    };
    let parts = parts.iter().map(|part| folder.join(part));
    // A link may lead anywhere.
    let mut places: Vec<PathBuf> = parts
        .filter(|part| part.exists() && !part.is_symlink())
        .collect();
    if !places.iter().any(|place| program.starts_with(place)) {
        places.push(program.to_owned());
    }
    Some(places)
}

/// Whether a program of .NET lies in a folder with all it needs, as PowerShell does.
fn is_published(program: &Path) -> bool {
    program.with_added_extension("dll").is_file()
        && program.with_file_name("libcoreclr.so").is_file()
}

fn any_in(folder: &Path, fits: impl Fn(&str) -> bool) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .any(|name| fits(&name))
}

/// Whether this is the name, or the name with a version.
fn is(entry: &str, name: &str) -> bool {
    let rest = entry.strip_prefix(name);
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// Whether this is the name of a shared library.
fn is_library(entry: &str) -> bool {
    let rest = entry.strip_prefix("lib");
    let end = rest.and_then(|rest| rest.split_once(".so"));
    end.is_some_and(|(_, end)| end.is_empty() || end.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown of a home with these files for one of them, by relative paths.
    fn check(files: &[&str], program: &str, expected: &[&str]) {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for file in files.iter().chain([&program]) {
            let file = home.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let found = places(&home.join(program), Some(&home)).unwrap_or_default();
        let found: Vec<_> = found
            .iter()
            .map(|place| place.strip_prefix(&home).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(found, expected, "{program}");
    }

    #[test]
    fn installations_are_shown_with_their_parts() {
        let python = ["p/lib/python3.12/os.py", "p/include/x", "p/etc/secret"];
        check(
            &python,
            "p/bin/python3.12",
            &["p/bin", "p/include", "p/lib"],
        );
        let node = ["v20/lib/node_modules/npm/x", "v20/etc/npmrc", "v20/.npmrc"];
        check(&node, "v20/bin/node", &["v20/bin", "v20/lib"]);
        let perl = ["perl/lib/5.36.0/strict.pm"];
        check(&perl, "perl/bin/perl", &["perl/bin", "perl/lib"]);
        let go = ["go1/pkg/tool/x", "go1/src/fmt/x", "go1/VERSION", "go1/x"];
        let shown = ["go1/VERSION", "go1/bin", "go1/pkg", "go1/src"];
        check(&go, "go1/bin/go", &shown);
        let net = ["net/host/fxr/x", "net/shared/x", "net/corefx/key"];
        check(
            &net,
            "net/dotnet",
            &["net/host", "net/shared", "net/dotnet"],
        );
        let power = ["ps/7/pwsh.dll", "ps/7/libcoreclr.so"];
        check(&power, "ps/7/pwsh", &["ps/7"]);
    }

    #[test]
    fn of_other_folders_only_the_program_is() {
        let cargo = [".cargo/credentials.toml", ".cargo/registry/x"];
        check(&cargo, ".cargo/bin/uv", &[".cargo/bin/uv"]);
        let work = ["work/lib/main.rb", "work/src/x", "work/.env"];
        check(&work, "work/bin/x", &["work/bin/x"]);
        check(&["go/pkg/mod/x"], "go/bin/x", &["go/bin/x"]);
        check(&["tools/secret"], "tools/x", &["tools/x"]);
        let library = ["t/lib/libt.so.1", "t/secret"];
        check(&library, "t/bin/t", &["t/lib", "t/bin/t"]);
        check(&["lib/python3.12/os.py"], "bin/python3", &[]);
        check(&[".local/lib/python3.12/x"], ".local/bin/python3", &[]);
    }

    #[test]
    fn links_are_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["p/lib/python3", "p/bin", "docs"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink("../docs", home.join("p/share")).unwrap();
        let shown = ["p/bin", "p/lib"].map(|part| home.join(part));
        let linked = tempfile::tempdir().unwrap();
        let link = linked.path().join("home");
        std::os::unix::fs::symlink(&home, &link).unwrap();
        let program = home.join("p/bin/python3");
        assert_eq!(places(&program, Some(&link)).unwrap(), shown);
        assert_eq!(places(&home.join("bin/x"), Some(&link)), None);
    }
}
