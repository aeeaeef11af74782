//! `@owner/name`: who may do what in a namespace, and where its skills are found.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use super::yard::{Yard, skill};

#[tokio::test]
async fn the_same_name_lives_in_several_namespaces() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    // Everybody's own namespace is there when it is first used.
    let answer = yard.publish_in("ada", &ada, skill("forms", "2.0.0")).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(answer.json()["name"], "@ada/forms");
    assert_eq!(answer.header("location"), "/skills/@ada/forms");
    yard.publish_in("eve", &eve, skill("forms", "3.0.0")).await;
    for (name, version) in [
        ("forms", "1.0.0"),
        ("@ada/forms", "2.0.0"),
        ("@eve/forms", "3.0.0"),
    ] {
        let shown = yard.get(&format!("/skills/{name}")).await.json();
        assert_eq!(
            (&shown["name"], &shown["version"]),
            (&json!(name), &json!(version))
        );
        let path = format!("/skills/{name}/{version}/download");
        let archive = yard.get(&path).await;
        let digest = skillyard_format::Digest::of(&archive.body).to_string();
        assert_eq!(shown["versions"][0]["digest"], digest);
        // Escaped, as other clients would write it, it is the same.
        let path = format!("/skills/{}", name.replace('/', "%2F"));
        assert_eq!(yard.get(&path).await.json()["version"], version);
    }
    assert_eq!(yard.get("/index/@ada/fo/rm/forms").await.status, 200);
    assert_eq!(
        yard.get("/index/@ada/forms").await.problem(),
        "404 no-such-skill"
    );
    assert_eq!(
        yard.get("/skills/@nobody/forms").await.problem(),
        "404 no-such-skill"
    );
    assert_eq!(yard.get("/view/@ada/forms").await.status, 200);
}

#[tokio::test]
async fn documents_are_one_for_each_namespace() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    yard.publish_in("ada", &ada, skill("papers", "2.0.0")).await;
    for (base, name) in [("", "forms"), ("/@ada", "papers")] {
        let path = format!("{base}/.well-known/agent-skills/index.json");
        let document = yard.get(&path).await.json();
        assert_eq!(document["skills"].as_array().unwrap().len(), 1);
        assert_eq!(document["skills"][0]["name"], name);
        let archive = yard
            .get(document["skills"][0]["url"].as_str().unwrap())
            .await;
        let digest = skillyard_format::Digest::of(&archive.body).to_string();
        assert_eq!(document["skills"][0]["digest"], digest);
        let document = yard
            .get(&format!("{base}/.well-known/skills/index.json"))
            .await;
        assert_eq!(document.json()["skills"][0]["name"], name);
        let file = yard
            .get(&format!("{base}/.well-known/skills/{name}/SKILL.md"))
            .await;
        assert!(file.text().contains(name), "{}", file.text());
        let market = yard
            .get(&format!("{base}/.claude-plugin/marketplace.json"))
            .await
            .json();
        assert_eq!(market["plugins"][0]["name"], name);
    }
    let plain = yard.get("/ada/.well-known/skills/index.json").await;
    assert_eq!(plain.problem(), "404 not-found");
    // apm knows owners and names, which is what a namespace is.
    let listed = yard.get("/v1/packages/ada/papers/versions").await.json();
    assert_eq!(listed["versions"][0]["version"], "2.0.0");
}

