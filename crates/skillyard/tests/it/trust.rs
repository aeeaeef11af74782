//! `skillyard trust`, and what an untrusted project may do.

use std::fs;
use std::os::unix::fs::chown;

use insta::assert_snapshot;

use crate::TestContext;

fn project(config: &str) -> TestContext {
    let context = TestContext::configured(config);
    context
        .mkdir(".git")
        .skill(".skills/pdf", "Of the project.")
        .skill("../home/.agents/skills/pdf", "Mine.")
        .skill("../home/.agents/skills/csv", "Mine.");
    context
}

#[test]
fn trust_says_what_keeps_a_project_out_all_the_same() {
    let context = project("[discovery]\ntrust_projects = \"never\"\n");
    context.write(
        ".skills/tool/SKILL.md",
        "---\nname: tool\ndescription: d\n---\n",
    );
    context.write(".skills/tool/scripts/a.sh", "#!/bin/sh\n");
    for _ in 0..2 {
        let told = context.tell(&["trust", "."]);
        assert!(!told.contains("are now trusted"), "{told}");
        assert!(
            told.contains("`discovery.trust_projects` is `never`"),
            "{told}"
        );
        let told = context.tell(&["run", "tool", "scripts/a.sh", "--yes"]);
        assert!(
            told.contains("`discovery.trust_projects` is `never`"),
            "{told}"
        );
        assert!(!told.contains("skillyard trust"), "{told}");
    }
    let told = context.json(&["trust", ".", "--json"]);
    assert_eq!(told["kept_out_by"], "discovery.trust_projects", "{told}");
    assert_snapshot!(context.status("tool"), @"untrusted");
}

