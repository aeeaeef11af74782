//! Archives by the tools people have, where those are installed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use skillyard_format::package::archive::{Archive, Mode, Rules, Shape};
use tempfile::TempDir;

use crate::support::{SKILL, unpack};

/// A skill with what tools treat specially: a script, a long path, a name beyond ASCII, an empty folder.
fn skill_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("pdf");
    let deep = root
        .join("references")
        .join("r".repeat(60))
        .join("s".repeat(60));
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::create_dir_all(root.join("empty")).unwrap();
    std::fs::write(root.join("SKILL.md"), SKILL).unwrap();
    std::fs::write(root.join("run.sh"), "#!/bin/sh\n".repeat(50)).unwrap();
    std::fs::write(root.join("café.txt"), "ü").unwrap();
    std::fs::write(deep.join("notes.md"), "notes").unwrap();
    make_executable(&root.join("run.sh"));
    folder
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &Path) {}

/// What must come out, relative to the skill.
fn expected() -> BTreeMap<String, (Mode, Vec<u8>)> {
    let long = format!("references/{}/{}/notes.md", "r".repeat(60), "s".repeat(60));
    let script = if cfg!(unix) {
        Mode::Executable
    } else {
        Mode::Plain
    };
    BTreeMap::from([
        ("SKILL.md".to_owned(), (Mode::Plain, SKILL.to_vec())),
        (
            "run.sh".to_owned(),
            (script, "#!/bin/sh\n".repeat(50).into_bytes()),
        ),
        (
            "café.txt".to_owned(),
            (Mode::Plain, "ü".as_bytes().to_vec()),
        ),
        (long, (Mode::Plain, b"notes".to_vec())),
    ])
}

/// Runs a shell line in the folder; false when a program is missing.
#[expect(
    clippy::disallowed_methods,
    reason = "the test makes its archives with the real programs"
)]
fn run(folder: &Path, program: &str, line: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        return false;
    }
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    true
}

fn check(program: &str, line: &str, root: &str) {
    let folder = skill_folder();
    if !run(folder.path(), program, line) {
        return;
    }
    let bytes = std::fs::read(folder.path().join("out")).unwrap();
    let unpacked = unpack(&bytes).unwrap_or_else(|error| panic!("{line}: {error}"));
    let found: BTreeMap<_, _> = unpacked
        .files
        .into_iter()
        .map(|(path, file)| (path.strip_prefix(root).unwrap_or(&path).to_owned(), file))
        .collect();
    assert_eq!(found, expected(), "{line}");
    assert_eq!(unpacked.shape == Shape::Flat, root.is_empty(), "{line}");
}

#[test]
fn tar_archives_are_accepted() {
    check("tar", "tar -cf out pdf", "pdf/");
    check("tar", "tar -czf out pdf", "pdf/");
    check("tar", "tar -C pdf -czf out .", "");
    check("tar", "tar --format=ustar -cf out pdf", "pdf/");
    check("tar", "tar --format=posix -cf out pdf", "pdf/");
    check("tar", "tar --format=gnu -czf out pdf", "pdf/");
    check("tar", "tar --format=oldgnu -cf out pdf", "pdf/");
    check("tar", "tar --format=pax -cf - pdf | gzip -9 > out", "pdf/");
    check("zstd", "tar -cf - pdf | zstd -q -19 > out", "pdf/");
    check(
        "zstd",
        "tar -cf in.tar pdf && zstd -q in.tar -o out",
        "pdf/",
    );
    check("bsdtar", "bsdtar -czf out pdf", "pdf/");
    check("bsdtar", "bsdtar -a -cf x.zip pdf && mv x.zip out", "pdf/");
}

#[test]
fn zip_archives_are_accepted() {
    check("zip", "zip -qr out.zip pdf && mv out.zip out", "pdf/");
    check(
        "zip",
        "cd pdf && zip -qr ../out.zip . && mv ../out.zip ../out",
        "",
    );
    check("zip", "zip -q0rX out.zip pdf && mv out.zip out", "pdf/");
    check("zip", "zip -qDr - pdf > out", "pdf/");
    check("zip", "zip -qr - pdf | cat > out", "pdf/");
}

#[test]
fn python_archives_are_accepted() {
    check("python3", "python3 -m zipfile -c out pdf", "pdf/");
    check(
        "python3",
        "python3 -m tarfile -c out.tgz pdf && mv out.tgz out",
        "pdf/",
    );
    for format in ["zip", "tar", "gztar"] {
        let make = format!(
            "import shutil, os; os.rename(shutil.make_archive('made', '{format}', '.', 'pdf'), 'out')"
        );
        check("python3", &format!("python3 -c \"{make}\""), "pdf/");
        let make = format!(
            "import shutil, os; os.rename(shutil.make_archive('made', '{format}', 'pdf'), 'out')"
        );
        check("python3", &format!("python3 -c \"{make}\""), "");
    }
    let wide = "import zipfile, os
z = zipfile.ZipFile('out', 'w', zipfile.ZIP_DEFLATED)
for base, folders, files in os.walk('pdf'):
    for name in files:
        path = os.path.join(base, name)
        info = zipfile.ZipInfo.from_file(path)
        info.compress_type = zipfile.ZIP_DEFLATED
        with z.open(info, 'w', force_zip64=True) as entry: entry.write(open(path, 'rb').read())
z.close()";
    check("python3", &format!("python3 -c \"{wide}\""), "pdf/");
}

#[test]
fn git_archives_are_accepted() {
    let commit =
        "git init -q . && git add pdf && git -c user.name=a -c user.email=a@b commit -qm x";
    for format in ["tar", "tar.gz", "zip"] {
        let line = format!("{commit} && git archive --format={format} -o made HEAD && mv made out");
        check("git", &line, "pdf/");
        let folder = skill_folder();
        let line =
            format!("{commit} && git archive --prefix=repo-1/ --format={format} -o out HEAD");
        if run(folder.path(), "git", &line) {
            let reader = std::fs::File::open(folder.path().join("out")).unwrap();
            let archive = Archive::open(reader, Rules::repository()).unwrap();
            let shape = archive.listing().repository_shape().unwrap();
            assert_eq!(
                shape,
                Shape::Repository {
                    root: "repo-1".to_owned()
                }
            );
            assert!(
                archive
                    .listing()
                    .files()
                    .any(|(path, ..)| path.as_str() == "repo-1/pdf/SKILL.md")
            );
        }
    }
}