#[tokio::test]
async fn a_namespace_belongs_to_whoever_made_it_and_whom_they_let_in() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    yard.full("bob").await;
    let refused = yard.publish_in("acme", &ada, skill("forms", "1.0.0")).await;
    assert_eq!(refused.problem(), "404 no-such-namespace");
    assert_eq!(
        yard.put("/namespaces/acme", &ada, &json!({})).await.status,
        200
    );
    assert_eq!(
        yard.put("/namespaces/acme", &ada, &json!({})).await.status,
        200
    );
    assert_eq!(
        yard.put("/namespaces/acme", &eve, &json!({}))
            .await
            .problem(),
        "403 not-owner"
    );
    assert_eq!(
        yard.put("/namespaces/a-cme", &eve, &json!({}))
            .await
            .problem(),
        "409 confusable-name"
    );
    // Others' own, what looks like it, and what is reserved cannot be taken.
    assert_eq!(
        yard.put("/namespaces/eve", &ada, &json!({}))
            .await
            .problem(),
        "409 confusable-name"
    );
    assert_eq!(
        yard.put("/namespaces/e-ve", &ada, &json!({}))
            .await
            .problem(),
        "409 confusable-name"
    );
    assert_eq!(
        yard.put("/namespaces/anthropic", &ada, &json!({}))
            .await
            .problem(),
        "422 name"
    );
    for bad in [
        "Acme",
        "a_b",
        "a--b",
        "%D0%B0cme",
        "a%2Fb",
        "a".repeat(40).as_str(),
    ] {
        let answer = yard
            .put(&format!("/namespaces/{bad}"), &ada, &json!({}))
            .await;
        assert_eq!(answer.problem(), "400 parameter", "{bad}");
    }

    yard.publish_in("acme", &ada, skill("forms", "1.0.0")).await;
    let publish =
        async |version: &str| yard.publish_in("acme", &eve, skill("forms", version)).await;
    let yank = async || yard.delete("/skills/@acme/forms/1.0.0", &eve).await;
    let add = async || {
        yard.put(
            "/namespaces/acme/members/bob",
            &eve,
            &json!({ "role": "owner" }),
        )
        .await
    };
    let own = async || {
        yard.put(
            "/skills/@acme/forms/owners/bob",
            &eve,
            &json!({ "role": "owner" }),
        )
        .await
    };
    assert_eq!(publish("1.1.0").await.problem(), "403 not-owner");
    assert_eq!(yank().await.problem(), "403 not-owner");

    let role = async |role: &str| {
        let role = json!({ "role": role });
        let answer = yard.put("/namespaces/acme/members/eve", &ada, &role).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    };
    role("publisher").await;
    assert_eq!(publish("1.1.0").await.status, 201);
    assert_eq!(yank().await.problem(), "403 role");
    assert_eq!(own().await.problem(), "403 role");
    role("maintainer").await;
    assert_eq!(yank().await.status, 200);
    assert_eq!(add().await.problem(), "403 role");
    role("owner").await;
    assert_eq!(add().await.status, 200);
    let wrong = yard
        .put(
            "/namespaces/acme/members/eve",
            &ada,
            &json!({ "role": "king" }),
        )
        .await;
    assert_eq!(wrong.problem(), "400 parameter");

    let shown = yard.get("/namespaces/acme").await.json();
    assert_eq!(shown["owners"], json!(["ada", "bob", "eve"]));
    assert_eq!(shown["skills"], json!(["@acme/forms"]));
    for account in ["ada", "bob"] {
        let path = format!("/namespaces/acme/members/{account}");
        assert_eq!(yard.delete(&path, &eve).await.status, 200);
    }
    let last = yard.delete("/namespaces/acme/members/eve", &eve).await;
    assert_eq!(last.problem(), "409 last-owner");
}

#[tokio::test]
async fn who_may_only_read_makes_no_namespace() {
    let yard = Yard::new().await;
    for (scope, expected) in [
        ("read", 403),
        ("yank", 403),
        ("publish:@acme/*", 403),
        ("publish:@eve/*", 200),
        ("owners", 200),
    ] {
        let eve = yard.token("eve", &[scope]).await;
        let made = yard.put("/namespaces/eve", &eve, &json!({})).await;
        assert_eq!(made.status, expected, "{scope}: {}", made.text());
    }
}

