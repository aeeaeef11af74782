//! The API.

use std::sync::atomic::Ordering;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::context::TestServer;

#[tokio::test]
async fn skills_are_listed_in_pages_with_a_tag() {
    let server = TestServer::new();
    let answer = server.get("/api/v1/skills?limit=2").await;
    let list = answer.json();
    assert_eq!(list["skills"].as_array().unwrap().len(), 2);
    let cursor = list["next_cursor"].as_str().unwrap();
    let next = server
        .get(&format!("/api/v1/skills?limit=2&cursor={cursor}"))
        .await;
    assert_ne!(next.json()["skills"][0]["name"], list["skills"][0]["name"]);
    let tag = answer.headers["etag"].to_str().unwrap().to_owned();
    let known = [("if-none-match", tag.as_str())];
    let again = server
        .ask("GET", "/api/v1/skills?limit=2", &known, "")
        .await;
    assert_eq!(again.status, StatusCode::NOT_MODIFIED);
    assert!(again.text.is_empty());
    let wrong = server.get("/api/v1/skills?cursor=nonsense").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_skill_is_read_activated_and_recorded() {
    let server = TestServer::new();
    let skill = server.get("/api/v1/skills/pdf").await.json();
    assert_eq!(skill["files"], 3);
    let body = server.get("/api/v1/skills/pdf/body").await.json();
    assert!(body["body"].as_str().unwrap().contains("Do $ARGUMENTS."));
    let input = json!({ "arguments": "it now", "session": "s1", "task": "t-7" });
    let activated = server
        .post("/api/v1/skills/pdf/activate", &input)
        .await
        .json();
    let content = activated["content"].as_str().unwrap();
    assert!(content.contains("Do it now.") && content.starts_with("<skill_content"));
    assert_eq!(activated["digest"], skill["digest"]);
    let file = server
        .get("/api/v1/skills/pdf/files/references/fields.md")
        .await
        .json();
    assert_eq!(file["text"], "# Fields\n");
    let binary = server
        .get("/api/v1/skills/pdf/files/assets/dot.bin")
        .await
        .json();
    assert_eq!(binary["text"], Value::Null);
    for key in ["session", "task"] {
        let input = json!({ key: "two words" });
        let answer = server.post("/api/v1/skills/pdf/activate", &input).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    }
    let events = server.machine.events.lock().unwrap();
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "skill.resource_read",
            "skill.activated",
            "skill.resource_read",
            "skill.resource_read"
        ]
    );
    assert_eq!(events[1].detail["client_session"], "s1");
    assert_eq!(events[1].task.as_deref(), Some("t-7"));
    // Which bytes were given can be told later, too.
    for event in events.iter() {
        assert_eq!(event.digest.as_deref(), skill["digest"].as_str());
        assert!(event.tier.is_some());
    }
}

