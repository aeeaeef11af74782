//! Several skills, and input as models send it.

use serde_json::json;
use skillyard_format::{Document, Skill};
use skillyard_trust::guard::{ActiveSkill, GuardRequest, GuardVerdict, ToolList, check};

use crate::{Machine, policy, skill};

fn named(name: &str, allowed: Option<&str>, disallowed: Option<&str>) -> ActiveSkill {
    ActiveSkill {
        name: name.into(),
        allowed: allowed.map_or(ToolList::Absent, ToolList::parse),
        disallowed: disallowed.map_or(ToolList::Absent, ToolList::parse),
        ..skill("")
    }
}

fn request(tool: &str, input: &serde_json::Value) -> GuardRequest {
    serde_json::from_value(json!({ "tool": tool, "input": input })).unwrap()
}

fn verdict(skills: &[ActiveSkill], deny: &[&str], tool: &str, input: &serde_json::Value) -> bool {
    let layers: Vec<_> = deny.iter().map(|tools| policy("user", tools)).collect();
    let decision = check(&request(tool, input), skills, &layers, &Machine::new());
    decision.verdict == GuardVerdict::Allowed
}

#[test]
fn one_skill_must_allow_all_of_a_call() {
    let git = named("git", Some("Bash(git:*)"), None);
    let jq = named("jq", Some("Bash(jq:*)"), None);
    let free = named("free", None, None);
    let both = [git.clone(), jq.clone(), free.clone()];
    assert!(verdict(&both, &[], "Bash", &json!("git log")));
    assert!(verdict(&both, &[], "Bash", &json!("jq .")));
    // Lists are not put together for one call.
    assert!(!verdict(&both, &[], "Bash", &json!("git log | jq .")));
    // A skill without a list does not widen those with one.
    assert!(!verdict(&both, &[], "Bash", &json!("curl x")));
    assert!(verdict(&[free], &[], "Bash", &json!("curl x")));
    assert!(verdict(&[], &[], "Bash", &json!("curl x")));
}

#[test]
fn any_skill_and_any_policy_can_deny() {
    let git = named("git", Some("Bash(git:*)"), None);
    let no_push = named("careful", None, Some("Bash(git push:*) Write"));
    let skills = [git, no_push];
    assert!(verdict(&skills, &[], "Bash", &json!("git log")));
    assert!(!verdict(&skills, &[], "Bash", &json!("git push")));
    assert!(!verdict(&skills, &[], "Bash", &json!("git -C . push")));
    assert!(!verdict(&skills, &["Bash"], "Bash", &json!("git log")));
    assert!(!verdict(&[], &["Bash(rm:*)"], "Bash", &json!("rm x")));
    assert!(verdict(&[], &["Bash(rm:*)"], "Bash", &json!("ls")));
    // 50: a policy is stronger than a skill that allows everything.
    let everything = named("all", Some("*"), None);
    assert!(!verdict(
        &[everything],
        &["Bash(rm:*)"],
        "Bash",
        &json!("rm x")
    ));
    let decision = check(
        &request("Bash", &json!("git push")),
        &[],
        &[policy("org", "Bash(git push:*)")],
        &Machine::new(),
    );
    assert_eq!(decision.skill.as_deref(), Some("policy:org"));
    assert_eq!(decision.pattern.as_deref(), Some("Bash(git push:*)"));
}

#[test]
fn input_with_names() {
    let skills = [named(
        "x",
        Some("Bash(git:*) Read(docs/**) Glob(docs/**)"),
        None,
    )];
    for (tool, input, expected) in [
        ("Bash", json!({"command": "git log", "timeout": 5}), true),
        ("Bash", json!({"command": "curl x"}), false),
        (
            "Bash",
            json!({"command": "git log", "env": {"GIT_PAGER": "x"}}),
            false,
        ),
        ("Bash", json!({"command": "git log", "env": {}}), true),
        ("Bash", json!({"command": "git log", "cwd": "/tmp"}), false),
        ("Bash", json!({"command": ["git", "log"]}), true),
        (
            "Bash",
            json!({"command": ["git", "show", "x; curl y"]}),
            true,
        ),
        ("Bash", json!({"command": ["git", "log; curl x"]}), false),
        ("Bash", json!({"command": ["curl", "git"]}), false),
        ("Bash", json!({"command": []}), false),
        ("Bash", json!({"command": ["git", 3]}), false),
        ("Bash", json!({"cmd": "git log"}), false),
        ("Bash", json!({}), false),
        ("Read", json!({"file_path": "docs/a"}), true),
        ("Read", json!({"path": "docs/a", "limit": 3}), true),
        (
            "Read",
            json!({"file_path": "docs/a", "path": "/etc/passwd"}),
            false,
        ),
        ("Read", json!({"file_path": 3}), false),
        ("Glob", json!({"pattern": "*.md", "path": "docs/x"}), true),
        (
            "Glob",
            json!({"pattern": "/etc/*", "path": "docs/x"}),
            false,
        ),
        ("Glob", json!({"pattern": "*.md"}), false),
    ] {
        assert_eq!(
            verdict(&skills, &[], tool, &input),
            expected,
            "{tool} {input}"
        );
    }
}