#[tokio::test]
async fn roles_of_one_skill_reach_no_further() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    for name in ["forms", "papers"] {
        yard.publish(&ada, skill(name, "1.0.0")).await;
    }
    let role = json!({ "role": "publisher" });
    let answer = yard.put("/skills/forms/owners/eve", &ada, &role).await;
    assert_eq!(answer.json()["owners"], json!(["ada"]));
    assert_eq!(
        answer.json()["people"][1],
        json!({ "account": "eve", "role": "publisher" })
    );
    assert_eq!(
        yard.publish(&eve, skill("forms", "1.1.0")).await.status,
        201
    );
    assert_eq!(
        yard.publish(&eve, skill("papers", "1.1.0")).await.problem(),
        "403 not-owner"
    );
    assert_eq!(
        yard.delete("/skills/forms/1.0.0", &eve).await.problem(),
        "403 role"
    );
    // The last owner cannot make themselves less, either.
    let less = yard.put("/skills/forms/owners/ada", &ada, &role).await;
    assert_eq!(less.problem(), "409 last-owner");
    // Whoever wants to go may.
    assert_eq!(
        yard.delete("/skills/forms/owners/eve", &eve).await.status,
        200
    );
    assert_eq!(
        yard.publish(&eve, skill("forms", "1.2.0")).await.problem(),
        "403 not-owner"
    );
}

