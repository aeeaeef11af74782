//! Where the model of `skillyard chat` is, how much it takes at once, and who says it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::scripted_model::model;
use crate::{TestContext, output, text};

/// What the model is asked in a first turn with these settings and arguments.
fn asked(context: &TestContext, settings: &[&str], arguments: &[&str]) -> Value {
    let (url, asked) = model(vec![json!({ "content": "Done." })]);
    let mut command = context.skillyard();
    command.args(["--config", &format!("models.test.url={url}")]);
    command.args(["--config", "models.test.tool_mode=native"]);
    for setting in settings {
        command.args(["--config", setting]);
    }
    command.arg("chat").args(arguments).args(["-p", "go"]);
    let told = output(&mut command);
    assert!(told.status.success(), "{}", text(&told.stderr));
    asked.lock().unwrap()[0].clone()
}

#[test]
fn the_catalog_and_the_answer_are_fitted_into_the_context() {
    let context = TestContext::new();
    for at in 0..100 {
        context.write_skill(&format!("../home/.agents/skills/helper-{at}"));
    }
    let direct = ["--model", "test/m"];
    let large = asked(&context, &[], &direct);
    assert_eq!(large["max_tokens"], 8192);
    let small = asked(&context, &["models.test.context=8000"], &direct);
    assert_eq!(small["max_tokens"], 2000);
    let system = |request: &Value| request["messages"][0]["content"].to_string();
    assert!(system(&large).contains("helper-99"));
    assert!(system(&small).len() < system(&large).len() / 3);
    // An agent says it for itself.
    let skills = "--skills=helper-0,helper-1,helper-2,helper-3";
    let said = ["--context-tokens", "4000", "--max-runs", "7"];
    context.done(
        &[
            &["agent", "create", "clerk", "--model", "test/m", skills][..],
            &said,
        ]
        .concat(),
    );
    let shown = context.run(&["agent", "show", "clerk"]);
    assert!(
        shown.contains("7 runs a session, context of 4000 tokens"),
        "{shown}"
    );
    let agent = asked(&context, &["models.test.context=8000"], &["clerk"]);
    assert_eq!(agent["max_tokens"], 1000);
}

#[test]
fn an_address_of_messages_may_end_in_its_version() {
    for end in ["", "/", "/v1", "/v1/"] {
        let context = TestContext::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}{end}", listener.local_addr().unwrap());
        let asked = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            let mut line = String::new();
            BufReader::new(&connection).read_line(&mut line).unwrap();
            let refusal = b"HTTP/1.1 401 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            connection.write_all(refusal).unwrap();
            line
        });
        let mut command = context.skillyard();
        command.args(["--config", &format!("models.test.url={url}")]);
        command.args(["--config", "models.test.api=anthropic"]);
        command.args(["chat", "--model", "test/m", "-p", "go"]);
        output(&mut command);
        let line = asked.join().unwrap();
        assert!(line.starts_with("POST /v1/messages "), "{end}: {line}");
    }
}

#[test]
fn a_skill_that_did_not_fit_any_more_is_loaded_again() {
    let load = crate::scripted_model::call("a", "skill_load", &json!({ "name": "big" }));
    let fine = || json!({ "content": "Fine." });
    let mut answers = vec![fine(); 10];
    answers[9] = json!({ "content": "", "tool_calls": [load] });
    answers.push(fine());
    let (url, asked) = model(answers);
    let context = TestContext::configured(&format!(
        "[models.test]\nurl = \"{url}\"\ntool_mode = \"native\"\ncontext = 14000\n"
    ));
    let rules = "Rule: always check every field of a form twice.\n".repeat(270);
    context.write(
        "../home/.agents/skills/big/SKILL.md",
        format!("---\nname: big\ndescription: Big rules. Use for forms.\n---\n\n{rules}"),
    );
    let say = |words: &str| {
        let chat = ["chat", "--resume", "last", "--model", "test/m", "-p", words];
        context.done(&chat);
        asked.lock().unwrap().last().unwrap()["messages"].to_string()
    };
    let has_rules = |request: &str| request.contains("check every field of a form twice");
    context.done(&["chat", "--model", "test/m", "-p", "/big go"]);
    let long = "lorem ipsum dolor sit amet ".repeat(330);
    let forgotten = || {
        let [.., told] = [(); 3].map(|()| say(&long));
        assert!(told.contains("did not fit: big"), "{told}");
        assert!(!has_rules(&told));
    };
    forgotten();
    let again = say("/big what is rule 3?");
    assert!(has_rules(&again), "{again}");
    // What is there is not given twice.
    let twice = say("/big and rule 4?");
    assert!(twice.contains("is loaded already"), "{twice}");
    forgotten();
    let loaded = say("load it");
    assert!(has_rules(&loaded), "{loaded}");
    let replay = context.stdout(&["audit", "replay", "last"]);
    assert!(replay.starts_with("✓ the same to the byte"), "{replay}");
}
