//! What lies in an untrusted checkout decides neither what an MCP server runs nor which git does.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::project::project;
use crate::servers::git_http;
use crate::servers::repository::Repository;
use crate::{TestContext, output, text};

/// A checkout with a program that leaves a mark.
fn checkout(name: &str) -> (TestContext, PathBuf) {
    let context = project();
    let mark = context.outside("mark");
    fs::create_dir_all(context.outside("")).unwrap();
    context.write(name, format!("#!/bin/sh\npwd > '{}'\n", mark.display()));
    let file = context.root().join(name);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    (context, mark)
}

#[test]
fn a_server_starts_in_a_project_only_where_it_is_trusted() {
    let (context, mark) = checkout("server.sh");
    let server = "[mcp.servers.local]\ncommand = 'sh'\nargs = ['server.sh']\n";
    context.configure(server);
    context.refused(&["mcp", "test", "local"]);
    context.done(&["chat", "--mcp", "local", "-p", "hello"]);
    assert!(!mark.exists());
    // Where somebody says so, it does.
    context.configure(&format!("{server}folder = '.'\n"));
    context.refused(&["mcp", "test", "local"]);
    let current = context.root().canonicalize().unwrap();
    let started = || PathBuf::from(fs::read_to_string(&mark).unwrap().trim_end());
    assert_eq!(started(), current);
    fs::remove_file(&mark).unwrap();
    context.configure(server);
    context.done(&["trust", "."]);
    context.refused(&["mcp", "test", "local"]);
    assert_eq!(started(), current);
}

#[test]
fn a_server_starts_in_a_folder_of_our_own_or_in_the_one_that_is_named() {
    let (context, mark) = checkout("server.sh");
    let program = context.root().join("server.sh");
    let server = format!("[mcp.servers.local]\ncommand = {program:?}\n");
    context.configure(&server);
    context.refused(&["mcp", "test", "local"]);
    let started = || PathBuf::from(fs::read_to_string(&mark).unwrap().trim_end());
    let own = context.in_home(".skillyard/mcp-servers");
    assert_eq!(started(), own.canonicalize().unwrap());
    assert_eq!(own.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    fs::create_dir_all(context.in_home("work")).unwrap();
    context.configure(&format!("{server}folder = '~/work'\n"));
    context.refused(&["mcp", "test", "local"]);
    assert_eq!(started(), context.in_home("work").canonicalize().unwrap());
    context.configure(&format!("{server}folder = '/nowhere/at-all'\n"));
    let told = context.refused(&["mcp", "test", "local"]);
    assert!(told.contains("`/nowhere/at-all` does not exist"), "{told}");
    // A program without a root is one of the folder that it starts in.
    context.configure("[mcp.servers.local]\ncommand = './server.sh'\n");
    let told = context.refused(&["mcp", "test", "local"]);
    assert!(told.contains("mcp.servers.local.folder"), "{told}");
}

#[test]
fn folders_of_the_path_without_a_root_choose_no_program() {
    for name in ["git", "ssh"] {
        let (context, mark) = checkout(&format!("bin/{name}"));
        let repository = Repository::with_pdf(&context);
        let server = git_http::serve(&context, repository.folder.parent().unwrap());
        let http = format!("git+{}#skills/pdf", server.url("/remote.git"));
        for reference in [&*http, "ssh://git@127.0.0.1:1/remote.git#skills/pdf"] {
            let mut command = context.skillyard();
            command.env("PATH", "./bin:bin:/usr/local/bin:/usr/bin:/bin");
            let output = output(command.args(["install", reference, "--yes"]));
            let is_there = output.status.success();
            assert_eq!(is_there, *reference == *http, "{}", text(&output.stderr));
            assert!(!mark.exists(), "{name} for {reference}");
        }
        assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    }
}
