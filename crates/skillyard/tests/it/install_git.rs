//! `skillyard install` from repositories of git, however they are named and reached.

use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::time::Duration;

use insta::assert_snapshot;

use crate::TestContext;
use crate::project::project;
use crate::servers::git_http;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::Repository;

#[test]
fn every_way_to_name_a_commit_leads_to_it() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.skill("skills/pdf", "two").commit("two");
    repository.git(&["tag", "-a", "v1.5.0", "-m", "annotated"]);
    repository.git(&["branch", "side"]);
    repository.skill("skills/pdf", "three").commit("three");
    repository.git(&["tag", "v2.0.0-rc.1"]);
    repository.git(&["tag", "csv-v3.0.0"]);
    repository.skill("skills/pdf", "four").commit("four");
    let url = repository.url();
    for (revision, version) in [
        ("", "four"),
        ("@main", "four"),
        ("@side", "two"),
        ("@v1.0.0", "one"),
        ("@v1.5.0", "two"),
        (&format!("@{first}"), "one"),
        (&format!("@{}", &first[..8]), "one"),
        ("@^1", "two"),
        ("@~1.0", "one"),
        ("@>=1, <1.5", "one"),
        ("@1.5.0", "two"),
        ("@>=2.0.0-rc.1", "three"),
    ] {
        context.done(&["install", &format!("{url}{revision}#skills/pdf"), "--yes"]);
        assert_eq!(
            context.version_of("pdf").as_deref(),
            Some(version),
            "{revision}"
        );
        assert_eq!(
            context.code(&["sync", "--locked", "--check"]),
            Some(0),
            "{revision}"
        );
    }
    context.done(&[
        "install",
        &format!("{url}#skills/pdf"),
        "--ref",
        "side",
        "--yes",
    ]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    // A skill with tags of its own is versioned by them alone.
    repository.git(&["tag", "pdf-v1.7.0", "v1.5.0"]);
    context.done(&["install", &format!("{url}@^1#skills/pdf"), "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    let shown = |text: String| text.replace(&url, "[REMOTE]");
    assert_snapshot!(shown(context.refused(&["install", &format!("{url}@mian#skills/pdf")])), @r"
    error: `[REMOTE]` has no branch, tag or commit `mian`

    hint: Did you mean `main`?
    ");
    assert_snapshot!(shown(context.refused(&["install", &format!("{url}@^9#skills/pdf")])), @r"
    error: `[REMOTE]` has no tag with a version that fits `^9`

    hint: The newest is 1.7.0
    ");
    assert_snapshot!(shown(context.refused(&["install", &format!("{url}#skills/nope")]).replace(&repository.git(&["rev-parse", "HEAD"]), "[COMMIT]")), @"error: there is no folder `skills/nope` in commit [COMMIT]");
    // The name of a skill is no folder of the repository, and leads to it.
    for (asked, revision) in [("pdf", ""), ("old/pdf", "@v1.0.0"), ("skills/pfd", "")] {
        let told = shown(context.refused(&["install", &format!("{url}{revision}#{asked}")]));
        let error = format!("error: there is no skill in `[REMOTE]{revision}#{asked}`");
        assert!(told.contains(&error), "{told}");
        let hint = format!("hint: Did you mean `[REMOTE]{revision}#skills/pdf`?");
        assert!(told.contains(&hint), "{told}");
    }
    repository.skill("old/pdf", "old").commit("another");
    let told = shown(context.refused(&["install", &format!("{url}#pdf"), "--yes"]));
    let hint = "hint: Did you mean one of these? [REMOTE]#old/pdf, [REMOTE]#skills/pdf";
    assert!(told.contains(hint), "{told}");
    assert_eq!(context.staging(), Vec::<String>::new());
}

#[test]
fn branches_and_tags_may_look_like_commits() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    repository.git(&["tag", "20240115"]);
    repository.skill("skills/pdf", "two").commit("two");
    repository.git(&["branch", "deadbeef"]);
    repository.skill("skills/pdf", "three").commit("three");
    repository.git(&["tag", "-a", "ABCDEF12", "-m", "annotated"]);
    let third = repository.git(&["rev-parse", "HEAD"]);
    repository.skill("skills/pdf", "four").commit("four");
    let url = repository.url();
    for (revision, version) in [
        ("20240115", "one"),
        ("deadbeef", "two"),
        ("ABCDEF12", "three"),
        (&third[..10], "three"),
        (&third[..10].to_ascii_uppercase(), "three"),
    ] {
        context.done(&["install", &format!("{url}@{revision}#skills/pdf"), "--yes"]);
        assert_eq!(context.version_of("pdf").as_deref(), Some(version));
        assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
        context.done(&["remove", "pdf"]);
    }
    // A branch goes on, and an update with it.
    context.done(&["install", &format!("{url}@deadbeef#skills/pdf"), "--yes"]);
    repository.git(&["branch", "--force", "deadbeef", "main"]);
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("four"));
}

/// A skill is fetched in a version, and nothing is kept of it.
fn comes_anew(context: &TestContext, repository: &str, version: &str) {
    context.done(&["install", &format!("{repository}#skills/pdf"), "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some(version));
    context.done(&["remove", "pdf"]);
    context.done(&["store", "gc"]);
}

#[test]
fn servers_that_give_out_only_branches_and_tags_serve_every_commit() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    repository.git(&["config", "uploadpack.allowAnySHA1InWant", "false"]);
    let server = git_http::serve_old(&context, repository.folder.parent().unwrap());
    let url = format!("git+{}", server.url("/remote.git"));
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.skill("skills/pdf", "two").commit("two");
    for filter in ["true", "false"] {
        repository.git(&["config", "uploadpack.allowFilter", filter]);
        for (revision, version) in [
            ("", "two"),
            ("@v1.0.0", "one"),
            (&format!("@{first}"), "one"),
            (&format!("@{}", &first[..8]), "one"),
        ] {
            comes_anew(&context, &format!("{url}{revision}"), version);
        }
    }
    // What was locked is had also when the branch has moved on.
    context.done(&["install", &format!("{url}#skills/pdf"), "--yes"]);
    repository.skill("skills/pdf", "three").commit("three");
    std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
    std::fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
    context.done(&["sync", "--locked", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    let told = context.refused(&["install", &format!("{url}@{}#x", "a".repeat(40)), "--yes"]);
    assert!(
        told.contains("has no branch, tag or commit `aaaa"),
        "{told}"
    );
    assert_eq!(context.staging(), Vec::<String>::new());
}

#[test]
fn servers_that_know_nothing_of_git_serve_its_files() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.skill("skills/pdf", "two").commit("two");
    repository.git(&["update-server-info"]);
    let server = git_http::serve_files(repository.folder.parent().unwrap());
    let url = format!("git+{}", server.url("/remote.git/.git"));
    for (revision, version) in [
        ("", "two"),
        ("@v1.0.0", "one"),
        ("@^1", "one"),
        (&format!("@{first}"), "one"),
        (&format!("@{}", &first[..8]), "one"),
    ] {
        comes_anew(&context, &format!("{url}{revision}"), version);
    }
    let told = context.refused(&["install", &format!("{url}@nix#skills/pdf"), "--yes"]);
    assert!(
        told.contains("has no branch, tag or commit `nix`"),
        "{told}"
    );
    assert_eq!(context.staging(), Vec::<String>::new());
}

#[test]
fn repositories_with_longer_hashes_are_repositories() {
    let context = project();
    let repository = Repository::with_objects(&context, "remote.git", "sha256");
    let first = repository.skill("skills/pdf", "one").commit("one");
    assert_eq!(first.len(), 64);
    repository.git(&["tag", "v1.0.0"]);
    repository.skill("skills/pdf", "two").commit("two");
    let root = repository.folder.parent().unwrap();
    let (new, old) = (
        git_http::serve(&context, root),
        git_http::serve_old(&context, root),
    );
    for url in [
        repository.url(),
        format!("git+{}", new.url("/remote.git")),
        format!("git+{}", old.url("/remote.git")),
    ] {
        for (revision, version) in [
            ("", "two"),
            ("@main", "two"),
            ("@^1", "one"),
            (&format!("@{first}"), "one"),
            (&format!("@{}", &first[..12]), "one"),
        ] {
            context.done(&["install", &format!("{url}{revision}#skills/pdf"), "--yes"]);
            assert_eq!(context.version_of("pdf").as_deref(), Some(version), "{url}");
            assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
            context.done(&["remove", "pdf"]);
            context.done(&["store", "gc"]);
        }
    }
    let told = context.refused(&["install", &format!("{}@nope#x", repository.url()), "--yes"]);
    assert!(
        told.contains("has no branch, tag or commit `nope`"),
        "{told}"
    );
    // Who asks a usual repository for a commit of the other kind is told that it has none.
    let usual = Repository::new(&context, "usual.git");
    usual.skill("pdf", "one").commit("one");
    let told = context.refused(&["install", &format!("{}@{first}#pdf", usual.url()), "--yes"]);
    assert!(told.contains("has no branch, tag or commit"), "{told}");
}

#[test]
fn a_renamed_repository_is_found() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let real = git_http::serve(&context, repository.folder.parent().unwrap());
    let there = real.url("");
    // From name to name on one host, and from there to another.
    let server = Server::start(move |asked| {
        let target = &asked.target;
        let location = match target.strip_prefix("/old.git") {
            Some(rest) => format!("/remote.git{rest}"),
            None => format!("{there}{target}"),
        };
        Reply::status(301).header("Location", &location)
    });
    let url = format!("git+{}", server.url("/old.git"));
    for revision in ["", "@^1", "@v1.0.0"] {
        let reference = format!("{url}{revision}#skills/pdf");
        context.done(&["install", &reference, "--yes"]);
        assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
        assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
        // What was asked for is what is remembered.
        assert!(context.read("skills.toml").contains(&reference));
        context.done(&["remove", "pdf"]);
    }
    let round = Server::start(|asked| Reply::status(302).header("Location", &asked.target));
    let told = context.refused(&["install", &format!("git+{}", round.url("/x.git"))]);
    assert!(told.contains("returned error: 302"), "{told}");
}

#[test]
fn what_is_written_about_a_branch_reads_back() {
    for name in ["plain", "with.git"] {
        let context = project();
        let repository = Repository::new(&context, name);
        repository.skill("foo", "main").commit("one");
        for branch in ["feature/x", "a@b/c", "issue#7/100%", "%2F"] {
            repository.git(&["switch", "--quiet", "-c", branch, "main"]);
            repository.skill("foo", branch).commit("two");
            let reference = format!("{}#foo", repository.url());
            context.done(&["install", &reference, "--ref", branch, "--yes"]);
            assert_eq!(context.version_of("foo").as_deref(), Some(branch));
            assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
            // Nobody but skills.toml remembers.
            std::fs::remove_file(context.root().join("skills.lock")).unwrap();
            std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
            context.done(&["sync", "--yes"]);
            assert_eq!(context.version_of("foo").as_deref(), Some(branch));
            let manifest = context.read("skills.toml");
            let written = manifest.split('"').nth(1).unwrap();
            context.done(&["install", written, "--yes"]);
            assert_eq!(context.read("skills.toml"), manifest);
        }
    }
}

#[test]
fn what_an_older_version_wrote_about_a_branch_is_what_is_locked() {
    let context = project();
    let repository = Repository::new(&context, "plain");
    repository.skill("foo", "main").commit("one");
    repository.git(&["switch", "--quiet", "-c", "feature/x"]);
    let reference = format!("{}#foo", repository.url());
    context.done(&["install", &reference, "--ref", "feature/x", "--yes"]);
    let manifest = context.read("skills.toml");
    assert!(manifest.contains("plain@feature%2Fx#foo"), "{manifest}");
    context.write("skills.toml", manifest.replace("%2F", "/"));
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
}

#[test]
fn updates_follow_the_branch_and_the_range_that_was_asked_for() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    repository.skill("skills/csv", "one").commit("csv");
    let url = repository.url();
    context.done(&["install", &format!("{url}@^1#skills/pdf"), "--yes"]);
    context.done(&["install", &format!("{url}@main#skills/csv"), "--yes"]);
    assert_eq!(context.code(&["outdated"]), Some(0));
    repository
        .skill("skills/pdf", "two")
        .skill("skills/csv", "two")
        .commit("two");
    repository.git(&["tag", "v1.1.0"]);
    repository.skill("skills/pdf", "three").commit("three");
    repository.git(&["tag", "v2.0.0"]);
    let outdated = context.json(&["outdated", "--json"]);
    assert_eq!(outdated["outdated"][1]["available"]["version"], "1.1.0");
    assert_eq!(context.code(&["outdated"]), Some(1));
    let told = context.done(&["update", "--dry-run"]);
    assert!(
        told.contains("+two") && told.contains("Would change 2 skills"),
        "{told}"
    );
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    let told = context.done(&["update", "--yes"]);
    assert!(told.contains("-one") && told.contains("+two"), "{told}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    assert_eq!(context.version_of("csv").as_deref(), Some("two"));
    assert_eq!(context.code(&["outdated"]), Some(0));
}

#[test]
fn a_whole_repository_is_one_skill_or_several() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    repository.skill("skills/csv", "one").commit("csv");
    let url = repository.url();
    let told = context.refused(&["install", &url, "--yes"]);
    assert!(
        told.contains("--skill NAME") && told.contains("csv, pdf"),
        "{told}"
    );
    context.nothing_left();
    context.done(&["install", &url, "--all", "--yes"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    let single = Repository::new(&context, "forms.git");
    single.write(
        "SKILL.md",
        crate::servers::repository::skill("forms", "one"),
    );
    single.commit("one");
    context.done(&["install", &single.url(), "--yes"]);
    assert_eq!(context.version_of("forms").as_deref(), Some("one"));
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
}

#[test]
fn smart_http_serves_branches_ranges_and_commits() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.skill("skills/pdf", "two").commit("two");
    let server = git_http::serve(&context, repository.folder.parent().unwrap());
    let url = server.url("/remote.git");
    for (reference, version) in [
        (format!("git+{url}#skills/pdf"), "two"),
        (format!("{url}#skills/pdf"), "two"),
        (format!("git+{url}@^1#skills/pdf"), "one"),
        (format!("git+{url}@{first}#skills/pdf"), "one"),
        (format!("git+{url}@{}#skills/pdf", &first[..9]), "one"),
    ] {
        context.done(&["install", &reference, "--yes"]);
        assert_eq!(
            context.version_of("pdf").as_deref(),
            Some(version),
            "{reference}"
        );
    }
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
    let told = context.refused(&[
        "install",
        &format!("git+{}#x", server.url("/none.git")),
        "--yes",
    ]);
    assert!(
        told.contains("git could not fetch the repository"),
        "{told}"
    );
}

#[test]
fn a_git_daemon_serves_a_skill() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let port = {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().port()
    };
    // The daemon itself: of `git daemon` only the shell around it would be ended.
    let programs = repository.git(&["--exec-path"]);
    let mut daemon = context.command(&format!("{programs}/git-daemon"));
    daemon
        .args(["--export-all", "--reuseaddr", "--listen=127.0.0.1"])
        .arg(format!("--port={port}"))
        .arg(format!(
            "--base-path={}",
            repository.folder.parent().unwrap().display()
        ))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut daemon = daemon.spawn().unwrap();
    let is_up = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    let reference = format!("git://127.0.0.1:{port}/remote.git#skills/pdf");
    let told = context.shown(context.skillyard().args(["install", &reference, "--yes"]));
    let _ = daemon.kill();
    let _ = daemon.wait();
    assert!(is_up, "the daemon did not start");
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"), "{told}");
}

#[test]
fn one_skill_of_a_large_repository_does_not_bring_the_rest() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    // Bytes that no compression makes small.
    let mut state = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state.to_be_bytes()[0]
    })
    .take(6_000_000)
    .collect();
    repository.write("videos/demo.bin", &noise).commit("large");
    let server = git_http::serve(&context, repository.folder.parent().unwrap());
    let reference = format!("git+{}#skills/pdf", server.url("/remote.git"));
    context.done(&["install", &reference, "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    let sent: usize = server.sent();
    assert!(sent < 20_000, "{sent} bytes came");
    // A server that cannot leave anything out sends it all, and the skill is the same.
    repository.git(&["config", "uploadpack.allowFilter", "false"]);
    context.done(&["remove", "pdf"]);
    context.done(&["install", &reference, "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    assert!(server.sent() > 6_000_000);
    assert_eq!(context.staging(), Vec::<String>::new());
}

#[test]
fn files_that_are_kept_elsewhere_are_told_of() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    repository
        .write("skills/pdf/assets/model.bin", pointer)
        .commit("large");
    let url = format!("{}#skills/pdf", repository.url());
    let told = context.done(&["install", &url, "--yes"]);
    assert!(told.contains("only pointers come"), "{told}");
    assert!(told.contains("`assets/model.bin` of `pdf`"), "{told}");
}

#[test]
fn a_repository_that_offers_no_branch_is_explained() {
    let context = project();
    let repository = Repository::new(&context, "empty.git");
    let told = context.refused(&["install", &repository.url()]);
    assert!(told.contains("hint: It is empty"), "{told}");
    repository.skill("pdf", "one").commit("one");
    repository.git(&["symbolic-ref", "HEAD", "refs/heads/gone"]);
    let told = context.refused(&["install", &repository.url()]);
    assert!(told.contains("name another one with `--ref`"), "{told}");
    context.done(&["install", &repository.url(), "--ref", "main", "--yes"]);
}

#[test]
fn a_link_to_a_skill_of_the_repository_says_where_it_leads() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    repository
        .skill("real/pdf", "one")
        .write("skills/README.md", "");
    let folder = context.outside("remote.git");
    symlink("../real/pdf", folder.join("skills/pdf")).unwrap();
    symlink("real", folder.join("all")).unwrap();
    symlink("all", folder.join("every")).unwrap();
    for (link, to) in [("loop", "loop"), ("there", "back"), ("back", "there")] {
        symlink(to, folder.join(link)).unwrap();
    }
    repository.commit("links");
    let url = repository.url();
    for folder in ["loop", "there/pdf"] {
        let said = context.refused(&["install", &format!("{url}#{folder}"), "--yes"]);
        assert!(said.contains("are not followed"), "{said}");
        assert!(!said.contains("Name the folder itself"), "{said}");
    }
    for (folder, told) in [
        ("skills/pdf", "`skills/pdf` is a link to `../real/pdf`"),
        ("all/pdf", "`all` is a link to `real`"),
        ("every/pdf", "`every` is a link to `all`"),
    ] {
        let said = context.refused(&["install", &format!("{url}#{folder}"), "--yes"]);
        assert!(said.contains(told), "{said}");
        assert!(said.contains("`#real/pdf`"), "{said}");
    }
    context.done(&["install", &format!("{url}#real/pdf"), "--yes"]);
}

#[test]
fn a_skill_whose_document_is_a_link_is_told() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    repository
        .skill("skills/pdf", "one")
        .write("skills/csv/more.md", "");
    let folder = context.outside("remote.git");
    symlink("../pdf/SKILL.md", folder.join("skills/csv/SKILL.md")).unwrap();
    repository.commit("links");
    let url = repository.url();
    let said = context.refused(&["install", &format!("{url}#skills/csv"), "--yes"]);
    let told = "its `SKILL.md` is a link";
    assert!(said.contains(told), "{said}");
    let installed = context.json(&["install", &url, "--all", "--yes", "--json"]);
    let warnings = installed["warnings"].to_string();
    assert!(warnings.contains(told), "{installed}");
}

