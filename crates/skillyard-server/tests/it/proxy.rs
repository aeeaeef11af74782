//! Behind a proxy, and beside another server: who is refused reads why, and a login stays one.

use axum::http::StatusCode;

use crate::context::{ADMIN, TestServer};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const PAGES: (&str, &str) = ("accept", "text/html,*/*");

async fn cookie(server: &TestServer, headers: &[(&str, &str)]) -> String {
    let headers: Vec<_> = headers.iter().copied().chain([FORM]).collect();
    let body = format!("token={ADMIN}");
    let answer = server.ask("POST", "/login", &headers, body).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    answer.headers["set-cookie"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_browser_that_is_refused_reads_why_on_a_page() {
    let server = TestServer::with_tokens();
    // As a proxy does that does not pass on what was asked for.
    let asked = [
        ("host", "127.0.0.1:7878"),
        ("origin", "https://skills.example"),
        FORM,
    ];
    let answer = server.ask("POST", "/login", &asked, "token=x").await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert!(answer.json()["detail"].as_str().unwrap().contains("`Host`"));
    let read: Vec<_> = asked.into_iter().chain([PAGES]).collect();
    let page = server.ask("POST", "/login", &read, "token=x").await;
    assert_eq!(page.status, StatusCode::FORBIDDEN);
    assert!(page.text.contains("<!doctype html>"), "{}", page.text);
    assert!(page.text.contains("has to pass on `Host`"), "{}", page.text);
    let foreign = [("host", "evil.example"), PAGES];
    let page = TestServer::new().ask("GET", "/", &foreign, "").await;
    assert_eq!(page.status, StatusCode::FORBIDDEN);
    assert!(page.text.contains("names of its own machine"));
    // Programs that ask for anything are told in JSON.
    let program = [("host", "evil.example"), PAGES];
    let answer = TestServer::new()
        .ask("GET", "/api/v1/skills", &program, "")
        .await;
    assert_eq!(answer.json()["status"], 403);
}

#[tokio::test]
async fn a_login_over_tls_is_kept_to_tls() {
    let server = TestServer::with_tokens();
    let host = ("host", "skills.example");
    for tls in [
        ("origin", "https://skills.example"),
        ("x-forwarded-proto", "https"),
    ] {
        let cookie = cookie(&server, &[host, tls]).await;
        assert!(cookie.ends_with("; Secure"), "{cookie}");
        assert!(cookie.starts_with("skillyard="), "{cookie}");
    }
    let cookie = cookie(&server, &[host, ("origin", "http://skills.example")]).await;
    assert!(!cookie.contains("Secure"), "{cookie}");
}

#[tokio::test]
async fn two_servers_of_a_machine_do_not_log_each_other_out() {
    let (one, two) = (TestServer::with_tokens(), TestServer::with_tokens());
    let hosts = [("host", "127.0.0.1:7502"), ("host", "127.0.0.1:7506")];
    let kept = [
        cookie(&one, &[hosts[0]]).await,
        cookie(&two, &[hosts[1]]).await,
    ];
    let [first, second] = kept.each_ref().map(|each| each.split(';').next().unwrap());
    let names = [first, second].map(|each| each.split('=').next().unwrap());
    assert_eq!(names, ["skillyard-7502", "skillyard-7506"]);
    // A browser sends what it keeps for the host to both of them.
    let both = format!("{first}; {second}");
    for (server, host) in [(&one, hosts[0]), (&two, hosts[1])] {
        let page = server
            .ask("GET", "/admin", &[host, ("cookie", &both)], "")
            .await;
        assert_eq!(page.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn how_the_word_before_a_token_is_written_does_not_matter() {
    let server = TestServer::with_tokens();
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let token = format!("{scheme} {ADMIN}");
        let answer = server
            .ask("GET", "/api/v1/skills", &[("authorization", &token)], "")
            .await;
        assert_eq!(answer.status, StatusCode::OK, "{scheme}");
    }
}
