//! The store on both databases: a file, and a PostgreSQL that several machines share.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Barrier};

use jiff::Timestamp;
use secrecy::SecretString;
use serde_json::json;
use skillyard_agent::TurnError;
use skillyard_agent::front_end::{ApprovalAnswer, ApprovalRequest, FrontEnd, TurnEvent};
use skillyard_agent::host::Permission;
use skillyard_agent::message::Message;
use skillyard_agent::replay::replay;
use skillyard_agent::session::{
    Activated, Grant, Granted, Owner, Session, SessionCursor, SessionError, SessionStore,
};
use skillyard_agent::settings::AgentSettings;
use sqlx::Connection as _;

use crate::lab::{Front, Lab, Scripted, calls, says};
use crate::programs::Postgres;

/// Opens the same sessions as often as it is asked to, each time as another program would.
type Open<'a> = &'a (dyn Fn() -> SessionStore + Sync);

fn on_both(check: impl Fn(Open<'_>)) {
    let lab = Lab::new();
    check(&|| lab.store());
    if let Some(postgres) = Postgres::start() {
        check(&|| connect(&postgres));
    }
}

fn connect(postgres: &Postgres) -> SessionStore {
    SessionStore::connect(&SecretString::from(postgres.url())).unwrap()
}

/// A session in which something was said, as nobody has kept it yet.
fn session(words: &str) -> Session {
    let lab = Lab::new();
    let runtime = lab.runtime(Scripted::new([]));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    session.messages = vec![Message::user(words)];
    session
}

fn ids(list: &[skillyard_agent::session::SessionSummary]) -> Vec<&str> {
    list.iter().map(|each| each.id.as_str()).collect()
}

#[test]
fn what_sessions_know_of_published_skills_is_found() {
    on_both(|open| {
        let store = open();
        for (id, marks, skills) in [
            (
                "s-new1",
                &[("far:greet", "m1"), ("far:zero\0", "m2")][..],
                &["far:greet", "pdf"][..],
            ),
            ("s-new2", &[("far:greet", "m1")], &["far:greet"]),
            // An older one, which knows only names.
            ("s-old", &[], &["docs:greet", "pdf"]),
        ] {
            let mut session = session("x");
            session.id = id.into();
            let marks = marks
                .iter()
                .map(|(name, mark)| ((*name).into(), (*mark).into()));
            session.prompt.published = marks.collect();
            session.prompt.skills = skills.iter().map(|name| (*name).into()).collect();
            store.save(&mut session, Timestamp::now()).unwrap();
        }
        let found = open().published().unwrap();
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["docs:greet", "m1", "m2"]
        );
    });
}

#[test]
fn what_one_keeps_another_finds() {
    on_both(|open| {
        let (one, other) = (open(), open());
        let mut first = session("first");
        first.id = "s-aa11".into();
        first.state.owner = Some("ada".into());
        let digest = format!("sha256:{}", "0".repeat(64));
        first.state.activated.push(Activated {
            name: "pdf".into(),
            digest: digest.clone(),
            rendered: digest.clone(),
            message: 0,
            dropped: false,
        });
        let earlier = format!("sha256:{}", "1".repeat(64));
        let editions = vec![earlier.parse().unwrap()];
        first.state.editions.insert("pdf".into(), editions);
        let mut second = session("second");
        second.id = "s-aB22".into();
        one.save(&mut first, "2026-01-01T00:00:00Z".parse().unwrap())
            .unwrap();
        one.save(&mut second, "2026-01-01T00:00:01.5Z".parse().unwrap())
            .unwrap();
        for name in ["s-aa11", "s-aa", "s-aa1"] {
            assert_eq!(other.load(name).unwrap(), first, "{name}");
        }
        assert_eq!(other.load("s-aB").unwrap(), second);
        assert_eq!(other.load("last").unwrap(), second);
        for name in [
            "%",
            "s_a",
            "S-AA",
            "s-ab",
            "' OR 1=1 --",
            "s-aa11\0",
            "\0",
            "zzz",
        ] {
            let found = other.load(name);
            assert!(matches!(found, Err(SessionError::Unknown(_))), "{name:?}");
        }
        let ambiguous = other.load("s-a");
        assert!(matches!(
            ambiguous,
            Err(SessionError::Ambiguous { count: 2, .. })
        ));
        assert_eq!(ids(&other.list(10).unwrap()), ["s-aB22", "s-aa11"]);
        assert_eq!(ids(&other.list(1).unwrap()), ["s-aB22"]);
        let of = |owner| other.list_of(Owner::Only(owner), None, 10).unwrap();
        assert_eq!(ids(&of("ada")), ["s-aa11"]);
        assert_eq!(of("ada")[0].owner.as_deref(), Some("ada"));
        assert!(of("eve").is_empty());
        // From the place of one on, also with one that is gone.
        let list = other.list(10).unwrap();
        let behind = |owner, place: &str| {
            let place = place.parse().unwrap();
            ids(&other.list_of(owner, Some(&place), 10).unwrap()).join(" ")
        };
        assert_eq!(behind(Owner::Any, &list[0].place().to_string()), "s-aa11");
        assert_eq!(behind(Owner::Any, &list[1].place().to_string()), "");
        assert_eq!(behind(Owner::Only("eve"), &list[0].place().to_string()), "");
        let gone = format!("{},s-aA", list[1].updated);
        assert_eq!(behind(Owner::Any, &gone), "s-aa11");
        for none in ["", "x", ",", "x,", ",x", "a b,c", "a,\0"] {
            assert!(none.parse::<SessionCursor>().is_err(), "{none:?}");
        }
        assert_eq!(other.length("s-aa11").unwrap(), Some(1));
        assert_eq!(other.length("s-aa").unwrap(), None);
        assert_eq!(other.length("\0").unwrap(), None);
        let digests = other.digests().unwrap();
        assert_eq!(
            digests.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [digest, earlier]
        );
        assert!(other.published().unwrap().is_empty());
        // And on, in the other one.
        let mut again = other.load("s-aa11").unwrap();
        again.messages.push(Message::user("more"));
        other.save(&mut again, Timestamp::now()).unwrap();
        assert_eq!(one.load("last").unwrap(), again);
        assert_eq!(one.list(1).unwrap()[0].messages, 2);
    });
}

