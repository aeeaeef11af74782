//! Where git cannot be asked what it ignores, nothing that it may ignore is delivered without a word.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::install_ignored::ignoring;
use crate::project::project;
use crate::serve_chat::Serving;
use crate::servers::repository::skill;
use crate::signing::Signed;
use crate::{TestContext, output, text};

/// The binary on a machine without git.
fn without_git(context: &TestContext, arguments: &[&str]) -> Command {
    let mut command = context.skillyard();
    command.args(arguments).env("PATH", "/nonexistent");
    command
}

/// What people are told there.
fn told(context: &TestContext, arguments: &[&str]) -> String {
    context.shown(&mut without_git(context, arguments))
}

/// A project whose repository is a working tree of one that is not there, as in a container.
fn torn() -> TestContext {
    let context = ignoring();
    fs::remove_dir_all(context.root().join(".git")).unwrap();
    context.write(".git", "gitdir: /nonexistent/worktrees/work\n");
    context
}

const WARNING: &str = "warning: git could not be asked what it ignores in `[DIR]`: ";
const HINT: &str = "\nhint: Run it where `git` works and all of the repository is at hand, or take such files away first\n";

#[test]
fn what_lists_name_is_left_out_and_the_reason_is_told() {
    let check = |context: &TestContext, told: &str, reason: &str| {
        assert!(told.contains("exit code: 0"), "{told}");
        assert_eq!(told.matches(WARNING).count(), 1, "{told}");
        assert!(told.contains(&format!("{WARNING}{reason}")), "{told}");
        assert!(told.contains(HINT), "{told}");
        let folder = context.root().join(".agents/skills/pdf");
        assert!(folder.join("scripts/run.sh").exists());
        for path in [".env", ".venv", "dist", "kept.log"] {
            assert!(!folder.join(path).exists(), "{path}");
        }
    };
    let context = ignoring();
    let install = ["install", "./lib/pdf"];
    let missing = "the program `git` was not found; what its lists";
    check(&context, &told(&context, &install), missing);
    let torn = torn();
    let failed = "git could not list what it ignores: not a git repository";
    check(&torn, &torn.run(&install), failed);

    let context = ignoring();
    let dry = ["install", "./lib/pdf", "--dry-run", "--json"];
    let answer = output(&mut without_git(&context, &dry)).stdout;
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    let warning = answer["warnings"][0].as_str().unwrap();
    assert!(warning.contains(missing), "{answer}");
}

#[test]
fn lists_are_read_as_git_reads_them() {
    for (list, setting) in [
        ("SECRET.KEY\n", "true"),
        ("[[:lower:]]ecret.key\n", "false"),
        ("{a,b}.txt\n[s]ecret.{key\nsecret.[!{]ey\n", "false"),
    ] {
        let context = project();
        context.git(&["init", "--quiet"]);
        context.git(&["config", "core.ignorecase", setting]);
        context.write(".gitignore", list);
        context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
        for file in ["secret.key", "a.txt"] {
            context.write(&format!("lib/pdf/{file}"), "x");
        }
        let told = told(&context, &["install", "./lib/pdf"]);
        assert!(told.contains(WARNING), "{list} {told}");
        let folder = context.root().join(".agents/skills/pdf");
        let has = |file: &str| folder.join(file).exists();
        assert!(has("a.txt") && !has("secret.key"), "{list} {told}");
        // The same as with git.
        context.done(&["sync", "--check"]);
    }
}

#[test]
fn a_list_that_settings_name_without_a_root_begins_at_that_of_the_repository() {
    let context = project();
    context.git(&["init", "--quiet"]);
    context.git(&["config", "core.excludesFile", "own.ignore"]);
    context.write("own.ignore", "*.key\n");
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write("lib/pdf/secret.key", "x");
    context.done(&["install", "./lib/pdf"]);
    let folder = context.root().join(".agents/skills/pdf");
    assert!(folder.join("SKILL.md").exists() && !folder.join("secret.key").exists());
    context.done(&["remove", "pdf", "--yes"]);
    let told = told(&context, &["install", "./lib/pdf"]);
    assert!(told.contains(WARNING), "{told}");
    assert!(folder.join("SKILL.md").exists() && !folder.join("secret.key").exists());
}

#[test]
fn a_list_that_cannot_be_read_whole_is_told() {
    let context = project();
    context.git(&["init", "--quiet"]);
    context.write(".gitignore", format!("{}\n*.key\n", "#".repeat(1 << 20)));
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write("lib/pdf/secret.key", "x");
    let told = told(&context, &["install", "./lib/pdf"]);
    assert!(told.contains(WARNING), "{told}");
}

