//! MCP over HTTP, on both generations of the protocol.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::client::{Legacy, Modern};
use crate::context::TestServer;

const SKILLS: &str = "io.modelcontextprotocol/skills";

/// Lists skills, reads every file and compares its digest.
async fn verified(call: impl AsyncFn(&'static str, Value) -> Value) -> usize {
    let list = call("skills/list", json!({})).await;
    let mut files = 0;
    for skill in list["result"]["skills"].as_array().unwrap() {
        for resource in skill["resources"].as_array().unwrap() {
            let uri = resource["uri"].as_str().unwrap();
            let read = call("resources/read", json!({ "uri": uri })).await;
            let contents = &read["result"]["contents"][0];
            let bytes = match contents["text"].as_str() {
                Some(text) => text.as_bytes().to_vec(),
                None => decoded(contents["blob"].as_str().unwrap()),
            };
            let digest = format!("sha256:{}", hex::encode(Sha256::digest(&bytes)));
            assert_eq!(resource["digest"], digest, "{uri}");
            assert_eq!(resource["size"], bytes.len(), "{uri}");
            files += 1;
        }
    }
    files
}

fn decoded(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.decode(text).unwrap()
}

#[tokio::test]
async fn every_older_revision_is_answered() {
    let server = TestServer::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let (client, hello) = Legacy::open(&server, version).await;
        assert_eq!(hello["result"]["protocolVersion"], version);
        let text = hello["result"]["instructions"].as_str().unwrap();
        assert!(text.contains("pdf"), "{text}");
        let tools = client.ask("tools/list", json!({})).await;
        let names = tools["result"]["tools"].as_array().unwrap();
        let names: Vec<&str> = names
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            ["skill_search", "skill_load", "skill_read", "skill_files"]
        );
    }
}

#[tokio::test]
async fn files_of_any_skill_can_be_named_and_what_is_offered_can_be_loaded() {
    let server = TestServer::new();
    let (client, _) = Legacy::open(&server, "2025-11-25").await;
    let tools = client.ask("tools/list", json!({})).await;
    let tools = tools["result"]["tools"].as_array().unwrap();
    // A skill that the user invoked is not among those that are offered to models.
    let is_bound = |tool: &&serde_json::Value| {
        let name = &tool["inputSchema"]["properties"]["name"];
        name["enum"].is_array()
    };
    let bound: Vec<_> = tools.iter().filter(is_bound).collect();
    assert_eq!(bound.len(), 1, "{bound:?}");
    assert_eq!(bound[0]["name"], "skill_load");
}

#[tokio::test]
async fn digests_are_those_of_the_bytes_on_both_generations() {
    let server = TestServer::new();
    let (client, hello) = Legacy::open(&server, "2025-11-25").await;
    let extension = &hello["result"]["capabilities"]["extensions"][SKILLS];
    assert_eq!(extension["directoryRead"], true);
    let old = verified(async |method, params| client.ask(method, params).await).await;
    let new = verified(async |method, params| Modern::new(&server).ask(method, params).await).await;
    assert!(old >= 5, "{old}");
    assert_eq!(old, new);
}

#[tokio::test]
async fn what_was_listed_is_what_is_read_though_the_skill_was_edited() {
    let server = TestServer::new();
    let uri = "skill://pdf/references/fields.md";
    let entry = Modern::new(&server)
        .ask("skills/get", json!({ "uri": "skill://pdf/SKILL.md" }))
        .await;
    let ttl = entry["result"]["ttlMs"].as_u64().unwrap();
    assert!(ttl > 0);
    std::fs::write(server.skills().join("pdf/references/fields.md"), "edited").unwrap();
    server.server.reload().unwrap();
    let read = Modern::new(&server)
        .ask("resources/read", json!({ "uri": uri }))
        .await;
    assert_eq!(read["result"]["contents"][0]["text"], "# Fields\n");
    // Tools give what is there now.
    let input = json!({ "name": "skill_read", "arguments": { "name": "pdf", "path": "references/fields.md" } });
    let read = Modern::new(&server).ask("tools/call", input).await;
    assert_eq!(
        read["result"]["content"][0]["text"],
        "<skill_file skill=\"pdf\" path=\"references/fields.md\">\nedited\n</skill_file>"
    );
}

