//! A registry of its own for each test, asked without a network unless the test is about one.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use jiff::Timestamp;
use secrecy::ExposeSecret as _;
use serde_json::Value;
use skillyard_audit::Recorder;
use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackFile, PackFormat, pack};
use skillyard_registry::store::tokens::{self, Terms};
use skillyard_registry::token::NewToken;
use skillyard_registry::{Blobs, Database, Registry, Server, Settings};
use skillyard_trust::signature::{Algorithm, ReleaseDetails, SigningKey, Tree, sign};
use tempfile::TempDir;
use tower::ServiceExt as _;

/// When every test begins.
const START: i64 = 1_800_000_000;

/// A registry and the way to it.
pub(crate) struct Yard {
    pub(crate) folder: TempDir,
    pub(crate) database: Database,
    pub(crate) server: Server,
    pub(crate) router: Router,
    seconds: Arc<AtomicI64>,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// The kind of problem that this is.
    pub(crate) fn problem(&self) -> String {
        assert_eq!(
            self.header("content-type"),
            "application/problem+json",
            "{}",
            self.text()
        );
        let body = self.json();
        assert_eq!(body["status"], self.status.as_u16());
        assert!(body["detail"].as_str().is_some_and(|text| !text.is_empty()));
        let kind = body["type"].as_str().unwrap().rsplit(':').next().unwrap();
        format!("{} {kind}", self.status.as_u16())
    }
}

impl Yard {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// With other settings.
    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = TempDir::new().unwrap();
        let address = format!("sqlite:{}", folder.path().join("registry.db").display());
        let database = Database::open(&address).await.unwrap();
        let blobs = Blobs::in_folder(&folder.path().join("blobs")).unwrap();
        Self::over(folder, database, blobs, change)
    }

    /// Over a database and a store that were made elsewhere.
    pub(crate) fn over(
        folder: TempDir,
        database: Database,
        blobs: Blobs,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        let seconds = Arc::new(AtomicI64::new(START));
        let clock = Arc::clone(&seconds);
        let clock =
            Arc::new(move || Timestamp::from_second(clock.load(Ordering::Relaxed)).unwrap());
        let registry = Registry::new(database.clone(), blobs, None, clock);
        let mut settings = Settings::new("https://yard.example");
        change(&mut settings);
        let server = Server::new(registry, settings);
        Self {
            folder,
            database,
            router: server.router(),
            server,
            seconds,
        }
    }

    /// Lets time pass.
    pub(crate) fn pass(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::Relaxed);
    }

    /// A token that ends after an hour.
    pub(crate) async fn token(&self, account: &str, scopes: &[&str]) -> String {
        let token = NewToken::draw().unwrap();
        let scopes: Vec<_> = scopes.iter().map(|each| each.parse().unwrap()).collect();
        let now = Timestamp::from_second(self.seconds.load(Ordering::Relaxed)).unwrap();
        let end = Timestamp::from_second(now.as_second() + 3600).unwrap();
        let terms = Terms {
            account,
            scopes: &scopes,
            expires: Some(end),
            label: None,
            parent: None,
        };
        tokens::add(&self.database, &token, terms, now)
            .await
            .unwrap();
        token.secret.expose_secret().to_owned()
    }

    /// A token for everything.
    pub(crate) async fn full(&self, account: &str) -> String {
        self.token(account, &["publish", "yank", "owners"]).await
    }

    pub(crate) async fn ask(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: impl Into<Body>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if method == "PUT" {
            request = request.header("content-type", "application/json");
        }
        self.send(request.body(body.into()).unwrap()).await
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body: body.to_vec(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, None, Body::empty()).await
    }

    /// As somebody asks who has an answer already.
    pub(crate) async fn get_tagged(&self, path: &str, tag: &str) -> Answer {
        let request = Request::get(path).header("if-none-match", tag);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    /// As a browser asks.
    pub(crate) async fn browse(&self, path: &str) -> Answer {
        let request = Request::get(path).header("accept", "text/html,*/*;q=0.8");
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn publish(&self, token: &str, archive: Vec<u8>) -> Answer {
        self.ask("POST", "/skills", Some(token), archive).await
    }

    /// Publishes below a namespace.
    pub(crate) async fn publish_in(
        &self,
        namespace: &str,
        token: &str,
        archive: Vec<u8>,
    ) -> Answer {
        let path = format!("/skills?namespace={namespace}");
        self.ask("POST", &path, Some(token), archive).await
    }

    /// Sends JSON.
    pub(crate) async fn put(&self, path: &str, token: &str, body: &Value) -> Answer {
        self.ask("PUT", path, Some(token), body.to_string()).await
    }

    pub(crate) async fn post(&self, path: &str, token: &str, body: &Value) -> Answer {
        let request = Request::post(path)
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json");
        self.send(request.body(body.to_string().into()).unwrap())
            .await
    }

    pub(crate) async fn delete(&self, path: &str, token: &str) -> Answer {
        self.ask("DELETE", path, Some(token), Body::empty()).await
    }

    /// With a log of what is done, in its folder.
    pub(crate) fn recorded(mut self) -> Self {
        let options = skillyard_audit::Options::default();
        let log = skillyard_audit::AuditLog::open(&self.folder.path().join("logs"), options);
        let recorder = Recorder::new(log.unwrap(), "server", Timestamp::now);
        let recorder = Arc::new(recorder);
        let blobs = Blobs::in_folder(&self.folder.path().join("blobs")).unwrap();
        let seconds = Arc::clone(&self.seconds);
        let clock =
            Arc::new(move || Timestamp::from_second(seconds.load(Ordering::Relaxed)).unwrap());
        let registry = Registry::new(self.database.clone(), blobs, Some(recorder), clock);
        self.server = Server::new(registry, Settings::new("https://yard.example"));
        self.router = self.server.router();
        self
    }
}

/// The text of a skill.
pub(crate) fn instructions(name: &str, version: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Fills forms. Use when a task involves forms.\n\
         license: MIT\nmetadata:\n  version: \"{version}\"\n  tags: paper office\n---\n\n# {name}\n\nDo it.\n"
    )
}

/// An archive of a skill.
pub(crate) fn skill(name: &str, version: &str) -> Vec<u8> {
    with_file(name, version, "references/more.md", b"More.\n")
}

/// An archive of a skill with another file.
pub(crate) fn with_file(name: &str, version: &str, path: &str, content: &[u8]) -> Vec<u8> {
    let text = instructions(name, version);
    let files = [("SKILL.md", text.as_bytes()), (path, content)];
    packed(&files)
}

/// An archive of a skill that is signed with a key of its own, and the beginning of that key's id.
pub(crate) fn signed(name: &str, version: &str) -> (Vec<u8>, String) {
    let key = SigningKey::generate(Algorithm::Ed25519, getrandom::fill).unwrap();
    let text = instructions(name, version);
    let mut tree = Tree::default();
    tree.add("SKILL.md", false, text.as_bytes());
    let signature = sign(&tree, name, &ReleaseDetails::default(), &key).unwrap();
    let files = [
        ("SKILL.md", text.as_bytes()),
        ("skill.oms.sig", signature.as_bytes()),
    ];
    (packed(&files), key.public().unwrap().id().short())
}

/// An archive of files.
pub(crate) fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let files: Vec<PackFile<'_>> = files
        .iter()
        .map(|(path, content)| PackFile {
            path,
            mode: Mode::Plain,
            content,
        })
        .collect();
    pack(&files, PackFormat::TarGz, &Limits::skill()).unwrap()
}
