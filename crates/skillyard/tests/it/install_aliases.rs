//! `skillyard install NAME:…` from every kind of source that the configuration can name.

use insta::assert_snapshot;

use crate::project::project;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::{Repository, skill};
use crate::servers::{forge, git_http};

#[test]
fn a_repository_is_searched_for_a_name_and_takes_a_path() {
    let context = project();
    let repository = Repository::new(&context, "team.git");
    repository
        .skill("skills/pdf", "deep")
        .skill("skills/csv", "deep")
        .commit("one");
    repository.git(&["tag", "csv-v1.0.0"]);
    repository.skill("skills/csv", "later").commit("two");
    let server = git_http::serve(&context, repository.folder.parent().unwrap());
    // What ends so is a repository, whether that is said or not.
    context.configure(&format!(
        "[sources.team]\nurl = \"{}\"\n",
        server.url("/team.git")
    ));
    for (reference, skill, version) in [
        ("team:pdf", "pdf", "deep"),
        ("team:csv@^1", "csv", "deep"),
        ("team:csv", "csv", "later"),
        ("team:skills/pdf", "pdf", "deep"),
    ] {
        context.done(&["install", reference, "--yes", "--force"]);
        assert_eq!(
            context.version_of(skill).as_deref(),
            Some(version),
            "{reference}"
        );
        assert_eq!(
            context.code(&["sync", "--locked", "--check"]),
            Some(0),
            "{reference}"
        );
    }
    assert!(context.read("skills.toml").contains("csv = \"team:csv\""));
    std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
    std::fs::remove_dir_all(context.in_home(".skillyard/store/archives")).unwrap();
    context.done(&["sync", "--locked"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("later"));
    assert_snapshot!(context.refused(&["install", "team:cvs"]), @r"
    error: `team` has no skill `cvs`

    hint: Did you mean `csv`?
    ");
    let told = context.refused(&["search", "pdf", "--from", "team"]);
    assert!(
        told.contains("`team` is a source of the type `git`"),
        "{told}"
    );
}

#[test]
fn a_repository_on_a_forge_is_one_whatever_its_address() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let server = forge::github(&repository);
    context.configure(&format!(
        "[hosts.github]\napi = \"{}\"\n\
         [sources.private]\nurl = \"https://raw.githubusercontent.com/acme/skills\"\nauth = \"token:sesame-01234\"\n\
         [sources.pages]\ntype = \"github\"\nurl = \"https://github.com/acme/skills\"\n\
         [sources.hub]\ntype = \"github\"\nurl = \"https://github.com\"\n",
        server.url("")
    ));
    for reference in [
        "private:pdf",
        "pages:pdf",
        "pages:skills/pdf",
        "private:acme/skills/skills/pdf",
    ] {
        context.done(&["install", reference, "--yes", "--force"]);
        assert_eq!(
            context.version_of("pdf").as_deref(),
            Some("one"),
            "{reference}"
        );
        assert_eq!(
            context.code(&["sync", "--locked", "--check"]),
            Some(0),
            "{reference}"
        );
    }
    let first = &server.asked()[0];
    assert_eq!(first.header("authorization"), "token sesame-01234");
    let told = context.refused(&["install", "hub:pdf"]);
    assert!(told.contains("written `hub:owner/repository`"), "{told}");
}

#[test]
fn paths_behind_other_sources_are_what_they_can_be() {
    let context = project();
    let archive = crate::project::packed(
        "pdf/",
        "one",
        skillyard_format::package::pack::PackFormat::Zip,
    );
    let server = Server::serve([("/files/team/pdf.zip", Reply::ok(archive))]);
    context.configure(&format!(
        "[sources.files]\ntype = \"archive\"\nurl = \"{0}\"\n\
         [sources.site]\ntype = \"well-known\"\nurl = \"{0}\"\n\
         [sources.corp]\nurl = \"{0}\"\n",
        server.url("/files")
    ));
    context.done(&["install", "files:team/pdf", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    for (reference, form) in [("site:a/b", "`site:name`"), ("corp:a/b", "`corp:name`")] {
        let told = context.refused(&["install", reference]);
        assert!(told.contains(form), "{told}");
    }
}

#[test]
fn what_no_source_can_be_is_told_by_the_check() {
    let context = project();
    context.configure(
        "[sources.owner]\nurl = \"https://github.com/acme\"\n\
         [sources.files]\ntype = \"archive\"\nurl = \"ssh://git@host/x\"\n\
         [sources.good]\nurl = \"https://github.com/acme/skills\"\n",
    );
    assert_eq!(context.code(&["config", "check"]), Some(1));
    let told = context.stdout(&["config", "check"]);
    assert!(told.contains("it names an owner"), "{told}");
    assert!(told.contains("only a source of the type `git`"), "{told}");
    assert!(told.contains("good (github)"), "{told}");
}

#[test]
fn a_repository_is_taken_in_any_state_that_it_has() {
    let context = project();
    let repository = Repository::new(&context, "team.git");
    repository.skill("skills/pdf", "one").commit("one");
    repository.git(&["tag", "v1.0.0"]);
    for branch in ["feat/x", "release_1", "Release", "2024-01", "v1.x", "a#b"] {
        repository.git(&["checkout", "--quiet", "-b", branch]);
        repository.skill("skills/pdf", branch).commit(branch);
    }
    let server = git_http::serve(&context, repository.folder.parent().unwrap());
    context.configure(&format!(
        "[sources.team]\nurl = \"{}\"\n",
        server.url("/team.git")
    ));
    for (arguments, version, written) in [
        (&["team:pdf@feat/x"][..], "feat/x", "team:pdf@feat/x"),
        (&["team:pdf@feat%2Fx"], "feat/x", "team:pdf@feat/x"),
        (
            &["team:pdf", "--ref", "release_1"],
            "release_1",
            "team:pdf@release_1",
        ),
        (&["team:pdf@Release"], "Release", "team:pdf@Release"),
        (&["team:pdf@2024-01"], "2024-01", "team:pdf@2024-01"),
        (&["team:pdf", "--ref", "a#b"], "a#b", "team:pdf@a%23b"),
        (&["team:pdf@v1.x"], "v1.x", "team:pdf@v1.x"),
        (&["team:pdf@^1"], "one", "team:pdf@^1"),
        // With the folder in front it is the same skill, and written as it was typed.
        (
            &["team:skills/pdf@feat/x"],
            "feat/x",
            "team:skills/pdf@feat/x",
        ),
        (
            &["team:skills/pdf", "--ref", "v1.x"],
            "v1.x",
            "team:skills/pdf@v1.x",
        ),
        (&["team:pdf@v1.0.0"], "one", "team:pdf@v1.0.0"),
    ] {
        let mut command = vec!["install", "--yes"];
        command.extend(arguments);
        context.done(&command);
        assert_eq!(
            context.version_of("pdf").as_deref(),
            Some(version),
            "{arguments:?}"
        );
        let manifest = context.read("skills.toml");
        assert!(manifest.contains(&format!("\"{written}\"")), "{manifest}");
        context.done(&["sync", "--locked", "--check"]);
        assert_eq!(context.code(&["outdated"]), Some(0), "{arguments:?}");
    }
    let told = context.refused(&["install", "team:pdf@no/such", "--yes"]);
    assert!(told.contains("has no branch, tag or commit"), "{told}");
}

#[test]
fn the_name_of_a_source_is_kept_with_a_folder() {
    let context = project();
    let repository = Repository::new(&context, "team.git");
    let needing = |version: &str| {
        let needs = "metadata:\n  skillyard.requires-skills: ../pdf\n---\n\n";
        skill("docx", version).replace("---\n\n", needs)
    };
    repository
        .skill("skills/pdf", "one")
        .write("skills/docx/SKILL.md", needing("one"))
        .commit("one");
    let server = git_http::serve(&context, repository.folder.parent().unwrap());
    let url = server.url("/team.git");
    // As versions before wrote it.
    let address = format!("git+{url}#skills/docx");
    context.done(&["install", &address, "--yes"]);
    context.configure(&format!("[sources.team]\nurl = \"{url}\"\n"));
    repository
        .skill("skills/pdf", "two")
        .write("skills/docx/SKILL.md", needing("two"))
        .commit("two");
    let manifest = context.read("skills.toml");
    context.write(
        "skills.toml",
        manifest.replace(&address, "team:skills/docx"),
    );
    context.done(&["sync", "--locked", "--check"]);
    context.write("skills.toml", manifest);
    context.done(&["install", "team:skills/docx", "--yes"]);
    let lock = context.read("skills.lock");
    assert!(lock.contains("source = \"team:skills/docx\""), "{lock}");
    assert!(lock.contains("source = \"team:skills/pdf\""), "{lock}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    context.done(&["sync", "--locked", "--check"]);
    repository.skill("skills/pdf", "three").commit("three");
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("three"));
}
