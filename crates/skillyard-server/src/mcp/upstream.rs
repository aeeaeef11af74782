//! Skills that other servers publish, offered further under the name of their server.
//!
//! `skill://mcp:SERVER/NAME/…` cannot be the address of a skill of this machine, and every file has
//! been compared with what its server listed before it is passed on.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use skillyard_catalog::resource::ReadLimits;
use skillyard_format::package::{Digest, TreeDigest};
use skillyard_format::render::activation::{self, Activation};
use skillyard_format::render::arguments::{Arguments, substitute};
use skillyard_format::{Document, Skill};
use skillyard_mcp::{Change, McpError, PublishedFile, PublishedSkill, Servers, Skills, Tools};
use skillyard_trust::guard::{ActiveSkill, ToolList};
use tokio::sync::watch;

use super::inquiry::{Inquiries, Inquiry};
use crate::contents::part;
use crate::problem::Problem;
use crate::tool::{Answer, ReadInput, told};

/// How long a list is believed.
const FRESH: Duration = Duration::from_secs(30);
/// How many bytes of files are kept.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The file that every skill of the extension begins with.
pub(super) const OWN: &str = "SKILL.md";

/// The files of a skill, each as it was listed.
pub(super) type Files = Arc<Vec<(PublishedFile, Vec<u8>)>>;

/// The skills that servers listed, and when.
type Listed = Arc<Mutex<HashMap<String, (Instant, Arc<Skills>)>>>;

/// Other servers, and what is known of their skills.
pub(crate) struct Upstream {
    pub(super) servers: Arc<Servers>,
    listed: Listed,
    fetched: Mutex<HashMap<Digest, Files>>,
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
        servers.on_change(move |_: &str, _: Change| change());
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
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The tools of all servers that answer in time, in the order of the servers.
    pub(super) fn tools(&self) -> Vec<Arc<Tools>> {
        let asked = self.ask_for_tools();
        asked.iter().filter_map(|each| each.answer()).collect()
    }

    /// All skills that can be checked, of the servers that answer in time, in their order.
    pub(super) fn skills(&self) -> Vec<PublishedSkill> {
        let asked = self.ask_for_skills();
        let lists = asked.iter().filter_map(|each| each.answer());
        lists.flat_map(|list| list.skills.clone()).collect()
    }