#[test]
fn a_mark_in_front_of_a_list_is_no_part_of_it() {
    let context = project();
    context.git(&["init", "--quiet"]);
    context.write(".gitignore", "\u{feff}*.key\n");
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write("lib/pdf/secret.key", "x");
    let told = told(&context, &["install", "./lib/pdf"]);
    assert!(told.contains(WARNING), "{told}");
    let folder = context.root().join(".agents/skills/pdf");
    assert!(folder.join("SKILL.md").exists() && !folder.join("secret.key").exists());
}

#[test]
fn nothing_is_handed_on_that_git_may_ignore() {
    let signed = Signed::new();
    let context = &signed.0;
    context.git(&["init", "--quiet"]);
    context.write(".gitignore", ".env\n");
    context.write("pdf/.env", "TOKEN=secret\n");
    context.write_skill(".agents/skills/own");
    context.write(".agents/skills/own/.env", "TOKEN=secret\n");
    context.done(&["trust", ".", "--yes"]);
    let refused = |arguments: &[&str], folder: &str| {
        let told = told(context, arguments);
        assert!(told.contains("exit code: 2"), "{told}");
        let line = format!("error: git did not say whether it ignores `.env` in `{folder}`\n");
        assert!(told.contains(&line), "{told}");
        let reason = "Caused by: the program `git` was not found\n";
        assert!(told.contains(reason), "{told}");
        assert!(format!("{told}\n").contains(HINT), "{told}");
    };
    let signature = context.read("pdf/skill.oms.sig");
    refused(&["publish", "pdf", "--dry-run"], "pdf");
    refused(&["sign", "pdf"], "pdf");
    let own = "[DIR]/.agents/skills/own";
    refused(&["export", "own", "--archive", "own.zip"], own);
    let output = ["export", "own", "--agent", "codex", "--output", "out"];
    refused(&output, own);
    assert!(!context.root().join("out").exists());
    assert_eq!(context.read("pdf/skill.oms.sig"), signature);
    // Whoever only asks what an agent would ignore is given nothing.
    let report = told(context, &["export", "own", "--agent", "codex"]);
    assert!(report.contains("exit code: 0"), "{report}");

    fs::remove_file(context.root().join("pdf/.env")).unwrap();
    let plan = told(context, &["publish", "pdf", "--dry-run"]);
    assert!(plan.contains("exit code: 0"), "{plan}");
}

#[test]
fn machines_with_and_without_git_agree_where_they_can() {
    let context = ignoring();
    fs::remove_file(context.root().join("lib/pdf/kept.log")).unwrap();
    context.git(&["rm", "--quiet", "--cached", "lib/pdf/kept.log"]);
    context.done(&["install", "./lib/pdf"]);
    for check in [&["sync", "--check"][..], &["sync", "--locked", "--check"]] {
        let told = told(&context, check);
        assert!(told.contains("exit code: 0"), "{told}");
        assert!(!told.contains("warning"), "{told}");
    }
    // In a fresh checkout, all that lists name and is there is committed.
    let context = ignoring();
    context.done(&["install", "./lib/pdf"]);
    for path in [".env", "scripts/run.log"] {
        fs::remove_file(context.root().join("lib/pdf").join(path)).unwrap();
    }
    for path in ["dist", ".venv"] {
        fs::remove_dir_all(context.root().join("lib/pdf").join(path)).unwrap();
    }
    context.forget();
    let lock = context.read("skills.lock");
    for command in [&["sync", "--locked"][..], &["update", "--yes"]] {
        let told = told(&context, command);
        assert!(told.contains("exit code: 0"), "{told}");
        assert!(context.root().join(".agents/skills/pdf/kept.log").exists());
        assert_eq!(context.read("skills.lock"), lock);
    }
}

