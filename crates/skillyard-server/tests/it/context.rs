//! A server over a temporary folder of skills.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use serde_json::Value;
use skillyard_agent::mcp_client::Servers;
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::resource::{ReadLimits, SkillRoot, digest};
use skillyard_catalog::selection::{Layer, NamePattern, Selection};
use skillyard_catalog::surroundings::Surroundings;
use skillyard_catalog::{Catalog, CatalogSettings, CatalogSkill, ProjectTrust, Status};
use skillyard_format::package::Digest;
use skillyard_server::{
    Access, Alteration, Executed, Holder, Host, HostError, Installation, LogLine, MountedRegistry,
    Order, Proxy, Ran, Readers, Refusal, Runs, ScriptRun, Server, Settings, SkillTrust, Switch,
    Tokens, router,
};
use skillyard_trust::guard::{ActiveSkill, GuardDecision, GuardEnvironment, GuardRequest, check};
use tempfile::TempDir;
use tower::ServiceExt as _;

use crate::desk::Desk;

/// Where all skills came from, as their machine says.
pub(crate) const SOURCE: &str = "/srv/clients/acme";
pub(crate) const READ: &str = "read-token-0123456789abcdef";
pub(crate) const CHAT: &str = "chat-token-0123456789abcdef";
pub(crate) const OTHER: &str = "other-token-0123456789abcdef";
pub(crate) const RUN: &str = "run-token-0123456789abcdef";
pub(crate) const ADMIN: &str = "admin-token-0123456789abcdef";

/// A machine with a folder of skills and nothing else.
pub(crate) struct Machine {
    pub(crate) home: PathBuf,
    audit: PathBuf,
    /// What else it can name.
    pub(crate) places: Mutex<Vec<PathBuf>>,
    disabled: Mutex<Vec<String>>,
    pub(crate) events: Mutex<Vec<Event>>,
    /// What was installed, by name.
    pub(crate) installed: Mutex<BTreeMap<String, Digest>>,
    upstream: Option<Arc<Servers>>,
    runs: Runs,
    /// The scripts that were run.
    pub(crate) ran: Mutex<Vec<String>>,
    /// Whether scripts run without a question, as the user's own do.
    pub(crate) never_asks: AtomicBool,
    /// Whether skills are turned off.
    pub(crate) off: AtomicBool,
    /// Whether skills are held back, for a reason that names a place.
    pub(crate) holds_back: AtomicBool,
    /// Whether it fails in the middle of telling how far a skill is trusted.
    pub(crate) panics: AtomicBool,
    /// Whether nothing more can be recorded.
    pub(crate) full: AtomicBool,
    /// Who may ask once everything was read again, if that changes.
    pub(crate) access: Mutex<Option<Access>>,
    /// What went wrong, as its log has it.
    pub(crate) failures: Mutex<Vec<String>>,
}

impl Host for Machine {
    fn load(&self) -> Result<Catalog, HostError> {
        let disabled = self.disabled.lock().unwrap();
        let patterns = disabled.iter().map(|name| NamePattern::new(name).unwrap());
        let mut catalog = Catalog::load(&CatalogSettings {
            surroundings: Surroundings {
                current: self.home.join("project"),
                home: Some(self.home.clone()),
                skillyard_home: self.home.join(".skillyard"),
                ..Surroundings::default()
            },
            selection: Selection {
                layers: vec![Layer {
                    name: "test".into(),
                    disabled: patterns.collect(),
                    ..Layer::default()
                }],
            },
            project_trust: ProjectTrust::Untrusted,
            ..CatalogSettings::default()
        });
        if self.holds_back.load(Ordering::Relaxed) {
            for skill in catalog.enabled_mut() {
                let reason = format!("held back while `{SOURCE}/skills.lock` cannot be read");
                skill.status = Status::Disabled { reason };
            }
        }
        Ok(catalog)
    }

    fn standing(&self, skill: &CatalogSkill, digest: Option<&Digest>) -> SkillTrust {
        assert!(!self.panics.load(Ordering::Relaxed), "out of luck");
        SkillTrust {
            altered: self.altered(skill, &|| digest.copied()),
            tier: "high".into(),
            provenance: format!("a local folder, {SOURCE}"),
            origin: SOURCE.to_owned(),
            third_party: false,
            scripts: if self.never_asks.load(Ordering::Relaxed) {
                "run".into()
            } else {
                "ask".into()
            },
            reason: format!("it comes from a local folder, {SOURCE}"),
            ..SkillTrust::default()
        }
    }

