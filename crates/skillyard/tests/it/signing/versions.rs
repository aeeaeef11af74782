//! Signed skills in several versions, of several signers, and those whose signer is trusted later.

use std::fs;

use crate::registry::Server;
use crate::servers::repository::Repository;
use crate::{TestContext, output, text};

/// A registry, and an author whose key is trusted.
struct Author {
    context: TestContext,
    _server: Server,
}

impl Author {
    fn new() -> Self {
        let author = Self::unknown();
        author.context.good(&["key", "trust", "mine"]);
        author
    }

    fn unknown() -> Self {
        let context = TestContext::new();
        let server = context.with_registry();
        context.good(&["key", "generate", "mine"]);
        Self {
            context,
            _server: server,
        }
    }

    fn publish(&self, version: &str) {
        self.publish_by(version, "mine");
    }

    fn publish_by(&self, version: &str, key: &str) {
        self.context.write_version("work/pdf", "pdf", version);
        self.context.good(&["sign", "work/pdf", "--key", key]);
        self.context.good(&["publish", "work/pdf", "--yes"]);
    }

    /// Publishes a skill that needs another.
    fn publish_needing(&self, name: &str, version: &str, requires: &str) {
        let text = format!(
            "---\nname: {name}\ndescription: Use when {name}.\nmetadata:\n  version: \"{version}\"\n  \
             skillyard.requires-skills: \"{requires}\"\n---\n\n{version}\n"
        );
        let folder = format!("work/{name}");
        self.context.write(&format!("{folder}/SKILL.md"), text);
        self.context.good(&["sign", &folder, "--key", "mine"]);
        self.context.good(&["publish", &folder, "--yes"]);
    }

    /// Runs a command in a project of its own; whether it succeeded, and what it said.
    fn run(&self, project: &str, arguments: &[&str]) -> (bool, String) {
        let folder = self.context.root().join(project);
        fs::create_dir_all(folder.join(".git")).unwrap();
        let mut command = self.context.skillyard();
        let output = output(command.current_dir(folder).args(arguments));
        let said = text(&output.stdout) + &text(&output.stderr);
        (output.status.success(), said)
    }

    #[track_caller]
    fn good(&self, project: &str, arguments: &[&str]) -> String {
        let (is_good, said) = self.run(project, arguments);
        assert!(is_good, "{arguments:?}: {said}");
        said
    }

    #[track_caller]
    fn bad(&self, project: &str, arguments: &[&str]) -> String {
        let (is_good, said) = self.run(project, arguments);
        assert!(!is_good, "{arguments:?}: {said}");
        said
    }

    /// A machine on which nothing of these projects was ever seen.
    fn forget_all(&self, projects: &[&str]) {
        let home = self.context.in_home(".skillyard");
        fs::remove_dir_all(home.join("store")).unwrap();
        let _ = fs::remove_file(home.join("pins.toml"));
        for project in projects {
            fs::remove_dir_all(self.context.root().join(project).join(".agents")).unwrap();
        }
    }

    fn pins(&self) -> String {
        self.context.read("../home/.skillyard/pins.toml")
    }
}

/// The command that a hint names, as a shell takes it apart.
fn hinted(said: &str) -> Vec<&str> {
    let (_, command) = said.split_once("name it, too: `skillyard ").unwrap();
    let (command, _) = command.split_once('`').unwrap();
    let words = command.split(' ').map(|word| word.trim_matches('\''));
    words.chain(["--yes"]).collect()
}

fn install(reference: &str) -> [&str; 5] {
    ["install", reference, "--scope", "project", "--yes"]
}

#[test]
fn locks_name_versions_in_any_order() {
    let author = Author::new();
    author.publish("1.0.0");
    author.publish("2.0.0");
    author.good("b", &install("pdf@1.0.0"));
    author.good("a", &install("pdf@2.0.0"));
    author.forget_all(&["a", "b"]);
    let said = author.good("a", &["sync", "--locked"]);
    assert!(!said.contains('!'), "{said}");
    let said = author.good("b", &["sync", "--locked", "--json"]);
    let seen = "it is version 1.0.0, and 2.0.0 was seen before";
    let note = format!(" ! pdf: {seen}; it is taken, because the lock names just these files");
    assert!(said.contains(&note), "{said}");
    assert!(said.contains(&format!("\"reason\": \"{seen}\"")), "{said}");
    // The newest is what is remembered, and what is installed is still what was signed.
    assert!(author.pins().contains("version = \"2.0.0\""));
    let said = author.good("b", &["verify", ".agents/skills/pdf"]);
    assert!(said.contains(seen), "{said}");
}