#[test]
fn of_those_that_go_on_with_one_session_one_succeeds() {
    on_both(|open| {
        let mut begun = session("begun");
        open().save(&mut begun, Timestamp::now()).unwrap();
        let mut late = open().load(&begun.id).unwrap();
        begun.messages.push(Message::user("in time"));
        open().save(&mut begun, Timestamp::now()).unwrap();
        late.messages.push(Message::user("too late"));
        let saved = open().save(&mut late, Timestamp::now());
        assert!(matches!(saved, Err(SessionError::InUse(_))), "{saved:?}");
        // All at once.
        let barrier = Barrier::new(6);
        let succeeded: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6)
                .map(|number| {
                    let (barrier, id) = (&barrier, &begun.id);
                    scope.spawn(move || {
                        let store = open();
                        let mut session = store.load(id).unwrap();
                        session
                            .messages
                            .push(Message::user(format!("at once {number}")));
                        session.messages.push(Message::user("and more"));
                        barrier.wait();
                        match store.save(&mut session, Timestamp::now()) {
                            Ok(()) => 1,
                            Err(SessionError::InUse(_)) => 0,
                            Err(error) => panic!("{error:?}"),
                        }
                    })
                })
                .collect();
            threads.into_iter().map(|each| each.join().unwrap()).sum()
        });
        assert_eq!(succeeded, 1);
        let kept = open().load(&begun.id).unwrap();
        assert_eq!(kept.messages.len(), 4);
        assert_eq!(kept.messages[..2], begun.messages);
        // Two that begin under one name.
        let mut twin = session("another beginning");
        twin.id = begun.id.clone();
        let saved = open().save(&mut twin, Timestamp::now());
        assert!(matches!(saved, Err(SessionError::InUse(_))), "{saved:?}");
    });
}

/// Somebody who tries to go on with the session whenever a question is asked in it.
struct Intruder<'a> {
    lab: &'a Lab,
    open: Open<'a>,
    session: Option<String>,
    refused: usize,
}

impl FrontEnd for Intruder<'_> {
    fn event(&mut self, event: &TurnEvent) {
        if let TurnEvent::Started { session, .. } = event {
            self.session = Some(session.clone());
        }
    }

    fn approve(&mut self, _: &ApprovalRequest) -> ApprovalAnswer {
        let mut runtime = self.lab.runtime(Scripted::new([]));
        runtime.store = Arc::new((self.open)());
        let id = self.session.as_deref().unwrap();
        let before = self.lab.kinds().len();
        let mut session = runtime.store.load(id).unwrap();
        assert!(runtime.store.is_in_use(id).unwrap());
        let mut front = Front::new(ApprovalAnswer::No);
        let turn = runtime.turn(&mut session, "go on", &mut front);
        let is_refused =
            |error: &TurnError| matches!(error, TurnError::Session(SessionError::InUse(_)));
        assert!(is_refused(&turn.unwrap_err()));
        assert!(is_refused(&runtime.release(&mut session, "a").unwrap_err()));
        assert_eq!(self.lab.kinds().len(), before, "nothing was done");
        self.refused += 1;
        ApprovalAnswer::Once
    }

    fn cancel(&self) -> Arc<AtomicBool> {
        Arc::default()
    }
}

