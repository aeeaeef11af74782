//! What is found first, and how many have what.

use serde_json::json;
use skillyard_registry::store::downloads::{self, Download};

use super::yard::{Yard, signed, skill, with_file};

async fn names(yard: &Yard, query: &str) -> Vec<String> {
    let found = yard.get(&format!("/skills?{query}")).await.json();
    let found = found["skills"].as_array().unwrap().clone();
    let name = |each: &serde_json::Value| each["name"].as_str().unwrap().to_owned();
    found.iter().map(name).collect()
}

#[tokio::test]
async fn the_name_itself_comes_first_and_a_squatter_does_not() {
    let yard = Yard::new().await;
    let (ada, eve, bob) = (
        yard.full("ada").await,
        yard.full("eve").await,
        yard.full("bob").await,
    );
    yard.publish(&ada, skill("form", "1.0.0")).await;
    yard.publish(&ada, skill("form-filler", "1.0.0")).await;
    yard.publish(&ada, skill("tax-form", "1.0.0")).await;
    yard.publish_in("eve", &eve, skill("form", "1.0.0")).await;
    yard.publish_in("bob", &bob, skill("form", "1.0.0")).await;
    let visit = |number: usize| Download {
        skill: "@bob/form".to_owned(),
        day: "2027-01-15".to_owned(),
        visitor: number.to_string(),
    };
    let visits: Vec<Download> = (0..10).map(visit).collect();
    downloads::count(&yard.database, &visits).await.unwrap();
    // Another change, so that the counts are looked at again.
    yard.publish(&ada, skill("papers", "1.0.0")).await;
    let found = names(&yard, "q=form").await;
    assert_eq!(found[..2], ["form", "@bob/form"], "{found:?}");
    assert!(found[2..].contains(&"@eve/form".to_owned()), "{found:?}");
    // By its beginning, what is used comes first, and a copy that nobody uses comes last.
    let found = names(&yard, "q=for").await;
    let expected = ["@bob/form", "form", "form-filler", "@eve/form"];
    assert_eq!(found[..4], expected, "{found:?}");
    assert_eq!(names(&yard, "q=%40bob/form").await[0], "@bob/form");
    assert_eq!(names(&yard, "q=%40bob").await[0], "@bob/form");
    assert_eq!(names(&yard, "owner=bob").await, ["@bob/form"]);
}

#[tokio::test]
async fn a_signature_lifts_no_copy_and_is_shown_with_its_key() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    yard.publish(&ada, skill("form", "1.0.0")).await;
    yard.publish(&ada, skill("form-filler", "1.0.0")).await;
    let (archive, key) = signed("form", "1.0.0");
    let answer = yard.publish_in("eve", &eve, archive).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert_eq!(names(&yard, "signed=true").await, ["@eve/form"]);
    let found = names(&yard, "q=form").await;
    assert_eq!(found, ["form", "form-filler", "@eve/form"]);
    let page = yard.get("/?q=form").await.text();
    let mark = format!("<span class=\"pill\">signed by key {key}</span>");
    assert!(page.contains(&mark), "{page}");
    assert!(page.contains(">Signature</h2>"), "{page}");
    let page = yard.get("/view/@eve/form").await.text();
    assert!(page.contains(&format!("<td>key {key}</td>")), "{page}");
}

