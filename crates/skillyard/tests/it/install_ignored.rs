//! What git ignores in a folder is no part of the skill there: no commit has it, and it may be anybody's.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;

use crate::TestContext;
use crate::project::project;

/// A project in a repository, with a skill that has all sorts of files that git ignores.
pub(crate) fn ignoring() -> TestContext {
    let context = project();
    context.git(&["init", "--quiet"]);
    context
        .write(".gitignore", ".env\n/lib/pdf/dist/\n.venv\n*.log\n")
        .write_version("lib/pdf", "pdf", "1.0.0");
    context
        .write("lib/pdf/.env", "TOKEN=secret\n")
        .write("lib/pdf/dist/a/out.js", "a\n")
        .write("lib/pdf/scripts/run.sh", "echo hi\n")
        .write("lib/pdf/scripts/run.log", "ran\n")
        .write("lib/pdf/kept.log", "an example\n");
    // Links are refused in a skill, and are in every such folder.
    fs::create_dir_all(context.root().join("lib/pdf/.venv/bin")).unwrap();
    let link = context.root().join("lib/pdf/.venv/bin/python");
    symlink("/usr/bin/python3", link).unwrap();
    context.git(&["add", "--force", "lib/pdf/kept.log"]);
    context
}

fn left_out() -> serde_json::Value {
    json!([".env", ".venv/", "dist/", "scripts/run.log"])
}