    fn altered(
        &self,
        skill: &CatalogSkill,
        now: &dyn Fn() -> Option<Digest>,
    ) -> Option<Alteration> {
        let installed = self.installed.lock().unwrap();
        let installed = installed.get(skill.record.name.as_str())?;
        (now().as_ref() != Some(installed)).then(|| Alteration {
            reason: "it is a test".into(),
            remedy: format!("Mend it in {SOURCE}"),
        })
    }

    fn tiers(&self, skills: &[CatalogSkill]) -> Vec<String> {
        let tier = |skill: &CatalogSkill| match skill.record.name.as_str() {
            "attack" => "low".to_owned(),
            _ => "high".to_owned(),
        };
        skills.iter().map(tier).collect()
    }

    fn switch(&self, name: &str, switch: Switch, _: &Holder) -> Result<bool, HostError> {
        let mut disabled = self.disabled.lock().unwrap();
        let before = disabled.len();
        disabled.retain(|each| each != name);
        if switch == Switch::Off {
            disabled.push(name.to_owned());
        }
        Ok(disabled.len() != before)
    }

    fn guard(
        &self,
        skills: &[ActiveSkill],
        request: &GuardRequest,
    ) -> Result<GuardDecision, HostError> {
        Ok(check(request, skills, &[], &World(self.home.clone())))
    }

    fn offers_skills(&self) -> bool {
        !self.off.load(Ordering::Relaxed)
    }

    fn access(&self) -> Result<Option<Access>, HostError> {
        Ok(self.access.lock().unwrap().clone())
    }

    fn log(&self, line: &LogLine<'_>) {
        if let LogLine::Failure { what, cause } = line {
            let mut failures = self.failures.lock().unwrap();
            failures.push(format!("{what} failed: {cause}"));
        }
    }

    fn record(&self, event: &Event) -> Result<(), HostError> {
        if self.full.load(Ordering::Relaxed) {
            return Err(HostError::new("no space left on device"));
        }
        self.events.lock().unwrap().push(event.clone());
        Ok(())
    }

    fn audit_folder(&self) -> &Path {
        &self.audit
    }

    fn home(&self) -> Option<&Path> {
        Some(&self.home)
    }

    fn places(&self) -> Vec<PathBuf> {
        self.places.lock().unwrap().clone()
    }

    fn index_folder(&self) -> Option<&Path> {
        None
    }

    fn read_limits(&self) -> ReadLimits {
        ReadLimits::default()
    }

    fn install(&self, order: &Order, stop: &AtomicBool) -> Result<Installation, Refusal> {
        // This one is fetched until it is stopped.
        if order.reference == "./endless" {
            self.ran.lock().unwrap().push("an installation".to_owned());
            while !stop.load(Ordering::Relaxed) {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            return Err(Refusal::Stopped);
        }
        if order.reference == "./large" {
            let text = format!("cannot write `{SOURCE}`: no space left on device");
            return Err(Refusal::Failed(text));
        }
        let planned = "sha256:planned";
        match order.plan.as_deref() {
            Some(plan) if plan != planned => Err(Refusal::Refused("another plan".into())),
            plan => Ok(Installation {
                plan: planned.into(),
                applied: plan.is_some(),
                scope: "user".into(),
                skills: Vec::new(),
                unchanged: vec![order.reference.clone()],
                revoked: Vec::new(),
                warnings: Vec::new(),
            }),
        }
    }

    fn upstream(&self) -> Option<Arc<Servers>> {
        self.upstream.clone()
    }

    fn runs(&self) -> Runs {
        self.runs
    }

    fn run_script(&self, run: &ScriptRun<'_>, stop: &AtomicBool) -> Executed<HostError> {
        self.ran.lock().unwrap().push(run.script.to_owned());
        // This one runs until it is stopped.
        while run.script == "scripts/endless.sh" && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let mut event = run.asked.clone();
        event.kind = EventKind::ScriptExecuted;
        let ran = Ran {
            code: 0,
            stdout: format!("ran {}", run.arguments.join(" ")),
            stderr: String::new(),
            denials: Vec::new(),
            made: None,
            backend: "none".into(),
        };
        Executed {
            ran: Ok(ran),
            event: event.skill(run.skill.record.name.as_str()),
        }
    }
}

/// The machine as the guard sees it.
pub(crate) struct World(pub(crate) PathBuf);

impl GuardEnvironment for World {
    fn workspace(&self) -> &Path {
        &self.0
    }

