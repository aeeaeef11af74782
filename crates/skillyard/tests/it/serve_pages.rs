//! Pages of `skillyard serve` that say what is set up here.

use serde_json::{Value, json};

use crate::TestContext;
use crate::serve_chat::Serving;

#[test]
fn a_chat_says_whether_a_model_answers_in_it() {
    let context = TestContext::new();
    let config = "[models.test]\nurl = 'http://127.0.0.1:9/v1'\ntool_mode = 'native'\n";
    context.write("../home/.skillyard/config.toml", config);
    let serving = Serving::start(&context, &[]);
    let page = |path: &str| serving.ask_with("GET", path, "", &Value::Null).1;
    let begun = |model: &str| {
        let wish = json!({ "model": model });
        let begun = serving.json("POST", "/api/v1/sessions", &wish);
        page(&format!("/chat/{}", begun["id"].as_str().unwrap()))
    };
    let offline = "so this chat is <strong>offline</strong>";
    assert!(page("/").contains(offline));
    assert!(begun("offline").contains(offline));
    let with_model = begun("test/m");
    assert!(with_model.contains("test/m"), "{with_model}");
    assert!(!with_model.contains("offline</strong>"), "{with_model}");
}

#[test]
fn the_admin_page_says_where_skills_inside_the_program_are() {
    let context = TestContext::new();
    let serving = Serving::start(&context, &[]);
    let page = serving.ask_with("GET", "/admin", "", &Value::Null).1;
    assert!(page.contains("<td>builtin</td>"), "{page}");
    assert!(page.contains("inside the program"), "{page}");
    assert!(!page.contains("<code></code>"), "{page}");
}
