//! `skillyard show`.

use insta::assert_snapshot;
use serde_json::Value;

use crate::TestContext;
use crate::machine::{TRUSTING, skill};
use crate::serve_chat::Serving;

fn pdf() -> TestContext {
    let context = TestContext::configured(TRUSTING);
    let fields =
        "license: MIT\nmetadata:\n  version: \"1.2\"\n  tags: pdf forms\nallowed-tools: Read\n";
    context
        .write(
            ".skills/pdf/SKILL.md",
            format!("---\nname: pdf\ndescription: Fills forms. Use when there is a form.\n{fields}---\n\n# Fill\n\nFill it in.\n"),
        )
        .write(".skills/pdf/references/forms.md", "# Forms\n")
        .write(".skills/pdf/scripts/fill.sh", "#!/bin/sh\n")
        .skill("../home/.agents/skills/pdf", "Another one.");
    context
}

/// What is told, but for the tokens of an activation, in which the skill's folder is named.
fn told(context: &TestContext, arguments: &[&str]) -> String {
    let mut text = context.tell(arguments);
    for (before, behind) in [("prompt, about ", " when"), ("\"activation\": ", "\n")] {
        if let Some((head, rest)) = text.split_once(before) {
            let (number, tail) = rest.split_once(behind).unwrap();
            assert!(number.parse::<usize>().is_ok(), "{number}");
            text = format!("{head}{before}[N]{behind}{tail}");
        }
    }
    text
}

#[test]
fn what_an_activation_costs_is_what_a_chat_says() {
    let context = pdf();
    let chat = context.tell(&["chat", "-p", "/pdf"]);
    let chat = chat.split("+ skill pdf  (by you, about ").nth(1).unwrap();
    let chat = chat.split(' ').next().unwrap();
    let shown = context.json(&["show", "pdf", "--json"])["tokens"]["activation"].clone();
    assert_eq!(shown.to_string(), chat);
    let text = context.tell(&["show", "pdf"]);
    assert!(
        text.contains(&format!("about {chat} when activated")),
        "{text}"
    );
    // The server, and its page, have it from the same place.
    let serving = Serving::start(&context, &[]);
    let skill = serving.json("GET", "/api/v1/skills/pdf", &Value::Null);
    assert_eq!(skill["activation_tokens"].to_string(), chat, "{skill}");
    let (_, page) = serving.ask_with("GET", "/skills/pdf", "", &Value::Null);
    assert!(page.contains(&format!(" {chat} when activated")), "{page}");
}

#[test]
fn what_models_are_not_told_of_costs_no_prompt_a_token() {
    let context = TestContext::configured(TRUSTING);
    let fields =
        "name: by-hand\ndescription: Deploys. Use when asked.\ndisable-model-invocation: true\n";
    let text = format!("---\n{fields}---\n\nDeploy.\n");
    context.write("lib/by-hand/SKILL.md", text);
    let planned = ["install", "./lib/by-hand", "--dry-run", "--json"];
    let planned = context.json(&planned);
    assert_eq!(planned["checked"][0]["prompt_tokens"], 0, "{planned}");
    context.done(&["install", "./lib/by-hand"]);
    let shown = context.json(&["show", "by-hand", "--json"]);
    assert_eq!(shown["tokens"]["catalog"], 0, "{shown}");
    let text = context.tell(&["show", "by-hand"]);
    assert!(text.contains("none in every prompt"), "{text}");
    let serving = Serving::start(&context, &[]);
    let skill = serving.json("GET", "/api/v1/skills/by-hand", &Value::Null);
    assert_eq!(skill["tokens"], 0, "{skill}");
}

