//! `skillyard list`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::ffi::OsStrExt as _;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::machine::{TRUSTING, skill, without_builtin};
use crate::{TestContext, output, text};

fn some_skills() -> TestContext {
    let context = TestContext::configured("[skills]\ndisabled = [\"draft-*\"]\n");
    context
        .skill(".skills/pdf", "Fills forms. Use when there is a form.")
        .skill("../home/.agents/skills/pdf", "Mine. Use when there is a form.")
        .skill("../home/.agents/skills/csv", "Reads tables. Use when there is a table.")
        .skill("../home/.agents/skills/draft-a", "Not done. Use when asked.")
        .write(
            "../home/.claude/skills/gh/SKILL.md",
            "---\nname: gh\ndescription: GitHub. Use when asked.\nmetadata:\n  requires: no-such-command sh\n---\nx\n",
        )
        .write("../home/.claude/skills/other/SKILL.md", skill("Odd_Name", "Odd. Use when asked."))
        .write("../home/.claude/skills/broken/SKILL.md", "no frontmatter\n");
    context
}

#[test]
fn as_text() {
    let context = some_skills();
    assert_snapshot!(without_builtin(&context.tell(&["list"])), @"
    exit status: 0
    ----- stdout -----
    project  [DIR]/.skills
      ! pdf  (untrusted) the project's folder is not trusted

    user  ~/.agents/skills
      ✓ csv      Reads tables. Use when there is a table.
      ○ draft-a  (disabled) disabled by `draft-*` (user)

    user  ~/.claude/skills
      ⚠ Odd_Name  Odd. Use when asked.
          name-characters: `Odd_Name` is not a valid name: it has capital letters, and it has the chara…
          name-matches-directory: the name is `Odd_Name`, but the folder is called `other`
      ✗ gh        (unavailable) missing commands: no-such-command

    ----- stderr -----
    9 skills, 6 enabled; 1 of a project that is not trusted (`skillyard trust .`)
    1 shadowed and 1 passed over; see them with `--all`
    ");
    assert_snapshot!(without_builtin(&context.tell(&["list", "--all"])), @"
    exit status: 0
    ----- stdout -----
    project  [DIR]/.skills
      ! pdf  (untrusted) the project's folder is not trusted

    user  ~/.agents/skills
      ✓ csv      Reads tables. Use when there is a table.
      ○ draft-a  (disabled) disabled by `draft-*` (user)

    user  ~/.claude/skills
      ⚠ Odd_Name  Odd. Use when asked.
          name-characters: `Odd_Name` is not a valid name: it has capital letters, and it has the chara…
          name-matches-directory: the name is `Odd_Name`, but the folder is called `other`
      ✗ gh        (unavailable) missing commands: no-such-command


    shadowed
      - pdf at ~/.agents/skills/pdf, by [DIR]/.skills/pdf

    passed over
      - ~/.claude/skills/broken/SKILL.md: the file does not start with frontmatter
    ----- stderr -----
    9 skills, 6 enabled; 1 of a project that is not trusted (`skillyard trust .`)
    ");
    assert_snapshot!(without_builtin(&context.tell(&["list", "-q"])), @"
    exit status: 0
    ----- stdout -----
    project  [DIR]/.skills
      ! pdf  (untrusted) the project's folder is not trusted

    user  ~/.agents/skills
      ✓ csv      Reads tables. Use when there is a table.
      ○ draft-a  (disabled) disabled by `draft-*` (user)

    user  ~/.claude/skills
      ⚠ Odd_Name  Odd. Use when asked.
          name-characters: `Odd_Name` is not a valid name: it has capital letters, and it has the chara…
          name-matches-directory: the name is `Odd_Name`, but the folder is called `other`
      ✗ gh        (unavailable) missing commands: no-such-command

    ----- stderr -----
    ");
}

#[test]
fn as_json() {
    let context = some_skills();
    let listing = context.listing(&[]);
    assert_snapshot!(serde_json::to_string_pretty(&listing).unwrap(), @r#"
    {
      "skills": [
        {
          "id": "project/pdf",
          "name": "pdf",
          "description": "Fills forms. Use when there is a form.",
          "source": "project",
          "path": "[DIR]/.skills/pdf",
          "file": "SKILL.md",
          "status": "untrusted",
          "modified": 0,
          "model_invocable": true,
          "user_invocable": true,
          "problems": [],
          "fields": {}
        },
        {
          "id": "user/csv",
          "name": "csv",
          "description": "Reads tables. Use when there is a table.",
          "source": "user",
          "path": "[HOME]/.agents/skills/csv",
          "file": "SKILL.md",
          "status": "enabled",
          "modified": 0,
          "model_invocable": true,
          "user_invocable": true,
          "problems": [],
          "fields": {}
        },
        {
          "id": "user/draft-a",
          "name": "draft-a",
          "description": "Not done. Use when asked.",
          "source": "user",
          "path": "[HOME]/.agents/skills/draft-a",
          "file": "SKILL.md",
          "status": "disabled",
          "reason": "disabled by `draft-*` (user)",
          "modified": 0,
          "model_invocable": true,
          "user_invocable": true,
          "problems": [],
          "fields": {}
        },
        {
          "id": "user/Odd_Name",
          "name": "Odd_Name",
          "description": "Odd. Use when asked.",
          "source": "user",
          "path": "[HOME]/.claude/skills/other",
          "file": "SKILL.md",
          "status": "enabled",
          "modified": 0,
          "model_invocable": true,
          "user_invocable": true,
          "problems": [
            {
              "code": "name-characters",
              "message": "`Odd_Name` is not a valid name: it has capital letters, and it has the character '_', and only letters, digits and hyphens are allowed"
            },
            {
              "code": "name-matches-directory",
              "message": "the name is `Odd_Name`, but the folder is called `other`"
            }
          ],
          "fields": {}
        },
        {
          "id": "user/gh",
          "name": "gh",
          "description": "GitHub. Use when asked.",
          "source": "user",
          "path": "[HOME]/.claude/skills/gh",
          "file": "SKILL.md",
          "status": "unavailable",
          "missing": [
            "no-such-command"
          ],
          "modified": 0,
          "model_invocable": true,
          "user_invocable": true,
          "problems": [],
          "fields": {
            "metadata": {
              "requires": "no-such-command sh"
            }
          }
        }
      ],
      "shadowed": [
        {
          "name": "pdf",
          "description": "Mine. Use when there is a form.",
          "source": "user",
          "path": "[HOME]/.agents/skills/pdf",
          "winner": "[DIR]/.skills/pdf"
        }
      ],
      "skipped": [
        {
          "path": "[HOME]/.claude/skills/broken/SKILL.md",
          "reason": "the file does not start with frontmatter"
        }
      ]
    }
    "#);
}

#[test]
fn a_narrow_terminal() {
    let context = some_skills();
    let mut command = context.skillyard();
    let shown = output(command.args(["list"]).env("COLUMNS", "60"));
    for line in text(&shown.stdout).lines() {
        assert!(line.chars().count() <= 60, "{line}");
    }
}

#[test]
fn nothing_but_the_builtin_skills() {
    let context = TestContext::new();
    let listing = context.listing(&[]);
    assert_snapshot!(listing, @r#"{"skills":[],"shadowed":[],"skipped":[]}"#);
    assert!(context.tell(&["list"]).contains("builtin\n  ✓ "));
}

#[test]
fn chosen_by_flags() {
    let context = some_skills();
    let told = |flags: &[&str]| {
        let listing = context.listing(flags);
        let line = |skill: &serde_json::Value| {
            format!("{} {} {}", skill["name"], skill["status"], skill["reason"])
        };
        listing["skills"]
            .as_array()
            .unwrap()
            .iter()
            .map(line)
            .collect::<Vec<_>>()
            .join("\n")
            .replace('"', "")
    };
    assert_snapshot!(told(&["--allow", "{pdf,csv}", "--deny", "p?f"]), @"csv enabled null");
    assert_snapshot!(context.tell(&["list", "--allow", "a["]), @"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `a[` is not a pattern: unclosed character class; missing ']'
    ");
}

/// Every way to be passed over, in one tree.
fn every_case() -> TestContext {
    let context = TestContext::configured(TRUSTING);
    let base = "../home/.agents/skills";
    let at = |path: &str| format!("{base}/{path}");
    context.skill(&at("good"), "Use when good.");
    // Files that hold no skill.
    context
        .write(&at("bad-empty/SKILL.md"), "")
        .write(&at("bad-none/SKILL.md"), "# No frontmatter\n")
        .write(
            &at("bad-description/SKILL.md"),
            "---\nname: bad-description\n---\nx\n",
        )
        .write(&at("bad-yaml/SKILL.md"), "---\n: : {{{[ \n\t@@@\n---\nx\n");
    let mut huge = skill("huge", "Use when huge.");
    huge.push_str(&" ".repeat(10 * 1024 * 1024));
    context.write(&at("huge/SKILL.md"), huge);
    // Names.
    context
        .write(&at("lower/skill.md"), skill("lower", "Use when lower."))
        .write(&at("mixed/Skill.MD"), skill("mixed", "Use when mixed."))
        .write(&at("both/SKILL.md"), skill("both", "Use when upper."))
        .write(&at("both/skill.md"), skill("both", "Use when lower."))
        .write(&at("folder/SKILL.md"), skill("other", "Use when other."))
        .write(&at("new\nline/SKILL.md"), skill("newline", "Use when new."));
    let raw = context
        .root()
        .join(base)
        .join(OsStr::from_bytes(b"raw\xff"));
    fs::create_dir(&raw).unwrap();
    fs::write(raw.join("SKILL.md"), skill("raw", "Use when raw.")).unwrap();
    // Losers and copies.
    context
        .skill("../home/.claude/skills/good", "Another one.")
        .skill("../home/.claude/skills/both", "Another one.")
        .skill(&at("same"), "Use when the same.")
        .skill("../home/.skillyard/skills/same", "Use when the same.");
    // Links.
    context
        .skill("../home/dotfiles/linked", "Use when linked.")
        .skill("../outside/evil", "Use when evil.")
        .mkdir(&at("link-in"))
        .mkdir(&at("link-out"))
        .mkdir(&at("link-gone"))
        .mkdir(&at("circle"))
        .link("../../dotfiles/linked", &at("linked"))
        .link(context.root().join("../outside/evil"), &at("evil"))
        .link("..", &at("circle/up"))
        .link("nothing", &at("dangling"))
        .write("../home/dotfiles/in.md", skill("link-in", "Use when in."))
        .link("../../../dotfiles/in.md", &at("link-in/SKILL.md"))
        .link(
            context.root().join("../outside/evil/SKILL.md"),
            &at("link-out/SKILL.md"),
        )
        .link("nothing", &at("link-gone/SKILL.md"));
    // Depth, and what is nested in a skill.
    let mut folder = at("g");
    for depth in 1..=7 {
        folder = format!("{folder}/d{depth}");
        context.skill(&format!("{folder}/deep-{depth}"), "Use when deep.");
    }
    context.skill(&at("good/inner"), "Use when inner.");
    // What is never looked into.
    for name in [".git", "node_modules", "target"] {
        context.skill(&at(&format!("{name}/hidden")), "Use when hidden.");
    }
    context
        .write(&at(".gitignore"), "ignored/\n")
        .skill(&at("ignored"), "Use when ignored.");
    // What cannot be read, whoever asks.
    context.mkdir(&at("unreadable/SKILL.md")).mkdir(&at("pipe"));
    let pipe = output(
        context
            .command("mkfifo")
            .arg(context.root().join(at("pipe/SKILL.md"))),
    );
    assert!(pipe.status.success());
    // More folders than are looked into, in a source of their own.
    let many = context.home().join(".claude/skills/many");
    for number in 0..2_500 {
        fs::create_dir_all(many.join(format!("f{number:04}"))).unwrap();
    }
    context
}

#[test]
fn every_case_has_its_result_and_its_reason() {
    let context = every_case();
    let listing = context.listing(&["--no-index"]);
    let lines = |key: &str, line: &dyn Fn(&serde_json::Value) -> String| {
        let all = listing[key].as_array().unwrap();
        let lines: Vec<String> = all.iter().map(line).collect();
        lines
            .join("\n")
            .replace("[HOME]/.agents/skills/", "")
            .replace("\\n", "\n")
            .replace('"', "")
    };
    let skills = lines("skills", &|skill| {
        let problems: Vec<_> = skill["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|each| &each["code"])
            .collect();
        format!(
            "{} {} {} {problems:?}",
            skill["name"], skill["path"], skill["status"]
        )
    });
    assert_snapshot!(skills, @"
    both both enabled []
    deep-1 g/d1/deep-1 enabled []
    deep-2 g/d1/d2/deep-2 enabled []
    deep-3 g/d1/d2/d3/deep-3 enabled []
    deep-4 g/d1/d2/d3/d4/deep-4 enabled []
    good good enabled []
    link-in link-in enabled []
    linked linked enabled []
    lower lower enabled []
    mixed mixed enabled [String(file-name)]
    newline new
    line enabled [String(name-matches-directory)]
    other folder enabled [String(name-matches-directory)]
    same same enabled []
    ");
    let shadowed = lines("shadowed", &|each| {
        format!("{} {} by {}", each["name"], each["path"], each["winner"])
    });
    assert_snapshot!(shadowed, @"
    both [HOME]/.claude/skills/both by both
    good [HOME]/.claude/skills/good by good
    ");
    let skipped = lines("skipped", &|each| {
        format!("{}: {}", each["path"], each["reason"])
    });
    let (many, few): (Vec<&str>, Vec<&str>) =
        skipped.lines().partition(|line| line.contains("/many/"));
    assert_snapshot!(few.join("\n"), @"
    .git: folders called `.git` are never looked into
    bad-description/SKILL.md: `description` is missing
    bad-empty/SKILL.md: the file is empty
    bad-none/SKILL.md: the file does not start with frontmatter
    bad-yaml/SKILL.md: the frontmatter is not valid YAML: did not find expected key, while parsing a block mapping
    circle/up: it is a symbolic link that leads in a circle
    dangling: it is a symbolic link to nothing
    evil: it is a symbolic link to `[TMP]/outside/evil`, outside every allowed folder
    g/d1/d2/d3/d4/d5/d6: it is deeper than 6 folders
    g/d1/d2/d3/d4/d5/deep-5: it is deeper than 6 folders
    huge/SKILL.md: the file has 10485823 bytes, and at most 10485760 are read
    ignored: it is ignored by a `.gitignore` beside it
    link-gone/SKILL.md: it is a symbolic link to nothing
    link-out/SKILL.md: it is a symbolic link to `[TMP]/outside/evil/SKILL.md`, outside every allowed folder
    node_modules: folders called `node_modules` are never looked into
    pipe/SKILL.md: it cannot be read: it is not a regular file
    raw�: its name is not UTF-8
    target: folders called `target` are never looked into
    unreadable/SKILL.md: it cannot be read: it is not a regular file
    ");
    // The source, `many` and the first 1,998 of the 2,500 are looked into.
    assert_eq!(many.len(), 502);
    assert_eq!(
        many[0],
        "[HOME]/.claude/skills/many/f1998: more than 2000 folders without a SKILL.md were found before it"
    );
    assert!(many[501].starts_with("[HOME]/.claude/skills/many/f2499: "));
    // With the index, cold and warm, the same is told.
    for _ in 0..2 {
        assert_eq!(context.listing(&[]), listing);
    }
}

#[test]
fn a_path_cannot_forge_a_line() {
    let context = TestContext::new();
    context.write(
        "../home/.agents/skills/x\n  ✓ fake\u{1b}[31m/SKILL.md",
        "bad\n",
    );
    let shown = context.tell(&["list", "--all"]);
    assert!(
        !shown.contains("\n  ✓ fake") && !shown.contains('\u{1b}'),
        "{shown}"
    );
    assert!(
        shown.contains("x\\n  ✓ fake\\u{1b}[31m/SKILL.md: "),
        "{shown}"
    );
}

#[test]
fn a_home_whose_name_is_not_utf8() {
    let context = TestContext::new();
    let home = context.root().join("..").join(OsStr::from_bytes(b"h\xff"));
    fs::create_dir_all(home.join(".agents/skills/pdf")).unwrap();
    fs::write(
        home.join(".agents/skills/pdf/SKILL.md"),
        skill("pdf", "Use when asked."),
    )
    .unwrap();
    let run = |arguments: &[&str]| output(context.skillyard().args(arguments).env("HOME", &home));
    for arguments in [
        &["list", "--json"][..],
        &["list", "--all"],
        &["show", "pdf", "--json"],
        &["search", "pdf", "--json"],
        &["match", "pdf", "--json"],
        &["explain", "skill", "pdf", "--json"],
        &["prompt"],
    ] {
        let run = run(arguments);
        assert!(
            run.status.success(),
            "{arguments:?} {}",
            String::from_utf8_lossy(&run.stderr)
        );
        assert!(
            String::from_utf8_lossy(&run.stdout).contains("pdf"),
            "{arguments:?}"
        );
    }
}

/// Every file of a small machine, to be written in any order.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (place, names) in [
        (".skills", &["pdf", "csv", "a/b/deep"][..]),
        (".agents/skills", &["pdf", "xls"]),
        (".claude/skills", &["pdf", "zip"]),
        ("../home/.agents/skills", &["pdf", "csv", "g/x", "g/y"]),
        ("../home/.claude/skills", &["csv", "same"]),
        ("../home/.skillyard/skills", &["same"]),
    ] {
        for name in names {
            let description = if *name == "same" {
                "the same".to_owned()
            } else {
                format!("of {place}")
            };
            let file = name.rsplit('/').next().unwrap();
            files.push((
                format!("{place}/{name}/SKILL.md"),
                skill(file, &description),
            ));
        }
    }
    files.push((".skills/bad/SKILL.md".into(), "bad".into()));
    files.push((".skills/two/one/SKILL.md".into(), skill("pdf", "one more")));
    files
}

#[test]
fn the_order_is_the_same_however_folders_were_made() {
    // A small generator of numbers: the same hundred orders in every run.
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut files = files();
    let mut told = BTreeMap::<String, usize>::new();
    for _ in 0..100 {
        for at in (1..files.len()).rev() {
            files.swap(at, next(at + 1));
        }
        let context = TestContext::configured(TRUSTING);
        for (path, text) in &files {
            context.write(path, text);
        }
        *told.entry(context.listing(&[]).to_string()).or_default() += 1;
    }
    assert_eq!(told.into_values().collect::<Vec<_>>(), [100]);
}

#[test]
fn eight_processes_at_once() {
    let context = some_skills();
    let alone = text(&output(context.skillyard().args(["list", "--json", "--no-index"])).stdout);
    for round in 0..4 {
        let children: Vec<_> = (0..8)
            .map(|_| {
                let mut command = context.skillyard();
                command
                    .args(["list", "--json"])
                    .stdout(std::process::Stdio::piped());
                command.spawn().unwrap()
            })
            .collect();
        for child in children {
            assert_eq!(text(&child.wait_with_output().unwrap().stdout), alone);
        }
        if round % 2 == 0 {
            fs::remove_dir_all(context.home().join(".skillyard/index")).unwrap();
        }
    }
    let files = fs::read_dir(context.home().join(".skillyard/index")).unwrap();
    assert_eq!(files.count(), 1);
}

#[test]
fn an_index_that_cannot_be_kept() {
    let context = some_skills();
    let before = context.listing(&["--no-index"]);
    context.write("../home/.skillyard/index", "in the way");
    assert_eq!(context.listing(&[]), before);
    assert_eq!(context.code(&["list"]), Some(0));
}

/// How many bytes a program and what it starts read, with `arguments`.
fn bytes_read(context: &TestContext, arguments: &str) -> u64 {
    // A shell's own account includes the children it waited for.
    let script = format!(
        "{} {arguments} >/dev/null; read name rchar </proc/$$/io; echo $rchar",
        env!("CARGO_BIN_EXE_skillyard")
    );
    let told = output(context.command("sh").args(["-c", &script]));
    text(&told.stdout).trim().parse().unwrap()
}

#[test]
fn a_start_reads_one_block_of_each_file_and_the_next_start_none() {
    const SKILLS: u64 = 1_000;
    let context = TestContext::configured(TRUSTING);
    context.mkdir(".skills");
    let nothing = bytes_read(&context, "list --json --no-index");
    let mut size = 0;
    for number in 0..SKILLS {
        let mut body = skill(&format!("s{number}"), "Use when counting.");
        body.push_str(&"x ".repeat(4096));
        body.push_str("BODY_MARKER");
        size += body.len() as u64;
        context.write(&format!(".skills/s{number}/SKILL.md"), body);
    }
    let cold = bytes_read(&context, "list --json --no-index") - nothing;
    // Other things read differ by a few bytes, such as numbers in files of the system.
    assert!(cold.abs_diff(SKILLS * 1536) < 4096, "{cold} of {size}");
    // The folder is too new to be believed, so it is given an old time.
    let old = ["-c", "find .skills -exec touch -d '2001-01-01' {} +"];
    assert!(output(context.command("sh").args(old)).status.success());
    assert_eq!(context.code(&["list", "--json"]), Some(0));
    let index = fs::read_dir(context.home().join(".skillyard/index")).unwrap();
    let index: u64 = index
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    let warm = bytes_read(&context, "list --json") - nothing;
    assert!(
        warm.abs_diff(index) < 4096,
        "{warm} beside an index of {index}"
    );
    // Nothing of a body reaches a list or a prompt.
    for arguments in [
        &["list", "--json"][..],
        &["prompt"],
        &["prompt", "--task", "marker", "--format", "json"],
    ] {
        assert!(!context.stdout(arguments).contains("BODY_MARKER"));
    }
}

#[test]
fn changes_are_told_as_they_happen() {
    let context = some_skills();
    let mut command = context.skillyard();
    command
        .args(["list", "--watch", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut running = command.spawn().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    let mut next =
        || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert!(next()["skills"].is_array());
    assert!(next()["watching"].is_number());
    context.skill(".skills/fresh", "Use when asked.");
    let told = next();
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(
        (&told["change"], &told["name"]),
        (&"changed".into(), &"fresh".into()),
        "{told}"
    );
}
