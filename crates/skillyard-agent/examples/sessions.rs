//! How fast sessions are listed and resumed: `cargo run --release -p skillyard-agent --example sessions`.
//!
//! A thousand sessions of fifty messages each are kept in a new file; the middle of a hundred
//! repeats is printed.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "this program is for people who measure"
)]

use std::collections::BTreeMap;
use std::time::Instant;

use jiff::Timestamp;
use skillyard_agent::message::Message;
use skillyard_agent::prompt::Prompt;
use skillyard_agent::session::{Session, SessionStore};
use skillyard_agent::settings::AgentSettings;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let store = SessionStore::open(&folder.path().join("sessions.db")).unwrap();
    let text = "word ".repeat(40);
    let mut last = String::new();
    let start = Instant::now();
    for _ in 0..1000 {
        let mut session =
            Session::new(None, String::from("/work"), prompt(), Timestamp::now()).unwrap();
        session.messages = (0..50).map(|_| Message::user(&text)).collect();
        store.save(&mut session, Timestamp::now()).unwrap();
        last = session.id;
    }
    println!(
        "keep a session:          {:>8.2} ms",
        start.elapsed().as_secs_f64()
    );
    told("list the last 100:", || {
        assert_eq!(store.list(100).unwrap().len(), 100);
    });
    told("list all 1,000:", || {
        assert_eq!(store.list(1000).unwrap().len(), 1000);
    });
    told("resume by name:", || {
        assert_eq!(store.load(&last).unwrap().messages.len(), 50);
    });
    told("resume the last:", || {
        assert_eq!(store.load("last").unwrap().id, last);
    });
}

fn prompt() -> Prompt {
    Prompt {
        system: String::from("You help."),
        tools: Vec::new(),
        settings: AgentSettings::default(),
        catalog: String::new(),
        skills: Vec::new(),
        omitted: Vec::new(),
        published: BTreeMap::new(),
        installed: BTreeMap::new(),
    }
}

/// Prints the middle of a hundred repeats.
fn told(what: &str, work: impl Fn()) {
    let mut times: Vec<_> = (0..100)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("{what:<24} {:>8.2} ms", times[50].as_secs_f64() * 1_000.0);
}
