//! Folders in which a process works: nobody else removes them, and none stays for long.

use std::fs;
use std::process::Command;
use std::sync::Mutex;

use skillyard_format::package::pack::PackFormat;

use crate::output;
use crate::project::{packed, project};
use crate::servers::http::{Reply, Server};

#[test]
fn the_collector_leaves_a_download_in_progress_alone() {
    let context = project();
    let mut collect: Command = context.skillyard();
    collect.args(["store", "gc"]);
    let collect = Mutex::new(collect);
    // While the client waits for its archive, somebody collects.
    let server = Server::start(move |_| {
        let collected = output(&mut collect.lock().unwrap());
        assert!(collected.status.success());
        Reply::ok(packed("pdf/", "one", PackFormat::Zip))
    });
    context.done(&["install", &server.url("/pdf.zip"), "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn what_a_killed_process_left_is_swept_by_the_next() {
    let context = project();
    let server = Server::serve([(
        "/pdf.zip",
        Reply::ok(packed("pdf/", "one", PackFormat::Zip)),
    )]);
    let staging = context.in_home(".skillyard/store/staging");
    let leave = || {
        let left = staging.join(".tmpLEFT");
        fs::create_dir_all(left.join("git/objects")).unwrap();
        fs::write(left.join("archive"), "half").unwrap();
    };
    leave();
    context.done(&["install", &server.url("/pdf.zip"), "--yes"]);
    assert_eq!(context.staging(), Vec::<String>::new());
    for command in [&["sync"][..], &["remove", "pdf"], &["doctor"]] {
        leave();
        context.run(command);
        assert_eq!(context.staging(), Vec::<String>::new(), "{command:?}");
    }
}

#[test]
fn an_empty_project_is_said_to_be_empty() {
    let context = project();
    for command in ["sync", "update"] {
        let told = context.done(&[command]);
        assert_eq!(told, "No skills are installed (project scope)\n");
    }
}
