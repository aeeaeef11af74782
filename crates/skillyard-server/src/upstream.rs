//! Skills that other servers publish, offered further under the name of their server.
//!
//! `skill://mcp:SERVER/NAME/…` cannot be the address of a skill of this machine, and every file has
//! been compared with what its server listed before it is passed on.

mod inquiry;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use parking_lot::Mutex;
use skillyard_agent::mcp_client::{
    McpError, PublishedFile, PublishedSkill, ServerChange, Servers, Skills, Tools,
};
use skillyard_format::package::{Digest, TreeDigest};
use tokio::sync::watch;

use self::inquiry::{Inquiries, Inquiry};
use crate::problem::Problem;

/// How long a list is fresh.
const FRESH: Duration = Duration::from_secs(30);
/// How many bytes of files are kept.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The file that every skill of the extension begins with.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// The files of a skill, each as it was listed.
pub(crate) type SkillFiles = Arc<Vec<(PublishedFile, Vec<u8>)>>;

/// The skills that servers listed, and when.
type Listed = Arc<Mutex<HashMap<String, (Instant, Arc<Skills>)>>>;

/// Other servers, and what is known of their skills.
pub(crate) struct Upstream {
    pub(crate) servers: Arc<Servers>,
    listed: Listed,
    fetched: Mutex<HashMap<Digest, SkillFiles>>,
    changes: Arc<watch::Sender<u64>>,
    asked_tools: Arc<Inquiries<Arc<Tools>>>,
    asked_skills: Arc<Inquiries<Arc<Skills>>>,
}

impl Upstream {
    /// Starts all servers in the background, so that the first who asks need not wait for them.
    pub(crate) fn new(servers: Arc<Servers>) -> Self {
        let changes = Arc::new(watch::channel(0).0);
        let told = Arc::clone(&changes);
        let tell = move || told.send_modify(|count| *count += 1);
        let change = tell.clone();
        servers.on_change(move |_: &str, _: ServerChange| change());
        let upstream = Self {
            servers,
            listed: Arc::default(),
            fetched: Mutex::default(),
            changes,
            asked_tools: Inquiries::new(tell.clone()),
            asked_skills: Inquiries::new(tell),
        };
        upstream.ask_for_tools();
        upstream.ask_for_skills();
        upstream
    }

    /// Tells of changes at any of them from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The tools of all servers that answer in time, in the order of the servers.
    pub(crate) fn tools(&self) -> Vec<Arc<Tools>> {
        let asked = self.ask_for_tools();
        asked.iter().filter_map(|each| each.answer()).collect()
    }

    /// All skills that can be checked, of the servers that answer in time, in their order.
    pub(crate) fn skills(&self) -> Vec<PublishedSkill> {
        let asked = self.ask_for_skills();
        let lists = asked.iter().filter_map(|each| each.answer());
        lists.flat_map(|list| list.skills.clone()).collect()
    }

    /// The skills that were listed last, of servers that have answered, without asking again.
    pub(crate) fn known(&self) -> Vec<PublishedSkill> {
        let listed = self.listed.lock();
        let lists = self.servers.names().filter_map(|name| listed.get(name));
        lists.flat_map(|(_, list)| list.skills.clone()).collect()
    }

    /// Asks all servers at once.
    fn ask_for_tools(&self) -> Vec<Arc<Inquiry<Arc<Tools>>>> {
        let names = self.servers.names().map(|name| {
            let (servers, server) = (Arc::clone(&self.servers), name.to_owned());
            self.asked_tools.begin(name, move || {
                servers.tools(&server, &AtomicBool::new(false)).ok()
            })
        });
        names.collect()
    }

    /// Asks all servers for their skills; a list stays fresh for a while.
    fn ask_for_skills(&self) -> Vec<Arc<Inquiry<Arc<Skills>>>> {
        let names = self.servers.names().map(|name| {
            let (servers, server) = (Arc::clone(&self.servers), name.to_owned());
            let listed = Arc::clone(&self.listed);
            self.asked_skills.begin(name, move || {
                let known = listed.lock().get(&server).cloned();
                if let Some((since, skills)) = known
                    && since.elapsed() < FRESH
                {
                    return Some(skills);
                }
                let skills = servers.skills(&server, &AtomicBool::new(false)).ok()?;
                let skills = Arc::new(skills);
                let entry = (Instant::now(), Arc::clone(&skills));
                listed.lock().insert(server, entry);
                Some(skills)
            })
        });
        names.collect()
    }

    /// Every file of a skill, checked.
    pub(crate) fn files(&self, skill: &PublishedSkill) -> Result<SkillFiles, Problem> {
        let key = skill.fingerprint();
        if let Some(files) = self.fetched.lock().get(&key) {
            return Ok(Arc::clone(files));
        }
        let files = self.servers.fetch(skill, &AtomicBool::new(false));
        let unreachable =
            |error: McpError| Problem::new(StatusCode::BAD_GATEWAY, error.to_string());
        let files = Arc::new(files.map_err(unreachable)?);
        let mut fetched = self.fetched.lock();
        let size = |files: &SkillFiles| files.iter().map(|(file, _)| file.size).sum::<u64>();
        if fetched.values().map(size).sum::<u64>() + size(&files) > MAX_BYTES {
            fetched.clear();
        }
        fetched.insert(key, Arc::clone(&files));
        Ok(files)
    }
}

/// What a file holds.
pub(crate) fn content<'a>(files: &'a SkillFiles, path: &str) -> Option<&'a [u8]> {
    let found = files.iter().find(|(file, _)| file.path == path);
    found.map(|(_, bytes)| bytes.as_slice())
}

/// The digest of all files together.
pub(crate) fn digest(files: &SkillFiles) -> String {
    let mut digest = TreeDigest::default();
    for (file, _) in files.iter() {
        digest.add(&file.path, false, file.digest);
    }
    digest.finish().to_string()
}