#[test]
fn a_list_that_cannot_be_read_allows_nothing_and_denies_everything() {
    let read = |fields: &str| {
        let text = format!("---\nname: x\ndescription: y\n{fields}---\n");
        let document = Document::parse(text.as_bytes());
        ActiveSkill::of(&Skill::from_document(&document, Some("x")).unwrap(), None)
    };
    let allows = |fields: &str| verdict(&[read(fields)], &[], "Bash", &json!("git log"));
    assert!(allows(""));
    assert!(allows("allowed-tools: Bash(git:*)\n"));
    assert!(allows("allowed-tools: [Read, Bash(git:*)]\n"));
    assert!(!allows("allowed-tools: {Bash: git}\n"));
    assert!(!allows("allowed-tools: []\n"));
    assert!(!allows("allowed-tools:\n"));
    assert!(!allows("allowed-tools: [[Bash]]\n"));
    assert!(!allows("disallowed-tools: {Bash: git}\n"));
    assert!(!allows("disallowed-tools: Read(x\n"));
    assert!(allows("disallowed-tools: Read\n"));
}

#[test]
fn names_of_tools_that_are_none() {
    let free = [named("free", None, None)];
    for tool in ["", "Ba sh", "Bash\n", "Bash\0"] {
        assert!(!verdict(&free, &[], tool, &json!("x")), "{tool:?}");
    }
    assert!(!verdict(&free, &[], &"x".repeat(300), &json!("x")));
}

#[test]
fn the_tools_of_the_runtime_are_judged_alike_everywhere() {
    let reader = named("reader", Some("Read"), None);
    let free = named("free", None, None);
    for tool in ["skill_search", "skill_load", "skill_read", "skill_files"] {
        let input = json!({ "name": "reader", "path": "x.md" });
        assert!(
            verdict(std::slice::from_ref(&reader), &[], tool, &input),
            "{tool}"
        );
        assert!(
            !verdict(std::slice::from_ref(&reader), &[tool], tool, &input),
            "{tool}"
        );
        let denying = named("shy", None, Some(tool));
        assert!(!verdict(&[denying], &[], tool, &input), "{tool}");
    }
    let run = |skills: &[ActiveSkill], name: &str, script: &str| {
        let input = json!({ "name": name, "script": script, "args": ["a b", "$(x)"] });
        verdict(skills, &[], "skill_run", &input)
    };
    // The list of the script's own skill decides, and no other.
    let both = [reader, free];
    assert!(!run(&both, "reader", "scripts/x.py"));
    assert!(run(&both, "free", "scripts/x.py"));
    assert!(!run(&both, "unknown", "scripts/x.py"));
    // Another spelling of its name is not another skill.
    let wide = [both[0].clone(), named("wide", Some("skill_run"), None)];
    assert!(run(&wide, "wide", "scripts/x.py"));
    for name in ["reader", " reader", "ｒｅａｄｅｒ"] {
        assert!(!run(&wide, name, "scripts/x.py"), "{name:?}");
    }
    for (list, allowed) in [
        ("skill_run", true),
        ("*", true),
        ("Bash", true),
        ("Bash(python3:*)", true),
        ("Bash(./scripts/x.py:*)", true),
        ("Bash(${CLAUDE_SKILL_DIR}/scripts/x.py:*)", true),
        ("Bash(./scripts/y.py:*)", false),
        ("Bash(git:*)", false),
        ("Write", false),
        ("", false),
    ] {
        let skill = named("pdf", Some(list), None);
        assert_eq!(run(&[skill], "pdf", "scripts/x.py"), allowed, "{list}");
    }
}

#[test]
fn what_is_denied_as_a_command_is_denied_as_a_script() {
    let free = [named("pdf", None, None)];
    let run = |deny: &str, input: serde_json::Value| verdict(&free, &[deny], "skill_run", &input);
    let call = |script: &str, args: &[&str]| json!({"name": "pdf", "script": script, "args": args});
    for (deny, script, args) in [
        ("Bash", "scripts/a.sh", &[][..]),
        ("bash", "scripts/a.sh", &[]),
        ("Ba*", "scripts/a.sh", &[]),
        ("skill_run", "scripts/a.sh", &[]),
        ("Bash(./scripts/a.sh:*)", "scripts/a.sh", &[]),
        ("Bash(./scripts/a.sh:*)", "./scripts/a.sh", &["x"]),
        ("Bash(./scripts/a.sh:*)", "a.sh", &[]),
        ("Bash(./scripts/*:*)", "scripts/a.sh", &[]),
        ("Bash(python3 scripts/x.py:*)", "x.py", &[]),
        ("Bash(python3:*)", "scripts/x.py", &[]),
        ("Bash(sh:*)", "scripts/a.sh", &[]),
        ("Bash(/skills/pdf/scripts/a.sh)", "scripts/a.sh", &[]),
    ] {
        assert!(!run(deny, call(script, args)), "{deny} {script}");
        let unknown = verdict(&[], &[deny], "skill_run", &call(script, args));
        assert!(!unknown, "{deny} {script}");
    }
    for (deny, script, args) in [
        ("Bash(./scripts/b.sh:*)", "scripts/a.sh", &[][..]),
        (
            "Bash(rm:*)",
            "scripts/a.sh",
            &["a b", "$(x)", "x\ny", "a > b"],
        ),
        ("Bash(rm:*)", "scripts/x.py", &["a > secret/b"]),
        ("Write(secret/**)", "scripts/a.sh", &["a > secret/b"]),
        ("Write, Read", "scripts/x.py", &["<a"]),
        ("BashOutput", "scripts/a.sh", &[]),
    ] {
        assert!(run(deny, call(script, args)), "{deny} {script}");
    }
    assert!(!run("Bash(./scripts/a.sh x)", json!("scripts/a.sh x")));
    let own = named("pdf", Some("Bash"), Some("Bash(./scripts/a.sh:*)"));
    let own = [own];
    assert!(!verdict(&own, &[], "skill_run", &call("scripts/a.sh", &[])));
    assert!(verdict(&own, &[], "skill_run", &call("scripts/b.sh", &[])));
}
