//! A writable workspace: what other programs obey stays as it is, and nothing is left in it.

use std::fs;
use std::os::unix::fs::symlink;

use super::{any_script, ran};
use crate::TestContext;

/// Runs a script in the workspace; what was printed, and whether it got to its end.
fn tried(context: &TestContext, script: &str) -> (String, bool) {
    let script = format!("set -e; {script}");
    let arguments = ["tools", "any.sh", "--workspace", ".", "--", &script];
    let (printed, code) = ran(context, &arguments);
    (printed, code == Some(0))
}

#[test]
fn what_agents_obey_is_not_changed() {
    let context = any_script();
    context.write("sub/.claude/settings.json", "{}");
    context.write("sub/deeper/CLAUDE.md", "x");
    context.write("sub/.gitlab-ci.yml", "x");
    context.write("sub/.pre-commit-config.yaml", "x");
    context.write("sub/.forgejo/workflows/x.yml", "x");
    context.write("sub/.jj/repo/config.toml", "x");
    context.write(".github/dependabot.yml", "x");
    context.write("all.code-workspace", "{}");
    let places = [
        ".agents/skills/evil/SKILL.md",
        ".opencode/skills/evil/SKILL.md",
        ".windsurf/skills/evil/SKILL.md",
        ".tabnine/agent/skills/evil/SKILL.md",
        ".github/skills/evil/SKILL.md",
        ".github/copilot-instructions.md",
        ".kiro/steering/x.md",
        ".roo/rules/x.md",
        ".husky/pre-commit",
        ".hg/hgrc",
        ".jj/repo/config.toml",
        ".sl/config",
        "sub/.jj/repo/config.toml",
        "sub/.forgejo/workflows/x.yml",
        ".dir-locals-2.el",
        ".devcontainer/devcontainer.json",
        ".skillyard/config.toml",
        ".cursorrules",
        ".clinerules",
        ".windsurfrules",
        "AGENTS.override.md",
        "CLAUDE.local.md",
        "QWEN.md",
        "skills.toml",
        "skills.lock",
        "sub/.claude/skills/evil/SKILL.md",
        "sub/.claude/settings.json",
        "sub/deeper/CLAUDE.md",
        "sub/.gitlab-ci.yml",
        ".cursor/rules/x.mdc",
        ".cursor/mcp.json",
        ".gemini/settings.json",
        ".codex/config.toml",
        "crush.json",
        ".crush.json",
        "opencode.json",
        ".vscode/tasks.json",
        ".zed/tasks.json",
        ".envrc",
        "mise.toml",
        ".mise.toml",
        ".tool-versions",
        ".nvim.lua",
        ".cargo/config.toml",
        ".vim/coc-settings.json",
        ".Rprofile",
        "all.code-workspace",
        "sub/.pre-commit-config.yaml",
    ];
    for place in places {
        context.write(place, "mine");
    }
    let before = context.tree();
    let (printed, _) = tried(
        &context,
        &format!(
            "for place in {}; do
                (mkdir -p $(dirname $place) && echo evil > $place) 2>/dev/null && echo made $place
                (rm -rf $place && mkdir -p $(dirname $place) && echo evil > $place) 2>/dev/null && echo replaced $place
                true
            done
            for place in sub sub/.claude .github; do mv $place $place-away 2>/dev/null && echo moved $place; done
            true",
            places.join(" ")
        ),
    );
    assert_eq!(printed, "");
    assert_eq!(context.tree(), before);
    let (_, works) = tried(
        &context,
        "echo x > sub/file; mkdir new; mv sub/file sub/deeper/f",
    );
    assert!(works);
}

#[test]
fn what_agents_obey_can_be_made_and_is_reported() {
    let context = any_script();
    let script =
        "mkdir -p .claude .git/hooks; echo x > .claude/settings.json; echo x > CLAUDE.md; ls -A";
    let (printed, works) = tried(&context, script);
    assert!(works, "{printed}");
    assert_eq!(
        printed,
        ".claude\n.git\nCLAUDE.md\n\
         sandbox: it made `.claude`, `.git`, `CLAUDE.md`: look at it before git or an agent obeys it\n"
    );
    // The next run can do nothing with them.
    assert!(!tried(&context, "echo x > .git/config").1);
    assert!(!tried(&context, "echo x > CLAUDE.md").1);
}

#[test]
fn what_is_read_beside_a_file_is_protected_or_reported() {
    let write = "for place in lefthook-local.yml .lefthook/pre-commit/x .config/mise.toml; do
            (mkdir -p $(dirname $place) && echo evil > $place) 2>/dev/null && echo made $place
        done; true";
    let context = any_script();
    let (printed, _) = tried(&context, write);
    let told = "sandbox: it made `.config/mise.toml`, `.lefthook`, `lefthook-local.yml`";
    assert!(printed.contains(told), "{printed}");
    let context = any_script();
    context.write("lefthook.yml", "pre-commit: {}");
    context.write(".config/x", "x");
    context.write("lefthook-local.yml", "mine");
    let (printed, _) = tried(&context, write);
    assert_eq!(
        printed,
        "made .lefthook/pre-commit/x\nmade .config/mise.toml\n\
         sandbox: it made `.config/mise.toml`, `.lefthook`: look at it before git or an agent obeys it\n"
    );
    assert_eq!(context.read("lefthook-local.yml"), "mine");
}

