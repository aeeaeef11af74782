//! Copies of a registry: looked through, backed up under load, restored elsewhere, as plain files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use skillyard_registry::maintenance::{self, MaintenanceError, Restored, SoundCopy};
use skillyard_registry::{Blobs, Database, Registry};
use skillyard_trust::signature::{Algorithm, SigningKey};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

use super::programs::Postgres;
use super::yard::{Yard, skill, with_file};

fn key() -> SigningKey {
    SigningKey::generate(Algorithm::Ed25519, getrandom::fill).unwrap()
}

async fn opened(address: &str, blobs: &std::path::Path) -> Registry {
    let database = Database::open(address).await.unwrap();
    let blobs = Blobs::in_folder(blobs).unwrap();
    Registry::new(database, blobs, None, Arc::new(jiff::Timestamp::now))
}

/// Changes the database of a copy behind everybody's back.
pub(super) async fn tamper(folder: &std::path::Path, statement: impl Into<String>) {
    let address = format!("sqlite:{}", folder.join("registry.db").display());
    let pool = sqlx::AnyPool::connect(&address).await.unwrap();
    let statement = sqlx::AssertSqlSafe(statement.into());
    sqlx::query(statement).execute(&pool).await.unwrap();
    pool.close().await;
}

async fn restore(registry: &Registry, folder: &Path) -> Result<Restored, MaintenanceError> {
    SoundCopy::open(folder).await?.restore(registry).await
}

async fn copy_in(folder: &std::path::Path) -> Registry {
    let database = Database::open_file(&folder.join("registry.db"))
        .await
        .unwrap();
    let blobs = Blobs::in_folder(&folder.join("blobs")).unwrap();
    Registry::new(database, blobs, None, Arc::new(jiff::Timestamp::now))
}

/// A registry with some of everything, and its log handed out after every version.
async fn furnished() -> Yard {
    let mut yard = Yard::new().await;
    yard.server = yard.server.clone().with_log_key(key());
    yard.router = yard.server.router();
    let ada = yard.full("ada").await;
    for version in ["1.0.0", "1.1.0", "2.0.0-rc.1"] {
        yard.publish(&ada, skill("forms", version)).await;
        yard.get("/log/checkpoint").await;
    }
    yard.publish_in("ada", &ada, skill("papers", "1.0.0")).await;
    yard.get("/log/checkpoint").await;
    yard.delete("/skills/forms/1.1.0?reason=broken", &ada).await;
    let beta = json!({ "version": "2.0.0-rc.1" });
    yard.put("/skills/forms/dist-tags/beta", &ada, &beta).await;
    yard.put(
        "/skills/forms/deprecation",
        &ada,
        &json!({ "message": "use papers" }),
    )
    .await;
    yard
}