    fn home(&self) -> Option<&Path> {
        None
    }

    fn canonical(&self, path: &Path) -> Option<PathBuf> {
        Some(path.to_owned())
    }

    fn program(&self, _: &str) -> Option<PathBuf> {
        None
    }
}

/// A server and what it stands on.
pub(crate) struct TestServer {
    pub(crate) folder: TempDir,
    pub(crate) machine: Arc<Machine>,
    pub(crate) server: Arc<Server>,
    router: Router,
}

fn tokens() -> Access {
    let tokens = format!("read {READ}\nchat {CHAT}\nchat {OTHER}\nrun {RUN}\nadmin {ADMIN}\n");
    Access::Tokens(Tokens::parse(&tokens).unwrap())
}

/// An answer, read whole.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }
}

impl TestServer {
    /// On a loopback address.
    pub(crate) fn new() -> Self {
        Self::with(Access::Loopback, None, Runs::Never)
    }

    /// Adds so many skills, `many-00` and on.
    pub(crate) fn write_many(&self, count: usize) {
        for n in 0..count {
            let folder = self.skills().join(format!("many-{n:02}"));
            std::fs::create_dir(&folder).unwrap();
            let text = format!("---\nname: many-{n:02}\ndescription: d\n---\nx\n");
            std::fs::write(folder.join("SKILL.md"), text).unwrap();
        }
        self.server.reload().unwrap();
    }

    /// Adds a skill in a folder.
    pub(crate) fn write_one(&self, folder: &str, name: &str) {
        let folder = self.skills().join(folder);
        std::fs::create_dir(&folder).unwrap();
        let text = format!("---\nname: {name}\ndescription: d\n---\nx\n");
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
        self.server.reload().unwrap();
    }

    /// Says that a skill was installed as it is now.
    pub(crate) fn pretend_installed(&self, name: &str) {
        let root = SkillRoot::open(&self.skills().join(name)).unwrap();
        self.pretend(name, digest(&root).unwrap());
    }

    /// Says that something else was installed.
    pub(crate) fn pretend_altered(&self, name: &str) {
        self.pretend(name, Digest::of(b"something else"));
    }

    fn pretend(&self, name: &str, digest: Digest) {
        let mut installed = self.machine.installed.lock().unwrap();
        installed.insert(name.to_owned(), digest);
    }

    /// With a token for each role, and two for `chat`.
    pub(crate) fn with_tokens() -> Self {
        Self::with(tokens(), None, Runs::Never)
    }

    /// The same, whose scripts may be run when the user says so.
    pub(crate) fn running() -> Self {
        Self::with(tokens(), None, Runs::WithConsent)
    }

    /// The same, with another server behind it.
    pub(crate) fn gateway(upstream: Servers) -> Self {
        Self::with(tokens(), Some(Arc::new(upstream)), Runs::Never)
    }

    fn with(access: Access, upstream: Option<Arc<Servers>>, runs: Runs) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let skills = folder.path().join(".agents/skills");
        let write = |path: &str, text: &str| {
            let file = skills.join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write(
            "pdf/SKILL.md",
            "---\nname: pdf\ndescription: Fills PDF forms. Use for a PDF.\nallowed-tools: Read Bash(git:*)\n---\n# PDF\n\nSee [fields](references/fields.md). Do $ARGUMENTS.\n",
        );
        write("pdf/references/fields.md", "# Fields\n");
        write("pdf/assets/dot.bin", "\0\u{1}\u{2}");
        write("attack/scripts/fill.sh", "#!/bin/sh\n");
        write("attack/scripts/endless.sh", "#!/bin/sh\n");
        write(
            "attack/SKILL.md",
            "---\nname: attack\ndescription: '<script>alert(1)</script> \"><img src=x onerror=alert(1)>'\n---\n<script>alert(2)</script>\n\n[x](javascript:alert(3))\n",
        );
        write("attack/<img src=x onerror=alert(4)>.md", "x");
        write("broken/SKILL.md", "no frontmatter");
        let machine = Arc::new(Machine {
            home: folder.path().to_owned(),
            audit: folder.path().join("logs"),
            places: Mutex::new(vec![SOURCE.into()]),
            disabled: Mutex::default(),
            installed: Mutex::default(),
            events: Mutex::default(),
            upstream,
            runs,
            ran: Mutex::default(),
            never_asks: AtomicBool::new(false),
            off: AtomicBool::new(false),
            holds_back: AtomicBool::new(false),
            panics: AtomicBool::new(false),
            full: AtomicBool::new(false),
            access: Mutex::default(),
            failures: Mutex::default(),
        });
        Self::over(folder, machine, access, None)
    }

