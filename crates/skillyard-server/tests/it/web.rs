//! The pages.

use std::sync::atomic::Ordering;

use axum::http::StatusCode;
use jiff::Timestamp;
use skillyard_audit::{AuditLog, Event, EventKind, Options};

use crate::api::beside;
use crate::context::TestServer;

#[tokio::test]
async fn the_library_is_searched_and_narrowed() {
    let server = TestServer::new();
    let page = server.get("/skills?q=fill+a+form").await;
    let at = |name: &str| page.text.find(&format!("href=\"/skills/{name}\""));
    assert!(at("pdf").is_some());
    assert!(at("attack").is_none());
    let page = server.get("/skills?trust=low").await;
    let at = |name: &str| page.text.find(&format!("href=\"/skills/{name}\""));
    assert!(at("pdf").is_none() && at("attack").is_some());
    let page = server.get("/skills?status=disabled").await;
    assert!(page.text.contains("Nothing fits"));
    let page = server.get("/skills?page=99999999999999999999").await;
    assert_eq!(page.status, StatusCode::OK);
    let page = server.get("/skills?page=18446744073709551615").await;
    assert_eq!(page.status, StatusCode::OK);
}

#[tokio::test]
async fn a_library_without_skills_says_why() {
    let server = TestServer::new();
    std::fs::remove_dir_all(server.skills()).unwrap();
    server.server.reload().unwrap();
    let page = server.get("/skills?source=user").await.text;
    server.machine.off.store(true, Ordering::Relaxed);
    let off = server.get("/skills?source=user").await.text;
    assert!(off.contains("Skills are turned off"), "{off}");
    assert!(!page.contains("turned off"), "{page}");
}

#[tokio::test]
async fn names_of_files_deceive_nobody() {
    let server = TestServer::new();
    let file = server.skills().join("pdf/in\u{202e}txt.md");
    std::fs::write(file, "x").unwrap();
    let page = server.get("/skills/pdf").await.text;
    assert!(page.contains("files/in%E2%80%AEtxt.md"), "{page}");
    assert!(!page.contains('\u{202e}'), "{page}");
}

#[tokio::test]
async fn nothing_reads_as_something_else_on_a_page() {
    let server = TestServer::new();
    let folder = server.skills().join("turned");
    std::fs::create_dir_all(folder.join("scripts")).unwrap();
    let skill = "---\nname: turned\ndescription: Turns a\u{202e}b.\n---\nc\u{2066}d\r\n";
    std::fs::write(folder.join("SKILL.md"), skill).unwrap();
    let script = "#!/bin/sh\n# e\u{202e}f\ntidy\u{200b}\0\n";
    std::fs::write(folder.join("scripts/tidy.sh"), script).unwrap();
    server.server.reload().unwrap();
    let log = AuditLog::open(&server.folder.path().join("logs"), Options::default()).unwrap();
    let event = Event::new(EventKind::ToolAllowed).detail("command", "echo g\u{202e}h");
    log.append(Timestamp::UNIX_EPOCH, "user", &event).unwrap();
    for (path, seen) in [
        ("/skills?q=turned", "Turns a\\u{202e}b."),
        ("/skills/turned", "Turns a\\u{202e}b."),
        ("/skills/turned", "<p>c\\u{2066}d</p>"),
        ("/skills/turned/files/SKILL.md", "\nc\\u{2066}d\n"),
        (
            "/skills/turned/files/scripts/tidy.sh",
            "\n# e\\u{202e}f\ntidy\\u{200b}\\u{0}\n",
        ),
        ("/audit", "echo g\\u{202e}h"),
        ("/skills/no%E2%80%AEne", "no\\u{202e}ne"),
        // The menu of the chat, which a script of ours fills.
        ("/menu", "Turns a\\\\u{202e}b."),
    ] {
        let page = server.get(path).await.text;
        assert!(page.contains(seen), "{path}: {page}");
        assert!(!page.contains(['\u{202e}', '\u{2066}']), "{path}: {page}");
    }
}

#[tokio::test]
async fn who_may_trust_a_project_is_told_how() {
    let server = TestServer::new();
    beside(&server, "only");
    let page = server.get("/skills/only").await.text;
    assert!(page.contains("<code>skillyard trust .</code>"), "{page}");
    let page = server.get("/skills/pdf").await.text;
    assert!(!page.contains("skillyard trust"), "{page}");
}

