//! Pages for people.

use axum::body::Body;
use serde_json::json;

use super::yard::{Answer, Yard, instructions, packed, skill, with_file};

/// A page that is one, with nothing on it that a stranger made act.
fn checked(path: &str, page: &Answer) -> String {
    let html = page.text();
    assert!(
        page.header("content-type").starts_with("text/html"),
        "{path}: {html}"
    );
    let policy = page.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"));
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    let ours = [
        "<script src=\"/assets/registry.js\" defer></script>",
        "<script src=\"/assets/search.js\" defer></script>",
    ];
    let theirs = ours
        .iter()
        .fold(html.clone(), |text, ours| text.replace(ours, ""));
    for harm in [
        "<script",
        "href=\"javascript",
        "<iframe",
        "<style",
        "<svg",
        "<base",
    ] {
        assert!(!theirs.contains(harm), "{path} has {harm}: {theirs}");
    }
    // What stands between quotes or outside of tags is text, whatever it says.
    for tag in theirs.split('<').skip(1) {
        let unquoted: String = tag.split('"').step_by(2).collect();
        let tag = unquoted.split('>').next().unwrap_or_default();
        for harm in [" on", " style="] {
            assert!(!tag.contains(harm), "{path} has{harm} in <{tag}>");
        }
    }
    // The one picture is our mark.
    assert_eq!(theirs.matches("<img").count(), 1, "{path}");
    html
}

const EVIL: &str = "<img src=x onerror=alert(1)>";

/// A registry with a skill that tries everything.
async fn hostile() -> Yard {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let text = |version: &str| {
        format!(
            "---\nname: forms\ndescription: 'Fills <b>forms</b> \"quickly\" {EVIL}. Use when a task has forms.'\n\
             license: '\"><script>alert(1)</script>'\ncompatibility: '{EVIL}'\nmetadata:\n  version: \"{version}\"\n  \
             tags: '\"><script>alert(2)</script> paper'\n  requires: '<script>alert(3)</script>'\n  \
             skillyard.requires-skills: '{EVIL}'\n---\n\n\
             # How {version}\n\n<script>alert(4)</script>\n\n[x](javascript:alert(5)) {EVIL}\n\n[more](references/more.md#part)\n"
        )
    };
    // Archives have no angle brackets and no double quotes in names; this is the worst they can have.
    let name = "references/' onerror=alert(1) x='&lt;script&gt;.md";
    for version in ["1.0.0", "1.1.0"] {
        let text = text(version);
        let body = format!("{EVIL}\n<script>alert(6)</script> {version}\n");
        let files: [(&str, &[u8]); 4] = [
            ("SKILL.md", text.as_bytes()),
            ("references/more.md", body.as_bytes()),
            (name, body.as_bytes()),
            ("references/plain.txt", body.as_bytes()),
        ];
        let answer = yard.publish(&ada, packed(&files)).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
    }
    let message = json!({ "message": format!("use {EVIL}") }).to_string();
    yard.ask("PUT", "/skills/forms/deprecation", Some(&ada), message)
        .await;
    let reason = "%3Cscript%3Ealert(7)%3C/script%3E";
    let path = format!("/skills/forms/1.0.0?reason={reason}");
    let yanked = yard.ask("DELETE", &path, Some(&ada), Body::empty()).await;
    assert_eq!(yanked.status, 200, "{}", yanked.text());
    yard
}

#[tokio::test]
async fn pages_show_skills_and_let_nothing_of_theirs_act() {
    let yard = hostile().await;
    let evil = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E";
    for path in [
        "/".to_owned(),
        "/?q=forms".to_owned(),
        format!(
            "/?q={evil}&owner={evil}&tag={evil}&license={evil}&signed={evil}&verdict={evil}&sort={evil}&scripts={evil}"
        ),
        format!("/?tag={evil}"),
        "/view/forms".to_owned(),
        "/view/forms?version=1.0.0".to_owned(),
        "/view/forms/files/SKILL.md".to_owned(),
        "/view/forms/files/references/more.md?version=1.0.0".to_owned(),
        "/view/forms/files/references/plain.txt".to_owned(),
        "/view/forms/files/references/'%20onerror=alert(1)%20x='&lt;script&gt;.md".to_owned(),
        "/view/forms/compare".to_owned(),
        "/view/forms/compare?from=1.0.0&to=1.1.0".to_owned(),
        "/owners/ada".to_owned(),
    ] {
        let page = yard.get(&path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text());
        checked(&path, &page);
    }
    for path in [
        format!("/{evil}"),
        format!("/view/{evil}"),
        format!("/view/forms?version={evil}"),
        format!("/view/forms/files/{evil}"),
        format!("/view/forms/files/SKILL.md?version={evil}"),
        format!("/view/forms/compare?from={evil}"),
        format!("/owners/{evil}"),
        format!("/assets/{evil}"),
    ] {
        let page = yard.browse(&path).await;
        assert_eq!(page.status, 404, "{path}: {}", page.text());
        checked(&path, &page);
    }
}