#[test]
fn what_is_locked_does_not_go_because_git_cannot_be_asked() {
    let context = ignoring();
    context.write("lib/pdf/dist/a/kept.js", "kept\n");
    context.git(&["add", "--force", "lib/pdf/dist/a/kept.js"]);
    context.done(&["install", "./lib/pdf"]);
    let folder = context.root().join(".agents/skills/pdf");
    let check = |told: &str, text: &str| {
        assert!(told.contains("exit code: 0"), "{told}");
        assert!(told.contains(WARNING), "{told}");
        let line = "Left out of `pdf`, because a list of ignored files names it: `.env`, `.venv/`, `dist/a/out.js`, `scripts/run.log`\n";
        assert!(told.contains(line), "{told}");
        assert_eq!(fs::read_to_string(folder.join("kept.log")).unwrap(), text);
        assert!(folder.join("dist/a/kept.js").exists());
        for path in [".env", ".venv", "dist/a/out.js", "scripts/run.log"] {
            assert!(!folder.join(path).exists(), "{path}");
        }
        // It is what a machine with git has.
        let lock = context.read("skills.lock");
        context.done(&["update", "--yes"]);
        assert_eq!(context.read("skills.lock"), lock);
    };
    let told_check = told(&context, &["sync", "--check"]);
    assert!(told_check.contains("exit code: 0"), "{told_check}");
    context.write("lib/pdf/kept.log", "another\n");
    check(&told(&context, &["update", "--yes"]), "another\n");
    // The folder of skills knows as well what is locked.
    fs::remove_dir_all(context.in_home(".skillyard/store/packs")).unwrap();
    context.write("lib/pdf/kept.log", "a third\n");
    check(
        &told(&context, &["install", "./lib/pdf", "--yes"]),
        "a third\n",
    );

    context.forget();
    context.write("lib/pdf/kept.log", "a fourth\n");
    let lock = context.read("skills.lock");
    for command in [&["update", "--yes"][..], &["sync", "--yes"]] {
        let told = told(&context, command);
        let line = "error: git did not say whether it ignores `.env`, `.venv/`, `dist/`, `kept.log`, `scripts/run.log` in `[DIR]/lib/pdf`\n";
        assert!(told.contains(line), "{told}");
        assert!(format!("{told}\n").contains(HINT), "{told}");
        assert_eq!(context.read("skills.lock"), lock);
    }
}

#[test]
fn what_cannot_be_compared_without_git_is_told_as_that() {
    let context = ignoring();
    context.done(&["install", "./lib/pdf"]);
    context.forget();
    let told = told(&context, &["sync", "--check"]);
    assert!(told.contains("exit code: 1"), "{told}");
    let reason = "`pdf` is other in `./lib/pdf` (it may be locked with `.env`, `.venv/`, `dist/`, `kept.log`, `scripts/run.log`; git could not be asked what it ignores in `[DIR]`: the program `git` was not found)";
    assert!(told.contains(reason), "{told}");
    assert!(format!("{told}\n").contains(HINT), "{told}");
    assert!(!told.contains("skillyard update"), "{told}");
}

#[test]
fn nobody_is_told_where_no_list_names_anything() {
    let context = project();
    context.git(&["init", "--quiet"]);
    context.write(".gitignore", "target/\n*.log\n!keep.log\n");
    context.write_version("lib/pdf", "pdf", "1.0.0");
    context.write("lib/pdf/keep.log", "kept\n");
    context.write("lib/pdf/node_modules/a.log", "never delivered\n");
    context.write(".git/info/exclude", "# nothing\n");
    let quiet = |arguments: &[&str]| {
        let told = told(&context, arguments);
        assert!(told.contains("exit code: 0"), "{told}");
        assert!(!told.contains("git"), "{told}");
    };
    quiet(&["publish", "lib/pdf", "--dry-run"]);
    quiet(&["install", "./lib/pdf"]);
    assert!(context.root().join(".agents/skills/pdf/keep.log").exists());
    context.write(".git/info/exclude", "keep.*\n");
    // A list in the tree has the last word over the one that nobody commits.
    quiet(&["publish", "lib/pdf", "--dry-run"]);
    context.write("lib/pdf/secret.txt", "mine\n");
    context.write(".git/info/exclude", "secret.txt\n");
    let refused = output(&mut without_git(
        &context,
        &["publish", "lib/pdf", "--dry-run"],
    ));
    let refused = text(&refused.stderr);
    assert!(refused.contains("ignores `secret.txt` in"), "{refused}");
}

