//! What is done, and what is refused, stands in the audit log.

use std::pin::pin;
use std::task::Poll;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::yard::{Yard, skill};

fn events(yard: &Yard) -> Vec<Value> {
    let text = std::fs::read_to_string(yard.folder.path().join("logs/audit.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn every_change_and_every_refusal_is_recorded() {
    let yard = Yard::new().await.recorded();
    let ada = yard
        .token("ada", &["publish", "yank", "owners", "tokens"])
        .await;
    let eve = yard.full("eve").await;
    yard.full("bob").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    yard.publish(&eve, skill("forms", "9.0.0")).await;
    yard.delete("/skills/forms/1.0.0?reason=broken", &ada).await;
    yard.delete("/skills/forms/1.0.0", &eve).await;
    yard.post("/skills/forms/1.0.0/restore", &ada, &json!({}))
        .await;
    yard.put(
        "/skills/forms/deprecation",
        &ada,
        &json!({ "message": "use papers" }),
    )
    .await;
    yard.put(
        "/skills/forms/deprecation",
        &eve,
        &json!({ "message": "use mine" }),
    )
    .await;
    yard.put(
        "/skills/forms/dist-tags/beta",
        &ada,
        &json!({ "version": "1.0.0" }),
    )
    .await;
    yard.put(
        "/skills/forms/dist-tags/beta",
        &eve,
        &json!({ "version": "1.0.0" }),
    )
    .await;
    yard.put("/namespaces/acme", &ada, &json!({})).await;
    yard.put("/namespaces/acme", &eve, &json!({})).await;
    yard.put(
        "/skills/forms/owners/bob",
        &ada,
        &json!({ "role": "publisher" }),
    )
    .await;
    yard.put("/skills/forms/transfer", &ada, &json!({ "to": "eve" }))
        .await;
    yard.post("/skills/forms/transfer", &eve, &json!({})).await;
    let made = yard
        .post("/tokens", &ada, &json!({ "scopes": ["publish"] }))
        .await
        .json();
    yard.delete(&format!("/tokens/{}", made["id"].as_str().unwrap()), &ada)
        .await;
    yard.post("/tokens", &eve, &json!({ "scopes": ["publish"] }))
        .await;

    let told: Vec<String> = events(&yard)
        .iter()
        .map(|event| {
            let text = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
            let account = event["detail"]["account"].as_str().unwrap();
            format!("{} {} {account}", text("event"), text("outcome"))
        })
        .collect();
    assert_eq!(
        told,
        [
            "registry.published ok ada",
            "registry.published denied eve",
            "registry.yanked ok ada",
            "registry.yanked denied eve",
            "registry.yanked ok ada",
            "registry.deprecated ok ada",
            "registry.deprecated denied eve",
            "registry.tagged ok ada",
            "registry.tagged denied eve",
            "registry.owners_changed ok ada",
            "registry.owners_changed denied eve",
            "registry.owners_changed ok ada",
            "registry.owners_changed ok ada",
            "registry.owners_changed ok eve",
            "registry.token_changed ok ada",
            "registry.token_changed ok ada",
            "registry.token_changed denied eve",
        ]
    );
    let text = std::fs::read_to_string(yard.folder.path().join("logs/audit.jsonl")).unwrap();
    for secret in [&*ada, &*eve, made["token"].as_str().unwrap()] {
        assert!(!text.contains(secret), "a token stands in the log");
    }
}

/// Asks for something and goes away when the answer has been waited for so many times; says
/// whether there was one before.
async fn asked_and_left(yard: &Yard, request: Request<Body>, patience: usize) -> bool {
    let mut left = patience;
    let mut asked = pin!(yard.router.clone().oneshot(request));
    let answered = std::future::poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        asked.as_mut().poll(context).map(|_| true)
    });
    answered.await
}

#[tokio::test]
async fn who_goes_away_in_time_hides_nothing() {
    let yard = Yard::new().await.recorded();
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    for patience in 1_usize.. {
        let request = Request::put(format!("/skills/forms/dist-tags/x{patience}"))
            .header("authorization", format!("Bearer {ada}"))
            .header("content-type", "application/json")
            .body(Body::from(r#"{"version":"1.0.0"}"#));
        if asked_and_left(&yard, request.unwrap(), patience).await {
            break;
        }
    }
    yard.server.settle().await;
    let tags = yard.get("/skills/forms/dist-tags").await.json();
    let mut tags: Vec<&String> = tags["dist_tags"].as_object().unwrap().keys().collect();
    tags.retain(|tag| *tag != "latest");
    let events = events(&yard);
    let tagged = events
        .iter()
        .filter(|each| each["event"] == "registry.tagged");
    let mut recorded: Vec<&str> = tagged
        .map(|each| each["detail"]["tag"].as_str().unwrap())
        .collect();
    recorded.sort_unstable();
    assert!(!tags.is_empty());
    assert_eq!(tags, recorded);
}

#[tokio::test]
async fn what_cannot_be_recorded_does_not_happen() {
    let yard = Yard::new().await;
    let ada = yard
        .token("ada", &["publish", "yank", "owners", "tokens"])
        .await;
    let spare = yard.token("ada", &["tokens"]).await;
    yard.full("eve").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    // Nothing can be written where a folder is in the way.
    let yard = yard.recorded();
    let log = yard.folder.path().join("logs/audit.jsonl");
    std::fs::create_dir(&log).unwrap();
    let tried = [
        yard.publish(&ada, skill("forms", "2.0.0")).await,
        yard.delete("/skills/forms/1.0.0?reason=secretly", &ada)
            .await,
        yard.put(
            "/skills/forms/owners/eve",
            &ada,
            &json!({ "role": "owner" }),
        )
        .await,
        yard.put("/namespaces/acme", &ada, &json!({})).await,
        yard.post("/tokens", &ada, &json!({ "scopes": ["publish"] }))
            .await,
    ];
    for answer in tried {
        assert_eq!(answer.problem(), "503 unavailable");
    }
    let shown = yard.get("/skills/forms").await.json();
    assert_eq!(shown["versions"].as_array().unwrap().len(), 1);
    assert_eq!(shown["versions"][0]["yanked"], false);
    assert_eq!(shown["owners"], json!(["ada"]));
    let tokens = yard.ask("GET", "/tokens", Some(&ada), Body::empty()).await;
    assert_eq!(tokens.json()["tokens"].as_array().unwrap().len(), 2);
    assert_eq!(
        yard.get("/namespaces/acme").await.problem(),
        "404 no-such-namespace"
    );
    // To end a token allows less, and must be possible. What is missing is told afterwards.
    let tokens = tokens.json()["tokens"].clone();
    let mut others = tokens.as_array().unwrap().iter();
    let other = others.find(|each| each["current"] == false).unwrap();
    let path = format!("/tokens/{}", other["id"].as_str().unwrap());
    assert_eq!(yard.delete(&path, &ada).await.status, 200);
    let refused = yard.ask("GET", "/me", Some(&spare), Body::empty()).await;
    assert_eq!(refused.problem(), "401 token-refused");
    std::fs::remove_dir(&log).unwrap();
    yard.delete("/skills/forms/1.0.0?reason=openly", &ada).await;
    let events = events(&yard);
    let told: Vec<&str> = events
        .iter()
        .map(|each| each["event"].as_str().unwrap())
        .collect();
    assert_eq!(told, ["audit.lost", "registry.yanked"]);
    assert_eq!(events[0]["detail"]["events"], "6");
}
