//! Hostile archives and repositories, through the whole binary: refused, and nothing written.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;

use crate::project::{everything, project};
use crate::servers::git_http;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::{Repository, skill};
use crate::support::{Attack, tar};
use crate::{TestContext, name_attacks, stream_attacks, tar_attacks, zip_attacks};

/// One archive for each reason that there is to refuse one.
fn one_of_each_kind() -> Vec<Attack> {
    let mut attacks = name_attacks::attacks();
    attacks.extend(zip_attacks::attacks());
    attacks.extend(tar_attacks::attacks());
    attacks.extend(stream_attacks::attacks());
    let mut seen = BTreeSet::new();
    attacks.retain(|attack| {
        seen.insert((
            attack.codes[0],
            attack.label.split(' ').next().map(str::to_owned),
        ))
    });
    attacks
}

#[test]
fn hostile_archives_are_refused_and_write_nothing() {
    let context = project();
    let attacks = one_of_each_kind();
    assert!(attacks.len() > 70, "only {} archives", attacks.len());
    let folder = context.outside("archives");
    fs::create_dir_all(&folder).unwrap();
    let before = context.tree();
    let mut reasons = BTreeSet::new();
    for (at, attack) in attacks.iter().enumerate() {
        // The bytes say what it is, whatever the name says.
        let file = folder.join(format!("{at}.{}", ["zip", "tar.gz", "skill"][at % 3]));
        fs::write(&file, &attack.bytes).unwrap();
        let told = context.refused(&["install", file.to_str().unwrap(), "--yes", "--force"]);
        assert!(told.starts_with("error: "), "{}: {told}", attack.label);
        reasons.insert(told.replace(file.to_str().unwrap(), "it"));
        fs::remove_file(&file).unwrap();
        assert_eq!(context.tree(), before, "{}", attack.label);
    }
    assert!(
        reasons.len() > 60,
        "only {} different reasons",
        reasons.len()
    );
    context.nothing_left();
    assert_eq!(everything(&context.outside("")), ["archives"]);
}

#[test]
fn hostile_archives_from_the_web_leave_no_download() {
    let context = project();
    let attacks = one_of_each_kind();
    let bytes: Vec<Vec<u8>> = attacks
        .iter()
        .step_by(9)
        .map(|attack| attack.bytes.clone())
        .collect();
    let count = bytes.len();
    let server = Server::start(move |asked| {
        let number: usize = asked
            .path()
            .trim_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .unwrap();
        Reply::ok(bytes[number].clone())
    });
    for at in 0..count {
        context.refused(&["install", &server.url(&format!("/a{at}.zip")), "--yes"]);
    }
    context.nothing_left();
}

#[test]
fn a_repository_archive_with_a_link_in_the_skill_is_refused() {
    let context = project();
    let archive = crate::support::gzip(&tar::tar(&[
        tar::file("root/pdf/SKILL.md", skill("pdf", "one").as_bytes()),
        tar::link(b'2', "root/pdf/key", "../../../../home/.ssh/id"),
        tar::file("root/csv/SKILL.md", skill("csv", "one").as_bytes()),
        tar::link(b'2', "root/elsewhere", "/etc"),
    ]));
    let commit = "a".repeat(40);
    let server = Server::start(move |asked| match asked.path() {
        path if path.contains("/tarball/") => Reply::ok(archive.clone()),
        path if path.contains("/commits/") => Reply::ok(commit.clone()),
        _ => Reply::ok("{\"default_branch\":\"main\"}"),
    });
    context.configure(&format!("[hosts.github]\napi = \"{}\"\n", server.url("")));
    let told = context.refused(&["install", "github:a/b/pdf", "--yes"]);
    assert!(told.contains("key"), "{told}");
    context.nothing_left();
    // What lies elsewhere in the repository is not our concern.
    context.done(&["install", "github:a/b/csv", "--yes"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
}

/// A repository of which every commit is an attack.
fn refused_commit(context: &TestContext, repository: &Repository<'_>, reason: &str) {
    repository.commit(reason);
    let told = context.refused(&[
        "install",
        &format!("{}#skills/pdf", repository.url()),
        "--yes",
        "--force",
    ]);
    assert!(told.contains(reason), "{reason}: {told}");
    context.nothing_left();
}

#[test]
fn hostile_repositories_are_refused() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let folder = repository.folder.join("skills/pdf");
    symlink("/etc/passwd", folder.join("passwd")).unwrap();
    refused_commit(&context, &repository, "is a symbolic link");
    fs::remove_file(folder.join("passwd")).unwrap();

    repository
        .write("skills/pdf/README.md", "a")
        .write("skills/pdf/readme.md", "b");
    refused_commit(&context, &repository, "are the same name on some systems");
    fs::remove_file(folder.join("readme.md")).unwrap();

    repository.write("skills/pdf/a\\b", "x");
    refused_commit(
        &context,
        &repository,
        "is not a name that every system can have",
    );
    fs::remove_file(folder.join("a\\b")).unwrap();

    repository.write("skills/pdf/huge.bin", vec![0; (16 << 20) + 1]);
    refused_commit(&context, &repository, "more than 16777216 bytes");
    fs::remove_file(folder.join("huge.bin")).unwrap();

    for at in 0..513 {
        repository.write(&format!("skills/pdf/many/{at}"), at.to_string());
    }
    refused_commit(&context, &repository, "more than 512 files");
    fs::remove_dir_all(folder.join("many")).unwrap();

    let inner = repository.commit("clean again");
    repository.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{inner},skills/pdf/sub"),
    ]);
    repository.git(&["commit", "--quiet", "-m", "submodule"]);
    let told = context.refused(&[
        "install",
        &format!("{}#skills/pdf", repository.url()),
        "--yes",
    ]);
    assert!(told.contains("is a submodule"), "{told}");
    context.nothing_left();
}