#[tokio::test]
async fn a_small_archive_is_a_small_page() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let text = format!(
        "{}\n{}",
        instructions("forms", "1.0.0"),
        ">".repeat(150_000)
    );
    let published = yard.publish(&ada, packed(&[("SKILL.md", text.as_bytes())]));
    assert_eq!(published.await.status, 201);
    let page = yard.get("/view/forms").await;
    assert_eq!(page.text().matches("<blockquote>").count(), 64);
}

#[tokio::test]
async fn a_skill_s_page_says_all_that_is_known() {
    let yard = hostile().await;
    let html = yard.get("/view/forms").await.text();
    for text in [
        "skillyard install forms<",
        "<h1>How 1.1.0</h1>",
        "Fills &#60;b&#62;forms",
        "Deprecated:",
        "withdrawn",
        "href=\"/view/forms/files/references/more.md?version=1.1.0#part\"",
        "href=\"/skills/forms/1.1.0/download\"",
        "href=\"/view/forms?version=1.0.0\"",
        "action=\"/view/forms/compare\"",
        "href=\"/owners/ada\"",
        "sha256:",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    let old = yard.get("/view/forms?version=1.0.0").await.text();
    for text in [
        "<h1>How 1.0.0</h1>",
        "Withdrawn:",
        "This is not the latest version",
        "/view/forms/compare?from=1.0.0&#38;to=1.1.0",
    ] {
        assert!(old.contains(text), "{text}: {old}");
    }
}

#[tokio::test]
async fn two_versions_are_compared_line_by_line() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let script = |word: &str| format!("#!/bin/sh\necho {word}\n");
    for (version, word) in [("1.0.0", "one"), ("1.1.0", "two"), ("1.2.0", "two")] {
        let archive = with_file("forms", version, "scripts/run.sh", script(word).as_bytes());
        yard.publish(&ada, archive).await;
    }
    let html = yard
        .get("/view/forms/compare?from=1.0.0&to=1.1.0")
        .await
        .text();
    assert!(html.contains("<del>- echo one</del>") && html.contains("<ins>+ echo two</ins>"));
    // The version stands in the instructions, which come first.
    assert!(html.find("SKILL.md").unwrap() < html.find("scripts/run.sh").unwrap());
    // Without a choice, it is the last change.
    let html = yard.get("/view/forms/compare").await.text();
    assert!(
        html.contains("<ins>+   version: &#34;1.2.0&#34;</ins>"),
        "{html}"
    );
    assert!(!html.contains("scripts/run.sh"));
    let html = yard
        .get("/view/forms/compare?from=1.2.0&to=1.2.0")
        .await
        .text();
    assert!(html.contains("Nothing changed"));
    for (path, problem) in [
        ("/view/nothing/compare", "404 no-such-skill"),
        ("/view/forms/compare?from=9.9.9", "404 no-such-version"),
        ("/view/forms/compare?to=x", "404 no-such-version"),
        ("/view/forms/compare?to=1.0.0&to=1.1.0", "400 parameter"),
    ] {
        assert_eq!(yard.get(path).await.problem(), problem, "{path}");
    }
}

#[tokio::test]
async fn files_are_shown_as_what_they_are() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let long = "é".repeat(200_000);
    let files: [(&str, &[u8]); 4] = [
        (
            "SKILL.md",
            super::yard::instructions("forms", "1.0.0")
                .leak()
                .as_bytes(),
        ),
        ("assets/picture.png", b"\x89PNG\r\n\x1a\n\0\0"),
        ("references/guide.md", b"# Guide\n\n[back](../SKILL.md)\n"),
        ("references/long.txt", long.as_bytes()),
    ];
    yard.publish(&ada, packed(&files)).await;
    let get = async |path: &str| yard.get(&format!("/view/forms/files/{path}")).await;
    assert!(get("SKILL.md").await.text().contains("name: forms"));
    assert!(
        get("references/guide.md")
            .await
            .text()
            .contains("<h1>Guide</h1>")
    );
    let back = "href=\"/view/forms/files/SKILL.md?version=1.0.0\"";
    assert!(get("references/guide.md").await.text().contains(back));
    assert!(get("assets/picture.png").await.text().contains("not text"));
    let page = get("references/long.txt").await;
    assert!(page.text().contains("Only the beginning is shown"));
    assert!(page.body.len() < 300_000);
    for path in [
        "no.txt",
        "..%2f..%2fetc%2fpasswd",
        "SKILL.md%00",
        "%2fetc%2fpasswd",
        "references/../SKILL.md",
        "references",
    ] {
        assert_eq!(get(path).await.problem(), "404 no-such-file", "{path}");
    }
}