#[test]
fn a_session_at_work_is_left_alone() {
    on_both(|open| {
        let lab = Lab::new();
        lab.skill("a", "Does a. Use for a.", "", "Do a.");
        lab.write("skills/a/scripts/x.sh", "echo x\n");
        lab.machine.lock().unwrap().permission = Permission::Ask {
            reason: "first run".into(),
        };
        let run = json!({ "name": "a", "script": "scripts/x.sh" });
        let model = Scripted::new([vec![calls("c1", "skill_run", &run)], vec![says("Done.")]]);
        let mut runtime = lab.runtime(model);
        runtime.store = Arc::new(open());
        let mut session = lab.session(&runtime, &AgentSettings::default());
        let mut intruder = Intruder {
            lab: &lab,
            open,
            session: None,
            refused: 0,
        };
        runtime
            .turn(&mut session, "/a run it", &mut intruder)
            .unwrap();
        assert_eq!(intruder.refused, 1);
        let store = open();
        assert!(!store.is_in_use(&session.id).unwrap());
        let mut kept = store.load(&session.id).unwrap();
        assert_eq!(kept, session);
        assert_eq!(kept.answer(), "Done.");
        replay(&kept, &mut lab.shelf(), lab.recorded(&[&kept.id])).unwrap();
        // And now anybody may.
        let mut front = Front::new(ApprovalAnswer::No);
        let mut runtime = lab.runtime(Scripted::new([vec![says("On.")]]));
        runtime.store = Arc::new(store);
        runtime.turn(&mut kept, "go on", &mut front).unwrap();
    });
}

#[test]
fn a_lease_that_nobody_renews_lapses() {
    let lab = Lab::new();
    let file = lab.folder.path().join("sessions.db");
    let places = [(lab.store(), format!("sqlite://{}", file.display()))];
    let postgres = Postgres::start();
    let shared = postgres
        .iter()
        .map(|each| (connect(each), each.url().to_owned()));
    for (store, address) in places.into_iter().chain(shared) {
        let store = Arc::new(store);
        let mut kept = session("kept");
        store.save(&mut kept, Timestamp::now()).unwrap();
        let mut go_on = |ends: &str| {
            // A machine that is not this one, so that nobody knows whether it is gone.
            let lease = format!(
                "DELETE FROM leases; INSERT INTO leases VALUES ('{}', 'x elsewhere 1 1', {ends})",
                kept.id
            );
            raw(&address, &lease);
            let mut runtime = lab.runtime(Scripted::new([vec![says("Yes.")]]));
            runtime.store = Arc::clone(&store);
            runtime.turn(&mut kept, "go on", &mut Front::new(ApprovalAnswer::No))
        };
        let now = Timestamp::now().as_second();
        let refused = go_on(&(now + 60).to_string());
        assert!(matches!(
            refused,
            Err(TurnError::Session(SessionError::InUse(_)))
        ));
        go_on(&(now - 1).to_string()).unwrap();
    }
}

/// Says something to a database as nobody of ours would.
fn raw(address: &str, statements: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut connection = sqlx::AnyConnection::connect(address).await.unwrap();
        let statements = sqlx::AssertSqlSafe(statements.to_owned());
        sqlx::raw_sql(statements)
            .execute(&mut connection)
            .await
            .unwrap();
    });
}

#[test]
fn what_another_deleted_does_not_come_back() {
    on_both(|open| {
        let (one, other) = (open(), open());
        let mut kept = session("kept");
        one.save(&mut kept, Timestamp::now()).unwrap();
        assert_eq!(other.delete(&kept.id[..8]).unwrap(), kept.id);
        kept.messages.push(Message::user("on"));
        let saved = one.save(&mut kept, Timestamp::now());
        assert!(matches!(saved, Err(SessionError::Unknown(_))), "{saved:?}");
        // One that is about to be kept.
        let mut draft = session("draft");
        one.forget(&draft.id).unwrap();
        let saved = one.save(&mut draft, Timestamp::now());
        assert!(matches!(saved, Err(SessionError::Unknown(_))), "{saved:?}");
        assert!(other.list(10).unwrap().is_empty());
        // Its messages are gone, too: the name could be taken again.
        let mut again = session("again");
        again.id = kept.id.clone();
        other.save(&mut again, Timestamp::now()).unwrap();
        assert_eq!(other.load(&kept.id).unwrap().messages, again.messages);
    });
}

