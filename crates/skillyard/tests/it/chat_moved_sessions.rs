//! Sessions that go on or are made again somewhere else than where they began.

use serde_json::{Value, json};

use crate::TestContext;
use crate::scripted_model::{call, model};
use crate::serve_chat::Serving;
use crate::terminal::typed;

/// Two trusted projects with a skill of one name, a third one with none, and a session that began
/// in the first.
fn session() -> (TestContext, String) {
    let context = TestContext::new();
    for project in ["one", "two"] {
        context.write(
            &format!("../{project}/.skills/hl/SKILL.md"),
            format!(
                "---\nname: hl\ndescription: Does it. Use when asked.\n---\n\nBODY OF {project}\n"
            ),
        );
        from(&context, project, &["trust", "."]);
    }
    let said = said(&context, "one", &["-p", "hello there"]);
    let id = said["session"].as_str().unwrap().to_owned();
    (context, id)
}

fn from(context: &TestContext, folder: &str, arguments: &[&str]) -> String {
    let folder = context.root().parent().unwrap().join(folder);
    let mut command = context.skillyard();
    let output = crate::output(command.current_dir(folder).args(arguments));
    crate::text(&output.stdout)
}

fn said(context: &TestContext, folder: &str, arguments: &[&str]) -> Value {
    let told = from(context, folder, &[&["chat", "--json"], arguments].concat());
    serde_json::from_str(&told).unwrap()
}

#[test]
fn it_has_the_skills_of_where_it_began() {
    let (context, id) = session();
    for folder in ["work", "two"] {
        let answer = said(
            &context,
            folder,
            &["--resume", &id, "--fork", "-p", "/hl do"],
        );
        let words = answer["answer"].as_str().unwrap_or_default();
        assert!(words.contains("BODY OF one"), "{folder}: {answer}");
        let fork = answer["session"].as_str().unwrap();
        for folder in ["one", "two", "work"] {
            let told = from(&context, folder, &["audit", "replay", fork]);
            assert!(
                told.starts_with("✓ the same to the byte"),
                "{folder}: {told}"
            );
        }
    }
}

#[test]
fn a_folder_that_is_named_has_its_own() {
    let (context, id) = session();
    let here = ["--workspace", ".", "-p", "/hl do"];
    let resumed = said(&context, "two", &[&["--resume", &id], &here[..]].concat());
    let words = resumed["answer"].as_str().unwrap_or_default();
    assert!(words.contains("BODY OF two"), "{resumed}");
    // A new one is in the folder that is named, however that is written.
    let new = said(&context, "one", &["--workspace", "../two", "-p", "/hl do"]);
    let words = new["answer"].as_str().unwrap_or_default();
    assert!(words.contains("BODY OF two"), "{new}");
    let id = new["session"].as_str().unwrap();
    let again = said(&context, "work", &["--resume", id, "-p", "/hl again"]);
    assert!(again["error"].is_null(), "{again}");
    let told = from(&context, "work", &["audit", "replay", id]);
    assert!(told.starts_with("✓ the same to the byte"), "{told}");
}

#[test]
fn a_server_elsewhere_goes_by_its_folder() {
    let (context, id) = session();
    let serving = Serving::start(&context, &[]);
    let session = serving.say(&id, "/hl do");
    assert!(session.to_string().contains("BODY OF one"), "{session}");
    let path = format!("/api/v1/audit/replay/{id}");
    let replayed = serving.json("GET", &path, &json!(null));
    assert_eq!(replayed["same"], true, "{replayed}");
}

