//! Tokens that people make for themselves, and registries that want one from everybody.

use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use skillyard_registry::server::{Proxy, ReadAccess};

use super::yard::{Yard, skill};

#[tokio::test]
async fn a_token_makes_tokens_that_can_do_no_more() {
    let yard = Yard::new().await;
    let maker = yard.token("ada", &["publish", "yank:pdf*", "tokens"]).await;
    let ask_for = async |scopes: &[&str], token: &str| {
        yard.post(
            "/tokens",
            token,
            &json!({ "scopes": scopes, "label": "ci" }),
        )
        .await
    };
    let made = ask_for(&["publish:forms", "read"], &maker).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json();
    let secret = made["token"].as_str().unwrap();
    assert!(secret.starts_with("sky_"));
    // It ends with the one that made it, which lasts an hour, not after 90 days.
    assert_eq!(made["expires"], "2027-01-15T09:00:00Z");
    assert_eq!(
        yard.publish(secret, skill("forms", "1.0.0")).await.status,
        201
    );
    assert_eq!(
        yard.publish(secret, skill("papers", "1.0.0"))
            .await
            .problem(),
        "403 scope"
    );

    for more in ["yank", "yank:p*", "owners", "owners:pdf"] {
        assert_eq!(
            ask_for(&[more], &maker).await.problem(),
            "403 more-than-own",
            "{more}"
        );
    }
    assert_eq!(ask_for(&["read"], secret).await.problem(), "403 scope");
    for bad in ["", "all", "publish:%", "tokens:x"] {
        assert_eq!(
            ask_for(&[bad], &maker).await.problem(),
            "400 parameter",
            "{bad}"
        );
    }
    assert_eq!(ask_for(&[], &maker).await.problem(), "400 parameter");

    let listed = yard
        .ask("GET", "/tokens", Some(&maker), Body::empty())
        .await;
    assert!(!listed.text().contains(&secret[8..]), "{}", listed.text());
    let listed = listed.json()["tokens"].clone();
    let of = |label: &str| {
        let found = listed.as_array().unwrap().iter();
        found
            .clone()
            .find(|each| each["label"] == label)
            .cloned()
            .unwrap()
    };
    assert_eq!(of("ci")["prefix"], secret[..8]);
    assert_eq!(of("ci")["scopes"], json!(["publish:forms", "read"]));

    // Somebody else's are not seen and not ended.
    let eve = yard.token("eve", &["tokens"]).await;
    let theirs = yard
        .ask("GET", "/tokens", Some(&eve), Body::empty())
        .await
        .json();
    assert_eq!(theirs["tokens"].as_array().unwrap().len(), 1);
    let path = format!("/tokens/{}", made["id"].as_str().unwrap());
    assert_eq!(
        yard.delete(&path, &eve).await.problem(),
        "404 no-such-token"
    );
    // Every token can end itself.
    assert_eq!(yard.delete(&path, secret).await.status, 200);
    assert_eq!(
        yard.publish(secret, skill("forms", "1.1.0"))
            .await
            .problem(),
        "401 token-refused"
    );
    yard.pass(3601);
    assert_eq!(
        ask_for(&["publish"], &maker).await.problem(),
        "401 token-refused"
    );
}

