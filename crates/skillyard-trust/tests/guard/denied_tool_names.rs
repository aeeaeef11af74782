//! A denying pattern means whatever might be meant by it.

use skillyard_format::mcp_tool_name::exposed;
use skillyard_trust::guard::{GuardRequest, GuardVerdict, SearchExclusions, check, lint_pattern};

use crate::deny::is_denied;
use crate::{Machine, policy};

/// Whether a list denies a call, with its input as models send it.
fn denies(tools: &str, tool: &str, input: &str) -> bool {
    let request = GuardRequest {
        tool: tool.into(),
        input: serde_json::from_str(input).unwrap(),
    };
    let decision = check(&request, &[], &[policy("user", tools)], &Machine::new());
    decision.verdict == GuardVerdict::Denied
}

#[test]
fn all_tools_of_a_server_that_is_denied() {
    for tools in [
        "mcp__srv",
        "mcp__srv__",
        "mcp__srv__*",
        "srv:*",
        "SRV:*",
        "srv__*",
    ] {
        for tool in [
            "mcp__srv__read",
            "mcp__srv__admin__drop",
            "mcp__srv__a__b__c",
            "mcp__SRV__Read",
            "srv:read",
            "srv__read",
        ] {
            assert!(is_denied(tools, tool, "x"), "{tools} {tool}");
        }
        for tool in ["mcp__srv2__read", "mcp__other__srv", "Bash"] {
            assert!(!is_denied(tools, tool, "x"), "{tools} {tool}");
        }
    }
    for (tools, tool) in [
        ("mcp", "mcp__srv__read"),
        ("mcp__*", "mcp__srv__read"),
        ("mcp__srv__del*", "mcp__srv__delete_one"),
        ("srv:del*", "mcp__srv__delete__all"),
        ("mcp__*__delete*", "mcp__srv__delete_one"),
        ("mcp__a__b", "mcp__a__b__c"),
        ("mcp__my-server__x", "mcp__my_server__x"),
        ("srv__read", "mcp__srv__read"),
    ] {
        assert!(is_denied(tools, tool, "x"), "{tools} {tool}");
    }
    for (tools, tool) in [
        ("mcp__srv__read", "mcp__srv__reader"),
        ("srv:read", "mcp__srv__write"),
        ("web:*", "web_search"),
        ("mcp__srv__del*", "mcp__srv__read"),
    ] {
        assert!(!is_denied(tools, tool, "x"), "{tools} {tool}");
    }
}

#[test]
fn tools_whose_names_were_changed_for_providers() {
    let long = |end: &str| format!("{}{end}", "delete_everything_that_there_is_".repeat(3));
    for (own, tools) in [
        ("delete.all", "mcp__srv__delete.all"),
        ("delete.all", "srv:delete.all"),
        ("delete.all", "srv:delete.*"),
        ("delete.all", "srv:*.all"),
        ("delete/all", "mcp__srv__delete/all"),
        ("löschen", "srv:löschen"),
        ("Delete.All", "srv:delete.all"),
        (&long("a"), &format!("srv:{}", long("a"))),
        (&long("a"), "srv:delete_every*"),
        // It is cut off, so nobody can tell.
        (&long("secret"), "srv:*secret"),
    ] {
        let tool = exposed("srv", own);
        assert!(is_denied(tools, &tool, "x"), "{tools} {tool}");
    }
    for (own, tools) in [
        ("delete.all", "srv:delete"),
        ("delete.all", "srv:read.*"),
        (&long("a"), "srv:read*"),
        (&long("a"), "srv:delete"),
    ] {
        let tool = exposed("srv", own);
        assert!(!is_denied(tools, &tool, "x"), "{tools} {tool}");
    }
}