#[test]
fn a_project_is_trusted_and_no_longer() {
    let context = project("");
    assert_snapshot!(context.status("pdf"), @"untrusted");
    assert_snapshot!(context.tell(&["trust", "list"]), @"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    No folder and no skill is trusted
    ");
    assert_snapshot!(context.tell(&["trust", "."]), @"
    exit status: 0
    ----- stdout -----
     + [DIR]
    ----- stderr -----
    Skills in `[DIR]` are now trusted
    ");
    assert_snapshot!(context.status("pdf"), @"enabled");
    assert_snapshot!(context.tell(&["trust", "."]), @"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Nothing to do: `[DIR]` is trusted already
    ");
    assert_snapshot!(context.tell(&["trust", "list"]), @"
    exit status: 0
    ----- stdout -----
    folder  [DIR]
    ----- stderr -----
    ");
    assert_snapshot!(context.tell(&["trust", "list", "--json"]), @r#"
    exit status: 0
    ----- stdout -----
    {
      "folders": [
        "[DIR]"
      ],
      "skills": []
    }
    ----- stderr -----
    "#);
    assert_snapshot!(context.tell(&["trust", "revoke", ".", "--json"]), @r#"
    exit status: 0
    ----- stdout -----
    {
      "folder": "[DIR]",
      "trusted": false,
      "changed": true
    }
    ----- stderr -----
    "#);
    assert_snapshot!(context.status("pdf"), @"untrusted");
    assert_snapshot!(context.tell(&["trust", "revoke", "."]), @"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Nothing to do: `[DIR]` is not trusted
    ");
}

#[test]
fn wrong_usage() {
    let context = project("");
    assert_snapshot!(context.tell(&["trust", "nowhere"]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: there is neither a skill nor a folder `nowhere`

    hint: List the skills that are here with `skillyard list --all`
    ");
    assert_snapshot!(context.tell(&["trust", "revoke"]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `revoke` needs a skill or a folder

    hint: See what is trusted with `skillyard trust list`
    ");
    assert_snapshot!(context.tell(&["trust", ".skills/pdf/SKILL.md"]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `[DIR]/.skills/pdf/SKILL.md` is not a folder
    ");
    assert_snapshot!(context.tell(&["trust", ".", "extra"]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `extra` was not expected
    ");
}

#[test]
fn trust_reaches_the_folders_below_and_not_those_beside() {
    let context = project("");
    context
        .skill("sub/.skills/xls", "x")
        .skill("../beside/.skills/zip", "x");
    assert_eq!(context.code(&["trust", "."]), Some(0));
    let list = |folder: &str| {
        let mut command = context.skillyard();
        command
            .current_dir(context.root().join(folder))
            .args(["list"]);
        context.shown(&mut command)
    };
    assert!(list("sub").contains("✓ xls"));
    assert!(list("../beside").contains("! zip"));
}

/// What somebody put into a trusted project as a repository of its own is not trusted with it.
#[test]
fn a_repository_below_a_trusted_folder_is_a_project_of_its_own() {
    let context = project("");
    context
        .mkdir("vendor/evil/.git")
        .mkdir("vendor/evil/sub")
        .skill("vendor/evil/.skills/xls", "x");
    context.write("vendor/evil/.skills/xls/scripts/a.sh", "#!/bin/sh\n");
    assert_eq!(context.code(&["trust", "."]), Some(0));
    let there = |arguments: &[&str]| {
        let mut command = context.skillyard();
        command.current_dir(context.root().join("vendor/evil"));
        context.shown(command.args(arguments))
    };
    let list = |folder: &str| {
        let mut command = context.skillyard();
        command.current_dir(context.root().join(folder));
        context.shown(command.arg("list"))
    };
    for folder in ["vendor/evil", "vendor/evil/sub"] {
        assert!(list(folder).contains("! xls"), "{folder}");
    }
    let ran = there(&["run", "xls", "scripts/a.sh", "--yes"]);
    assert!(ran.contains("may not run scripts"), "{ran}");
    // By its path from the project around it, too.
    let ran = context.tell(&["run", "./vendor/evil/.skills/xls", "scripts/a.sh", "--yes"]);
    assert!(ran.contains("may not run scripts"), "{ran}");
    there(&["trust", ".", "--yes"]);
    assert!(list("vendor/evil/sub").contains("✓ xls"));
    let revoked = there(&["trust", "revoke", "."]);
    assert!(revoked.contains("are now not trusted"), "{revoked}");
    assert!(list("vendor/evil").contains("! xls"));
    assert_eq!(context.status("pdf"), "enabled");
}

#[test]
fn what_lies_in_a_trusted_folder_cannot_be_revoked_alone() {
    let context = project("");
    context.mkdir("sub");
    for folder in [".", "sub"] {
        assert_eq!(context.code(&["trust", folder]), Some(0));
    }
    assert_snapshot!(context.tell(&["trust", "revoke", "sub"]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: `[DIR]/sub` is still trusted: it lies in `[DIR]`, which is

    hint: To trust neither, run `skillyard trust revoke [DIR]`
    ");
    assert_eq!(context.code(&["trust", "revoke", "sub"]), Some(1));
    assert_eq!(context.code(&["trust", "revoke", "."]), Some(0));
    assert_eq!(context.code(&["trust", "revoke", "sub"]), Some(0));
}

#[test]
fn what_lies_in_a_trusted_folder_is_trusted_already() {
    let context = project("");
    context.mkdir("sub");
    assert_eq!(context.code(&["trust", "."]), Some(0));
    assert_snapshot!(context.tell(&["trust", "sub"]), @"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Nothing to do: `[DIR]/sub` is trusted already, with `[DIR]`
    ");
    let told = context.json(&["trust", "sub", "--json"]);
    let told = (&told["trusted"], &told["changed"], &told["with"]);
    let root = context.root().to_string_lossy().into_owned();
    assert_eq!(told, (&true.into(), &false.into(), &root.into()));
    let listed = context.json(&["trust", "list", "--json"]);
    assert_eq!(listed["folders"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_folder_that_is_gone_can_be_revoked() {
    let context = project("");
    context.mkdir("old/.git").skill("old/.skills/xls", "x");
    assert_eq!(context.code(&["trust", "old"]), Some(0));
    fs::remove_dir_all(context.root().join("old")).unwrap();
    assert_snapshot!(context.tell(&["trust", "revoke", "old"]), @"
    exit status: 0
    ----- stdout -----
     - [DIR]/old
    ----- stderr -----
    Skills in `[DIR]/old` are now not trusted
    ");
    assert_eq!(
        context.json(&["trust", "list", "--json"])["folders"]
            .as_array()
            .map(Vec::len),
        Some(0)
    );
}

#[test]
fn a_link_is_trusted_by_where_it_leads() {
    let context = project("");
    context.link(context.root(), "../link");
    assert_eq!(context.code(&["trust", "../link"]), Some(0));
    assert_eq!(context.status("pdf"), "enabled");
}

#[test]
fn always_and_never() {
    let always = project("[discovery]\ntrust_projects = \"always\"\n");
    assert_eq!(always.status("pdf"), "enabled");
    let never = project("[discovery]\ntrust_projects = \"never\"\n");
    assert_eq!(never.code(&["trust", "."]), Some(0));
    assert_eq!(never.status("pdf"), "untrusted");
}

#[test]
fn an_untrusted_project_takes_no_skill_of_the_users_away() {
    let context = project("");
    // The project has another `pdf`, and a copy of the user's `csv`.
    context
        .skill(".skills/csv", "Mine.")
        .skill(".skills/new", "Of the project.");
    assert_eq!(context.in_prompt(&[]), "csv, pdf");
    let prompt = context.stdout(&["prompt"]);
    assert!(
        prompt.contains("[HOME]/.agents/skills/pdf/SKILL.md"),
        "{prompt}"
    );
    assert!(!prompt.contains("[DIR]"), "{prompt}");
    assert_eq!(context.code(&["trust", "."]), Some(0));
    assert_eq!(context.in_prompt(&[]), "csv, new, pdf");
    assert!(
        context
            .stdout(&["prompt"])
            .contains("[DIR]/.skills/pdf/SKILL.md")
    );
}

#[test]
fn approvals_that_cannot_be_read_are_an_error() {
    let context = project("");
    context.write("../home/.skillyard/approvals.toml", "folder = 3\n");
    let told = context.tell(&["list"]);
    assert!(told.starts_with("exit status: 2"), "{told}");
    assert_eq!(context.code(&["trust", "."]), Some(2));
}

/// Another user's folder in the place of a trusted one, or another one of the user's own.
#[test]
fn what_takes_the_place_of_a_trusted_folder_is_not_trusted() {
    let context = project("");
    context.done(&["trust", "."]);
    assert_snapshot!(context.status("pdf"), @"enabled");
    let anew = || {
        // Kept, so that its number is not given out again.
        fs::rename(context.root(), context.outside("old")).unwrap();
        context
            .mkdir(".git")
            .write(".skills/pdf/scripts/a.sh", "echo evil\n")
            .skill(".skills/pdf", "Of the project.");
    };
    fs::create_dir_all(context.outside("")).unwrap();
    anew();
    assert_snapshot!(context.status("pdf"), @"untrusted");
    let refused = context.refused(&["run", "./.skills/pdf", "a.sh", "--yes"]);
    assert!(!refused.contains("evil"), "{refused}");
    let list = context.tell(&["trust", "list"]);
    assert!(
        list.contains("folder  [DIR]  (not what is there now)\n"),
        "{list}"
    );
    // It is asked about anew, and nothing is left of the other.
    let told = context.done(&["trust", "."]);
    assert!(told.contains("are now trusted"), "{told}");
    assert_snapshot!(context.status("pdf"), @"enabled");
    let list = context.json(&["trust", "list", "--json"]);
    assert_eq!(list["folders"].as_array().unwrap().len(), 1, "{list}");
}

/// Approvals of before this was noted.
fn as_before(context: &TestContext) {
    let file = context.in_home(".skillyard/approvals.toml");
    let text = fs::read_to_string(&file).unwrap();
    let kept = text.lines().filter(|line| {
        let is_new = line.starts_with("identity") || line.starts_with("owner");
        !is_new
    });
    fs::write(&file, kept.collect::<Vec<_>>().join("\n")).unwrap();
}

#[test]
fn what_was_trusted_before_is_trusted_as_long_as_it_is_the_users() {
    let context = project("");
    context.done(&["trust", "."]);
    as_before(&context);
    assert_snapshot!(context.status("pdf"), @"enabled");
    // Only root can give folders to others.
    if chown(context.root(), Some(42420), None).is_err() {
        return;
    }
    assert_snapshot!(context.status("pdf"), @"untrusted");
    let told = context.done(&["trust", "."]);
    assert!(
        told.contains("belongs to another user, with the number 42420"),
        "{told}"
    );
    assert_snapshot!(context.status("pdf"), @"enabled");
    // The same folder of a third one is another matter.
    chown(context.root(), Some(42421), None).unwrap();
    assert_snapshot!(context.status("pdf"), @"untrusted");
}

#[test]
fn a_strangers_project_in_a_trusted_folder_is_not_trusted() {
    let context = TestContext::new();
    context
        .write("sub/skills.toml", "")
        .skill("sub/.skills/pdf", "Of the project.");
    context.done(&["trust", "."]);
    let status = || {
        let mut command = context.skillyard();
        command.current_dir(context.root().join("sub"));
        let listed = command.args(["list", "--all", "--json"]).output().unwrap();
        let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
        let skills = listed["skills"].as_array().unwrap();
        let skill = skills.iter().find(|each| each["name"] == "pdf").unwrap();
        skill["status"].as_str().unwrap().to_owned()
    };
    assert_snapshot!(status(), @"enabled");
    let sub = context.root().join("sub");
    if chown(&sub, Some(42420), None).is_err() {
        return;
    }
    chown(sub.join("skills.toml"), Some(42420), None).unwrap();
    assert_snapshot!(status(), @"untrusted");
}

#[test]
fn a_part_of_a_project_is_not_trusted_alone() {
    let context = project("");
    context.mkdir("apps/api");
    let there = |arguments: &[&str]| {
        let mut command = context.skillyard();
        command.current_dir(context.root().join("apps/api"));
        context.shown(command.args(arguments))
    };
    for arguments in [&["list"][..], &["explain", "skill", "pdf"]] {
        let told = there(arguments);
        assert!(told.contains("`skillyard trust [DIR]`"), "{told}");
    }
    assert_snapshot!(there(&["trust", "."]), @"
    success: false
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    error: `[DIR]/apps/api` is not trusted: it is part of the project in `[DIR]`, which is trusted as a whole

    hint: Look at the project's skills, then run `skillyard trust [DIR]`
    ");
    let folders = context.json(&["trust", "list", "--json"])["folders"].clone();
    assert_eq!(folders, serde_json::json!([]));
    assert_eq!(context.code(&["trust", "."]), Some(0));
    let told = there(&["trust", "."]);
    assert!(told.starts_with("success: true"), "{told}");
    assert_eq!(context.status("pdf"), "enabled");
}

#[test]
fn what_is_always_trusted_cannot_be_revoked() {
    let context = project("[discovery]\ntrust_projects = \"always\"\n");
    assert_eq!(context.code(&["trust", "."]), Some(0));
    assert_snapshot!(context.tell(&["trust", "revoke", "."]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: skills in `[DIR]` are used as before: `discovery.trust_projects` is `always`

    hint: `skillyard config get discovery.trust_projects --show-origin` says who wants it so
    ");
    let folders = context.json(&["trust", "list", "--json"])["folders"].clone();
    assert_eq!(folders, serde_json::json!([]));
}
