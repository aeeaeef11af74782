//! The document says what the routes do.

use std::collections::BTreeSet;

use serde_json::Value;
use skillyard_registry::server::ReadAccess;

use super::yard::{Yard, skill, with_file};

/// Every route of `routes.rs`, as `get /skills/{name}`.
fn routes() -> BTreeSet<String> {
    let text = include_str!("../../src/routes.rs");
    let text: String = text.split_whitespace().collect();
    let mut routes = BTreeSet::new();
    for part in text.split(".route(").skip(1) {
        let (path, rest) = part[1..].split_once('"').unwrap();
        let path = path.replace("{*", "{");
        for method in ["get", "put", "post", "delete"] {
            let begins = [format!(",{method}("), format!(").{method}(")];
            if begins.iter().any(|begin| rest.contains(begin.as_str())) {
                routes.insert(format!("{method} {path}"));
            }
        }
    }
    routes
}

fn documented(document: &Value) -> BTreeSet<String> {
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().keys();
        methods.map(move |method| format!("{method} {path}"))
    });
    operations.collect()
}

#[tokio::test]
async fn every_route_is_in_the_document_and_nothing_else() {
    let document = Yard::new().await.get("/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let routes = routes();
    assert!(routes.len() > 30 && routes.contains("delete /skills/{name}/{version}"));
    assert_eq!(documented(&document), routes);
}

#[tokio::test]
async fn every_operation_has_a_name_of_its_own_and_says_how_it_fails() {
    let document = Yard::new().await.get("/openapi.json").await.json();
    let mut names = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap();
            assert!(names.insert(name.to_owned()), "{name}");
            assert!(operation["summary"].is_string(), "{method} {path}");
            let responses = &operation["responses"];
            assert!(responses["429"].is_object(), "{method} {path}");
            let parts = path.matches('{').count();
            let parameters = operation["parameters"].as_array();
            let in_path = parameters.into_iter().flatten();
            let in_path = in_path.filter(|each| each["in"] == "path").count();
            assert_eq!(parts, in_path, "{method} {path}");
            if operation["security"].is_array() {
                assert!(responses["401"].is_object(), "{method} {path}");
            }
        }
    }
    let referenced: BTreeSet<&str> = references(&document).collect();
    assert!(referenced.len() > 10);
    for reference in referenced {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

fn references(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::Object(fields) => Box::new(fields.iter().flat_map(|(key, value)| {
            let own = (key == "$ref").then(|| value.as_str()).flatten();
            own.into_iter().chain(references(value))
        })),
        Value::Array(items) => Box::new(items.iter().flat_map(references)),
        _ => Box::new(std::iter::empty()),
    }
}

#[tokio::test]
async fn what_has_not_changed_is_not_sent_again() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    // Longer than what a tag is made for behind the answer.
    let noise =
        (0..200_000_u64).flat_map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    let noise: Vec<u8> = noise.collect();
    let long = with_file("long", "1.0.0", "assets/data.bin", &noise);
    assert_eq!(yard.publish(&ada, long).await.status, 201);
    for path in [
        "/",
        "/skills/long/1.0.0/archive.zip",
        "/skills/long/download",
        "/.well-known/skills/long/assets/data.bin",
        "/view/forms",
        "/owners/ada",
        "/skills",
        "/skills/forms",
        "/skills/forms/1.0.0/download",
        "/index/fo/rm/forms",
        "/.well-known/agent-skills/index.json",
        "/.well-known/skills/index.json",
        "/.claude-plugin/marketplace.json",
        "/openapi.json",
        "/assets/style.css",
    ] {
        let first = yard.get(path).await;
        assert_eq!(first.status, 200, "{path}");
        assert!(!first.header("cache-control").is_empty(), "{path}");
        let tag = first.header("etag").to_owned();
        assert!(tag.starts_with('"'), "{path}");
        let again = yard.get_tagged(path, &tag).await;
        assert_eq!(again.status, 304, "{path}");
        assert!(again.body.is_empty());
        assert_eq!(again.header("etag"), tag, "{path}");
        assert_eq!(yard.get_tagged(path, "\"other\"").await.status, 200);
    }
    let before = yard.get("/.well-known/agent-skills/index.json").await;
    yard.publish(&ada, skill("forms", "1.1.0")).await;
    let after = yard
        .get_tagged(
            "/.well-known/agent-skills/index.json",
            before.header("etag"),
        )
        .await;
    assert_eq!(after.status, 200);
}

#[tokio::test]
async fn what_is_for_one_account_is_not_kept_by_others() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let me = yard.ask("GET", "/me", Some(&ada), "").await;
    assert_eq!(me.header("cache-control"), "private, no-store");
}

#[tokio::test]
async fn the_document_of_a_private_registry_says_where_a_token_is_needed() {
    let open = Yard::new().await.get("/openapi.json").await.json();
    assert!(open["paths"]["/skills"]["get"].get("security").is_none());
    let yard = Yard::with(|settings| settings.access = ReadAccess::Private).await;
    let ada = yard.full("ada").await;
    let document = yard.ask("GET", "/openapi.json", Some(&ada), "").await;
    let document = document.json();
    for (path, item) in document["paths"].as_object().unwrap() {
        let Some(read) = item.get("get") else {
            continue;
        };
        let is_free = matches!(path.as_str(), "/health" | "/ready" | "/login")
            || path.starts_with("/assets/");
        let says = read.get("security").is_some() && read["responses"].get("401").is_some();
        assert_eq!(says, !is_free, "{path}");
    }
}