#[test]
fn what_a_script_makes_below_the_top_is_told() {
    let context = any_script();
    let script = "mkdir -p sub/.claude new/objects new/refs; echo x > new/HEAD; echo x > sub/f";
    let (printed, works) = tried(&context, script);
    assert!(works);
    assert_eq!(
        printed,
        "sandbox: it made `new`, `sub/.claude`: look at it before git or an agent obeys it\n"
    );
    // The next run can do nothing with them.
    assert!(!tried(&context, "echo x > sub/.claude/x").1);
    assert!(!tried(&context, "echo x > new/config").1);
}

#[test]
fn who_makes_more_than_can_be_listed_is_told_of_all_the_same() {
    let context = any_script();
    let script = "mkdir -p $(seq -f j/%g 2001); for each in j/*; do : > $each/AGENTS.md; done";
    let (printed, works) = tried(&context, script);
    assert!(works, "{printed}");
    assert!(printed.contains("sandbox: it made `j/"), "{printed}");
    let rest = "and more than can be listed: look at it before git or an agent obeys it";
    assert!(printed.contains(rest), "{printed}");
    let log = context.json(&["audit", "log", "--event", "skill.script_executed", "--json"]);
    let made = log["events"][0]["detail"]["made"].as_str().unwrap();
    assert!(made.ends_with("and more than can be listed"), "{made}");
}

#[test]
fn a_workspace_that_becomes_a_repository_of_git_is_told() {
    let context = any_script();
    let (printed, works) = tried(&context, "mkdir objects refs; echo x > HEAD");
    assert!(works, "{printed}");
    assert!(printed.contains("sandbox: it made `.`"), "{printed}");
    assert!(printed.contains("a repository of git"), "{printed}");
}

#[test]
fn a_repository_of_git_hides_nothing_that_was_made_in_it() {
    let context = any_script();
    context.mkdir("desk");
    let repository = "mkdir objects refs; echo 'ref: refs/heads/main' > HEAD";
    let script = format!(
        "mkdir -p new sub/.claude; echo e > sub/CLAUDE.md; {repository}; cd new; {repository}; \
         mkdir -p deep; echo e > deep/.mcp.json"
    );
    let run = ["run", "tools", "any.sh", "--workspace", "desk", "--json"];
    let told = context.json(&[&run[..], &["--", &script]].concat());
    let made = [
        ".",
        "new",
        "new/deep/.mcp.json",
        "sub/.claude",
        "sub/CLAUDE.md",
    ];
    assert_eq!(told["made"], serde_json::json!(made), "{told}");
}

#[test]
fn replacing_a_link_is_reported_and_its_target_is_protected() {
    let context = any_script();
    context.write("docs/agents.md", "mine");
    let link = |to: &str, name: &str| symlink(to, context.root().join(name)).unwrap();
    link("docs/agents.md", "AGENTS.md");
    link("docs/new.md", "CLAUDE.md");
    link(context.root().join("docs").to_str().unwrap(), ".cursor");
    for attempt in [
        "echo evil > AGENTS.md",
        "echo evil > docs/agents.md",
        "echo evil > .cursor/x",
        "mv docs d",
    ] {
        assert!(!tried(&context, attempt).1, "{attempt}");
    }
    let (printed, works) = tried(
        &context,
        "rm AGENTS.md CLAUDE.md; echo evil > AGENTS.md; mkdir CLAUDE.md; echo x > CLAUDE.md/x",
    );
    assert!(works, "{printed}");
    for name in ["AGENTS.md", "CLAUDE.md"] {
        let told = format!(
            "it replaced or removed the link `{}`",
            context.root().join(name).display()
        );
        assert!(printed.contains(&told), "{printed}");
    }
    assert_eq!(context.read("docs/agents.md"), "mine");
}

#[test]
fn the_folder_of_the_skill_can_be_the_workspace() {
    let context = any_script();
    let own = context.root().join("../home/.agents/skills/tools");
    let run = |skill: &str, workspace: &str, script: &str| {
        let mut command = context.skillyard();
        command
            .current_dir(&own)
            .args(["run", skill, "any.sh", "--yes"]);
        command.args(["--workspace", workspace, "--", script]);
        crate::output(&mut command).status.code()
    };
    assert_eq!(run(".", ".", "echo x > made && test -f SKILL.md"), Some(0));
    assert_eq!(fs::read_to_string(own.join("made")).unwrap(), "x\n");
    assert_eq!(run(".", "assets", "echo x > made"), Some(0));
    assert_eq!(fs::read_to_string(own.join("assets/made")).unwrap(), "x\n");
    // What runs is the copy, which nobody changes.
    assert_ne!(run(".", ".", "echo x > \"$SKILL_DIR/SKILL.md\""), Some(0));
}

#[test]
fn a_skill_in_the_workspace_runs_from_its_copy() {
    let context = TestContext::new();
    context.write_skill("pkg/tool").write("pkg/CLAUDE.md", "x");
    context.write(
        "pkg/tool/scripts/x.sh",
        "cd \"$SKILL_DIR\"; echo evil > SKILL.md\n",
    );
    let (_, code) = ran(
        &context,
        &["./pkg/tool", "x.sh", "--yes", "--workspace", "."],
    );
    assert_ne!(code, Some(0));
    assert!(!context.read("pkg/tool/SKILL.md").contains("evil"));
}
