//! Tags that stand for versions.

use serde_json::json;

use super::yard::{Yard, skill};

#[tokio::test]
async fn tags_are_set_moved_listed_and_removed() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    for version in ["1.0.0", "1.1.0"] {
        yard.publish(&ada, skill("forms", version)).await;
    }
    let answer = yard
        .ask(
            "POST",
            "/skills?tag=beta",
            Some(&ada),
            skill("forms", "2.0.0-rc.1"),
        )
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let tags = async || yard.get("/skills/forms/dist-tags").await.json()["dist_tags"].clone();
    assert_eq!(
        tags().await,
        json!({ "beta": "2.0.0-rc.1", "latest": "1.1.0" })
    );

    let set = async |tag: &str, version: &str, token: &str| {
        let path = format!("/skills/forms/dist-tags/{tag}");
        yard.put(&path, token, &json!({ "version": version })).await
    };
    set("beta", "1.1.0", &ada).await;
    set("latest", "1.0.0", &ada).await;
    assert_eq!(tags().await, json!({ "beta": "1.1.0", "latest": "1.0.0" }));
    assert_eq!(yard.get("/skills/forms").await.json()["version"], "1.0.0");
    let latest = yard.get("/skills/forms/download").await;
    assert_eq!(latest.header("x-skillyard-version"), "1.0.0");
    // A new version does not move what was set by hand; a withdrawn one is not the latest.
    yard.publish(&ada, skill("forms", "3.0.0")).await;
    assert_eq!(yard.get("/skills/forms").await.json()["version"], "1.0.0");
    yard.delete("/skills/forms/1.0.0", &ada).await;
    assert_eq!(yard.get("/skills/forms").await.json()["version"], "3.0.0");
    // A version that was withdrawn is no tag's, whoever asks, and is one's again when it is back.
    let both = async || {
        let shown = yard.get("/skills/forms").await.json()["dist_tags"].clone();
        assert_eq!(shown, tags().await);
        shown
    };
    let whole = json!({ "beta": "1.1.0", "latest": "3.0.0" });
    assert_eq!(both().await, whole);
    yard.delete("/skills/forms/1.1.0", &ada).await;
    assert_eq!(both().await, json!({ "latest": "3.0.0" }));
    yard.post("/skills/forms/1.1.0/restore", &ada, &json!({}))
        .await;
    assert_eq!(both().await, whole);

    assert_eq!(
        set("beta", "9.9.9", &ada).await.problem(),
        "404 no-such-version"
    );
    assert_eq!(set("beta", "1.0.0", &ada).await.problem(), "400 parameter");
    assert_eq!(set("beta", "1.1.0", &eve).await.problem(), "403 not-owner");
    for bad in ["v1", "1.0", "x", "Beta", "a%2Fb", "..", "%00"] {
        let answer = set(bad, "1.1.0", &ada).await;
        assert!(
            matches!(answer.status.as_u16(), 400 | 404),
            "{bad}: {}",
            answer.text()
        );
    }
    assert_eq!(
        yard.delete("/skills/forms/dist-tags/beta", &ada)
            .await
            .status,
        200
    );
    let gone = yard.delete("/skills/forms/dist-tags/beta", &ada).await;
    assert_eq!(gone.problem(), "404 no-such-tag");
}

#[tokio::test]
async fn a_version_that_is_there_gets_the_tag_it_is_published_with() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    let again = async || {
        let files = skill("forms", "1.0.0");
        yard.ask("POST", "/skills?tag=beta", Some(&ada), files)
            .await
    };
    let tags = async || yard.get("/skills/forms/dist-tags").await.json()["dist_tags"].clone();
    for _ in 0..2 {
        assert_eq!(again().await.status, 200);
        assert_eq!(tags().await, json!({ "beta": "1.0.0", "latest": "1.0.0" }));
    }
    yard.delete("/skills/forms/dist-tags/beta", &ada).await;
    yard.delete("/skills/forms/1.0.0", &ada).await;
    assert_eq!(again().await.problem(), "400 parameter");
}