#[test]
fn a_version_tag_that_was_moved_is_told() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let url = repository.url();
    let reference = format!("{url}@v1.0.0#skills/pdf");
    context.done(&["install", &reference, "--yes"]);
    repository.skill("skills/pdf", "two").commit("two");
    assert_eq!(context.code(&["outdated"]), Some(0));
    repository.git(&["tag", "-f", "v1.0.0"]);
    let found = context.json(&["outdated", "--json"]);
    assert_eq!(found["outdated"][0]["moved_tag"], "v1.0.0", "{found}");
    let said = context.good(&["update", "--yes"]);
    assert!(said.contains("the tag `v1.0.0` was moved"), "{said}");
}

#[test]
fn what_anybody_on_the_way_could_change_is_told_once() {
    let context = project();
    let install = |references: &[&str]| {
        let mut command = context.skillyard();
        // Nobody answers there.
        command.env("http_proxy", "http://127.0.0.1:1");
        command.arg("install").args(references).arg("--yes");
        crate::text(&crate::output(&mut command).stderr)
    };
    let told = install(&[
        "git+http://git.example.com/a.git",
        "git+http://git.example.com/a.git#b",
    ]);
    let warning = "warning: `http://git.example.com/a.git` is not encrypted";
    assert_eq!(told.matches(warning).count(), 1, "{told}");
    assert!(told.contains("use https or ssh"), "{told}");
    let commit = "0123456789".repeat(4);
    let told = install(&[&format!("git+http://git.example.com/a.git@{commit}")]);
    assert!(!told.contains("not encrypted"), "{told}");
    let told = install(&["git+http://127.0.0.1:1/a.git"]);
    assert!(!told.contains("not encrypted"), "{told}");
}

#[test]
fn alternatives_between_ranges_are_told_as_such() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let reference = format!("{}@^1 || ^2#skills/pdf", repository.url());
    assert_snapshot!(context.refused(&["install", &reference, "--yes"]), @"error: `^1 || ^2` is no version requirement, such as `1.2`, `^1`, `>=1, <2`, `latest` or `beta`: `||` between ranges is not known; write one of them, or one around both, such as `>=1, <3`");
}
