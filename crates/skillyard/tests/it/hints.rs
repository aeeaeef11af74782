//! What hints say can be pasted, and leads on.

use crate::servers::http::{Reply, Server};
use crate::{TestContext, output, text};

/// The command that a hint says to run.
fn hinted(told: &str) -> &str {
    let (_, behind) = told.split_once("`skillyard ").unwrap();
    behind.split_once('`').unwrap().0
}

#[test]
fn what_is_configured_of_a_server_is_shown_by_what_the_hint_says() {
    let context = TestContext::new();
    let key = "mcp.servers.a.command";
    context.done(&["config", "set", key, "no-such-program"]);
    let told = context.tell(&["mcp", "test", "a"]);
    let command: Vec<&str> = hinted(&told).split(' ').collect();
    assert_eq!(command, ["config", "get", "mcp.servers.a"]);
    let shown = context.tell(&command);
    assert!(shown.contains("no-such-program"), "{shown}");
}

#[test]
fn a_server_that_is_elsewhere_or_locked_says_what_to_set() {
    let server = Server::start(|asked| match asked.path() {
        "/mcp" => Reply::status(307).header("Location", "/mcp/"),
        _ => Reply::status(401),
    });
    let context = TestContext::new();
    let url = server.url("/mcp");
    context.done(&["config", "set", "mcp.servers.a.url", &url]);
    let told = context.tell(&["mcp", "test", "a"]);
    let command: Vec<&str> = hinted(&told).split(' ').collect();
    let place = format!("{url}/");
    assert_eq!(
        command,
        ["config", "set", "mcp.servers.a.url", &place],
        "{told}"
    );
    context.done(&command);
    let told = context.tell(&["mcp", "test", "a"]);
    let key = "config set mcp.servers.a.headers.Authorization ";
    assert!(hinted(&told).starts_with(key), "{told}");
}

#[test]
fn a_table_names_its_keys() {
    let context = TestContext::new();
    let told = context.tell(&["config", "get", "registry"]);
    assert_eq!(hinted(&told), "config set registry.url VALUE", "{told}");
    let told = context.tell(&["config", "set", "sources.mine", "x"]);
    let keys = "Its keys are `sources.mine.type`, `sources.mine.url`, `sources.mine.auth`";
    assert!(told.contains(keys), "{told}");
}

#[test]
fn of_several_mistakes_each_says_what_was_meant() {
    let context = TestContext::new();
    let config = "../home/.skillyard/config.toml";
    context.write(config, "[skills]\nenbled = []\n[install]\nscoop = 'user'\n");
    let told = context.tell(&["list"]);
    let meant = "Did you mean `skills.enabled` for `skills.enbled`, and `install.scope` for `install.scoop`?";
    assert!(told.contains(meant), "{told}");
    // What would list the keys fails for the same reason.
    context.write(config, "zzzzzz = 1\n");
    let told = context.tell(&["list"]);
    assert!(told.contains("`skillyard config edit`"), "{told}");
    assert!(!told.contains("config list"), "{told}");
}

#[test]
fn names_and_paths_are_words_of_a_shell() {
    let context = TestContext::new();
    let told = context.tell(&["new", "foo", "--path", "a b", "-d", "Does x. Use when y."]);
    assert!(told.contains("`skillyard validate 'a b/foo'`"), "{told}");
    let name = "deploy;touch${IFS}PWNED";
    let folder = ".agents/skills/evil";
    context
        .mkdir(".git")
        .write(
            &format!("{folder}/SKILL.md"),
            format!("---\nname: \"{name}\"\ndescription: Use when asked.\n---\n"),
        )
        .write(&format!("{folder}/scripts/a.sh"), "echo hi\n");
    context.done(&["trust", "."]);
    let told = output(context.skillyard().args(["run", name, "a.sh"]));
    let told = text(&told.stderr);
    assert!(told.contains(&format!("show '{name}' --files")), "{told}");
    context.done(&["disable", name]);
    let told = output(context.skillyard().args(["run", name, "a.sh"]));
    let told = text(&told.stderr);
    assert!(told.contains(&format!("enable '{name}'`")), "{told}");
}

#[test]
fn what_registries_said_before_can_be_forgotten_where_it_is_damaged() {
    let context = TestContext::new();
    context.write("../home/.skillyard/registries.json", "{broken");
    let told = context.tell(&["doctor"]);
    assert!(
        told.contains("which keeps what registries said before"),
        "{told}"
    );
    assert!(told.contains("/registries.json` forgets what"), "{told}");
}

#[test]
fn what_is_written_elsewhere_is_not_to_be_edited() {
    let context = TestContext::new();
    context.write("log.jsonl", "Mine.\n");
    let told = context.tell(&["audit", "export", "--output", "log.jsonl"]);
    assert!(
        told.contains("hint: Write to another place, or remove it first: `rm -r log.jsonl`"),
        "{told}"
    );
    assert_eq!(context.read("log.jsonl"), "Mine.\n");
}

#[test]
fn a_skill_that_lies_in_a_folder_is_shown_by_its_path() {
    let context = TestContext::new();
    context.skill(
        ".agents/skills/pdf",
        "Fills forms. Use when there is a form.",
    );
    let shown = context.stdout(&["show", "./.agents/skills/pdf"]);
    assert_eq!(shown, context.stdout(&["show", "pdf"]));
}
