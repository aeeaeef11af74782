//! Pages for people.

use super::yard::{Yard, packed, skill};

#[tokio::test]
async fn pages_show_skills_and_let_nothing_of_theirs_act() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let text = "---\nname: forms\ndescription: Fills <b>forms</b> \"quickly\". Use when a task has forms.\n\
                license: \"<script>alert(1)</script>\"\nmetadata:\n  version: \"1.0.0\"\n---\n\n\
                # How\n\n<script>alert(2)</script>\n\n[x](javascript:alert(3))\n";
    let answer = yard
        .publish(&ada, packed(&[("SKILL.md", text.as_bytes())]))
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    for path in [
        "/",
        "/?q=forms",
        "/view/forms",
        "/owners/ada",
        "/?q=%22%3E%3Cscript%3E",
    ] {
        let page = yard.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        let html = page.text();
        assert!(!html.contains("<script"), "{path}: {html}");
        assert!(!html.contains("href=\"javascript"), "{path}: {html}");
        assert!(
            page.header("content-security-policy")
                .contains("default-src 'none'")
        );
        assert!(page.header("content-type").starts_with("text/html"));
    }
    let html = yard.get("/view/forms").await.text();
    assert!(html.contains("skillyard install forms"));
    assert!(html.contains("<h1>How</h1>"));
    assert!(html.contains("Fills &#60;b&#62;forms") || html.contains("Fills &lt;b&gt;forms"));
    assert_eq!(
        yard.get("/view/nothing").await.problem(),
        "404 no-such-skill"
    );
    assert_eq!(yard.get("/owners/nobody").await.problem(), "404 not-found");
    assert!(
        yard.get("/style.css")
            .await
            .header("content-type")
            .starts_with("text/css")
    );
}

#[tokio::test]
async fn long_lists_have_pages() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    for number in 0..51 {
        yard.publish(&ada, skill(&format!("number-{number}"), "1.0.0"))
            .await;
    }
    assert!(yard.get("/").await.text().contains("offset=50"));
    let last = yard.get("/?q=&offset=50").await.text();
    assert_eq!(last.matches("href=\"/view/").count(), 1);
    assert!(!last.contains("rel=\"next\""));
}
