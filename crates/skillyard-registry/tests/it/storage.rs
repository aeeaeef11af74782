//! The same registry over SQLite and PostgreSQL, a folder and S3, on one node and on two.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use skillyard_registry::blobs::S3Access;
use skillyard_registry::{Blobs, Database};
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use super::programs::{Bucket, Postgres, free_port};
use super::yard::{Yard, skill, with_file};

/// What has to hold whatever is below; requests go to the nodes in turn.
async fn holds(nodes: [&Yard; 2]) {
    let [first, second] = nodes;
    let (ada, eve) = (first.full("ada").await, second.full("eve").await);
    for (node, version) in nodes.iter().cycle().zip(["1.0.0", "1.1.0", "2.0.0"]) {
        let answer = node.publish(&ada, skill("forms", version)).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
    }
    for node in nodes {
        let found = node.get("/skills?q=forms").await.json();
        assert_eq!(found["skills"][0]["version"], "2.0.0");
        assert_eq!(node.get("/skills/forms/1.0.0/download").await.status, 200);
        let index = node.get("/index/fo/rm/forms").await;
        assert_eq!(index.text().lines().count(), 3);
    }
    let same = second.publish(&ada, skill("forms", "1.0.0")).await;
    assert_eq!(same.status, 200);
    let other = with_file("forms", "1.0.0", "other.md", b"Other.\n");
    assert_eq!(second.publish(&ada, other).await.problem(), "409 immutable");
    let stolen = first.publish(&eve, skill("forms", "3.0.0")).await;
    assert_eq!(stolen.problem(), "403 not-owner");
    let alike = first.publish(&eve, skill("f0rms", "1.0.0")).await;
    assert_eq!(alike.problem(), "409 confusable-name");

    let path = "/skills/forms/2.0.0?reason=it%20%27breaks%27%20%25";
    second.ask("DELETE", path, Some(&ada), Body::empty()).await;
    let shown = first.get("/skills/forms").await.json();
    assert_eq!(shown["version"], "1.1.0");
    assert_eq!(shown["versions"][0]["yank_reason"], "it 'breaks' %");
    // It keeps its bytes, and the same again do not offer it again.
    let other = with_file("forms", "2.0.0", "other.md", b"Other.\n");
    assert_eq!(first.publish(&ada, other).await.problem(), "409 immutable");
    let same = first.publish(&ada, skill("forms", "2.0.0")).await;
    assert_eq!(
        (same.status.as_u16(), &same.json()["yanked"]),
        (200, &json!(true))
    );
    assert_eq!(same.json()["yank_reason"], "it 'breaks' %");
    first
        .ask("PUT", "/skills/forms/owners/eve", Some(&ada), Body::empty())
        .await;
    let nobody = second
        .ask(
            "PUT",
            "/skills/forms/owners/evee",
            Some(&ada),
            Body::empty(),
        )
        .await;
    assert_eq!(nobody.problem(), "404 no-such-account");
    let owners = second.get("/skills/forms/owners").await.json()["owners"].clone();
    assert_eq!(owners, json!(["ada", "eve"]));
    let body = json!({ "message": "use papers" }).to_string();
    second
        .ask("PUT", "/skills/forms/deprecation", Some(&eve), body)
        .await;
    assert_eq!(
        first.get("/skills/forms").await.json()["deprecated"],
        "use papers"
    );

    first.server.settle().await;
    second.server.settle().await;
    assert_eq!(first.get("/skills/forms").await.json()["downloads"], 1);

    let tokens = skillyard_registry::store::tokens::list(&first.database, None)
        .await
        .unwrap();
    assert_eq!(tokens.len(), 2);
    // What can be no text in one of the databases is not asked of it.
    let maker = first.token("ada", &["tokens"]).await;
    let answer = second.delete("/tokens/a%00b", &maker).await;
    assert_eq!(answer.problem(), "404 no-such-token");
    in_a_namespace(nodes, &ada, &eve).await;
    race(nodes, &ada).await;
}

