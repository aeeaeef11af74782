//! `skillyard install NAME:…` from every kind of source that the configuration can name.

use insta::assert_snapshot;

use crate::project::project;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::Repository;
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
    std::fs::remove_dir_all(context.in_home(".skillyard/store/packs")).unwrap();
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