#[test]
fn a_zero_byte_holds_up_nobody() {
    on_both(|open| {
        let mut odd = session("zero \0 byte and \\u0000");
        odd.state.owner = Some("ada".into());
        for command in ["a\0b", "\\u0000", "\\\\u0000", "\\\0"] {
            let command = command.to_owned();
            odd.state.grants.push(Granted {
                grant: Grant::Command { command },
                workspace: "/work".into(),
                seal: String::new(),
            });
        }
        open().save(&mut odd, Timestamp::now()).unwrap();
        let store = open();
        assert_eq!(store.load(&odd.id).unwrap(), odd);
        assert_eq!(
            ids(&store.list_of(Owner::Only("ada"), None, 10).unwrap()),
            [&odd.id]
        );
        assert!(store.digests().unwrap().is_empty());
    });
}

#[test]
fn many_machines_can_be_the_first() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let barrier = Barrier::new(8);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (postgres, barrier) = (&postgres, &barrier);
            scope.spawn(move || {
                barrier.wait();
                let mut session = session(&format!("machine {number}"));
                connect(postgres)
                    .save(&mut session, Timestamp::now())
                    .unwrap();
            });
        }
    });
    assert_eq!(connect(&postgres).list(10).unwrap().len(), 8);
}

#[test]
fn a_lost_connection_is_made_again() {
    let Some(postgres) = Postgres::start() else {
        return;
    };
    let store = connect(&postgres);
    let mut kept = session("before");
    store.save(&mut kept, Timestamp::now()).unwrap();
    end_connections(&postgres);
    assert_eq!(store.load("last").unwrap(), kept);
    end_connections(&postgres);
    kept.messages.push(Message::user("after"));
    store.save(&mut kept, Timestamp::now()).unwrap();
    assert_eq!(store.load("last").unwrap(), kept);
    // Without a server it fails, and says where.
    let url = postgres.url().to_owned();
    drop(postgres);
    for _ in 0..2 {
        let error = store.list(10).unwrap_err();
        assert!(matches!(error, SessionError::Server { .. }), "{error:?}");
        assert!(error.to_string().ends_with("/postgres`"), "{error}");
    }
    assert!(SessionStore::connect(&SecretString::from(url)).is_err());
}

/// What a server that is started again does to its connections.
fn end_connections(postgres: &Postgres) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut connection = sqlx::PgConnection::connect(postgres.url()).await.unwrap();
        let ended = sqlx::query(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
             WHERE datname IS NOT NULL AND pid <> pg_backend_pid()",
        )
        .execute(&mut connection)
        .await
        .unwrap();
        assert_eq!(ended.rows_affected(), 1);
    });
}

#[test]
fn an_address_is_never_shown() {
    for address in [
        "mysql://me:hunter2@127.0.0.1/x",
        "sqlite:/me:hunter2@x",
        "hunter2",
        "",
        "postgres://me:hun/ter2@127.0.0.1/hunter2",
    ] {
        let error = SessionStore::connect(&SecretString::from(address)).unwrap_err();
        assert!(
            matches!(error, SessionError::Address),
            "{address}: {error:?}"
        );
        assert!(
            !format!("{error} {error:?}").contains("hunter2"),
            "{error:?}"
        );
    }
    // Nobody listens there.
    let nobody = SecretString::from("postgresql://me:hunter2@127.0.0.1:1/sessions?sslmode=disable");
    let error = SessionStore::connect(&nobody).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot use the sessions in the database `127.0.0.1/sessions`"
    );
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    if let Some(postgres) = Postgres::start() {
        let address = postgres.url().replacen("yard@", "yard:hunter2@", 1);
        let store = SessionStore::connect(&SecretString::from(address)).unwrap();
        assert!(!format!("{store:?}").contains("hunter2"), "{store:?}");
    }
}

#[test]
fn a_file_is_where_it_is_said_whatever_its_name() {
    let lab = Lab::new();
    let folder = lab.folder.path().join("a %41?mode=ro#ü/../b %2F");
    std::fs::create_dir_all(lab.folder.path().join("a %41?mode=ro#ü")).unwrap();
    let file = folder.join("sessions.db");
    let mut kept = session("kept");
    let store = SessionStore::open(&file).unwrap();
    store.save(&mut kept, Timestamp::now()).unwrap();
    // Others see it as it always was: a file with a log beside it.
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (mode, table) = runtime.block_on(async {
        let mut connection = sqlx::SqliteConnection::connect_with(&options)
            .await
            .unwrap();
        let mode: String = sqlx::query_scalar("PRAGMA journal_mode")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        let table: String =
            sqlx::query_scalar("SELECT sql FROM sqlite_master WHERE name = 'messages'")
                .fetch_one(&mut connection)
                .await
                .unwrap();
        (mode, table)
    });
    assert_eq!(mode, "wal");
    assert!(
        table.ends_with("PRIMARY KEY (session, place)) WITHOUT ROWID"),
        "{table}"
    );
    assert_eq!(
        SessionStore::open(&file).unwrap().load("last").unwrap(),
        kept
    );
}
