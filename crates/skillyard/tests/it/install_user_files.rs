//! What is the user's own, or the work of another command, is not taken for ours.

use std::fs;
use std::os::unix::fs::symlink;

use crate::project::{installed, project};
use crate::servers::repository::{Repository, skill};
use crate::{TestContext, output};

const PDF: &str = ".agents/skills/pdf/SKILL.md";

impl TestContext {
    /// Takes `pdf` out of the lock, as a checkout of another branch does.
    fn drop_pdf(&self) {
        self.write("skills.lock", "version = 1\n");
        self.write("skills.toml", "");
    }

    /// Runs git in the project.
    pub(crate) fn git(&self, arguments: &[&str]) {
        let mut command = self.command("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        let output = output(command.current_dir(self.root()).args(arguments));
        assert!(output.status.success(), "{arguments:?}");
    }
}

#[test]
fn a_skill_that_was_written_where_one_was_installed_is_ones_own() {
    let context = installed();
    context.drop_pdf();
    context.write(PDF, skill("pdf", "my own"));
    let shown = context.run(&["show", "pdf"]);
    assert!(!shown.contains("altered"), "{shown}");
    context.done(&["sync", "--force"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("my own"));
}

#[test]
fn what_git_keeps_in_the_project_is_not_taken_away() {
    let context = installed();
    context.git(&["init", "--quiet"]);
    context.git(&["add", "--force", ".agents"]);
    context.drop_pdf();
    let told = context.done(&["sync"]);
    assert!(told.contains("is yours now"), "{told}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn what_was_there_before_it_was_installed_stays_when_it_is_removed() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write(PDF, skill("pdf", "one"));
    for arguments in [
        &["install", "./lib/pdf", "--dry-run"][..],
        &["install", "./lib/pdf"],
    ] {
        let told = context.done(arguments);
        assert!(told.contains("was there already"), "{told}");
    }
    let told = context.done(&["install", "./lib/pdf"]);
    assert!(!told.contains("was there already"), "{told}");
    let told = context.done(&["remove", "pdf"]);
    assert!(told.contains("is yours now"), "{told}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    let answer = context.json(&["install", "./lib/pdf", "--json"]);
    assert_eq!(answer["taken_over"][0]["name"], "pdf", "{answer}");
    context.done(&["remove", "pdf", "--force"]);
    assert_eq!(context.version_of("pdf"), None);
}

#[test]
fn what_replaced_one_that_was_there_goes_when_it_is_removed() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write(PDF, skill("pdf", "one"));
    context.done(&["install", "./lib/pdf"]);
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    let answer = context.json(&["update", "--dry-run", "--json"]);
    assert_eq!(answer["replaced"][0]["name"], "pdf", "{answer}");
    let told = context.done(&["update"]);
    assert!(
        told.contains("from now on goes when it is removed"),
        "{told}"
    );
    context.write("lib/pdf/SKILL.md", skill("pdf", "three"));
    let told = context.done(&["update"]);
    assert!(!told.contains("goes when it is removed"), "{told}");
    context.done(&["remove", "pdf"]);
    assert_eq!(context.version_of("pdf"), None);
}

#[test]
fn another_project_in_the_same_place_has_no_past() {
    let context = installed();
    let root = context.root();
    fs::remove_dir_all(&root).unwrap();
    fs::create_dir_all(root.join(".git")).unwrap();
    context.write(PDF, skill("pdf", "one"));
    context.done(&["sync"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn a_project_that_was_moved_has_its_past() {
    let context = installed();
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    let lock = context.read("skills.lock");
    context.done(&["update"]);
    let root = context.root();
    let elsewhere = root.with_file_name("elsewhere");
    fs::rename(&root, &elsewhere).unwrap();
    fs::write(elsewhere.join("skills.lock"), &lock).unwrap();
    fs::write(elsewhere.join("lib/pdf/SKILL.md"), skill("pdf", "one")).unwrap();
    // Without the store nothing but the record knows what was put there.
    fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
    let mut sync = context.skillyard();
    let synced = output(sync.current_dir(&elsewhere).arg("sync"));
    assert!(synced.status.success(), "{synced:?}");
    fs::rename(&elsewhere, &root).unwrap();
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn what_the_store_has_is_nobodys_edit() {
    let context = installed();
    let old = context.read(PDF);
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    context.done(&["update"]);
    // As in a copy of the project, which has no record of its own.
    fs::remove_dir_all(context.in_home(".skillyard/placed")).unwrap();
    context.write(PDF, &old);
    context.done(&["sync"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    // Nothing knows these bytes.
    fs::remove_dir_all(context.in_home(".skillyard/placed")).unwrap();
    context.write(PDF, skill("pdf", "three"));
    let told = context.refused(&["sync"]);
    assert!(told.contains("there is no record"), "{told}");
}

#[test]
fn a_record_that_cannot_be_read_is_written_again() {
    let context = installed();
    let placed = context.in_home(".skillyard/placed");
    let mut files = fs::read_dir(&placed).unwrap();
    let file = files.find_map(|file| {
        let path = file.unwrap().path();
        (path.extension().unwrap() == "toml").then_some(path)
    });
    let file = file.unwrap();
    let before = fs::read_to_string(&file).unwrap();
    fs::write(&file, "garbage").unwrap();
    context.done(&["sync"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn a_clone_of_a_repository_is_never_ours() {
    let context = project();
    let repository = Repository::new(&context, "pdf");
    repository.write("SKILL.md", skill("pdf", "one"));
    repository.commit("one");
    let clone = context.root().join(".agents/skills/pdf");
    fs::create_dir_all(clone.parent().unwrap()).unwrap();
    let address = repository.url();
    context.git(&["clone", "--quiet", &address, ".agents/skills/pdf"]);
    let told = context.refused(&["install", &address, "--yes"]);
    assert!(told.contains("has a git repository in it"), "{told}");
    // Or it was made one after it was installed.
    fs::rename(clone.join(".git"), context.root().join("kept")).unwrap();
    fs::remove_dir_all(&clone).unwrap();
    context.done(&["install", &address, "--yes"]);
    fs::rename(context.root().join("kept"), clone.join(".git")).unwrap();
    repository.write("SKILL.md", skill("pdf", "two"));
    repository.commit("two");
    for arguments in [&["update", "--yes"][..], &["remove", "pdf"]] {
        let told = context.refused(arguments);
        assert!(told.contains("has a git repository in it"), "{told}");
    }
    assert!(clone.join(".git/HEAD").exists());
    context.done(&["remove", "pdf", "--force"]);
    assert!(!clone.exists());
}

#[test]
fn what_is_no_folder_is_called_what_it_is() {
    let context = installed();
    let place = context.root().join(".agents/skills/pdf");
    fs::remove_dir_all(&place).unwrap();
    fs::write(&place, "a file").unwrap();
    let told = context.refused(&["sync"]);
    assert!(told.contains("it is a file"), "{told}");
    fs::remove_file(&place).unwrap();
    symlink("nowhere", &place).unwrap();
    let told = context.refused(&["sync"]);
    assert!(told.contains("is a link to `nowhere`"), "{told}");
    // A colleague's link into their store, which came with a checkout, holds nothing.
    let lock = context.read("skills.lock");
    let (_, digest) = lock.split_once("sha256:").unwrap();
    let store = format!(
        "/home/colleague/store/sha256/{}/{}",
        &digest[..2],
        &digest[2..64]
    );
    fs::remove_file(&place).unwrap();
    symlink(store, &place).unwrap();
    context.done(&["sync"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn one_folder_under_two_names_is_one_folder() {
    let context = project();
    fs::create_dir_all(context.root().join(".agents/skills")).unwrap();
    fs::create_dir_all(context.root().join(".claude")).unwrap();
    symlink("../.agents/skills", context.root().join(".claude/skills")).unwrap();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./lib/pdf", "--agent", "codex,claude-code"]);
    let lock = context.read("skills.lock");
    let one = lock.lines().map(|line| match line.strip_prefix("targets") {
        Some(_) => "targets = [\".agents/skills\"]",
        None => line,
    });
    let one: Vec<&str> = one.collect();
    assert_ne!(one.join("\n") + "\n", lock);
    context.write("skills.lock", one.join("\n") + "\n");
    context.done(&["sync"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn what_is_in_the_way_of_one_does_not_hold_up_the_others() {
    let context = installed();
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    context.done(&["install", "./lib/csv"]);
    context.write(PDF, skill("pdf", "mine"));
    fs::remove_dir_all(context.root().join(".agents/skills/csv")).unwrap();
    let told = context.refused(&["sync"]);
    assert!(told.contains("`.agents/skills/pdf` was edited"), "{told}");
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    context.write("lib/csv/SKILL.md", skill("csv", "two"));
    context.refused(&["update"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("two"));
    assert_eq!(context.version_of("pdf").as_deref(), Some("mine"));
    fs::remove_dir_all(context.root().join(".agents/skills/csv")).unwrap();
    let told = output(context.skillyard().args(["sync", "--json"]));
    assert_eq!(told.status.code(), Some(1));
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["skipped"][0]["name"], "pdf");
}

#[test]
fn nothing_is_written_where_nothing_is_installed() {
    let context = project();
    for arguments in ["sync", "update"] {
        context.done(&[arguments]);
    }
    assert!(!context.root().join("skills.lock").exists());
}

#[test]
fn what_a_colleague_took_out_can_be_removed() {
    let context = installed();
    context.drop_pdf();
    context.done(&["remove", "pdf"]);
    assert_eq!(context.version_of("pdf"), None);
}

#[test]
fn a_new_manifest_wants_all_that_was_locked() {
    let context = installed();
    fs::remove_file(context.root().join("skills.toml")).unwrap();
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    context.done(&["install", "./lib/csv"]);
    context.done(&["sync"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn a_home_that_is_written_relative_to_here_means_the_same_elsewhere() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    let mut install = context.skillyard();
    install.env("SKILLYARD_HOME", "own/home");
    let done = output(install.args(["install", "./lib/pdf", "--link"]));
    assert!(done.status.success(), "{done:?}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn a_lock_that_cannot_be_read_makes_no_skill_ones_own() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    repository.write("skills/pdf/scripts/x.sh", "echo ran\n");
    repository.commit("two");
    let reference = format!("{}#skills/pdf", repository.url());
    context.done(&["install", &reference, "--scope", "user", "--yes"]);
    let lock = context.in_home(".skillyard/lock.toml");
    let text = fs::read_to_string(&lock).unwrap();
    for broken in [
        format!("{text}<<<<<<< HEAD\n"),
        text.replace("version = 1", "version = 99"),
    ] {
        fs::write(&lock, broken).unwrap();
        for arguments in [
            &["run", "pdf", "scripts/x.sh", "--yes"][..],
            &["show", "pdf"],
        ] {
            let told = context.refused(arguments);
            assert!(told.contains("lock.toml"), "{told}");
        }
        let told = context.run(&["enable", "pdf"]);
        assert!(told.contains("`pdf` is still held back while `"), "{told}");
        assert!(
            told.contains("`skillyard doctor` says what to do"),
            "{told}"
        );
        // Everything can still be listed, and nothing of it is told to a model.
        context.done(&["list"]);
        assert!(!context.run(&["prompt"]).contains("Fills forms"));
    }
}

#[test]
fn a_lock_of_a_checkout_that_cannot_be_read_stops_nothing_about_the_users_own_skills() {
    let context = project();
    for name in ["pdf", "csv"] {
        context.write(&format!("../outside/{name}/SKILL.md"), skill(name, "one"));
    }
    let install = |from: &str| context.done(&["install", from, "--scope", "user", "--yes"]);
    install("../outside/pdf");
    context.write("skills.lock", "junk");
    install("../outside/csv");
    context.write("../outside/pdf/SKILL.md", skill("pdf", "two"));
    let user = ["--scope", "user"];
    assert_eq!(context.code(&[&["outdated"], &user[..]].concat()), Some(1));
    let told = context.json(&[&["outdated", "--json"], &user[..]].concat());
    assert_eq!(told["outdated"][0]["name"], "pdf", "{told}");
    context.done(&[&["update", "--yes"], &user[..]].concat());
    // What is told is not all, and why.
    let told = context.run(&["list", "--installed"]);
    assert!(told.contains("✓ pdf  "), "{told}");
    assert!(told.contains("skills.lock` is not a lock file"), "{told}");
    assert!(told.contains("exit code: 1"), "{told}");
    let told = context.json(&["list", "--installed", "--json"]);
    assert_eq!(told["skills"].as_array().unwrap().len(), 2, "{told}");
    assert_eq!(told["unreadable"].as_array().unwrap().len(), 1, "{told}");
    context.done(&[&["remove", "pdf", "csv"], &user[..]].concat());
    // Of what lies in the checkout the lock could say something else.
    context.write(".agents/skills/own/SKILL.md", skill("own", "one"));
    let own = ["install", "./.agents/skills/own", "--yes"];
    let told = context.refused(&[&own, &user[..]].concat());
    assert!(told.contains("skills.lock"), "{told}");
}

#[test]
fn a_checkout_with_a_lock_that_cannot_be_read_takes_nobodys_own_skills() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "one"));
    context.write("lib/pdf/scripts/x.sh", "echo ran\n");
    context.done(&["install", "./lib/pdf", "--scope", "user", "--yes"]);
    context.write(".agents/skills/csv/SKILL.md", skill("csv", "one"));
    context.done(&["trust", "."]);
    for broken in ["junk", "<<<<<<< HEAD\n", "version = 2\n"] {
        context.write("skills.lock", broken);
        let list = context.json(&["list", "--json"]);
        let all = list["skills"].as_array().unwrap();
        let status = |name: &str| {
            let found = all.iter().find(|each| each["name"] == name).unwrap();
            (found["status"].clone(), found["reason"].to_string())
        };
        assert_eq!(status("pdf").0, "enabled", "{broken}");
        let (held, why) = status("csv");
        assert_eq!(held, "held-back", "{broken}");
        assert!(why.contains("skills.lock"), "{why}");
        assert!(why.contains("skillyard doctor"), "{why}");
        context.done(&["read", "pdf"]);
        context.done(&["show", "pdf"]);
        context.done(&["run", "pdf", "scripts/x.sh", "--yes"]);
        let told = context.refused(&["read", "csv"]);
        assert!(told.contains("skills.lock"), "{told}");
        context.refused(&["list", "--installed"]);
        let doctor = context.run(&["doctor"]);
        assert!(doctor.contains("skills.lock"), "{doctor}");
    }
    // In the home folder, what a project installs lies among the user's own.
    fs::remove_file(context.root().join("skills.lock")).unwrap();
    fs::write(context.in_home("skills.lock"), "junk").unwrap();
    let list = context.json(&["list", "--json"]);
    let all = list["skills"].as_array().unwrap();
    let pdf = all.iter().find(|each| each["name"] == "pdf").unwrap();
    assert_eq!(pdf["status"], "held-back", "{pdf}");
}

#[test]
fn what_a_link_leads_the_agents_to_is_not_replaced_by_what_is_locked() {
    let context = project();
    context.write("skills/pdf/SKILL.md", skill("pdf", "one"));
    context.done(&["install", "./skills/pdf"]);
    fs::remove_dir_all(context.root().join(".agents/skills")).unwrap();
    context.link("../skills", ".agents/skills");
    context.done(&["sync", "--check"]);
    // What is not delivered makes no other skill of it.
    context.write("skills/pdf/node_modules/x.js", "x");
    context.done(&["sync", "--check"]);
    context.done(&["sync"]);
    context.write("skills/pdf/SKILL.md", skill("pdf", "precious"));
    let commands = [
        &["sync", "--check"][..],
        &["sync"],
        &["sync", "--force"],
        &["sync", "--frozen", "--force"],
    ];
    let refused = || {
        for command in commands {
            let told = context.refused(command);
            let hint = "`skillyard update pdf`";
            assert!(told.contains(hint), "{command:?}: {told}");
            assert!(!told.contains("--force"), "{command:?}: {told}");
            let text = context.read("skills/pdf/SKILL.md");
            assert_eq!(text, skill("pdf", "precious"), "{command:?}");
        }
    };
    refused();
    let told = context.tell(&["doctor"]);
    assert!(told.contains("`skillyard update pdf`"), "{told}");
    assert!(!told.contains("--force"), "{told}");
    // The lock alone goes back, as with the other side of a merge.
    let lock = context.read("skills.lock");
    context.done(&["update", "pdf"]);
    context.done(&["sync", "--locked", "--check"]);
    context.write("skills.lock", lock);
    refused();
}