#[test]
fn what_git_ignores_does_not_come_along() {
    let context = ignoring();
    let dry = ["install", "./lib/pdf", "--dry-run", "--json"];
    let answer = context.json(&dry);
    assert_eq!(answer["checked"][0]["left_out"], left_out(), "{answer}");
    let told = context.done(&["install", "./lib/pdf"]);
    let line = "Left out of `pdf`, because git ignores it: `.env`, `.venv/`, `dist/`, `scripts/run.log` (`git add -f` what belongs to the skill)\n";
    assert!(told.contains(line), "{told}");
    let folder = context.root().join(".agents/skills/pdf");
    let has = |path: &str| folder.join(path).exists();
    assert!(!has(".env") && !has(".venv") && !has("dist") && !has("scripts/run.log"));
    // What is committed all the same is not ignored.
    assert!(has("kept.log") && has("scripts/run.sh"));
    // A colleague, who has none of it, has what is locked.
    context.done(&["sync", "--locked", "--check"]);
    for path in [".env", "dist", ".venv", "scripts/run.log"] {
        let path = context.root().join("lib/pdf").join(path);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
    context.forget();
    context.done(&["sync", "--locked"]);
}

#[test]
fn what_a_repository_in_a_skill_ignores_is_told_where_it_is_linked() {
    let context = project();
    context.git(&["init", "--quiet"]);
    context.write_skill("lib/pdf");
    let document = context.read("lib/pdf/SKILL.md");
    let links = "\nRun [it](tool/dist/out.js), see [this](tool/kept.md).\n";
    context.write("lib/pdf/SKILL.md", format!("{document}{links}"));
    context
        .write("lib/pdf/tool/.gitignore", "dist/\n")
        .write("lib/pdf/tool/dist/out.js", "a\n")
        .write("lib/pdf/tool/kept.md", "kept\n");
    context.git(&["-C", "lib/pdf/tool", "init", "--quiet"]);
    let told = || {
        let found = context.json(&["validate", "lib", "--json"]);
        let told = found["results"][0]["diagnostics"].as_array().unwrap();
        let told = told.iter().filter(|each| each["code"] == "link-broken");
        let told: Vec<String> = told.map(|each| each["message"].to_string()).collect();
        told.join("\n")
    };
    let ignored = "git ignores `tool/dist/out.js`, so that the skill is delivered without it";
    assert_eq!(told(), format!("\"{ignored}\""));
    // A submodule has only a file there that leads to its repository.
    let tool = context.root().join("lib/pdf/tool");
    fs::rename(tool.join(".git"), context.root().join("modules")).unwrap();
    context.write("lib/pdf/tool/.git", "gitdir: ../../../modules\n");
    assert_eq!(told(), format!("\"{ignored}\""));
    let shown = context.run(&["validate", "lib"]);
    let help = "let git have it with `git -C lib/pdf/tool/dist add -f out.js`";
    assert!(shown.contains(help), "{shown}");
}

#[test]
fn what_a_skill_links_and_git_ignores_is_told() {
    let context = ignoring();
    let document = context.read("lib/pdf/SKILL.md");
    let links = "\nRun [it](dist/a/out.js), see [this](kept.log).\n";
    context.write("lib/pdf/SKILL.md", format!("{document}{links}"));
    context.write("lib/pdf/node_modules/a.js", "a\n");
    let found = context.json(&["validate", "lib", "--json"]);
    let told = found["results"][0]["diagnostics"].as_array().unwrap();
    let told = told.iter().filter(|each| each["code"] == "link-broken");
    let told: Vec<&str> = told.map(|each| each["message"].as_str().unwrap()).collect();
    let ignored = "git ignores `dist/a/out.js`, so that the skill is delivered without it";
    assert_eq!(told, [ignored]);
    let shown = context.run(&["validate", "lib", "--profile", "strict"]);
    let help = "let git have it with `git -C lib/pdf/dist/a add -f out.js`";
    assert!(shown.contains("error[link-broken]: git ignores"), "{shown}");
    assert!(shown.contains(help), "{shown}");

    let told = context.done(&["install", "./lib/pdf"]);
    let line = "Left out of `pdf`: `node_modules/`; because git ignores it: `.env`";
    assert!(told.contains(line), "{told}");
    let warning = "warning: `pdf` links `dist/a/out.js`, which does not come along";
    assert!(told.contains(warning), "{told}");
    let hint = "\nhint: Let git have it with `git -C ./lib/pdf/dist/a add -f out.js";
    assert!(told.contains(hint), "{told}");

    // What was installed is whole, and so is what git has.
    context.git(&["add", "--force", "lib/pdf/dist/a/out.js"]);
    let found = context.json(&["validate", "lib", "--json"]);
    let told = &found["results"][0]["diagnostics"];
    assert!(!told.to_string().contains("git ignores"), "{told}");
    let told = context.done(&["update", "--yes"]);
    assert!(!told.contains("warning"), "{told}");
    let delivered = ".agents/skills/pdf/dist/a/out.js";
    assert!(context.root().join(delivered).exists());
}

#[test]
fn repositories_in_a_skill_know_what_they_ignore() {
    let context = project();
    context.git(&["init", "--quiet"]);
    context.write_version("lib/pdf", "pdf", "1.0.0");
    // A clone, a submodule as git makes it, and one in the other.
    let inner = ["lib/pdf/vendor/clone", "lib/pdf/sub", "lib/pdf/sub/deep"];
    context.git(&["init", "--quiet", inner[0]]);
    let store = context.in_home("store").display().to_string();
    context.git(&["init", "--quiet", "--separate-git-dir", &store, inner[1]]);
    context.git(&["init", "--quiet", inner[2]]);
    for folder in inner {
        context.write(&format!("{folder}/.gitignore"), "*.key\nout/\n");
        context.write(&format!("{folder}/a.key"), "secret\n");
        context.write(&format!("{folder}/a.txt"), "a\n");
        context.write(&format!("{folder}/out/a.js"), "a\n");
    }
    // What one ignores, the others need not.
    context.write("lib/pdf/own.key", "shown\n");
    let answer = context.json(&["install", "./lib/pdf", "--dry-run", "--json"]);
    let expected = json!([
        "sub/a.key",
        "sub/deep/a.key",
        "sub/deep/out/",
        "sub/out/",
        "vendor/clone/a.key",
        "vendor/clone/out/",
    ]);
    assert_eq!(answer["checked"][0]["left_out"], expected, "{answer}");
    let plan = context.json(&["publish", "lib/pdf", "--dry-run", "--json"]);
    assert_eq!(plan["left_out"], expected, "{plan}");
}

#[test]
fn who_publishes_and_who_exports_leave_out_the_same() {
    let context = ignoring();
    let plan = context.json(&["publish", "lib/pdf", "--dry-run", "--json"]);
    assert_eq!(plan["left_out"], left_out(), "{plan}");
    context.done(&["install", "./lib/pdf"]);
    let shown = context.json(&["show", "pdf", "--json"]);
    assert_eq!(plan["tree"], shown["digest"]);

    // A skill of one's own, where agents read it.
    context.write_skill(".agents/skills/own");
    context.write(".agents/skills/own/.env", "TOKEN=secret\n");
    context.git(&["add", ".agents/skills/own/SKILL.md"]);
    context.done(&["trust", ".", "--yes"]);
    let export = ["export", "own", "--archive", "own.zip", "--json"];
    assert_eq!(context.json(&export)["left_out"], json!([".env"]));
}

#[test]
fn what_is_ignored_as_a_whole_or_was_installed_is_whole() {
    let context = ignoring();
    context.write(".gitignore", ".agents/\ndist/\nlib/\n");
    context.write(
        "lib/csv/SKILL.md",
        context.read("lib/pdf/SKILL.md").replace("pdf", "csv"),
    );
    context.write("lib/csv/dist/a.js", "a\n");
    let answer = context.json(&["install", "./lib/csv", "--json"]);
    assert_eq!(answer["checked"][0]["left_out"], json!([]), "{answer}");
    // The project ignores such folders of its own, and not what others deliver.
    context.write(".gitignore", "dist/\n");
    context.done(&["trust", ".", "--yes"]);
    let export = ["export", "csv", "--archive", "csv.zip", "--json"];
    assert_eq!(context.json(&export)["left_out"], json!([]));
}

#[test]
fn what_was_locked_with_ignored_files_is_told_as_that() {
    let context = ignoring();
    fs::remove_dir_all(context.root().join("lib/pdf/.venv")).unwrap();
    fs::rename(
        context.root().join(".gitignore"),
        context.root().join("kept"),
    )
    .unwrap();
    context.done(&["install", "./lib/pdf"]);
    fs::rename(
        context.root().join("kept"),
        context.root().join(".gitignore"),
    )
    .unwrap();
    let stale = &context.json(&["sync", "--check", "--json"])["stale"][0];
    let reason = "it is locked with `.env`, `dist/`, `scripts/run.log`, which git ignores";
    assert_eq!(stale["reason"], reason, "{stale}");
    context.done(&["update", "--yes"]);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn files_that_may_hold_secrets_are_told() {
    let context = project();
    context.write_version("lib/pdf", "pdf", "1.0.0");
    let npm = "//registry.npmjs.org/:_authToken=npm_abc\n";
    context
        .write("lib/pdf/.env", "A=b\n")
        .write("lib/pdf/.npmrc", npm)
        .write("lib/pdf/.env.example", "A=\n");
    let told = context.done(&["install", "./lib/pdf"]);
    for file in [".env", ".npmrc"] {
        let line = format!("warning: `{file}` of `pdf` may hold secrets\n");
        assert!(told.contains(&line), "{told}");
    }
    assert!(!told.contains("example"), "{told}");
    let secrets = json!([".env", ".npmrc"]);
    let again = [
        "install",
        "./lib/pdf",
        "--name",
        "forms",
        "--dry-run",
        "--json",
    ];
    let answer = context.json(&again);
    assert_eq!(answer["checked"][0]["may_hold_secrets"], secrets);
    let plan = context.json(&["publish", "lib/pdf", "--dry-run", "--json"]);
    assert_eq!(plan["may_hold_secrets"], secrets);
    context.done(&["trust", ".", "--yes"]);
    let told = context.done(&["export", "pdf", "--archive", "pdf.zip"]);
    assert!(
        told.contains("warning: `.npmrc` may hold secrets\n"),
        "{told}"
    );
}

/// As a git that does not know the variable for it does: it fetches an object that is missing, by what
/// the repository's own configuration says.
#[test]
fn nothing_that_a_repository_names_is_started() {
    let context = ignoring();
    context.git(&["add", "--all"]);
    context.git(&["commit", "--quiet", "-m", "all"]);
    let mut hash = context.command("git");
    let hash = crate::output(hash.args(["rev-parse", "HEAD:.gitignore"]));
    let hash = crate::text(&hash.stdout);
    let (folder, file) = hash.trim().split_at(2);
    let object = format!(".git/objects/{folder}/{file}");
    fs::remove_file(context.root().join(object)).unwrap();
    context.git(&["update-index", "--skip-worktree", ".gitignore"]);
    fs::remove_file(context.root().join(".gitignore")).unwrap();
    let mark = context.root().join("../started");
    let starts = format!("touch {}; false", mark.display());
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", "ssh://host/x"),
        ("core.sshCommand", &starts),
    ] {
        context.git(&["config", key, value]);
    }
    let old =
        "#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nPATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\"\n";
    context.write("../bin/git", old);
    let program = context.root().join("../bin/git");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", context.root().join("../bin").display());
    let mut command = context.skillyard();
    crate::output(command.args(["verify", "lib/pdf"]).env("PATH", path));
    assert!(!mark.exists());
    // It is started by who asks that git without care.
    let mut command = context.command(program.to_str().unwrap());
    let ask = ["ls-files", "--others", "--ignored", "--exclude-standard"];
    crate::output(command.args(ask));
    assert!(mark.exists());
}
