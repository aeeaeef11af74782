//! Logging in to a private registry, as browsers do.

use axum::body::Body;
use axum::http::Request;
use skillyard_registry::Settings;
use skillyard_registry::server::ReadAccess;

use super::yard::{Answer, Yard, skill};

const ORIGIN: &str = "https://yard.example";

async fn private(change: impl FnOnce(&mut Settings)) -> Yard {
    Yard::with(|settings| {
        settings.access = ReadAccess::Private;
        change(settings);
    })
    .await
}

/// Sends a form as a browser does, from a page of `origin`.
async fn sent(yard: &Yard, path: &str, origin: &str, cookie: &str, form: String) -> Answer {
    let request = Request::post(path)
        .header("accept", "text/html,*/*;q=0.8")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("host", "127.0.0.1:7879")
        .header("origin", origin)
        .header("cookie", cookie);
    yard.send(request.body(form.into()).unwrap()).await
}

/// Asks as a browser does that keeps a cookie.
async fn asked(yard: &Yard, method: &str, path: &str, cookie: &str) -> Answer {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("accept", "text/html,*/*;q=0.8")
        .header("host", "127.0.0.1:7879")
        .header("cookie", cookie);
    yard.send(request.body(Body::empty()).unwrap()).await
}

/// Logs in; gives what the browser keeps and sends.
async fn log_in(yard: &Yard, token: &str) -> String {
    let answer = sent(yard, "/login", ORIGIN, "", format!("token={token}")).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    let cookie = answer.header("set-cookie").split(';').next().unwrap();
    format!("other=1; {cookie}; more=2")
}

fn csrf(page: &str) -> &str {
    let value = page.split("name=\"csrf\" value=\"").nth(1).unwrap();
    value.split('"').next().unwrap()
}

#[tokio::test]
async fn a_person_with_a_browser_reads_the_pages_of_a_private_registry() {
    let yard = private(|_| {}).await;
    let (ada, reader) = (yard.full("ada").await, yard.token("bob", &["read"]).await);
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    let first = yard.browse("/view/forms?version=1.0.0").await;
    assert_eq!(first.status, 303);
    let to = "/login?next=%2Fview%2Fforms%3Fversion%3D1.0.0";
    assert_eq!(first.header("location"), to);
    let page = yard.browse(to).await.text();
    assert!(
        page.contains("value=\"/view/forms?version=1.0.0\""),
        "{page}"
    );
    assert!(!page.contains("Log out"), "{page}");
    let form = format!("token={reader}&next=%2Fview%2Fforms");
    let answer = sent(&yard, "/login", ORIGIN, "", form).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("location")),
        (303, "/view/forms")
    );
    let cookie = answer.header("set-cookie").to_owned();
    assert!(cookie.starts_with("skillyard-registry-7879="), "{cookie}");
    assert!(
        cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200; Secure"),
        "{cookie}"
    );
    assert!(!cookie.contains(&reader), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    for path in [
        "/",
        "/view/forms",
        "/view/forms/files/SKILL.md",
        "/view/forms/compare",
        "/owners/ada",
    ] {
        let page = asked(&yard, "GET", path, cookie).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.header("cache-control"), "private, no-store", "{path}");
        let text = page.text();
        assert!(
            text.contains("Log out") && text.contains(">bob<"),
            "{path}: {text}"
        );
    }
    // Also around a page that is not there.
    let missing = asked(&yard, "GET", "/view/nothing", cookie).await;
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("Log out"), "{}", missing.text());
    assert_eq!(
        asked(&yard, "GET", "/skills/forms/download", cookie)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn a_wrong_token_is_told_and_gives_nothing() {
    let yard = private(|_| {}).await;
    for token in ["", "sky_0000", "banana", "%22%3E%3Cscript%3E"] {
        let form = format!("token={token}&next=//evil.example/");
        let answer = sent(&yard, "/login", ORIGIN, "", form).await;
        assert_eq!(answer.status, 401, "{token}");
        assert_eq!(answer.header("set-cookie"), "", "{token}");
        let page = answer.text();
        assert!(page.contains("That token is not known here."), "{page}");
        assert!(page.contains("name=\"next\" value=\"/\""), "{page}");
        assert!(!page.contains("<script>"), "{page}");
    }
    let answer = sent(&yard, "/login", ORIGIN, "", "x=1".to_owned()).await;
    assert_eq!(answer.status, 400);
    // What somebody made up is no login, and a bad token is no reason to ask for another.
    let answer = asked(&yard, "GET", "/", "skillyard-registry-7879=0000").await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("location")),
        (303, "/login")
    );
    let request = Request::get("/")
        .header("accept", "text/html")
        .header("authorization", "Bearer sky_0");
    let answer = yard.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, 401);
    assert!(
        answer.text().contains("href=\"/login\""),
        "{}",
        answer.text()
    );
}