#[tokio::test]
async fn what_models_are_not_told_of_is_in_no_prompt() {
    let server = TestServer::new();
    let folder = server.skills().join("deploy");
    std::fs::create_dir(&folder).unwrap();
    let skill = "---\nname: deploy\ndescription: x\ndisable-model-invocation: true\n---\nx\n";
    std::fs::write(folder.join("SKILL.md"), skill).unwrap();
    server.server.reload().unwrap();
    for page in ["/skills?q=deploy", "/skills/deploy"] {
        let page = server.get(page).await.text;
        assert!(page.contains("in no prompt"), "{page}");
    }
}

#[tokio::test]
async fn a_skill_is_shown_with_its_files() {
    let page = TestServer::new().get("/skills/pdf").await;
    assert!(page.text.contains("<h1>PDF</h1>"));
    assert!(
        page.text
            .contains("href=\"/skills/pdf/files/references/fields.md\"")
    );
    assert!(page.text.contains("sha256:"));
}

#[tokio::test]
async fn a_skill_with_a_slash_in_its_name_has_its_pages() {
    let server = TestServer::new();
    server.write_one("net", "TCP/IP");
    let page = server.get("/skills").await;
    let address = "/skills/TCP%2FIP";
    assert!(page.text.contains(&format!("href=\"{address}\"")));
    let page = server.get(address).await;
    assert_eq!(page.status, StatusCode::OK);
    let file = format!("{address}/files/SKILL.md");
    assert!(page.text.contains(&file), "{}", page.text);
    assert_eq!(server.get(&file).await.status, StatusCode::OK);
}

#[tokio::test]
async fn all_events_of_a_skill_are_its_own() {
    let server = TestServer::new();
    for (folder, name, address) in [
        ("rd", "R&D tools", "/audit?skill=R%26D+tools"),
        ("cpp", "c++ help", "/audit?skill=c%2B%2B+help"),
        ("cs", "C# help", "/audit?skill=C%23+help"),
    ] {
        server.write_one(folder, &format!("'{name}'"));
        let log = AuditLog::open(&server.folder.path().join("logs"), Options::default()).unwrap();
        let event = Event::new(EventKind::SkillActivated).skill(name);
        log.append(Timestamp::UNIX_EPOCH, "user", &event).unwrap();
        let own: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
        let own = own.replace('+', "%20");
        let page = server.get(&format!("/skills/{own}")).await.text;
        assert!(page.contains(&format!("href=\"{address}\"")), "{page}");
        let events = server.get(address).await.text;
        assert!(events.contains("skill.activated"), "{events}");
    }
}

#[tokio::test]
async fn older_events_are_a_page_further() {
    let server = TestServer::new();
    let log = AuditLog::open(&server.folder.path().join("logs"), Options::default()).unwrap();
    for at in 0..450 {
        let kind = match at % 2 {
            0 => EventKind::SkillActivated,
            _ => EventKind::SkillDisabled,
        };
        let event = Event::new(kind).skill("R&D");
        log.append(Timestamp::UNIX_EPOCH, "user", &event).unwrap();
    }
    let numbers = |text: &str| -> Vec<u64> {
        let cells = text.split("<td class=\"number\">").skip(1);
        let cells = cells.map(|cell| cell.split('<').next().unwrap().parse().unwrap());
        cells.collect()
    };
    let link = |text: &str, word: &str| {
        let before = text.split(&format!(">{word}</a>")).next().unwrap();
        let href = before.rsplit("href=\"").next().unwrap();
        let address = href.split('"').next().unwrap().replace("&#38;", "&");
        text.contains(&format!(">{word}</a>")).then_some(address)
    };
    let mut address = "/audit?skill=R%26D".to_owned();
    let (mut seen, mut pages) = (Vec::new(), 0);
    loop {
        let page = server.get(&address).await.text;
        assert_eq!(link(&page, "Newest").is_some(), pages > 0, "{page}");
        seen.extend(numbers(&page));
        match link(&page, "Older") {
            Some(older) => address = older,
            None => break,
        }
        pages += 1;
    }
    assert_eq!(pages, 2);
    assert_eq!(seen, (1..=450).rev().collect::<Vec<u64>>());
    // The same for programs, of one kind alone.
    let mut asked = "/api/v1/audit?event=skill.activated&limit=100".to_owned();
    let mut seen = 0;
    loop {
        let events = server.get(&asked).await.json();
        seen += events["events"].as_array().unwrap().len();
        let Some(older) = events["older"].as_u64() else {
            break;
        };
        asked = format!("/api/v1/audit?event=skill.activated&limit=100&before={older}");
    }
    assert_eq!(seen, 225);
    let one = server.get("/api/v1/audit?limit=0").await.json();
    assert_eq!(one["events"].as_array().unwrap().len(), 1);
    let wrong = server.get("/api/v1/audit?before=x").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert_eq!(server.get("/audit?before=x").await.status, StatusCode::OK);
}

