//! What five earlier designs asked of a skills system, row by row, against the binary.
//!
//! The numbers are those of the designs: 000 r9s, 001 agent-harness, 002 weakincentives, 003
//! agent-runtime (R1 to R9), 004 `RemcoChat`. Rows that other files prove in full are not repeated:
//! patterns, mounts and visibility are in `prompt_catalog.rs`, the guard is in `guard.rs`.

use serde_json::{Value, json};

use crate::machine::{TRUSTING, skill};
use crate::{TestContext, output, text};

const NAME: &str = "skills-system-validation";
const BODY: &str = "REMCOCHAT_SKILLS_CONFORMANCE_BODY_v1";
const REFERENCE: &str = "REMCOCHAT_SKILLS_CONFORMANCE_REFERENCE_v1";
const SCRIPT: &str = "REMCOCHAT_SKILLS_SCRIPT_OK";

/// What one message came to.
fn chat(context: &TestContext, prompt: &str, more: &[&str]) -> Value {
    context.json(&[&["chat", "-p", prompt, "--json"], more].concat())
}

fn words(answer: &Value) -> &str {
    answer["answer"].as_str().unwrap()
}

/// The events of a kind.
fn events(context: &TestContext, kind: &str) -> Vec<Value> {
    let log = context.json(&["audit", "log", "--event", kind, "--json"]);
    log["events"].as_array().unwrap().clone()
}

/// A skill of the user's own, with a body of many words, a file and a script.
fn forms() -> TestContext {
    let context = TestContext::new();
    let body = "Many words of instructions about forms. ".repeat(200);
    let text = skill("forms", "Fills forms. Use when a form is to be filled.");
    let folder = "../home/.skillyard/skills/forms";
    context
        .write(&format!("{folder}/SKILL.md"), text + "FORMS_BODY " + &body)
        .write(&format!("{folder}/references/x.md"), "FORMS_FILE\n")
        .write(
            &format!("{folder}/scripts/x.sh"),
            "#!/bin/sh\necho FORMS_SCRIPT\n",
        );
    context
}

#[test]
fn seed_000_an_agent_is_made_with_skills_and_chats_with_scripts_on_request() {
    let context = forms();
    let create = [
        "agent", "create", "clerk", "--skills", "forms", "--model", "offline",
    ];
    assert_eq!(context.code(&create), Some(0));
    assert_eq!(
        context.code(&["agent", "skill", "add", "clerk", "skill-review"]),
        Some(0)
    );
    assert_eq!(
        context.code(&["agent", "skill", "remove", "clerk", "skill-review"]),
        Some(0)
    );
    let list = context.json(&["agent", "skill", "list", "clerk", "--json"]);
    assert_eq!(list["skills"].as_array().unwrap().len(), 1);
    assert_eq!(list["skills"][0]["name"], "forms");
    // Installed from a folder, scripts ask; nobody is there to answer.
    let copy = "../home/.skillyard/skills/forms";
    let install = ["install", copy, "--name", "copied", "--scope", "user", "-y"];
    assert_eq!(context.code(&install), Some(0));
    let run = "/copied run scripts/x.sh";
    assert!(words(&chat(&context, run, &[])).contains("Denied"));
    let answer = chat(&context, run, &["--allow-scripts"]);
    assert!(words(&answer).contains("FORMS_SCRIPT"), "{answer}");
}

#[test]
fn seed_000_tokens_are_spent_tier_by_tier() {
    let context = forms();
    let tokens = |text: &str| text.len() / 4;
    let prompt = context.stdout(&["prompt", "--no-location", "--allow", "forms"]);
    // Tier 1: about a hundred tokens for a skill, and none of its body.
    assert!(
        tokens(&prompt) < 100 && !prompt.contains("FORMS_BODY"),
        "{prompt}"
    );
    // Tier 2: the body on activation, without its files.
    let loaded = chat(&context, "/forms what now?", &[]);
    let spent = loaded["activated"][0]["tokens"].as_u64().unwrap();
    assert!((500..5000).contains(&spent), "{spent}");
    assert!(words(&loaded).contains("FORMS_BODY") && !words(&loaded).contains("FORMS_FILE"));
    // Tier 3: one file on request.
    let read = chat(&context, "/forms read references/x.md", &[]);
    assert!(words(&read).contains("FORMS_FILE") && !words(&read).contains("FORMS_SCRIPT"));
}