#[tokio::test]
async fn pages_of_other_sites_neither_log_in_nor_out() {
    let yard = private(|_| {}).await;
    let ada = yard.full("ada").await;
    for origin in ["https://evil.example", "null", "https://yard.example.evil"] {
        let answer = sent(&yard, "/login", origin, "", format!("token={ada}")).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("set-cookie")),
            (403, ""),
            "{origin}"
        );
    }
    let cookie = log_in(&yard, &ada).await;
    let page = asked(&yard, "GET", "/", &cookie).await.text();
    let value = csrf(&page).to_owned();
    let good = format!("csrf={value}");
    let foreign = sent(&yard, "/logout", "https://evil.example", &cookie, good).await;
    assert_eq!(foreign.status, 403);
    for form in ["", "csrf=", "csrf=0000"] {
        let answer = sent(&yard, "/logout", ORIGIN, &cookie, form.to_owned()).await;
        assert_eq!(answer.status, 403, "{form}");
    }
    assert_eq!(asked(&yard, "GET", "/", &cookie).await.status, 200);
    // The cookie reads, and nothing else.
    for (method, path) in [
        ("POST", "/skills"),
        ("POST", "/tokens"),
        ("DELETE", "/skills/forms/1.0.0"),
    ] {
        let answer = asked(&yard, method, path, &cookie).await;
        assert_eq!(answer.status, 401, "{method} {path}");
    }
    assert_eq!(asked(&yard, "GET", "/tokens", &cookie).await.status, 401);
    let answer = sent(&yard, "/logout", ORIGIN, &cookie, format!("csrf={value}")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("location")),
        (303, "/login")
    );
    let kept = answer.header("set-cookie");
    assert!(
        kept.starts_with("skillyard-registry-7879=;") && kept.contains("Max-Age=0"),
        "{kept}"
    );
    assert_eq!(asked(&yard, "GET", "/", &cookie).await.status, 303);
}

#[tokio::test]
async fn a_login_ends_with_its_token_and_with_its_time() {
    let yard = private(|_| {}).await;
    let token = yard.token("ada", &["tokens"]).await;
    let cookie = log_in(&yard, &token).await;
    assert_eq!(asked(&yard, "GET", "/", &cookie).await.status, 200);
    let id = yard.ask("GET", "/me", Some(&token), "").await.json()["token"].clone();
    let path = format!("/tokens/{}", id.as_str().unwrap());
    assert_eq!(yard.delete(&path, &token).await.status, 200);
    assert_eq!(asked(&yard, "GET", "/", &cookie).await.status, 303);
    // The token of these tests ends after an hour.
    let cookie = log_in(&yard, &yard.token("ada", &["read"]).await).await;
    yard.pass(3599);
    assert_eq!(asked(&yard, "GET", "/", &cookie).await.status, 200);
    yard.pass(2);
    assert_eq!(asked(&yard, "GET", "/", &cookie).await.status, 303);
}

#[tokio::test]
async fn every_node_knows_a_login() {
    let yard = private(|_| {}).await;
    let cookie = log_in(&yard, &yard.token("ada", &["read"]).await).await;
    let blobs = skillyard_registry::Blobs::in_folder(&yard.folder.path().join("blobs")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let other = Yard::over(folder, yard.database.clone(), blobs, |settings| {
        settings.access = ReadAccess::Private;
    });
    let page = asked(&other, "GET", "/", &cookie).await;
    assert_eq!(page.status, 200);
    let form = format!("csrf={}", csrf(&page.text()));
    assert_eq!(
        sent(&other, "/logout", ORIGIN, &cookie, form).await.status,
        303
    );
    assert_eq!(asked(&yard, "GET", "/", &cookie).await.status, 303);
}

#[tokio::test]
async fn below_a_path_everything_stays_below_it() {
    let yard = private(|settings| settings.url = "http://skills.example/yard".to_owned()).await;
    let token = yard.token("ada", &["read"]).await;
    let first = yard.browse("/view/forms").await;
    assert_eq!(first.header("location"), "/yard/login?next=%2Fview%2Fforms");
    let page = yard.browse("/login?next=%2Fview%2Fforms").await.text();
    assert!(page.contains("action=\"/yard/login\""), "{page}");
    assert!(page.contains("value=\"/view/forms\""), "{page}");
    let form = format!("token={token}&next=%2Fview%2Fforms");
    let answer = sent(&yard, "/login", "http://skills.example", "", form).await;
    assert_eq!(answer.header("location"), "/yard/view/forms");
    let cookie = answer.header("set-cookie");
    assert!(
        cookie.contains("; Path=/yard; ") && !cookie.contains("Secure"),
        "{cookie}"
    );
}

#[tokio::test]
async fn whoever_is_let_in_anyway_is_asked_for_nothing() {
    let yard = Yard::new().await;
    let answer = yard.browse("/login").await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("location")),
        (303, "/")
    );
    let answer = sent(&yard, "/login", ORIGIN, "", "token=x".to_owned()).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("set-cookie")),
        (303, "")
    );
    assert!(!yard.browse("/").await.text().contains("Log out"));
}
