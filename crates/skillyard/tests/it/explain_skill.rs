//! `skillyard explain skill`.

use insta::assert_snapshot;

use crate::TestContext;
use crate::machine::{TRUSTING, skill};

#[test]
fn listed_and_shadowing() {
    let context = TestContext::configured(TRUSTING);
    context
        .skill(".skills/pdf", "Of the project.")
        .skill("../home/.agents/skills/pdf", "Mine.");
    assert_snapshot!(context.tell(&["explain", "skill", "pdf"]), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf
      - found at [DIR]/.skills/pdf, by source project, the strongest that has it
      - shadows ~/.agents/skills/pdf, which has other content and comes later in precedence
      - in the prompt with its whole description
    ----- stderr -----
    ");
    assert_snapshot!(context.tell(&["explain", "skill", "pdf", "--json"]), @r#"
    exit status: 0
    ----- stdout -----
    {
      "name": "pdf",
      "facts": [
        "found at [DIR]/.skills/pdf, by source project, the strongest that has it",
        "shadows ~/.agents/skills/pdf, which has other content and comes later in precedence",
        "in the prompt with its whole description"
      ],
      "passed_over": []
    }
    ----- stderr -----
    "#);
}

#[test]
fn disabled_and_unavailable() {
    let context = TestContext::configured(&format!("{TRUSTING}[skills]\ndisabled = [\"pdf\"]\n"));
    context.skill(".skills/pdf", "x").write(
        ".skills/gh/SKILL.md",
        "---\nname: gh\ndescription: x\nmetadata:\n  requires: no-such-command\n---\nx\n",
    );
    assert_snapshot!(context.tell(&["explain", "skill", "pdf"]), @"
    exit status: 0
    ----- stdout -----
    ○ pdf
      - found at [DIR]/.skills/pdf, by source project, the strongest that has it
      - disabled, so it reaches no prompt: disabled by `pdf` (user)
      - to use it: Switch it on with `skillyard enable pdf`, which says what else keeps it off
    ----- stderr -----
    ");
    assert_snapshot!(context.tell(&["explain", "skill", "gh"]), @"
    exit status: 0
    ----- stdout -----
    ✗ gh
      - found at [DIR]/.skills/gh, by source project, the strongest that has it
      - unavailable, so it reaches no prompt: missing commands: no-such-command
      - to use it: Install `no-such-command`, so that it is in a folder of `PATH`
    ----- stderr -----
    ");
}

#[test]
fn untrusted() {
    let context = TestContext::new();
    context
        .skill(".skills/pdf", "Of the project.")
        .skill(".skills/csv", "Of the project.")
        .skill("../home/.agents/skills/pdf", "Mine.");
    assert_snapshot!(context.tell(&["explain", "skill", "pdf"]), @"
    exit status: 0
    ----- stdout -----
    ! pdf
      - found at [DIR]/.skills/pdf, by source project, the strongest that has it
      - shadows ~/.agents/skills/pdf, which has other content and comes later in precedence
      - untrusted, so it reaches no prompt: the project's folder is not trusted
      - to use it: Look at the project's skills, then run `skillyard trust .`
      - ~/.agents/skills/pdf stands in for it in prompts
    ----- stderr -----
    ");
    assert_snapshot!(context.tell(&["explain", "skill", "csv"]), @"
    exit status: 0
    ----- stdout -----
    ! csv
      - found at [DIR]/.skills/csv, by source project, the strongest that has it
      - untrusted, so it reaches no prompt: the project's folder is not trusted
      - to use it: Look at the project's skills, then run `skillyard trust .`
    ----- stderr -----
    ");
}

#[test]
fn hidden_from_models() {
    let context = TestContext::configured(TRUSTING);
    context.write(
        ".skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: x\ndisable-model-invocation: true\n---\nx\n",
    );
    assert_snapshot!(context.tell(&["explain", "skill", "deploy"]), @"
    exit status: 0
    ----- stdout -----
    ✓ deploy
      - found at [DIR]/.skills/deploy, by source project, the strongest that has it
      - hidden from models by `disable-model-invocation`; users can invoke it by name
    ----- stderr -----
    ");
}

#[test]
fn hidden_from_everybody() {
    let context = TestContext::configured(TRUSTING);
    context.write(
        ".skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: x\ndisable-model-invocation: true\nuser-invocable: false\n---\nx\n",
    );
    let told = context.tell(&["explain", "skill", "deploy"]);
    assert!(told.contains("so nobody can activate it"), "{told}");
    let told = context.tell(&["chat", "-p", "/deploy"]);
    assert!(told.contains("can only be activated by nobody"), "{told}");
}

#[test]
fn shortened_and_omitted() {
    let context = TestContext::configured(TRUSTING);
    for number in 0..40 {
        context.skill(&format!(".skills/a{number:02}"), &"many words ".repeat(60));
    }
    // How short depends on how long the path of the temporary folder is.
    let told = context.tell(&["explain", "skill", "a00"]);
    let fact = "  - in the prompt with its description shortened from about 120 to ";
    assert!(told.contains(fact), "{told}");
    for number in 0..300 {
        context.skill(&format!(".skills/b{number:03}"), "few words");
    }
    assert_snapshot!(context.tell(&["explain", "skill", "b299"]), @"
    exit status: 0
    ----- stdout -----
    ✓ b299
      - found at [DIR]/.skills/b299, by source project, the strongest that has it
      - left out of a prompt without a task: the catalog is over its budget
    ----- stderr -----
    ");
}

#[test]
fn unloadable_and_unknown() {
    let context = TestContext::configured(TRUSTING);
    context
        .write(".skills/broken/SKILL.md", "---\nname: broken\n---\nx\n")
        .write(".skills/odd/SKILL.md", skill("Odd_Name", "x"));
    assert_snapshot!(context.tell(&["explain", "skill", "broken"]), @"
    exit status: 0
    ----- stdout -----
    - broken
      - no file of this name could be loaded
      - passed over: [DIR]/.skills/broken/SKILL.md: `description` is missing
    ----- stderr -----
    ");
    assert_snapshot!(context.tell(&["explain", "skill", "broken", "--json"]), @r#"
    exit status: 0
    ----- stdout -----
    {
      "name": "broken",
      "facts": [
        "no file of this name could be loaded"
      ],
      "passed_over": [
        {
          "path": "[DIR]/.skills/broken/SKILL.md",
          "reason": "`description` is missing"
        }
      ]
    }
    ----- stderr -----
    "#);
    assert_snapshot!(context.tell(&["explain", "skill", "Odd_Name"]), @"
    exit status: 0
    ----- stdout -----
    ⚠ Odd_Name
      - found at [DIR]/.skills/odd, by source project, the strongest that has it
      - has a problem, name-characters: `Odd_Name` is not a valid name: it has capital letters, and it has the character '_', and only letters, digits and hyphens are allowed
      - has a problem, name-matches-directory: the name is `Odd_Name`, but the folder is called `odd`
      - in the prompt with its whole description
    ----- stderr -----
    ");
    assert_snapshot!(context.tell(&["explain", "skill", "Odd_Nam"]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: there is no skill `Odd_Nam`

    hint: Did you mean `Odd_Name`?
    ");
}

#[test]
fn a_loser_that_cannot_be_loaded_is_told_with_the_winner() {
    let context = TestContext::configured(TRUSTING);
    context
        .write(".skills/pdf/SKILL.md", "bad")
        .skill("../home/.agents/skills/pdf", "Mine.");
    assert_snapshot!(context.tell(&["explain", "skill", "pdf"]), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf
      - found at ~/.agents/skills/pdf, by source user, the strongest that has it
      - in the prompt with its whole description
      - passed over: [DIR]/.skills/pdf/SKILL.md: the file does not start with frontmatter
    ----- stderr -----
    ");
}

#[test]
fn what_the_organisation_pinned_wins_under_every_order() {
    let context = TestContext::new();
    // A skill inside the binary has this name too.
    context
        .skill("../org/skill-review", "The organisation's.")
        .skill("../home/.agents/skills/skill-review", "Mine.");
    for folder in [".skills", ".agent/skills", ".claude/skills"] {
        context.skill(&format!("{folder}/skill-review"), "The project's.");
    }
    let org = context.root().parent().unwrap().join("org");
    let config = format!("{TRUSTING}[[org]]\npath = {org:?}\npinned = true\n");
    context.write("../home/.skillyard/config.toml", config);
    for order in [
        "default",
        "agent-harness",
        "remcochat",
        "keep-up",
        "claude-code",
    ] {
        let mut command = context.skillyard();
        command.env("SKILLYARD_DISCOVERY_PRECEDENCE", order);
        let told = crate::output(command.args(["explain", "skill", "skill-review"]));
        let told = crate::text(&told.stdout);
        let found = "by source org-pinned, the strongest that has it";
        assert!(told.contains(found), "{order}: {told}");
    }
}

#[test]
fn kinds_in_an_order_of_ones_own() {
    let context = TestContext::configured(TRUSTING);
    context
        .skill(".skills/pdf", "The project's.")
        .skill("../home/.agents/skills/pdf", "Mine.")
        .skill("../org/pdf", "The organisation's.");
    let told = |context: &TestContext| context.tell(&["explain", "skill", "pdf"]);
    assert!(told(&context).contains("by source project"));
    context.done(&["config", "set", "discovery.precedence", "user,project"]);
    assert_snapshot!(told(&context), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf
      - found at ~/.agents/skills/pdf, by source user, the strongest that has it
      - shadows [DIR]/.skills/pdf, which has other content and comes later in precedence
      - in the prompt with its whole description
    ----- stderr -----
    ");
    let shown = context.stdout(&["config", "get", "discovery.precedence"]);
    assert_eq!(shown, "user\nproject\n");
    context.done(&["config", "check"]);
    // What is installed and made under it is found.
    context.write_skill("lib/csv");
    let told_of = context.done(&["install", "./lib/csv", "--scope", "project"]);
    assert!(!told_of.contains("will not be used"), "{told_of}");
    let listed = context.json(&["list", "--json", "--allow", "csv"]);
    assert_eq!(listed["skills"][0]["source"], "project", "{listed}");
    // What is pinned wins over whatever is named first.
    let org = context.root().parent().unwrap().join("org");
    let file = "../home/.skillyard/config.toml";
    let config = context.read(file);
    let pinned = format!("{config}\n[[org]]\npath = {org:?}\npinned = true\n");
    context.write(file, pinned);
    assert!(told(&context).contains("by source org-pinned"));
    let refused = context.tell(&["config", "set", "discovery.precedence", "user,projet"]);
    assert!(refused.contains("did you mean `project`?"), "{refused}");
}