    /// The same server with a registry that everybody may read.
    pub(crate) fn with_registry(self, router: Router) -> Self {
        let registry = MountedRegistry {
            router,
            readers: Readers::Everybody,
        };
        Self::over(self.folder, self.machine, Access::Loopback, Some(registry))
    }

    fn over(
        folder: TempDir,
        machine: Arc<Machine>,
        access: Access,
        registry: Option<MountedRegistry>,
    ) -> Self {
        let settings = Settings {
            access,
            version: "test",
            agents: Some(Arc::new(Desk::new(Arc::clone(&machine)))),
            registry,
            proxy: Proxy::None,
        };
        let host: Arc<dyn Host> = machine.clone();
        let server = Server::new(host, settings).unwrap();
        let router = router(Arc::clone(&server));
        Self {
            folder,
            machine,
            server,
            router,
        }
    }

    /// The cookie of a browser that logged in.
    pub(crate) async fn login(&self, token: &str) -> String {
        let form = [
            ("origin", "http://localhost:7878"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let answer = self
            .ask("POST", "/login", &form, format!("token={token}"))
            .await;
        let cookie = answer.headers["set-cookie"].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// Lets only these tokens in from now on.
    pub(crate) fn admit(&self, tokens: &str) {
        let access = Access::Tokens(Tokens::parse(tokens).unwrap());
        *self.machine.access.lock().unwrap() = Some(access);
        self.server.reload().unwrap();
    }

    /// Another server over the same folder, as after a restart.
    pub(crate) fn restarted(&self) -> Self {
        let machine = Arc::clone(&self.machine);
        Self::over(
            tempfile::tempdir().unwrap(),
            machine,
            Access::Loopback,
            None,
        )
    }

    /// The folder of the skills.
    pub(crate) fn skills(&self) -> PathBuf {
        self.folder.path().join(".agents/skills")
    }

    /// A request with these headers; `host` is a loopback name unless one is given.
    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Response {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header("host", "localhost:7878");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.into()).unwrap();
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// The same, and the whole answer.
    pub(crate) async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let response = self.open(method, path, headers, body).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = axum::body::to_bytes(response.into_body(), 1 << 24).await;
        Answer {
            status,
            headers,
            text: String::from_utf8(bytes.unwrap().to_vec()).unwrap(),
        }
    }

    /// The first events of a stream, each with its id.
    pub(crate) async fn stream(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        count: usize,
    ) -> Vec<(String, Value)> {
        use tokio_stream::StreamExt as _;
        let response = self.open("GET", path, headers, Body::empty()).await;
        assert_eq!(response.status(), StatusCode::OK);
        let mut pieces = response.into_body().into_data_stream();
        let mut text = String::new();
        while text.matches("\n\n").count() < count {
            let piece = pieces.next().await.unwrap().unwrap();
            text.push_str(std::str::from_utf8(&piece).unwrap());
        }
        let events = text.split("\n\n").take(count).map(|event| {
            let (id, data) = event.split_once('\n').unwrap();
            let data = data.strip_prefix("data: ").unwrap();
            let id = id.strip_prefix("id: ").unwrap().to_owned();
            (id, serde_json::from_str(data).unwrap())
        });
        events.collect()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "").await
    }

    /// A request of a program with a body of JSON.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        let headers = [("content-type", "application/json")];
        self.ask("POST", path, &headers, body.to_string()).await
    }
}
