//! What the plan of an installation over HTTP tells: all that people are told before they are asked.

use serde_json::json;

use crate::TestContext;
use crate::output;
use crate::project::installed;
use crate::serve_chat::Serving;

#[test]
fn a_step_back_and_what_was_given_up() {
    let context = TestContext::new();
    let _registry = context.with_registry();
    for version in ["1.0.0", "2.0.0"] {
        context.write_version("pdf-tools", "pdf-tools", version);
        context.good(&["publish", "pdf-tools", "--yes"]);
    }
    context.good(&["install", "pdf-tools", "--scope", "user", "--yes"]);
    let serving = Serving::start(&context, &[]);
    let order = json!({ "reference": "pdf-tools@1.0.0", "scope": "user" });
    let planned = serving.json("POST", "/api/v1/install", &order);
    assert_eq!(planned["skills"][0]["older"], "2.0.0 → 1.0.0", "{planned}");
    assert!(planned["skills"][0]["deprecated"].is_null(), "{planned}");
    context.good(&["deprecate", "pdf-tools", "use pdf-forms"]);
    let planned = serving.json("POST", "/api/v1/install", &order);
    assert_eq!(planned["skills"][0]["deprecated"], "use pdf-forms");
    let install = ["install", "pdf-tools@1.0.0", "--scope", "user", "--json"];
    let told = context.json(&[&install[..], &["--dry-run"]].concat());
    let given_up = json!([{ "name": "pdf-tools", "instead": "use pdf-forms" }]);
    assert_eq!(told["deprecated"], given_up, "{told}");
}

#[test]
fn what_is_revoked_of_what_is_there() {
    let context = installed();
    let told = output(context.skillyard().args(["verify", "pdf", "--json"]));
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    let serving = Serving::start(&context, &[]);
    let order = json!({ "reference": "./lib/pdf", "scope": "project" });
    let planned = serving.json("POST", "/api/v1/install", &order);
    assert_eq!(planned["revoked"], json!([]), "{planned}");
    context.done(&["key", "revoke", told["digest"].as_str().unwrap()]);
    let planned = serving.json("POST", "/api/v1/install", &order);
    assert_eq!(planned["revoked"][0]["name"], "pdf", "{planned}");
    let remedy = planned["revoked"][0]["remedy"].as_str().unwrap();
    assert!(remedy.contains("skillyard remove pdf"), "{remedy}");
}
