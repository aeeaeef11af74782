//! The console sessions of the README and of the pages in `docs`, run as they stand.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::registry::Server;
use crate::serve::Serving;
use crate::{TestContext, output, text, without_times};

/// One command and what the README says it prints.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    line: usize,
    command: String,
    expected: Vec<String>,
}

/// The commands in the fenced `console` blocks of a Markdown text, in order.
fn steps(markdown: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut in_block = false;
    for (at, line) in markdown.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            in_block = !in_block && info.trim() == "console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| in_block) {
            steps.push(Step {
                line: at + 1,
                command: command.to_owned(),
                expected: Vec::new(),
            });
        } else if let Some(step) = steps.last_mut().filter(|_| in_block) {
            step.expected.push(line.to_owned());
        }
    }
    for step in &mut steps {
        while step
            .expected
            .last()
            .is_some_and(|line| line.trim().is_empty())
        {
            step.expected.pop();
        }
    }
    steps
}

/// Whether the lines are those expected, where `...` stands for any lines, and at the end of a
/// line for any rest of it.
fn matches(expected: &[&str], found: &[&str]) -> bool {
    match expected {
        [] => found.is_empty(),
        ["...", rest @ ..] => (0..=found.len()).any(|skipped| matches(rest, &found[skipped..])),
        [line, rest @ ..] => {
            let is_line = |first: &&str| match line.strip_suffix("...") {
                Some(start) => first.starts_with(start),
                None => first.trim_end() == line.trim_end(),
            };
            found.first().is_some_and(is_line) && matches(rest, &found[1..])
        }
    }
}

#[test]
fn every_console_session_is_true() {
    run_sessions(&TestContext::new(), "README.md", &[]);
}

#[test]
fn the_registry_s_console_session_is_true() {
    let context = TestContext::new();
    let server = Server::start(&context);
    // The reader's registry has its usual port; this one has any that is free.
    run_sessions(
        &context,
        "docs/registry.md",
        &[("http://127.0.0.1:7879", &server.url)],
    );
}

#[test]
fn the_server_s_console_session_is_true() {
    let context = TestContext::new();
    let (_serving, url) = Serving::start(&context, &["--allow-run"]);
    let names = [("http://127.0.0.1:7878", url.as_str())];
    run_sessions(&context, "docs/server.md", &names);
}

#[test]
fn the_mcp_client_and_its_console_session_are_true() {
    let context = TestContext::new();
    let page = page("docs/mcp.md");
    let client = page.split_once("```python\n").unwrap().1;
    let client = client.split_once("```").unwrap().0;
    context.write("client.py", client);
    run_sessions(&context, "docs/mcp.md", &[]);
}

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name);
    fs::read_to_string(&path).expect("the repository has the page")
}

/// Runs the sessions of a page in order; `names` says what stands for what in it.
fn run_sessions(context: &TestContext, page: &str, names: &[(&str, &str)]) {
    let markdown = self::page(page);
    let binary = Path::new(env!("CARGO_BIN_EXE_skillyard"));
    let folder = binary
        .parent()
        .expect("the binary is in a folder")
        .display();
    for step in steps(&markdown) {
        let written = names
            .iter()
            .fold(step.command.clone(), |text, (shown, real)| {
                text.replace(shown, real)
            });
        let mut command = context.command("/bin/sh");
        command
            .args(["-c", &written])
            .env("PATH", format!("{folder}:/usr/local/bin:/usr/bin:/bin"));
        let run = output(&mut command);
        let printed = text(&run.stdout) + &text(&run.stderr);
        let printed = names
            .iter()
            .fold(printed, |text, (shown, real)| text.replace(real, shown));
        // The reader is at home, so the temporary folder is shown as that.
        let printed = context.normalised(&printed).replace("[DIR]", "~");
        let expected = without_times(&step.expected.join("\n"));
        let expected: Vec<&str> = expected.lines().collect();
        let found: Vec<&str> = printed.trim_end().lines().collect();
        assert!(
            matches(&expected, &found),
            "{page}:{}: `{}` prints\n{printed}\nand not\n{}",
            step.line,
            step.command,
            expected.join("\n")
        );
    }
}

#[test]
fn steps_are_found_in_console_blocks_only() {
    let markdown = "$ no\n```sh\n$ no\n```\n```console\n$ a b\none\n...\n\n$ c\n```\n$ no\n";
    let found: Vec<_> = steps(markdown)
        .into_iter()
        .map(|step| (step.line, step.command, step.expected))
        .collect();
    assert_eq!(
        found,
        [
            (
                6,
                "a b".to_owned(),
                vec!["one".to_owned(), "...".to_owned()]
            ),
            (10, "c".to_owned(), vec![]),
        ]
    );
}

#[test]
fn three_dots_stand_for_any_lines() {
    assert!(matches(&["a", "...", "d"], &["a", "b", "c", "d"]));
    assert!(matches(&["a", "...", "d"], &["a", "d"]));
    assert!(matches(&["..."], &[]));
    assert!(!matches(&["a", "...", "d"], &["a", "b"]));
    assert!(!matches(&["a"], &["a", "b"]));
    assert!(matches(&["a  ...", "b"], &["a  6.1", "b"]));
    assert!(!matches(&["a  ...", "b"], &["b  6.1", "b"]));
}

/// The first of the two commands, `cargo run`, needs to know which program is meant.
#[test]
fn cargo_run_runs_skillyard() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains("\ncargo run --release -- serve "));
    let context = TestContext::new();
    let mut command = context.command(env!("CARGO"));
    command.args(["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let told = output(command.current_dir(&root));
    assert!(told.status.success(), "{}", text(&told.stderr));
    let workspace: Value = serde_json::from_slice(&told.stdout).unwrap();
    let default = workspace["workspace_default_members"].as_array().unwrap();
    let packages = workspace["packages"].as_array().unwrap().iter();
    let programs: Vec<&Value> = packages
        .filter(|package| default.contains(&package["id"]))
        .flat_map(|package| package["targets"].as_array().unwrap())
        .filter(|target| target["kind"][0] == "bin")
        .map(|target| &target["name"])
        .collect();
    assert_eq!(programs, ["skillyard"]);
}
