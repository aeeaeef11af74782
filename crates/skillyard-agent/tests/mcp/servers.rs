//! Another implementation, over both transports.

use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Map, Value, json};
use skillyard_agent::mcp_client::{McpError, Protocol, ServerChange, ServerSpec, Servers};

use crate::stage::{GO, call, fixture, fixture_over_http};

fn both(check: impl Fn(ServerSpec)) {
    check(fixture(&[]));
    check(fixture_over_http(&[]));
}

#[test]
fn tools_are_listed_and_called() {
    both(|spec| {
        let servers = Servers::new(vec![spec]);
        let state = servers.state("s", &GO).unwrap();
        assert_eq!(state.info.protocol, Protocol::Modern);
        assert_eq!(
            (state.info.name.as_str(), state.info.version.as_str()),
            ("fixture", "1")
        );
        let names: Vec<&str> = state
            .tools
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        assert_eq!(
            names[..4],
            [
                "mcp__s__echo",
                "mcp__s__meta",
                "mcp__s__grow",
                "mcp__s__crash"
            ]
        );
        assert!(names[4].starts_with("mcp__s__odd_name__"), "{names:?}");
        let called = call(&servers, "echo", "hello").unwrap();
        assert_eq!(called.result.text, "echo: hello");
        // The server is called by its own name for the tool.
        let odd = names[4].trim_start_matches("mcp__s__");
        assert_eq!(
            call(&servers, odd, "x").unwrap().result.text,
            "odd name!: x"
        );
    });
}

#[test]
fn what_goes_along_arrives() {
    both(|spec| {
        let servers = Servers::new(vec![spec]);
        let mut meta = Map::new();
        meta.insert("dev.skillyard/session".into(), "s-1".into());
        let called = servers
            .call("mcp__s__meta", &Map::new(), meta, &GO)
            .unwrap();
        let seen: Value = serde_json::from_str(&called.result.text).unwrap();
        assert_eq!(seen["dev.skillyard/session"], json!("s-1"), "{seen}");
    });
}

#[test]
fn changes_are_heard() {
    both(|spec| {
        let servers = Servers::new(vec![spec]);
        let (sender, receiver) = channel();
        servers.on_change(move |server, change| {
            let _ = sender.send((server.to_owned(), change));
        });
        assert!(call(&servers, "grown", "").is_err());
        // A subscription is opened beside the first request.
        let heard = (0..50).find_map(|_| {
            call(&servers, "grow", "").unwrap();
            receiver.recv_timeout(Duration::from_millis(200)).ok()
        });
        assert_eq!(heard.unwrap(), ("s".to_owned(), ServerChange::Tools));
        assert_eq!(
            call(&servers, "grown", "x").unwrap().result.text,
            "grown: x"
        );
    });
}

#[test]
fn a_server_that_died_is_started_again_and_the_call_is_not_repeated() {
    let servers = Servers::new(vec![fixture(&[])]);
    assert!(matches!(
        call(&servers, "crash", ""),
        Err(McpError::Closed { .. })
    ));
    assert_eq!(
        call(&servers, "echo", "back").unwrap().result.text,
        "echo: back"
    );
}

#[test]
fn skills_are_listed_checked_and_never_shadow() {
    both(|spec| {
        let servers = Servers::new(vec![spec]);
        let found = servers.skills("s", &GO).unwrap();
        assert_eq!(found.skills.len(), 1);
        assert_eq!(found.rejected[0].uri, "skill://acme/moving/SKILL.md");
        let skill = &found.skills[0];
        assert_eq!(skill.qualified_name(), "s:greet");
        let files = servers.fetch(skill, &GO).unwrap();
        let paths: Vec<&str> = files.iter().map(|(file, _)| file.path.as_str()).collect();
        assert_eq!(paths, ["SKILL.md", "references/guide.md"]);
    });
}

#[test]
fn a_file_that_is_not_what_was_listed_is_not_believed() {
    let servers = Servers::new(vec![fixture(&["lies"])]);
    let found = servers.skills("s", &GO).unwrap();
    let error = servers.fetch(&found.skills[0], &GO).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`skill://acme/greet/references/guide.md` is not what the server listed: its digest differs"
    );
}

#[test]
fn tools_that_are_not_wanted_are_not_there() {
    let mut spec = fixture(&[]);
    spec.only = Some(vec!["echo".into()]);
    let servers = Servers::new(vec![spec]);
    assert_eq!(servers.tools("s", &GO).unwrap().tools.len(), 1);
    assert!(matches!(
        call(&servers, "meta", ""),
        Err(McpError::NoTool(_))
    ));
    assert!(matches!(
        servers.tools("other", &GO),
        Err(McpError::NoServer(_))
    ));
}