/// Namespaces, roles, tags and offers, on both nodes in turn.
async fn in_a_namespace(nodes: [&Yard; 2], ada: &str, eve: &str) {
    let [first, second] = nodes;
    first.put("/namespaces/acme", ada, &json!({})).await;
    let answer = second
        .publish_in("acme", ada, skill("forms", "1.0.0"))
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    first
        .publish_in("acme", ada, skill("forms", "2.0.0-rc.1"))
        .await;
    let tag = "/skills/@acme/forms/dist-tags/beta";
    second
        .put(tag, ada, &json!({ "version": "2.0.0-rc.1" }))
        .await;
    let index = first.get("/index/@acme/fo/rm/forms").await.text();
    assert!(index.contains(r#""dist_tags":["beta"]"#), "{index}");
    let role = json!({ "role": "publisher" });
    first.put("/namespaces/acme/members/eve", ada, &role).await;
    let answer = second
        .publish_in("acme", eve, skill("forms", "1.1.0"))
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    first
        .put("/namespaces/acme/transfer", ada, &json!({ "to": "eve" }))
        .await;
    second
        .post("/namespaces/acme/transfer", eve, &json!({}))
        .await;
    let owners = first.get("/namespaces/acme").await.json()["owners"].clone();
    assert_eq!(owners, json!(["eve"]));
    let found = second
        .get("/skills?q=forms&owner=acme&facets=true")
        .await
        .json();
    assert_eq!(
        found["facets"]["owners"][0],
        json!({ "value": "acme", "count": 1 })
    );
}

/// Many who publish the same version with other files, on both nodes at once: one of them does.
async fn race(nodes: [&Yard; 2], token: &str) {
    let mut running = JoinSet::new();
    for (number, node) in (0..12).zip(nodes.iter().cycle()) {
        let content = format!("This is {number}.\n");
        let archive = with_file("race", "1.0.0", "references/more.md", content.as_bytes());
        running.spawn(status(node.router.clone(), token.to_owned(), archive));
    }
    let mut statuses = running.join_all().await;
    statuses.sort_unstable();
    assert_eq!(statuses[0], 201);
    assert_eq!(statuses[1..], [409; 11]);
    for node in nodes {
        let archive = node.get("/skills/race/1.0.0/download").await;
        let shown = node.get("/skills/race").await.json();
        let digest = skillyard_format::Digest::of(&archive.body).to_string();
        assert_eq!(shown["versions"][0]["digest"], digest);
    }
}

async fn status(router: Router, token: String, archive: Vec<u8>) -> u16 {
    let request = Request::post("/skills")
        .header("authorization", format!("Bearer {token}"))
        .body(Body::from(archive))
        .unwrap();
    router.oneshot(request).await.unwrap().status().as_u16()
}

async fn node(database: &str, blobs: Blobs) -> Yard {
    let database = Database::open(database).await.unwrap();
    Yard::over(TempDir::new().unwrap(), database, blobs, |_| {})
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_and_a_folder() {
    let yard = Yard::new().await;
    holds([&yard, &yard]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_on_postgres_and_a_folder() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let blobs = || Blobs::in_folder(folder.path()).unwrap();
    // Both bring the empty database up to date at once.
    let (first, second) =
        tokio::join!(node(postgres.url(), blobs()), node(postgres.url(), blobs()));
    holds([&first, &second]).await;
}

/// Roles of a namespace are changed while downloads of its skills are counted, on another node.
#[tokio::test(flavor = "multi_thread")]
async fn roles_and_downloads_do_not_wait_for_each_other() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let yard = node(postgres.url(), Blobs::in_folder(folder.path()).unwrap()).await;
    let ada = yard.full("ada").await;
    yard.full("eve").await;
    // The last name comes first in the table.
    for name in ["zebra", "apple"] {
        let answer = yard.publish_in("ada", &ada, skill(name, "1.0.0")).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
    }
    let mut counting = PgConnection::connect(postgres.url()).await.unwrap();
    let mut counting = counting.begin().await.unwrap();
    let count = async |counting: &mut PgConnection, name: &str| {
        let counted = sqlx::query("UPDATE skills SET downloads = downloads + 1 WHERE name = $1");
        counted.bind(name).execute(counting).await.unwrap();
    };
    count(&mut counting, "@ada/apple").await;
    let request = Request::put("/namespaces/ada/members/eve")
        .header("authorization", format!("Bearer {ada}"))
        .body(Body::empty())
        .unwrap();
    let changing = tokio::spawn(yard.router.clone().oneshot(request));
    somebody_waits(&postgres).await;
    count(&mut counting, "@ada/zebra").await;
    counting.commit().await.unwrap();
    assert_eq!(changing.await.unwrap().unwrap().status(), 200);
}

/// Returns once somebody waits for a lock.
async fn somebody_waits(postgres: &Postgres) {
    let mut looking = PgConnection::connect(postgres.url()).await.unwrap();
    loop {
        let waiting = sqlx::query_scalar("SELECT count(*) FROM pg_locks WHERE NOT granted");
        let waiting: i64 = waiting.fetch_one(&mut looking).await.unwrap();
        if waiting > 0 {
            break;
        }
        tokio::task::yield_now().await;
    }
}

/// Somebody publishes on another node, between the statements of one who fetches.
#[tokio::test(flavor = "multi_thread")]
async fn a_skill_is_fetched_as_it_was_or_as_it_is() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let yard = node(postgres.url(), Blobs::in_folder(folder.path()).unwrap()).await;
    let ada = yard.full("ada").await;
    let publish = Request::post("/skills?tag=beta")
        .header("authorization", format!("Bearer {ada}"))
        .body(Body::from(skill("forms", "1.0.0")))
        .unwrap();
    assert_eq!(yard.send(publish).await.status, 201);
    for (path, version) in [
        ("/skills/forms/download", "1.1.0"),
        ("/index/fo/rm/forms", "1.2.0"),
    ] {
        let mut other = PgConnection::connect(postgres.url()).await.unwrap();
        let mut other = other.begin().await.unwrap();
        // Whoever fetches has read the versions when it comes to these.
        let lock = "LOCK TABLE skills, tags IN ACCESS EXCLUSIVE MODE";
        sqlx::query(lock).execute(&mut *other).await.unwrap();
        let request = Request::get(path).body(Body::empty()).unwrap();
        let fetching = tokio::spawn(yard.router.clone().oneshot(request));
        somebody_waits(&postgres).await;
        for statement in [
            "INSERT INTO versions (skill, version, sequence, digest, tree, size, published, \
             publisher, verdict, facts) SELECT skill, $1, \
             (SELECT MAX(sequence) + 1 FROM versions), digest, tree, size, published, publisher, \
             verdict, facts FROM versions WHERE skill = 'forms' AND version = '1.0.0'",
            "UPDATE skills SET latest = $1 WHERE name = 'forms'",
            "UPDATE tags SET version = $1 WHERE skill = 'forms'",
            // Nothing that is kept in memory holds any more.
            "UPDATE state SET sequence = sequence + length($1)",
        ] {
            let statement = sqlx::query(statement).bind(version);
            statement.execute(&mut *other).await.unwrap();
        }
        other.commit().await.unwrap();
        let answer = fetching.await.unwrap().unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await;
        let body = String::from_utf8_lossy(&body.unwrap()).into_owned();
        if path.starts_with("/index") {
            assert!(body.contains(r#""dist_tags":["beta"]"#), "{body}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_on_postgres_and_s3() {
    let (Some(postgres), Some(bucket)) = (Postgres::start(), Bucket::start()) else {
        return;
    };
    // The server takes a bucket from anybody who asks.
    bucket.make("skills");
    let access = S3Access {
        key: Some("yard".into()),
        secret: Some("secret".to_owned().into()),
        region: Some("us-east-1".into()),
        endpoint: Some(bucket.endpoint.clone()),
        ..S3Access::default()
    };
    let blobs = || Blobs::in_bucket("s3://skills/some/where", &access).unwrap();
    let (first, second) =
        tokio::join!(node(postgres.url(), blobs()), node(postgres.url(), blobs()));
    holds([&first, &second]).await;
}

#[tokio::test]
async fn an_address_that_leads_nowhere_is_told_without_its_password() {
    for address in ["mysql://ada:secret@db/x", "ada:secret", ""] {
        let error = Database::open(address).await.unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
    for address in ["s3://", "http://x", "s3:///a"] {
        assert!(
            Blobs::in_bucket(address, &S3Access::default()).is_err(),
            "{address}"
        );
    }
}

/// What whoever runs a registry is told from now on: what was asked for, and what broke.
fn reports(yard: &mut Yard) -> Arc<Mutex<Vec<(String, String)>>> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&told);
    let report = move |what: &str, cause: &str| {
        ear.lock()
            .unwrap()
            .push((what.to_owned(), cause.to_owned()));
    };
    yard.server = yard.server.clone().with_report(Arc::new(report));
    yard.router = yard.server.router();
    told
}

#[tokio::test]
async fn why_something_broke_is_told_to_whoever_runs_it_and_to_nobody_else() {
    let mut yard = Yard::new().await;
    let told = reports(&mut yard);
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    assert_eq!(
        yard.get("/skills/none").await.problem(),
        "404 no-such-skill"
    );
    assert!(told.lock().unwrap().is_empty(), "that is nobody's fault");
    std::fs::remove_dir_all(yard.folder.path().join("blobs")).unwrap();
    let path = "/.well-known/skills/forms/SKILL.md";
    let answer = yard.get(path).await;
    assert_eq!(answer.problem(), "503 unavailable");
    let page = yard.browse(path).await;
    assert_eq!(page.status, 503);
    let told = told.lock().unwrap();
    let [(what, cause), _] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert_eq!(*what, format!("GET {path}"));
    assert!(cause.contains("archive"), "{cause}");
    for answer in [answer, page] {
        assert!(!answer.text().contains(cause.as_str()), "{}", answer.text());
    }
}

#[tokio::test]
async fn who_answers_and_fails_is_answered_for() {
    let mut yard = Yard::new().await;
    let told = reports(&mut yard);
    let ada = yard.full("ada").await;
    // No clock says that.
    yard.pass(i64::MAX / 2);
    let answer = yard.ask("GET", "/me", Some(&ada), Body::empty()).await;
    assert_eq!(answer.problem(), "503 unavailable");
    let told = told.lock().unwrap();
    let [(what, cause)] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert_eq!(what, "GET /me");
    assert!(cause.contains("it panicked: "), "{cause}");
    assert!(!answer.text().contains("panicked"), "{}", answer.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_away_is_named_and_used_again_once_it_is_back() {
    let port = free_port();
    let postgres = Postgres::start_with(|_| {
        let settings = ["listen_addresses=127.0.0.1".into(), format!("port={port}")];
        let url = format!("postgres://yard:secret@127.0.0.1:{port}/postgres");
        (settings.into(), url)
    });
    let Some(mut postgres) = postgres else { return };
    let folder = TempDir::new().unwrap();
    let mut yard = node(postgres.url(), Blobs::in_folder(folder.path()).unwrap()).await;
    let told = reports(&mut yard);
    let ada = yard.full("ada").await;
    postgres.stop();
    for path in ["/health", "/skills", "/index/fo/rm/forms"] {
        let answer = yard.get(path).await;
        assert_eq!(answer.problem(), "503 unavailable");
        let (_, cause) = told.lock().unwrap().pop().unwrap();
        let place = format!("`127.0.0.1:{port}` cannot be reached");
        assert!(cause.contains(&place), "{cause}");
        assert!(cause.contains("Connection refused"), "{cause}");
        assert!(!cause.contains("secret"), "{cause}");
        assert!(!answer.text().contains("127.0.0.1"), "{}", answer.text());
    }
    let answer = yard.publish(&ada, skill("forms", "1.0.0")).await;
    assert_eq!(answer.problem(), "503 unavailable");
    postgres.start_again();
    while yard.get("/health").await.status != 200 {}
    let answer = yard.publish(&ada, skill("forms", "1.0.0")).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
}
