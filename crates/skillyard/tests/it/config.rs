//! `skillyard config`: what is set, who set it, and what cannot be done with it.

mod files;
mod layers;
mod locked_flags;
mod secrets;

use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;

use crate::{TestContext, output, text};

const FILE: &str = "../home/.skillyard/config.toml";

impl TestContext {
    /// Runs the binary with further variables and tells all that came of it.
    pub(crate) fn tell_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> String {
        let mut command = self.skillyard();
        command.args(arguments).envs(variables.iter().copied());
        let told = output(&mut command);
        let told = format!(
            "{}\n----- stdout -----\n{}\n----- stderr -----\n{}",
            told.status,
            text(&told.stdout).trim_end(),
            text(&told.stderr).trim_end(),
        );
        self.placed(&told)
    }

    fn mode(&self, path: &str) -> u32 {
        let metadata = self.root().join(path).metadata().unwrap();
        metadata.permissions().mode() & 0o777
    }
}

#[test]
fn a_value_is_set_seen_and_gone_for_good() {
    let context = TestContext::configured("# Mine.\n[discovery]\nmax_depth = 3 # enough\n");
    assert_snapshot!(context.tell(&["config", "set", "registry.url", "https://skills.example.com"]), @r#"
    exit status: 0
    ----- stdout -----
     + registry.url = "https://skills.example.com"
    ----- stderr -----
    Written to `[HOME]/.skillyard/config.toml`
    "#);
    assert_eq!(context.mode(FILE), 0o600);
    assert_snapshot!(context.tell(&["config", "set", "discovery.max_depth", "4"]), @r"
    exit status: 0
    ----- stdout -----
     ~ discovery.max_depth = 4
    ----- stderr -----
    Written to `[HOME]/.skillyard/config.toml`
    ");
    assert_snapshot!(context.tell(&["config", "set", "discovery.max_depth", "4"]), @r"
    exit status: 0
    ----- stdout -----

    ----- stderr -----
    Nothing to do: `discovery.max_depth` has this value already
    ");
    assert_snapshot!(context.tell(&["config", "list", "--show-origin"]), @r#"
    exit status: 0
    ----- stdout -----
    discovery.max_depth = 4  # user [HOME]/.skillyard/config.toml:3
    registry.url = "https://skills.example.com"  # user [HOME]/.skillyard/config.toml:6
    ----- stderr -----
    "#);
    assert_snapshot!(context.stdout(&["config", "get", "registry.url"]), @"https://skills.example.com");
    assert_snapshot!(context.tell(&["config", "unset", "registry.url"]), @r"
    exit status: 0
    ----- stdout -----
     - registry.url
    ----- stderr -----
    Removed from `[HOME]/.skillyard/config.toml` for good
    ");
    assert_snapshot!(context.tell(&["config", "get", "registry.url"]), @r"
    exit status: 1
    ----- stdout -----

    ----- stderr -----
    error: `registry.url` is not set

    hint: Set it with `skillyard config set registry.url VALUE`
    ");
    // Comments are the user's, and stay.
    assert_eq!(
        context.read(FILE),
        "# Mine.\n[discovery]\nmax_depth = 4 # enough\n"
    );
    context.tell(&["config", "unset", "discovery"]);
    assert_eq!(context.read(FILE), "# Mine.\n");
}

#[test]
fn answers_for_programs() {
    let context = TestContext::new();
    assert_snapshot!(context.stdout(&["config", "set", "skills.deny", "a-*", "b", "--json"]), @r#"
    {
      "key": "skills.deny",
      "value": [
        "a-*",
        "b"
      ],
      "file": "[HOME]/.skillyard/config.toml",
      "changed": true
    }
    "#);
    assert_snapshot!(context.stdout(&["config", "list", "--json"]), @r#"
    {
      "settings": [
        {
          "key": "skills.deny",
          "value": [
            "a-*",
            "b"
          ],
          "origin": {
            "layer": "user",
            "file": "[HOME]/.skillyard/config.toml",
            "line": 2
          }
        }
      ]
    }
    "#);
    assert_snapshot!(context.stdout(&["config", "get", "install.link", "--json"]), @r#"
    {
      "key": "install.link",
      "value": false,
      "origin": {
        "layer": "default"
      }
    }
    "#);
    assert_snapshot!(context.stdout(&["config", "unset", "skills.deny", "--json"]), @r#"
    {
      "removed": [
        "skills.deny"
      ],
      "file": "[HOME]/.skillyard/config.toml"
    }
    "#);
    assert_snapshot!(context.stdout(&["config", "path", "--json"]), @r#"
    {
      "path": "[HOME]/.skillyard/config.toml",
      "org": "/etc/skillyard/config.toml",
      "user": "[HOME]/.skillyard/config.toml",
      "project": "[DIR]/.skillyard/config.toml"
    }
    "#);
}

#[test]
fn wrong_keys_and_values_change_nothing() {
    let context = TestContext::new();
    let tell = |key, value| context.tell(&["config", "set", key, value]);
    assert_snapshot!(tell("registy.url", "https://x"), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no key `registy.url`

    hint: Did you mean `registry.url`?
    ");
    assert_snapshot!(tell("install.scope", "usr"), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `install.scope` has no valid value: it must be `user` or `project`; did you mean `user`?
    ");
    assert_snapshot!(tell("sources.internal", "https://x"), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `sources.internal` is a table, not a value

    hint: Its keys are `sources.internal.type`, `sources.internal.url`, `sources.internal.auth`
    ");
    assert_snapshot!(tell("sources.github.url", "https://x"), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `sources.github.url` cannot be used: no source may be called `github`: references with `github:` have a meaning already
    ");
    assert_snapshot!(tell("locked", "scripts"), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: only the organisation's file may set `locked`
    ");
    for (key, value) in [
        ("registry.url", "example.com"),
        ("sources.a.auth", "basic:x"),
        ("sources.a.auth", "header:A: b\nC: d"),
        ("scripts.allow", "maybe"),
        ("discovery.max_depth", "0"),
        ("trust.gti.scripts", "blocked"),
        ("skills.deny", "a["),
        ("org", "/shared"),
    ] {
        assert!(tell(key, value).starts_with("exit status: 2"), "{key}");
    }
    assert!(!context.root().join(FILE).exists());
}

#[test]
fn a_file_with_problems_tells_all_of_them_and_stays() {
    let broken = "[registry]\nurll = \"x\"\nurl = 3\n\n[sources.a]\nauth = \"hunter2hunter2\"\n";
    let context = TestContext::configured(broken);
    assert_snapshot!(context.tell(&["config", "list"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: the configuration cannot be used
      Caused by: [HOME]/.skillyard/config.toml:2: there is no key `registry.urll`
      Caused by: [HOME]/.skillyard/config.toml:3: `registry.url` has no valid value: it must be a URL
      Caused by: [HOME]/.skillyard/config.toml:6: `sources.a.auth` has no valid value: it must begin with `bearer:`, `token:` or `header:Name:`

    hint: Did you mean `registry.url` for `registry.urll`?
    ");
    // What is wrong can be taken out.
    assert_snapshot!(context.tell(&["config", "unset", "registry.urll"]), @r"
    exit status: 0
    ----- stdout -----
     - registry.urll
    ----- stderr -----
    Removed from `[HOME]/.skillyard/config.toml` for good
    ");
    // What is no TOML is not touched, and what stands there is not quoted: it may be a secret.
    let broken = "[hosts.github]\ntoken = \"hunter2hunter2\n";
    context.write(FILE, broken);
    for arguments in [
        &["config", "set", "scripts.allow", "true"][..],
        &["config", "unset", "hosts.github.token"],
        &["config", "list"],
        &["disable", "x"],
    ] {
        let told = context.tell(arguments);
        assert!(told.starts_with("exit status: 2"), "{told}");
        assert!(!told.contains("hunter2"), "{told}");
    }
    assert_eq!(context.read(FILE), broken);
}

#[test]
fn spellings_of_other_tools_work() {
    let context = TestContext::configured(
        "[skills]\nregistry = \"https://registry.example/skills\"\nallow_scripts = true\n\n\
         [skills.sources.internal]\nurl = \"https://internal.example/skills\"\n\
         auth = \"bearer:${INTERNAL_TOKEN}\"\n\n\
         [app.skills]\nenabled = false\ndirectories = [\"~/.remcochat/skills\"]\n\
         max_skills = 200\nmax_skill_md_bytes = 200000\nmax_resource_bytes = 2000000\nactivation = \"tool\"\n",
    );
    assert_snapshot!(context.stdout(&["config", "list"]), @r#"
    agents.activation = "tool"
    discovery.directories = ["~/.remcochat/skills"]
    limits.max_resource_bytes = 2000000
    limits.max_skill_md_bytes = 200000
    limits.max_skills = 200
    registry.url = "https://registry.example/skills"
    scripts.allow = true
    server.skills = false
    sources.internal.auth = "bearer:${INTERNAL_TOKEN}"
    sources.internal.url = "https://internal.example/skills"
    "#);
    assert_snapshot!(context.stdout(&["config", "get", "skills.allow_scripts"]), @"true");
    // A value is changed where it stands, and taken out under either name.
    context.tell(&["config", "set", "skills.allow_scripts", "false"]);
    assert_snapshot!(context.stdout(&["config", "get", "scripts.allow"]), @"false");
    context.tell(&["config", "unset", "sources.internal"]);
    context.tell(&["config", "unset", "registry.url"]);
    let file = context.read(FILE);
    assert!(
        file.starts_with("[app.skills]\nenabled = false\n"),
        "{file}"
    );
    assert!(file.ends_with("\n\n[scripts]\nallow = false\n"), "{file}");
}