#[tokio::test]
async fn nothing_reads_as_something_else_on_a_page() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let text = super::yard::instructions("forms", "1.0.0").replace("Do it.", "Do\u{200e} it.");
    let files: [(&str, &[u8]); 2] = [
        ("SKILL.md", text.as_bytes()),
        ("scripts/fill.sh", "#!/bin/sh\necho a\u{200b}b\n".as_bytes()),
    ];
    yard.publish(&ada, packed(&files)).await;
    for (path, seen) in [
        ("/view/forms", "<p>Do\\u{200e} it.</p>"),
        ("/view/forms/files/SKILL.md", "\nDo\\u{200e} it.\n"),
        ("/view/forms/files/scripts/fill.sh", "\necho a\\u{200b}b\n"),
        ("/view/no%E2%80%AEne", "no\\u{202e}ne"),
    ] {
        let html = checked(path, &yard.browse(path).await);
        assert!(html.contains(seen), "{path}: {html}");
    }
}

#[tokio::test]
async fn who_reads_pages_gets_problems_as_pages_with_a_way_on() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("pdf-tools", "1.0.0")).await;
    let page = yard.browse("/view/pdf-tool").await;
    assert_eq!(page.status, 404);
    assert_eq!(page.header("vary"), "accept");
    let html = checked("/view/pdf-tool", &page);
    assert!(
        html.contains("Did you mean <a href=\"/view/pdf-tools\">pdf-tools</a>?"),
        "{html}"
    );
    let html = yard.browse("/view/pdf-tools?version=9.9.9").await.text();
    assert!(html.contains("Look at pdf-tools"), "{html}");
    assert!(
        yard.browse("/nothing")
            .await
            .text()
            .contains("There is nothing at this address.")
    );
    // Programs get what programs read.
    assert_eq!(
        yard.get("/view/pdf-tool").await.problem(),
        "404 no-such-skill"
    );
    assert_eq!(
        yard.get("/owners/nobody").await.problem(),
        "404 no-such-owner"
    );
    assert_eq!(yard.get("/nothing").await.problem(), "404 not-found");
}

#[tokio::test]
async fn lists_have_pages_and_can_be_narrowed_down() {
    let yard = Yard::new().await;
    let (ada, bob) = (yard.full("ada").await, yard.full("bob").await);
    for number in 0..26 {
        yard.publish(&ada, skill(&format!("number-{number}"), "1.0.0"))
            .await;
    }
    let archive = with_file("runner", "1.0.0", "scripts/run.sh", b"#!/bin/sh\necho\n");
    yard.publish(&bob, archive).await;
    let count = async |path: &str| {
        yard.get(path)
            .await
            .text()
            .matches("<li class=\"card\">")
            .count()
    };
    assert_eq!(count("/").await, 25);
    assert!(
        yard.get("/")
            .await
            .text()
            .contains("rel=\"next\" href=\"/?offset=25\"")
    );
    assert_eq!(count("/?offset=25").await, 2);
    assert!(
        !yard
            .get("/?offset=25")
            .await
            .text()
            .contains("rel=\"next\"")
    );
    assert_eq!(count("/?owner=bob").await, 1);
    assert_eq!(count("/?scripts=yes").await, 1);
    assert_eq!(count("/?signed=yes").await, 0);
    assert_eq!(count("/?license=mit&tag=paper&owner=bob").await, 1);
    assert_eq!(count("/?offset=99999999999999999999").await, 25);
    let html = yard.get("/?owner=bob").await.text();
    assert!(
        html.contains("href=\"/\" aria-current=\"true\" title=\"Take this back\">bob"),
        "{html}"
    );
    assert!(html.contains("<input type=\"hidden\" name=\"owner\" value=\"bob\">"));
}

