//! A copy of a skill, byte for byte, is not the skill: another source does not get it by being needed.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex};

use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use crate::TestContext;
use crate::project::project;
use crate::servers::git_http;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::{Repository, skill};

const SCRIPT: &str = "print('hi')\n";

/// The text of a skill that needs others.
fn needing(name: &str, requires: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Use when {name}.\nmetadata:\n  skillyard.requires-skills: \"{requires}\"\n---\n\none\n"
    )
}

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let files: Vec<PackFile<'_>> = files
        .iter()
        .map(|(path, content)| PackFile {
            path,
            mode: Mode::Plain,
            content: content.as_bytes(),
        })
        .collect();
    pack(&files, PackFormat::Zip, &Limits::skill()).unwrap()
}

/// The skill `tool` with a script.
fn tool(version: &str) -> Vec<u8> {
    let text = skill("tool", version);
    archive(&[("SKILL.md", &text), ("scripts/a.py", SCRIPT)])
}

/// Archives by their paths.
type Archives = Arc<Mutex<HashMap<String, Vec<u8>>>>;

/// A server of archives that change.
struct Web {
    server: Server,
    files: Archives,
}

impl Web {
    fn start() -> Self {
        let files = Archives::default();
        let known = Arc::clone(&files);
        let server = Server::start(move |asked| {
            let files = known.lock().unwrap();
            let found = files.get(asked.path());
            found.map_or_else(|| Reply::status(404), |bytes| Reply::ok(bytes.clone()))
        });
        Self { server, files }
    }

    fn put(&self, path: &str, bytes: Vec<u8>) -> String {
        self.files.lock().unwrap().insert(path.to_owned(), bytes);
        self.server.url(path)
    }
}

/// A repository with the same skill.
fn repository(context: &TestContext) -> (Server, String) {
    let repository = Repository::new(context, "remote.git");
    repository.skill("tool", "one");
    repository.write("tool/scripts/a.py", SCRIPT).commit("one");
    let server = git_http::serve(context, repository.folder.parent().unwrap());
    let reference = format!("git+{}#tool", server.url("/remote.git"));
    (server, reference)
}

