//! What a registry is for.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use skillyard_format::Digest;

use super::yard::{Yard, instructions, packed, skill, with_file};

#[tokio::test]
async fn a_published_skill_is_listed_shown_indexed_and_fetched() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let answer = yard.publish(&ada, skill("forms", "1.0.0")).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let digest = answer.json()["digest"].as_str().unwrap().to_owned();

    let list = yard.get("/skills?q=forms").await.json();
    let found = &list["skills"][0];
    // The fields that the first clients were written for.
    assert_eq!(found["name"], "forms");
    assert_eq!(
        found["description"],
        "Fills forms. Use when a task involves forms."
    );
    assert_eq!(found["version"], "1.0.0");
    assert_eq!(found["author"], "ada");
    assert_eq!(found["publisher"], "ada");
    assert_eq!(found["downloads"], 0);
    assert_eq!(
        found["download_url"],
        "https://yard.example/skills/forms/1.0.0/download"
    );

    let shown = yard.get("/skills/forms").await.json();
    assert_eq!(shown["owners"], json!(["ada"]));
    assert_eq!(shown["license"], "MIT");
    assert_eq!(shown["versions"][0]["digest"], *digest);

    let index = yard.get("/index/fo/rm/forms").await;
    let line: Value = serde_json::from_str(index.text().trim()).unwrap();
    assert_eq!(
        (&line["digest"], &line["yanked"]),
        (&json!(digest), &json!(false))
    );

    for path in ["/skills/forms/download", "/skills/forms/1.0.0/download"] {
        let archive = yard.get(path).await;
        assert_eq!(archive.status, 200);
        assert_eq!(Digest::of(&archive.body).to_string(), digest);
        assert_eq!(
            archive.header("content-length"),
            archive.body.len().to_string()
        );
    }
}

#[tokio::test]
async fn the_index_can_be_cached() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    let first = yard.get("/index/fo/rm/forms").await;
    let tag = first.header("etag").to_owned();
    let again = |tag: &str| {
        let request = Request::get("/index/fo/rm/forms").header("if-none-match", tag);
        request.body(Body::empty()).unwrap()
    };
    assert_eq!(yard.send(again(&tag)).await.status, 304);
    assert_eq!(
        yard.send(again(&format!("\"x\", W/{tag}"))).await.status,
        304
    );
    yard.publish(&ada, skill("forms", "1.1.0")).await;
    let changed = yard.send(again(&tag)).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), tag);
    let archive = yard.get("/skills/forms/1.0.0/download").await;
    assert!(archive.header("cache-control").contains("immutable"));
    let latest = yard.get("/skills/forms/download").await;
    assert!(!latest.header("cache-control").contains("immutable"));
}

#[tokio::test]
async fn the_latest_version_is_never_one_that_was_withdrawn() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    for version in ["1.0.0", "1.2.0", "1.1.0", "2.0.0-beta.1"] {
        yard.publish(&ada, skill("forms", version)).await;
    }
    let latest = async || yard.get("/skills/forms").await.json()["version"].clone();
    assert_eq!(latest().await, "1.2.0");
    let answer = yard
        .ask(
            "DELETE",
            "/skills/forms/1.2.0?reason=broken",
            Some(&ada),
            Body::empty(),
        )
        .await;
    assert_eq!(answer.json()["reason"], "broken");
    assert_eq!(latest().await, "1.1.0");
    // Its bytes are still there for those who locked it.
    assert_eq!(yard.get("/skills/forms/1.2.0/download").await.status, 200);
    let path = "/skills/forms/1.2.0/restore";
    yard.ask("POST", path, Some(&ada), Body::empty()).await;
    assert_eq!(latest().await, "1.2.0");
}