#[test]
fn seed_001_every_tier_has_a_caller_and_unavailable_skills_are_hidden() {
    let context = forms();
    let needy = "---\nname: needy\ndescription: Fills forms with a program. Use for forms.\nmetadata:\n  requires: no-such-program\n---\n\nNEEDY\n";
    context.write("../home/.skillyard/skills/needy/SKILL.md", needy);
    // A message that names no skill goes through all three: search, load, read.
    let answer = chat(&context, "a form is to be filled, see references/x.md", &[]);
    let calls = answer["calls"].as_array().unwrap();
    let names: Vec<&str> = calls
        .iter()
        .map(|call| call["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["skill_search", "skill_load", "skill_read"],
        "{answer}"
    );
    assert!(words(&answer).contains("FORMS_FILE"));
    assert!(!answer.to_string().contains("needy"));
    assert_eq!(context.status("needy"), "unavailable: [no-such-program]");
    assert!(!context.stdout(&["prompt"]).contains("needy"));
    assert_eq!(context.code(&["chat", "-p", "/needy x"]), Some(1));
}

#[test]
fn seed_002_a_session_is_cloned_into_a_new_one() {
    let context = forms();
    let first = chat(&context, "/forms", &[]);
    let id = first["session"].as_str().unwrap();
    let copy = chat(&context, "/forms again", &["--resume", id, "--fork"]);
    assert_ne!(copy["session"], first["session"]);
    assert_eq!(copy["active_skills"], first["active_skills"]);
    assert_eq!(
        copy["activated"],
        json!([]),
        "the copy has the skill already"
    );
    // Both are still what the log says.
    for session in [&first, &copy] {
        let id = session["session"].as_str().unwrap();
        let replayed = context.json(&["audit", "replay", id, "--json"]);
        assert_eq!(replayed["same"], true, "{replayed}");
    }
    let log = events(&context, "session.started");
    assert_eq!(log.last().unwrap()["detail"]["copied_from"], id);
}

#[test]
fn seed_003_r1_discovery_has_precedence_and_rejects_what_is_invalid() {
    let keep_up = "[discovery]\nprecedence = \"keep-up\"\n";
    let context = TestContext::configured(keep_up);
    let user = "../home/.keep-up/skills";
    context
        .write(&format!("{user}/broken/SKILL.md"), "no frontmatter")
        .write(
            &format!("{user}/here/SKILL.md"),
            skill("elsewhere", "Is misplaced. Use never."),
        )
        .write(
            &format!("{user}/skill-review/SKILL.md"),
            skill("skill-review", "Shadows. Use never."),
        );
    let listing = context.json(&["list", "--all", "--json"]);
    let review = listing["skills"].as_array().unwrap().iter();
    let review: Vec<&Value> = review
        .filter(|each| each["name"] == "skill-review")
        .collect();
    assert_eq!(review.len(), 1);
    assert_eq!(review[0]["source"], "builtin", "builtin is first");
    assert_eq!(listing["shadowed"][0]["name"], "skill-review");
    assert!(
        listing["skipped"][0]["path"]
            .as_str()
            .unwrap()
            .contains("broken")
    );
    for (folder, code) in [("broken", 1), ("here", 1), ("skill-review", 0)] {
        let path = format!("{user}/{folder}");
        let found = context.code(&["validate", &path, "--profile", "strict"]);
        assert_eq!(found, Some(code), "{folder}");
    }
}

#[test]
fn seed_003_r2_the_index_has_metadata_and_no_bodies() {
    let context = forms();
    let listing = context.json(&["list", "--json"]);
    let skills = listing["skills"].as_array().unwrap();
    let entry = skills.iter().find(|each| each["name"] == "forms").unwrap();
    for key in ["id", "name", "description", "source", "path", "modified"] {
        assert!(!entry[key].is_null(), "{key} of {entry}");
    }
    let shown = context.json(&["show", "forms", "--json"]);
    assert!(shown["digest"].as_str().unwrap().starts_with("sha256:"));
    for file in std::fs::read_dir(context.home().join(".skillyard/index")).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("FORMS_BODY"));
    }
}

#[test]
fn seed_003_r3_the_prompt_has_a_location_only_for_those_who_read_files() {
    let context = forms();
    let located = context.stdout(&["prompt", "--allow", "forms"]);
    let expected = "<location>[HOME]/.skillyard/skills/forms/SKILL.md</location>";
    assert!(located.contains(expected), "{located}");
    let plain = context.stdout(&["prompt", "--allow", "forms", "--no-location"]);
    assert!(plain.contains("<name>forms</name>") && !plain.contains("<location>"));
}