#[test]
fn names_that_climb_out_of_a_commit_are_refused() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let evil = repository.git(&["hash-object", "-w", "skills/pdf/SKILL.md"]);
    let tree = |entries: &str| {
        repository.write("../entries", entries);
        let listing = repository.folder.join("../entries");
        let script = format!("git mktree --missing < '{}'", listing.display());
        let output = crate::output(
            context
                .command("sh")
                .current_dir(&repository.folder)
                .args(["-c", &script]),
        );
        crate::text(&output.stdout).trim().to_owned()
    };
    let file = |name: &str| format!("100644 blob {evil}\t{name}\n");
    let inner = tree(&file("evil.md"));
    for name in ["..", "."] {
        let climbing = tree(&format!(
            "{}040000 tree {inner}\t{name}\n",
            file("SKILL.md")
        ));
        let root = tree(&format!("040000 tree {climbing}\tpdf\n"));
        let commit = repository.git(&["commit-tree", &root, "-m", "climb"]);
        repository.git(&["update-ref", "refs/heads/climb", &commit]);
        let told = context.refused(&[
            "install",
            &format!("{}@climb#pdf", repository.url()),
            "--yes",
            "--force",
        ]);
        assert!(
            told.contains("is not a name that every system can have"),
            "{name}: {told}"
        );
        context.nothing_left();
    }
    // Git's own folder is no part of a skill, in whatever case.
    for name in [".git", ".GIT"] {
        let nested = tree(&format!(
            "{}040000 tree {inner}\t{name}\n",
            file("SKILL.md")
        ));
        let root = tree(&format!("040000 tree {nested}\tpdf\n"));
        let commit = repository.git(&["commit-tree", &root, "-m", "nested"]);
        repository.git(&["update-ref", "refs/heads/nested", &commit]);
        context.done(&[
            "install",
            &format!("{}@nested#pdf", repository.url()),
            "--yes",
            "--force",
        ]);
        assert_eq!(
            everything(&context.root().join(".agents/skills/pdf")),
            ["SKILL.md"]
        );
    }
}

