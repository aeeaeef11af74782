//! `skillyard enable` and `skillyard disable`, and what else decides whether a skill is used.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;

use crate::machine::TRUSTING;
use crate::{TestContext, output, text};

fn skills(config: &str) -> TestContext {
    let context = TestContext::configured(config);
    for name in ["pdf-fill", "pdf-merge", "csv"] {
        context.skill(&format!("../home/.agents/skills/{name}"), "Use when asked.");
    }
    context
}

#[test]
fn off_and_on_again() {
    let context = skills("# Mine.\n[discovery]\nmax_depth = 3\n");
    assert_snapshot!(context.tell(&["disable", "csv"]), @"
    exit status: 0
    ----- stdout -----
     - csv
    ----- stderr -----
    1 skill disabled
    ");
    assert_snapshot!(context.status("csv"), @"disabled: disabled by `csv` (user)");
    assert_snapshot!(context.in_prompt(&[]), @"pdf-fill, pdf-merge");
    assert_snapshot!(context.tell(&["disable", "csv"]), @"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Nothing to do: already disabled
    ");
    // What the user wrote stays.
    assert_snapshot!(context.read("../home/.skillyard/config.toml"), @r#"
    # Mine.
    [discovery]
    max_depth = 3

    [skills]
    disabled = ["csv"]
    "#);
    assert_snapshot!(context.tell(&["enable", "csv"]), @"
    exit status: 0
    ----- stdout -----
     + csv
    ----- stderr -----
    1 skill enabled
    ");
    assert_snapshot!(context.tell(&["enable", "csv"]), @"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Nothing to do: already enabled
    ");
    assert_snapshot!(context.status("csv"), @"enabled");
    assert_snapshot!(context.tell(&["disable", "csv", "pdf-*", "--json"]), @r#"
    exit status: 0
    ----- stdout -----
    {
      "changed": [
        "csv",
        "pdf-*"
      ],
      "enabled": false,
      "still_enabled": []
    }
    ----- stderr -----
    "#);
}

#[test]
fn a_pattern() {
    let context = skills("");
    assert_snapshot!(context.tell(&["disable", "pdf-*"]), @"
    exit status: 0
    ----- stdout -----
     - pdf-*
    ----- stderr -----
    2 skills disabled
    ");
    assert_snapshot!(context.in_prompt(&[]), @"csv");
    // One skill of a pattern cannot be taken out of it by name.
    assert_snapshot!(context.tell(&["enable", "pdf-fill"]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    `pdf-fill` is still disabled by `pdf-*` (user)
    ");
    assert_snapshot!(context.tell(&["enable", "pdf-fill", "--json"]), @r#"
    exit status: 1
    ----- stdout -----
    {
      "changed": [],
      "enabled": true,
      "still_disabled": [
        {
          "name": "pdf-fill",
          "reason": "disabled by `pdf-*` (user)"
        }
      ]
    }
    ----- stderr -----
    "#);
    assert_snapshot!(context.tell(&["enable", "pdf-*"]), @"
    exit status: 0
    ----- stdout -----
     + pdf-*
    ----- stderr -----
    2 skills enabled
    ");
    assert_snapshot!(context.in_prompt(&[]), @"csv, pdf-fill, pdf-merge");
}

#[test]
fn an_unknown_name_changes_nothing() {
    let context = skills("");
    assert_snapshot!(context.tell(&["disable", "csv", "pdf-fil"]), @"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: there is no skill `pdf-fil`

    hint: Did you mean `pdf-fill`?
    ");
    assert_eq!(context.status("csv"), "enabled");
}

#[test]
fn a_configuration_that_cannot_be_used() {
    let context = skills("");
    let tell = |text: &str| {
        context.write("../home/.skillyard/config.toml", text);
        context.tell(&["disable", "csv"])
    };
    assert_snapshot!(tell("[skills\n"), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: the configuration cannot be used
      Caused by: [HOME]/.skillyard/config.toml:1: unclosed table, expected `]`

    hint: Mend the line; your own configuration opens with `skillyard config edit`
    ");
    assert_snapshot!(tell("[skills]\nenbled = []\n"), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: the configuration cannot be used
      Caused by: [HOME]/.skillyard/config.toml:2: there is no key `skills.enbled`

    hint: Did you mean `skills.enabled`?
    ");
    assert_snapshot!(tell("[skills]\ndeny = [\"a[\"]\n"), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: the configuration cannot be used
      Caused by: [HOME]/.skillyard/config.toml:2: `skills.deny` has no valid value: `a[` is not a pattern: unclosed character class; missing ']'; a skill of this very name is `a[[]`
    ");
    assert_snapshot!(tell("[discovery]\nprecedence = \"newest\"\n"), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: the configuration cannot be used
      Caused by: [HOME]/.skillyard/config.toml:2: `discovery.precedence` has no valid value: it must be one of `default`, `agent-harness`, `remcochat`, `keep-up`, `claude-code`, or a list of `project`, `user`, `extra`, `org`, `builtin`
    ");
}

#[test]
fn the_file_is_the_users_alone() {
    let context = skills("");
    fs::remove_file(context.home().join(".skillyard/config.toml")).unwrap();
    assert_eq!(context.code(&["disable", "csv"]), Some(0));
    let file = context.home().join(".skillyard/config.toml");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn layers() {
    let config = "[skills]\ndisabled = [\"pdf-*\"]\nenabled = [\"pdf-merge\"]\n";
    let context = skills(config);
    context.tell(&["trust", "."]);
    assert_eq!(
        context.status("pdf-fill"),
        "disabled: disabled by `pdf-*` (user)"
    );
    assert_eq!(context.status("pdf-merge"), "enabled");
    context.write(
        ".skillyard/config.toml",
        "[skills]\nallow = [\"pdf-*\"]\ndeny = [\"*-merge\"]\n",
    );
    assert_eq!(
        context.status("csv"),
        "disabled: not in the allow list (project)"
    );
    assert_eq!(
        context.status("pdf-merge"),
        "disabled: denied by `*-merge` (project)"
    );
    assert_eq!(
        context.status("pdf-fill"),
        "disabled: disabled by `pdf-*` (user)"
    );
    context.write(".skillyard/config.toml", "[skills]\ndisabled = [\"csv\"]\n");
    assert_eq!(
        context.status("csv"),
        "disabled: disabled by `csv` (project)"
    );
    assert_eq!(context.in_prompt(&[]), "pdf-merge");
    assert_eq!(context.in_prompt(&["--deny", "pdf-merge"]), "");
}

#[test]
fn a_project_that_is_not_trusted_has_no_say() {
    let context = TestContext::new();
    context
        .skill("../home/.agents/skills/csv", "Use when asked.")
        .write(".skillyard/config.toml", "[skills]\ndeny = [\"*\"]\n");
    assert_eq!(context.status("csv"), "enabled");
    context.write(".skillyard/config.toml", "broken");
    assert_eq!(context.status("csv"), "enabled");
    context.tell(&["trust", "."]);
    assert!(context.tell(&["list"]).starts_with("exit status: 2"));
}

#[test]
fn a_project_cannot_loosen() {
    let context = skills("");
    context.tell(&["trust", "."]);
    for (text, key) in [
        ("[skills]\nenabled = [\"*\"]\n", "skills.enabled"),
        (
            "[discovery]\ntrust_projects = \"always\"\n",
            "discovery.trust_projects",
        ),
        (
            "[discovery]\ntrust_projects = \"never\"\n",
            "discovery.trust_projects",
        ),
        (
            "[discovery]\ndirectories = [\"/tmp\"]\n",
            "discovery.directories",
        ),
        (
            "[discovery]\nprecedence = \"claude-code\"\n",
            "discovery.precedence",
        ),
        ("[[org]]\npath = \"/tmp\"\npinned = true\n", "org"),
    ] {
        context.write(".skillyard/config.toml", text);
        let told = context.tell(&["list"]);
        assert!(told.starts_with("exit status: 2"), "{text}{told}");
        let refusal = format!("config.toml:2: a project may not set `{key}`: it ");
        let of_table = format!("config.toml:1: a project may not set `{key}`: it ");
        assert!(
            told.contains(&refusal) || told.contains(&of_table),
            "{text}{told}"
        );
    }
}

fn requiring(commands: &str) -> TestContext {
    let context = TestContext::configured(TRUSTING);
    context.write(
        ".skills/gh/SKILL.md",
        format!("---\nname: gh\ndescription: Use when asked.\nmetadata:\n  requires: {commands}\n---\nx\n"),
    );
    context
}

/// The status of the skill when `PATH` is one folder with these files, executable or not.
fn with_path(context: &TestContext, files: &[(&str, u32)]) -> String {
    let folder = context.root().join("../bin");
    drop(fs::remove_dir_all(&folder));
    context.mkdir("../bin");
    for (name, mode) in files {
        let file = folder.join(name);
        fs::write(&file, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(*mode)).unwrap();
    }
    let told = output(context.skillyard().args(["list"]).env("PATH", &folder));
    let told = text(&told.stdout);
    told.lines()
        .find(|line| line.contains(" gh "))
        .unwrap()
        .trim()
        .to_owned()
}

#[test]
fn commands_that_a_skill_needs() {
    let context = requiring("gh jq");
    assert_snapshot!(with_path(&context, &[("gh", 0o755), ("jq", 0o755)]), @"✓ gh  Use when asked.");
    assert_snapshot!(with_path(&context, &[("gh", 0o755)]), @"✗ gh  (unavailable) missing commands: jq");
    assert_snapshot!(with_path(&context, &[("gh", 0o755), ("jq", 0o644)]), @"✗ gh  (unavailable) missing commands: jq");
    assert_snapshot!(with_path(&context, &[]), @"✗ gh  (unavailable) missing commands: gh, jq");
    // The answer does not come from the index: nothing but PATH changed.
    assert_snapshot!(with_path(&context, &[("gh", 0o755), ("jq", 0o755)]), @"✓ gh  Use when asked.");
}

#[test]
fn a_path_is_no_command_unless_it_is_absolute() {
    let context = requiring("/bin/sh /bin/none ../bin/gh");
    assert_snapshot!(with_path(&context, &[("gh", 0o755)]), @"✗ gh  (unavailable) missing commands: /bin/none");
    let told = context.stdout(&["validate", ".skills/gh"]);
    assert!(
        told.contains("`../bin/gh` in `requires` is no name of a command"),
        "{told}"
    );
}

#[test]
fn versions_and_alternatives_are_no_commands() {
    let context = requiring("gh>=2.1 jq (1.6+) none|rg");
    let all = [("gh", 0o755), ("jq", 0o755), ("rg", 0o755)];
    assert_snapshot!(with_path(&context, &all), @"✓ gh  Use when asked.");
    assert_snapshot!(with_path(&context, &all[..2]), @"✗ gh  (unavailable) missing commands: none or rg");
}

#[test]
fn tables_of_other_clients_name_commands() {
    for table in [
        "{bins: [jq], anyBins: [rg, grep]}",
        "x\n  openclaw: {\"requires\":{\"bins\":[\"jq\"],\"anyBins\":[\"rg\",\"grep\"]},\"os\":[\"darwin\"]}",
    ] {
        let context = requiring(table);
        let here = |more: &[(&str, u32)]| with_path(&context, &[more, &[("x", 0o755)]].concat());
        let missing = "✗ gh  (unavailable) missing commands: jq, rg or grep";
        assert_eq!(here(&[]), missing);
        // Tables in `metadata` are no text, which is told.
        let found = here(&[("jq", 0o755), ("grep", 0o755)]);
        assert_eq!(found, "⚠ gh  Use when asked.");
    }
}

#[test]
fn what_says_neither_yes_nor_no_keeps_models_away() {
    let context = TestContext::new();
    let home = "../home/.agents/skills";
    let known = ["true", "1", "y", "on", "YES", "perhaps", "[x]", ""];
    for (at, value) in known.iter().enumerate() {
        let file = format!("{home}/kept-{at}/SKILL.md");
        let text = "description: Does it. Use it.\ndisable-model-invocation:";
        context.write(
            &file,
            format!("---\nname: kept-{at}\n{text} {value}\n---\n"),
        );
    }
    for (at, value) in ["false", "0", "n", "off"].iter().enumerate() {
        let file = format!("{home}/open-{at}/SKILL.md");
        let text = "description: Does it. Use it.\ndisable-model-invocation:";
        context.write(
            &file,
            format!("---\nname: open-{at}\n{text} {value}\n---\n"),
        );
    }
    let prompt = context.stdout(&["prompt"]);
    assert!(!prompt.contains("kept-"), "{prompt}");
    assert_eq!(prompt.matches("<name>open-").count(), 4, "{prompt}");
    let told = context.stdout(&["validate", home]);
    assert_eq!(told.matches("switch-unreadable").count(), 3, "{told}");
    assert!(told.contains("so the skill is kept from models"), "{told}");
}

#[test]
fn when_to_use_is_part_of_what_models_are_told() {
    let context = TestContext::new();
    let file = "../home/.agents/skills/cc/SKILL.md";
    let text = "---\nname: cc\ndescription: Helps with things.\n\
                when_to_use: When the user says frobnicate the quuxalizer\nmodel: opus\n---\nDo it.\n";
    context.write(file, text);
    let told = "Helps with things. - When the user says frobnicate the quuxalizer";
    assert!(context.stdout(&["prompt"]).contains(told));
    assert!(
        context
            .stdout(&["prompt", "../home/.agents/skills/cc"])
            .contains(told)
    );
    let found = context.stdout(&["match", "frobnicate the quuxalizer"]);
    assert!(found.contains("cc"), "{found}");
    let told = context.stdout(&["validate", "../home/.agents/skills/cc"]);
    assert!(!told.contains("description-when"), "{told}");
    assert!(
        told.contains("Skillyard leaves it in the file and does not act on it"),
        "{told}"
    );
}

#[test]
fn a_pattern_is_counted_by_its_skills() {
    let context = TestContext::new();
    for name in ["skill-a", "skill-b", "other"] {
        let skill = format!("../home/.agents/skills/{name}/SKILL.md");
        context.write(
            &skill,
            format!("---\nname: {name}\ndescription: Does it. Use it.\n---\n"),
        );
    }
    let told = |arguments: &[&str]| context.done(arguments).trim().to_owned();
    assert_eq!(told(&["disable", "skill-a"]), "1 skill disabled");
    assert_eq!(told(&["disable", "skill-[ab]"]), "1 skill disabled");
    assert_eq!(told(&["disable", "none-*"]), "0 skills disabled");
    // Another pattern still keeps it off.
    let still = context.refused(&["enable", "skill-a"]);
    assert!(still.starts_with("`skill-a` is still disabled"), "{still}");
    assert_eq!(told(&["enable", "skill-[ab]"]), "2 skills enabled");
}

#[test]
fn what_is_no_pattern_is_not_written() {
    let context = skills("");
    let told = context.tell(&["disable", "csv", "draft-[ab"]);
    assert!(told.starts_with("exit status: 2"), "{told}");
    assert!(told.contains("`draft-[ab` is not a pattern"), "{told}");
    assert_eq!(context.read("../home/.skillyard/config.toml"), "");
    assert_eq!(context.status("csv"), "enabled");
}

#[test]
fn a_name_that_looks_like_a_pattern() {
    let context = skills("");
    for (folder, name) in [
        ("beta", "Deploy [beta]"),
        ("draft", "draft {x"),
        ("all", "cs*"),
    ] {
        context.write(
            &format!("../home/.agents/skills/{folder}/SKILL.md"),
            format!("---\nname: \"{name}\"\ndescription: Use when asked.\n---\n"),
        );
    }
    let done = |arguments: &[&str]| context.done(arguments).trim().to_owned();
    for name in ["Deploy [beta]", "draft {x"] {
        assert_eq!(done(&["disable", name]), "1 skill disabled");
        let status = context.status(name);
        assert_eq!(status, format!("disabled: disabled by `{name}` (user)"));
        assert_eq!(done(&["enable", name]), "1 skill enabled");
        assert_eq!(context.status(name), "enabled");
    }
    // What means another skill here, too, is the pattern that it looks like.
    assert_eq!(done(&["disable", "cs*"]), "2 skills disabled");
    assert_eq!(done(&["enable", "cs*"]), "2 skills enabled");
    assert_eq!(done(&["disable", "cs[*]"]), "1 skill disabled");
    assert_eq!(context.status("csv"), "enabled");
    context.done(&["config", "set", "skills.deny", "Deploy [beta]"]);
    let status = context.status("Deploy [beta]");
    assert_eq!(status, "disabled: denied by `Deploy [beta]` (user)");
}

#[test]
fn what_a_stronger_layer_enables_stays_so() {
    let context = skills("");
    let mut command = context.skillyard();
    command.args(["disable", "csv"]);
    let told = output(command.env("SKILLYARD_SKILLS_ENABLED", "csv"));
    assert_eq!(told.status.code(), Some(1));
    let said = text(&told.stderr);
    assert!(said.contains("`csv` is still enabled"), "{said}");
    // The same by a pattern, of which each skill is told.
    let mut command = context.skillyard();
    command.args(["disable", "pdf-*"]);
    let told = output(command.env("SKILLYARD_SKILLS_ENABLED", "pdf-fill"));
    assert_eq!(told.status.code(), Some(1));
    let said = text(&told.stderr);
    assert!(said.contains("`pdf-fill` is still enabled"), "{said}");
    assert!(!said.contains("`pdf-merge` is still"), "{said}");
}

#[test]
fn patterns_are_parted_by_commas() {
    let context = TestContext::new();
    for name in ["a-one", "b-one", "c-one", "d-one"] {
        let skill = format!("../home/.agents/skills/{name}/SKILL.md");
        context.write(
            &skill,
            format!("---\nname: {name}\ndescription: Does it. Use it.\n---\n"),
        );
    }
    let listed = |allow: &str| {
        let list = context.json(&["list", "--json", "--allow", allow]);
        let skills = list["skills"].as_array().unwrap().iter();
        let names: Vec<String> = skills
            .map(|skill| skill["name"].as_str().unwrap().to_owned())
            .collect();
        names.join(" ")
    };
    assert_eq!(listed("a-*,b-*"), "a-one b-one");
    assert_eq!(listed("{a,b}-*, c-*"), "a-one b-one c-one");
    assert_eq!(listed("[a,d]-*"), "a-one d-one");
}

#[test]
fn a_path_leads_past_no_list() {
    let context = skills("");
    let script = "#!/bin/sh\necho RAN\n";
    context
        .write("../home/.agents/skills/csv/scripts/go.sh", script)
        .write(
            "../home/org.toml",
            "locked = ['skills']\n[skills]\ndeny = ['csv']\n",
        );
    let folder = context.in_home(".agents/skills");
    let tell = |arguments: &[&str]| {
        let mut command = context.skillyard();
        command.args(arguments).current_dir(&folder);
        let ran = output(command.env("SKILLYARD_ORG_CONFIG", context.in_home("org.toml")));
        (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
    };
    let (code, printed, said) = tell(&["run", "./csv", "go.sh", "--yes"]);
    assert_eq!((code, &*printed), (Some(1), ""), "{said}");
    let reason = "denied by `csv` (org)";
    assert!(
        said.contains(&format!("it is disabled: {reason}")),
        "{said}"
    );
    // Nobody is sent to a command that does not lift it.
    for word in ["csv", "./csv"] {
        let (_, _, said) = tell(&["run", word, "go.sh", "--yes"]);
        assert!(
            said.contains("hint: Your organisation keeps it out"),
            "{said}"
        );
        assert!(!said.contains("skillyard enable"), "{said}");
    }
    let (_, printed, said) = tell(&["prompt", "."]);
    assert!(
        !printed.contains("csv") && printed.contains("pdf-fill"),
        "{printed}"
    );
    assert!(said.contains("csv: ") && said.contains(reason), "{said}");
    let (_, printed, said) = tell(&["prompt", "csv", "--format", "skills-ref"]);
    assert!(
        !printed.contains("csv") && said.contains(reason),
        "{printed}{said}"
    );
}