#[test]
fn what_is_resolved_anew_goes_back_only_where_the_user_says_so() {
    let author = Author::new();
    author.publish("1.0.0");
    author.publish("1.1.0");
    author.publish("2.0.0");
    author.good("a", &install("pdf"));
    let said = author.bad("b", &install("pdf@^1"));
    assert!(
        said.contains("it is version 1.1.0, and 2.0.0 was seen before")
            && said.contains("pass `--accept rollback`, or name the version"),
        "{said}"
    );
    // A range that looks like a version is none.
    author.bad("b", &install("pdf@1.1"));
    let said = author.good("b", &install("pdf@1.0.0"));
    assert!(said.contains("because just that was asked for"), "{said}");
    author.bad("c", &install("pdf@^1"));
    assert!(author.pins().contains("version = \"2.0.0\""));
}

#[test]
fn a_version_that_was_withdrawn_is_left_by_the_users_word_alone() {
    let author = Author::new();
    author.publish("1.0.0");
    author.publish("2.0.0");
    author.good("a", &install("pdf"));
    author.good("a", &["yank", "pdf@2.0.0", "--reason", "eats files"]);
    // Whoever answers in the place of the registry could say so, too.
    let said = author.bad("a", &["update", "--yes"]);
    assert!(said.contains("2.0.0 was seen before"), "{said}");
    let said = author.good("a", &["update", "--accept", "rollback", "--yes"]);
    assert!(said.contains("2.0.0 → 1.0.0, which is older"), "{said}");
    // Nobody reads the signature itself.
    assert!(!said.contains("skill.oms.sig"), "{said}");
    assert!(said.lines().all(|line| line.len() < 200), "{said}");
    // From there on it goes forward again.
    author.publish("1.0.1");
    author.good("a", &["update", "--yes"]);
    assert!(author.pins().contains("version = \"1.0.1\""));
}

#[test]
fn who_goes_back_with_a_skill_does_not_go_back_with_what_comes_along() {
    let author = Author::new();
    for version in ["1.0.0", "2.0.0"] {
        author.context.write_version("work/csv", "csv", version);
        author.context.good(&["sign", "work/csv", "--key", "mine"]);
        author.context.good(&["publish", "work/csv", "--yes"]);
    }
    author.publish_needing("pdf", "1.0.0", "csv@^1");
    author.publish_needing("pdf", "2.0.0", "csv");
    author.good("a", &install("pdf"));
    author.good("c", &install("csv"));
    let back = |name: &'static str| [&install(name)[..], &["--accept", "rollback"]].concat();
    // What it needs, and what was asked for once and not in this command.
    for project in ["b", "c"] {
        let said = author.bad(project, &back("pdf@^1"));
        assert!(said.contains("2.0.0 was seen before"), "{said}");
        assert_eq!(author.pins().matches("version = \"2.0.0\"").count(), 2);
        let hinted = hinted(&said);
        assert_eq!(hinted[1..3], ["csv@^1", "pdf@^1"], "{said}");
        let pins = author.pins();
        author.good(project, &hinted);
        assert_eq!(author.pins().matches("version = \"1.0.0\"").count(), 2);
        fs::write(author.context.in_home(".skillyard/pins.toml"), pins).unwrap();
    }
}

#[test]
fn an_update_says_how_to_go_back_with_what_comes_along() {
    let author = Author::new();
    for name in ["csv", "xls"] {
        for version in ["1.0.0", "2.0.0"] {
            let folder = format!("work/{name}");
            author.context.write_version(&folder, name, version);
            author.context.good(&["sign", &folder, "--key", "mine"]);
            author.context.good(&["publish", &folder, "--yes"]);
        }
    }
    author.publish_needing("pdf", "1.0.0", "csv xls");
    author.good("a", &install("pdf"));
    author.publish_needing("pdf", "1.1.0", "csv@^1 xls@^1");
    for update in [&["update", "--yes"][..], &["update", "pdf", "--yes"]] {
        let said = author.bad("a", update);
        let command = [
            "update", "pdf", "csv", "xls", "--accept", "rollback", "--yes",
        ];
        assert_eq!(hinted(&said), command, "{said}");
    }
    let said = author.bad("a", &["update", "--yes", "--accept", "rollback"]);
    let said = author.good("a", &hinted(&said));
    assert!(said.contains("csv  2.0.0 → 1.0.0"), "{said}");
    let lock = author.context.read("a/skills.lock");
    assert_eq!(lock.matches("dependency = true").count(), 2, "{lock}");
}

