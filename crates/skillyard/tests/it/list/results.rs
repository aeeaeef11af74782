//! Every case of a skill that is found, with its result and its reason.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use insta::assert_snapshot;

use crate::machine::{TRUSTING, skill};
use crate::{TestContext, output};

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
    link-gone/SKILL.md: it is a symbolic link; link the skill's whole folder, or put the file there
    link-in/SKILL.md: it is a symbolic link; link the skill's whole folder, or put the file there
    link-out/SKILL.md: it is a symbolic link; link the skill's whole folder, or put the file there
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
