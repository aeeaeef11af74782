//! What is in the way stays: edited skills, folders of others, links.

use std::fs;
use std::os::unix::fs::symlink;

use insta::assert_snapshot;

use crate::project::{everything, installed, project};
use crate::servers::repository::skill;
use crate::{TestContext, output, text};

const INSTALLED: &str = ".agents/skills/pdf/SKILL.md";

/// A project with `pdf` from `lib/pdf`, of which there is a newer state.
fn outdated() -> TestContext {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf"]);
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    context
}

#[test]
fn programs_get_the_same_answer_where_an_edited_skill_is_all_there_is_to_tell() {
    let context = outdated();
    context.write(INSTALLED, skill("pdf", "mine"));
    for (command, keys) in [
        (&["sync", "--json"][..], &["stale", "revoked"][..]),
        (&["sync", "--check", "--json"], &["stale", "revoked"]),
        (&["update", "--json"], &["failed", "revoked"]),
        (&["update", "--dry-run", "--json"], &["failed", "revoked"]),
    ] {
        let answer = context.json(command);
        assert_eq!(answer["skipped"][0]["name"], "pdf", "{command:?}: {answer}");
        for key in keys {
            assert!(answer[key].is_array(), "{command:?}: {answer}");
        }
        assert_eq!(context.code(command), Some(1), "{command:?}");
    }
    assert_eq!(context.version_of("pdf").as_deref(), Some("mine"));
}

