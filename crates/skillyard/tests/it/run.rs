//! `skillyard run`: scripts of skills, as users start them.

mod beside;
mod closed;
mod configured;
mod exposed;
mod fences;
mod git;
mod hostile;
mod installed;
mod killed;
mod leading;
mod linked;
mod question;
mod recorded;
mod refused;
mod sources;
mod without;
mod workspace;

use std::fs;
use std::io::Read as _;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::{TestContext, output, text};

/// The skill with a script that does whatever it is told.
fn any_script() -> TestContext {
    let context = skill("");
    context.write(
        "../home/.agents/skills/tools/scripts/any.sh",
        "eval \"$1\"\n",
    );
    context
}

/// A skill in the user's own folder, with scripts in several languages.
pub(crate) fn skill(metadata: &str) -> TestContext {
    let context = TestContext::new();
    let folder = "../home/.agents/skills/tools";
    context.write(
        &format!("{folder}/SKILL.md"),
        format!("---\nname: tools\ndescription: Does things. Use when things are to be done.\n{metadata}---\n\n# Tools\n"),
    );
    for (path, script) in [
        (
            "scripts/hello.py",
            "import os, sys\nimport helper\nprint(helper.VALUE, sys.argv[1:], os.path.basename(os.getcwd()))\n",
        ),
        ("scripts/helper.py", "VALUE = 'from beside'\n"),
        (
            "scripts/table.py",
            "import csv, json, sys\nprint(json.dumps(list(csv.DictReader(open(sys.argv[1])))))\nopen('result.json', 'w').write('{}')\n",
        ),
        (
            "scripts/template.py",
            "print(open('assets/template.txt').read().format(name='you'), end='')\n",
        ),
        ("assets/template.txt", "Dear {name}!\n"),
        (
            "scripts/count.sh",
            "#!/bin/bash\nset -euo pipefail\nsort | uniq -c | sort -rn | awk '{print $2, $1}'\n",
        ),
        (
            "scripts/part.sh",
            "#!/bin/sh\n. \"$SKILL_DIR/scripts/lib.sh\"\ngreet \"$1\"\n",
        ),
        ("scripts/lib.sh", "greet() { echo \"hello $1\"; }\n"),
        (
            "scripts/report.mjs",
            "import { join } from 'node:path';\nimport { readFileSync } from 'node:fs';\nconst text = readFileSync(join(process.env.SKILL_DIR, 'assets/template.txt'), 'utf8');\nconsole.log(text.trim(), process.argv[2], await Promise.resolve(6 * 7));\n",
        ),
        (
            "scripts/words.pl",
            "print join('-', map { uc } @ARGV), \"\\n\";\n",
        ),
        ("scripts/code.sh", "exit \"$1\"\n"),
        (
            "scripts/slow.sh",
            "echo started\ntrap '' TERM INT\n(setsid sleep 1000 &)\nsleep 1000\n",
        ),
        (
            "scripts/loud.sh",
            "head -c 2999992 /dev/zero | tr '\\0' x\necho the end\n",
        ),
        ("scripts/steal.sh", "cat \"$1\" && env\n"),
        ("scripts/own.sh", "id -u\n"),
        ("scripts/notes.txt", "no script\n"),
        ("scripts/x.rb", "puts 1\n"),
        ("scripts/odd", "#!/usr/bin/env no-such-interpreter\n"),
    ] {
        context.write(&format!("{folder}/{path}"), script);
    }
    context
}

/// What a run printed, and its code.
pub(crate) fn ran(context: &TestContext, arguments: &[&str]) -> (String, Option<i32>) {
    let run = output(context.skillyard().arg("run").args(arguments));
    (text(&run.stdout) + &text(&run.stderr), run.status.code())
}

fn check(context: &TestContext, arguments: &[&str], printed: &str) {
    assert_eq!(
        ran(context, arguments),
        (printed.to_owned(), Some(0)),
        "{arguments:?}"
    );
}

#[test]
fn scripts_of_many_kinds_work() {
    let context = skill("");
    context.write("data.csv", "a,b\n1,2\n");
    // A module beside the script, arguments as they are, and the skill as the place to start.
    check(
        &context,
        &["tools", "scripts/hello.py", "--", "a b", "--json", "ä"],
        "from beside ['a b', '--json', 'ä'] tools\n",
    );
    check(
        &context,
        &["tools", "hello.py", "--workspace", "."],
        "from beside [] work\n",
    );
    // A file of the workspace in, another one out.
    check(
        &context,
        &["tools", "table.py", "--workspace", ".", "--", "data.csv"],
        "[{\"a\": \"1\", \"b\": \"2\"}]\n",
    );
    assert_eq!(context.read("result.json"), "{}");
    // A file of the skill by its relative path.
    check(&context, &["tools", "template.py"], "Dear you!\n");
    check(&context, &["tools", "part.sh", "--", "you"], "hello you\n");
    check(
        &context,
        &["tools", "report.mjs", "--", "x"],
        "Dear {name}! x 42\n",
    );
    check(&context, &["tools", "words.pl", "--", "a", "b"], "A-B\n");
}

