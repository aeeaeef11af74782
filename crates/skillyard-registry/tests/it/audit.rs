//! What is done, and what is refused, stands in the audit log.

use serde_json::{Value, json};

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