/// The plain files of a registry.
async fn exported(folder: &Path, public: &Path) -> maintenance::Exported {
    let (copy, key) = (copy_in(folder).await, key());
    let exported = maintenance::export_static(&copy, Some(&key), "https://yard.example", public);
    exported.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_changed_behind_its_back_is_found() {
    let yard = furnished().await;
    let folder = yard.folder.path().join("copy");
    let registry = copy_in(yard.folder.path()).await;
    let found = maintenance::verify(&registry).await.unwrap();
    assert!(found.is_sound(), "{found:?}");
    assert_eq!((found.sound, found.entries, found.checkpoints), (4, 4, 4));
    for (statement, problem) in [
        (
            "DELETE FROM versions WHERE version = '1.0.0' AND skill = 'forms'",
            "are not those that were signed",
        ),
        (
            "DELETE FROM versions WHERE skill = '@ada/papers'",
            "4 entries were signed, and there are 3",
        ),
        (
            "UPDATE versions SET signer = 'eve' WHERE version = '1.0.0' AND skill = 'forms'",
            "are not those that were signed",
        ),
        (
            "UPDATE versions SET sequence = 99 WHERE version = '1.0.0' AND skill = 'forms'",
            "are not those that were signed",
        ),
        (
            "UPDATE checkpoints SET root = 'sha256:0000000000000000000000000000000000000000000000000000000000000000' WHERE size = 2",
            "not signed by its key",
        ),
        ("UPDATE tags SET version = '7.7.7'", "which is not there"),
        (
            "UPDATE skills SET latest = '7.7.7' WHERE name = 'forms'",
            "which is not there",
        ),
        (
            "UPDATE versions SET size = 3 WHERE version = '1.0.0' AND skill = 'forms'",
            "of another length",
        ),
        (
            "UPDATE versions SET tree = 'sha256:0000000000000000000000000000000000000000000000000000000000000000' WHERE version = '1.0.0' AND skill = 'forms'",
            "of other files",
        ),
    ] {
        let _ = std::fs::remove_dir_all(&folder);
        maintenance::back_up(&registry, &folder).await.unwrap();
        let copy = copy_in(&folder).await;
        tamper(&folder, statement).await;
        let found = maintenance::verify(&copy).await.unwrap();
        assert!(!found.is_sound(), "{statement}");
        let damaged = found
            .damaged
            .iter()
            .map(|(_, _, damage)| damage.as_str().to_owned());
        let told: Vec<String> = found.problems.iter().cloned().chain(damaged).collect();
        assert!(
            told.iter().any(|each| each.contains(problem)),
            "{statement}: {told:?}"
        );
        // What is damaged is not restored.
        let other = TempDir::new().unwrap();
        let target = copy_in(other.path()).await;
        let refused = restore(&target, &folder).await;
        assert!(
            matches!(refused, Err(MaintenanceError::Damaged(_))),
            "{statement}"
        );
        copy.database.close().await;
    }
}

#[tokio::test]
async fn a_backup_touches_nothing_that_is_there() {
    let yard = furnished().await;
    let registry = copy_in(yard.folder.path()).await;
    let mine = yard.folder.path().join("copy.part");
    std::fs::create_dir(&mine).unwrap();
    std::fs::write(mine.join("notes"), "mine").unwrap();
    let folder = yard.folder.path().join("copy");
    maintenance::back_up(&registry, &folder).await.unwrap();
    assert_eq!(std::fs::read(mine.join("notes")).unwrap(), b"mine");
    let again = maintenance::back_up(&registry, &folder).await;
    assert!(matches!(again, Err(MaintenanceError::Exists(_))));
    let left = std::fs::read_dir(yard.folder.path()).unwrap();
    let paths = left.map(|each| each.unwrap().path());
    let is_part = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "part");
    assert_eq!(paths.filter(is_part).collect::<Vec<_>>(), [mine]);
}