#[tokio::test]
async fn what_is_no_text_is_given_in_base64() {
    let server = TestServer::new();
    let bytes: Vec<u8> = (0..=255).collect();
    std::fs::write(server.skills().join("pdf/assets/dot.bin"), bytes).unwrap();
    let get = async |path: &str| {
        let path = format!("/api/v1/skills/pdf/files/{path}");
        server.get(&path).await
    };
    let whole = get("assets/dot.bin?encoding=base64").await.json();
    let text = whole["base64"].as_str().unwrap();
    assert!(text.starts_with("AAECAwQF") && text.len() == 344, "{text}");
    assert_eq!(whole["text"], Value::Null);
    let part = get("assets/dot.bin?encoding=base64&offset=250&limit=4").await;
    let part = part.json();
    assert_eq!(
        (&part["base64"], &part["offset"], &part["next_offset"]),
        (&json!("+vv8/Q=="), &json!(250), &json!(254))
    );
    // What is text is given so, too, to who wants bytes.
    let text = get("references/fields.md?encoding=base64").await.json();
    assert_eq!(text["base64"], "IyBGaWVsZHMK");
    assert_eq!(text["text"], Value::Null);
    assert!(get("assets/dot.bin").await.json()["base64"].is_null());
    let other = get("assets/dot.bin?encoding=hex").await;
    assert_eq!(other.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_file_goes_on_where_the_last_call_says() {
    let server = TestServer::new();
    let long = "0123456789\n".repeat(10_000);
    std::fs::write(server.skills().join("pdf/references/fields.md"), long).unwrap();
    let read = async |cursor: Value| {
        let input = json!({ "name": "pdf", "path": "references/fields.md", "cursor": cursor });
        let answer = server.post("/api/v1/tools/skill_read", &input).await;
        answer.json()["content"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let end = "[cut at byte 65536 of 110000; go on with cursor 65536]";
    assert!(read(Value::Null).await.ends_with(end));
    let rest = read(json!(65_536)).await;
    assert!(rest.ends_with("0123456789\n</skill_file>"), "{rest}");
    assert_eq!(read(json!("65536")).await, rest);
}

#[tokio::test]
async fn an_altered_skill_is_not_given() {
    let server = TestServer::new();
    server.pretend_altered("pdf");
    let tool = "/api/v1/tools/skill_";
    let file = json!({ "name": "pdf", "path": "references/fields.md" });
    let answers = [
        server.post("/api/v1/skills/pdf/activate", &json!({})).await,
        server
            .post(&format!("{tool}load"), &json!({ "name": "pdf" }))
            .await,
        server.post(&format!("{tool}read"), &file).await,
        server
            .get("/api/v1/skills/pdf/files/references/fields.md")
            .await,
        server.get("/api/v1/skills/pdf/body").await,
    ];
    for answer in answers {
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
        let kind = &answer.headers["content-type"];
        assert_eq!(kind, "application/problem+json");
        let problem = answer.json();
        assert_eq!(
            problem["detail"],
            "skill `pdf` is not as it is locked: it is a test. Mend it in /srv/clients/acme"
        );
        assert_eq!(problem["skill"], "pdf");
        assert_eq!(problem["remedy"], "Mend it in /srv/clients/acme");
        assert!(!problem.to_string().contains("Fields"), "{problem}");
    }
    let events = server.machine.events.lock().unwrap();
    let denied = events
        .iter()
        .filter(|event| event.outcome == skillyard_audit::Outcome::Denied)
        .map(|event| event.kind.as_str());
    let (activated, read) = ("skill.activated", "skill.resource_read");
    assert_eq!(
        denied.collect::<Vec<_>>(),
        [activated, activated, read, read, read]
    );
}

#[tokio::test]
async fn the_document_tells_of_altered_skills() {
    let server = TestServer::new();
    let document = server.get("/api/v1/openapi.json").await.json();
    for (path, method) in [
        ("/api/v1/skills/{name}/activate", "post"),
        ("/api/v1/skills/{name}/body", "get"),
        ("/api/v1/skills/{name}/files/{path}", "get"),
        ("/api/v1/tools/{name}", "post"),
    ] {
        let refusal = &document["paths"][path][method]["responses"]["403"];
        let told = refusal["description"].as_str().unwrap();
        assert!(told.contains("not those that are locked"), "{path}");
    }
    let problem = &document["components"]["schemas"]["Problem"]["properties"];
    assert!(problem["remedy"].is_object() && problem["skill"].is_object());
}

#[tokio::test]
async fn a_disabled_skill_is_not_activated() {
    let server = TestServer::new();
    server.post("/api/v1/skills/pdf/disable", &json!({})).await;
    let answer = server.post("/api/v1/skills/pdf/activate", &json!({})).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(
        answer.json()["detail"]
            .as_str()
            .unwrap()
            .contains("cannot be used")
    );
    let prompt = server.get("/api/v1/prompt").await.json();
    assert!(!prompt["prompt"].as_str().unwrap().contains("PDF forms"));
}

#[tokio::test]
async fn a_prompt_names_only_what_is_allowed_and_where_it_is_mounted() {
    let server = TestServer::new();
    let prompt = async |query: &str| {
        let answer = server.get(&format!("/api/v1/prompt?{query}")).await.json();
        answer["prompt"].as_str().unwrap().to_owned()
    };
    assert!(prompt("allow=p*,x").await.contains("PDF forms"));
    assert!(!prompt("allow=x").await.contains("PDF forms"));
    assert!(!prompt("deny=pdf").await.contains("PDF forms"));
    assert!(prompt("mount=/skills/").await.contains("/skills/pdf"));
}

#[tokio::test]
async fn tools_answer_to_the_names_of_other_runtimes() {
    let server = TestServer::new();
    for (name, input, expected) in [
        ("skill_load", json!({ "name": "pdf" }), "<skill_content"),
        (
            "skills.activate",
            json!({ "name": "pdf" }),
            "<skill_content",
        ),
        ("skills.read", json!({ "name": "pdf" }), "<skill_content"),
        ("skills.list", json!({}), "PDF forms"),
        (
            "skills.readResource",
            json!({ "name": "pdf", "path": "references/fields.md" }),
            "# Fields",
        ),
        (
            "skills.read_resource",
            json!({ "name": "pdf", "path": "references/fields.md" }),
            "# Fields",
        ),
        (
            "skill_files",
            json!({ "name": "pdf", "dir": "references" }),
            "references/fields.md",
        ),
        (
            "skills.listResources",
            json!({ "name": "pdf", "dir": "references" }),
            "references/fields.md",
        ),
    ] {
        let answer = server
            .post(&format!("/api/v1/tools/{name}"), &input)
            .await
            .json();
        assert!(
            answer["content"].as_str().unwrap().contains(expected),
            "{name}: {answer}"
        );
    }
    let answer = server
        .post("/api/v1/tools/skills.delete", &json!({ "name": "pdf" }))
        .await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_list_holds_all_skills_or_says_how_many_there_are() {
    let server = TestServer::new();
    server.write_many(60);
    let all = server.server.catalog().snapshot().choosable().len();
    assert!(all > 60);
    let ask = async |tool: &str, input: Value| {
        let answer = server.post(&format!("/api/v1/tools/{tool}"), &input).await;
        answer.json()["structured"].clone()
    };
    let count = |answer: &Value| answer["results"].as_array().unwrap().len();
    let whole = ask("skills.list", json!({})).await;
    assert_eq!((count(&whole), &whole["total"]), (all, &json!(all)));
    assert!(whole["cursor"].is_null() && whole["results"][0]["score"].is_null());
    // Some models write whole numbers so.
    let first = ask("skills.list", json!({ "limit": 40.0 })).await;
    let next = json!({ "limit": 40, "cursor": first["cursor"] });
    let second = ask("skills.list", next).await;
    assert_eq!((count(&first), count(&second)), (40, all - 40));
    assert!(second["cursor"].is_null() && second["total"] == all);
    // A search without words says what it leaves out.
    let some = ask("skill_search", json!({})).await;
    assert_eq!((count(&some), &some["total"]), (10, &json!(all)));
}

#[tokio::test]
async fn metrics_count_what_happened() {
    let server = TestServer::new();
    let read = "/api/v1/skills/pdf/files";
    server.get(&format!("{read}/references/fields.md")).await;
    server.get(&format!("{read}/none.md")).await;
    let load = json!({ "name": "pdf" });
    server.post("/api/v1/tools/skill_load", &load).await;
    server.pretend_altered("pdf");
    server.post("/api/v1/tools/skill_load", &load).await;
    let metrics = server.get("/metrics").await.text;
    for line in [
        "skillyard_skill_activations_total{skill=\"pdf\"} 1",
        "skillyard_skill_resource_reads_total{skill=\"pdf\"} 1",
        "skillyard_skill_denials_total{skill=\"pdf\",kind=\"activation\"} 1",
        "skillyard_skill_denials_total{skill=\"pdf\",kind=\"read\"} 1",
        "skillyard_skill_failures_total{skill=\"pdf\",kind=\"script\"} 0",
    ] {
        assert!(
            metrics.lines().any(|each| each == line),
            "{line}\n{metrics}"
        );
    }
}

#[tokio::test]
async fn the_guard_decides_for_others() {
    let server = TestServer::new();
    let ask = |command: &str| {
        let input = json!({ "skills": ["pdf"], "tool": "Bash", "input": command });
        let server = &server;
        async move { server.post("/api/v1/guard/check", &input).await.json()["verdict"].clone() }
    };
    assert_eq!(ask("git status").await, "allowed");
    assert_eq!(ask("git status && rm -rf ~").await, "denied");
}

/// A checkout that nobody trusted brings skills along.
pub(crate) fn beside(server: &TestServer, name: &str) {
    let folder = server.folder.path().join("project/.agents/skills");
    let folder = folder.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: {name}\ndescription: d\n---\nEVIL\n");
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
    server.server.reload().unwrap();
}

#[tokio::test]
async fn an_untrusted_project_changes_nothing_about_a_skill_of_the_user() {
    let server = TestServer::new();
    let skill = server.get("/api/v1/skills/pdf").await.json();
    beside(&server, "pdf");
    let listed = server.get("/api/v1/skills").await.json();
    let listed = listed["skills"].as_array().unwrap();
    let listed = listed.iter().find(|each| each["name"] == "pdf").unwrap();
    assert_eq!(listed["status"], "untrusted");
    let now = server.get("/api/v1/skills/pdf").await.json();
    assert_eq!(now["digest"], skill["digest"]);
    assert_eq!(
        (&now["status"], &now["stands_in"]),
        (&json!("enabled"), &json!(true))
    );
    for path in ["body", "files/SKILL.md", "files", "findings"] {
        let path = format!("/api/v1/skills/pdf/{path}");
        let told = server.get(&path).await.text;
        assert!(!told.contains("EVIL"), "{path}: {told}");
    }
    let file = server.get("/api/v1/skills/pdf/files/references/fields.md");
    assert_eq!(file.await.status, StatusCode::OK);
    let call = json!({ "skills": ["pdf"], "tool": "Bash", "input": "rm -rf ~" });
    let decided = server.post("/api/v1/guard/check", &call).await.json();
    assert_eq!(decided["verdict"], "denied", "{decided}");
    let page = server.get("/skills/pdf").await.text;
    assert!(page.contains("<dt>Stand-in</dt>"), "{page}");
}

#[tokio::test]
async fn the_guard_denies_with_a_skill_that_may_not_be_used() {
    let server = TestServer::new();
    beside(&server, "only");
    let call = json!({ "skills": ["pdf", "only"], "tool": "Bash", "input": "git status" });
    let decided = server.post("/api/v1/guard/check", &call).await.json();
    assert_eq!(decided["verdict"], "denied", "{decided}");
    assert_eq!(
        decided["reason"],
        "the skill may not be used: the project's folder is not trusted"
    );
    let events = server.machine.events.lock().unwrap();
    assert_eq!(events.last().unwrap().kind.as_str(), "skill.tool_blocked");
}

#[tokio::test]
async fn problems_have_the_form_of_problems() {
    let server = TestServer::new();
    for (answer, status) in [
        (server.get("/api/v1/skills/none").await, 404),
        (server.get("/api/v1/nothing").await, 404),
        (server.ask("DELETE", "/api/v1/skills", &[], "").await, 405),
        (server.get("/api/v1/skills?limit=x").await, 400),
        (server.get("/api/v1/skills?status=enable").await, 400),
        (server.get("/api/v1/skills?source=users").await, 400),
        (server.get("/api/v1/search").await, 400),
        (server.get("/api/v1/prompt?format=html").await, 400),
        (server.get("/api/v1/prompt?allowed=pdf").await, 400),
        (server.get("/api/v1/prompt?allow=a%5B").await, 400),
        (server.get("/api/v1/prompt?allow=").await, 400),
        (server.get("/api/v1/prompt?deny=%2C").await, 400),
        (server.get("/api/v1/prompt?mount=../x").await, 400),
        (server.get("/api/v1/search?q=pdf&sort=name").await, 400),
        (
            server.post("/api/v1/guard/check", &json!({ "x": 1 })).await,
            400,
        ),
        (
            server.ask("POST", "/api/v1/guard/check", &[], "{}").await,
            415,
        ),
    ] {
        assert_eq!(answer.status.as_u16(), status, "{}", answer.text);
        assert_eq!(answer.headers["content-type"], "application/problem+json");
        assert_eq!(answer.json()["status"], status);
        assert_eq!(answer.headers.contains_key("allow"), status == 405);
    }
}

#[tokio::test]
async fn the_document_names_every_route() {
    let document = TestServer::new().get("/api/v1/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let parameters = document["paths"]["/api/v1/search"]["get"]["parameters"].as_array();
    assert!(parameters.unwrap().iter().all(|each| each["in"] == "query"));
    assert_eq!(document["paths"].as_object().unwrap().len(), 36);
}

/// Every place that a part of the document refers to.
fn referred<'a>(part: &'a Value, places: &mut Vec<&'a str>) {
    places.extend(part["$ref"].as_str());
    let members = part.as_object().into_iter().flat_map(|all| all.values());
    let items = part.as_array().into_iter().flatten();
    for each in members.chain(items) {
        referred(each, places);
    }
}

#[tokio::test]
async fn the_document_has_all_that_it_refers_to() {
    let document = TestServer::new().get("/api/v1/openapi.json").await.json();
    let mut places = Vec::new();
    referred(&document, &mut places);
    assert!(places.len() > 100, "{}", places.len());
    for place in places {
        let path = place.strip_prefix('#').unwrap();
        assert!(document.pointer(path).is_some(), "{place}");
    }
}

#[tokio::test]
async fn a_session_begins_with_nothing_as_the_document_says() {
    let server = TestServer::new();
    for body in ["", "null", "{}"] {
        let json = [("content-type", "application/json")];
        let answer = server.ask("POST", "/api/v1/sessions", &json, body).await;
        assert_eq!(answer.status, 201, "{body}: {}", answer.text);
    }
}

#[tokio::test]
async fn the_document_allows_what_a_new_agent_needs() {
    let document = TestServer::new().get("/api/v1/openapi.json").await.json();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let new = &schemas["NewAgent"];
    assert_eq!(new["additionalProperties"], false);
    assert_eq!(new["required"], json!(["name"]));
    assert!(new["properties"]["name"].is_object() && new["properties"]["model"].is_object());
    // Parts that allow nothing but what they have themselves cannot stand side by side.
    for (name, schema) in schemas {
        for part in schema["allOf"].as_array().into_iter().flatten() {
            let place = part["$ref"].as_str().unwrap_or_default();
            let part = schemas
                .get(place.rsplit('/').next().unwrap())
                .unwrap_or(part);
            assert!(part.get("additionalProperties").is_none(), "{name}");
        }
    }
}

#[tokio::test]
async fn a_reload_finds_what_is_new() {
    let server = TestServer::new();
    let folder = server.skills().join("new");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(
        folder.join("SKILL.md"),
        "---\nname: new\ndescription: d\n---\nx\n",
    )
    .unwrap();
    assert_eq!(
        server.get("/api/v1/skills/new").await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        server.post("/api/v1/reload", &json!({})).await.json()["changed"],
        true
    );
    assert_eq!(
        server.post("/api/v1/reload", &json!({})).await.json()["changed"],
        false
    );
    assert_eq!(
        server.get("/api/v1/skills/new").await.status,
        StatusCode::OK
    );
    let found = server.get("/api/skills").await.json();
    assert_eq!(found["invalid"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_recorded_is_answered_told_once_counted_and_made_good() {
    let server = TestServer::new();
    let machine = &server.machine;
    machine.full.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        let answer = server.post("/api/v1/skills/pdf/activate", &json!({})).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    }
    let told = machine.failures.lock().unwrap().clone();
    let [told] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert!(
        told.starts_with("writing the audit log failed: no space left"),
        "{told}"
    );
    let metrics = server.get("/metrics").await.text;
    assert!(
        metrics.contains("\nskillyard_audit_lost_total 3\n"),
        "{metrics}"
    );
    assert!(machine.events.lock().unwrap().is_empty());
    machine.full.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        server.post("/api/v1/skills/pdf/activate", &json!({})).await;
    }
    let events = machine.events.lock().unwrap();
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["audit.lost", "skill.activated", "skill.activated"]);
    assert_eq!(events[0].detail["events"], "3");
}

#[tokio::test]
async fn the_document_tells_of_tokens_and_of_what_the_gate_refuses() {
    let document = TestServer::new().get("/api/v1/openapi.json").await.json();
    let scheme = &document["components"]["securitySchemes"]["token"];
    assert_eq!(scheme["scheme"], "bearer");
    assert_eq!(document["security"], json!([{ "token": [] }, {}]));
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            let has = |status: &str| responses.contains_key(status);
            for status in ["401", "403", "429", "503"] {
                assert!(has(status), "{method} {path} {status}");
            }
            let sends = operation.get("requestBody").is_some();
            assert_eq!(has("413") && has("408"), sends, "{method} {path}");
        }
    }
    let opening = &document["paths"]["/api/v1/sessions"]["post"]["requestBody"];
    assert_ne!(opening["required"], true, "{opening}");
}
