//! Servers to talk to.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Map;
use skillyard_agent::mcp_client::{
    CompletedCall, McpError, McpLimits, ServerCommand, ServerSpec, Servers, Transport,
};

use crate::handler::Fixture;

pub(crate) static GO: AtomicBool = AtomicBool::new(false);

/// Limits that a test can wait for.
pub(crate) fn limits() -> McpLimits {
    McpLimits {
        handshake: Duration::from_secs(5),
        call: Duration::from_secs(5),
        ..McpLimits::default()
    }
}

fn spec(transport: Transport) -> ServerSpec {
    ServerSpec {
        name: "s".into(),
        transport,
        only: None,
        limits: limits(),
    }
}

/// A program with these arguments and variables.
pub(crate) fn launch(
    program: &str,
    arguments: &[&str],
    environment: &[(&str, &str)],
) -> ServerSpec {
    spec(Transport::Stdio(ServerCommand {
        program: program.into(),
        arguments: arguments
            .iter()
            .map(|word| (*word).to_owned().into())
            .collect(),
        environment: environment
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).to_owned().into()))
            .collect(),
        folder: std::env::temp_dir(),
    }))
}

/// A shell script that pretends to be a server.
pub(crate) fn script(text: &str) -> ServerSpec {
    launch("/bin/sh", &["-c", text], &[("PATH", "/usr/bin:/bin")])
}

/// The fixture, which `cargo` builds beside the tests.
pub(crate) fn fixture(arguments: &[&str]) -> ServerSpec {
    let tests = std::env::current_exe().unwrap();
    let built: PathBuf = tests
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/mcp_fixture");
    launch(built.to_str().unwrap(), arguments, &[])
}

/// The fixture over HTTP, for as long as the tests run.
pub(crate) fn fixture_over_http(headers: &[(&str, &str)]) -> ServerSpec {
    let shared = Fixture::new(false);
    let service = StreamableHttpService::new(
        move || Ok(shared.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    serving(axum::Router::new().route_service("/mcp", service), headers)
}

/// What answers at `/mcp`, on a thread of its own.
pub(crate) fn serving(router: axum::Router, headers: &[(&str, &str)]) -> ServerSpec {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            axum::serve(listener, router).await.unwrap();
        });
    });
    at(&format!("http://{}/mcp", receiver.recv().unwrap()), headers)
}

/// A server behind an address.
pub(crate) fn at(url: &str, headers: &[(&str, &str)]) -> ServerSpec {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::blocking::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    spec(Transport::Http {
        client,
        url: url.to_owned(),
        headers: headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned().into()))
            .collect(),
    })
}

/// Calls a tool of the only server.
pub(crate) fn call(servers: &Servers, tool: &str, text: &str) -> Result<CompletedCall, McpError> {
    let mut arguments = Map::new();
    arguments.insert("text".into(), text.into());
    servers.call(&format!("mcp__s__{tool}"), &arguments, Map::new(), &GO)
}
