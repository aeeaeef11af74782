//! Files and repositories of strangers that would never end: refused before they fill the memory.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;

use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use crate::TestContext;
use crate::project::{installed, project};
use crate::servers::repository::{Repository, skill};

/// The memory that a command may have, in KiB: much more than it needs, much less than an attack takes.
const MEMORY: u64 = 1 << 20;

impl TestContext {
    /// Runs the binary with little memory; returns what it told, and its exit code.
    fn confined(&self, arguments: &[&str]) -> (String, Option<i32>) {
        let limit = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
        let mut confined = self.command("sh");
        confined.args(["-c", &limit, env!("CARGO_BIN_EXE_skillyard")]);
        confined.args(arguments);
        let output = crate::output(&mut confined);
        let told = crate::text(&output.stderr) + &crate::text(&output.stdout);
        (told, output.status.code())
    }
}

#[test]
fn a_repository_that_lists_the_same_folder_for_ever_is_refused() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let entries = context.outside("entries");
    let tree = |text: &str| {
        fs::write(&entries, text).unwrap();
        let script = format!("git mktree < '{}'", entries.display());
        let mut command = context.command("sh");
        command
            .current_dir(&repository.folder)
            .args(["-c", &script]);
        crate::text(&crate::output(&mut command).stdout)
            .trim()
            .to_owned()
    };
    let blob = repository.git(&["hash-object", "-w", "skills/pdf/SKILL.md"]);
    let mut level = tree(&format!("100644 blob {blob}\tSKILL.md\n"));
    // Ten to the seventh files, in seven small trees.
    for _ in 0..7 {
        let mut text = String::new();
        for at in 0..10 {
            let _ = writeln!(text, "040000 tree {level}\t{at}{}", "n".repeat(20));
        }
        level = tree(&text);
    }
    let commit = repository.git(&["commit-tree", &level, "-m", "bomb"]);
    repository.git(&["update-ref", "refs/heads/bomb", &commit]);
    let reference = format!("{}@bomb", repository.url());
    let (told, code) = context.confined(&["install", &reference, "--yes", "--all"]);
    assert!(
        told.contains("git could not list the files: they are more than 67108864 bytes"),
        "{told}"
    );
    assert_eq!(code, Some(1), "{told}");
    context.nothing_left();
}

#[test]
fn a_lock_and_a_manifest_are_files_and_not_too_large() {
    let context = installed();
    let secret = context.outside("secret");
    fs::create_dir_all(context.outside("")).unwrap();
    fs::write(&secret, "token = sesame-0123456789\n").unwrap();
    for name in ["skills.lock", "skills.toml"] {
        let file = context.root().join(name);
        let before = fs::read(&file).unwrap();
        for to in [secret.as_path(), "/dev/zero".as_ref()] {
            fs::remove_file(&file).unwrap();
            symlink(to, &file).unwrap();
            for command in [
                &["sync"][..],
                &["install", "./lib/pdf", "--yes"],
                &["remove", "pdf"],
            ] {
                let (told, code) = context.confined(command);
                assert!(told.contains("it is a symbolic link"), "{name}: {told}");
                assert!(told.contains("hint: Look what it leads to"), "{told}");
                assert!(!told.contains("sesame"), "{told}");
                assert_eq!(code, Some(2), "{told}");
            }
            // What only looks at the lock does without.
            let (told, code) = context.confined(&["list"]);
            assert_eq!(code, Some(0), "{told}");
        }
        fs::remove_file(&file).unwrap();
        let large = fs::File::create(&file).unwrap();
        large.set_len(8 << 30).unwrap();
        let (told, code) = context.confined(&["sync"]);
        assert!(told.contains("it has more than 16777216 bytes"), "{told}");
        assert_eq!(code, Some(2), "{told}");
        fs::remove_file(&file).unwrap();
        let pipe = crate::output(context.command("mkfifo").arg(&file));
        assert!(pipe.status.success());
        let (told, _) = context.confined(&["sync"]);
        assert!(told.contains("it is not a file"), "{told}");
        fs::remove_file(&file).unwrap();
        fs::write(&file, &before).unwrap();
    }
    context.done(&["sync"]);
}

#[test]
fn skills_that_need_each_other_crosswise_are_explained_at_once() {
    let context = project();
    let mut lock = "version = 1\n".to_owned();
    let mut add = |name: &str, requires: &str, dependency: bool| {
        let digest = "0".repeat(64);
        let _ = write!(
            lock,
            "\n[[skill]]\nname = \"{name}\"\nsource = \"./x\"\norigin = \"local-folder\"\n\
             digest = \"sha256:{digest}\"\ntargets = [\".agents/skills\"]\n\
             requires = [{requires}]\ndependency = {dependency}\n"
        );
    };
    let level = |at: usize| (0..4).map(move |each| format!("l{at}-{each}"));
    let quoted = |names: Vec<String>| format!("\"{}\"", names.join("\", \""));
    add("root", &quoted(level(0).collect()), false);
    for at in 0..20 {
        // Round in circles, too.
        let next: Vec<String> = level(at + 1).chain(level(at)).collect();
        level(at).for_each(|name| add(&name, &quoted(next.clone()), true));
    }
    level(20).for_each(|name| add(&name, "\"goal\"", true));
    add("goal", "", true);
    add("alone", "\"alone-too\", \"goal\"", true);
    add("alone-too", "\"alone\"", true);
    context.write("skills.lock", &lock);
    context.write("skills.toml", "[skills]\nroot = \"./x\"\n");
    let (told, code) = context.confined(&["why", "goal"]);
    assert_eq!(code, Some(0), "{told}");
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 4, "{told}");
    for (line, last) in lines.iter().zip(level(20)) {
        assert!(line.starts_with("root → l0-"), "{line}");
        assert!(line.ends_with(&format!(" → {last} → goal")), "{line}");
        assert_eq!(line.matches('→').count(), 22, "{line}");
    }
}