#[test]
fn seed_003_r4_several_activations_are_recorded_with_their_digests() {
    let context = forms();
    let answer = chat(&context, "/forms /skill-review", &[]);
    assert_eq!(answer["end"], "activated");
    let activated = events(&context, "skill.activated");
    assert_eq!(activated.len(), 2);
    for (event, (name, source)) in activated
        .iter()
        .zip([("forms", "user"), ("skill-review", "builtin")])
    {
        assert_eq!(
            (&event["skill"], &event["source"]),
            (&json!(name), &json!(source))
        );
        assert_eq!(event["session"], answer["session"]);
        assert!(event["digest"].as_str().unwrap().starts_with("sha256:"));
        assert_eq!(event["trigger"], "user");
    }
    assert!(events(&context, "skill.resource_read").is_empty());
}

#[test]
fn seed_003_r5_resources_are_read_below_the_skill_and_every_read_is_recorded() {
    let context = forms();
    context.write("../home/.skillyard/skills/outside.md", "OUTSIDE\n");
    let prompt = "/forms read references/x.md then read ../outside.md then read /etc/passwd";
    let answer = chat(&context, prompt, &[]);
    assert!(words(&answer).contains("FORMS_FILE"));
    assert!(!answer.to_string().contains("OUTSIDE") && !answer.to_string().contains("root:"));
    let outcomes: Vec<Value> = events(&context, "skill.resource_read")
        .iter()
        .map(|event| json!([event["skill"], event["outcome"]]))
        .collect();
    let (ok, failed) = (json!(["forms", "ok"]), json!(["forms", "failed"]));
    assert_eq!(outcomes, [ok, failed.clone(), failed]);
}

#[test]
fn seed_003_r6_scripts_are_gated_by_trust_and_run_in_the_sandbox() {
    let context = forms();
    // The user's own skill runs, in a sandbox; nothing of the home is there.
    let folder = "../home/.skillyard/skills/forms/scripts";
    context.write(
        &format!("{folder}/home.sh"),
        "#!/bin/sh\nls \"$HOME\" /home 2>&1; echo END\n",
    );
    context.write("../home/secret.txt", "x");
    let answer = chat(&context, "/forms run scripts/home.sh", &[]);
    assert!(
        words(&answer).contains("END") && !words(&answer).contains("secret.txt"),
        "{answer}"
    );
    let ran = events(&context, "skill.script_executed");
    assert!(!ran[0]["detail"]["backend"].as_str().unwrap().is_empty());
    // A project's skill does not, before the project is trusted.
    context.write(
        ".skills/theirs/SKILL.md",
        skill("theirs", "Is theirs. Use never."),
    );
    assert_eq!(context.code(&["chat", "-p", "/theirs x"]), Some(1));
}

#[test]
fn seed_003_r7_a_tool_that_a_skill_does_not_allow_is_blocked() {
    let context = TestContext::configured(TRUSTING);
    let source = "---\nname: reader\ndescription: Reads a database. Use for reading it.\nallowed-tools: mcp__db__read Read\n---\n\nRead.\n";
    context.write(".skills/reader/SKILL.md", source);
    let check = |tool: &str| {
        let words = [
            "guard", "check", "--skill", "reader", "--tool", tool, "--input", "{}", "--json",
        ];
        let told = output(context.skillyard().args(words));
        (told.status.code(), text(&told.stdout))
    };
    assert_eq!(check("mcp__db__read").0, Some(0));
    let (code, denied) = check("mcp__db__drop");
    assert_eq!(code, Some(1));
    // Who is blocked learns by which skill.
    assert!(denied.contains("reader"), "{denied}");
}

#[test]
fn seed_003_r8_what_happens_is_recorded_with_where_it_came_from() {
    let context = forms();
    let prompt = "/forms read references/x.md and run scripts/x.sh";
    let answer = chat(&context, prompt, &["--allow-scripts"]);
    let digest = &answer["active_skills"][0]["digest"];
    for kind in [
        "skill.activated",
        "skill.resource_read",
        "skill.script_executed",
    ] {
        let found = events(&context, kind);
        assert_eq!(found.len(), 1, "{kind}");
        assert_eq!(&found[0]["digest"], digest, "{kind}");
        assert_eq!(found[0]["session"], answer["session"], "{kind}");
    }
    let activated = &events(&context, "skill.activated")[0];
    assert_eq!(activated["tier"], "high");
    assert_eq!(activated["source"], "user");
    assert_eq!(context.code(&["audit", "verify"]), Some(0));
}

