//! Forms: those of pages that are older than the server, and long ones.

use axum::http::StatusCode;

use crate::context::{Answer, TestServer};

const OURS: (&str, &str) = ("origin", "http://localhost:7878");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const PAGES: (&str, &str) = ("accept", "text/html,*/*");

/// Sends a form with the value of a page of `server`.
async fn sent(server: &TestServer, path: &str, from: &str, fields: &str) -> Answer {
    let page = server.get("/agents").await.text;
    let value = page.split("name=\"csrf\" content=\"").nth(1).unwrap();
    let body = format!("{fields}&csrf={}", value.split('"').next().unwrap());
    let headers = [OURS, FORM, PAGES, ("referer", from)];
    server.ask("POST", path, &headers, body).await
}

#[tokio::test]
async fn a_form_of_an_old_page_leads_back_to_that_page() {
    let server = TestServer::new();
    let headers = [OURS, FORM, PAGES];
    for (from, back) in [
        ("http://localhost:7878/skills/pdf?x=1", "/skills/pdf?x=1"),
        ("http://evil.example/skills/pdf", "/"),
        ("http://localhost:7878//evil.example/", "/"),
        ("http://localhost:7878", "/"),
    ] {
        let headers: Vec<_> = headers.into_iter().chain([("referer", from)]).collect();
        let body = "to=off&csrf=0000";
        let page = server
            .ask("POST", "/skills/pdf/switch", &headers, body)
            .await;
        assert_eq!(page.status, StatusCode::FORBIDDEN);
        assert!(page.text.contains("the page is too old"), "{}", page.text);
        let link = format!("href=\"{back}\"");
        let links = page.text.matches("class=\"button").count();
        assert!(page.text.contains(&link), "{from}: {}", page.text);
        assert_eq!(links, 1, "{}", page.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_filled_in_stays_where_one_field_is_wrong() {
    let server = TestServer::new();
    let from = "http://localhost:7878/agents";
    let rest = "description=Says+%22no%22.&instructions=Be+kind.%0ABe+%3Cbrief%3E.";
    let made = sent(&server, "/agents", from, &format!("name=taken&{rest}")).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
    for (fields, field, said, status) in [
        (
            "name=taken&skills=pdf",
            "name",
            "there is an agent `taken` already",
            StatusCode::CONFLICT,
        ),
        (
            "name=No+Name&skills=pdf",
            "name",
            "is no name for an agent",
            StatusCode::BAD_REQUEST,
        ),
        (
            "name=new&skills=no-such",
            "skills",
            "no-such",
            StatusCode::BAD_REQUEST,
        ),
    ] {
        let page = sent(&server, "/agents", from, &format!("{fields}&{rest}")).await;
        assert_eq!(page.status, status, "{fields}: {}", page.text);
        let note = format!("id=\"{field}-wrong\" role=\"alert\">");
        let note = page.text.split(&note).nth(1).unwrap_or_default();
        let note = note.split("</p>").next().unwrap();
        assert!(note.contains(said), "{fields}: {note}");
        assert_eq!(page.text.matches("aria-invalid").count(), 1, "{fields}");
        let name = fields.split(['=', '&']).nth(1).unwrap().replace('+', " ");
        let value = format!("value=\"{name}\"");
        assert!(page.text.contains(&value), "{fields}: {}", page.text);
        assert!(
            page.text
                .contains("Be kind.\nBe &#60;brief&#62;.</textarea>"),
            "{}",
            page.text
        );
        assert!(
            page.text.contains("value=\"Says &#34;no&#34;.\""),
            "{}",
            page.text
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_takes_the_longest_instructions_and_says_what_is_too_long() {
    let server = TestServer::new();
    let from = "http://localhost:7878/agents";
    let letters = |count: usize| "%E6%BC%A2".repeat(count);
    let fields = format!("name=long&instructions={}", letters(20_000));
    let made = sent(&server, "/agents", from, &fields).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
    let fields = format!("name=longer&instructions={}", letters(30_000));
    let refused = sent(&server, "/agents", from, &fields).await;
    assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(refused.text.contains("the form is larger than 256 KiB"));
    assert!(!refused.text.contains("too old"), "{}", refused.text);
}