#[tokio::test]
async fn what_was_listed_is_read_though_the_skill_was_altered_and_nothing_else() {
    let server = TestServer::new();
    let uri = json!({ "uri": "skill://pdf/references/fields.md" });
    server.pretend_installed("pdf");
    let listed = json!({ "uri": "skill://pdf/SKILL.md" });
    Modern::new(&server).ask("skills/get", listed).await;
    let file = server.skills().join("pdf/references/fields.md");
    std::fs::write(&file, "ALTERED").unwrap();
    server.server.reload().unwrap();
    // Hosts were told of these bytes, and they are those that were installed.
    let read = Modern::new(&server)
        .ask("resources/read", uri.clone())
        .await;
    assert_eq!(read["result"]["contents"][0]["text"], "# Fields\n");
    let input = json!({ "name": "skill_read", "arguments": { "name": "pdf", "path": "references/fields.md" } });
    let read = Modern::new(&server).ask("tools/call", input).await;
    assert_eq!(read["result"]["isError"], true, "{read}");
    assert!(!read.to_string().contains("ALTERED"), "{read}");
    // Who was told of nothing yet gets none of it.
    let other = TestServer::new();
    other.pretend_altered("pdf");
    let read = Modern::new(&other).ask("resources/read", uri).await;
    let told = read["error"]["message"].as_str().unwrap();
    assert!(
        told.contains("skill `pdf` is not as it is locked"),
        "{told}"
    );
    assert!(!read.to_string().contains("Fields"), "{read}");
    let events = other.machine.events.lock().unwrap();
    assert_eq!(events[0].kind.as_str(), "skill.resource_read");
    assert_eq!(events[0].outcome, skillyard_audit::Outcome::Denied);
}

#[tokio::test]
async fn what_is_read_as_a_resource_is_recorded() {
    let server = TestServer::new();
    for path in ["SKILL.md", "references/fields.md", "none.md"] {
        let uri = format!("skill://pdf/{path}");
        let client = Modern::new(&server);
        client.ask("resources/read", json!({ "uri": uri })).await;
    }
    server.get("/api/v1/skills/pdf/body").await;
    let events = server.machine.events.lock().unwrap();
    let told = events.iter().map(|event| {
        let path = event.detail.get("path").map_or("", String::as_str);
        (event.kind.as_str(), path, event.digest.is_some())
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            ("skill.activated", "", true),
            ("skill.resource_read", "references/fields.md", true),
            ("skill.resource_read", "SKILL.md", true),
        ]
    );
    assert_eq!(events[0].trigger.as_deref(), Some("mcp"));
    for event in events.iter() {
        assert_eq!(event.tier.as_deref(), Some("high"));
        assert_eq!(event.digest, events[0].digest);
    }
}

