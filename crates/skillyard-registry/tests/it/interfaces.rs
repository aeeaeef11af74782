//! What clients of others ask for.

use axum::body::Body;
use serde_json::json;

use super::yard::{Yard, instructions, skill};

#[tokio::test]
async fn well_known_documents_list_skills_with_archives_and_with_files() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    let document = yard
        .get("/.well-known/agent-skills/index.json")
        .await
        .json();
    assert_eq!(
        document["$schema"],
        "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
    );
    let entry = &document["skills"][0];
    assert_eq!(
        (&entry["name"], &entry["type"]),
        (&json!("forms"), &json!("archive"))
    );
    let archive = yard.get(entry["url"].as_str().unwrap()).await;
    let digest = skillyard_format::Digest::of(&archive.body).to_string();
    assert_eq!(entry["digest"], digest);

    let document = yard.get("/.well-known/skills/index.json").await.json();
    assert_eq!(document.get("$schema"), None);
    assert_eq!(
        document["skills"][0]["files"],
        json!(["SKILL.md", "references/more.md"])
    );
    let file = yard.get("/.well-known/skills/forms/SKILL.md").await;
    assert_eq!(file.text(), instructions("forms", "1.0.0"));
    assert_eq!(file.header("content-type"), "application/octet-stream");
    let file = yard
        .get("/.well-known/skills/forms/references/more.md")
        .await;
    assert_eq!(file.text(), "More.\n");
    let file = yard
        .get("/.well-known/skills/forms/../forms/SKILL.md")
        .await;
    assert_eq!(file.problem(), "404 no-such-file");
}

#[tokio::test]
async fn a_withdrawn_skill_is_offered_to_nobody() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    yard.ask("DELETE", "/skills/forms/1.0.0", Some(&ada), Body::empty())
        .await;
    for path in [
        "/.well-known/agent-skills/index.json",
        "/.well-known/skills/index.json",
        "/skills",
    ] {
        assert_eq!(yard.get(path).await.json()["skills"], json!([]), "{path}");
    }
    for path in [
        "/skills/forms/download",
        "/.well-known/skills/forms/SKILL.md",
    ] {
        let answer = yard.get(path).await;
        assert_eq!(answer.problem(), "404 withdrawn", "{path}");
    }
    let shown = yard.get("/skills/forms").await.json();
    assert_eq!(shown.get("download_url"), None, "{shown}");
    let page = yard.get("/view/forms").await.text();
    assert!(!page.contains("skillyard install"), "{page}");
    assert!(page.contains("there is none to install"), "{page}");
    // A lock names it and gets it.
    let named = yard.get("/skills/forms/1.0.0/download").await;
    assert_eq!(named.status, 200);
    yard.publish(&ada, skill("forms", "1.1.0")).await;
    let latest = yard.get("/skills/forms/download").await;
    assert_eq!(latest.header("x-skillyard-version"), "1.1.0");
}

#[tokio::test]
async fn every_skill_is_a_plugin_of_a_marketplace() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    let document = yard.get("/.claude-plugin/marketplace.json").await.json();
    assert!(document["owner"]["name"].is_string());
    let plugin = &document["plugins"][0];
    assert_eq!(
        (&plugin["name"], &plugin["version"]),
        (&json!("forms"), &json!("1.0.0"))
    );
    // Claude Code reads only ZIP archives, and checks them.
    assert_eq!(plugin["source"]["source"], "archive");
    let address = "https://yard.example/skills/forms/1.0.0/archive.zip";
    assert_eq!(plugin["source"]["url"], address);
    let archive = yard.get("/skills/forms/1.0.0/archive.zip").await;
    assert!(archive.body.starts_with(b"PK"));
    let digest = skillyard_format::Digest::of(&archive.body).to_hex();
    assert_eq!(plugin["source"]["sha256"], digest);
}

#[tokio::test]
async fn apm_lists_fetches_publishes_and_searches() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let path = "/v1/packages/ada/forms/versions";
    let put = async |version: &str, body: Vec<u8>| {
        yard.ask("PUT", &format!("{path}/{version}"), Some(&ada), body)
            .await
    };
    let answer = put("1.0.0", skill("forms", "1.0.0")).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(answer.json()["package"], "ada/forms");
    assert_eq!(
        put("1.0.0", skill("forms", "1.0.0")).await.problem(),
        "409 immutable"
    );
    assert_eq!(
        put("2.0.0", skill("forms", "1.5.0")).await.problem(),
        "422 other-package"
    );
    let listed = yard.get(path).await.json();
    let version = &listed["versions"][0];
    assert_eq!(version["version"], "1.0.0");
    assert!(version["published_at"].as_str().unwrap().ends_with('Z'));
    let archive = yard.get(&format!("{path}/1.0.0/download")).await;
    let digest = skillyard_format::Digest::of(&archive.body).to_string();
    assert_eq!(version["digest"], digest);
    assert_eq!(
        yard.get("/v1/packages/eve/forms/versions").await.problem(),
        "404 no-such-skill"
    );
    let found = yard.get("/v1/search?q=forms").await.json();
    assert_eq!(found["results"][0]["id"], "ada/forms");

    // What is told leads somewhere, whoever published last.
    let eve = yard.full("eve").await;
    let path = "/skills/forms/transfer";
    yard.put(path, &ada, &json!({ "to": "eve" })).await;
    yard.post(path, &eve, &json!({})).await;
    let found = yard.get("/v1/search?q=forms").await.json();
    assert_eq!(found["results"][0]["id"], "eve/forms");
    let listed = yard.get("/v1/packages/eve/forms/versions").await;
    assert_eq!(listed.status, 200);
    let page = yard.get("/view/forms").await.text();
    assert!(page.contains("apm install eve/forms<"), "{page}");
}
