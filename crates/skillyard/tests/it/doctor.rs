//! `skillyard doctor`: what is here, and which skills the agents on this machine see.

use insta::assert_snapshot;

use crate::{TestContext, output, text};

/// The part about agents.
fn agents(context: &TestContext, named: &str) -> String {
    let value = context.json(&["doctor", "--json", "--agent", named]);
    let checks = value["checks"].as_array().unwrap().iter();
    let checks = checks.filter(|check| check["area"] == "agents");
    let lines = checks.map(|check| {
        let hint = check["hint"].as_str().map(|hint| format!("\n  {hint}"));
        let (verdict, message) = (&check["verdict"], &check["message"]);
        format!(
            "{}: {}{}\n",
            verdict.as_str().unwrap(),
            message.as_str().unwrap(),
            hint.unwrap_or_default()
        )
    });
    lines.collect()
}

#[test]
fn it_says_which_skills_an_agent_does_not_see() {
    let context = TestContext::new();
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    context.write_skill(".agents/skills/plain");
    context.write_skill(".agents/skills/group/deep");
    context.write_skill(".agents/skills/both");
    context.write_skill(".claude/skills/both");
    let colon = "---\nname: colon\ndescription: Usage: ask it\n---\n";
    context.write(".agents/skills/colon/SKILL.md", colon);
    assert_snapshot!(agents(&context, "codex,claude-code,github-copilot,gemini-cli"), @r"
    good: Codex sees 4 of 4 skills
    good: Claude Code sees 1 of 4 skills
    warning: Claude Code does not read the folder of `colon`, `deep`, `plain`
      Put them there too: `skillyard install REF --agent claude-code --scope project`, with the folder of each, or what `skillyard list --installed` says that it came from
    good: GitHub Copilot sees 3 of 4 skills
    warning: GitHub Copilot passes over `colon`: it has a text with a colon and without quotes
      Fix it with `skillyard validate --fix`
    good: Gemini CLI sees 3 of 4 skills
    warning: Gemini CLI passes over `deep`: it lies deeper than one folder
      Move it up, directly into the folder of skills
    warning: Gemini CLI reads a project's skills only when it trusts the folder
      Trust the folder when Gemini CLI asks, or start it with `--skip-trust`
    ");
}

#[test]
fn what_each_agent_makes_of_odd_files_is_told() {
    let context = TestContext::new();
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    let described = |name: &str, text: &str| {
        let file = format!(".agents/skills/{name}/SKILL.md");
        context.write(
            &file,
            format!("---\nname: {name}\ndescription: {text}\n---\nDo.\n"),
        );
    };
    described("bold", "**Bold** text. Use when ok.");
    described("quote", "\"Quoted\" word. Use when ok.");
    described("at", "@acme text. Use when ok.");
    described("bracket", "[BETA] Does x. Use when ok.");
    described(
        "twice",
        "Does x. Use when ok.\ndescription: Does y. Use when ok.",
    );
    described("dots", "Does x. Use when ok.\n...\nDo.");
    described("tab", "Does x. Use when ok.\nmetadata:\n\tversion: \"1\"");
    assert_snapshot!(agents(&context, "codex,opencode,gemini-cli"), @"
    good: Codex sees 2 of 7 skills
    warning: Codex passes over `bold`, `quote`: each has a text that needs quotes
      Fix it with `skillyard validate --fix`
    warning: Codex passes over `dots`: it has a frontmatter that is closed by `...`
      Fix it with `skillyard validate --fix`
    warning: Codex passes over `tab`: it has tabs that indent its frontmatter
      Fix it with `skillyard validate --fix`
    warning: Codex passes over `twice`: it has a field twice
      See what is wrong with `skillyard validate`
    good: OpenCode sees 1 of 7 skills
    warning: OpenCode passes over `at`, `bold`, `bracket`, `quote`: each has a text that needs quotes
      Fix it with `skillyard validate --fix`
    warning: OpenCode passes over `dots`: it has a frontmatter that is closed by `...`
      Fix it with `skillyard validate --fix`
    warning: OpenCode passes over `twice`: it has a field twice
      See what is wrong with `skillyard validate`
    good: Gemini CLI sees 6 of 7 skills
    warning: Gemini CLI passes over `dots`: it has a frontmatter that is closed by `...`
      Fix it with `skillyard validate --fix`
    warning: Gemini CLI reads a project's skills only when it trusts the folder
      Trust the folder when Gemini CLI asks, or start it with `--skip-trust`
    ");
    let told = context.tell(&["export", "quote", "--agent", "codex"]);
    assert!(
        told.contains("the skill: has a text that needs quotes"),
        "{told}"
    );
    let sub = context.root().join("sub");
    std::fs::create_dir(&sub).unwrap();
    let mut command = context.skillyard();
    command
        .current_dir(&sub)
        .args(["doctor", "--agent", "gemini-cli"]);
    let told = text(&output(&mut command).stdout);
    assert!(told.contains("Gemini CLI sees 0 of 7 skills"), "{told}");
    assert!(
        told.contains("Start Gemini CLI in the project's own folder"),
        "{told}"
    );
}

/// Fields that are no YAML or none that everybody takes, and whether Codex, `OpenCode` and Claude
/// Code read them, as those programs showed.
const MEASURED: [(&str, [bool; 3]); 42] = [
    ("description: > Use when ok.", [false, false, true]),
    ("description: > Use when: x", [false, true, true]),
    (
        "description: > Use when\n  more text",
        [false, false, false],
    ),
    ("description: A package of:", [false, true, false]),
    ("description: Reviews of: plans of:", [true, true, true]),
    (
        "description: Plans: a.\ncompatibility: x of:",
        [false, true, false],
    ),
    (
        "description: Plans: a.\nmetadata: { a: b }",
        [false, true, true],
    ),
    (
        "description: Plans: a.\nmetadata: {\"a\":\"b\"}",
        [true, true, true],
    ),
    (
        "description: Plans: a.\nhooks: { a: b }",
        [true, true, true],
    ),
    (
        "description: Plans: a.\nmetadata:\n  a: b",
        [true, true, true],
    ),
    ("description: Plans: a.\n  goes on.", [false, true, false]),
    ("description: Plans.\n  Modes: wide.", [false, false, false]),
    (
        "description: Does x.\nnoise\nlicense: MIT",
        [false, false, false],
    ),
    (
        "description: Does x.\nmetadata:\n  a: b: c",
        [true, false, false],
    ),
    (
        "description: Does x.\nmetadata:\n  a: of:",
        [false, false, false],
    ),
    (
        "description: Does x.\nhooks:\n  - a: b: c",
        [true, false, false],
    ),
    (
        "description: |\n  Does x: y.\nlicense: a: b",
        [true, true, false],
    ),
    (
        "description: Does x.\nargument-hint: a: b",
        [true, false, true],
    ),
    (
        "argument-hint: [a] [b]\ndescription: Does x.",
        [true, false, true],
    ),
    (
        "description: Does x.\nmetadata: \"a: b\"",
        [false, true, true],
    ),
    (
        "description: Does x.\nmetadata: [a, b]",
        [false, true, true],
    ),
    ("description: Does x.\nmetadata:", [true, true, true]),
    ("description: !important Does x.", [true, false, true]),
    ("description: [open Does x.", [true, false, true]),
    ("description: [BETA] Does x: y.", [true, false, true]),
    ("description: {a} b: c", [true, false, true]),
    ("description: *Bold* x: y.", [true, true, true]),
    ("description: **Bold** text.", [false, false, true]),
    ("description: \"a\" b: c", [false, true, true]),
    ("description: \"a \\d b\"", [false, false, false]),
    ("description: \"a \\d b: c\"", [false, false, false]),
    ("description: \"open quote", [false, false, false]),
    ("description: - a list", [false, false, false]),
    ("description: - a: b", [true, true, true]),
    ("description: %x does", [false, false, true]),
    ("description: %a: b", [true, true, true]),
    ("description: ? a b", [false, false, false]),
    ("description: `code` Does x.", [true, false, true]),
    ("description: @x Does x.", [true, false, true]),
    ("description: 2024-01-01", [true, false, true]),
    ("description: \"2024-01-01\"", [true, true, true]),
    ("description: a \u{7} b", [false, false, true]),
];

#[test]
fn agents_mend_frontmatter_each_in_its_own_way() {
    let context = TestContext::new();
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    for (fields, read) in MEASURED {
        for folder in [".agents", ".claude"] {
            let file = format!("{folder}/skills/odd/SKILL.md");
            context.write(&file, format!("---\nname: odd\n{fields}\n---\nDo.\n"));
        }
        let told = agents(&context, "codex,opencode,claude-code");
        let does = [
            "Codex passes over",
            "OpenCode passes over",
            "Claude Code ignores all fields of",
        ];
        let is_read = does.map(|does| !told.contains(&format!("{does} `odd`")));
        assert_eq!(is_read, read, "{fields}: {told}");
    }
    // So does who exports it.
    let fields = "description: A package of:";
    context.write(
        ".agents/skills/odd/SKILL.md",
        format!("---\nname: odd\n{fields}\n---\nDo.\n"),
    );
    for (agent, lost) in [
        ("codex", "the skill: "),
        ("claude-code", "the frontmatter: "),
    ] {
        let told = context.tell(&["export", "odd", "--agent", agent]);
        assert!(
            told.contains(&format!("{lost}has a text that needs quotes")),
            "{told}"
        );
    }
    let told = context.tell(&["export", "odd", "--agent", "opencode"]);
    assert!(!told.contains("needs quotes"), "{told}");
}

#[test]
fn names_and_files_that_agents_do_not_read_are_told() {
    let context = TestContext::new();
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    let odd = |name: &str, text: &str| {
        for folder in [".agents", ".claude"] {
            context.write(&format!("{folder}/skills/{name}/SKILL.md"), text);
        }
    };
    let rest = "description: Does x. Use when ok.\n---\nDo.\n";
    for (name, written) in [
        ("123", "123"),
        ("1.0", "1.0"),
        ("true", "true"),
        ("yes", "yes"),
    ] {
        odd(name, &format!("---\nname: {written}\n{rest}"));
    }
    odd("45", &format!("---\nname: \"45\"\n{rest}"));
    odd("blank", &format!("--- \nname: blank\n{rest}"));
    odd("mark", &format!("\u{feff}---\nname: mark\n{rest}"));
    odd(
        "old",
        &format!("---\nname: old\n{rest}").replace('\n', "\r"),
    );
    assert_snapshot!(agents(&context, "codex,opencode,claude-code"), @"
    good: Codex sees 6 of 8 skills
    warning: Codex passes over `old`: it has lines that end with a carriage return alone
      Save the file with other line ends
    warning: Codex passes over `mark`: it starts with a byte order mark
      Fix it with `skillyard validate --fix`
    good: OpenCode sees 4 of 8 skills
    warning: OpenCode passes over `1.0`, `123`, `true`: each has a name that is not a text
      Put the name in quotes, or choose another
    warning: OpenCode passes over `old`: it has lines that end with a carriage return alone
      Save the file with other line ends
    good: Claude Code sees 8 of 8 skills
    warning: Claude Code ignores all fields of `old`: it has lines that end with a carriage return alone
      Save the file with other line ends
    ");
}

#[test]
fn what_was_installed_is_mended_where_it_came_from() {
    let context = TestContext::new();
    context.mkdir(".git").write(
        "lib/quote/SKILL.md",
        "---\nname: quote\ndescription: \"Quoted\" word. Use when ok.\n---\nDo.\n",
    );
    context.done(&["install", "./lib/quote", "--agent", "codex"]);
    assert_snapshot!(agents(&context, "codex,claude-code"), @r#"
    warning: Codex sees 0 of 1 skill
    warning: Codex passes over `quote`: it has a text that needs quotes
      Mend it where it came from, `./lib/quote`, then run `skillyard update quote`
    warning: Claude Code sees 0 of 1 skill
    warning: Claude Code does not read the folder of `quote`
      Put it there too: `agents = ["universal", "claude-code"]` in skills.toml, and `skillyard sync`
    "#);
    let told = context.run(&["doctor", "--agent", "codex"]);
    assert!(told.contains("Nothing is broken; "), "{told}");
    // What it says leads somewhere.
    context.done(&["validate", "--fix", "lib/quote"]);
    context.done(&["update", "quote"]);
    let seen = agents(&context, "codex");
    assert_eq!(seen, "good: Codex sees 1 of 1 skill\n");
}

#[test]
fn two_contents_of_one_name_are_told_where_the_agent_takes_another_one() {
    let context = TestContext::new();
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    context.write_skill(".claude/skills/pdf");
    let home = "---\nname: pdf\ndescription: Another one.\n---\n";
    context.write("../home/.claude/skills/pdf/SKILL.md", home);
    assert_snapshot!(agents(&context, "claude-code,kilo"), @r"
    good: Claude Code sees 1 of 1 skill
    warning: Claude Code finds `pdf` with different contents and takes the one at home
      Remove or rename all but one
    good: Kilo Code sees 1 of 1 skill
    ");
}

#[test]
fn agents_in_use_are_found_and_wrong_names_refused() {
    let context = TestContext::new();
    assert!(
        context
            .run(&["doctor"])
            .contains("no agent that reads skills is in use here")
    );
    context.write("../home/.codex/config.toml", "");
    assert!(
        context
            .run(&["doctor"])
            .contains("Codex sees 0 of 0 skills")
    );
    assert_snapshot!(context.run(&["doctor", "--agent", "codx"]), @r"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no agent `codx`

    hint: Did you mean `codex`?
    ");
}

#[test]
fn an_agent_is_in_use_where_skills_are_installed_for_it() {
    let context = TestContext::new();
    context.mkdir(".git").mkdir(".claude").mkdir("sub");
    context.write_skill("lib/one").write_skill("lib/two");
    context.done(&["install", "./lib/one", "--agent", "codex"]);
    let missed = "Claude Code does not read the folder of `one`";
    assert!(context.run(&["doctor"]).contains(missed));
    let told = output(
        context
            .skillyard()
            .current_dir(context.root().join("sub"))
            .arg("doctor"),
    );
    let told = text(&told.stdout);
    assert!(told.contains(missed), "{told}");
    context.done(&["install", "./lib/two"]);
    assert!(context.root().join(".claude/skills/two/SKILL.md").exists());
    assert!(context.run(&["doctor"]).contains("Claude Code sees 1 of 2"));
}

#[test]
fn what_puts_a_skill_of_the_user_before_an_agent_can_be_typed() {
    let context = TestContext::new();
    context.mkdir(".git");
    context.write_skill("lib/one");
    context.done(&["install", "./lib/one", "--scope", "user"]);
    let doctor = ["doctor", "--agent", "claude-code"];
    let told = text(&output(context.skillyard().args(doctor)).stdout);
    let (_, hint) = told
        .split_once("Put it there too: `skillyard ")
        .expect("a hint");
    let (words, _) = hint.split_once('`').unwrap();
    let words: Vec<&str> = words.split(' ').collect();
    assert!(words.ends_with(&["--scope", "user"]), "{words:?}");
    context.done(&words);
    assert!(context.run(&doctor).contains("Claude Code sees 1 of 1"));
}

#[test]
fn doctor_says_what_is_here() {
    let context = TestContext::new();
    let shown = context.run(&["doctor"]);
    assert!(
        shown.contains("✓ scripts run in the sandbox `bubblewrap`"),
        "{shown}"
    );
    let value = context.json(&["doctor", "--json"]);
    assert_eq!(value["healthy"], true);
    let names: Vec<&str> = value["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"git"), "{names:?}");
    let names: Vec<&str> = names
        .into_iter()
        .skip_while(|name| *name != "backend")
        .collect();
    assert!(
        names.starts_with(&["backend", "bubblewrap", "landlock", "seccomp", "cgroups"]),
        "{names:?}"
    );
}

#[test]
fn a_folder_that_is_configured_and_missing_is_told() {
    let context = TestContext::new();
    context.done(&["config", "set", "discovery.directories", "/nowhere/skills"]);
    let told = context.run(&["doctor"]);
    let expected = "`/nowhere/skills` of `discovery.directories` is no folder";
    assert!(told.contains(expected), "{told}");
    assert_eq!(context.code(&["doctor"]), Some(0));
    // A relative one is the project's, wherever in it somebody works.
    context.done(&["config", "set", "discovery.directories", "more/skills"]);
    context.write(".git/HEAD", "").mkdir("sub");
    let below = || {
        let mut command = context.skillyard();
        command
            .current_dir(context.root().join("sub"))
            .arg("doctor");
        crate::text(&crate::output(&mut command).stdout)
    };
    let expected = "`more/skills` of `discovery.directories` is no folder";
    assert!(below().contains(expected), "{}", below());
    context.mkdir("more/skills");
    assert!(!below().contains("discovery.directories"), "{}", below());
}
