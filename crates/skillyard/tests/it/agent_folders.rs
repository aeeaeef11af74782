//! Variables that put the folders of agents elsewhere: skills go where the agents read them.

use std::process::Command;

use crate::project::project;
use crate::{TestContext, output, text};

/// A command with a variable that names a folder beside the project.
fn with(context: &TestContext, variable: &str, folder: &str, arguments: &[&str]) -> Command {
    let mut command = context.skillyard();
    let folder = context.root().join(folder);
    command.env(variable, folder).args(arguments);
    command
}

/// What the command says, if it succeeds.
fn done(command: &mut Command) -> String {
    let done = output(command);
    let told = text(&done.stdout) + &text(&done.stderr);
    assert!(done.status.success(), "{told}");
    told
}

const INSTALL: [&str; 7] = [
    "install",
    "./lib/pdf",
    "--scope",
    "user",
    "--agent",
    "claude-code",
    "--yes",
];

#[test]
fn the_skills_of_the_user_are_where_the_agent_reads_them() {
    let context = TestContext::new();
    context.write_skill("lib/pdf");
    let claude =
        |arguments: &[&str]| done(&mut with(&context, "CLAUDE_CONFIG_DIR", "cc", arguments));
    claude(&INSTALL);
    assert!(context.root().join("cc/skills/pdf/SKILL.md").is_file());
    assert!(!context.in_home(".claude").exists());
    let told = claude(&["list"]);
    assert!(told.contains("✓ pdf"), "{told}");
    claude(&["sync", "--scope", "user", "--check"]);
    let told = claude(&["doctor", "--agent", "claude-code"]);
    assert!(told.contains("Claude Code sees 1 of 1 skill"), "{told}");
    // The lock means the agent's folder, wherever that is.
    let lock = std::fs::read_to_string(context.in_home(".skillyard/lock.toml")).unwrap();
    assert!(lock.contains("\".claude/skills\""), "{lock}");
    context.write("cc/skills/pdf/SKILL.md", "mine");
    let mut sync = with(
        &context,
        "CLAUDE_CONFIG_DIR",
        "cc",
        &["sync", "--scope", "user"],
    );
    let told = text(&output(&mut sync).stderr);
    assert!(told.contains("/cc/skills/pdf` was edited"), "{told}");
    claude(&["remove", "pdf", "--scope", "user", "--force", "--yes"]);
    assert!(!context.root().join("cc/skills/pdf").exists());
}

#[test]
fn what_is_no_absolute_path_moves_nothing() {
    for value in ["", "cc"] {
        let context = TestContext::new();
        context.write_skill("lib/pdf");
        let mut command = context.skillyard();
        done(command.env("CLAUDE_CONFIG_DIR", value).args(INSTALL));
        assert!(context.in_home(".claude/skills/pdf/SKILL.md").is_file());
    }
}

#[test]
fn every_variable_leads_to_a_folder_that_is_listed() {
    for (variable, agent, folder) in [
        ("CLAUDE_CONFIG_DIR", "claude-code", "skills"),
        ("CODEX_HOME", "codex", "skills"),
        ("COPILOT_HOME", "github-copilot", "skills"),
        ("GEMINI_CLI_HOME", "gemini-cli", ".gemini/skills"),
        ("OPENCODE_CONFIG_DIR", "opencode", "skills"),
        ("PI_CODING_AGENT_DIR", "pi", "skills"),
        ("XDG_CONFIG_HOME", "opencode", "opencode/skills"),
    ] {
        let context = TestContext::new();
        context.write_skill(&format!("there/{folder}/pdf"));
        let told = done(&mut with(&context, variable, "there", &["list"]));
        assert!(told.contains("✓ pdf"), "{variable}: {told}");
        let doctor = ["doctor", "--agent", agent];
        let told = done(&mut with(&context, variable, "there", &doctor));
        assert!(told.contains("sees 1 of 1 skill"), "{variable}: {told}");
        assert!(!context.run(&["list"]).contains("pdf"), "{variable}");
    }
}

#[test]
fn what_lies_where_an_agent_does_not_look_any_more_is_told() {
    let context = TestContext::new();
    let file = context.in_home(".claude/skills/old/SKILL.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(
        file,
        "---\nname: old\ndescription: Old. Use when old.\n---\nDo.\n",
    )
    .unwrap();
    // Others go on reading it.
    let told = done(&mut with(&context, "CLAUDE_CONFIG_DIR", "cc", &["list"]));
    assert!(told.contains("✓ old"), "{told}");
    let told = done(&mut with(&context, "CLAUDE_CONFIG_DIR", "cc", &["doctor"]));
    let missed = "Claude Code does not read the folder of `old`";
    assert!(told.contains(missed), "{told}");
}

#[test]
fn a_folder_in_a_repository_is_not_trusted_for_a_variable() {
    let context = TestContext::new();
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    context.write_skill("cc/skills/pdf");
    let told = done(&mut with(&context, "CLAUDE_CONFIG_DIR", "cc", &["prompt"]));
    assert!(!told.contains("pdf"), "{told}");
}

#[test]
fn folders_that_were_made_go_with_the_last_skill() {
    let context = project();
    context.write_skill("lib/pdf").write_skill("lib/csv");
    let is_there = |path: &str| context.root().join(path).exists();
    // This one is the user's, be it empty.
    std::fs::create_dir(context.root().join(".cursor")).unwrap();
    let install = ["install", "./lib/pdf", "./lib/csv", "--yes"];
    let agents = ["--agent", "claude-code,codex,cursor"];
    context.done(&[&install[..], &agents].concat());
    assert!(is_there(".claude/skills/pdf") && is_there(".agents/skills/pdf"));
    context.done(&["remove", "pdf", "--yes"]);
    assert!(is_there(".claude/skills/csv") && is_there(".agents/skills/csv"));
    context.done(&["remove", "csv", "--yes"]);
    assert!(!is_there(".claude") && !is_there(".agents"));
    assert!(is_there(".cursor") && !is_there(".cursor/skills"));
    // So that nobody takes Claude Code for present.
    context.done(&["install", "./lib/pdf", "--yes"]);
    assert!(is_there(".agents/skills/pdf") && !is_there(".claude"));
    // What somebody else put there stays.
    context.write(".agents/notes.md", "mine\n");
    context.done(&["remove", "pdf", "--yes"]);
    assert!(!is_there(".agents/skills") && is_there(".agents/notes.md"));
    // And so does what was there before.
    std::fs::create_dir_all(context.root().join(".claude/skills")).unwrap();
    context.done(&["install", "./lib/pdf", "--yes", "--agent", "claude-code"]);
    context.done(&["remove", "pdf", "--yes"]);
    assert!(is_there(".claude/skills"));
    // The user's scope is tidied alike, also where the folder was deleted by hand.
    context.done(&[&INSTALL[..]].concat());
    assert!(context.in_home(".claude/skills/pdf").exists());
    std::fs::remove_dir_all(context.in_home(".claude")).unwrap();
    context.done(&["remove", "pdf", "--scope", "user", "--yes"]);
    assert!(!context.in_home(".claude").exists());
}
