//! More sessions than a terminal shows.

use serde_json::json;

use crate::TestContext;
use crate::serve_chat::Serving;
use crate::terminal::typed;

#[test]
fn none_is_left_out_without_a_word() {
    let context = TestContext::new();
    {
        let serving = Serving::start(&context, &[]);
        for _ in 0..103 {
            let session = serving.json("POST", "/api/v1/sessions", &json!({}));
            serving.say(session["id"].as_str().unwrap(), "hello");
        }
    }
    let all = context.json(&["chat", "--sessions", "--json"]);
    assert_eq!(all["sessions"].as_array().unwrap().len(), 103);
    let piped = context.skillyard().args(["chat", "--sessions"]).output();
    assert_eq!(crate::text(&piped.unwrap().stdout).lines().count(), 103);
    let (shown, code) = typed(&context, &["chat", "--sessions"], &[]);
    assert_eq!(code, 0);
    assert!(shown.contains("3 older ones are not shown"), "{shown}");
    assert_eq!(shown.matches("messages").count(), 100, "{shown}");
}
