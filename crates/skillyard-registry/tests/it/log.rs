//! The log of all versions: what a registry says it published, it published.

use serde_json::Value;
use skillyard_format::Digest;
use skillyard_registry::{Blobs, Database};
use skillyard_trust::signature::{Algorithm, SigningKey};
use skillyard_trust::transparency::{SignedCheckpoint, check_consistency, check_inclusion, leaf};
use tempfile::TempDir;

use super::copies::tamper;
use super::yard::{Yard, skill};

fn digests(value: &Value) -> Vec<Digest> {
    let texts = value.as_array().unwrap().iter();
    texts
        .map(|each| each.as_str().unwrap().parse().unwrap())
        .collect()
}

#[tokio::test]
async fn every_version_is_in_the_log_and_the_log_only_grows() {
    let mut yard = Yard::new().await;
    assert_eq!(yard.get("/log/checkpoint").await.problem(), "404 not-found");
    let key = SigningKey::generate(Algorithm::Ed25519, getrandom::fill).unwrap();
    yard.server = yard.server.clone().with_log_key(key);
    yard.router = yard.server.router();
    let ada = yard.full("ada").await;
    let mut before: Option<SignedCheckpoint> = None;
    for number in 1..6 {
        let version = format!("1.0.{number}");
        let published = yard.publish(&ada, skill("forms", &version)).await.json();
        let archive: Digest = published["digest"].as_str().unwrap().parse().unwrap();
        let now = yard.get("/log/checkpoint").await.json();
        let now: SignedCheckpoint = serde_json::from_value(now).unwrap();
        now.check(None).unwrap();
        let (size, root) = (now.checkpoint.size, now.checkpoint.root);
        assert_eq!(size, number);

        let path = format!("/log/entries/forms/{version}?size={size}");
        let found = yard.get(&path).await.json();
        let proof = digests(&found["proof"]);
        let index = found["index"].as_u64().unwrap();
        let own = leaf("forms", &version, archive, None);
        check_inclusion(own, index, size, &proof, root).unwrap();
        let other = leaf("forms", &version, Digest::of(b"other"), None);
        check_inclusion(other, index, size, &proof, root).unwrap_err();

        if let Some(before) = before {
            let (from, old) = (before.checkpoint.size, before.checkpoint.root);
            let path = format!("/log/consistency?from={from}&to={size}");
            let proof = digests(&yard.get(&path).await.json()["proof"]);
            check_consistency((from, old), (size, root), &proof).unwrap();
        }
        before = Some(now);
    }
    for path in [
        "/log/entries/forms/1.0.1",
        "/log/entries/forms/1.0.1?size=99",
        "/log/entries/forms/1.0.5?size=1",
        "/log/consistency?from=3&to=99",
        "/log/consistency?from=4&to=3",
        "/log/consistency?from=-1&to=x",
    ] {
        assert_eq!(yard.get(path).await.problem(), "400 parameter", "{path}");
    }
    let missing = yard.get("/log/entries/forms/9.9.9?size=5").await;
    assert_eq!(missing.problem(), "404 no-such-version");
}

/// A trigger refuses what a full disk would, and a file lies where the folder of archives was.
#[tokio::test]
async fn who_asks_whether_it_is_ready_is_told_the_truth() {
    let told = |answer: &crate::yard::Answer| {
        let told = answer.json();
        (
            answer.status.as_u16(),
            told["status"].as_str().unwrap().to_owned(),
            told["database"].as_bool().unwrap(),
            told["archives"].as_bool().unwrap(),
        )
    };
    let yard = Yard::new().await;
    let ready = yard.get("/ready").await;
    assert_eq!(told(&ready), (200, "ready".to_owned(), true, true));

    let yard = Yard::new().await;
    let full = "CREATE TRIGGER full BEFORE UPDATE ON state \
                BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END";
    tamper(yard.folder.path(), full).await;
    let failing = yard.get("/ready").await;
    assert_eq!(told(&failing), (503, "failing".to_owned(), false, true));
    // It is alive all the same, and serves what it has.
    assert_eq!(yard.get("/health").await.status, 200);
    // Whoever asks again at once is told the same, and nothing is written for them.
    tamper(yard.folder.path(), "DROP TRIGGER full").await;
    assert_eq!(told(&yard.get("/ready").await), told(&failing));

    let yard = Yard::new().await;
    let archives = yard.folder.path().join("blobs");
    std::fs::remove_dir_all(&archives).unwrap();
    std::fs::write(&archives, "").unwrap();
    let failing = yard.get("/ready").await;
    assert_eq!(told(&failing), (503, "failing".to_owned(), true, false));
}

/// A trigger refuses what a full disk would.
#[tokio::test]
async fn where_nothing_can_be_written_the_log_is_as_long_as_it_was() {
    let mut yard = Yard::new().await;
    let key = SigningKey::generate(Algorithm::Ed25519, getrandom::fill).unwrap();
    yard.server = yard.server.clone().with_log_key(key);
    yard.router = yard.server.router();
    let ada = yard.full("ada").await;
    let full = "CREATE TRIGGER full BEFORE INSERT ON checkpoints \
                BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END";
    yard.publish(&ada, skill("forms", "1.0.1")).await;
    let before = yard.get("/log/checkpoint").await.json();
    yard.publish(&ada, skill("forms", "1.0.2")).await;
    tamper(yard.folder.path(), full).await;
    let now = yard.get("/log/checkpoint").await.json();
    assert_eq!((&now["size"], &now["root"]), (&1.into(), &before["root"]));
    tamper(yard.folder.path(), "DROP TRIGGER full").await;
    let now = yard.get("/log/checkpoint").await.json();
    assert_eq!(now["size"], 2);
}

#[tokio::test]
async fn a_second_node_does_not_sign_with_a_key_of_its_own() {
    let node = |mut yard: Yard| {
        let key = SigningKey::generate(Algorithm::Ed25519, getrandom::fill).unwrap();
        yard.server = yard.server.clone().with_log_key(key);
        yard.router = yard.server.router();
        yard
    };
    let first = node(Yard::new().await);
    let file = first.folder.path().join("registry.db");
    let address = format!("sqlite:{}", file.display());
    let database = Database::open(&address).await.unwrap();
    let blobs = Blobs::in_folder(&first.folder.path().join("blobs")).unwrap();
    let second = Yard::over(TempDir::new().unwrap(), database, blobs, |_| {});
    let second = node(second);
    let ada = first.full("ada").await;
    first.publish(&ada, skill("forms", "1.0.0")).await;
    assert_eq!(first.get("/log/checkpoint").await.status, 200);
    assert_eq!(second.get("/log/checkpoint").await.status, 503);
    // The one whose key it is goes on, also after that.
    first.publish(&ada, skill("forms", "1.1.0")).await;
    assert_eq!(first.get("/log/checkpoint").await.status, 200);
    assert_eq!(second.get("/log/checkpoint").await.status, 503);
}