#[tokio::test]
async fn a_folder_is_read_and_nothing_above_it() {
    let server = TestServer::new();
    let method = "resources/directory/read";
    let root = Modern::new(&server)
        .ask(method, json!({ "uri": "skill://pdf" }))
        .await;
    let names = root["result"]["resources"].as_array().unwrap();
    let names: Vec<&str> = names
        .iter()
        .map(|each| each["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["SKILL.md", "assets", "references"]);
    assert_eq!(
        root["result"]["resources"][1]["mimeType"],
        "inode/directory"
    );
    for uri in [
        "skill://pdf/..",
        "skill://pdf/../broken",
        "skill://none",
        "file:///etc",
        "skill://pdf/",
        "skill://pdf/%2e%2e/broken",
    ] {
        let answer = Modern::new(&server)
            .ask(method, json!({ "uri": uri }))
            .await;
        assert_eq!(answer["error"]["code"], -32602, "{uri}");
    }
}

#[tokio::test]
async fn what_is_listed_of_a_name_with_a_slash_is_read() {
    let server = TestServer::new();
    server.write_one("net", "TCP/IP");
    let listed = Modern::new(&server).ask("skills/list", json!({})).await;
    let listed = listed["result"]["skills"].as_array().unwrap().iter();
    let mut uris = listed.map(|skill| skill["uri"].as_str().unwrap());
    let uri = uris.find(|uri| uri.contains("TCP")).unwrap();
    assert_eq!(uri, "skill://TCP%2FIP/SKILL.md");
    let ask = json!({ "uri": uri });
    let read = Modern::new(&server).ask("resources/read", ask).await;
    let text = &read["result"]["contents"][0]["text"];
    assert!(text.as_str().unwrap().contains("TCP/IP"), "{read}");
}

#[tokio::test]
async fn what_is_not_there_is_an_error_of_the_parameters() {
    let server = TestServer::new();
    for (method, params) in [
        ("skills/get", json!({ "uri": "skill://none/SKILL.md" })),
        (
            "skills/get",
            json!({ "uri": "skill://pdf/references/fields.md" }),
        ),
        ("skills/get", json!({})),
        ("skills/list", json!({ "cursor": "nonsense" })),
        ("skills/list", json!({ "cursor": 7 })),
        (
            "resources/read",
            json!({ "uri": "skill://pdf/../broken/SKILL.md" }),
        ),
        ("resources/read", json!({ "uri": "file:///etc/passwd" })),
    ] {
        let answer = Modern::new(&server).ask(method, params.clone()).await;
        assert_eq!(
            answer["error"]["code"], -32602,
            "{method} {params}: {answer}"
        );
    }
}

#[tokio::test]
async fn a_cursor_is_of_one_state_only() {
    let server = TestServer::new();
    server.write_many(60);
    let first = Modern::new(&server).ask("skills/list", json!({})).await;
    let cursor = first["result"]["nextCursor"].clone();
    let second = Modern::new(&server)
        .ask("skills/list", json!({ "cursor": cursor }))
        .await;
    let count = |page: &Value| page["result"]["skills"].as_array().unwrap().len();
    let all = server.server.catalog().snapshot().catalog.enabled().count();
    assert_eq!(count(&first) + count(&second), all);
    assert!(all > 60);
    assert_eq!(second["result"]["nextCursor"], Value::Null);
    let other = TestServer::new();
    let answer = Modern::new(&other)
        .ask("skills/list", json!({ "cursor": cursor }))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn a_skill_beyond_the_limits_is_dynamic_and_still_read() {
    let server = TestServer::new();
    let folder = server.skills().join("pdf/many");
    std::fs::create_dir(&folder).unwrap();
    for n in 0..512 {
        std::fs::write(folder.join(format!("{n}.txt")), "x").unwrap();
    }
    let uri = json!({ "uri": "skill://pdf/SKILL.md" });
    let entry = Modern::new(&server).ask("skills/get", uri).await;
    assert_eq!(entry["result"]["skill"]["resources"], "dynamic");
    let uri = json!({ "uri": "skill://pdf/many/511.txt" });
    let read = Modern::new(&server).ask("resources/read", uri).await;
    assert_eq!(read["result"]["contents"][0]["text"], "x");
}

#[tokio::test]
async fn users_invoke_skills_as_prompts() {
    let server = TestServer::new();
    let input = json!({ "name": "pdf", "arguments": { "arguments": "the form" } });
    let got = Modern::new(&server).ask("prompts/get", input).await;
    let text = got["result"]["messages"][0]["content"]["text"]
        .as_str()
        .unwrap();
    assert!(text.contains("Do the form."), "{text}");
}

#[tokio::test]
async fn prompts_are_listed_in_pages() {
    let server = TestServer::new();
    server.write_many(230);
    let client = Modern::new(&server);
    let (mut names, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let input = match &cursor {
            Value::Null => json!({}),
            cursor => json!({ "cursor": cursor }),
        };
        let page = client.ask("prompts/list", input).await;
        let prompts = page["result"]["prompts"].as_array().unwrap();
        assert!(prompts.len() <= 100, "{}", prompts.len());
        names.extend(prompts.iter().map(|each| each["name"].to_string()));
        pages += 1;
        cursor = page["result"]["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(pages, 3);
    let is_sorted = names.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(is_sorted && names.len() > 230, "{names:?}");
    let input = json!({ "cursor": "none" });
    let answer = client.ask("prompts/list", input).await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn prompts_have_the_arguments_that_skills_name() {
    let server = TestServer::new();
    server.write_one("ship", "ship");
    let text = "---\nname: ship\ndescription: d\narguments: [env, branch]\nargument-hint: [where]\n---\nShip $branch to $env ($ARGUMENTS).\n";
    std::fs::write(server.skills().join("ship/SKILL.md"), text).unwrap();
    server.server.reload().unwrap();
    let client = Modern::new(&server);
    let list = client.ask("prompts/list", json!({})).await;
    let prompts = list["result"]["prompts"].as_array().unwrap();
    let of = |name: &str| {
        let found = prompts.iter().find(|each| each["name"] == name).unwrap();
        let arguments = found["arguments"].as_array().unwrap().iter();
        let names = arguments.map(|each| each["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(of("ship"), ["env", "branch"]);
    let hints = list
        .to_string()
        .matches(r#""description":"[where]""#)
        .count();
    assert_eq!(hints, 2, "{list}");
    assert_eq!(of("pdf"), ["arguments"]);
    let get = async |arguments: Value| {
        let input = json!({ "name": "ship", "arguments": arguments });
        let got = client.ask("prompts/get", input).await;
        match got["result"]["messages"][0]["content"]["text"].as_str() {
            Some(text) => text.to_owned(),
            None => got["error"]["message"].to_string(),
        }
    };
    let check = async |arguments: Value, expected: &str| {
        let told = get(arguments.clone()).await;
        assert!(told.contains(expected), "{arguments}: {told}");
    };
    let named = json!({ "env": "prod", "branch": "the main's \"one\"" });
    check(named, "Ship the main's \"one\" to prod (").await;
    check(json!({ "branch": "x" }), "Ship x to  ('' x).").await;
    check(
        json!({ "env": "prod", "branch": "" }),
        "Ship $branch to prod",
    )
    .await;
    // Whoever knows of one argument only goes on.
    check(json!({ "arguments": "prod x" }), "Ship x to prod (prod x).").await;
    check(json!({}), "Ship $branch to $env").await;
    // What would be passed over is told.
    let other = "there is no argument `host`; there is `env`, `branch`";
    check(json!({ "host": "a" }), other).await;
    check(json!({ "env": ["a"] }), "must be text").await;
    let both = json!({ "env": "a", "arguments": "b" });
    check(both, "stands for all arguments").await;
}

#[tokio::test]
async fn scripts_are_not_run() {
    let server = TestServer::new();
    let input = json!({ "name": "skill_run", "arguments": { "name": "pdf" } });
    let answer = Modern::new(&server).ask("tools/call", input).await;
    assert_eq!(answer["error"]["code"], -32602);
}