#[test]
fn settings_and_hooks_of_a_repository_have_no_say() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let mark = context.outside("pwned");
    let touch = format!("touch {}", mark.display());
    repository.git(&["config", "filter.evil.smudge", &touch]);
    repository.git(&["config", "uploadpack.packObjectsHook", &touch]);
    repository.git(&["config", "core.fsmonitor", &touch]);
    repository.write("skills/pdf/data.txt", "$Id$ $Format:%H$\n");
    repository.write(
        ".gitattributes",
        "* filter=evil ident export-subst eol=crlf\n",
    );
    repository.write(
        ".git/hooks/post-upload-pack",
        format!("#!/bin/sh\n{touch}\n"),
    );
    repository.write("skills/pdf/.gitattributes", "* filter=evil\n");
    repository.write("-x/SKILL.md", skill("-x", "one"));
    repository.git(&["-c", "filter.evil.clean=cat", "add", "--all"]);
    repository.git(&[
        "-c",
        "filter.evil.clean=cat",
        "-c",
        "core.fsmonitor=false",
        "commit",
        "--quiet",
        "-m",
        "evil",
    ]);
    let _ = fs::remove_file(&mark);
    context.done(&[
        "install",
        &format!("{}#skills/pdf", repository.url()),
        "--yes",
    ]);
    // The bytes are those of the commit.
    assert_eq!(
        context.read(".agents/skills/pdf/data.txt"),
        "$Id$ $Format:%H$\n"
    );
    context.refused(&["install", &format!("{}#-x", repository.url()), "--yes"]);
    context.refused(&["install", "--yes", "--", "--upload-pack=touch"]);
    context.refused(&[
        "install",
        &format!("{}@--upload-pack=x#skills/pdf", repository.url()),
        "--yes",
    ]);
    assert!(!mark.exists());
}

#[test]
fn a_short_commit_is_taken_only_from_branches_and_tags_and_if_it_is_the_only_one() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let url = repository.url();
    let tree = repository.git(&["rev-parse", "HEAD^{tree}"]);
    let good = repository.git(&["commit-tree", &tree, "-m", "one 25497"]);
    repository.skill("skills/pdf", "evil").commit("evil");
    let evil = repository.git(&["rev-parse", "HEAD^{tree}"]);
    let evil = repository.git(&["commit-tree", &evil, "-m", "evil 17758"]);
    let start = &good[..7];
    assert!(evil.starts_with(start) && evil != good, "{good} {evil}");
    repository.git(&["checkout", "--quiet", "-b", "other", &good]);
    repository.skill("skills/pdf", "later").commit("later");
    repository.git(&["update-ref", "refs/heads/main", "HEAD"]);
    // Whoever asks for a change to be taken puts a commit there.
    repository.git(&["update-ref", "refs/pull/1/head", &evil]);
    let server = git_http::serve(&context, repository.folder.parent().unwrap());
    let far = format!("git+{}", server.url("/remote.git"));
    for url in [&url, &far] {
        let short = format!("{url}@{start}#skills/pdf");
        context.done(&["install", &short, "--yes", "--force"]);
        assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
        let lock = context.read("skills.lock");
        assert!(lock.contains(&good), "{lock}");
        context.done(&["remove", "pdf"]);
    }
    // Only in a request it is not found by its start.
    let told = context.refused(&["install", &format!("{url}@{}#skills/pdf", &evil[..12])]);
    assert!(
        told.contains("has no branch, tag or commit") && told.contains("name others by all 40"),
        "{told}"
    );
    // Two that fit, as the tip of a branch, as a tag or in the history of either.
    for place in ["refs/heads/evil", "refs/tags/evil"] {
        repository.git(&["update-ref", place, &evil]);
        for url in [&url, &far] {
            let told = context.refused(&["install", &format!("{url}@{start}#skills/pdf"), "--yes"]);
            assert!(
                told.contains(&format!("several commits that start with `{start}`"))
                    && told.contains(&good)
                    && told.contains(&evil)
                    && told.contains("hint: Write more digits"),
                "{told}"
            );
        }
        context.done(&[
            "install",
            &format!("{url}@{}#skills/pdf", &good[..12]),
            "--yes",
        ]);
        assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
        context.done(&["remove", "pdf"]);
        repository.git(&["update-ref", "-d", place]);
    }
}

#[test]
fn a_server_does_not_send_git_to_this_machine() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let inner = git_http::serve(&context, repository.folder.parent().unwrap());
    let target = inner.url("");
    let server = Server::start(move |asked| {
        Reply::status(302).header("Location", &format!("{target}{}", asked.target))
    });
    // An address that leads here as well, and is not known to.
    let url = server.url("/remote.git").replace("127.0.0.1", "0.0.0.0");
    let told = context.refused(&["install", &format!("git+{url}#skills/pdf"), "--yes"]);
    assert!(told.contains("which is on this machine"), "{told}");
    assert!(inner.asked().is_empty());
    assert_eq!(context.version_of("pdf"), None);
}