#[tokio::test]
async fn search_has_tiers_facets_pages_and_orders() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    for name in ["form", "form-filler", "tax-form", "invoices"] {
        let token = if name == "invoices" { &eve } else { &ada };
        assert_eq!(yard.publish(token, skill(name, "1.0.0")).await.status, 201);
    }
    let script = with_file(
        "runner",
        "1.0.0",
        "scripts/run.sh",
        b"#!/bin/sh\necho hello\n",
    );
    assert_eq!(yard.publish(&eve, script).await.status, 201);
    let names = async |query: &str| -> Vec<String> {
        let found = yard.get(&format!("/skills?{query}")).await.json();
        let found = found["skills"].as_array().unwrap().clone();
        found
            .iter()
            .map(|each| each["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let found = names("q=form").await;
    assert_eq!(found[..2], ["form", "form-filler"]);
    assert!(found.contains(&"tax-form".to_owned()));
    assert_eq!(names("owner=eve").await, ["invoices", "runner"]);
    assert_eq!(names("scripts=true").await, ["runner"]);
    assert_eq!(
        names("tag=office&license=mit&limit=2").await,
        ["form", "form-filler"]
    );
    assert_eq!(names("limit=2&offset=4").await, ["tax-form"]);
    assert_eq!(names("sort=updated&limit=1").await, ["runner"]);
    assert_eq!(yard.get("/skills?limit=1").await.json()["total"], 5);
}

#[tokio::test]
async fn downloads_count_once_per_visitor_and_day() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    for _ in 0..3 {
        yard.get("/skills/forms/download").await;
    }
    yard.pass(24 * 3600);
    yard.get("/skills/forms/download").await;
    yard.server.settle().await;
    assert_eq!(yard.get("/skills/forms").await.json()["downloads"], 2);
}

#[tokio::test]
async fn who_only_asks_or_has_it_already_downloads_nothing() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    for path in [
        "/skills/forms/download",
        "/skills/forms/1.0.0/archive.zip",
        "/v1/packages/ada/forms/versions/1.0.0/download",
    ] {
        let head = yard.ask("HEAD", path, None, Body::empty()).await;
        assert_eq!(head.status, 200, "{path}");
        assert_eq!(yard.get_tagged(path, "*").await.status, 304, "{path}");
    }
    yard.server.settle().await;
    assert_eq!(yard.get("/skills/forms").await.json()["downloads"], 0);
    yard.get_tagged("/skills/forms/download", "\"other\"").await;
    yard.server.settle().await;
    assert_eq!(yard.get("/skills/forms").await.json()["downloads"], 1);
}

#[tokio::test]
async fn who_fetched_a_skill_is_forgotten_and_the_count_stays() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    let file = yard.folder.path().join("registry.db");
    let address = format!("sqlite:{}", file.display());
    let pool = sqlx::AnyPool::connect(&address).await.unwrap();
    for day in 1..=4_i64 {
        yard.get("/skills/forms/download").await;
        // What was counted is there after the first, what has passed is gone after the second.
        yard.server.settle().await;
        yard.server.settle().await;
        let kept: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM downloads")
            .fetch_one(&pool)
            .await
            .unwrap();
        assert_eq!(kept, day.min(2), "on day {day}");
        yard.pass(24 * 3600);
    }
    assert_eq!(yard.get("/skills/forms").await.json()["downloads"], 4);
}

#[tokio::test]
async fn a_skill_is_deprecated_and_recommended_again() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    let path = "/skills/forms/deprecation";
    let body = json!({ "message": "use papers" }).to_string();
    yard.ask("PUT", path, Some(&ada), body).await;
    assert_eq!(
        yard.get("/skills/forms").await.json()["deprecated"],
        "use papers"
    );
    yard.ask("DELETE", path, Some(&ada), Body::empty()).await;
    assert_eq!(
        yard.get("/skills/forms").await.json()["deprecated"],
        Value::Null
    );
}

#[tokio::test]
async fn the_same_files_in_another_archive_are_the_same_version() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let text = instructions("forms", "1.0.0");
    let flat = packed(&[("SKILL.md", text.as_bytes())]);
    let folder = packed(&[("forms/SKILL.md", text.as_bytes())]);
    let first = yard.publish(&ada, flat).await;
    let second = yard.publish(&ada, folder).await;
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (201, 200));
    assert_eq!(first.json()["digest"], second.json()["digest"]);
}

#[tokio::test]
async fn who_wrote_a_skill_is_told_apart_from_who_published_it() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let text = instructions("forms", "1.0.0");
    let text = text.replace("metadata:\n", "metadata:\n  author: r9s <ai>\n");
    assert!(text.contains("r9s"), "{text}");
    let answer = yard
        .publish(&ada, packed(&[("SKILL.md", text.as_bytes())]))
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    for skill in [
        yard.get("/skills?q=forms").await.json()["skills"][0].clone(),
        yard.get("/skills/forms").await.json(),
    ] {
        let (author, publisher) = (&skill["author"], &skill["publisher"]);
        assert_eq!((author, publisher), (&json!("r9s <ai>"), &json!("ada")));
    }
    let page = yard.get("/view/forms").await.text();
    assert!(
        page.contains("r9s &#60;ai&#62;, as its SKILL.md says"),
        "{page}"
    );
    // Only accounts own something.
    let owned = async |owner: &str| {
        let list = yard.get(&format!("/skills?owner={owner}")).await.json();
        list["skills"].as_array().unwrap().len()
    };
    assert_eq!((owned("ada").await, owned("r9s").await), (1, 0));
}
