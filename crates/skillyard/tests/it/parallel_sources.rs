//! Sources that are asked at once, and told in the same order whoever answers first.

use std::fs;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::project::project;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::skill;
use crate::support::{gzip, tar};
use crate::{TestContext, output, text};

const NAMES: [&str; 3] = ["one", "three", "two"];

/// Requests that are answered once as many wait as there are sources.
#[derive(Default)]
struct Crowd {
    waiting: Mutex<usize>,
    changed: Condvar,
}

impl Crowd {
    /// Whether all came; whoever comes alone is answered after a while, too.
    fn is_complete(&self) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting += 1;
        self.changed.notify_all();
        let too_few = |waiting: &mut usize| *waiting < NAMES.len();
        let waited = self
            .changed
            .wait_timeout_while(waiting, Duration::from_secs(5), too_few);
        !waited.unwrap().1.timed_out()
    }

    fn disperse(&self) {
        *self.waiting.lock().unwrap() = 0;
    }
}

/// Archives of skills that are given out only to who asks for all at once.
fn archives(crowd: &Arc<Crowd>) -> Server {
    let crowd = Arc::clone(crowd);
    Server::start(move |asked| {
        let name = asked.path().trim_matches('/').trim_end_matches(".tar.gz");
        if !crowd.is_complete() {
            return Reply::status(404);
        }
        let text = skill(name, "one");
        Reply::ok(gzip(&tar::tar(&[tar::file("SKILL.md", text.as_bytes())])))
    })
}

fn install(context: &TestContext, server: &Server) {
    let urls = NAMES.map(|name| server.url(&format!("/{name}.tar.gz")));
    let urls = urls.iter().map(String::as_str);
    let arguments: Vec<&str> = ["install", "--yes"].into_iter().chain(urls).collect();
    context.done(&arguments);
}

#[test]
fn several_sources_are_asked_at_once() {
    let crowd = Arc::new(Crowd::default());
    let server = archives(&crowd);
    let context = project();
    install(&context, &server);
    for command in [&["outdated"][..], &["update", "--yes"]] {
        crowd.disperse();
        assert_eq!(context.code(command), Some(0), "{command:?}");
    }
    // As on another machine, with what is locked and without.
    let lock = context.root().join("skills.lock");
    for has_lock in [true, false] {
        crowd.disperse();
        if !has_lock {
            fs::remove_file(&lock).unwrap();
        }
        fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
        fs::remove_dir_all(context.root().join(".agents")).unwrap();
        context.done(&["sync", "--yes"]);
        for name in NAMES {
            let path = format!(".agents/skills/{name}/SKILL.md");
            assert!(context.read(&path).contains(name), "{path}");
        }
    }
}

#[test]
fn a_server_that_is_away_is_waited_for_once() {
    let crowd = Arc::new(Crowd::default());
    let server = archives(&crowd);
    let context = project();
    install(&context, &server);
    drop(server);
    let told = output(context.skillyard().arg("outdated"));
    assert_eq!(told.status.code(), Some(2));
    let told = text(&told.stderr);
    let failed = told.lines().filter(|line| line.starts_with(" ! "));
    let names: Vec<&str> = failed
        .filter_map(|line| line.split([' ', ':']).nth(2))
        .collect();
    assert_eq!(names, NAMES, "{told}");
    // Three ask at the same time, and each of them waits; nobody does so afterwards.
    let waits = told.matches("; trying again in").count();
    assert!(waits <= NAMES.len(), "{told}");
}
