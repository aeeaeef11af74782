//! Every form of a reference, and the text it is shown as.

mod any_text;
mod forges;
mod refused;

use super::*;

fn aliases() -> Vec<Alias> {
    let alias = |name: &str, kind, host: Option<&str>| Alias {
        name: name.to_owned(),
        kind,
        host: host.map(str::to_owned),
    };
    vec![
        alias("acme", AliasKind::Registry, None),
        alias("corp", AliasKind::GitLab, Some("git.corp.example:8443")),
        alias("ghe", AliasKind::GitHub, Some("ghe.example")),
    ]
}

fn parse(text: &str) -> Result<Reference, ReferenceError> {
    let aliases = aliases();
    let context = ReferenceContext {
        aliases: Aliases::Known(&aliases),
        exists: &|path| path == "skills/pdf" || path == "pdf",
    };
    Reference::parse(text, &context)
}

/// The kind of a reference and its canonical text.
#[track_caller]
fn check(text: &str, kind: &str, canonical: &str) {
    let reference = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let found = match &reference {
        Reference::Local(LocalReference {
            kind: LocalKind::Folder,
            ..
        }) => "folder",
        Reference::Local(_) => "file",
        Reference::Registry(_) => "registry",
        Reference::Hosted(_) => "hosted",
        Reference::Git(_) => "git",
        Reference::Archive(_) => "archive",
        Reference::WellKnown { .. } => "well-known",
    };
    assert_eq!(
        (found, reference.to_string().as_str()),
        (kind, canonical),
        "{text}"
    );
    assert_eq!(
        parse(canonical).as_ref(),
        Ok(&reference),
        "{canonical} reads back"
    );
    let json = serde_json::to_string(&reference).unwrap();
    assert_eq!(
        serde_json::from_str::<Reference>(&json).unwrap(),
        reference,
        "{json}"
    );
}

#[track_caller]
fn refused(text: &str, message: &str) {
    let error = parse(text).expect_err(text).to_string();
    assert!(error.contains(message), "{text}: {error}");
}

#[test]
fn paths_of_this_machine() {
    check("./dir", "folder", "./dir");
    check("../a b/c", "folder", "../a b/c");
    check("/srv/skills/pdf", "folder", "/srv/skills/pdf");
    check("~/skills", "folder", "~/skills");
    check(".", "folder", ".");
    check("./owner/repo@1", "folder", "./owner/repo@1");
    check("skill.zip", "file", "skill.zip");
    check("a/b.tar.gz", "file", "a/b.tar.gz");
    check("./x.TGZ", "file", "./x.TGZ");
    check("pdf.skill", "file", "pdf.skill");
    check("x.tar.zst", "file", "x.tar.zst");
    check("file:///srv/x.zip", "file", "/srv/x.zip");
}

#[test]
fn names_in_registries() {
    check("pdf", "registry", "pdf");
    check("pdf@1.2", "registry", "pdf@1.2");
    check("pdf@^1", "registry", "pdf@^1");
    check("pdf@>=1, <2", "registry", "pdf@>=1,<2");
    check("pdf@latest", "registry", "pdf");
    check("pdf@v1.2.3", "registry", "pdf@1.2.3");
    check("registry:pdf@~1.2", "registry", "pdf@~1.2");
    check("acme:pdf", "registry", "acme:pdf");
    check("acme:pdf@1", "registry", "acme:pdf@1");
    check("pdf@beta", "registry", "pdf@beta");
    check("@acme/pdf", "registry", "@acme/pdf");
    check("@acme/pdf@^1", "registry", "@acme/pdf@^1");
    check("@acme/pdf@beta", "registry", "@acme/pdf@beta");
    check("registry:@acme/pdf", "registry", "@acme/pdf");
    check("acme:@team/pdf@1.2", "registry", "acme:@team/pdf@1.2");
}

