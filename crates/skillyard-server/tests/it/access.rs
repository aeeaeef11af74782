//! Attacks on the gate.

use axum::body::Body;
use axum::http::StatusCode;

use crate::context::{ADMIN, READ, TestServer};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const OURS: (&str, &str) = ("origin", "http://localhost:7878");

#[tokio::test]
async fn a_rebound_name_gets_nothing_anywhere() {
    let server = TestServer::new();
    for path in [
        "/",
        "/skills/pdf",
        "/api/v1/skills",
        "/mcp",
        "/healthz",
        "/metrics",
    ] {
        let answer = server
            .ask("GET", path, &[("host", "evil.example:7878")], "")
            .await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
        assert!(!answer.text.contains("pdf"), "{path}");
    }
}

#[tokio::test]
async fn a_page_of_another_site_gets_nothing() {
    let server = TestServer::new();
    for origin in ["http://evil.example", "null", "http://localhost:1"] {
        let answer = server
            .ask("GET", "/api/v1/skills", &[("origin", origin)], "")
            .await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{origin}");
    }
}

#[tokio::test]
async fn a_forged_form_changes_nothing() {
    let server = TestServer::new();
    let status = || {
        server
            .server
            .catalog()
            .snapshot()
            .catalog
            .find("pdf")
            .unwrap()
            .status
            .as_str()
    };
    for body in ["to=off", "to=off&csrf=", "to=off&csrf=0000"] {
        let answer = server
            .ask("POST", "/skills/pdf/switch", &[OURS, FORM], body)
            .await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{body}");
    }
    let plain = [OURS, ("content-type", "text/plain")];
    let answer = server
        .ask("POST", "/api/v1/skills/pdf/disable", &plain, "")
        .await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert_eq!(status(), "enabled");
}

#[tokio::test]
async fn a_form_of_ours_changes_something() {
    let server = TestServer::new();
    let page = server.get("/skills/pdf").await;
    let token = page.text.split("name=\"csrf\" content=\"").nth(1).unwrap();
    let token = token.split('"').next().unwrap();
    let body = format!("to=off&csrf={token}");
    let answer = server
        .ask("POST", "/skills/pdf/switch", &[OURS, FORM], body)
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    let snapshot = server.server.catalog().snapshot();
    assert_eq!(
        snapshot.catalog.find("pdf").unwrap().status.as_str(),
        "disabled"
    );
    let header = [OURS, ("x-csrf-token", token)];
    let answer = server
        .ask("POST", "/api/v1/skills/pdf/enable", &header, "")
        .await;
    assert_eq!(answer.json()["changed"], true);
}

#[tokio::test]
async fn without_a_token_nothing_is_told() {
    let server = TestServer::with_tokens();
    for path in ["/api/v1/skills", "/mcp", "/api/skills", "/metrics"] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
    }
    for (path, login) in [
        ("/", "/login"),
        ("/skills/pdf", "/login?next=%2Fskills%2Fpdf"),
        ("/admin", "/login?next=%2Fadmin"),
        ("/audit?skill=a+b", "/login?next=%2Faudit%3Fskill%3Da%2Bb"),
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.headers["location"], login, "{path}");
    }
    let wrong = [("authorization", "Bearer wrong")];
    let answer = server.ask("GET", "/api/v1/skills", &wrong, "").await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_role_gives_what_it_says_and_paths_are_for_admins() {
    let server = TestServer::with_tokens();
    let (read, admin) = (format!("Bearer {READ}"), format!("Bearer {ADMIN}"));
    let read = [("authorization", read.as_str())];
    let admin = [("authorization", admin.as_str())];
    for path in [
        "/api/v1/skills",
        "/api/v1/skills/pdf",
        "/skills/pdf",
        "/api/v1/search?q=pdf",
    ] {
        let answer = server.ask("GET", path, &read, "").await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert!(!answer.text.contains(".agents"), "{path}: {}", answer.text);
        let answer = server.ask("GET", path, &admin, "").await;
        assert!(answer.text.contains("~/.agents/skills"), "{path}");
    }
    for path in [
        "/admin",
        "/audit",
        "/metrics",
        "/api/skills",
        "/api/v1/audit",
    ] {
        let answer = server.ask("GET", path, &read, "").await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
        let answer = server.ask("GET", path, &admin, "").await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
    }
    let answer = server.ask("POST", "/api/v1/reload", &read, "").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_browser_logs_in_and_out() {
    let server = TestServer::with_tokens();
    let answer = server
        .ask("POST", "/login", &[OURS, FORM], "token=wrong")
        .await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    let body = format!("token={ADMIN}");
    let answer = server.ask("POST", "/login", &[OURS, FORM], body).await;
    let cookie = answer.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly; SameSite=Strict"));
    assert!(!cookie.contains(ADMIN));
    let cookie = cookie.split(';').next().unwrap();
    let page = server.ask("GET", "/admin", &[("cookie", cookie)], "").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("Log out"), "{}", page.text);
    let token = page.text.split("name=\"csrf\" content=\"").nth(1).unwrap();
    let token = token.split('"').next().unwrap();
    // The cookie alone, as a forged form would send it, is not enough.
    let forged = [OURS, FORM, ("cookie", cookie)];
    let answer = server.ask("POST", "/admin/reload", &forged, "").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    let body = format!("csrf={token}");
    let answer = server.ask("POST", "/logout", &forged, body).await;
    assert_eq!(answer.headers["location"], "/login");
    let answer = server.ask("GET", "/admin", &[("cookie", cookie)], "").await;
    assert_eq!(answer.headers["location"], "/login?next=%2Fadmin");
}