#[test]
fn wildcards_in_names_of_tools() {
    assert!(is_denied("Bash*", "Bash", "ls"));
    assert!(is_denied("Bash*", "BashOutput", "x"));
    assert!(is_denied("*", "Bash", "ls"));
    assert!(is_denied("Bash:*", "Bash", "ls"));
    assert!(is_denied("Web*", "WebFetch", "https://a.org"));
    assert!(is_denied("Wri*", "Bash", "ls > a"));
    assert!(!is_denied("Wri*", "Bash", "ls"));
    assert!(!is_denied("Bash*", "Read", "a"));
    // What is not understood denies the whole tool.
    assert!(is_denied("Ba*(rm:*)", "Bash", "ls"));
    assert!(is_denied("Re*(secret/**)", "Grep", "docs"));
}

#[test]
fn case_does_not_matter() {
    assert!(is_denied("bash(rm:*)", "Bash", "rm x"));
    assert!(is_denied("BASH(rm:*)", "bash", "sudo rm x"));
    assert!(is_denied("Bash(rm:*)", "bash", "RM x"));
    assert!(!is_denied("bash(rm:*)", "Bash", "ls"));
    assert!(is_denied("read(secret/**)", "Read", "secret/x"));
    assert!(is_denied("Read(secret/**)", "read", "secret/x"));
    assert!(is_denied("read(secret/**)", "Grep", "secret/x"));
    assert!(!is_denied("read(secret/**)", "Read", "docs/x"));
    for tool in ["edit", "write", "Edit", "multiedit"] {
        assert!(is_denied("write(secret/**)", tool, "secret/x"), "{tool}");
        assert!(!is_denied("write(secret/**)", tool, "docs/x"), "{tool}");
    }
    assert!(is_denied("Write(secret/**)", "bash", "echo > secret/x"));
    assert!(is_denied("write(secret/**)", "Bash", "echo > secret/x"));
    for address in ["https://evil.org", "https://a.EVIL.org/x"] {
        assert!(is_denied("webfetch(domain:Evil.org)", "WebFetch", address));
        assert!(is_denied("WebFetch(domain:evil.org)", "webfetch", address));
    }
    assert!(is_denied("skill(Commit)", "Skill", "commit"));
    assert!(is_denied("Skill(commit:*)", "Skill", "ｃｏｍｍｉｔ now"));
    assert!(is_denied("Skill(dep*)", "Skill", "deploy"));
    assert!(!is_denied("Skill(dep*)", "Skill", "commit"));
    let unseen = SearchExclusions::of(&[], &[policy("user", "read(secret/**)")]);
    assert!(unseen.has("/project/secret/a", &Machine::new()));
}

#[test]
fn paths_under_any_name() {
    for input in [
        r#"{"filePath":"secret/x"}"#,
        r#"{"FilePath":"secret/x"}"#,
        r#"{"file_path":"docs/a","filePath":"secret/x"}"#,
        r#"{"path":"docs/a","target":"secret/x"}"#,
        r#"{"files":[{"path":"docs/a"},{"path":"secret/x"}]}"#,
        r#"{"paths":["docs/a","secret/x"]}"#,
        r#"{"uri":"file:///project/secret/x"}"#,
        r#"{"path":" secret/x "}"#,
        r#"{"filePath":"docs/a\nb"}"#,
        r#"{"filePath":7}"#,
        r#"{"path":"x","cwd":"secret"}"#,
        r"{}",
    ] {
        assert!(denies("Read(secret/**)", "read", input), "{input}");
    }
    for input in [
        r#"{"filePath":"docs/a"}"#,
        r#"{"file_path":"docs/a","limit":5,"offset":1}"#,
    ] {
        assert!(!denies("Read(secret/**)", "read", input), "{input}");
    }
    for input in [
        r#"{"file_path":"docs/a","content":"secret/x"}"#,
        r#"{"filePath":"docs/a","oldString":"secret/x","newString":"a\nb"}"#,
        r#"{"file_path":"docs/a","edits":[{"old_string":"secret/x","new_string":""}]}"#,
    ] {
        assert!(!denies("Write(secret/**)", "Edit", input), "{input}");
    }
    assert!(!denies(
        "Read(.env)",
        "Grep",
        r#"{"pattern":".env","glob":".env"}"#
    ));
}