#[test]
fn remotes_of_git() {
    check(
        "git+https://host/repo.git#skills/pdf",
        "git",
        "git+https://host/repo.git#skills/pdf",
    );
    check(
        "git+https://host/repo@v1#x",
        "git",
        "git+https://host/repo@v1#x",
    );
    check("https://host/repo.git", "git", "git+https://host/repo.git");
    check(
        "https://host/repo.git@feature/x#p",
        "git",
        "git+https://host/repo.git@feature/x#p",
    );
    check(
        "https://host/a/b/-/tree/main/x",
        "git",
        "git+https://host/a/b.git@main#x",
    );
    check(
        "git+https://github.com/o/r",
        "git",
        "git+https://github.com/o/r",
    );
    check(
        "git@github.com:owner/repo.git",
        "git",
        "git@github.com:owner/repo.git",
    );
    check(
        "git@host:owner/repo.git@^1#a/b",
        "git",
        "git@host:owner/repo.git@^1#a/b",
    );
    check(
        "ssh://git@host:22/owner/repo.git",
        "git",
        "ssh://git@host:22/owner/repo.git",
    );
    check(
        "git+ssh://git@host/owner/repo.git@main",
        "git",
        "ssh://git@host/owner/repo.git@main",
    );
    check(
        "git://127.0.0.1:9418/repo",
        "git",
        "git://127.0.0.1:9418/repo",
    );
    check("file:///srv/x.git", "git", "file:///srv/x.git");
    check(
        "file:///srv/repo#skills/pdf",
        "git",
        "file:///srv/repo#skills/pdf",
    );
    check("file:///srv/repo", "git", "file:///srv/repo");
    check(
        "file:///srv/repo@feature%2fx#foo",
        "git",
        "file:///srv/repo@feature%2Fx#foo",
    );
    check(
        "git@host:repo@a%40b%23c%25",
        "git",
        "git@host:repo@a%40b%23c%25",
    );
    check(
        "git://host/r.git@a/b@c%23d",
        "git",
        "git://host/r.git@a/b@c%23d",
    );
    check("ssh://git@host", "git", "ssh://git@host/");
    // An `@` in a folder's name is one, whatever follows.
    check(
        "file:///home/me@work/repo",
        "git",
        "file:///home/me%40work/repo",
    );
    check("/srv/x.git", "git", "/srv/x.git");
    check("./x.git@v1#a", "git", "./x.git@v1#a");
    check("HTTPS://host/repo.git", "git", "git+https://host/repo.git");
}

#[test]
fn archives_and_sites() {
    check("https://host/x.zip", "archive", "https://host/x.zip");
    check(
        "https://host/x.tar.gz?v=1",
        "archive",
        "https://host/x.tar.gz?v=1",
    );
    check(
        "http://127.0.0.1:8080/x.skill",
        "archive",
        "http://127.0.0.1:8080/x.skill",
    );
    check("https://site", "well-known", "https://site/");
    check(
        "https://site.example/docs/",
        "well-known",
        "https://site.example/docs",
    );
    check("https://site#pdf", "well-known", "https://site/#pdf");
    check(
        "https://medium.example/@handle",
        "well-known",
        "https://medium.example/@handle",
    );
    check(
        "https://site/.well-known/agent-skills/index.json",
        "well-known",
        "https://site/",
    );
    check(
        "https://site/docs/.well-known/skills/",
        "well-known",
        "https://site/docs",
    );
    check(
        "https://site/.well-known/agent-skills/pdf/SKILL.md",
        "well-known",
        "https://site/#pdf",
    );
}

#[test]
fn another_state_can_be_asked_for() {
    let at = |text: &str, revision: &str| {
        let reference = parse(text).unwrap().at_revision(revision);
        reference.map(|reference| reference.to_string())
    };
    assert_eq!(at("o/r@main", "^1"), Ok("github:o/r@^1".to_owned()));
    assert_eq!(at("file:///r#x", "v1"), Ok("file:///r@v1#x".to_owned()));
    assert_eq!(
        at("file:///r#x", "feature/x"),
        Ok("file:///r@feature%2Fx#x".to_owned())
    );
    assert_eq!(
        at("file:///r.git#x", "feature/x"),
        Ok("file:///r.git@feature/x#x".to_owned())
    );
    assert_eq!(at("o/r", "a/b#c"), Ok("github:o/r@a/b%23c".to_owned()));
    assert_eq!(at("pdf", "1.2"), Ok("pdf@1.2".to_owned()));
    assert_eq!(at("pdf", "beta"), Ok("pdf@beta".to_owned()));
    assert!(at("pdf", "Main").is_err());
    assert!(at("o/r", "--upload-pack=x").is_err());
    let error = at("./dir", "v1").unwrap_err().to_string();
    assert_eq!(
        error,
        "`./dir` has no branches, tags or versions to choose from"
    );
}
