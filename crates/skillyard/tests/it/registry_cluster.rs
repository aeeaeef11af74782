//! Two nodes on one PostgreSQL and one S3, behind a proxy that gives each request to another one.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::programs::{Bucket, Postgres};
use super::registry_crash::Load;
use super::{TestContext, output, text};

/// A proxy that hands connections to the nodes in turn.
pub(super) struct RoundRobin {
    pub(super) url: String,
    counts: Arc<[AtomicUsize; 2]>,
}

impl RoundRobin {
    /// For as long as the test runs; each connection is one request, because it is closed after it.
    pub(super) fn before(nodes: [String; 2]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let counts: Arc<[AtomicUsize; 2]> = Arc::default();
        let counted = Arc::clone(&counts);
        std::thread::spawn(move || {
            for (number, client) in listener.incoming().enumerate() {
                let Ok(client) = client else { continue };
                // A node that is down is left out, as proxies do.
                let order = [number % 2, (number + 1) % 2];
                let node = order.into_iter().find_map(|at| {
                    let address = nodes[at].trim_start_matches("http://");
                    Some((at, TcpStream::connect(address).ok()?))
                });
                let Some((at, node)) = node else { continue };
                counted[at].fetch_add(1, Ordering::Relaxed);
                std::thread::spawn(move || relay(&client, &node));
            }
        });
        Self { url, counts }
    }
}

/// One request and its answer. The client is told to come back with a connection of its own.
fn relay(client: &TcpStream, node: &TcpStream) {
    let (mut from, mut to) = (client.try_clone().unwrap(), node.try_clone().unwrap());
    let sending = std::thread::spawn(move || {
        let mut bytes = [0; 16 * 1024];
        let mut first = true;
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            let mut part = bytes[..count].to_vec();
            if std::mem::take(&mut first) {
                let end = part
                    .windows(2)
                    .position(|each| each == b"\r\n")
                    .unwrap_or(0);
                part.splice(end..end, *b"\r\nConnection: close");
            }
            if to.write_all(&part).is_err() {
                return;
            }
        }
    });
    let mut answer = Vec::new();
    let mut node = node;
    let _ = node.read_to_end(&mut answer);
    let mut client = client;
    let _ = client.write_all(&answer);
    let _ = client.shutdown(Shutdown::Both);
    let _ = sending.join();
}

/// A node, which is killed when it is dropped.
pub(super) struct Node {
    process: Child,
    pub(super) url: String,
}

