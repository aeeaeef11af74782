//! `skillyard install` from folders and archives of this machine, and its flags.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;
use skillyard_format::package::pack::PackFormat;

use crate::project::{everything, packed, project};
use crate::servers::repository::skill;
use crate::support::{tar, zstandard};
use crate::{TestContext, output};

fn two_skills() -> TestContext {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    context
}

#[test]
fn a_folder_is_copied_pinned_and_wanted() {
    let context = two_skills();
    context.write("lib/pdf/scripts/run.sh", "echo hi\n");
    let script = context.root().join("lib/pdf/scripts/run.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    assert_snapshot!(context.run(&["install", "./lib/pdf"]), @r"
    success: true
    exit code: 0
    ----- stdout -----

    ----- stderr -----
     + pdf  ./lib/pdf
    Installed 1 skill (project scope) in [TIME]
    Skillyard's own chat, MCP server and prompts leave out this project's skills until you run `skillyard trust .`
    ");
    assert_snapshot!(context.read("skills.toml"), @r#"
    [skills]
    pdf = "./lib/pdf"
    "#);
    let copy = context.root().join(".agents/skills/pdf/scripts/run.sh");
    assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    assert_snapshot!(context.run(&["install", "./lib/pdf"]), @r"
    success: true
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    Already up to date: 1 skill (project scope) in [TIME]
    ");
    assert_eq!(context.staging(), Vec::<String>::new());
}

#[test]
fn every_kind_of_archive_installs() {
    let context = project();
    let zip = packed("pdf/", "one", PackFormat::Zip);
    let folder = packed("pdf/", "one", PackFormat::TarGz);
    let flat = packed("", "one", PackFormat::TarGz);
    let plain = tar::tar(&[tar::file("SKILL.md", skill("pdf", "one").as_bytes())]);
    for (name, bytes) in [
        ("pdf.zip", &zip),
        ("pdf.skill", &zip),
        ("pdf.tar.gz", &folder),
        ("pdf.tgz", &flat),
        ("pdf.tar", &plain),
        ("pdf.tar.zst", &zstandard(&plain)),
    ] {
        context.write(name, bytes);
        for reference in [
            name.to_owned(),
            format!("file://{}/{name}", context.root().display()),
        ] {
            context.done(&["install", &reference]);
            assert_eq!(context.version_of("pdf").as_deref(), Some("one"), "{name}");
            assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
            context.done(&["remove", "pdf"]);
            assert_eq!(context.version_of("pdf"), None);
        }
    }
    context.write("main.zip", packed("pdf-main/", "one", PackFormat::Zip));
    let refused = context.refused(&["install", "main.zip"]);
    assert!(refused.contains("install the folder"), "{refused}");
}

#[test]
fn of_several_skills_the_user_chooses() {
    let context = two_skills();
    assert_snapshot!(context.refused(&["install", "./lib"]), @r"
    error: `./lib` has 2 skills, and it was not said which

    hint: Choose with `--skill NAME` or take all with `--all`: csv, pdf
    ");
    assert_snapshot!(context.refused(&["install", "./lib", "--skill", "pfd"]), @r"
    error: `./lib` has no skill `pfd`

    hint: Did you mean `pdf`?
    ");
    context.nothing_left();
    context.done(&["install", "./lib", "--skill", "pdf"]);
    assert_eq!(context.version_of("csv"), None);
    context.done(&["install", "./lib", "--all"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    context.done(&["remove", "csv"]);
    context.done(&["install", "./lib", "--all", "--except", "csv"]);
    assert_eq!(context.version_of("csv"), None);
    let refused = context.refused(&["install", "./lib", "--all", "--except", "cvs"]);
    assert!(refused.contains("Did you mean `csv`?"), "{refused}");
    context.done(&["install", "./lib", "--all"]);
    assert_snapshot!(context.refused(&["install", "./lib", "--all", "--name", "x"]), @"error: `--name` renames one skill, and there are 2");
    assert_snapshot!(context.refused(&["install", "./lib/pdf", "--ref", "main"]), @"error: `./lib/pdf` has no revisions to choose from");
    assert_snapshot!(context.refused(&["install", "./nowhere"]), @"error: `[DIR]/nowhere` does not exist");
}

#[test]
fn folders_are_named_in_every_way_that_leads_to_them() {
    let context = project();
    for (folder, name) in [("a/docx", "docx"), ("b/docx", "docx"), ("c/pdf", "pdf")] {
        context.write(&format!("col/{folder}/SKILL.md"), skill(name, folder));
    }
    for (folder, name) in [("d/pdf", "pdf"), ("e/csv", "csv")] {
        context.write(&format!("more/{folder}/SKILL.md"), skill(name, folder));
    }
    // Everything that does not go together is told at once, with what can be pasted.
    let all = ["install", "./col", "./more", "--all"];
    assert_snapshot!(context.refused(&all), @r"
    error: of several skills of one name only one can be installed
      Caused by: `docx` is in `a/docx`, `b/docx`
      Caused by: `pdf` is in `c/pdf`, `d/pdf`

    hint: Leave out all but one of each, such as with `--except b/docx,d/pdf`
    ");
    let whole = context.root().join("col/a/docx");
    for folder in [
        "a/docx",
        "a/docx/",
        "./a/docx",
        "./col/a/docx",
        "col/a/docx",
        whole.to_str().unwrap(),
    ] {
        context.done(&["install", "./col", "--all", "--except", folder]);
        assert_eq!(context.version_of("docx").as_deref(), Some("b/docx"));
        context.done(&["remove", "docx", "pdf"]);
    }
    // Of several sources one must have it.
    context.done(&[&all[..], &["--except", "docx,c/pdf"]].concat());
    assert_eq!(context.version_of("docx"), None);
    assert_eq!(context.version_of("pdf").as_deref(), Some("d/pdf"));
    context.done(&["remove", "pdf", "csv"]);
    context.done(&["install", "./col", "./more", "--skill", "csv,c/pdf"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("e/csv"));
    assert_eq!(context.version_of("pdf").as_deref(), Some("c/pdf"));
    let refused = context.refused(&[&all[..], &["--except", "xyz"]].concat());
    assert!(refused.contains("has no skill `xyz`"), "{refused}");
}

#[test]
fn what_was_left_out_and_is_needed_is_told() {
    let context = two_skills();
    context.write(
        "lib/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Use when asked.\nmetadata:\n  skillyard.requires-skills: ../csv\n---\n",
    );
    let said = context.done(&["install", "./lib", "--all", "--except", "csv"]);
    let told = "`csv` was left out, and comes along: `pdf` needs it";
    assert!(said.contains(told), "{said}");
}

#[test]
fn a_name_that_no_folder_can_have_is_replaced() {
    let context = two_skills();
    context.write("lib/sdk/SKILL.md", skill("video-sdk/windows", "one"));
    assert_snapshot!(context.refused(&["install", "./lib/sdk"]), @"
    error: no folder can be called `video-sdk/windows`

    hint: Give it another name with `--name NAME`; of many skills, leave it out with `--all --except video-sdk/windows`
    ");
    let refused = context.refused(&["install", "./lib", "--all"]);
    assert!(refused.contains("`video-sdk/windows`"), "{refused}");
    context.nothing_left();
    context.done(&["install", "./lib/sdk", "--name", "video-sdk"]);
    assert_eq!(context.version_of("video-sdk").as_deref(), Some("one"));
    context.write("lib/sdk/SKILL.md", skill("video-sdk/windows", "two"));
    context.done(&["update"]);
    assert_eq!(context.version_of("video-sdk").as_deref(), Some("two"));
    let but = "video-sdk/windows";
    context.done(&["install", "./lib", "--all", "--except", but]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
}

#[test]
fn another_name_is_written_into_the_skill() {
    let context = two_skills();
    context.done(&["install", "./lib/pdf", "--name", "forms"]);
    let text = context.read(".agents/skills/forms/SKILL.md");
    assert!(text.starts_with("---\nname: forms\n"), "{text}");
    assert!(
        context
            .read("skills.toml")
            .contains("forms = \"./lib/pdf\"")
    );
    // The name stays through updates, and the lock goes on matching.
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    context.done(&["update"]);
    assert_eq!(context.version_of("forms").as_deref(), Some("two"));
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
    for name in ["../x", "a/b", ".", "..", ".hidden", "a\\b", ""] {
        context.refused(&["install", "./lib/csv", "--name", name]);
    }
    assert_eq!(context.version_of("csv"), None);
}

#[test]
fn another_name_changes_nothing_else() {
    let context = project();
    let read = |name: &str| {
        let text = context.read(&format!(".agents/skills/{name}/SKILL.md"));
        let told = context.json(&["show", name, "--json"]);
        assert_eq!(told["name"], name, "{text}");
        assert_eq!(told["description"], "Fills forms.", "{text}");
        text
    };
    for (at, name) in [
        "name: >-\n  pdf\n",
        "name: |\n  pdf\n\n",
        "name: >-   # why not\n\n    pdf\n",
        "name: 'pdf'\n",
        "name: &n pdf\n",
        "name:\n  pdf\n",
        "name:\n",
    ]
    .iter()
    .enumerate()
    {
        let skill = format!("---\n{name}description: Fills forms.\n---\n\nBody.\n");
        context.write("lib/pdf/SKILL.md", &skill);
        let new = format!("new-{at}");
        context.done(&["install", "./lib/pdf", "--name", &new]);
        let text = read(&new);
        assert!(text.contains(&format!(" {new}\n")), "{text}");
        assert!(text.ends_with("---\n\nBody.\n"), "{text}");
        // The name at the end of what a skill says about itself.
        let (_, body) = skill.split_once("Fills forms.\n").unwrap();
        context.write(
            "lib/pdf/SKILL.md",
            format!("---\ndescription: Fills forms.\n{name}{body}"),
        );
        let new = format!("last-{at}");
        context.done(&["install", "./lib/pdf", "--name", &new]);
        read(&new);
    }
    // What else says the name by pointing at it would say another one, or nothing.
    context.write(
        "lib/pdf/SKILL.md",
        "---\nname: &n pdf\ndescription: Fills forms.\nmetadata:\n  title: *n\n---\n",
    );
    assert_snapshot!(context.refused(&["install", "./lib/pdf", "--name", "x"]), @"
    error: cannot install `pdf`
      Caused by: its SKILL.md has no `name` that could be changed without changing more than that
    ");
    assert_eq!(context.version_of("x"), None);
}

#[test]
fn a_new_name_is_a_valid_one() {
    let context = two_skills();
    let long = "x".repeat(70);
    let before = context.read("skills.toml");
    for name in ["a b", "ALPHA", "x--y-", &long, "[a", "a: b", "#x"] {
        let install = ["install", "./lib/csv", "--name", name];
        let told = context.refused(&install);
        assert!(told.contains("is not a valid skill name"), "{told}");
        assert!(told.contains("hint: Call it `"), "{told}");
        assert_eq!(context.code(&install), Some(2));
        assert_eq!(context.read("skills.toml"), before);
        // A key of skills.toml is a new name, too.
        context.write(
            "skills.toml",
            format!("[skills]\n\"{name}\" = \"./lib/csv\"\n"),
        );
        let told = context.refused(&["sync"]);
        assert!(told.contains("is not a valid skill name"), "{told}");
        context.write("skills.toml", &before);
        assert!(!context.root().join(".agents/skills").join(name).exists());
    }
    // Whatever an author calls a skill, it keeps its name.
    context.write("lib/odd/SKILL.md", skill("Odd Skill", "one"));
    context.done(&["install", "./lib/odd"]);
    assert_eq!(context.version_of("Odd Skill").as_deref(), Some("one"));
    fs::remove_file(context.root().join("skills.lock")).unwrap();
    context.done(&["sync"]);
    context.write("lib/odd/SKILL.md", skill("better", "two"));
    context.done(&["update"]);
    assert_eq!(context.version_of("Odd Skill").as_deref(), Some("two"));
    // Every name that is valid stays one, whatever YAML makes of such a word.
    for name in ["null", "true", "123", "1e3", "0x1f", "no", "2026-01-01"] {
        context.done(&["install", "./lib/csv", "--name", name]);
        let folder = format!(".agents/skills/{name}");
        assert_eq!(context.code(&["validate", &folder]), Some(0), "{name}");
    }
}

#[test]
fn what_is_skipped_stays_as_it_is_wanted() {
    let context = two_skills();
    context.done(&["install", "./lib/pdf"]);
    let files = || (context.read("skills.toml"), context.read("skills.lock"));
    let before = files();
    context.write("other/pdf/SKILL.md", skill("pdf", "other"));
    context.write("other/new/SKILL.md", skill("new", "other"));
    context.done(&["install", "./other/pdf", "--skip-existing"]);
    assert_eq!(files(), before);
    context.done(&["install", "./other", "--all", "--skip-existing"]);
    let (manifest, lock) = files();
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    assert_eq!(context.version_of("new").as_deref(), Some("other"));
    assert!(manifest.contains("pdf = \"./lib/pdf\"") && manifest.contains("new = \"./other/new\""));
    assert!(lock.contains("source = \"./lib/pdf\""), "{lock}");
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
}

#[test]
fn links_lead_to_the_store() {
    let context = two_skills();
    context.done(&["install", "./lib/pdf", "--link"]);
    let link = context.root().join(".agents/skills/pdf");
    let target = fs::read_link(&link).unwrap();
    assert!(
        target.starts_with(context.in_home(".skillyard/store/sha256")),
        "{target:?}"
    );
    // What links lead to cannot be changed by accident.
    let mode = link
        .join("SKILL.md")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o222, 0);
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
    context.done(&["install", "./lib/pdf"]);
    assert!(!link.is_symlink());
    context.done(&["install", "./lib/pdf", "--link"]);
    context.done(&["remove", "pdf"]);
    assert!(!link.is_symlink());
}

#[test]
fn agents_and_scopes_choose_the_folders() {
    let context = two_skills();
    context.done(&["install", "./lib/pdf", "--agent", "claude-code,codex"]);
    assert!(context.root().join(".claude/skills/pdf/SKILL.md").is_file());
    assert!(context.root().join(".agents/skills/pdf/SKILL.md").is_file());
    assert_snapshot!(context.refused(&["install", "./lib/pdf", "--agent", "claude-cod"]), @r"
    error: there is no agent `claude-cod`

    hint: Did you mean `claude-code`?
    ");
    context.done(&["install", "./lib/csv", "--scope", "user"]);
    assert!(context.in_home(".agents/skills/csv/SKILL.md").is_file());
    assert!(context.in_home(".skillyard/lock.toml").is_file());
    assert!(!context.root().join(".agents/skills/csv").exists());
    context.done(&["remove", "csv", "--scope", "user"]);
    assert!(!context.in_home(".agents/skills/csv").exists());
}

#[test]
fn a_dry_run_changes_nothing() {
    let context = two_skills();
    let before = context.tree();
    assert_snapshot!(context.run(&["install", "./lib", "--all", "--dry-run"]), @r"
    success: true
    exit code: 0
    ----- stdout -----

    ----- stderr -----
     + csv  ./lib/csv
     + pdf  ./lib/pdf
    Would change 2 skills (project scope) in [TIME]
    ");
    assert_eq!(context.tree(), before);
    context.nothing_left();
}

#[test]
fn programs_get_the_plan() {
    let context = two_skills();
    let plan = context.json(&["install", "./lib/pdf", "--json"]);
    assert_eq!(plan["changes"][0]["change"], "added");
    assert_eq!(plan["changes"][0]["to"]["source"], "./lib/pdf");
    let output = output(context.skillyard().args(["install", "./lib", "--json"]));
    let error: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error["error"]["hint"].as_str().unwrap().contains("--skill"),
        "{error}"
    );
}

#[test]
fn a_project_may_lie_in_a_folder_whose_name_is_no_text() {
    let context = two_skills();
    let folder = context.root().join(OsStr::from_bytes(b"pro\xff\xfeject"));
    fs::create_dir_all(folder.join(".git")).unwrap();
    for arguments in [
        &["install", "../lib/pdf", "--yes"][..],
        &["sync", "--locked", "--check"],
        &["update", "--yes"],
        &["remove", "pdf"],
    ] {
        let output = output(context.skillyard().args(arguments).current_dir(&folder));
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {told}");
        let is_there = folder.join(".agents/skills/pdf/SKILL.md").is_file();
        assert_eq!(is_there, arguments[0] != "remove", "{arguments:?}");
    }
}

#[test]
fn what_is_not_there_comes_with_what_is() {
    let context = two_skills();
    for (arguments, hint) in [
        (
            &["install", "./lib", "--skill", "spreadsheets"][..],
            "It has: csv, pdf",
        ),
        (&["install", "githb:acme/skills"], "Did you mean `github:`?"),
        (
            &["install", "gtlab:acme/skills/pdf"],
            "Did you mean `gitlab:`?",
        ),
        (
            &["install", "acme:pdf"],
            "Add it with `skillyard config set sources.acme.url URL`",
        ),
    ] {
        let output = output(context.skillyard().args(arguments));
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success());
        assert!(told.contains(hint), "{arguments:?}: {told}");
    }
}

#[test]
fn a_skill_that_is_the_project_is_not_put_into_itself() {
    let context = project();
    context.write("SKILL.md", skill("selfmade", "one"));
    context.done(&["install", ".", "--name", "selfmade"]);
    context.done(&["outdated"]);
    context.done(&["update", "--yes"]);
    context.done(&["install", ".", "--name", "selfmade"]);
    context.done(&["sync", "--locked", "--check"]);
    let installed = everything(&context.root().join(".agents/skills/selfmade"));
    assert_eq!(installed, ["SKILL.md"]);
}

#[test]
fn a_skill_of_the_other_scope_is_named_with_that_scope() {
    let context = project();
    context.write_skill("lib/pdf");
    context.done(&["install", "./lib/pdf", "--scope", "user"]);
    for command in ["update", "remove", "why", "outdated"] {
        let told = context.refused(&[command, "pdf", "--scope", "project"]);
        assert!(told.contains("`--scope user`"), "{command}: {told}");
    }
    context.write("lib/pdf/more.md", "more");
    let told = context.run(&["outdated", "--scope", "user"]);
    assert!(
        told.contains("`skillyard update --dry-run --scope user`"),
        "{told}"
    );
    context.done(&["uninstall", "pdf", "--scope", "user"]);
}

#[test]
fn a_skill_is_named_by_its_file_and_one_of_two_by_its_folder() {
    let context = project();
    context.write_skill("lib/a/pdf");
    context.write_skill("lib/b/pdf");
    context.write("lib/b/pdf/more.md", "more");
    let told = context.refused(&["install", "./lib", "--skill", "pdf"]);
    assert!(told.contains("has 2 skills called `pdf`"), "{told}");
    assert!(told.contains("a/pdf, b/pdf"), "{told}");
    context.done(&["install", "./lib/b/pdf/SKILL.md"]);
    assert!(
        context
            .read("skills.toml")
            .contains("pdf = \"./lib/b/pdf\"")
    );
    assert!(context.root().join(".agents/skills/pdf/more.md").is_file());
}

#[test]
fn the_closing_lines_name_the_coding_agents_that_use_the_skill_now() {
    let context = two_skills();
    context.mkdir(".claude");
    assert_snapshot!(context.run(&["install", "./lib/pdf"]), @"
    success: true
    exit code: 0
    ----- stdout -----

    ----- stderr -----
     + pdf  ./lib/pdf
    Installed 1 skill (project scope) in [TIME]
    Active now in Claude Code: coding agents run scripts of skills with their own permissions, outside Skillyard's sandbox
    Skillyard's own chat, MCP server and prompts leave out this project's skills until you run `skillyard trust .`
    ");
}
