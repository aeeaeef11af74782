//! Files and repositories of strangers that would never end: refused before they fill the memory.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;

use crate::TestContext;
use crate::project::{installed, project};
use crate::servers::repository::Repository;

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