#[test]
fn input_is_passed_on_when_asked_for() {
    let context = skill("");
    context.write("input", "b\na\nb\n");
    let given = |arguments: &[&str]| {
        let mut command = context.skillyard();
        command.args(["run", "tools", "count.sh"]).args(arguments);
        command.stdin(Stdio::from(
            fs::File::open(context.root().join("input")).unwrap(),
        ));
        text(&output(&mut command).stdout)
    };
    assert_eq!(given(&["--stdin"]), "b 2\na 1\n");
    assert_eq!(given(&[]), "");
    // Many programs want a name.
    let named = "cat /dev/stdin\n";
    context.write("../home/.agents/skills/tools/scripts/count.sh", named);
    assert_eq!(given(&["--stdin"]), "b\na\nb\n");
}

#[test]
fn a_script_whose_output_nobody_reads_is_ended() {
    let context = skill("");
    let script = "while true; do echo again; sleep 0.05; done\n";
    context.write("../home/.agents/skills/tools/scripts/count.sh", script);
    let mut command = context.skillyard();
    command.args(["run", "tools", "count.sh", "--timeout", "300"]);
    let mut run = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 6];
    run.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(first, *b"again\n");
    let ended = run.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(141), "{}", text(&ended.stderr));
    assert_eq!(text(&ended.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_script_whose_output_cannot_be_written_is_ended() {
    let context = skill("");
    let script = "while true; do echo again; sleep 0.05; done\n";
    context.write("../home/.agents/skills/tools/scripts/count.sh", script);
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut command = context.skillyard();
    command.args(["run", "tools", "count.sh", "--timeout", "20"]);
    let ended = output(command.stdout(full.unwrap()));
    assert_eq!(ended.status.code(), Some(2));
    let told = text(&ended.stderr);
    assert!(told.contains("No space left"), "{told}");
    assert!(!told.contains("was ended after"), "{told}");
}

#[test]
fn the_code_is_the_scripts_own() {
    let context = skill("");
    for code in ["0", "1", "3", "124", "255"] {
        let arguments = ["run", "tools", "code.sh", "--", code];
        assert_eq!(context.code(&arguments).unwrap().to_string(), code);
    }
}

#[test]
fn what_it_could_do_is_explained() {
    let context = skill("");
    let shown = context.run(&[
        "run",
        "tools",
        "hello.py",
        "--explain",
        "--workspace",
        ".",
        "--net",
        "api.example.com",
        "--",
        "x",
    ]);
    for part in [
        "sandbox      bubblewrap",
        "starts in    [DIR]",
        "writes       [DIR]",
        "places there that git, agents and editors obey",
        "reaches      hosts api.example.com; writes `[DIR]`",
        "1024 MB of memory",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    // Nothing ran.
    assert!(!shown.contains("from beside"));
}

#[test]
fn json_says_all() {
    let context = skill("");
    let run = output(
        context
            .skillyard()
            .args(["run", "tools", "code.sh", "--json", "--", "3"]),
    );
    assert_eq!(run.status.code(), Some(3));
    let value: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_snapshot!(keys.join(" "), @"skill digest script script_digest approval argv unread narrowed backend exit_code signal stopped stdout stderr duration_ms cpu_ms peak_memory_bytes limits denials connections made made_more");
    assert_eq!(value["exit_code"], 3);
    assert_eq!(value["approval"], "policy");
    assert_eq!(value["argv"][2], "3");
    assert!(
        value["script_digest"]
            .as_str()
            .unwrap()
            .starts_with("sha256:")
    );
    let slow = context.json(&["run", "tools", "slow.sh", "--json", "--timeout", "0.5"]);
    assert_eq!(
        (slow["exit_code"].as_i64(), slow["stopped"].as_str()),
        (Some(124), Some("wall-time"))
    );
    assert_eq!(slow["denials"][0]["limit"], "wall-time");
    let refused = context.json(&["run", "../home/.agents/skills/tools", "code.sh", "--json"]);
    assert!(refused["error"]["hint"].as_str().unwrap().contains("--yes"));
}
