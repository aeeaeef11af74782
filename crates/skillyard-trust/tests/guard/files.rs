//! Files, addresses and tools of servers.

use crate::{allows, ask};

#[test]
fn paths() {
    // 47
    for (path, expected) in [
        ("docs/a.md", true),
        ("/project/docs/deep/a.md", true),
        ("./docs/./a.md", true),
        ("docs/../../etc/passwd", false),
        ("docs/../src/a.rs", false),
        ("docs/link", false),
        ("/etc/passwd", false),
        ("~/docs/a.md", false),
        ("docsx/a.md", false),
        ("docs/a\0.md", false),
        ("", false),
    ] {
        assert_eq!(
            allows("Read(./docs/**)", "Read", path),
            expected,
            "{path:?}"
        );
    }
}

#[test]
fn patterns_of_paths() {
    for (pattern, path, expected) in [
        ("*.md", "a.md", true),
        ("*.md", "deep/er/a.md", true),
        ("*.md", "/etc/a.md", false),
        ("docs/*.md", "docs/a.md", true),
        ("docs/*.md", "docs/b/a.md", false),
        ("/docs", "docs/a.md", true),
        ("docs/", "docs/b/a.md", true),
        ("src", "a/src/b.rs", true),
        ("~/notes/**", "~/notes/a.md", true),
        ("~/notes/**", "/home/u/notes/a.md", true),
        ("~/notes/**", "notes/a.md", false),
        ("//etc/hosts", "/etc/hosts", true),
        ("/etc/hosts", "/etc/hosts", false),
        ("../x", "../x", false),
        ("!a", "!a", false),
        ("**", "out-link", false),
        ("", "a", false),
    ] {
        let list = format!("Read({pattern})");
        assert_eq!(allows(&list, "Read", path), expected, "{pattern} {path}");
        assert!(!allows(&list, "Write", path), "{pattern} {path}");
    }
}

#[test]
fn addresses() {
    // 48
    for (address, expected) in [
        ("https://example.com/x", true),
        ("https://EXAMPLE.com:8443", true),
        ("https://example.com.evil.org", false),
        ("https://evil-example.com", false),
        ("http://example.com@evil.org", false),
        ("http://example.com:x@evil.org", false),
        ("https://example.com.", false),
        ("https://sub.example.com", false),
        ("https://ex\u{430}mple.com", false),
        ("https://evil.org\\@example.com", false),
        ("https://evil.org/example.com", false),
        ("file:///etc/passwd", false),
        ("//example.com", false),
    ] {
        let found = allows("WebFetch(domain:example.com)", "WebFetch", address);
        assert_eq!(found, expected, "{address}");
    }
    let below = "WebFetch(domain:*.example.com)";
    assert!(allows(below, "WebFetch", "https://sub.example.com"));
    assert!(!allows(below, "WebFetch", "https://example.com"));
    assert!(!allows(below, "WebFetch", "https://.example.com"));
    assert!(!allows(
        "WebFetch(example.com)",
        "WebFetch",
        "https://example.com"
    ));
}

#[test]
fn tools_of_servers() {
    // 49
    for (pattern, tool, expected) in [
        ("mcp__github", "mcp__github__list", true),
        ("mcp__github__*", "mcp__github__list", true),
        ("mcp__github__list", "mcp__github__list", true),
        ("mcp__github__list", "mcp__github__delete", false),
        ("mcp__github", "mcp__github_evil__x", false),
        ("mcp__github", "mcp__github__evil__x", false),
        ("mcp__github__evil__x", "mcp__github__evil__x", true),
        ("GitHub:list", "GitHub:list", true),
        ("GitHub:list", "mcp__GitHub__list", true),
        ("s:delete.all", "mcp__s__delete_all_90ae9888", true),
        ("mcp__s__delete.all", "mcp__s__delete_all_90ae9888", true),
        ("s:delete.one", "mcp__s__delete_all_90ae9888", false),
        ("t:delete.all", "mcp__s__delete_all_90ae9888", false),
        ("mcp__GitHub__list", "GitHub:list", true),
        ("GitHub:*", "GitHub:list", true),
        ("GitHub:list", "Git:list", false),
        ("mcp__*", "mcp__github__list", false),
        ("mcp__", "mcp____list", false),
        ("*", "mcp__github__list", true),
        ("B*", "Bash", false),
        ("Read", "Bash", false),
    ] {
        assert_eq!(allows(pattern, tool, "x"), expected, "{pattern} {tool}");
    }
}

#[test]
fn other_tools_with_an_argument() {
    assert!(allows("Skill(git:commit)", "Skill", "git:commit"));
    assert!(!allows("Skill(git:commit)", "Skill", "git:push"));
    assert!(!allows("Skill()", "Skill", ""));
}

#[test]
fn the_answer_names_skill_pattern_and_reason() {
    let decision = ask(
        "Read(docs/**) Bash(git:*)",
        "Bash",
        "git log | git shortlog",
    );
    assert_eq!(decision.skill.as_deref(), Some("pdf"));
    assert_eq!(decision.pattern.as_deref(), Some("Bash(git:*)"));
    assert_eq!(decision.reason, "every command in it matches");
    let decision = ask("Bash(git:*)", "Bash", "git log && rm -rf ~");
    assert_eq!(decision.pattern.as_deref(), Some("Bash(git:*)"));
    assert_eq!(decision.reason, "`rm -rf` is not in the list");
    let decision = ask("Bash(git:*)", "Write", "x");
    assert_eq!(decision.reason, "`Write` is not in its `allowed-tools`");
}
