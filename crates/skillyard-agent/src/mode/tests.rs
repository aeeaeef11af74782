use super::*;
use crate::provider::Completion;

fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str| ToolSpec {
        name: name.into(),
        description: String::new(),
        parameters: json!({}),
    };
    ["Glob", "Read", "Write", "skill_load"].map(tool).into()
}

fn read(mode: ToolMode, text: &str) -> String {
    let completion = Completion {
        parts: vec![AssistantPart::Text { text: text.into() }],
        ..Completion::default()
    };
    let parts = incoming(mode, &tools(), completion, 3).parts;
    let shown = parts.iter().map(|part| match part {
        AssistantPart::Text { text } => format!("text {text}"),
        AssistantPart::Call(call) => format!("{} {} {}", call.id, call.name, call.arguments),
        AssistantPart::Opaque { .. } => "opaque".into(),
    });
    shown.collect::<Vec<_>>().join(" | ")
}

#[test]
fn actions_are_calls_or_the_answer() {
    let check = |text, expected: &str| assert_eq!(read(ToolMode::JsonSchema, text), expected);
    check(
        r#"{"action":"skill_load","arguments":{"name":"pdf"}}"#,
        r#"call_3_0 skill_load {"name":"pdf"}"#,
    );
    check(r#"{"action":"answer","text":"Done."}"#, "text Done.");
    check(r#"{"action":"answer","text":"half of \"#, "text half of ");
    check(r#" {"action": "answer", "text": "caf\u00e"#, "text caf");
    check(
        r#"{"action":"Write","text":"half"#,
        r#"text {"action":"Write","text":"half"#,
    );
    check("no object at all", "text no object at all");
    check(r#"{"answer":1}"#, r#"text {"answer":1}"#);
}

#[test]
fn what_may_be_a_call_is_not_shown_before_it_is_understood() {
    for (pieces, shown) in [
        (
            &[
                "I lo",
                "ok. <tool",
                "_call>{\"name\":\"Glob\",\"arguments\":{}}",
                "</tool_call>",
            ][..],
            "I look. ",
        ),
        (&["a < b and ", "<tool", "s>"][..], "a < b and <tools>"),
        (
            &["```json\n{\"a\":1}\n```", " that is all"][..],
            "```json\n{\"a\":1}\n``` that is all",
        ),
        (&["ends with <"][..], "ends with <"),
        (
            &[
                "See ```json\n{\"a\":1}\n```",
                " <tool_call>{\"name\":\"Glob\",\"arguments\":{}}</tool_call>",
            ][..],
            "See ```json\n{\"a\":1}\n```",
        ),
    ] {
        let mut curtain = Curtain::default();
        let mut seen: String = pieces.iter().map(|piece| curtain.pass(piece)).collect();
        seen.push_str(&curtain.rest(&tools()));
        assert_eq!(seen, shown);
    }
}

#[test]
fn calls_are_found_in_text() {
    let check = |text, expected: &str| assert_eq!(read(ToolMode::Text, text), expected);
    check(
        "I look.\n<tool_call>{\"name\":\"Glob\",\"arguments\":{\"pattern\":\"*\"}}</tool_call>",
        "text I look. | call_3_1 Glob {\"pattern\":\"*\"}",
    );
    check(
        "```json\n{\"name\":\"read\",\"parameters\":{}}\n```",
        "call_3_0 read {}",
    );
    check(
        "<tool_call>{\"name\":\"Read\",\"arguments\":{}}",
        "call_3_0 Read {}",
    );
    // What closes a call may stand in its arguments.
    check(
        "```json\n{\"name\":\"Write\",\"arguments\":{\"content\":\"```sh\\nls\\n```\"}}\n``` done",
        "call_3_0 Write {\"content\":\"```sh\\nls\\n```\"} | text done",
    );
    check("```json\n{\"a\":1}\n```", "text ```json\n{\"a\":1}\n```");
    check(
        "<tool_call>{broken</tool_call>",
        "text <tool_call>{broken</tool_call>",
    );
}

#[test]
fn json_that_was_asked_for_is_no_call() {
    for given in [
        r#"{"name":"get_weather","description":"Weather","parameters":{"type":"object"}}"#,
        r#"{"name":"get_weather","arguments":{"city":"Bern"}}"#,
        r#"{"name":"Read","parameters":{"type":"object","properties":{"path":{}}}}"#,
    ] {
        let text = format!("Here it is:\n```json\n{given}\n```\nUse it well.");
        for mode in [ToolMode::Text, ToolMode::JsonSchema] {
            assert_eq!(read(mode, &text), format!("text {text}"));
        }
    }
}
