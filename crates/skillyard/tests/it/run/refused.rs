//! Skills and scripts that are not run, and how that is said.

use insta::assert_snapshot;
use skillyard_install::tree::{Tree, TreeLimits};

use super::{check, ran, skill};

#[test]
fn a_skill_that_is_named_by_its_path_needs_a_yes() {
    let context = skill("");
    let path = "../home/.agents/skills/tools";
    let home = context.root().with_file_name("home");
    let refused = context.run(&["run", path, "words.pl"]);
    assert_snapshot!(refused.replace(&*home.to_string_lossy(), "[HOME]"), @"
    success: false
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    error: skill `tools` has not been approved to run scripts

    hint: Read `[HOME]/.agents/skills/tools/scripts/words.pl`, then pass `--yes` to run it this once
    ");
    for flag in ["--yes", "-y", "--allow-scripts"] {
        check(&context, &[path, "words.pl", flag, "--", "a"], "A\n");
    }
}

#[test]
fn a_path_opens_no_project_that_is_not_trusted() {
    let context = skill("");
    context.write(".git/HEAD", "x");
    for folder in [".agents/skills/u1", "deep/.claude/skills/u2", "lib/u3"] {
        context.write_skill(folder);
        context.write(&format!("{folder}/scripts/x.sh"), "echo x\n");
    }
    let other = context.outside("");
    std::fs::create_dir_all(&other).unwrap();
    let whole = context.root().join(".agents/skills/u1");
    for (folder, named) in [
        (context.root(), "./.agents/skills/u1"),
        (context.root(), "deep/.claude/skills/u2"),
        (other, whole.to_str().unwrap()),
    ] {
        for flag in ["--yes", "--allow-scripts", "--config=scripts.allow=true"] {
            let mut command = context.skillyard();
            command
                .current_dir(&folder)
                .args(["run", named, "x.sh", flag]);
            let told = context.shown(&mut command);
            assert!(told.contains("a project that is not trusted"), "{told}");
            assert!(told.contains("`skillyard trust [DIR]`"), "{told}");
        }
    }
    // What lies elsewhere in the project is a folder like any other.
    check(&context, &["lib/u3", "x.sh", "--yes"], "x\n");
    context.done(&["trust", "."]);
    check(&context, &["./.agents/skills/u1", "x.sh", "--yes"], "x\n");
}

#[test]
fn a_lock_that_came_with_a_checkout_opens_nothing() {
    let context = skill("");
    context
        .write(".git/HEAD", "x")
        .write_skill(".agents/skills/tool");
    context.write(".agents/skills/tool/scripts/x.sh", "echo x\n");
    let folder = context.root().join(".agents/skills/tool");
    let tree = Tree::read(&folder, &TreeLimits::default()).unwrap();
    let lock = |name: &str, digest: &str, origin: &str| {
        context.write(
            "skills.lock",
            format!(
                "version = 1\n\n[[skill]]\nname = \"{name}\"\nsource = \"{name}\"\nversion = \"1.0.0\"\n\
                 origin = \"{origin}\"\nurl = \"https://r.example\"\ndigest = \"{digest}\"\n\
                 signer = \"key:made-up\"\ntargets = [\".agents/skills\"]\n"
            ),
        );
    };
    let run = ["run", ".agents/skills/tool", "x.sh"];
    context.done(&["trust", "."]);
    lock("tool", &tree.digest().to_string(), "registry");
    assert!(
        context
            .run(&run)
            .contains("has not been approved to run scripts"),
        "{}",
        context.run(&run)
    );
    check(&context, &[run[1], run[2], "--yes"], "x\n");
    // It can make matters worse.
    lock("tool", &tree.digest().to_string(), "archive");
    let told = context.run(&[&run[..], &["--yes"]].concat());
    assert!(told.contains("blocked until they are approved"), "{told}");
    // With a link it can speak of the user's own folders, too, and is not believed there either.
    let source = context.in_home("source/mine");
    std::fs::create_dir_all(source.join("scripts")).unwrap();
    std::fs::write(
        source.join("SKILL.md"),
        "---\nname: mine\ndescription: Mine. Use it.\n---\n",
    )
    .unwrap();
    std::fs::write(source.join("scripts/x.sh"), "echo mine\n").unwrap();
    context.done(&["install", source.to_str().unwrap(), "--scope", "user"]);
    let installed = context.in_home(".agents/skills/mine");
    let tree = Tree::read(&installed, &TreeLimits::default()).unwrap();
    std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
    std::fs::create_dir(context.root().join(".agents")).unwrap();
    context.link(context.in_home(".agents/skills"), ".agents/skills");
    lock("mine", &tree.digest().to_string(), "registry");
    for named in [installed.to_str().unwrap(), ".agents/skills/mine"] {
        let told = context.run(&["run", named, "x.sh"]);
        assert!(
            told.contains("has not been approved to run scripts"),
            "{named}: {told}"
        );
    }
}

#[test]
fn a_folder_is_no_name_of_a_skill_and_the_hint_can_be_followed() {
    let context = skill("");
    context.write_skill("pdf");
    for word in ["pdf", "./pdf"] {
        let shown = context.run(&["show", word]);
        assert!(shown.contains("run `skillyard install ./pdf`"), "{shown}");
    }
}

#[test]
fn skills_that_may_not_run() {
    let context = skill("");
    context
        .write(".git/HEAD", "x")
        .write_skill(".skills/project");
    context.write(".skills/project/scripts/x.sh", "echo x\n");
    assert_snapshot!(context.run(&["run", "project", "x.sh", "--yes", "--allow-scripts"]), @"
    success: false
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    error: skill `project` may not run scripts: it belongs to a project that you have not trusted

    hint: Look at the project's skills, then run `skillyard trust .`
    ");
    assert_eq!(context.code(&["trust", "."]), Some(0));
    assert_eq!(context.code(&["run", "project", "x.sh"]), Some(1));
    check(&context, &["project", "x.sh", "--yes"], "x\n");
    assert_eq!(context.code(&["disable", "tools"]), Some(0));
    let (printed, code) = ran(&context, &["tools", "words.pl"]);
    assert!(
        code == Some(1) && printed.contains("it is disabled"),
        "{printed}"
    );
}

#[test]
fn scripts_beside_the_instructions_are_named_too() {
    let context = skill("");
    let folder = "../home/.agents/skills/lone";
    context.write_skill(folder);
    context.write(&format!("{folder}/fill.py"), "print(1)\n");
    context.write(&format!("{folder}/tools/go"), "#!/bin/sh\n");
    context.write(&format!("{folder}/notes.txt"), "none\n");
    let (printed, _) = ran(&context, &["lone", "fil.py"]);
    assert!(printed.contains("Did you mean `fill.py`?"), "{printed}");
    let (printed, _) = ran(&context, &["lone", "something-else"]);
    assert!(printed.contains("It has fill.py, tools/go\n"), "{printed}");
}

#[test]
fn wrong_usage() {
    let context = skill("");
    assert_snapshot!(context.run(&["run", "tools", "wrods.pl"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: skill `tools` has no script `wrods.pl`

    hint: Did you mean `scripts/words.pl`?
    ");
    assert_snapshot!(context.run(&["run", "tools", "notes.txt"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `scripts/notes.txt` is no script: it has no `#!` line and no known ending

    hint: Start it with a line such as `#!/usr/bin/env python3`
    ");
    assert_snapshot!(context.run(&["run", "tools", "odd"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `scripts/odd` needs `no-such-interpreter`, which is not installed where a sandbox can use it

    hint: Install `no-such-interpreter`, then run the command again
    ");
    for (arguments, part) in [
        (&["tools", "../../../etc/passwd"][..], "has no script"),
        (&["toolz", "words.pl"], "Did you mean `tools`?"),
        (
            &["tools", "words.pl", "--workspace", "../home"],
            "your home folder is in it",
        ),
        (
            &["tools", "words.pl", "--workspace", "/"],
            "cannot be the workspace",
        ),
        (
            &["tools", "words.pl", "--workspace", "nowhere"],
            "No such file",
        ),
        (
            &["tools", "words.pl", "--net", "https://example.com/"],
            "without scheme and path",
        ),
        (&["tools", "words.pl", "--net", "*.com"], "top-level domain"),
        (
            &["tools", "words.pl", "--env", "NOT_SET"],
            "`NOT_SET` is not set",
        ),
        (
            &["tools", "words.pl", "--backend", "jail"],
            "there is no sandbox `jail`",
        ),
        (
            &[
                "tools",
                "words.pl",
                "--backend",
                "landlock",
                "--net",
                "example.com",
            ],
            "cannot enforce",
        ),
        (
            &[
                "tools",
                "words.pl",
                "--backend",
                "landlock",
                "--workspace",
                ".",
            ],
            "--read-only",
        ),
    ] {
        let (printed, code) = ran(&context, arguments);
        assert!(
            code != Some(0) && printed.contains(part),
            "{arguments:?}: {printed}"
        );
    }
}
