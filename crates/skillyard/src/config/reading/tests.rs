use crate::config::kind::ValueKind;

const WORD: ValueKind = ValueKind::Word(&["sandboxed", "blocked"]);
const COUNT: ValueKind = ValueKind::Count { least: 1, most: 64 };

fn check(kind: ValueKind, text: &str, expected: &str) {
    let read = kind.read_words(&[text.to_owned()]);
    let told = read.map_or_else(|problem| problem, |value| value.to_string());
    assert_eq!(told, expected, "{text}");
}

#[test]
fn words_of_the_command_line() {
    check(ValueKind::Switch, "yes", "true");
    check(ValueKind::Switch, "maybe", "it must be `true` or `false`");
    check(COUNT, "9", "9");
    check(COUNT, "0", "it must be a whole number from 1 to 64");
    check(COUNT, "1\nx = 2", "it must be a whole number from 1 to 64");
    check(COUNT, "-1", "it must be a whole number from 1 to 64");
    check(
        WORD,
        "blokced",
        "it must be `sandboxed` or `blocked`; did you mean `blocked`?",
    );
    check(ValueKind::Globs, "[\"a\", 'b']", r#"["a", "b"]"#);
    check(ValueKind::Globs, "[ab]*", r#"["[ab]*"]"#);
    check(
        ValueKind::Globs,
        "a[",
        "`a[` is not a pattern: unclosed character class; missing ']'; a skill of this very name is `a[[]`",
    );
    check(ValueKind::Names, "", "it has an empty entry");
    check(ValueKind::Globs, " , ", "it has an empty entry");
    check(ValueKind::Globs, "evil*,foo", r#"["evil*", "foo"]"#);
    check(
        ValueKind::Globs,
        "{a,b}-[x,y], c",
        r#"["{a,b}-[x,y]", "c"]"#,
    );
    check(ValueKind::Globs, "[ab]*,c", r#"["[ab]*", "c"]"#);
    check(ValueKind::Globs, r#"["evil*,foo"]"#, r#"["evil*", "foo"]"#);
    check(ValueKind::Names, "a,b", r#"["a", "b"]"#);
    check(
        ValueKind::Names,
        "Bash(a,b), Write",
        r#"["Bash(a,b)", "Write"]"#,
    );
    check(ValueKind::Arguments, "--only=a,b", r#"["--only=a,b"]"#);
    check(ValueKind::Paths, "/a,b", r#"["/a,b"]"#);
}

#[test]
fn orders_of_sources() {
    let check = |text: &str, expected: &str| check(ValueKind::Order, text, expected);
    check("keep-up", r#""keep-up""#);
    check("user, project", r#"["user", "project"]"#);
    check("user", r#"["user"]"#);
    check(r#"["org", "user"]"#, r#"["org", "user"]"#);
    let kinds = "`project`, `user`, `extra`, `org`, `builtin`";
    let all = format!(
        "it must be one of `default`, `agent-harness`, `remcochat`, `keep-up`, `claude-code`, or a list of {kinds}"
    );
    check("keepup", &format!("{all}; did you mean `keep-up`?"));
    check("projet", &format!("{all}; did you mean `project`?"));
    let told = "`org-pinned` is no kind of source that can be put in order";
    check("org-pinned,user", &format!("{told}: those are {kinds}"));
    check("user,user", "it names `user` twice");
    check("user,", "it has an empty entry");
    check("[]", "it names no kind of source");
    let words = ["user", "project"].map(str::to_owned);
    let read = ValueKind::Order.read_words(&words).unwrap();
    assert_eq!(read.to_string(), r#"["user", "project"]"#);
}

#[test]
fn lists_in_variables() {
    let shown = |kind: ValueKind, text| kind.read_variable(text).unwrap().to_string();
    assert_eq!(
        shown(ValueKind::Names, "codex, claude-code,"),
        r#"["codex", "claude-code"]"#
    );
    assert_eq!(shown(ValueKind::Paths, "/a:/b,c"), r#"["/a", "/b,c"]"#);
    assert_eq!(shown(ValueKind::Globs, "{a,b}*,c"), r#"["{a,b}*", "c"]"#);
    assert_eq!(shown(ValueKind::Globs, ""), "[]");
}