#[tokio::test]
async fn a_login_leads_to_what_was_asked_for_and_nowhere_else() {
    let server = TestServer::with_tokens();
    for (next, expected) in [
        ("/audit?skill=pdf", "/audit?skill=pdf"),
        ("/chat/s-1", "/chat/s-1"),
        ("", "/"),
        ("audit", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("https://evil.example/", "/"),
        ("/a\r\nset-cookie: x=y", "/"),
        ("/\tevil", "/"),
        ("/logout", "/"),
        ("/login?next=/x", "/"),
    ] {
        let encoded: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
        let page = server.get(&format!("/login?next={encoded}")).await.text;
        assert!(
            page.contains(&format!("name=\"next\" value=\"{expected}\"")),
            "{page}"
        );
        let body = format!("token={READ}&next={encoded}");
        let answer = server.ask("POST", "/login", &[OURS, FORM], body).await;
        assert_eq!(answer.headers["location"], expected, "{next:?}");
        let body = format!("token=wrong&next={encoded}");
        let page = server.ask("POST", "/login", &[OURS, FORM], body).await.text;
        assert!(page.contains(&format!("value=\"{expected}\"")), "{page}");
    }
}

#[tokio::test]
async fn who_may_not_see_a_page_reads_that_on_a_page() {
    let server = TestServer::with_tokens();
    let body = format!("token={READ}");
    let answer = server.ask("POST", "/login", &[OURS, FORM], body).await;
    let cookie = answer.headers["set-cookie"].to_str().unwrap().to_owned();
    let cookie = ("cookie", cookie.split(';').next().unwrap());
    for path in ["/audit", "/admin", "/agents"] {
        let page = server
            .ask("GET", path, &[cookie, ("accept", "text/html,*/*")], "")
            .await;
        assert_eq!(page.status, StatusCode::FORBIDDEN, "{path}");
        assert!(
            page.text.contains("<!doctype html>"),
            "{path}: {}",
            page.text
        );
        assert!(page.text.contains("this needs a token"), "{path}");
        assert!(page.text.contains("Log out"), "{path}");
        let answer = server.ask("GET", path, &[cookie], "").await;
        assert_eq!(answer.json()["status"], 403, "{path}");
    }
    // Who has not logged in cannot log out.
    let open = TestServer::new();
    assert!(!open.get("/skills").await.text.contains("Log out"));
}

#[tokio::test]
async fn bodies_end() {
    let server = TestServer::new();
    let huge = [
        ("content-length", "99999999"),
        ("content-type", "application/json"),
    ];
    let answer = server.ask("POST", "/api/v1/guard/check", &huge, "").await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    // Without a length nothing is announced, and it still ends.
    let endless = Body::from_stream(endless());
    let json = [("content-type", "application/json")];
    let answer = server
        .ask("POST", "/api/v1/guard/check", &json, endless)
        .await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(answer.json()["detail"], "the body is larger than 4 MiB");
    // What ends before that is read.
    let call = |length: usize| {
        format!(
            r#"{{"skills":[],"tool":"{}","input":""}}"#,
            "x".repeat(length)
        )
    };
    let answer = server
        .ask("POST", "/api/v1/guard/check", &json, call(3 << 20))
        .await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
}

fn endless() -> impl tokio_stream::Stream<Item = Result<Vec<u8>, std::io::Error>> {
    tokio_stream::iter(std::iter::repeat_with(|| Ok(vec![b' '; 64 * 1024])))
}

#[tokio::test]
async fn every_answer_forbids_what_pages_do_not_need() {
    let server = TestServer::new();
    for path in [
        "/",
        "/skills/pdf",
        "/nothing",
        "/api/v1/skills",
        "/assets/style.css",
    ] {
        let headers = server.get(path).await.headers;
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["x-frame-options"], "DENY");
        assert!(!headers.contains_key("access-control-allow-origin"));
    }
}
