//! Many skills that each lie in a folder of their own are asked about together.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::TestContext;
use crate::project::project;

const SKILLS: usize = 12;

/// A project that installed skills of its own repository one by one, with a git that notes when it is started.
fn many() -> TestContext {
    let context = project();
    context.git(&["init", "--quiet"]);
    context.write(".gitignore", "*.log\n");
    for number in 0..SKILLS {
        let name = format!("skill-{number}");
        let folder = format!("skills/{name}");
        context.write_version(&folder, &name, "1.0.0");
        context.write(&format!("{folder}/run.log"), "ran\n");
    }
    context.done(&["install", "./skills", "--all", "--yes"]);
    let git = "#!/bin/sh\necho \"$@\" >> \"$HOME/started\"\nPATH=/usr/bin:/bin exec git \"$@\"\n";
    context.write("../bin/git", git);
    let program = context.root().join("../bin/git");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    context
}

/// What a command says with that git, and how often git was started for it.
fn counted(context: &TestContext, arguments: &[&str]) -> (serde_json::Value, usize) {
    let path = format!("{}:/usr/bin:/bin", context.root().join("../bin").display());
    let mut command = context.skillyard();
    let output = crate::output(command.args(arguments).env("PATH", path));
    let said = serde_json::from_slice(&output.stdout).unwrap();
    let started = context.read("../home/started").lines().count();
    fs::remove_file(context.root().join("../home/started")).unwrap();
    (said, started)
}

#[test]
fn git_is_asked_about_all_of_them_at_once() {
    let context = many();
    context.write("skills/skill-3/more.md", "More.\n");
    let (said, started) = counted(&context, &["outdated", "--json"]);
    assert_eq!(said["outdated"].as_array().unwrap().len(), 1, "{said}");
    assert!(started < SKILLS, "git was started {started} times");
    let (said, started) = counted(&context, &["update", "--yes", "--json"]);
    assert_eq!(said["changes"].as_array().unwrap().len(), 1, "{said}");
    assert!(started < SKILLS, "git was started {started} times");
    let files = context.tree();
    assert!(files.contains(&".agents/skills/skill-3/more.md".to_owned()));
    let has_log = |file: &String| file.starts_with(".agents") && file.contains("run.log");
    assert!(!files.iter().any(has_log), "{files:?}");
}