#[tokio::test]
async fn a_skill_is_found_by_who_owns_it_now() {
    let yard = Yard::new().await;
    let (ada, bob) = (yard.full("ada").await, yard.full("bob").await);
    yard.full("eve").await;
    yard.publish(&ada, skill("forms", "1.0.0")).await;
    yard.publish(&ada, skill("papers", "1.0.0")).await;
    yard.publish_in("ada", &ada, skill("sheets", "1.0.0")).await;
    let changed = async |since: i64| {
        let told = yard.get(&format!("/changes?since={since}")).await.json();
        let told = told["skills"].as_array().unwrap().clone();
        let last = told
            .iter()
            .filter_map(|each| each["sequence"].as_i64())
            .max();
        let names = told
            .iter()
            .map(|each| each["name"].as_str().unwrap().to_owned());
        (names.collect::<Vec<_>>(), last.unwrap_or(since))
    };
    let (_, known) = changed(0).await;
    let offer = json!({ "to": "bob" });
    for path in ["/skills/forms/transfer", "/namespaces/ada/transfer"] {
        yard.put(path, &ada, &offer).await;
        let accepted = yard.ask("POST", path, Some(&bob), Vec::new()).await;
        assert_eq!(accepted.status, 200, "{}", accepted.text());
    }
    assert_eq!(
        names(&yard, "owner=bob&sort=name").await,
        ["@ada/sheets", "forms"]
    );
    assert_eq!(
        names(&yard, "owner=ada&sort=name").await,
        ["@ada/sheets", "papers"]
    );
    let facets = yard.get("/skills?facets=true").await.json()["facets"]["owners"].clone();
    assert_eq!(
        facets,
        json!([{ "value": "ada", "count": 2 }, { "value": "bob", "count": 1 }])
    );
    // And those who keep a copy hear of it, as of any other change of roles.
    let (told, known) = changed(known).await;
    assert_eq!(told, ["forms", "@ada/sheets"]);
    let role = json!({ "role": "owner" });
    yard.put("/skills/papers/owners/eve", &ada, &role).await;
    let (told, known) = changed(known).await;
    assert_eq!(told, ["papers"]);
    assert_eq!(names(&yard, "owner=eve").await, ["papers"]);
    yard.delete("/skills/papers/owners/eve", &ada).await;
    assert_eq!(changed(known).await.0, ["papers"]);
    assert!(names(&yard, "owner=eve").await.is_empty());
}

#[tokio::test]
async fn facets_count_what_was_found() {
    let yard = Yard::new().await;
    let (ada, eve) = (yard.full("ada").await, yard.full("eve").await);
    for name in ["forms", "papers"] {
        yard.publish(&ada, skill(name, "1.0.0")).await;
    }
    let script = with_file(
        "runner",
        "1.0.0",
        "scripts/run.sh",
        b"#!/bin/sh\necho hello\n",
    );
    yard.publish_in("eve", &eve, script).await;
    let found = yard.get("/skills?facets=true&limit=1").await.json();
    assert_eq!(found["skills"].as_array().unwrap().len(), 1);
    let facets = &found["facets"];
    assert_eq!(
        facets["owners"],
        json!([{ "value": "ada", "count": 2 }, { "value": "eve", "count": 1 }])
    );
    assert_eq!(facets["licenses"], json!([{ "value": "MIT", "count": 3 }]));
    assert_eq!(
        (&facets["with_scripts"], &facets["signed"]),
        (&json!(1), &json!(0))
    );
    let narrowed = yard.get("/skills?facets=true&scripts=false").await.json();
    assert_eq!(
        narrowed["facets"]["owners"],
        json!([{ "value": "ada", "count": 2 }])
    );
    assert_eq!(yard.get("/skills?signed=true").await.json()["total"], 0);
    assert_eq!(
        yard.get("/skills?signed=false&verdict=clean").await.json()["total"],
        3
    );
    assert_eq!(yard.get("/skills").await.json().get("facets"), None);
}

#[tokio::test]
async fn what_is_fetched_most_comes_first_though_nobody_publishes() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    for name in ["forms", "papers"] {
        yard.publish(&ada, skill(name, "1.0.0")).await;
    }
    assert_eq!(names(&yard, "sort=downloads").await, ["forms", "papers"]);
    yard.get("/skills/papers/download").await;
    yard.server.settle().await;
    yard.pass(5 * 60);
    assert_eq!(names(&yard, "sort=downloads").await, ["papers", "forms"]);
}

#[tokio::test]
async fn what_can_be_run_is_a_script_whatever_it_is_called() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let files: [(&str, &str, &[u8]); 4] = [
        ("first-line", "references/z.md", b"#!/bin/sh\necho\n"),
        ("ending", "tools/x.py", b"print(1)\n"),
        ("program", "references/data", b"\x7fELF"),
        ("plain", "references/z.md", b"# Plain\n"),
    ];
    for (name, path, content) in files {
        let archive = with_file(name, "1.0.0", path, content);
        yard.publish(&ada, archive).await;
        let found = yard.get(&format!("/skills?q={name}")).await.json();
        let has_scripts = &found["skills"][0]["has_scripts"];
        assert_eq!(*has_scripts, name != "plain", "{found}");
    }
}