    /// The skills that were listed last, of whoever has answered, without asking again.
    pub(super) fn known(&self) -> Vec<PublishedSkill> {
        let listed = locked(&self.listed);
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

    /// The same; a list is believed for a while.
    fn ask_for_skills(&self) -> Vec<Arc<Inquiry<Arc<Skills>>>> {
        let names = self.servers.names().map(|name| {
            let (servers, server) = (Arc::clone(&self.servers), name.to_owned());
            let listed = Arc::clone(&self.listed);
            self.asked_skills.begin(name, move || {
                let known = locked(&listed).get(&server).cloned();
                if let Some((since, skills)) = known
                    && since.elapsed() < FRESH
                {
                    return Some(skills);
                }
                let skills = servers.skills(&server, &AtomicBool::new(false)).ok()?;
                let skills = Arc::new(skills);
                let entry = (Instant::now(), Arc::clone(&skills));
                locked(&listed).insert(server, entry);
                Some(skills)
            })
        });
        names.collect()
    }

    /// Every file of a skill, checked.
    pub(super) fn files(&self, skill: &PublishedSkill) -> Result<Files, Problem> {
        let key = skill.fingerprint();
        if let Some(files) = locked(&self.fetched).get(&key) {
            return Ok(Arc::clone(files));
        }
        let files = self.servers.fetch(skill, &AtomicBool::new(false));
        let unreachable =
            |error: McpError| Problem::new(StatusCode::BAD_GATEWAY, error.to_string());
        let files = Arc::new(files.map_err(unreachable)?);
        let mut fetched = locked(&self.fetched);
        let size = |files: &Files| files.iter().map(|(file, _)| file.size).sum::<u64>();
        if fetched.values().map(size).sum::<u64>() + size(&files) > MAX_BYTES {
            fetched.clear();
        }
        fetched.insert(key, Arc::clone(&files));
        Ok(files)
    }

    /// A skill's instructions for a model, with at most so many bytes of its own file.
    pub(super) fn load(
        &self,
        skill: &PublishedSkill,
        arguments: &str,
        most: usize,
    ) -> Result<Answer, Problem> {
        let files = self.files(skill)?;
        let bytes = content(&files, OWN).unwrap_or_default();
        let document = Document::parse(bytes);
        let name = skill.known_as();
        let directory = root(skill);
        let digest = digest(&files);
        let others = files.iter().map(|(file, _)| file.path.clone());
        let others: Vec<String> = others.filter(|path| path != OWN).collect();
        let whole = std::str::from_utf8(bytes).unwrap_or(&document.text);
        let portion = activation::portion(whole, document.body(), OWN, most);
        let arguments = Arguments::of(&document, arguments);
        let body = substitute(&portion.text, &arguments, &directory);
        let parsed = Skill::from_document(&document, Some(&skill.name));
        let compatibility = parsed.as_ref().and_then(Skill::stated_compatibility);
        let text = activation::render(&Activation {
            name: &name,
            digest: &digest,
            origin: &format!("the MCP server {}, {}", skill.server, skill.uri),
            third_party: true,
            compatibility: compatibility.as_deref(),
            directory: &directory,
            body: &body,
            resources: &others,
        });
        let mut answer = Answer::new(text, None);
        answer.loaded = Some((active(skill, &document), digest));
        Ok(answer)
    }

    /// A part of a file of a skill, for a model.
    pub(super) fn read(
        &self,
        skill: &PublishedSkill,
        input: &ReadInput,
        limits: ReadLimits,
    ) -> Result<Answer, Problem> {
        let files = self.files(skill)?;
        let bytes = content(&files, &input.path);
        let bytes = bytes.ok_or_else(|| Problem::bad("the skill has no such file"))?;
        let read = part(&input.path, bytes, input.range()?, limits)?;
        Ok(told(&skill.known_as(), true, read))
    }
}

/// What a skill of another server lets tools do: its list of allowed ones would widen what other
/// skills allow, so it does not count.
pub(super) fn active(skill: &PublishedSkill, document: &Document<'_>) -> ActiveSkill {
    let parsed = Skill::from_document(document, Some(&skill.name));
    let disallowed = parsed.map(|parsed| ActiveSkill::of(&parsed, None).disallowed);
    ActiveSkill {
        name: skill.known_as(),
        folder: None,
        allowed: ToolList::Absent,
        disallowed: disallowed.unwrap_or(ToolList::Unreadable),
    }
}

/// What a file holds.
pub(super) fn content<'a>(files: &'a Files, path: &str) -> Option<&'a [u8]> {
    let found = files.iter().find(|(file, _)| file.path == path);
    found.map(|(_, bytes)| bytes.as_slice())
}

/// The digest of all files together.
pub(super) fn digest(files: &Files) -> String {
    let mut digest = TreeDigest::default();
    for (file, _) in files.iter() {
        digest.add(&file.path, false, file.digest);
    }
    digest.finish().to_string()
}

/// The address of a skill here.
pub(super) fn root(skill: &PublishedSkill) -> String {
    format!(
        "{}/{}",
        super::uri::root(&format!("mcp:{}", skill.server)),
        super::uri::encoded(&skill.name)
    )
}

/// The name of the skill that an address here leads to, and the path in it.
pub(super) fn named(name: &str, path: &str) -> Option<(String, String)> {
    let server = name.strip_prefix("mcp:")?;
    let (skill, path) = path.split_once('/').unwrap_or((path, ""));
    Some((format!("{server}:{skill}"), path.to_owned()))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
