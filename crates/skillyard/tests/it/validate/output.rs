//! What reaches the terminal: cut for people, harmless, and never forged.

use insta::assert_snapshot;

use crate::{DESCRIPTION, TestContext, output, text};

#[test]
fn escapes_never_reach_the_terminal() {
    let context = TestContext::new();
    let attack = "---\nname: \"\\e]0;pwned\\a\\x9b2J\\u202e\\u2066\"\ndescription: \"\\e]0;pwned\\a: x\"\n\
                  \"\\e]0;pwned\": x\nmetadata:\n  \"\\e]0;pwned\": [x]\n---\n\u{1b}]0;pwned\u{7}\n";
    context.write("pdf/SKILL.md", attack);
    context.write("csv/SKILL.md", attack.replace("\\e", "\u{1b}"));
    for format in ["text", "json", "sarif", "github"] {
        for color in ["always", "never"] {
            let run = output(
                context
                    .skillyard()
                    .args(["validate", "--format", format, "--color", color]),
            );
            let shown = text(&run.stdout) + &text(&run.stderr);
            assert_eq!(run.status.code(), Some(1));
            assert!(
                !shown.contains("\u{1b}]") && !shown.contains('\u{7}'),
                "{format}: {shown:?}"
            );
            assert!(
                !shown.contains(['\u{9b}', '\u{202e}', '\u{2066}']),
                "{format}: {shown:?}"
            );
        }
    }
}

#[test]
fn many_findings_are_cut_short_for_people_only() {
    let context = TestContext::new();
    let header = format!("---\nname: pdf\ndescription: {DESCRIPTION}\n---\n");
    let links: Vec<String> = (0..5_000).map(|at| format!("[x](a/{at}.md)")).collect();
    for between in ["\n", " "] {
        context.write("pdf/SKILL.md", header.clone() + &links.join(between) + "\n");
        let run = output(context.skillyard().args(["validate", "pdf"]));
        let shown = text(&run.stdout);
        let of = |code| shown.matches(code).count();
        assert_eq!(of("warning["), 100, "{shown}");
        let more = "… and 4901 more in this file; see them all with `--json`";
        assert!(shown.contains(more), "{shown}");
        for format in ["json", "sarif", "github"] {
            let run = output(
                context
                    .skillyard()
                    .args(["validate", "pdf", "--format", format]),
            );
            let found = text(&run.stdout);
            assert_eq!(found.matches("/4999.md").count(), 1, "{format}");
        }
    }
}

#[test]
fn an_error_is_not_lost_among_warnings() {
    let context = TestContext::new();
    let links = "[x](a.md)\n".repeat(150);
    context.write(
        "pdf/SKILL.md",
        format!("---\nname: pdf\ndescription: {DESCRIPTION}\n---\n{links}\u{0}\n"),
    );
    let found = context.json(&["validate", "pdf", "--profile", "strict", "--json"]);
    let count = found["results"][0]["diagnostics"].as_array().map(Vec::len);
    assert!(count > Some(150), "{count:?}");
    let shown = context.run(&["validate", "pdf", "--profile", "strict"]);
    assert_eq!(shown.matches("error[").count(), 100, "{shown}");
}

#[test]
fn a_place_on_a_long_line_is_told_exactly() {
    let context = TestContext::new();
    let line = "é".repeat(5_000) + "[x](gone.md)" + &"é".repeat(5_000);
    context.write(
        "pdf/SKILL.md",
        format!("---\nname: pdf\ndescription: {DESCRIPTION}\n---\n{line}\n"),
    );
    let shown = context.run(&["validate", "pdf"]);
    assert!(shown.contains("--> pdf/SKILL.md:5:5001\n"), "{shown}");
    assert!(shown.contains("[x](gone.md)"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() < 200));
}

#[test]
fn a_long_name_is_cut_for_people_only() {
    let context = TestContext::new();
    let name = "A".repeat(900_000);
    context.write(
        "pdf/SKILL.md",
        format!("---\nname: {name}\ndescription: {DESCRIPTION}\n---\nText.\n"),
    );
    for format in ["text", "github"] {
        let shown = context.run(&["validate", "pdf", "--format", format]);
        assert!(shown.contains("AAA…AAA"), "{shown}");
        assert!(
            shown.contains("AA`, but the folder is called `pdf`"),
            "{shown}"
        );
        assert!(shown.len() < 5_000, "{}", shown.len());
    }
    let found = context.json(&["validate", "pdf", "--json"]);
    assert_eq!(found["results"][0]["name"], name.as_str());
    let shown = context.run(&["read", "pdf", "-v"]);
    assert!(shown.len() < 5_000, "{}", shown.len());
}

#[test]
fn a_line_break_in_a_name_forges_no_finding() {
    let context = TestContext::new();
    let attack =
        "---\nname: \"a\\n::error::forged\\nerror[forged]: x\"\ndescription: when\n---\nText.\n";
    context.write("pdf/SKILL.md", attack);
    for format in ["text", "github"] {
        let run = output(context.skillyard().args(["validate", "--format", format]));
        let shown = text(&run.stdout);
        assert!(
            !shown.lines().any(|line| line.starts_with("error[forged]")),
            "{shown}"
        );
        assert!(
            !shown.lines().any(|line| line.starts_with("::error::")),
            "{shown}"
        );
    }
}

#[test]
fn a_huge_file_is_refused_not_read() {
    let context = TestContext::new();
    let text = format!("---\nname: pdf\ndescription: {DESCRIPTION}\n---\n");
    context.write("pdf/SKILL.md", text + &"x".repeat(11 * 1024 * 1024));
    assert_snapshot!(context.run(&["validate", "pdf"]), @"
    success: false
    exit code: 1
    ----- stdout -----
    error[file-too-large]: the file is larger than 10485760 bytes, which is the limit
    --> pdf/SKILL.md
     = help: move data into `references/` or `assets/`
    ----- stderr -----
    Checked 1 skill in [TIME]: ✗ invalid, 1 error
    ");
}

#[test]
fn quiet_leaves_out_the_closing_line() {
    let context = TestContext::new();
    context.write_skill("pdf");
    assert_snapshot!(context.run(&["validate", "-q", "pdf"]), @"
    success: true
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    ");
}