#[test]
fn who_wants_all_of_a_source_names_none_that_may_go_back() {
    let author = Author::new();
    let put = |version: &str| {
        for name in ["csv", "pdf"] {
            let folder = format!("lib/{name}");
            author.context.write_version(&folder, name, version);
            author.context.good(&["sign", &folder, "--key", "mine"]);
        }
    };
    put("2.0.0");
    author.good("a", &[&install("../lib")[..], &["--all"]].concat());
    put("1.0.0");
    let back = |more: &[&'static str]| {
        let back = ["--accept", "rollback"];
        [&install("../lib")[..], &back, more].concat()
    };
    let said = author.bad("b", &back(&["--all"]));
    assert_eq!(author.pins().matches("version = \"2.0.0\"").count(), 2);
    author.good("c", &back(&["--skill", "pdf"]));
    assert_eq!(author.pins().matches("version = \"2.0.0\"").count(), 1);
    author.good("b", &hinted(&said));
    assert_eq!(author.pins().matches("version = \"2.0.0\"").count(), 0);
}

#[test]
fn no_lock_takes_a_signature_away_or_brings_another_signer() {
    let author = Author::new();
    author.publish("1.0.0");
    author.publish("2.0.0");
    author.good("a", &install("pdf@2.0.0"));
    for (project, key) in [("unsigned", None), ("forged", Some("other"))] {
        let lib = format!("{project}/lib/pdf");
        author.context.write_version(&lib, "pdf", "1.5.0");
        if let Some(key) = key {
            author.good("work", &["key", "generate", key]);
            author.context.good(&["sign", &lib, "--key", key]);
        }
        // As if it had been locked by somebody who never saw the signed one.
        author.forget_all(&[]);
        author.good(project, &install("./lib/pdf"));
        author.forget_all(&["a", project]);
        author.good("a", &["sync", "--locked"]);
        let said = author.bad(project, &["sync", "--locked"]);
        assert!(said.contains("was signed by key:"), "{said}");
    }
}

#[test]
fn two_publishers_have_a_skill_of_one_name() {
    let author = Author::new();
    let context = &author.context;
    context.good(&["key", "generate", "other"]);
    context.good(&["key", "trust", "other"]);
    let published = |name: &str, key: Option<&str>| {
        let repository = Repository::new(context, name);
        context.write_version("work/pdf", "pdf", "1.0.0");
        let _ = fs::remove_file(context.root().join("work/pdf/skill.oms.sig"));
        if let Some(key) = key {
            context.good(&["sign", "work/pdf", "--key", key]);
            repository.write("pdf/skill.oms.sig", context.read("work/pdf/skill.oms.sig"));
        }
        repository.write("pdf/SKILL.md", context.read("work/pdf/SKILL.md"));
        repository.commit("one");
        format!("{}#pdf", repository.url())
    };
    author.good("a", &install(&published("one.git", Some("mine"))));
    author.good("b", &install(&published("two.git", Some("other"))));
    assert_eq!(author.pins().matches("publisher = ").count(), 2);
    // A name that is somebody's is no stranger's.
    let said = author.bad("c", &install(&published("three.git", None)));
    assert!(said.contains("it is not signed"), "{said}");
    context.good(&["key", "generate", "stranger"]);
    let said = author.bad("c", &install(&published("four.git", Some("stranger"))));
    assert!(said.contains("was signed by key:"), "{said}");
    // Nor is it another's where it was published before.
    let again = published("one.git", Some("other"));
    author.bad("c", &install(&again));
}

#[test]
fn who_trusts_a_key_later_is_kept_from_strangers_too() {
    let author = Author::unknown();
    author.publish("1.0.0");
    author.good("a", &install("pdf"));
    author.good("b", &install("pdf"));
    author.good("a", &["key", "trust", "mine"]);
    let said = author.good("a", &install("pdf"));
    assert!(
        said.contains("~ pdf  same files, now signed by key "),
        "{said}"
    );
    assert!(
        author
            .context
            .read("a/skills.lock")
            .contains("signer = \"key:")
    );
    assert!(author.pins().contains("signer = \"key:"));
    author.good("a", &["key", "forget", "pdf"]);
    // Without a word of it before, the next version is compared with what is installed.
    author.good("a", &["key", "generate", "stranger"]);
    author.publish_by("1.1.0", "stranger");
    let said = author.bad("b", &["update", "--yes"]);
    assert!(said.contains("was signed by key:"), "{said}");
    assert!(said.contains("`skillyard remove pdf`"), "{said}");
    author.good("b", &["remove", "pdf"]);
    author.good("b", &install("pdf"));
}