#[tokio::test]
async fn a_private_registry_lets_nobody_in_without_a_token() {
    let yard = Yard::with(|settings| settings.access = ReadAccess::Private).await;
    let (ada, reader) = (yard.full("ada").await, yard.token("bob", &["read"]).await);
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    for path in [
        "/",
        "/skills",
        "/skills/forms",
        "/skills/forms/download",
        "/index/fo/rm/forms",
        "/log/entries?from=0",
        "/.well-known/agent-skills/index.json",
        "/nothing",
    ] {
        assert_eq!(yard.get(path).await.problem(), "401 token-needed", "{path}");
        let answer = yard.ask("GET", path, Some(&reader), Body::empty()).await;
        assert_ne!(answer.status, 401, "{path}");
    }
    // No cache between us gives to others what one of them got with a token.
    for path in [
        "/skills",
        "/skills/forms/download",
        "/skills/forms/1.0.0/download",
        "/skills/forms/1.0.0/archive.tar.gz",
        "/skills/forms/1.0.0/archive.zip",
        "/index/fo/rm/forms",
    ] {
        let answer = yard.ask("GET", path, Some(&reader), Body::empty()).await;
        assert_eq!(answer.status, 200, "{path}");
        let caching = answer.header("cache-control");
        assert!(caching.starts_with("private, "), "{path}: {caching}");
        assert!(!caching.contains("public"), "{path}: {caching}");
    }
    assert_eq!(yard.get("/health").await.status, 200);
    // A person is led to the login, which has its looks, and says where tokens come from.
    let page = yard.browse("/").await;
    assert_eq!(
        (page.status.as_u16(), page.header("location")),
        (303, "/login")
    );
    let page = yard.browse("/login").await;
    assert_eq!(
        (page.status.as_u16(), page.header("cache-control")),
        (200, "no-store")
    );
    let page = page.text();
    assert!(page.contains("--scope read</code>"), "{page}");
    assert!(page.contains("skillyard login --token -"), "{page}");
    let links = page.split("\"/assets/").skip(1);
    let links: Vec<&str> = links.filter_map(|rest| rest.split('"').next()).collect();
    assert!(!links.is_empty(), "{page}");
    for file in links {
        let path = format!("/assets/{file}");
        assert_eq!(yard.get(&path).await.status, 200, "{path}");
    }
    assert_eq!(
        yard.publish(&reader, skill("papers", "1.0.0"))
            .await
            .problem(),
        "403 scope"
    );
}

#[tokio::test]
async fn whoever_has_a_token_counts_once_wherever_they_are() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    for token in [Some(&ada), Some(&ada), Some(&eve), None, None] {
        yard.ask(
            "GET",
            "/skills/forms/download",
            token.map(|each| &**each),
            Body::empty(),
        )
        .await;
    }
    // Words that are no token are nobody in particular.
    for made_up in ["sky_1", "sky_2", "sky_3"] {
        yard.ask(
            "GET",
            "/skills/forms/download",
            Some(made_up),
            Body::empty(),
        )
        .await;
    }
    yard.server.settle().await;
    assert_eq!(yard.get("/skills/forms").await.json()["downloads"], 3);
}

#[tokio::test]
async fn who_has_a_network_counts_as_one() {
    let yard = Yard::with(|settings| settings.proxy = Proxy::Trusted).await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    for address in [
        "2001:db8:1:2::1",
        "2001:db8:1:2::2",
        "[2001:db8:1:2:ffff::3]:4711",
        "2001:db8:1:3::1",
        "203.0.113.7",
        "::ffff:203.0.113.7",
    ] {
        let request = Request::get("/skills/forms/download").header("x-forwarded-for", address);
        let answer = yard.send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, 200, "{address}");
    }
    yard.server.settle().await;
    assert_eq!(yard.get("/skills/forms").await.json()["downloads"], 3);
}

/// Whoever stole a token must not keep the account with what they made of it.
#[tokio::test]
async fn what_a_token_made_is_revoked_with_it() {
    let yard = Yard::new().await;
    let stolen = yard.token("mal", &["publish", "tokens"]).await;
    let other = yard.token("mal", &["publish", "tokens"]).await;
    let make = async |token: &str| {
        let wanted = json!({ "scopes": ["publish", "tokens"] });
        let made = yard.post("/tokens", token, &wanted).await.json();
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        (text("token"), text("id"))
    };
    let (child, child_id) = make(&stolen).await;
    let (grandchild, grandchild_id) = make(&child).await;
    let (cousin, _) = make(&other).await;
    let works = async |token: &str| {
        let answer = yard.ask("GET", "/me", Some(token), Body::empty()).await;
        answer.status == 200
    };
    let tokens = yard
        .ask("GET", "/tokens", Some(&stolen), Body::empty())
        .await;
    let tokens = tokens.json()["tokens"].clone();
    let mut tokens = tokens.as_array().unwrap().iter();
    let current = tokens.find(|each| each["current"] == true).unwrap();
    let path = format!("/tokens/{}", current["id"].as_str().unwrap());
    let revoked = yard.delete(&path, &other).await;
    assert_eq!(revoked.status, 200, "{}", revoked.text());
    assert_eq!(revoked.json()["also"], json!([child_id, grandchild_id]));
    for token in [&stolen, &child, &grandchild] {
        assert!(!works(token).await);
    }
    for token in [&other, &cousin] {
        assert!(works(token).await);
    }
}