#[tokio::test]
async fn nobody_gets_nothing() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    yard.put("/namespaces/acme", &ada, &json!({})).await;
    let gifts = [
        ("/skills/forms/owners/evee", json!({ "role": "publisher" })),
        ("/namespaces/acme/members/evee", json!({ "role": "owner" })),
        ("/skills/forms/transfer", json!({ "to": "evee" })),
        ("/namespaces/acme/transfer", json!({ "to": "evee" })),
    ];
    for (path, body) in &gifts {
        let answer = yard.put(path, &ada, body).await;
        assert_eq!(answer.problem(), "404 no-such-account", "{path}");
        // Who may not give anything does not learn who is there.
        let answer = yard.put(path, &eve, body).await;
        assert_eq!(answer.problem(), "403 not-owner", "{path}");
    }
    let shown = yard.get("/skills/forms/owners").await.json();
    assert_eq!(shown["people"].as_array().unwrap().len(), 1);
    let shown = yard.get("/namespaces/acme").await.json();
    assert_eq!(shown["people"].as_array().unwrap().len(), 1);

    // A token that has ended was one.
    yard.full("evee").await;
    yard.pass(7_200);
    let ada = yard.full("ada").await;
    for (path, body) in &gifts {
        let answer = yard.put(path, &ada, body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
}

#[tokio::test]
async fn handing_over_takes_two() {
    let yard = Yard::new().await;
    let (ada, eve, bob) = (
        yard.full("ada").await,
        yard.full("eve").await,
        yard.full("bob").await,
    );
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    let path = "/skills/forms/transfer";
    let offer = json!({ "to": "eve" });
    assert_eq!(
        yard.put(path, &eve, &offer).await.problem(),
        "403 not-owner"
    );
    assert_eq!(
        yard.post(path, &eve, &json!({})).await.problem(),
        "404 no-such-transfer"
    );
    let made = yard.put(path, &ada, &offer).await.json();
    assert_eq!((&made["from"], &made["to"]), (&json!("ada"), &json!("eve")));
    // Nothing has changed, and nobody else can take it.
    assert_eq!(
        yard.publish(&eve, skill("forms", "1.1.0")).await.problem(),
        "403 not-owner"
    );
    assert_eq!(
        yard.post(path, &bob, &json!({})).await.problem(),
        "404 no-such-transfer"
    );
    assert_eq!(
        yard.delete(path, &bob).await.problem(),
        "404 no-such-transfer"
    );
    let request = yard
        .ask("GET", "/transfers", Some(&eve), Body::empty())
        .await;
    assert_eq!(request.json()["transfers"][0]["subject"], "forms");
    assert_eq!(yard.post(path, &eve, &json!({})).await.status, 200);
    assert_eq!(
        yard.get("/skills/forms/owners").await.json()["owners"],
        json!(["eve"])
    );
    assert_eq!(
        yard.publish(&ada, skill("forms", "1.1.0")).await.problem(),
        "403 not-owner"
    );
    assert_eq!(
        yard.post(path, &eve, &json!({})).await.problem(),
        "404 no-such-transfer"
    );

    // An offer can be declined, taken back, and ends.
    yard.put(path, &eve, &json!({ "to": "ada" })).await;
    assert_eq!(yard.delete(path, &ada).await.status, 200);
    yard.put(path, &eve, &json!({ "to": "ada" })).await;
    yard.pass(15 * 24 * 3600);
    let ada = yard.full("ada").await;
    assert_eq!(
        yard.post(path, &ada, &json!({})).await.problem(),
        "404 no-such-transfer"
    );
}

/// What a namespace gives cannot be taken away, or handed over, at one of its skills.
#[tokio::test]
async fn a_role_in_a_namespace_ends_there_and_nowhere_else() {
    let yard = Yard::new().await;
    let (bob, cy) = (yard.full("bob").await, yard.full("cy").await);
    yard.publish_in("bob", &bob, skill("forms", "1.0.0")).await;
    let path = "/skills/@bob/forms/transfer";
    let offer = json!({ "to": "cy" });
    let answer = yard.put(path, &bob, &offer).await;
    assert_eq!(answer.problem(), "409 inherited-role");
    let detail = answer.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("through `@bob`"), "{detail}");
    let owner = json!({ "role": "owner" });
    yard.put("/skills/@bob/forms/owners/cy", &bob, &owner).await;
    let removed = yard.delete("/skills/@bob/forms/owners/bob", &cy).await;
    assert_eq!(removed.problem(), "409 inherited-role");
    let left = yard.delete("/skills/@bob/forms/owners/bob", &bob).await;
    assert_eq!(left.problem(), "409 inherited-role");
    // Also for who is an owner in both ways.
    yard.put("/skills/@bob/forms/owners/bob", &bob, &owner)
        .await;
    let answer = yard.put(path, &bob, &offer).await;
    assert_eq!(answer.problem(), "409 inherited-role");
    // What is of the skill alone can be handed over; what was offered before the sender got the
    // namespace cannot be taken.
    let dee = yard.full("dee").await;
    let to_dee = json!({ "to": "dee" });
    assert_eq!(yard.put(path, &cy, &to_dee).await.status, 200);
    yard.put("/namespaces/bob/members/cy", &bob, &owner).await;
    assert_eq!(
        yard.post(path, &dee, &json!({})).await.problem(),
        "409 inherited-role"
    );
    yard.delete("/namespaces/bob/members/cy", &bob).await;
    assert_eq!(yard.post(path, &dee, &json!({})).await.status, 200);
    let owners = yard.get("/skills/@bob/forms/owners").await.json()["owners"].clone();
    assert_eq!(owners, json!(["bob", "dee"]));
    // Nor is a role taken away that nobody has.
    for path in [
        "/skills/@bob/forms/owners/eve",
        "/namespaces/bob/members/eve",
    ] {
        assert_eq!(yard.delete(path, &bob).await.problem(), "404 no-such-role");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn first_uploads_into_own_namespaces_wait_for_nobody() {
    let yard = Yard::new().await;
    let mut uploads = JoinSet::new();
    for account in ["anna", "bert", "carl", "dora", "emil", "fritz"] {
        let token = yard.full(account).await;
        for number in 0..4 {
            let request = Request::post(format!("/skills?namespace={account}"))
                .header("authorization", format!("Bearer {token}"))
                .body(Body::from(skill(&format!("forms-{number}"), "1.0.0")));
            uploads.spawn(yard.router.clone().oneshot(request.unwrap()));
        }
    }
    let all = tokio::time::timeout(Duration::from_secs(18), uploads.join_all()).await;
    for answer in all.expect("they hold one another up") {
        assert_eq!(answer.unwrap().status(), 201);
    }
}