#[test]
fn a_server_without_skills_gives_none_of_another_folder() {
    let (context, _) = session();
    context
        .write("../one/in-one.md", "x")
        .write("in-work.md", "x");
    context.write(".skillyard/config.toml", "[server]\nskills = false\n");
    // Until then the project has no say.
    from(&context, "work", &["trust", "."]);
    let look = call("1", "Glob", &json!({ "pattern": "*.md" }));
    let (url, asked) = model(vec![
        json!({ "content": "Hi." }),
        json!({ "tool_calls": [look] }),
        json!({ "content": "Done." }),
    ]);
    let url = format!("models.test.url={url}");
    let flags = ["--config", &url, "--config", "models.test.tool_mode=native"];
    let begin = ["--model", "test/m", "-p", "hello"];
    let answer = said(&context, "one", &[&flags[..], &begin].concat());
    let id = answer["session"].as_str().unwrap();
    let serving = Serving::start(&context, &flags);
    serving.say(id, "look around");
    let request = asked.lock().unwrap()[2].to_string();
    // It works where it began all the same.
    assert!(request.contains("in-one.md"), "{request}");
    assert!(!request.contains("in-work.md"), "{request}");
    let refused = serving.say(id, "/hl do").to_string();
    assert!(!refused.contains("BODY OF one"), "{refused}");
}

#[test]
fn what_was_allowed_for_the_session_is_asked_about_elsewhere() {
    let (context, _) = session();
    let command = json!({ "command": "pwd > ran" });
    let file = json!({ "path": "made.md", "content": "x" });
    let run = || json!({ "tool_calls": [call("1", "Bash", &command)] });
    let write = || json!({ "tool_calls": [call("2", "Write", &file)] });
    let done = || json!({ "content": "Done." });
    let asked = [run(), done(), write(), done()];
    let both = || [run(), write(), done()];
    let answers = asked.into_iter().chain(both()).chain(both());
    let (url, _) = model(answers.collect());
    let url = format!("models.test.url={url}");
    let flags = ["--config", &url, "--config", "models.test.tool_mode=native"];
    let begin = ["chat", "--model", "test/m", "-p", "go"];
    let go_on = ["chat", "--resume", "last", "-p", "go"];
    for arguments in [&begin, &go_on] {
        let answer = [("Allow it?", "session\r")];
        typed(&context, &[&arguments[..], &flags].concat(), &answer);
    }
    let made = |folder: &str| {
        let folder = context.root().parent().unwrap().join(folder);
        ["ran", "made.md"].map(|file| std::fs::remove_file(folder.join(file)).is_ok())
    };
    assert_eq!(made("work"), [true, true]);
    // Nobody can be asked now.
    let again = ["--resume", "last", "-p", "go"];
    let elsewhere = [&again[..], &["--workspace", "."], &flags].concat();
    said(&context, "two", &elsewhere);
    assert_eq!(made("two"), [false, false]);
    said(&context, "two", &[&again[..], &flags].concat());
    assert_eq!(made("work"), [true, true]);
    assert_eq!(made("two"), [false, false]);
}

#[test]
fn a_talk_takes_over_what_was_said_elsewhere_meanwhile() {
    let context = TestContext::new();
    let first = said(&context, "work", &["-p", "one"]);
    let id = first["session"].as_str().unwrap();
    let program = env!("CARGO_BIN_EXE_skillyard");
    // While the talk waits for its first line, somebody else says something.
    let mut command = context.command("sh");
    command.arg("-c").arg(format!(
        "(sleep 1; {program} chat --resume {id} -p 'two elsewhere' >/dev/null 2>&1; echo three) \
         | {program} chat --resume {id}"
    ));
    let told = crate::output(&mut command);
    let notes = crate::text(&told.stderr);
    assert_eq!(told.status.code(), Some(0), "{notes}");
    assert!(notes.contains("This session went on elsewhere"), "{notes}");
    assert!(notes.contains("> two elsewhere"), "{notes}");
    let last = said(&context, "work", &["--resume", id, "-p", "four"]);
    assert_eq!(last["session"], id);
}

#[test]
fn lines_that_come_at_once_are_all_said() {
    let context = TestContext::new();
    let answers = [("> ", "alpha\rbeta\rgamma\r/exit\r")];
    let (shown, code) = typed(&context, &["chat"], &answers);
    assert_eq!(code, 0, "{shown}");
    let kept = context
        .json(&["chat", "--export", "last", "--json"])
        .to_string();
    for said in ["alpha", "beta", "gamma"] {
        assert!(kept.contains(said), "{said}: {kept}");
    }
}