#[test]
fn a_skill_of_git_has_the_limits_of_a_skill() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let deep = format!("{}x.md", "d/".repeat(16));
    let long = format!("{}.md", "n".repeat(126));
    let path = format!("{0}/{0}/x.md", "p".repeat(120));
    for (name, reason) in [
        (deep.as_str(), "is 17 folders deep; at most 16 are accepted"),
        (&long, "has a name of 129 bytes in its path; at most 128"),
        (&path, "has a path of 246 bytes; at most 240"),
        ("aux.txt", "has a name that is a device on Windows"),
        ("one:b.md", "has a colon in its name"),
        ("what?.md", "has `?` in its name"),
        ("end.", "has a name that ends in a dot or a space"),
    ] {
        let whole = format!("skills/pdf/{name}");
        repository.write(&whole, "x").commit(reason);
        let git = format!("{}#skills/pdf", repository.url());
        let told = context.refused(&["install", &git, "--yes"]);
        assert!(told.contains(reason), "git: {told}");
        // A folder is held to the same.
        let folder = repository.folder.join("skills/pdf");
        let told = context.refused(&["install", folder.to_str().unwrap(), "--yes"]);
        assert!(told.contains(reason), "folder: {told}");
        context.nothing_left();
        fs::remove_file(repository.folder.join(&whole)).unwrap();
        repository.commit("gone");
    }
    // As far as it may go.
    let deep = format!("{}x.md", "d/".repeat(15));
    let long = format!("{}.md", "n".repeat(125));
    repository
        .write(&format!("skills/pdf/{deep}"), "x")
        .write(&format!("skills/pdf/{long}"), "x")
        .commit("just so");
    context.done(&[
        "install",
        &format!("{}#skills/pdf", repository.url()),
        "--yes",
    ]);
    assert_eq!(context.read(&format!(".agents/skills/pdf/{deep}")), "x");
}

#[test]
fn a_name_in_a_skill_of_git_that_is_no_text_is_an_error() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let context = project();
    let repository = Repository::with_pdf(&context);
    repository.write("skills/csv/SKILL.md", skill("csv", "one"));
    let name = OsStr::from_bytes(b"a\xff.md");
    fs::write(repository.folder.join("skills/pdf").join(name), "x").unwrap();
    repository.commit("no text");
    let url = repository.url();
    let told = context.refused(&["install", &format!("{url}#skills/pdf"), "--yes"]);
    assert!(
        told.contains("is not a name that every system can have"),
        "{told}"
    );
    context.nothing_left();
    // Elsewhere in the repository it is not our concern.
    context.done(&["install", &format!("{url}#skills/csv"), "--yes"]);
}

/// An archive of a skill with further files.
fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let skill = skill("pdf", "one");
    let document = PackFile {
        path: "pdf/SKILL.md",
        mode: Mode::Plain,
        content: skill.as_bytes(),
    };
    let more = files.iter().map(|(path, content)| PackFile {
        path,
        mode: Mode::Plain,
        content,
    });
    let files: Vec<PackFile> = std::iter::once(document).chain(more).collect();
    pack(&files, PackFormat::Zip, &Limits::repository()).unwrap()
}

/// Bytes that no packing makes smaller.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let bytes = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    bytes.flatten().take(count).collect()
}

#[test]
fn of_every_limit_that_can_be_raised_it_is_told_how() {
    let many = (0..2_100).map(|number| (format!("pdf/{number}.md"), b"x".to_vec()));
    for (files, key) in [
        (
            vec![("pdf/one.bin".to_owned(), noise(17 << 20))],
            "max_bytes",
        ),
        (
            vec![("pdf/one.bin".to_owned(), noise(33 << 20))],
            "max_bytes",
        ),
        (many.collect(), "max_files"),
    ] {
        let context = TestContext::new();
        context.write("pdf.zip", archive(&files));
        let told = context.run(&["install", "./pdf.zip", "--yes"]);
        let hint = format!("`--config limits.{key}=NUMBER` this once");
        assert!(told.contains(&hint), "{told}");
        let raised = [
            "--config",
            "limits.max_files=3000",
            "--config",
            "limits.max_bytes=67108864",
        ];
        let install = [&["install", "./pdf.zip", "--yes"][..], &raised].concat();
        context.done(&install);
    }
}