#[test]
fn seed_003_r9_activations_replay_from_the_log_with_stable_digests() {
    let (one, other) = (forms(), forms());
    let answers = [&one, &other].map(|context| chat(context, "/forms read references/x.md", &[]));
    assert_eq!(answers[0]["active_skills"], answers[1]["active_skills"]);
    let id = answers[0]["session"].as_str().unwrap();
    assert_eq!(one.code(&["audit", "replay", id]), Some(0));
    one.write(
        "../home/.skillyard/skills/forms/references/x.md",
        "CHANGED\n",
    );
    assert_eq!(one.code(&["audit", "replay", id]), Some(1));
}

#[test]
fn seed_004_the_checklist_works_offline_on_a_fresh_home() {
    let context = TestContext::new();
    // Discovery: it is known by name and description, and costs no prompt a token.
    let listing = context.json(&["list", "--json"]).to_string();
    assert!(listing.contains(NAME) && !listing.contains(BODY));
    assert!(!context.stdout(&["prompt"]).contains(NAME));
    // Activation and resources, each with a card.
    let prompt = format!("/{NAME} validate that skills.activate and skills.readResource work");
    let told = output(context.skillyard().args(["chat", "-p", &prompt]));
    let (words, cards) = (text(&told.stdout), text(&told.stderr));
    assert!(told.status.success());
    for marker in [
        BODY,
        REFERENCE,
        "\"fixture_id\": \"skills-system-validation\"",
        SCRIPT,
    ] {
        assert!(words.contains(marker), "{marker} in {words}");
    }
    assert!(cards.contains(&format!("+ skill {NAME}")), "{cards}");
    assert!(cards.contains(&format!("● skill_read  {NAME} · references/REFERENCE.md")));
    // Path safety.
    let paths = [
        "../SKILL.md",
        "/etc/passwd",
        "references/../../../../etc/passwd",
    ];
    let prompt = format!("/{NAME} read {}", paths.join(" read "));
    let answer = chat(&context, &prompt, &[]);
    let outcomes = answer["calls"].as_array().unwrap().iter();
    let outcomes: Vec<&str> = outcomes
        .map(|call| call["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["failed"; 3]);
    assert!(!answer.to_string().contains("root:"));
    // The script prints its marker and nothing else, in the sandbox.
    let ran = output(context.skillyard().args(["run", NAME, "echo.sh"]));
    assert_eq!(
        text(&ran.stdout),
        format!("{SCRIPT}\n"),
        "{}",
        text(&ran.stderr)
    );
}

#[test]
fn seed_004_all_three_strategies_find_the_skill() {
    for (strategy, trigger) in [("tool", "model"), ("router", "router"), ("hybrid", "model")] {
        let context = forms();
        let answer = chat(
            &context,
            "a form is to be filled",
            &["--strategy", strategy],
        );
        assert_eq!(answer["activated"][0]["name"], "forms", "{strategy}");
        assert_eq!(answer["activated"][0]["trigger"], trigger, "{strategy}");
    }
    // As the configuration of the design says it.
    let context = forms();
    context.write(
        "../home/.skillyard/config.toml",
        "[app.skills]\nactivation = \"router\"\n",
    );
    let answer = chat(&context, "a form is to be filled", &[]);
    assert_eq!(answer["activated"][0]["trigger"], "router");
}

#[test]
fn seed_004_the_names_of_active_skills_are_kept_with_the_chat() {
    let context = forms();
    let first = chat(&context, "/forms", &[]);
    let id = first["session"].as_str().unwrap();
    let second = chat(&context, "and now?", &["--resume", id]);
    assert_eq!(second["active_skills"], first["active_skills"]);
    assert_eq!(second["active_skills"][0]["name"], "forms");
}

#[test]
fn seed_004_limits_are_soft_and_say_how_to_go_on() {
    let limits = "[app.skills]\nmax_skill_md_bytes = 300\nmax_skills = 1\n";
    let context = forms();
    context.write("../home/.skillyard/config.toml", limits);
    let answer = chat(&context, "/forms go", &[]);
    let words = words(&answer);
    assert!(words.contains("These are the first 300 of the"), "{words}");
    assert!(words.contains("cursor 300"));
    let activated = &events(&context, "skill.activated")[0];
    assert!(
        !activated["detail"]["omitted_bytes"].is_null(),
        "{activated}"
    );
    // The whole skill counts for the digest, however little of it is shown.
    let digest = context.json(&["show", "forms", "--json"])["digest"].clone();
    assert_eq!(activated["digest"], digest);
    // One skill in the prompt of a session; the others can be searched.
    let session = answer["session"].as_str().unwrap();
    assert_eq!(context.code(&["audit", "replay", session]), Some(0));
    let prompt = context.stdout(&["prompt", "--no-location"]);
    assert_eq!(prompt.matches("<skill>").count(), 1, "{prompt}");
}
