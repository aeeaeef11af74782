//! The lock that a skill was installed by decides about it, wherever one stands.

use std::path::Path;
use std::process::Output;

use skillyard_format::package::pack::PackFormat;

use crate::project::packed;
use crate::servers::http::{Reply, Server};
use crate::{TestContext, output, text};

const SCRIPT: &str = ".agents/skills/pdf/scripts/run.sh";

fn web() -> Server {
    Server::start(|_| Reply::ok(packed("pdf/", "one", PackFormat::Zip)))
}

impl TestContext {
    fn from(&self, folder: &Path, arguments: &[&str]) -> Output {
        output(self.skillyard().current_dir(folder).args(arguments))
    }

    #[track_caller]
    fn done_from(&self, folder: &Path, arguments: &[&str]) -> String {
        let told = self.from(folder, arguments);
        assert!(told.status.success(), "{arguments:?} {told:?}");
        text(&told.stdout)
    }

    /// That `pdf` is a stranger's from here, and that its script is blocked.
    #[track_caller]
    fn is_blocked(&self, folder: &Path) {
        let shown = self.done_from(folder, &["show", "pdf"]);
        assert!(shown.contains("untrusted"), "{}: {shown}", folder.display());
        for answer in [&[][..], &["--yes"], &["--allow-scripts"]] {
            let run = [&["run", "pdf", "scripts/run.sh"], answer].concat();
            let told = self.from(folder, &run);
            assert_eq!(told.status.code(), Some(1), "{told:?}");
        }
    }

    /// That `pdf` is known to be altered from here, and of no use.
    #[track_caller]
    fn is_altered(&self, folder: &Path) -> String {
        let listed = self.done_from(folder, &["list"]);
        assert!(listed.contains("≠ pdf"), "{}: {listed}", folder.display());
        let prompt = self.done_from(folder, &["prompt"]);
        assert!(!prompt.contains("pdf"), "{prompt}");
        let told = self.from(folder, &["run", "pdf", "scripts/run.sh", "--yes"]);
        assert_eq!(told.status.code(), Some(1), "{told:?}");
        let told = text(&told.stderr);
        assert!(told.contains("is locked"), "{told}");
        told
    }
}

#[test]
fn of_a_project_in_the_home_folder() {
    let server = web();
    let url = server.url("/pdf.zip");
    let context = TestContext::new();
    let home = context.home();
    context.done_from(&home, &["install", &url, "--scope", "project", "--yes"]);
    assert!(home.join("skills.lock").exists());
    context.is_blocked(&home);
    context.is_blocked(&context.root());
    std::fs::write(home.join(SCRIPT), "echo other\n").unwrap();
    context.is_altered(&context.root());

    let context = TestContext::new();
    let home = context.home();
    std::fs::write(
        home.join("skills.toml"),
        format!("[skills]\npdf = {url:?}\n"),
    )
    .unwrap();
    context.done_from(&home, &["sync", "--yes"]);
    context.is_blocked(&context.root());
    // Who takes it out of the lock has not made it their own.
    std::fs::write(home.join("skills.lock"), "version = 1\n").unwrap();
    context.is_blocked(&context.root());
}

#[test]
fn of_a_project_in_the_home_folder_also_where_it_is_no_strangers() {
    let context = TestContext::new();
    let home = context.home();
    context.write_skill("../home/lib/pdf");
    context.done_from(&home, &["install", "./lib/pdf", "--scope", "project"]);
    let shown = context.done_from(&context.root(), &["show", "pdf"]);
    assert!(shown.contains("medium"), "{shown}");
}

#[test]
fn of_the_project_around_another() {
    let server = web();
    let context = TestContext::new();
    context.mkdir(".git").mkdir("docs");
    context.done(&["trust", "."]);
    context.done(&["install", &server.url("/pdf.zip"), "--yes"]);
    context.write("packages/a/skills.toml", "[skills]\n");
    context.write("docs/skills.lock", "version = 1\n");
    let inside = ["packages/a", "docs"].map(|folder| context.root().join(folder));
    for folder in &inside {
        context.is_blocked(folder);
    }
    context.write(SCRIPT, "echo other\n");
    for folder in &inside {
        let told = context.is_altered(folder);
        let hint = format!("`skillyard sync` in `{}`", context.root().display());
        assert!(told.contains(&hint), "{told}");
    }
}

#[test]
fn of_another_project() {
    let server = web();
    let context = TestContext::new();
    context.mkdir(".git");
    context.done(&["trust", "."]);
    context.done(&["install", &server.url("/pdf.zip"), "--yes"]);
    let skills = context.root().join(".agents/skills");
    let elsewhere = context.outside("");
    std::fs::create_dir_all(&elsewhere).unwrap();
    context.configure(&format!("[discovery]\ndirectories = [{skills:?}]\n"));
    context.is_blocked(&elsewhere);
    // By its path, and by a link in another folder.
    let path = skills.join("pdf");
    let run = ["run", path.to_str().unwrap(), "scripts/run.sh", "--yes"];
    assert_eq!(context.from(&elsewhere, &run).status.code(), Some(1));
    let links = context.outside("links");
    context.mkdir("../outside/links");
    context.link(&path, "../outside/links/pdf");
    let directories = format!("[discovery]\ndirectories = [{links:?}, {skills:?}]\n");
    context.configure(&directories);
    context.is_blocked(&elsewhere);
    context.write(SCRIPT, "echo other\n");
    context.is_altered(&elsewhere);
    // A lock that cannot be read could say anything of what lies beside it.
    context.write("skills.lock", "<<<<<<< HEAD\n");
    let listed = context.done_from(&elsewhere, &["list"]);
    assert!(
        listed.contains("✗ pdf  (held-back)") && listed.contains("cannot be read"),
        "{listed}"
    );
    context.is_blocked(&elsewhere);
}

#[test]
fn an_organisation_vouches_for_its_folders() {
    let server = web();
    let context = TestContext::new();
    context.mkdir(".git");
    context.done(&["install", &server.url("/pdf.zip"), "--yes"]);
    let elsewhere = context.outside("");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let skills = context.root().join(".agents/skills");
    context.configure(&format!("[[org]]\npath = {skills:?}\n"));
    let shown = context.done_from(&elsewhere, &["show", "pdf"]);
    assert!(shown.contains("high"), "{shown}");
}

#[test]
fn without_a_repository_a_project_is_one_from_all_its_folders() {
    let context = TestContext::new();
    context.write_skill("lib/one").write_skill("lib/two");
    context.mkdir("sub/below");
    context.done(&["install", "./lib/one", "--scope", "project"]);
    let below = context.root().join("sub/below");
    let told = text(&context.from(&below, &["trust", "."]).stderr);
    let root = context.root();
    let hint = format!("`skillyard trust {}`", root.display());
    assert!(told.contains(&hint), "{told}");
    let told = context.done(&["trust", "."]);
    assert!(!told.contains("part of the project"), "{told}");
    let told = context.from(&below, &["install", "../../lib/two", "--yes"]);
    assert!(!text(&told.stderr).contains("will not be used"), "{told:?}");
    assert!(context.root().join(".agents/skills/two/SKILL.md").exists());
    let listed = context.done_from(&below, &["list"]);
    assert!(
        listed.contains("✓ one") && listed.contains("✓ two"),
        "{listed}"
    );
    context.done_from(&below, &["show", "two"]);
    context.done(&["trust", "revoke", "."]);
    let listed = context.done_from(&below, &["list"]);
    assert!(
        listed.contains("! one") && listed.contains("! two"),
        "{listed}"
    );
}