#[test]
fn patterns_that_mean_more_than_they_say() {
    // As programs by their paths.
    for command in [
        "./scripts/a.sh",
        "sh scripts/a.sh",
        "cd scripts; ./a.sh x",
        "/p/a.sh",
    ] {
        assert!(
            is_denied("Bash(./scripts/*.sh:*)", "Bash", command),
            "{command}"
        );
    }
    assert!(!is_denied(
        "Bash(./scripts/*.sh:*)",
        "Bash",
        "./scripts/a.py"
    ));
    for command in [
        "./scripts/a",
        "python3 scripts/a.py",
        "cd scripts; ./a",
        "/p/scripts/a",
    ] {
        assert!(is_denied("Bash(./scripts/*)", "Bash", command), "{command}");
    }
    for command in ["git add src/a", "ls", "/bin/ls"] {
        assert!(
            !is_denied("Bash(./scripts/*)", "Bash", command),
            "{command}"
        );
    }
    // As beginnings of words.
    assert!(is_denied("Bash(python*)", "Bash", "python3 x"));
    assert!(is_denied("Bash(git push --f*)", "Bash", "git push --force"));
    assert!(!is_denied("Bash(python*)", "Bash", "ruby x"));
    // As lists; what is not understood in them is not passed over.
    assert!(is_denied("Bash(rm, curl)", "Bash", "curl x"));
    assert!(is_denied("Bash(rm:*, curl:*)", "Bash", "curl x"));
    assert!(is_denied("Bash(rm:*, $X:*)", "Bash", "ls"));
    assert!(is_denied("Bash(\"rm -rf\")", "Bash", "ls"));
    // As places.
    assert!(is_denied("Read(secret//x)", "Read", "secret/x"));
    assert!(is_denied("Read(./secret/./x)", "Read", "secret/x"));
    assert!(is_denied("Read($HOME/x)", "Read", "y"));
    assert!(is_denied("Read(../x)", "Grep", "../x"));
    assert!(!is_denied("Read(routes/$id.tsx)", "Read", "y"));
    // As hosts.
    for domain in [
        "*",
        "evil.org.",
        ".evil.org",
        "*.evil.org",
        "https://evil.org",
    ] {
        let tools = format!("WebFetch(domain:{domain})");
        assert!(
            is_denied(&tools, "WebFetch", "https://a.evil.org"),
            "{tools}"
        );
    }
}

#[test]
fn what_denies_something_else_than_it_says_is_told() {
    for text in [
        "Bash(",
        "Bash(a))",
        "",
        "-",
        " , ",
        "(rm:*)",
        "\"Bash\"",
        "!Bash",
        "mcp__a__?",
        "Bash()",
        "Bash(:*)",
        "Bash(rm; ls)",
        "Bash(-x)",
        "Ba*(rm:*)",
        "Read(../x)",
        "Read(!x)",
        "Read(~)",
        "Read($HOME/x)",
        "read(${X}/y)",
        "Write([)",
        "WebFetch(evil.org)",
        "webfetch(domain:)",
        "WebFetch(domain:https://evil.org)",
        "Skill()",
        "Read, Bash(",
    ] {
        assert!(lint_pattern(text).is_some(), "{text:?}");
    }
    for text in [
        "*",
        "Bash",
        "bash",
        "Bash*",
        "Bash(*)",
        "Bash(rm:*)",
        "Bash(a,b)",
        "bash(rm:*)",
        "Bash(./scripts/*.sh:*)",
        "Read(secret/**)",
        "Read(~/x)",
        "Read(//etc/**)",
        "Read(/etc)",
        "Write(routes/$id.tsx)",
        "WebFetch(domain:*.evil.org)",
        "mcp__srv",
        "srv:delete.all",
        "srv:*",
        "mcp__*",
        "Skill(commit)",
        "skill_run",
        "Read, Write",
    ] {
        assert_eq!(lint_pattern(text), None, "{text:?}");
    }
}