#[tokio::test]
async fn instructions_that_are_not_shown_to_the_end_say_so() {
    let server = TestServer::new();
    let file = server.skills().join("pdf/SKILL.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let note = "Only the beginning is shown";
    assert!(!server.get("/skills/pdf").await.text.contains(note));
    let more = "Do this and that.\n\n".repeat(30_000);
    std::fs::write(&file, format!("{text}\n{more}# Last part\n")).unwrap();
    let page = server.restarted().get("/skills/pdf").await.text;
    assert!(page.contains(note) && !page.contains("Last part"));
}

#[tokio::test]
async fn the_page_of_an_altered_skill_says_so() {
    let server = TestServer::new();
    let before = server.get("/skills/pdf").await;
    assert!(!before.text.contains("Altered:"), "{}", before.text);
    server.pretend_altered("pdf");
    let page = server.get("/skills/pdf").await;
    let told = "<strong>Altered:</strong> it is a test. Mend it in /srv/clients/acme.";
    assert!(page.text.contains(told), "{}", page.text);
}

#[tokio::test]
async fn nothing_a_skill_says_runs() {
    let server = TestServer::new();
    for path in [
        "/",
        "/skills/attack",
        "/admin",
        "/skills?q=%3Cscript%3Ealert(5)%3C/script%3E",
        "/skills/%3Cscript%3E",
        "/audit?skill=%22%3E%3Cscript%3E",
    ] {
        let text = server.get(path).await.text.to_lowercase();
        // The only scripts are files of ours.
        for script in text.split("<script").skip(1) {
            assert!(script.starts_with(" src=\"/assets/"), "{path}: {script}");
        }
        for harm in ["<img src=x", "\"javascript:"] {
            assert!(!text.contains(harm), "{path} has {harm}");
        }
    }
}

#[tokio::test]
async fn no_path_leads_out_of_a_skill() {
    let server = TestServer::new();
    for path in [
        "../broken/SKILL.md",
        "%2e%2e/broken/SKILL.md",
        "..%2fbroken%2fSKILL.md",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "references/%2e%2e/%2e%2e/broken/SKILL.md",
        "references%5c..%5c..%5cbroken",
        "%00",
        "%ff",
        "file:///etc/passwd",
    ] {
        for prefix in ["/skills/pdf/files/", "/api/v1/skills/pdf/files/"] {
            let answer = server.get(&format!("{prefix}{path}")).await;
            assert!(answer.status.is_client_error(), "{prefix}{path}");
            assert!(!answer.text.contains("no frontmatter"), "{prefix}{path}");
            assert!(!answer.text.contains("root:"), "{prefix}{path}");
        }
    }
}

#[tokio::test]
async fn a_link_in_a_skill_is_not_followed() {
    let server = TestServer::new();
    std::os::unix::fs::symlink("/etc/passwd", server.skills().join("pdf/link.md")).unwrap();
    let answer = server.get("/skills/pdf/files/link.md").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn the_admin_page_says_what_was_not_loaded() {
    let page = TestServer::new().get("/admin").await;
    assert!(page.text.contains("broken/SKILL.md"));
    assert!(
        page.text
            .contains("the file does not start with frontmatter")
    );
}

#[tokio::test]
async fn an_address_that_is_no_text_has_no_page() {
    let server = TestServer::new();
    for path in ["skills/%ff%fe", "skills/pdf/files/%ff", "assets/%ff"] {
        let page = server.get(&format!("/{path}")).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{path}");
        assert!(page.text.contains("there is nothing here"), "{path}");
        assert!(page.text.contains("<html"), "{path}");
    }
}

#[tokio::test]
async fn unknown_names_get_a_proposal() {
    let page = TestServer::new().get("/skills/pdff").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert!(page.text.contains("did you mean"));
}

#[tokio::test]
async fn a_slip_in_a_filter_of_the_log_does_not_read_as_nothing() {
    let server = TestServer::new();
    for (filter, wrong) in [
        ("event=nope", "there is no event `nope`"),
        ("outcome=nope", "there is no outcome `nope`"),
    ] {
        let answer = server.get(&format!("/api/v1/audit?{filter}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{}", answer.text);
        assert!(answer.text.contains(wrong), "{}", answer.text);
        let page = server.get(&format!("/audit?{filter}")).await.text;
        assert!(!page.contains("Nothing happened"), "{page}");
        assert!(page.contains("The filter makes no sense"), "{page}");
    }
    let answer = server.get("/api/v1/audit?event=skill&outcome=ok").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
}