#[test]
fn a_list_that_may_not_count_takes_nothing_back() {
    let context = project();
    context.git(&["init", "--quiet"]);
    context.write_version("lib/pdf", "pdf", "1.0.0");
    context.write("lib/pdf/notes.txt", "mine\n");
    let settings =
        "[core]\n\texcludesFile = ~/a\n[includeIf \"gitdir:/nowhere/\"]\n\tpath = ~/inc\n";
    for (path, text) in [
        (".gitconfig", settings),
        ("inc", "[core]\n\texcludesFile = ~/b\n"),
        ("a", "notes.txt\n"),
        ("b", "!notes.txt\n"),
    ] {
        fs::write(context.in_home(path), text).unwrap();
    }
    let told = told(&context, &["publish", "lib/pdf", "--dry-run"]);
    let refused = "error: git did not say whether it ignores `notes.txt` in `lib/pdf`\n";
    assert!(told.contains(refused), "{told}");
}

#[test]
fn what_only_the_user_ignores_is_left_out_as_well() {
    let context = project();
    context.git(&["init", "--quiet"]);
    context.write_version("lib/pdf", "pdf", "1.0.0");
    context.write("lib/pdf/notes.txt", "mine\n");
    let plan = ["publish", "lib/pdf", "--dry-run"];
    let listed = |path: &str| {
        let place = context.in_home(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        place
    };
    let told_without = |name: &str, value: &str| {
        let mut command = without_git(&context, &plan);
        context.shown(command.env(name, value))
    };
    let refused = "error: git did not say whether it ignores `notes.txt` in `lib/pdf`\n";
    let place = listed(".config/git/ignore");
    fs::write(&place, "notes.txt\n").unwrap();
    assert!(told(&context, &plan).contains(refused));
    let installed = told(&context, &["install", "./lib/pdf"]);
    let line = "Left out of `pdf`, because a list of ignored files names it: `notes.txt`\n";
    assert!(installed.contains(line), "{installed}");
    assert!(installed.contains(WARNING), "{installed}");
    // It leaves out what git does.
    assert!(context.run(&plan).contains("notes.txt (git ignores it)"));
    let elsewhere = listed("elsewhere/git/ignore");
    fs::rename(&place, &elsewhere).unwrap();
    assert!(told(&context, &plan).contains("exit code: 0"));
    let folder = elsewhere.parent().unwrap().parent().unwrap();
    let folder = folder.to_str().unwrap();
    assert!(told_without("XDG_CONFIG_HOME", folder).contains(refused));
    let settings = "[core]\n\texcludesFile = ~/elsewhere/git/ignore\n";
    fs::write(listed(".gitconfig"), settings).unwrap();
    assert!(told(&context, &plan).contains(refused));
    let named = listed("named");
    fs::rename(listed(".gitconfig"), &named).unwrap();
    let named = named.to_str().unwrap();
    assert!(told_without("GIT_CONFIG_GLOBAL", named).contains(refused));
    context.git(&["config", "core.excludesFile", "~/elsewhere/git/ignore"]);
    assert!(told(&context, &plan).contains(refused));
    // What the repository says has the last word.
    context.write(".git/info/exclude", "!notes.txt\n");
    assert!(told(&context, &plan).contains("exit code: 0"));
}

#[test]
fn a_folder_whose_path_git_cannot_tell_is_not_handed_on() {
    use std::os::unix::ffi::OsStrExt as _;
    let context = project();
    context.git(&["init", "--quiet"]);
    context.write(".gitignore", ".env\n");
    context.write_version("pdf", "pdf", "1.0.0");
    context.write("pdf/.env", "TOKEN=secret\n");
    let strange = context.root().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&strange).unwrap();
    fs::rename(context.root().join("pdf"), strange.join("pdf")).unwrap();
    let mut command = context.skillyard();
    command.args(["publish", "pdf", "--dry-run"]);
    let told = context.shown(command.current_dir(&strange));
    assert!(told.contains("is no text"), "{told}");
    assert!(!told.contains("exit code: 0"), "{told}");
}

#[test]
fn a_plan_of_a_server_says_that_git_could_not_be_asked() {
    let context = ignoring();
    let order = json!({ "reference": "./lib/pdf", "scope": "project" });
    let serving = Serving::started(without_git(&context, &[]), &[]);
    // Whoever asks again is told again.
    for _ in 0..2 {
        let planned = serving.json("POST", "/api/v1/install", &order);
        let warnings = planned["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 1, "{planned}");
        let warning = context.normalised(warnings[0].as_str().unwrap());
        assert!(
            format!("warning: {warning}").starts_with(WARNING),
            "{warning}"
        );
    }
    let serving = Serving::start(&context, &[]);
    let planned = serving.json("POST", "/api/v1/install", &order);
    assert_eq!(planned["warnings"], json!([]), "{planned}");
}