#[test]
fn as_text() {
    let context = pdf();
    assert_snapshot!(told(&context, &["show", "pdf"]), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf
      description       Fills forms. Use when there is a form.
      status            enabled
      source            project
      folder            [DIR]/.skills/pdf
      digest            sha256:a7b368f2877219234675bab6a8ebe1837646de913eb399cddeea4002028a9e31
      tokens            about 49 in every prompt, about [N] when activated
      license           MIT
      metadata.version  1.2
      metadata.tags     pdf forms
      allowed-tools     Read
      files             3 (187 bytes)
      shadows           ~/.agents/skills/pdf
      provenance        a trusted project
      trust             medium
      scripts           run in the sandbox, once you have said yes
      network           none, but the hosts that a run is given
    ----- stderr -----
    ");
    assert_snapshot!(told(&context, &["show", "pdf", "--files"]), @"
    exit status: 0
    ----- stdout -----
    ✓ pdf
      description       Fills forms. Use when there is a form.
      status            enabled
      source            project
      folder            [DIR]/.skills/pdf
      digest            sha256:a7b368f2877219234675bab6a8ebe1837646de913eb399cddeea4002028a9e31
      tokens            about 49 in every prompt, about [N] when activated
      license           MIT
      metadata.version  1.2
      metadata.tags     pdf forms
      allowed-tools     Read
      files             3 (187 bytes)
      shadows           ~/.agents/skills/pdf
      provenance        a trusted project
      trust             medium
      scripts           run in the sandbox, once you have said yes
      network           none, but the hosts that a run is given

      -       169  SKILL.md
      -         8  references/forms.md
      -        10  scripts/fill.sh
    ----- stderr -----
    ");
}

#[test]
fn as_json() {
    assert_snapshot!(told(&pdf(), &["show", "pdf", "--json"]), @r#"
    exit status: 0
    ----- stdout -----
    {
      "name": "pdf",
      "description": "Fills forms. Use when there is a form.",
      "source": "project",
      "path": "[DIR]/.skills/pdf",
      "status": "enabled",
      "reason": null,
      "digest": "sha256:a7b368f2877219234675bab6a8ebe1837646de913eb399cddeea4002028a9e31",
      "tokens": {
        "catalog": 49,
        "instructions": 7,
        "activation": [N]
      },
      "fields": {
        "license": "MIT",
        "metadata": {
          "version": "1.2",
          "tags": "pdf forms"
        },
        "allowed-tools": "Read"
      },
      "files": [
        {
          "path": "SKILL.md",
          "size": 169,
          "executable": false
        },
        {
          "path": "references/forms.md",
          "size": 8,
          "executable": false
        },
        {
          "path": "scripts/fill.sh",
          "size": 10,
          "executable": false
        }
      ],
      "truncated": false,
      "unreadable": [],
      "problems": [],
      "shadows": [
        {
          "path": "[HOME]/.agents/skills/pdf",
          "source": "user"
        }
      ],
      "stand_in": null,
      "needs": {
        "commands": [],
        "systems": [],
        "variables": [],
        "settings": [],
        "unmet": []
      },
      "security": {
        "provenance": {
          "origin": "project-trusted"
        },
        "installed": null,
        "tier": "medium",
        "scripts": "sandboxed",
        "ask": "first-run",
        "reasons": [
          "it comes from a trusted project"
        ],
        "permission": {
          "decision": "ask",
          "reason": "it comes from a trusted project",
          "hint": "Review it with `skillyard show pdf --files`, then run `skillyard trust pdf --scripts`"
        },
        "approval": null
      }
    }
    ----- stderr -----
    "#);
}

#[test]
fn where_a_skill_of_a_project_was_installed_from() {
    let context = TestContext::configured(TRUSTING);
    context.skill("library/pdf", "Fills forms. Use when there is a form.");
    context.stdout(&["install", "./library/pdf", "--scope", "project", "--yes"]);
    let shown = context.stdout(&["show", "pdf"]);
    let line = shown.lines().find(|line| line.contains("installed from"));
    assert!(
        line.is_some_and(|line| line.ends_with("  a local folder, ./library/pdf")),
        "{shown}"
    );
    let shown: Value = serde_json::from_str(&context.stdout(&["show", "pdf", "--json"])).unwrap();
    let installed = &shown["security"]["installed"];
    assert_eq!(installed["reference"], "./library/pdf", "{installed}");
}

#[test]
fn what_is_wrong_is_shown() {
    let context = TestContext::new();
    context
        .write(
            ".skills/Odd/SKILL.md",
            skill("Odd_Name", "Odd. Use when: asked"),
        )
        .link("/etc/passwd", ".skills/Odd/secret");
    assert_snapshot!(told(&context, &["show", "Odd_Name"]), @"
    exit status: 0
    ----- stdout -----
    ! Odd_Name
      description       Odd. Use when: asked
      status            untrusted: the project's folder is not trusted
      source            project
      folder            [DIR]/.skills/Odd
      digest            sha256:a3f3c6b58dda4169eb5a7561789af61d405bb193e08b79faaf770d3a32b4065b
      tokens            about 49 in every prompt, about [N] when activated
      files             1 (77 bytes)
      provenance        a project that is not trusted
      trust             untrusted
      scripts           blocked. Look at the project's skills, then run `skillyard trust .`
      problem           name-characters: `Odd_Name` is not a valid name: it has capital letters, and it has the character '_', and only letters, digits and hyphens are allowed
      problem           name-matches-directory: the name is `Odd_Name`, but the folder is called `Odd`
      problem           yaml-unquoted-text: the value of `description` needs quotes: a `: ` inside starts another value
      not readable      secret: `secret` is or passes through a symbolic link
    ----- stderr -----
    ");
}

#[test]
fn a_skill_inside_the_binary() {
    let context = TestContext::new();
    let shown = context.json(&["show", "skill-authoring", "--json"]);
    assert_eq!(shown["source"], "builtin");
    assert_eq!(shown["files"][0]["path"], "SKILL.md");
    assert!(shown["tokens"]["instructions"].as_u64() > Some(100));
    assert_eq!(
        context.code(&["show", "skill-authoring", "--files"]),
        Some(0)
    );
}

#[test]
fn did_you_mean() {
    let context = TestContext::new();
    context.skill(".skills/pdf-tools", "Fills forms.");
    assert_snapshot!(context.tell(&["show", "pdf-tols"]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: there is no skill `pdf-tols`

    hint: Did you mean `pdf-tools`?
    ");
    assert_snapshot!(context.tell(&["show", "zzz"]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: there is no skill `zzz`

    hint: List the skills that are here with `skillyard list --all`
    ");
    assert_snapshot!(context.tell(&["show", "pdf-tols", "--json"]), @r#"
    exit status: 1
    ----- stdout -----
    {
      "error": {
        "message": "there is no skill `pdf-tols`",
        "causes": [],
        "hint": "Did you mean `pdf-tools`?"
      }
    }
    ----- stderr -----
    error: there is no skill `pdf-tols`

    hint: Did you mean `pdf-tools`?
    "#);
}

#[test]
fn names_are_compared_as_unicode_compares_them() {
    let context = TestContext::new();
    // The file has `é` as one character, the user types two.
    context.skill(".skills/café", "Brews. Use when thirsty.");
    assert_eq!(context.code(&["show", "cafe\u{301}"]), Some(0));
}

#[test]
fn a_skill_is_found_by_the_folder_that_has_another_name() {
    let context = TestContext::new();
    context.write(
        "../home/.agents/skills/ab/SKILL.md",
        "---\nname: Agent Browser\ndescription: Browses. Use when browsing.\n---\n\nBody.\n",
    );
    let told = context.run(&["show", "ab"]);
    assert!(told.contains("Did you mean `Agent Browser`?"), "{told}");
}
