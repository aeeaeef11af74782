//! A lock that others change too: what they changed is followed here, and what was edited here is
//! not lost.

use std::fs;

use insta::assert_snapshot;

use crate::project::{installed, project};
use crate::servers::repository::{Repository, skill};
use crate::{TestContext, output, text};

impl TestContext {
    /// What a colleague's lock says once they have these versions, pulled into this project.
    fn pull(&self, skills: &[(&str, &str)]) {
        let colleague = project();
        for (name, version) in skills {
            let file = format!("lib/{name}/SKILL.md");
            colleague.write(&file, skill(name, version));
            self.write(&file, skill(name, version));
            colleague.done(&["install", &format!("./lib/{name}")]);
        }
        if skills.is_empty() {
            colleague.write("lib/pdf/SKILL.md", skill("pdf", "one"));
            colleague.done(&["install", "./lib/pdf"]);
            colleague.done(&["remove", "pdf"]);
        }
        for file in ["skills.toml", "skills.lock"] {
            self.write(file, colleague.read(file));
        }
    }
}

#[test]
fn a_newer_lock_is_followed() {
    let context = installed();
    context.pull(&[("pdf", "two")]);
    let told = context.refused(&["sync", "--check"]);
    assert!(told.contains(" ~ pdf"), "{told}");
    assert!(
        context
            .run(&["doctor"])
            .contains("`pdf` is not as it is locked")
    );
    let told = context.done(&["sync", "--locked"]);
    assert!(told.contains("Updated 1 skill"), "{told}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    context.done(&["sync", "--check"]);
    // A lock of before, as on another branch.
    context.pull(&[("pdf", "one")]);
    context.done(&["sync"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn what_was_edited_here_is_not_lost_to_a_newer_lock() {
    let context = installed();
    let file = ".agents/skills/pdf/SKILL.md";
    context.write(file, skill("pdf", "mine"));
    context.pull(&[("pdf", "two")]);
    let told = context.refused(&["sync"]);
    assert!(told.contains("was edited after it was installed"), "{told}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("mine"));
    context.done(&["sync", "--force"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
}

#[test]
fn what_a_colleague_removed_goes() {
    let context = installed();
    context.pull(&[]);
    let told = context.refused(&["sync", "--check"]);
    assert!(told.contains(" - pdf"), "{told}");
    let doctor = context.run(&["doctor"]);
    assert!(
        doctor.contains("`pdf` is not locked any more, and still there"),
        "{doctor}"
    );
    context.done(&["sync", "--frozen"]);
    assert_eq!(context.version_of("pdf"), None);
    context.done(&["sync", "--check"]);
}

#[test]
fn what_a_colleague_removed_stays_if_it_was_edited_here() {
    let context = installed();
    context.write(".agents/skills/pdf/SKILL.md", skill("pdf", "mine"));
    context.pull(&[]);
    let told = context.done(&["sync"]);
    assert!(told.contains("is yours now"), "{told}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("mine"));
    // From now on it is as if it had been written here.
    assert!(!context.run(&["doctor"]).contains("pdf"));
    assert!(!context.done(&["sync", "--force"]).contains("pdf"));
    assert_eq!(context.version_of("pdf").as_deref(), Some("mine"));
}

#[test]
fn what_a_colleague_removed_stays_if_git_may_have_it_and_cannot_be_asked() {
    let context = installed();
    fs::create_dir(context.root().join(".git")).unwrap();
    context.pull(&[]);
    let mut sync = context.skillyard();
    let done = output(sync.arg("sync").env("PATH", "/nonexistent"));
    let told = text(&done.stderr);
    assert!(done.status.success(), "{told}");
    assert!(told.contains("is yours now"), "{told}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn what_a_colleague_removed_is_not_trusted_more_for_that() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let url = format!("{}#skills/pdf", repository.url());
    context.done(&["install", &url, "--yes"]);
    context.done(&["trust", ".", "--yes"]);
    let trust = || {
        let shown = context.run(&["show", "pdf"]);
        let mut lines = shown.lines();
        let line = lines.find(|line| line.contains("git")).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{shown}"))
    };
    let before = trust();
    context.pull(&[]);
    assert_eq!(trust(), before);
}

#[test]
fn a_skill_that_nobody_installed_is_never_taken_away() {
    let context = installed();
    context.write(".agents/skills/own/SKILL.md", skill("own", "mine"));
    context.pull(&[]);
    context.done(&["sync"]);
    assert_eq!(context.version_of("own").as_deref(), Some("mine"));
}

#[test]
fn other_changes_do_not_forget_what_is_there() {
    let context = installed();
    context.pull(&[("pdf", "two")]);
    context.write("lib/docx/SKILL.md", skill("docx", "one"));
    context.done(&["install", "./lib/docx"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    context.done(&["sync"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
}

#[test]
fn the_lock_is_believed_where_there_is_no_record() {
    let context = installed();
    let records = context.in_home(".skillyard/placed");
    for text in ["", "version = 9", "\u{0}"] {
        for record in fs::read_dir(&records).unwrap() {
            fs::write(record.unwrap().path(), text).unwrap();
        }
        context.done(&["sync"]);
        context.done(&["update"]);
    }
    fs::remove_dir_all(&records).unwrap();
    context.done(&["sync"]);
    context.pull(&[("pdf", "two")]);
    context.done(&["sync"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
}

#[test]
fn to_go_by_a_lock_there_must_be_one() {
    let context = installed();
    fs::remove_file(context.root().join("skills.lock")).unwrap();
    let told = context.refused(&["sync", "--frozen"]);
    assert_snapshot!(told, @r"
    error: there is no lock to go by: `[DIR]/skills.lock` does not exist

    hint: Run `skillyard sync` once without `--frozen`, and commit the lock
    ");
    // Nothing to be wanted is no reason to take another folder for the project.
    fs::remove_file(context.root().join("skills.toml")).unwrap();
    for scope in ["project", "user"] {
        let told = context.refused(&["sync", "--frozen", "--check", "--scope", scope]);
        let hint = "hint: Run it where the project is, or make a lock with `skillyard install";
        assert!(
            told.contains("lock` does not exist") || told.contains("lock.toml` does not exist"),
            "{told}"
        );
        assert!(told.contains(hint), "{told}");
    }
    context.done(&["install", "./lib/pdf"]);
    context.done(&["remove", "pdf"]);
    context.done(&["sync", "--frozen"]);
}

#[test]
fn a_lock_can_be_all_that_counts_and_have_to_match() {
    let context = installed();
    context.done(&["sync", "--locked", "--frozen"]);
    let wanted = context.read("skills.toml");
    let more = format!("{wanted}tar = \"./lib/tar\"\n");
    context.write("skills.toml", more);
    context.done(&["sync", "--frozen"]);
    context.refused(&["sync", "--locked", "--frozen"]);
    context.refused(&["sync", "--locked", "--frozen", "--check"]);
}

#[test]
fn agents_that_are_named_later_get_the_skills_too() {
    let context = installed();
    let wanted = context.read("skills.toml");
    context.write(
        "skills.toml",
        format!("agents = [\"claude-code\"]\n{wanted}"),
    );
    let told = context.refused(&["sync", "--locked"]);
    assert!(told.contains("not locked for all agents"), "{told}");
    context.refused(&["sync", "--check"]);
    context.done(&["sync"]);
    assert!(context.root().join(".claude/skills/pdf/SKILL.md").is_file());
    assert!(context.root().join(".agents/skills/pdf/SKILL.md").is_file());
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn agents_that_are_no_list_are_told_how_they_are_written() {
    let context = installed();
    context.write("skills.toml", "agents = \"codex\"\n");
    let told = context.refused(&["sync"]);
    assert_snapshot!(told, @r#"
    error: `[DIR]/skills.toml` cannot be used: `agents` is no list of names

    hint: Write a list of names: `agents = ["codex"]`
    "#);
}

#[test]
fn agents_of_the_project_get_what_others_are_named_for() {
    let context = installed();
    let wanted = context.read("skills.toml");
    let agents = "agents = [\"claude-code\"]\n";
    context.write("skills.toml", format!("{agents}{wanted}"));
    context.done(&["sync"]);
    context.write("lib/docx/SKILL.md", skill("docx", "one"));
    context.done(&["install", "./lib/docx", "--agent", "codex"]);
    for folder in [".agents", ".claude"] {
        let file = format!("{folder}/skills/docx/SKILL.md");
        assert!(context.root().join(file).is_file(), "{folder}");
    }
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn another_wish_is_seen_by_update_and_outdated() {
    let context = installed();
    context.write("lib/v2/pdf/SKILL.md", skill("pdf", "two"));
    context.write("lib/docx/SKILL.md", skill("docx", "one"));
    context.write(
        "skills.toml",
        "[skills]\npdf = \"./lib/v2/pdf\"\ndocx = \"./lib/docx\"\n",
    );
    let told = context.refused(&["outdated"]);
    assert!(told.contains("docx: skills.toml wants it"), "{told}");
    let told = context.run(&["outdated", "pdf"]);
    assert!(told.contains("  ./lib/v2/pdf\n"), "{told}");
    let told = context.json(&["outdated", "pdf", "--json"]);
    assert_eq!(told["outdated"][0]["source"], "./lib/v2/pdf");
    let told = context.json(&["why", "pdf", "--json"]);
    assert_eq!(told["reference"], "./lib/v2/pdf");
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    assert_eq!(context.version_of("docx").as_deref(), Some("one"));
    context.done(&["sync", "--locked", "--check"]);
    context.write("skills.toml", "<<<<<<< HEAD\n[skills]\n");
    for command in ["outdated", "update", "sync"] {
        let told = context.refused(&[command]);
        assert!(told.contains("it has merge conflicts"), "{told}");
    }
    assert!(context.run(&["doctor"]).contains("it has merge conflicts"));
}

#[test]
fn one_source_that_is_gone_does_not_keep_the_others_back() {
    let context = installed();
    context.write("lib/docx/SKILL.md", skill("docx", "one"));
    context.done(&["install", "./lib/docx"]);
    fs::remove_dir_all(context.root().join("lib/pdf")).unwrap();
    context.write("lib/docx/SKILL.md", skill("docx", "two"));
    let told = context.refused(&["update", "--yes"]);
    assert!(told.contains(" ! pdf: "), "{told}");
    assert_eq!(context.version_of("docx").as_deref(), Some("two"));
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    let answer = context.run(&["update", "--yes", "--json"]);
    assert!(answer.contains("\"failed\": ["), "{answer}");
    // Where all of them are gone, the skills are still installed.
    fs::remove_dir_all(context.root().join("lib/docx")).unwrap();
    let told = context.refused(&["update", "--yes"]);
    assert!(
        told.contains(" ! docx: ") && !told.contains("No skills"),
        "{told}"
    );
}

#[test]
fn doctor_tells_what_the_manifest_and_the_lock_disagree_about() {
    let context = installed();
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    let wanted = "[skills]\ncsv = \"./lib/csv\"\n";
    context.write("skills.toml", wanted);
    let told = context.run(&["doctor"]);
    assert!(told.contains("exit code: 1\n"), "{told}");
    for line in [
        "`csv` is not locked as it is wanted (project scope)",
        "`pdf` is locked and not wanted (project scope)",
        "Make them match with `skillyard sync --scope project`",
    ] {
        assert!(told.contains(line), "{told}");
    }
    assert!(!told.contains("as locked"), "{told}");
    context.done(&["sync"]);
    let told = context.run(&["doctor"]);
    assert!(told.contains("1 installed skill is as locked"), "{told}");
    // A dependency that nobody needs.
    let lock = context.read("skills.lock");
    context.write(
        "skills.lock",
        format!("{}\ndependency = true\n", lock.trim_end()),
    );
    context.write("skills.toml", "[skills]\n");
    let told = context.run(&["doctor"]);
    assert!(told.contains("exit code: 1\n"), "{told}");
    assert!(told.contains("`csv` is locked and not needed"), "{told}");
    // Whatever cannot be understood is told, too.
    context.write("skills.lock", lock);
    context.write("skills.toml", wanted.replace("./lib/csv", "no:such:place"));
    let told = context.run(&["doctor"]);
    assert!(told.contains("exit code: 1\n"), "{told}");
    assert!(
        told.contains("`such:place` is not a valid skill name"),
        "{told}"
    );
}

#[test]
fn line_ends_that_git_writes_are_told_as_that() {
    let context = installed();
    let git = |arguments: &[&str]| {
        let mut command = context.command("git");
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let done = output(
            command
                .current_dir(context.root())
                .args(who)
                .args(arguments),
        );
        assert!(done.status.success(), "{}", text(&done.stderr));
    };
    let check_out = || {
        fs::remove_dir_all(context.root().join(".agents")).unwrap();
        git(&["checkout", "--quiet", "--", ".agents"]);
    };
    git(&["init", "--quiet"]);
    git(&["config", "core.autocrlf", "true"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "one"]);
    check_out();
    let file = ".agents/skills/pdf/SKILL.md";
    assert!(context.read(file).contains("\r\n"));
    let hint = "`.agents/skills/** -text` in a `.gitattributes` beside skills.lock";
    for command in [&["sync"][..], &["sync", "--check"], &["remove", "pdf"]] {
        let told = context.refused(command);
        assert!(
            told.contains("core.autocrlf") && told.contains(hint),
            "{told}"
        );
    }
    assert!(context.run(&["doctor"]).contains(hint));
    // The same on a machine that knows nothing of it.
    fs::remove_dir_all(context.in_home(".skillyard")).unwrap();
    let told = context.refused(&["sync"]);
    assert!(
        told.contains("core.autocrlf") && told.contains(hint),
        "{told}"
    );
    context.write(".gitattributes", ".agents/skills/** -text\n");
    context.done(&["sync", "--force"]);
    check_out();
    context.done(&["sync", "--locked", "--check"]);
    // What somebody wrote is still theirs.
    let edited = context.read(file).replace('\n', "\r\n") + "more";
    context.write(file, edited);
    let told = context.refused(&["sync"]);
    assert!(told.contains("was edited after it was installed"), "{told}");
}

#[test]
fn an_agent_that_the_lock_has_nothing_for_is_told() {
    let context = installed();
    let unread = "Claude Code is in use here";
    assert!(!context.done(&["sync"]).contains(unread));
    fs::create_dir(context.root().join(".claude")).unwrap();
    let told = context.done(&["sync"]);
    assert!(told.contains(unread), "{told}");
    let manifest = context.read("skills.toml");
    let agents = format!("agents = [\"claude-code\"]\n{manifest}");
    context.write("skills.toml", agents);
    let told = context.done(&["sync"]);
    assert!(!told.contains(unread), "{told}");
    assert!(context.root().join(".claude/skills/pdf/SKILL.md").exists());
}

#[test]
fn lines_that_ended_in_crlf_and_do_not_any_more_are_not_called_crlf() {
    let context = project();
    let text = skill("pdf", "one").replace('\n', "\r\n");
    context.write("lib/pdf/SKILL.md", &text);
    context.done(&["install", "./lib/pdf"]);
    context.write(".agents/skills/pdf/SKILL.md", text.replace('\r', ""));
    let told = context.refused(&["sync"]);
    assert!(told.contains("they are LF, and were CRLF"), "{told}");
}

#[test]
fn skills_that_an_agent_does_not_see_are_named() {
    let context = installed();
    fs::create_dir(context.root().join(".claude")).unwrap();
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    context.done(&["install", "./lib/csv"]);
    let told = context.done(&["sync"]);
    let unread = "Claude Code is in use here, and `.claude/skills` has no `pdf`: ";
    assert!(told.contains(unread), "{told}");
    let doctor = context.run(&["doctor", "--agent", "claude-code"]);
    let line = r#"agents = ["universal", "claude-code"]"#;
    let hint = format!("Put it there too: `{line}` in skills.toml, and `skillyard sync`");
    assert!(doctor.contains(&hint), "{doctor}");
    assert!(
        told.contains(&format!("`{line}` in skills.toml and")),
        "{told}"
    );
    let manifest = context.read("skills.toml");
    context.write("skills.toml", format!("{line}\n{manifest}"));
    let told = context.done(&["sync"]);
    assert!(!told.contains("Claude Code is in use"), "{told}");
    assert!(context.root().join(".claude/skills/pdf/SKILL.md").exists());
    // The others go on being meant, also by what is installed later.
    context.write("lib/txt/SKILL.md", skill("txt", "one"));
    context.done(&["install", "./lib/txt"]);
    for folder in [".agents", ".claude"] {
        let file = context.root().join(folder).join("skills/txt/SKILL.md");
        assert!(file.exists(), "{folder}");
    }
}

#[test]
fn all_agents_that_skills_toml_may_have_meant_are_told() {
    let context = installed();
    let manifest = context.read("skills.toml");
    let wanting = |agents: &str| {
        context.write("skills.toml", format!("agents = {agents}\n{manifest}"));
        context.refused(&["sync"])
    };
    insta::assert_snapshot!(wanting(r#"["codx", "goose", "claude"]"#), @r#"
    error: there is no agent `codx`, which skills.toml names

    hint: Did you mean `agents = ["codex", "goose", "claude-code"]` in skills.toml?
    "#);
    let told = wanting(r#"["codex", "no-such-agent-at-all"]"#);
    assert!(
        told.contains("hint: There are ") && told.contains("codex, "),
        "{told}"
    );
}
