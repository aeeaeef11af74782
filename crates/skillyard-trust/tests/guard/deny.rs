//! A denied command is found however it is dressed up.

use skillyard_trust::guard::{GuardInput, GuardRequest, GuardVerdict, check};

use crate::{Machine, policy};

fn is_denied(tools: &str, tool: &str, input: &str) -> bool {
    let request = GuardRequest {
        tool: tool.into(),
        input: GuardInput::Text(input.into()),
    };
    let decision = check(&request, &[], &[policy("user", tools)], &Machine::new());
    decision.verdict == GuardVerdict::Denied
}

#[test]
fn commands() {
    for command in [
        "rm x",
        "/bin/rm x",
        "r''m x",
        "ls; rm x",
        "ls $(rm x)",
        "ls `rm x`",
        "sudo rm x",
        "sudo -u root /bin/rm x",
        "env A=1 rm x",
        "A=1 rm x",
        "xargs rm",
        "find . -exec rm {} +",
        "sh -c 'rm x'",
        "bash -c \"echo; rm x\"",
        "eval 'rm x'",
        "echo rm | sh",
        "sh <<'E'\nrm x\nE",
        "nohup timeout 5 rm x",
        "$X x",
        "f() { rm x; }; f",
        "alias x=rm; x y",
        "trap 'rm x' EXIT",
        "if true; then rm x; fi",
        "for f in a; do rm $f; done",
        "command rm x",
        "git -c alias.x='!rm y' x",
        "python3 -c 'import os; os.system(\"rm x\")'",
        "echo 'x",
        "cat <<E\n$(rm x)\nE",
        "sh -c 'r\"\"m x'",
        "sh -c \"bash -c 'r\\\"\\\"m x'\"",
        "xargs -I{} sh -c 'r\"\"m {}'",
        "eval 'r\"\"m' x",
        "sudo bash",
        "source x.sh",
    ] {
        assert!(is_denied("Bash(rm:*)", "Bash", command), "{command}");
    }
    for command in [
        "ls",
        "git rm-something",
        "echo rm",
        "rmdir x",
        "git log | head",
        "sh -c 'ls; pwd'",
    ] {
        assert!(!is_denied("Bash(rm:*)", "Bash", command), "{command}");
    }
}

#[test]
fn parts_of_commands() {
    for command in [
        "git push",
        "git -C x push origin",
        "git --no-pager push",
        "git $X",
        "git log && git push",
    ] {
        assert!(is_denied("Bash(git push:*)", "Bash", command), "{command}");
    }
    assert!(!is_denied("Bash(git push:*)", "Bash", "git pull"));
    assert!(!is_denied("Bash(git push --force)", "Bash", "git push"));
    assert!(is_denied(
        "Bash(git push --force)",
        "Bash",
        "git push origin --force"
    ));
}

#[test]
fn tools_and_files() {
    assert!(is_denied("Bash", "Bash", "ls"));
    assert!(is_denied("Bash", "bash", "ls"));
    assert!(is_denied("Bash()", "Bash", "ls"));
    assert!(is_denied("Bash(x", "Read", "ls"));
    assert!(is_denied("mcp__github", "mcp__GitHub__x", "ls"));
    for path in [".env", "sub/.env", "/project/.env", "./x/../.env"] {
        assert!(is_denied("Read(.env)", "Read", path), "{path}");
        assert!(is_denied("Read(.env)", "Grep", path), "{path}");
    }
    assert!(!is_denied("Read(.env)", "Read", "env"));
    assert!(!is_denied("Read(.env)", "Write", ".env"));
    assert!(is_denied("Write(.env)", "Edit", ".env"));
    assert!(is_denied("Read(/etc/passwd)", "Read", "/etc/passwd"));
    // Through a link, and as the link is called.
    assert!(is_denied("Read(/etc/passwd)", "Read", "docs/link"));
    assert!(is_denied("Read(docs/link)", "Read", "docs/link"));
    assert!(is_denied("Write(*.lock)", "Bash", "git log > a.lock"));
    assert!(is_denied("Write(*.lock)", "Bash", "git log > $X"));
    assert!(!is_denied("Write(*.lock)", "Bash", "git log > a.txt"));
    assert!(is_denied("Write", "Bash", "git log > a.txt"));
    assert!(!is_denied("Write", "Bash", "git log > /dev/null 2>&1"));
    assert!(!is_denied("Write", "Bash", "git log < a.txt"));
    assert!(is_denied("Read", "Bash", "git log < a.txt"));
    assert!(is_denied(
        "WebFetch(domain:evil.org)",
        "WebFetch",
        "https://evil.org"
    ));
    assert!(is_denied(
        "WebFetch(domain:evil.org)",
        "WebFetch",
        "https://a.evil.org"
    ));
    assert!(is_denied(
        "WebFetch(domain:evil.org)",
        "WebFetch",
        "https://x@evil.org"
    ));
    assert!(!is_denied(
        "WebFetch(domain:evil.org)",
        "WebFetch",
        "https://good.org"
    ));
    assert!(is_denied("Skill(commit)", "Skill", "commit"));
}
