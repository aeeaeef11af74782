//! `skillyard guard check` with skills by their paths, which are no others than by their names.

use std::fs::File;

use crate::machine::{TRUSTING, skill};
use crate::project::project;
use crate::{TestContext, output, text};

const FILE: &str = ".agents/skills/pdf/SKILL.md";

/// What is answered about a skill by its name and by its path, one line each.
fn answers(context: &TestContext, name: &str, path: &str) -> [String; 2] {
    [name, path].map(|skill| {
        let call = ["--tool", "Bash", "--input", "curl x"];
        let asked = ["guard", "check", "--skill", skill];
        let told = context.tell(&[&asked[..], &call].concat());
        let line = told.split("----- stdout -----\n").nth(1).unwrap();
        line.lines().next().unwrap().to_owned()
    })
}

fn check(context: &TestContext, name: &str, path: &str, expected: &str) {
    let [named, by_path] = answers(context, name, path);
    assert_eq!(named, by_path);
    assert!(named.contains(expected), "{named}");
}

fn installed() -> TestContext {
    let context = project();
    context.write(
        "lib/pdf/SKILL.md",
        skill("pdf", "Fills forms. Use for forms."),
    );
    context.done(&["install", "./lib/pdf"]);
    assert_eq!(context.code(&["trust", "."]), Some(0));
    context
}

#[test]
fn altered_ones() {
    let context = installed();
    let folder = "./.agents/skills/pdf";
    check(&context, "pdf", folder, "allowed: no active skill");
    let text = context.read(FILE);
    context.write(FILE, text.replace("Do it", "Do more"));
    check(
        &context,
        "pdf",
        folder,
        "denied  pdf: the skill may not be used: its files are not",
    );
    check(
        &context,
        "pdf",
        "./.agents/skills/pdf/SKILL.md",
        "denied  pdf",
    );
    // Another name does not make it another skill.
    context.write(FILE, text.replace("name: pdf", "name: other"));
    let [_, by_path] = answers(&context, "pdf", folder);
    assert!(by_path.starts_with("denied  "), "{by_path}");
}

#[test]
fn revoked_ones() {
    let context = installed();
    let mut verify = context.skillyard();
    let told = output(verify.args(["verify", "pdf", "--json"]));
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    context.done(&["key", "revoke", told["digest"].as_str().unwrap()]);
    check(
        &context,
        "pdf",
        "./.agents/skills/pdf",
        "denied  pdf: the skill may not be used",
    );
}

#[test]
fn disabled_and_denied_ones() {
    let context = installed();
    context.done(&["disable", "pdf"]);
    check(
        &context,
        "pdf",
        "./.agents/skills/pdf",
        "denied  pdf: the skill may not be used",
    );
    context.done(&["enable", "pdf"]);
    context.done(&["config", "set", "skills.deny", "p*"]);
    check(
        &context,
        "pdf",
        "./.agents/skills/pdf",
        "denied  pdf: the skill may not be used",
    );
    let line = r#"{"skills":["./.agents/skills/pdf"],"tool":"Bash","input":"ls"}"#;
    context.write("calls.jsonl", line);
    let mut command = context.skillyard();
    command.args(["guard", "check", "--jsonl"]);
    let told = output(command.stdin(File::open(context.root().join("calls.jsonl")).unwrap()));
    let told = text(&told.stdout);
    assert!(told.contains(r#""verdict":"denied""#), "{told}");
}

#[test]
fn those_of_an_untrusted_project() {
    let context = TestContext::new();
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    context.write(
        ".skills/pdf/SKILL.md",
        skill("pdf", "Fills forms. Use for forms."),
    );
    check(
        &context,
        "pdf",
        "./.skills/pdf",
        "denied  pdf: the skill may not be used: the project",
    );
}

#[test]
fn denials_mean_whatever_might_be_meant() {
    let context = TestContext::configured(TRUSTING);
    context.write(
        ".skills/pdf/SKILL.md",
        skill("pdf", "Fills forms. Use for forms."),
    );
    context.write(".skills/pdf/scripts/a.sh", "#!/bin/sh\n");
    let code = |deny: &str, tool: &str, input: &str| {
        let deny = format!("tools.deny={deny}");
        let call = ["--skill", "pdf", "--tool", tool, "--input", input];
        let asked = ["--config", &deny, "guard", "check"];
        context.code(&[&asked[..], &call].concat())
    };
    let run = r#"{"name":"pdf","script":"scripts/a.sh"}"#;
    for (deny, tool, input) in [
        ("mcp__srv", "mcp__srv__admin__drop", "{}"),
        ("srv:*", "mcp__srv__admin__drop", "{}"),
        ("srv:delete.all", "mcp__srv__delete_all_90ae9888", "{}"),
        ("mcp__srv__del*", "mcp__srv__delete_one", "{}"),
        ("Bash*", "Bash", "ls"),
        ("bash(rm:*)", "Bash", "rm x"),
        ("Read(secret/**)", "read", r#"{"filePath":"secret/x"}"#),
        ("Write(secret/**)", "edit", r#"{"file_path":"secret/x"}"#),
        (
            "Write(secret/**)",
            "bash",
            r#"{"command":"echo > secret/x"}"#,
        ),
        ("Bash", "skill_run", run),
        ("Bash(./scripts/a.sh:*)", "skill_run", run),
    ] {
        assert_eq!(code(deny, tool, input), Some(1), "{deny} {tool} {input}");
    }
    for (deny, tool, input) in [
        ("mcp__srv", "mcp__other__drop", "{}"),
        ("bash(rm:*)", "Bash", "ls"),
        ("Read(secret/**)", "read", r#"{"filePath":"docs/x"}"#),
        ("Bash(./scripts/b.sh:*)", "skill_run", run),
    ] {
        assert_eq!(code(deny, tool, input), Some(0), "{deny} {tool} {input}");
    }
}
