//! Fetchers against real servers on loopback.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod archive_url;
mod github;
mod gitlab;
mod http;
mod registry;
mod server;
mod well_known;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use secrecy::SecretString;
use skillyard_install::fetch::Transfer;
use skillyard_install::fetch::http::{Header, Http, HttpSettings, Retry};
use skillyard_install::reference::{Reference, ReferenceContext};
use tempfile::TempDir;

/// A client, a quarantine folder, and what the client waited for.
struct Bench {
    http: Http,
    folder: TempDir,
    waits: Arc<Mutex<Vec<Duration>>>,
}

impl Bench {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut HttpSettings)) -> Self {
        let waits = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&waits);
        let mut settings = HttpSettings {
            retry: Retry {
                pauses: vec![Duration::from_millis(1), Duration::from_millis(2)],
                longest_wait: Duration::from_secs(5),
                sleep: Arc::new(move |pause| log.lock().unwrap().push(pause)),
                ..Retry::default()
            },
            ..HttpSettings::default()
        };
        change(&mut settings);
        Self {
            http: Http::new(settings),
            folder: tempfile::tempdir().unwrap(),
            waits,
        }
    }

    fn transfer(&self) -> Transfer<'_> {
        Transfer {
            http: &self.http,
            folder: self.folder.path(),
            limit: 100_000,
            progress: &(),
        }
    }

    fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }

    /// Every file and folder in the quarantine.
    fn left(&self) -> Vec<String> {
        let mut left = Vec::new();
        walk(self.folder.path(), self.folder.path(), &mut left);
        left.sort();
        left
    }

    #[track_caller]
    fn nothing_left(&self) {
        assert_eq!(self.left(), Vec::<String>::new());
    }
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        found.push(path.strip_prefix(root).unwrap().display().to_string());
        if path.is_dir() {
            walk(root, &path, found);
        }
    }
}

fn parse(text: &str) -> Reference {
    Reference::parse(text, &ReferenceContext::default()).unwrap()
}

fn header(text: &str) -> Header {
    Header::parse(&SecretString::from(text)).unwrap()
}

/// A message with all its causes.
fn full(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = format!("{error} {error:?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        write!(text, ": {error} {error:?}").unwrap();
        cause = error.source();
    }
    text
}