impl Node {
    pub(super) fn start(context: &TestContext, cluster: &Cluster) -> Self {
        use std::io::{BufRead as _, BufReader};
        let mut process = cluster
            .command(context)
            .args(["registry", "serve", "--port", "0", "--log-key", "log.pem"])
            .args(["--url", "http://127.0.0.1:1"])
            // One that is not killed takes what is published in a hundred rounds.
            .args(["--writes-per-minute", "0"])
            .args(cluster.storage())
            .arg("--json")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = process.stdout.take().unwrap();
        // Until it listens it says nothing.
        let mut reader = BufReader::new(stdout);
        let mut told = serde_json::Value::Null;
        while told.is_null() && reader.read_line(&mut line).unwrap() > 0 {
            told = serde_json::from_str(&line).unwrap_or_default();
        }
        Self {
            process,
            url: format!("http://{}", told["address"].as_str().unwrap()),
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What the nodes share.
pub(super) struct Cluster {
    postgres: Postgres,
    bucket: Bucket,
}

impl Cluster {
    /// None where PostgreSQL or the server of the S3 protocol is not installed.
    pub(super) fn start(context: &TestContext) -> Option<Self> {
        let (postgres, bucket) = (Postgres::start()?, Bucket::start()?);
        bucket.make("skills");
        // Any registry's key will do, as long as the nodes have the same.
        context.token("ada");
        context.json(&["registry", "export-static", "nowhere", "--json"]);
        let key = context
            .folder
            .path()
            .join("home/.skillyard/registry/log.pem");
        std::fs::copy(key, context.root().join("log.pem")).unwrap();
        Some(Self { postgres, bucket })
    }

    pub(super) fn storage(&self) -> [&str; 4] {
        [
            "--database",
            self.postgres.url(),
            "--blobs",
            "s3://skills/prod",
        ]
    }

    /// The binary with the way to the bucket in its environment.
    pub(super) fn command(&self, context: &TestContext) -> std::process::Command {
        let mut command = context.skillyard();
        command
            .env("AWS_ACCESS_KEY_ID", "yard")
            .env("AWS_SECRET_ACCESS_KEY", "secret")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ENDPOINT_URL", &self.bucket.endpoint);
        command
    }

    /// Runs a command about the registry itself.
    pub(super) fn json(&self, context: &TestContext, arguments: &[&str]) -> serde_json::Value {
        let mut command = self.command(context);
        command.args(arguments).args(self.storage()).arg("--json");
        let output = output(&mut command);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
    }
}

#[test]
fn a_fresh_cluster_publishes_finds_installs_and_withdraws() {
    let context = TestContext::new();
    let Some(cluster) = Cluster::start(&context) else {
        return;
    };
    let nodes = [
        Node::start(&context, &cluster),
        Node::start(&context, &cluster),
    ];
    let proxy = RoundRobin::before(nodes.each_ref().map(|node| node.url.clone()));
    context.good(&["config", "set", "registry.url", &proxy.url]);
    let scopes = [
        "registry",
        "token",
        "create",
        "--user",
        "ada",
        "--scope",
        "publish,yank,owners",
    ];
    let token = cluster.json(&context, &scopes);
    context.good(&["login", "--token", token["token"].as_str().unwrap()]);
    for version in ["1.0.0", "1.1.0", "2.0.0"] {
        context.write_version("pdf", "pdf", version);
        context.good(&["publish", "pdf", "--yes"]);
    }
    let found = context.json(&["search", "forms", "--registry", "--json"]);
    assert_eq!(found["results"][0]["version"], "2.0.0");
    let install = ["install", "pdf@^1", "--scope", "project", "--yes"];
    let installed = || context.read(".agents/skills/pdf/SKILL.md");
    context.good(&install);
    assert!(installed().contains("This is 1.1.0."));
    context.good(&["yank", "pdf@1.1.0", "--reason", "broken"]);
    // The lock still gets what it names, also where nothing is kept.
    std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
    std::fs::remove_dir_all(context.folder.path().join("home/.skillyard/store")).unwrap();
    let said = context.good(&["sync"]);
    assert!(said.contains("pdf@1.1.0 was withdrawn: broken"), "{said}");
    assert!(installed().contains("This is 1.1.0."));
    context.good(&["remove", "pdf", "--scope", "project"]);
    context.good(&install);
    assert!(installed().contains("This is 1.0.0."));
    let verified = cluster.json(&context, &["registry", "verify"]);
    assert_eq!(
        (&verified["sound"], &verified["log"]["problems"]),
        (&3.into(), &serde_json::json!([]))
    );
    for count in &*proxy.counts {
        assert!(count.load(Ordering::Relaxed) > 5, "both nodes answer");
    }
}

#[test]
fn a_node_that_is_killed_leaves_nothing_half_visible() {
    let context = TestContext::new();
    let Some(cluster) = Cluster::start(&context) else {
        return;
    };
    let scopes = [
        "registry", "token", "create", "--user", "ada", "--scope", "publish",
    ];
    let token = cluster.json(&context, &scopes);
    let load = Load::new(token["token"].as_str().unwrap());
    let survivor = Node::start(&context, &cluster);
    for round in 0..super::registry_crash::rounds(3) {
        let victim = Node::start(&context, &cluster);
        let proxy = RoundRobin::before([survivor.url.clone(), victim.url.clone()]);
        load.run(&proxy.url, round, move || drop(victim));
    }
    let verified = cluster.json(&context, &["registry", "verify"]);
    let removed = || cluster.json(&context, &["registry", "gc", "--older-than", "0"]);
    removed();
    assert_eq!(removed()["removed"], 0);
    load.check(&survivor.url, &verified);
}
