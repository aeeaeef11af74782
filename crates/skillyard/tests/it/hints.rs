//! What hints say can be pasted, and leads on.

use crate::project::project;
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

/// What a command says under the configuration of an organisation.
fn under(context: &TestContext, org: &str, arguments: &[&str]) -> String {
    context.write("../org.toml", org);
    let org = context.root().join("../org.toml");
    context.tell_with(
        &[("SKILLYARD_ORG_CONFIG", org.to_str().unwrap())],
        arguments,
    )
}

#[test]
fn nobody_is_sent_to_trust_what_is_never_trusted() {
    let context = project();
    context.skill(".agents/skills/pdf", "Use when there is a form.");
    context.write(".skillyard/config.toml", "");
    let never = "[discovery]\ntrust_projects = 'never'\n";
    for arguments in [
        &["list"][..],
        &["explain", "skill", "pdf"],
        &["config", "list"],
        &["chat", "-p", "/pdf go"],
        &["run", "pdf", "scripts/a.sh"],
        &["export", "pdf", "--archive", "pdf.zip"],
    ] {
        let told = context.tell(arguments);
        assert!(
            told.contains("`skillyard trust .`"),
            "{arguments:?}: {told}"
        );
        let told = under(&context, never, arguments);
        assert!(!told.contains("`skillyard trust"), "{arguments:?}: {told}");
        assert!(told.contains("is `never`"), "{arguments:?}: {told}");
    }
}

#[test]
fn nobody_is_sent_to_enable_what_cannot_be_enabled() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/pdf", "Use when there is a form.");
    for (org, said) in [
        (
            "[skills]\ndeny = ['pdf']\n",
            "Your organisation keeps it out",
        ),
        (
            "locked = ['skills']\n[skills]\ndisabled = ['pdf']\n",
            "`skills.disabled` is locked by `",
        ),
    ] {
        for arguments in [
            &["explain", "skill", "pdf"][..],
            &["chat", "-p", "/pdf go"],
            &["run", "pdf", "scripts/a.sh"],
        ] {
            let told = under(&context, org, arguments);
            assert!(told.contains(said), "{arguments:?}: {told}");
            assert!(!told.contains("skillyard enable pdf"), "{told}");
        }
    }
    let told = context.tell(&["chat", "--deny", "pdf", "-p", "/pdf go"]);
    assert!(told.contains("hint: Only this run leaves it out"), "{told}");
}

#[test]
fn nobody_is_sent_to_set_what_is_locked() {
    let context = project();
    let locked = "locked = ['registry', 'models', 'sources']\n";
    for (arguments, key) in [
        (&["install", "pdf"][..], "registry.url"),
        (&["install", "acme:pdf"], "sources.acme.url"),
        (
            &["chat", "--model", "nowhere/m", "-p", "hello"],
            "models.SERVER.url",
        ),
    ] {
        let free = context.tell(arguments);
        let set = format!("`skillyard config set {key} URL`");
        assert!(free.contains(&set), "{arguments:?}: {free}");
        assert!(!free.contains("is locked by"), "{arguments:?}: {free}");
        let told = under(&context, locked, arguments);
        let but = format!("; but `{key}` is locked by `");
        assert!(told.contains(&but), "{arguments:?}: {told}");
    }
}

#[test]
fn nobody_is_sent_to_a_flag_that_is_locked_or_that_the_command_has_not() {
    let context = project();
    context.skill("lib/pdf", "Fills forms. Use when there is a form.");
    context.skill("lib/csv", "Reads tables. Use when there is a table.");
    context.done(&["install", "./lib/pdf", "--scope", "user", "--yes"]);
    let remove = ["remove", "pdf"];
    let told = context.tell(&remove);
    assert!(told.contains("with `--scope user`"), "{told}");
    assert!(!told.contains("is locked by"), "{told}");
    let org = "locked = ['install']\n[install]\nscope = 'project'\n";
    let told = under(&context, org, &remove);
    assert!(
        told.contains("; but `install.scope` is locked by `"),
        "{told}"
    );
    // An agent is given skills with fewer words than there are for an installation.
    context.done(&["agent", "create", "clerk"]);
    let told = context.tell(&["agent", "skill", "add", "clerk", "./lib"]);
    assert!(told.contains("Choose with `--skill NAME`"), "{told}");
    let install = "; say that to `skillyard install ./lib --scope user`, and give the agent the skill by its name";
    assert!(told.contains(install), "{told}");
}

#[test]
fn a_skill_that_was_made_below_is_installed_by_what_the_hint_says() {
    let context = project();
    let told = context.done(&["new", "pdf", "--path", "sub/deep", "-d", "Reads. Use when."]);
    assert!(
        told.contains("`skillyard install ./sub/deep/pdf`"),
        "{told}"
    );
    context.done(&["install", "./sub/deep/pdf"]);
}

#[test]
fn a_skill_that_changed_is_signed_by_what_the_hint_says() {
    let context = project();
    context.write_version("lib/pdf", "pdf", "1.0.0");
    context.done(&["key", "generate", "mine"]);
    context.done(&["sign", "lib/pdf"]);
    context.write("lib/pdf/more.md", "More.\n");
    let told = context.refused(&["publish", "lib/pdf", "--dry-run"]);
    let command: Vec<&str> = hinted(&told).split(' ').collect();
    assert_eq!(command, ["sign", "lib/pdf"], "{told}");
    context.done(&command);
    context.done(&["publish", "lib/pdf", "--dry-run"]);
}

#[test]
fn a_flag_is_no_line_of_a_file() {
    let context = project();
    let told = context.refused(&["list", "--config", "zzzzzz=1"]);
    assert_eq!(hinted(&told), "config list --all", "{told}");
}

#[test]
fn a_folder_of_several_is_narrowed_down_where_it_is_written() {
    let context = project();
    for name in ["one", "two"] {
        context.write_version(&format!("lib/{name}"), name, "1.0.0");
    }
    context.write("skills.toml", "[skills]\none = \"./lib\"\n");
    let told = context.refused(&["sync"]);
    assert!(told.contains("in skills.toml: it has one, two"), "{told}");
    assert!(!told.contains("--skill"), "{told}");
    context.write("skills.toml", "[skills]\none = \"./lib/one\"\n");
    context.done(&["sync"]);
}

#[test]
fn a_skill_whose_folder_is_gone_is_removed_by_what_the_hint_says() {
    let context = project();
    context.write_version("skills/pdf", "pdf", "1.0.0");
    context.done(&["install", "./skills/pdf"]);
    std::fs::remove_dir_all(context.root().join("skills/pdf")).unwrap();
    let told = context.refused(&["sync", "--check"]);
    let command: Vec<&str> = hinted(&told).split(' ').collect();
    assert_eq!(command, ["remove", "pdf"], "{told}");
    context.done(&command);
    context.done(&["sync", "--check"]);
}
