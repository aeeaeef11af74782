//! The same answer in every order, at once and from an index.

use std::collections::BTreeMap;
use std::fs;

use super::some_skills;
use crate::machine::{TRUSTING, skill};
use crate::{TestContext, output, text};

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