/// Where the lock says that a skill is from.
fn source_of(context: &TestContext, name: &str) -> String {
    let lock: toml::Table = context.read("skills.lock").parse().unwrap();
    let skills = lock["skill"].as_array().unwrap();
    let entry = skills
        .iter()
        .find(|each| each["name"].as_str() == Some(name));
    entry.unwrap()["source"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_needed_does_not_lift_a_block() {
    let context = project();
    let web = Web::start();
    let (_server, git) = repository(&context);
    let url = web.put("/tool.zip", tool("one"));
    context.done(&["install", &url, "--yes"]);
    context.done(&["trust", "."]);
    let run = ["run", "tool", "scripts/a.py", "--yes"];
    assert!(context.refused(&run).contains("blocked"));
    let lock = context.read("skills.lock");
    let up = web.put("/up.zip", archive(&[("SKILL.md", &needing("up", &git))]));
    let told = context.done(&["install", &up, "--yes"]);
    assert!(!told.contains("~ tool"), "{told}");
    assert_eq!(source_of(&context, "tool"), url);
    assert!(context.refused(&run).contains("blocked"));
    // Nothing but what needs it was added, and it is needed from then on.
    let tool = lock
        .split("[[skill]]")
        .find(|each| each.contains("\"tool\""));
    assert!(context.read("skills.lock").contains(tool.unwrap()));
    context.done(&["sync", "--locked", "--check"]);
    let told = context.done(&["remove", "tool"]);
    assert!(
        told.contains("`tool` stays, because others need it"),
        "{told}"
    );
}

#[test]
fn what_is_needed_does_not_decide_where_updates_come_from() {
    let context = project();
    let web = Web::start();
    let (_server, git) = repository(&context);
    context.done(&["install", &git, "--yes"]);
    let copy = web.put("/tool.zip", tool("one"));
    let helper = needing("helper", &copy);
    let helper = web.put("/helper.zip", archive(&[("SKILL.md", &helper)]));
    context.done(&["install", &helper, "--yes"]);
    assert_eq!(source_of(&context, "tool"), git);
    // Once the copy is another one there are two of that name.
    web.put("/tool.zip", tool("evil"));
    for command in [
        &["update", "helper", "--yes"][..],
        &["update", "--yes"],
        &["install", &helper, "--yes"],
    ] {
        context.run(command);
        assert_eq!(context.version_of("tool").as_deref(), Some("one"));
        assert_eq!(source_of(&context, "tool"), git, "{command:?}");
    }
    context.done(&["remove", "helper"]);
    assert_eq!(source_of(&context, "tool"), git);
}

#[test]
fn a_copy_does_not_bring_neighbours_of_its_own() {
    let context = project();
    let app = needing("app", "../part");
    for (place, version) in [("mine", "one"), ("theirs", "evil")] {
        context.write(&format!("{place}/app/SKILL.md"), &app);
        context.write(&format!("{place}/part/SKILL.md"), skill("part", version));
    }
    context.write("theirs/up/SKILL.md", needing("up", "../app"));
    context.done(&["install", "./mine/app"]);
    context.done(&["install", "./theirs/up"]);
    assert_eq!(context.version_of("part").as_deref(), Some("one"));
    assert_eq!(source_of(&context, "app"), "./mine/app");
    assert_eq!(source_of(&context, "part"), "./mine/part");
    // Nor by naming them.
    context.write("theirs/up/SKILL.md", needing("up", "../app ../part"));
    let told = context.refused(&["update", "up", "--yes"]);
    assert!(told.contains("./mine/part"), "{told}");
    assert_eq!(context.version_of("part").as_deref(), Some("one"));
    context.done(&["sync", "--locked", "--check", "--offline"]);
}

#[test]
fn what_is_there_for_others_alone_goes_where_they_say() {
    let context = project();
    for place in ["old", "new"] {
        context.write(&format!("{place}/part/SKILL.md"), skill("part", "one"));
    }
    context.write("app/SKILL.md", needing("app", "../old/part"));
    context.write("other/SKILL.md", needing("other", "../old/part"));
    context.done(&["install", "./app", "./other"]);
    context.write("app/SKILL.md", needing("app", "../new/part"));
    context.done(&["update", "app", "--yes"]);
    assert_eq!(source_of(&context, "part"), "./old/part");
    context.done(&["update", "--yes"]);
    assert_eq!(source_of(&context, "part"), "./old/part");
    context.write("other/SKILL.md", needing("other", "../new/part"));
    context.done(&["update", "--yes"]);
    assert_eq!(source_of(&context, "part"), "./new/part");
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn who_names_another_source_is_asked_about_it() {
    let context = project();
    let web = Web::start();
    let (_server, git) = repository(&context);
    let url = web.put("/tool.zip", tool("one"));
    context.done(&["install", &git, "--yes"]);
    let told = context.refused(&["install", &url]);
    assert!(told.contains(&format!("Source: {url}")), "{told}");
    assert!(told.contains("Trust level: UNTRUSTED"), "{told}");
    assert_eq!(source_of(&context, "tool"), git);
    context.done(&["install", &url, "--yes"]);
    assert_eq!(source_of(&context, "tool"), url);
}

#[test]
fn strangers_may_not_name_addresses_of_this_machine_or_around_it() {
    let context = project();
    let inner = Server::start(|_| Reply::status(404));
    let here = inner.url("/x.zip");
    let port = inner.authority().replace("127.0.0.1", "");
    let folder = context.outside("");
    fs::create_dir_all(&folder).unwrap();
    for (requires, place) in [
        (here.clone(), "on this machine"),
        (format!("http://localhost{port}/x"), "on this machine"),
        (
            format!("git+http://127.0.0.1{port}/x.git"),
            "on this machine",
        ),
        (format!("ssh://git@127.1{port}/x.git"), "on this machine"),
        ("git@localhost:x.git".into(), "on this machine"),
        ("http://169.254.169.254/x.zip".into(), "in your own network"),
        ("git+ssh://git@10.0.0.1/x.git".into(), "in your own network"),
    ] {
        let file = folder.join("helper.zip");
        fs::write(
            &file,
            archive(&[("SKILL.md", &needing("helper", &requires))]),
        )
        .unwrap();
        let told = context.refused(&["install", file.to_str().unwrap(), "--yes"]);
        assert!(told.contains("may not name"), "{requires}: {told}");
        assert!(told.contains(place), "{requires}: {told}");
    }
    assert!(inner.asked().is_empty());
    context.nothing_left();
    // Your own skill may.
    context.write("own/SKILL.md", needing("own", &here));
    let told = context.refused(&["install", "./own", "--yes"]);
    assert!(told.contains("cannot be had"), "{told}");
    assert_eq!(inner.asked().len(), 1);
}