#[test]
fn edited_skills_are_never_overwritten_silently() {
    let context = outdated();
    let mine = skill("pdf", "mine");
    context.write(INSTALLED, &mine);
    let lock = context.read("skills.lock");
    assert_snapshot!(context.refused(&["update"]), @r"
    error: something is in the way
      Caused by: `.agents/skills/pdf` was edited after it was installed: SKILL.md

    hint: Keep your changes elsewhere, or give them up with `--force`
    ");
    for command in [
        &["install", "./lib/pdf"][..],
        &["update", "--yes"],
        &["sync"],
        &["sync", "--frozen"],
        &["remove", "pdf"],
    ] {
        let told = context.refused(command);
        assert!(told.contains("was edited after it was installed"), "{told}");
        assert_eq!(context.read(INSTALLED), mine);
        assert_eq!(context.read("skills.lock"), lock);
    }
    assert_eq!(context.code(&["sync", "--check"]), Some(1));
    // What is hinted at is not among what was refused above.
    let told = context.run(&["doctor"]);
    let hint = "Keep your changes elsewhere and run `skillyard sync --force --scope project`\n";
    assert!(told.contains(hint), "{told}");
    context.done(&["install", "./lib/pdf", "--skip-existing"]);
    assert_eq!(context.read(INSTALLED), mine);
    // A file that is added is an edit as well.
    context.done(&["sync", "--force"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    context.write(".agents/skills/pdf/notes.md", "mine");
    context.refused(&["remove", "pdf"]);
    context.done(&["update", "--force", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    context.write(INSTALLED, &mine);
    context.done(&["remove", "pdf", "--force"]);
    assert_eq!(context.version_of("pdf"), None);
}

#[test]
fn what_others_put_there_is_kept() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write(INSTALLED, skill("pdf", "foreign"));
    assert_snapshot!(context.refused(&["install", "./lib/pdf"]), @r"
    error: something is in the way
      Caused by: `.agents/skills/pdf` is there already and was not installed by skillyard

    hint: Give it another name with `--name`, replace it with `--force`, or leave it with `--skip-existing`
    ");
    context.done(&["install", "./lib/pdf", "--skip-existing"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("foreign"));
    context.done(&["install", "./lib/pdf", "--name", "forms"]);
    assert_eq!(context.version_of("forms").as_deref(), Some("one"));
    context.done(&["install", "./lib/pdf", "--force"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    // A file and a link are in the way, too, and what a link leads to is not touched.
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    let treasure = context.outside("treasure");
    fs::create_dir_all(&treasure).unwrap();
    fs::write(treasure.join("key"), "mine").unwrap();
    symlink(&treasure, context.root().join(".agents/skills/csv")).unwrap();
    context.refused(&["install", "./lib/csv"]);
    context.done(&["install", "./lib/csv", "--force"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    assert_eq!(everything(&treasure), ["key"]);
    context.write("lib/tar/SKILL.md", skill("tar", "one"));
    context.write(".agents/skills/tar", "a file");
    context.refused(&["install", "./lib/tar"]);
    assert_eq!(context.read(".agents/skills/tar"), "a file");
}

#[test]
fn what_lies_behind_a_link_out_of_the_project_is_no_edit() {
    for is_outside in [true, false] {
        let context = project();
        context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
        context.write("lib/tar/SKILL.md", skill("tar", "one"));
        context.done(&["install", "./lib", "--all"]);
        context.write("docs/pdf/secret", "theirs");
        let secret = context.outside("victim/pdf/secret");
        fs::create_dir_all(secret.parent().unwrap()).unwrap();
        fs::write(&secret, "theirs").unwrap();
        fs::remove_dir_all(context.root().join(".agents")).unwrap();
        let to = if is_outside {
            context.outside("victim")
        } else {
            context.root().join("docs")
        };
        fs::create_dir(context.root().join(".agents")).unwrap();
        symlink(&to, context.root().join(".agents/skills")).unwrap();
        for command in [
            &["sync", "--check"][..],
            &["sync"],
            &["sync", "--force"],
            &["update", "--dry-run"],
            &["install", "./lib/pdf", "--dry-run"],
        ] {
            let told = context.refused(command);
            let is_told = told.contains("leads out of the project")
                || told.contains("where no agent has its skills");
            assert!(is_told, "{command:?}: {told}");
            assert!(!told.contains("secret"), "{command:?}: {told}");
        }
    }
}

#[test]
fn folders_that_lead_out_of_the_project_are_refused() {
    for link in [".agents", ".agents/skills"] {
        let context = project();
        context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
        let outside = context.outside("victim");
        fs::create_dir_all(&outside).unwrap();
        let link = context.root().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(&outside, &link).unwrap();
        context.write_skill("../home/.agents/skills/own");
        for command in [
            &["install", "./lib/pdf"][..],
            &[
                "new",
                "mine",
                "--scope",
                "project",
                "--description",
                "Does.",
            ],
            &["export", "own", "--agent", "codex", "--output", "."],
        ] {
            let told = context.refused(command);
            assert!(told.contains("leads out of the project"), "{told}");
        }
        context.refused(&["install", "./lib/pdf", "--force", "--yes"]);
        assert_eq!(everything(&outside), Vec::<String>::new());
        // A link to nothing is no better.
        fs::remove_dir(&outside).unwrap();
        context.refused(&["install", "./lib/pdf", "--force"]);
        context.refused(&[
            "new",
            "mine",
            "--scope",
            "project",
            "--description",
            "Does.",
        ]);
        context.refused(&["export", "own", "--agent", "codex", "--output", "."]);
        assert!(!outside.exists());
        assert!(!context.root().join("skills.lock").exists());
    }
}

#[test]
fn what_was_written_by_hand_is_deleted_on_request_only() {
    let context = TestContext::new();
    let new = [
        "new",
        "mine",
        "-d",
        "Does it. Use when asked.",
        "--scope",
        "user",
    ];
    assert_eq!(context.code(&new), Some(0));
    context.write_skill("elsewhere/mine");
    let told = context.run(&["remove", "mine", "--scope", "user"]);
    assert!(
        told.contains("error: `mine` was not installed: it was written into `")
            && told.contains("hint: `skillyard remove mine --force` deletes that folder for good"),
        "{told}"
    );
    let file = "../home/.agents/skills/mine/SKILL.md";
    let force = ["remove", "mine", "--scope", "user", "--force"];
    let dry = context.json(&[&force[..], &["--dry-run", "--json"]].concat());
    assert_eq!(dry["changes"][0]["change"], "removed");
    // Where nobody can be asked, nothing is deleted for good without a word.
    let told = context.run(&force);
    assert!(
        told.contains("hint: Pass `--yes` to go on without the question"),
        "{told}"
    );
    assert!(context.root().join(file).exists());
    // Of a link only the link goes.
    context.write_skill("../home/real/linked");
    context.link("../../real/linked", "../home/.agents/skills/linked");
    assert_eq!(
        context.code(&[
            "remove", "linked", "mine", "--scope", "user", "--force", "--yes"
        ]),
        Some(0)
    );
    assert!(!context.root().join(file).exists());
    assert!(context.root().join("../home/real/linked/SKILL.md").exists());
    assert!(context.root().join("elsewhere/mine/SKILL.md").exists());
    // Builtin skills and those of other scopes are not this scope's.
    assert_eq!(
        context.code(&["remove", "skill-review", "--force"]),
        Some(1)
    );
}

#[test]
fn what_programs_leave_in_a_skill_is_no_edit() {
    let litter = ["scripts/__pycache__/a.cpython-312.pyc", ".DS_Store"];
    let put = |context: &TestContext| {
        for name in litter {
            context.write(&format!(".agents/skills/pdf/{name}"), "left behind");
        }
    };
    let context = installed();
    context.done(&["trust", ".", "--yes"]);
    put(&context);
    // It is told, and put right; nothing else minds it.
    let told = context.refused(&["sync", "--check"]);
    assert!(told.contains(" ~ pdf  put right"), "{told}");
    let files = context.run(&["show", "pdf", "--files"]);
    assert!(
        !files.contains("pyc") && !files.contains("edited"),
        "{files}"
    );
    context.done(&["sync"]);
    assert!(!context.root().join(".agents/skills/pdf/.DS_Store").exists());
    put(&context);
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    context.done(&["update", "--yes"]);
    put(&context);
    context.done(&["remove", "pdf"]);
    assert_eq!(context.version_of("pdf"), None);
    // A source does not deliver it either.
    for name in litter {
        context.write(&format!("lib/pdf/{name}"), "left behind");
    }
    context.write("lib/pdf/node_modules/x/index.js", "left behind");
    context.done(&["install", "./lib/pdf"]);
    let installed = everything(&context.root().join(".agents/skills/pdf"));
    assert_eq!(installed, ["SKILL.md"]);
}

#[test]
fn a_file_that_only_looks_left_behind_is_not_run() {
    let context = installed();
    context.write(".agents/skills/pdf/scripts/run.pyc", "planted");
    let told = context.run(&["run", "pdf", "scripts/run.pyc", "--yes"]);
    assert!(!told.contains("success: true"), "{told}");
}

#[test]
fn what_is_edited_through_a_link_is_not_lost_either() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf", "--link"]);
    let notes = ".agents/skills/pdf/notes.md";
    context.write(notes, "mine");
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    for command in [
        &["sync"][..],
        &["sync", "--check"],
        &["update", "--dry-run"],
        &["update"],
        &["install", "./lib/pdf", "--link"],
        &["install", "./lib/pdf"],
        &["remove", "pdf"],
    ] {
        let told = context.refused(command);
        assert!(
            told.contains("`.agents/skills/pdf` was edited after it was installed: notes.md"),
            "{told}"
        );
        assert_eq!(context.read(notes), "mine");
    }
    context.done(&["sync", "--force"]);
    assert!(!context.root().join(notes).exists());
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    context.write(notes, "mine");
    context.done(&["update", "--force"]);
    assert!(!context.root().join(notes).exists());
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn what_programs_leave_behind_a_link_is_tidied_up() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf", "--link"]);
    let litter = ".agents/skills/pdf/__pycache__/run.pyc";
    context.write(litter, "bytes");
    context.done(&["store", "verify"]);
    assert_eq!(context.code(&["sync", "--check"]), Some(1));
    context.done(&["sync"]);
    assert!(!context.root().join(litter).exists());
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    context.done(&["sync", "--check"]);
    context.write(litter, "bytes");
    context.done(&["remove", "pdf"]);
}

#[test]
fn what_is_lost_by_force_is_told_before_and_after() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write(INSTALLED, skill("pdf", "mine"));
    let force = ["install", "./lib/pdf", "--force"];
    let lost = "pdf  given up: `.agents/skills/pdf` is there already";
    let told = context.done(&[&force[..], &["--dry-run"]].concat());
    assert!(told.contains(lost), "{told}");
    assert!(context.done(&force).contains(lost));
    for command in [&["sync"][..], &["update"], &["remove", "pdf"]] {
        context.write(".agents/skills/pdf/notes.md", "mine");
        context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
        let answer = context.json(&[command, &["--force", "--json"]].concat());
        assert_eq!(
            answer["given_up"][0]["reason"],
            "`.agents/skills/pdf` was edited after it was installed: notes.md"
        );
    }
}

#[test]
fn an_edit_that_was_installed_elsewhere_is_still_an_edit() {
    let context = installed();
    let mine = skill("pdf", "mine");
    context.write(INSTALLED, &mine);
    context.refused(&["sync"]);
    context.write("other/skills.toml", "");
    let mut install = context.skillyard();
    let install = install.args(["install", "../.agents/skills/pdf"]);
    let done = output(install.current_dir(context.root().join("other")));
    assert!(done.status.success(), "{}", text(&done.stderr));
    let told = context.refused(&["sync"]);
    assert!(told.contains("was edited after it was installed"), "{told}");
    assert_eq!(context.read(INSTALLED), mine);
}

#[test]
fn a_skill_is_not_installed_from_its_own_place() {
    for target in [".agents/skills/mine", ".claude/skills/mine"] {
        let context = project();
        context.write(&format!("{target}/SKILL.md"), skill("mine", "one"));
        let source = format!("./{target}");
        for force in [&["--dry-run"][..], &["--force"], &[]] {
            let command = [&["install", source.as_str()], force].concat();
            let told = context.refused(&command);
            assert!(
                told.contains("is the folder that it comes from: it is there already, and yours"),
                "{told}"
            );
        }
        assert_eq!(context.read("skills.toml"), "");
        // For other agents it may be.
        if target.starts_with(".claude") {
            context.done(&["install", &source, "--agent", "codex"]);
            context.done(&["remove", "mine"]);
        }
        assert_eq!(
            context.read(&format!("{target}/SKILL.md")),
            skill("mine", "one")
        );
    }
}

#[test]
fn a_skill_is_not_installed_from_its_own_place_behind_a_link() {
    let context = project();
    let own = context.in_home("dotfiles/skills/foo");
    fs::create_dir_all(&own).unwrap();
    fs::create_dir_all(context.in_home(".claude")).unwrap();
    fs::write(own.join("SKILL.md"), skill("foo", "one")).unwrap();
    symlink("../dotfiles/skills", context.in_home(".claude/skills")).unwrap();
    let source = own.to_str().unwrap();
    let told = context.refused(&["install", source, "--scope", "user"]);
    assert!(told.contains("and yours"), "{told}");
    assert!(own.join("SKILL.md").is_file());
}

#[test]
fn a_skill_that_was_installed_from_its_own_place_outlives_its_entry() {
    let context = installed();
    // As earlier versions locked it.
    for file in ["skills.toml", "skills.lock"] {
        let text = context.read(file);
        context.write(file, text.replace("./lib/pdf", "./.agents/skills/pdf"));
    }
    let told = context.done(&["remove", "pdf"]);
    assert!(told.contains("is yours now"), "{told}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    assert!(!context.read("skills.lock").contains("pdf"));
}