/// Publishes, and has the log signed after each version, until it is stopped; says how often.
fn publish_on(router: axum::Router, token: String, stop: &Arc<AtomicBool>) -> JoinHandle<usize> {
    let running = Arc::clone(stop);
    tokio::spawn(async move {
        let mut number = 0;
        while !running.load(Ordering::Relaxed) {
            number += 1;
            let archive = with_file(
                "forms",
                &format!("1.0.{number}"),
                "n.md",
                format!("{number}").as_bytes(),
            );
            let publish =
                Request::post("/skills").header("authorization", format!("Bearer {token}"));
            let publish = publish.body(Body::from(archive)).unwrap();
            let answer = router.clone().oneshot(publish).await.unwrap();
            assert_eq!(answer.status(), 201);
            let sign = Request::get("/log/checkpoint").body(Body::empty()).unwrap();
            router.clone().oneshot(sign).await.unwrap();
        }
        number
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_is_whole() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let stop = Arc::new(AtomicBool::new(false));
    let publishing = publish_on(yard.router.clone(), ada, &stop);
    let registry = copy_in(yard.folder.path()).await;
    let mut before = 0;
    for round in 0..5 {
        tokio::time::sleep(std::time::Duration::from_millis(60)).await;
        let folder = yard.folder.path().join(format!("copy-{round}"));
        let archives = maintenance::back_up(&registry, &folder).await.unwrap();
        let copy = copy_in(&folder).await;
        let found = maintenance::verify(&copy).await.unwrap();
        assert!(found.is_sound(), "{found:?}");
        assert_eq!((found.sound, found.entries), (archives, archives));
        assert!(archives >= before);
        before = archives;
    }
    stop.store(true, Ordering::Relaxed);
    assert!(publishing.await.unwrap() >= before);
    assert!(before > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_is_published_to_meanwhile_is_sound() {
    let mut yard = Yard::new().await;
    yard.server = yard.server.clone().with_log_key(key());
    yard.router = yard.server.router();
    let ada = yard.full("ada").await;
    let registry = copy_in(yard.folder.path()).await;
    let stop = Arc::new(AtomicBool::new(false));
    let publishing = publish_on(yard.router.clone(), ada, &stop);
    for _ in 0..20 {
        let found = maintenance::verify(&registry).await.unwrap();
        assert!(found.is_sound(), "{found:?}");
    }
    stop.store(true, Ordering::Relaxed);
    assert!(publishing.await.unwrap() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_restored_from_where_nothing_can_be_written() {
    let yard = furnished().await;
    let folder = yard.folder.path().join("100% mine?");
    maintenance::back_up(&copy_in(yard.folder.path()).await, &folder)
        .await
        .unwrap();
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
    let opened = std::fs::File::open(&folder).unwrap();
    opened.set_modified(long_ago).unwrap();
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(&folder, mode(0o500)).unwrap();
    let other = TempDir::new().unwrap();
    let restored = restore(&copy_in(other.path()).await, &folder).await;
    std::fs::set_permissions(&folder, mode(0o700)).unwrap();
    assert_eq!(restored.unwrap().versions, 4);
    // Not even for a moment was anything written beside it, which root could have done.
    assert_eq!(opened.metadata().unwrap().modified().unwrap(), long_ago);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_moves_to_postgres_and_back() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let yard = furnished().await;
    let first = yard.folder.path().join("first");
    maintenance::back_up(&copy_in(yard.folder.path()).await, &first)
        .await
        .unwrap();
    let blobs = TempDir::new().unwrap();
    let cluster = opened(postgres.url(), blobs.path()).await;
    let restored = restore(&cluster, &first).await.unwrap();
    assert_eq!((restored.versions, restored.archives), (4, 4));
    let again = restore(&cluster, &first).await;
    assert!(matches!(again, Err(MaintenanceError::NotEmpty)));
    let found = maintenance::verify(&cluster).await.unwrap();
    assert!(found.is_sound() && found.checkpoints == 4, "{found:?}");

    let second = yard.folder.path().join("second");
    maintenance::back_up(&cluster, &second).await.unwrap();
    let database = Database::open(&format!("sqlite:{}", second.join("registry.db").display()))
        .await
        .unwrap();
    let copy = Yard::over(
        TempDir::new().unwrap(),
        database,
        Blobs::in_folder(&second.join("blobs")).unwrap(),
        |_| {},
    );
    for path in [
        "/index/fo/rm/forms",
        "/index/@ada/pa/pe/papers",
        "/skills/forms",
        "/skills/forms/dist-tags",
        "/namespaces/ada",
        "/log/entries?from=0",
    ] {
        assert_eq!(
            copy.get(path).await.text(),
            yard.get(path).await.text(),
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_database_has_the_time_that_copying_it_takes() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let blobs = TempDir::new().unwrap();
    let cluster = opened(postgres.url(), blobs.path()).await;
    // A table that tells how long reading it may take.
    let pool = sqlx::AnyPool::connect(postgres.url()).await.unwrap();
    for statement in [
        "ALTER TABLE downloads RENAME TO others",
        "CREATE VIEW downloads AS SELECT 'forms'::text AS skill, \
         current_setting('statement_timeout') AS day, 'x'::text AS visitor",
    ] {
        sqlx::query(statement).execute(&pool).await.unwrap();
    }
    let folder = blobs.path().join("copy");
    maintenance::back_up(&cluster, &folder).await.unwrap();
    let copy = format!("sqlite:{}", folder.join("registry.db").display());
    let copy = sqlx::AnyPool::connect(&copy).await.unwrap();
    let day = sqlx::query_scalar("SELECT day FROM downloads").fetch_one(&copy);
    let day: String = day.await.unwrap();
    assert_eq!(day, "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_files_say_what_the_registry_says() {
    let yard = furnished().await;
    let key = key();
    tamper(yard.folder.path(), "DELETE FROM checkpoints").await;
    let registry = copy_in(yard.folder.path()).await;
    let folder = yard.folder.path().join("public");
    let url = "https://yard.example";
    let first = maintenance::export_static(&registry, Some(&key), url, &folder)
        .await
        .unwrap();
    assert_eq!((first.skills, first.versions, first.unchanged), (2, 4, 0));
    for path in [
        "/index/fo/rm/forms",
        "/index/@ada/pa/pe/papers",
        "/skills/forms/1.0.0/download",
        "/skills/@ada/papers/1.0.0/archive.tar.gz",
        "/log/entries/forms/1.1.0?size=4",
        "/log/entries/@ada/papers/1.0.0?size=4",
        "/.well-known/agent-skills/index.json",
        "/.well-known/skills/index.json",
        "/.well-known/skills/forms/SKILL.md",
        "/@ada/.well-known/skills/papers/SKILL.md",
        "/@ada/.well-known/agent-skills/index.json",
        "/.claude-plugin/marketplace.json",
    ] {
        let plain = path.split('?').next().unwrap().trim_start_matches('/');
        let file =
            std::fs::read(folder.join(plain)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(file == yard.get(path).await.body, "{path}");
    }
    let again = maintenance::export_static(&registry, Some(&key), url, &folder)
        .await
        .unwrap();
    // Only the time at which the log was signed is another.
    assert!(again.written <= 1, "{again:?}");
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("forms", "3.0.0")).await;
    maintenance::export_static(&registry, Some(&key), url, &folder)
        .await
        .unwrap();
    assert!(folder.join("log/consistency/4/5").is_file());
    assert!(folder.join("skills/forms/3.0.0/download").is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_files_end_where_the_signed_log_ends() {
    let yard = furnished().await;
    // As if two more versions had been published since the log was read.
    let folder = yard.folder.path();
    tamper(folder, "DELETE FROM checkpoints WHERE size > 2").await;
    let mirrored = "INSERT INTO upstream (url, key, sequence) VALUES ('https://x.example', '', 0)";
    tamper(folder, mirrored).await;
    tamper(
        folder,
        "UPDATE skills SET latest = '2.0.0-rc.1' WHERE name = 'forms'",
    )
    .await;
    let public = folder.join("public");
    let exported = exported(folder, &public).await;
    assert_eq!((exported.skills, exported.versions), (1, 2));
    let read = |path: &str| std::fs::read_to_string(public.join(path)).unwrap();
    let index = read("index/fo/rm/forms");
    assert_eq!(index.lines().count(), 2);
    assert!(
        !index.contains("2.0.0-rc.1") && !index.contains("beta"),
        "{index}"
    );
    let discovery = read(".well-known/agent-skills/index.json");
    assert!(
        discovery.contains("forms/1.0.0/archive.tar.gz"),
        "{discovery}"
    );
    assert!(!public.join("index/@ada").exists() && !public.join("@ada").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_no_file_can_be_called_is_left_out_of_plain_files() {
    let yard = furnished().await;
    let folder = yard.folder.path();
    tamper(folder, "DELETE FROM checkpoints").await;
    let long = format!("1.0.0-{}", "a".repeat(300));
    for (table, column) in [("versions", "version"), ("skills", "latest")] {
        tamper(
            folder,
            format!("UPDATE {table} SET {column} = '{long}' WHERE {column} = '1.0.0'"),
        )
        .await;
    }
    tamper(folder, "UPDATE versions SET yanked = 0").await;
    let public = folder.join("public");
    let exported = exported(folder, &public).await;
    let left_out: Vec<(&str, &str)> = exported
        .left_out
        .iter()
        .map(|(skill, version, _)| (skill.as_str(), version.as_str()))
        .collect();
    assert_eq!(left_out, [("@ada/papers", &*long), ("forms", &*long)]);
    assert_eq!((exported.skills, exported.versions), (1, 2));
    let discovery = std::fs::read_to_string(public.join(".well-known/agent-skills/index.json"));
    assert!(discovery.unwrap().contains("forms/1.1.0/archive.tar.gz"));
    assert!(public.join("log/checkpoint").is_file());
}
