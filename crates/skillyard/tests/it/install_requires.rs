//! Skills that need others: found, installed, explained and removed along.

use insta::assert_snapshot;

use crate::TestContext;
use crate::project::project;
use crate::servers::git_http;
use crate::servers::repository::Repository;

/// The text of a skill that needs others.
pub(crate) fn needing(name: &str, version: &str, requires: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Use when {name}.\nmetadata:\n  skillyard.requires-skills: \"{requires}\"\n---\n\n{version}\n"
    )
}

/// A project with skills in `lib`, by their names and what they need.
pub(crate) fn library(skills: &[(&str, &str)]) -> TestContext {
    let context = project();
    for (name, requires) in skills {
        context.write(
            &format!("lib/{name}/SKILL.md"),
            needing(name, "one", requires),
        );
    }
    context
}

#[test]
fn what_is_needed_comes_along_and_goes_along() {
    let context = library(&[
        ("report", "../chart ../table"),
        ("chart", "../colour"),
        ("table", "../colour"),
        ("colour", ""),
    ]);
    assert_snapshot!(context.done(&["install", "./lib/report"]), @r"
     + chart   ./lib/chart
     + colour  ./lib/colour
     + report  ./lib/report
     + table   ./lib/table
    Installed 4 skills (project scope) in [TIME]
    Skillyard's own chat, MCP server and prompts leave out this project's skills until you run `skillyard trust .`
    ");
    assert_snapshot!(context.read("skills.toml"), @r#"
    [skills]
    report = "./lib/report"
    "#);
    assert_snapshot!(context.run(&["why", "colour"]), @r"
    success: true
    exit code: 0
    ----- stdout -----
    report → chart → colour
    report → table → colour
    ----- stderr -----
    ");
    assert_snapshot!(context.run(&["why", "report"]), @r"
    success: true
    exit code: 0
    ----- stdout -----
    skills.toml asks for it: ./lib/report
    ----- stderr -----
    ");
    assert_snapshot!(context.refused(&["why", "color"]), @r"
    error: `color` is not installed here

    hint: Did you mean `colour`?
    ");
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
    // What is asked for by itself stays when the others go.
    context.done(&["install", "./lib/table"]);
    assert_snapshot!(context.done(&["remove", "report"]), @r"
     - chart
     - report
    Removed 2 skills (project scope) in [TIME]
    ");
    assert_eq!(context.version_of("colour").as_deref(), Some("one"));
    assert_snapshot!(context.done(&["remove", "table"]), @r"
     - colour
     - table
    Removed 2 skills (project scope) in [TIME]
    ");
    assert_eq!(context.read("skills.lock").matches("[[skill]]").count(), 0);
}

#[test]
fn what_is_needed_in_a_repository_is_its_neighbour() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    repository.write(
        "skills/report/SKILL.md",
        needing("report", "one", "../chart"),
    );
    repository.write("skills/chart/SKILL.md", needing("chart", "one", ""));
    repository.commit("one");
    repository.git(&["tag", "v1.0.0"]);
    repository
        .write("skills/chart/SKILL.md", needing("chart", "two", ""))
        .commit("two");
    let server = git_http::serve(&context, repository.folder.parent().unwrap());
    let url = server.url("/remote.git");
    // Of the same state, because the two were made for each other.
    context.done(&[
        "install",
        &format!("git+{url}@v1.0.0#skills/report"),
        "--yes",
    ]);
    assert_eq!(context.version_of("chart").as_deref(), Some("one"));
    context.done(&["remove", "report"]);
    // Another repository, by its address.
    let other = Repository::new(&context, "other.git");
    other.write(
        "notes/SKILL.md",
        needing("notes", "one", &format!("git+{url}#skills/chart")),
    );
    other.commit("one");
    context.done(&[
        "install",
        &format!("git+{}#notes", server.url("/other.git")),
        "--yes",
    ]);
    assert_eq!(context.version_of("chart").as_deref(), Some("two"));
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
}

#[test]
fn strangers_may_not_name_paths_of_this_machine() {
    let context = project();
    context
        .write("secret.tar.gz", "x")
        .write("lib/secret/SKILL.md", needing("secret", "one", ""));
    let repository = Repository::new(&context, "remote.git");
    let server = git_http::serve(&context, repository.folder.parent().unwrap());
    let path = context.root().join("lib/secret");
    for requires in [
        path.display().to_string(),
        "~/secret".to_owned(),
        "secret.tar.gz".to_owned(),
        "lib/secret.skill".to_owned(),
        format!("file://{}", path.display()),
        format!("FILE://{}.git", path.display()),
        format!("git+file://{}", path.display()),
    ] {
        repository
            .write("notes/SKILL.md", needing("notes", "one", &requires))
            .commit("x");
        let told = context.refused(&[
            "install",
            &format!("git+{}#notes", server.url("/remote.git")),
            "--yes",
        ]);
        assert!(
            told.contains("a path of this machine"),
            "{requires}: {told}"
        );
    }
    for requires in ["../../secret", "../../../lib/secret"] {
        repository
            .write("notes/SKILL.md", needing("notes", "one", requires))
            .commit("x");
        let told = context.refused(&[
            "install",
            &format!("git+{}#notes", server.url("/remote.git")),
            "--yes",
        ]);
        assert!(
            told.contains("leads out of the source"),
            "{requires}: {told}"
        );
    }
    context.nothing_left();
}

#[test]
fn circles_conflicts_and_gaps_are_explained() {
    let context = library(&[
        ("a", "../b"),
        ("b", "../c"),
        ("c", "../a"),
        ("d", "../e"),
        ("f", "../g ../other/g"),
        ("g", ""),
    ]);
    context.write("lib/other/g/SKILL.md", needing("g", "two", ""));
    assert_snapshot!(context.refused(&["install", "./lib/a"]), @"error: these skills need each other in a circle: `a` → `b` → `c` → `a`");
    assert_snapshot!(context.refused(&["install", "./lib/d"]), @r"
    error: `d` needs `../e`, which cannot be had
      Caused by: `[DIR]/lib/d/../e` does not exist

    hint: Say in `requires-skills` of what needs it where it lies, in place of `../e`
    ");
    assert_snapshot!(context.refused(&["install", "./lib/f"]), @"error: `g` is needed from two sources: `f` → `g` from `./lib/g`, `f` → `g` from `./lib/other/g`");
    context.nothing_left();
}

#[test]
fn an_update_brings_what_is_newly_needed_and_drops_what_is_not() {
    let context = library(&[("report", "../chart"), ("chart", ""), ("table", "")]);
    context.done(&["install", "./lib/report"]);
    context.write("lib/report/SKILL.md", needing("report", "two", "../table"));
    context.done(&["update"]);
    assert_eq!(context.version_of("report").as_deref(), Some("two"));
    assert_eq!(context.version_of("table").as_deref(), Some("one"));
    // Nobody needs it any more.
    context.done(&["sync"]);
    assert_eq!(context.version_of("chart"), None);
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
}

#[test]
fn who_removes_what_others_need_hears_whom_they_came_for() {
    let context = library(&[
        ("report", "../chart"),
        ("chart", "../colour"),
        ("colour", ""),
    ]);
    context.done(&["install", "./lib/report"]);
    let told = context.refused(&["remove", "colour"]);
    assert!(told.contains("`colour` is needed by `chart`"), "{told}");
    // `chart` alone would be refused as well.
    assert!(told.contains("`skillyard remove report`"), "{told}");
    context.done(&["remove", "report"]);
    assert_eq!(context.version_of("colour"), None);
}

#[test]
fn what_others_need_is_not_removed() {
    let context = library(&[("report", "../chart"), ("chart", "")]);
    context.done(&["install", "./lib/report"]);
    let told = context.refused(&["remove", "chart"]);
    assert!(told.contains("`chart` is needed by `report`"), "{told}");
    // Who asked for it takes back the wish, and it stays for the other.
    context.done(&["install", "./lib/chart"]);
    let told = context.done(&["remove", "chart"]);
    assert!(told.contains("`chart` stays"), "{told}");
    assert!(context.version_of("chart").is_some());
    context.done(&["sync", "--locked", "--check"]);
    context.done(&["remove", "chart", "report"]);
    assert_eq!(context.version_of("chart"), None);
}

#[test]
fn a_lock_that_lacks_what_is_needed_is_completed() {
    let context = library(&[("report", "../chart"), ("chart", "")]);
    context.done(&["install", "./lib/report"]);
    let lock = context.read("skills.lock");
    let entries: Vec<&str> = lock.split("[[skill]]").collect();
    let without = entries
        .iter()
        .filter(|each| !each.contains("\"./lib/chart\""));
    let without: Vec<&str> = without.copied().collect();
    context.write("skills.lock", without.join("[[skill]]"));
    let told = context.refused(&["sync", "--locked"]);
    assert!(
        told.contains("`report` needs `chart`, which is not locked"),
        "{told}"
    );
    assert!(context.run(&["doctor"]).contains("`report` needs `chart`"));
    context.done(&["sync"]);
    assert_eq!(context.read("skills.lock"), lock);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn what_is_needed_is_outdated_and_updated_like_the_rest() {
    let context = library(&[("report", "../chart"), ("chart", "")]);
    context.done(&["install", "./lib/report"]);
    context.write("lib/chart/SKILL.md", needing("chart", "two", ""));
    assert!(context.run(&["outdated"]).contains("chart  "));
    // Named or not, it stays what others need.
    context.done(&["update", "chart", "--yes"]);
    assert_eq!(context.version_of("chart").as_deref(), Some("two"));
    context.done(&["sync", "--locked", "--check"]);
    // It goes once nobody needs it.
    context.write("lib/report/SKILL.md", needing("report", "two", ""));
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("chart"), None);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn what_is_newly_needed_goes_where_it_is_needed() {
    let context = library(&[("report", ""), ("chart", "../colour"), ("colour", "")]);
    context.done(&["install", "./lib/report", "--agent", "windsurf"]);
    context.write("lib/report/SKILL.md", needing("report", "two", "../chart"));
    context.done(&["update", "--yes"]);
    for name in ["chart", "colour"] {
        let file = format!(".windsurf/skills/{name}/SKILL.md");
        assert!(context.root().join(file).is_file(), "{name}");
        assert_eq!(context.version_of(name), None);
    }
}

#[test]
fn who_needs_what_is_left_out_is_left_out_too() {
    let context = library(&[
        ("app", "../part ../colour"),
        ("part", "../util"),
        ("util", ""),
        ("colour", ""),
        ("other", ""),
    ]);
    let own = ".agents/skills/util/SKILL.md";
    context.write(own, needing("util", "mine", ""));
    let command = ["install", "./lib/app", "./lib/other", "--skip-existing"];
    assert_snapshot!(context.done(&command), @r"
     + other  ./lib/other
       util  left out: `.agents/skills/util` is there already and was not installed by skillyard
       part  left out: `part` needs `util`, which is left out
       app  left out: `app` needs `part`, which is left out
    Installed 1 skill (project scope) in [TIME]
    Skillyard's own chat, MCP server and prompts leave out this project's skills until you run `skillyard trust .`
    ");
    assert_eq!(context.version_of("other").as_deref(), Some("one"));
    for name in ["app", "part", "colour"] {
        assert_eq!(context.version_of(name), None, "{name}");
    }
    for command in [
        &["sync"][..],
        &["sync", "--locked"],
        &["sync", "--offline"],
        &["update"],
    ] {
        context.done(command);
    }
    assert!(!context.read("skills.toml").contains("app"));
    // Where it is needed only later, what is there stays as it was.
    context.write("lib/other/SKILL.md", needing("other", "two", "../util"));
    let told = context.refused(&["update"]);
    assert!(
        told.contains("`.agents/skills/util` is there already"),
        "{told}"
    );
    assert!(told.contains("replace it with `--force`"), "{told}");
    assert!(
        !told.contains("--name") && !told.contains("--skip-existing"),
        "{told}"
    );
    assert_eq!(context.version_of("other").as_deref(), Some("one"));
    assert_eq!(context.version_of("util").as_deref(), Some("mine"));
    context.done(&["sync", "--locked", "--check", "--offline"]);
}