#[tokio::test]
async fn who_needs_a_skill_stands_on_its_page() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    yard.publish(&ada, skill("chart", "1.0.0")).await;
    for (name, needs) in [("report", "chart@^1"), ("other", "charts ./chart")] {
        let text = format!(
            "---\nname: {name}\ndescription: Makes it. Use when it is needed.\nmetadata:\n  \
             version: \"1.0.0\"\n  skillyard.requires-skills: \"{needs}\"\n---\n\nDo it.\n"
        );
        yard.publish(&ada, packed(&[("SKILL.md", text.as_bytes())]))
            .await;
    }
    let html = yard.get("/view/chart").await.text();
    assert!(
        html.contains("Used by") && html.contains("href=\"/view/report\""),
        "{html}"
    );
    assert!(!html.contains("href=\"/view/other\""));
    assert!(!yard.get("/view/report").await.text().contains("Used by"));
}

#[tokio::test]
async fn a_registry_below_an_address_links_to_what_is_below_it() {
    let yard = Yard::with(|settings| settings.url = "https://yard.example/reg".to_owned()).await;
    let ada = yard.full("ada").await;
    let published = yard.publish(&ada, skill("forms", "1.0.0")).await;
    assert_eq!(published.header("location"), "/reg/skills/forms");
    for path in ["/", "/view/forms", "/view/form", "/owners/ada"] {
        let text = yard.browse(path).await.text();
        let mut links = 0;
        for start in [" href=\"/", " src=\"/", " action=\"/"] {
            for (at, _) in text.match_indices(start) {
                let link = &text[at + start.len() - 1..];
                let link = &link[..link.find('"').unwrap()];
                assert!(
                    link.starts_with("/reg/") && !link.starts_with("/reg/reg"),
                    "{path}: {link}"
                );
                links += 1;
            }
        }
        assert!(links > 5, "{path}: {text}");
    }
}

#[tokio::test]
async fn what_a_skill_says_about_links_is_shown_as_it_says_it() {
    let yard = Yard::with(|settings| settings.url = "https://yard.example/reg".to_owned()).await;
    let ada = yard.full("ada").await;
    let code = "```html\n<a href=\"/docs/start\"><img src=\"/a.png\">\n```\n\nWrite ` href=\"/docs/x\"`.\n";
    let text = format!(
        "{}\n{code}\n[more](references/more.md)\n",
        instructions("forms", "1.0.0")
    );
    let files: [(&str, &[u8]); 2] = [
        ("SKILL.md", text.as_bytes()),
        ("references/more.md", b"x\n"),
    ];
    assert_eq!(yard.publish(&ada, packed(&files)).await.status, 201);
    let page = yard.browse("/view/forms").await.text();
    for said in [
        "&lt;a href=\"/docs/start\"&gt;&lt;img src=\"/a.png\"&gt;",
        "<code> href=\"/docs/x\"</code>",
        "href=\"/reg/view/forms/files/references/more.md?version=1.0.0\"",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
}

#[tokio::test]
async fn instructions_that_are_not_shown_to_the_end_say_so() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let page = async |version: &str, times: usize| {
        let body = "Do this and that.\n\n".repeat(times);
        let text = format!("{}\n{body}# Last part\n", instructions("forms", version));
        let published = yard.publish(&ada, packed(&[("SKILL.md", text.as_bytes())]));
        assert_eq!(published.await.status, 201);
        yard.get("/view/forms").await.text()
    };
    let whole = page("1.0.0", 10).await;
    assert!(whole.contains("Last part") && !whole.contains("Only the beginning"));
    let cut = page("1.1.0", 30_000).await;
    assert!(!cut.contains("Last part") && cut.contains("Only the beginning is shown"));
}

#[tokio::test]
async fn a_choice_is_seen_however_rare_it_is_and_can_be_taken_back() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    for (name, tags) in [
        ("forms", "a b c d e f g h i zeta"),
        ("other", "a b c d e f g h i"),
    ] {
        let text = instructions(name, "1.0.0").replace("paper office", tags);
        let published = yard.publish(&ada, packed(&[("SKILL.md", text.as_bytes())]));
        assert_eq!(published.await.status, 201);
    }
    let page = yard.get("/?tag=zeta").await.text();
    let narrow = page.split("id=\"facet-tag\"").nth(1).unwrap();
    let narrow = narrow.split("</ul>").next().unwrap();
    let chosen = narrow.split("<li>").find(|item| item.contains("zeta"));
    let chosen = chosen.unwrap_or_else(|| panic!("{narrow}"));
    assert!(
        chosen.contains("aria-current") && chosen.contains("href=\"/\""),
        "{chosen}"
    );
    // What makes no sense is left out, and nothing else.
    for query in ["tag=zeta&offset=abc", "tag=a&tag=zeta", "tag=zeta&x=%ff"] {
        let page = yard.get(&format!("/?{query}")).await.text();
        assert!(
            page.contains("view/forms") && !page.contains("view/other"),
            "{query}"
        );
    }
}
