//! `skillyard install` from forges, archives on the web, sites and registries on loopback.

use insta::assert_snapshot;
use serde_json::json;
use skillyard_format::Digest;
use skillyard_format::package::pack::PackFormat;

use crate::TestContext;
use crate::project::{everything, packed, project};
use crate::servers::http::{Asked, Reply, Server};
use crate::servers::repository::{Repository, skill};
use crate::servers::{forge, git_http};

/// A repository with two versions of `pdf` and one `csv`.
fn published(context: &TestContext) -> Repository<'_> {
    let repository = Repository::with_pdf(context);
    repository
        .skill("skills/pdf", "two")
        .skill("skills/csv", "one");
    repository.commit("two");
    repository.git(&["tag", "-a", "v1.2.0", "-m", "annotated"]);
    repository
}

fn follows_revisions(context: &TestContext, repository: &Repository<'_>, place: &str) {
    let first = repository.git(&["rev-parse", "v1.0.0"]);
    for (revision, version) in [
        ("", "two"),
        ("@main", "two"),
        ("@v1.0.0", "one"),
        ("@~1.0", "one"),
        ("@^1", "two"),
        (&format!("@{first}"), "one"),
        (&format!("@{}", &first[..7]), "one"),
    ] {
        let reference = format!("{place}/skills/pdf{revision}");
        context.done(&["install", &reference, "--yes"]);
        assert_eq!(
            context.version_of("pdf").as_deref(),
            Some(version),
            "{reference}"
        );
        assert_eq!(
            context.code(&["sync", "--locked", "--check"]),
            Some(0),
            "{reference}"
        );
    }
    assert!(context.read("skills.lock").contains(&first));
    context.refused(&["install", &format!("{place}/skills/pdf@nope"), "--yes"]);
    context.refused(&["install", &format!("{place}/skills/nope"), "--yes"]);
    context.done(&["install", place, "--skill", "csv", "--yes"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    // What the lock names comes again from the forge when the store has lost it.
    std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
    std::fs::remove_dir_all(context.in_home(".skillyard/store/archives")).unwrap();
    context.done(&["sync", "--locked"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    assert_eq!(context.staging(), Vec::<String>::new());
}

#[test]
fn github_serves_every_revision() {
    let context = project();
    let repository = published(&context);
    let server = forge::github(&repository);
    context.configure(&format!("[hosts.github]\napi = \"{}\"\n", server.url("")));
    follows_revisions(&context, &repository, "github:acme/skills");
    context.done(&["install", "acme/skills/skills/pdf", "--yes"]);
    context.done(&[
        "install",
        "https://github.com/acme/skills/tree/main/skills/pdf",
        "--yes",
    ]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
}

#[test]
fn git_and_its_forge_offer_the_same_and_many_are_shown_together() {
    let context = project();
    let repository = Repository::new(&context, "many");
    for folder in ["skills/a", "skills/a/inner", "skills/a-b", "c", "d/e"] {
        repository.skill(folder, "one");
    }
    for passed_over in ["node_modules/x", "target/y/z"] {
        repository.skill(passed_over, "one");
    }
    repository.commit("one");
    let server = forge::github(&repository);
    context.configure(&format!("[hosts.github]\napi = \"{}\"\n", server.url("")));
    for reference in [&repository.url(), "github:acme/skills"] {
        let told = context.refused(&["install", reference, "--all"]);
        assert!(told.contains("4 skills: "), "{told}");
        assert!(told.contains("These skills are from"), "{told}");
        assert_eq!(told.matches("Source: ").count(), 1, "{told}");
        context.done(&["install", reference, "--all", "--yes"]);
        let skills = context.root().join(".agents/skills");
        let installed = everything(&skills);
        let files = installed.iter().filter(|path| path.ends_with("SKILL.md"));
        let files: Vec<&str> = files.map(String::as_str).collect();
        let expected = [
            "a-b/SKILL.md",
            "a/SKILL.md",
            "a/inner/SKILL.md",
            "c/SKILL.md",
            "e/SKILL.md",
        ];
        assert_eq!(files, expected);
        context.done(&["remove", "a", "a-b", "c", "e"]);
    }
}

#[test]
fn gitlab_serves_every_revision() {
    let context = project();
    let repository = published(&context);
    let server = forge::gitlab(&repository);
    context.configure(&format!("[hosts.gitlab]\nurl = \"{}\"\n", server.url("")));
    follows_revisions(&context, &repository, "gitlab:acme/skills");
}

#[test]
fn gitlab_serves_several_skills_of_a_repository() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    let needs = "---\nname: needs\ndescription: Use when needs.\nmetadata:\n  skillyard.requires-skills: \"../csv\"\n---\n\none\n";
    repository
        .skill("skills/pdf", "one")
        .skill("skills/csv", "one")
        .write("skills/needs/SKILL.md", needs)
        .commit("one");
    let server = forge::gitlab(&repository);
    context.configure(&format!("[hosts.gitlab]\nurl = \"{}\"\n", server.url("")));
    let [pdf, csv, needs] =
        ["pdf", "csv", "needs"].map(|name| format!("gitlab:acme/skills/skills/{name}"));
    context.done(&["install", &pdf, &csv, "--yes"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    context.done(&["outdated"]);
    context.done(&["update", "--yes"]);
    // Also where nothing is in the store.
    std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
    std::fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
    context.done(&["sync", "--locked"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    context.done(&["remove", "pdf", "csv"]);
    context.done(&["install", &needs, "--yes"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
}

#[test]
fn what_a_forge_does_not_show_us_may_be_open_to_git() {
    let context = project();
    let repository = Repository::new(&context, "acme/skills.git");
    repository.skill("skills/pdf", "private").commit("one");
    let api = Server::serve([]);
    let pages = git_http::serve(&context, &context.outside(""));
    context.configure(&format!(
        "[hosts.github]\napi = \"{}\"\nurl = \"{}\"\n",
        api.url(""),
        pages.url("")
    ));
    context.done(&["install", "github:acme/skills/skills/pdf", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("private"));
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
    // At every revision, and at the one that is locked.
    let whole = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["tag", "v1.0.0"]);
    repository.git(&["tag", "stable"]);
    for revision in ["main", "v1.0.0", "stable", "^1", &whole, &whole[..9]] {
        let reference = format!("github:acme/skills/skills/pdf@{revision}");
        context.done(&["install", &reference, "--yes"]);
        std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
        std::fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
        context.done(&["sync", "--locked"]);
        let version = context.version_of("pdf");
        assert_eq!(version.as_deref(), Some("private"), "{revision}");
    }
    let told = context.refused(&["install", "github:acme/skills@nowhere", "--yes"]);
    assert!(told.contains("does not exist on"), "{told}");
    // What neither shows is told in the words of the forge.
    let told = context.refused(&["install", "github:acme/none", "--yes"]);
    assert!(told.contains("does not exist on"), "{told}");
    assert!(told.contains("GITHUB_TOKEN"), "{told}");
}

#[test]
fn a_commit_has_the_same_bytes_by_its_forge_and_by_git() {
    let context = project();
    let repository = Repository::new(&context, "acme/skills.git");
    repository
        .skill("skills/pdf", "one")
        .skill("skills/csv", "one")
        .write("skills/pdf/tests/data.md", "left out")
        .write("skills/pdf/version.txt", "$Format:%H$\n")
        .write("skills/pdf/run.bat", "echo hi\n")
        .write("skills/pdf/notes.md", "filtered\n")
        .write(
            ".gitattributes",
            "skills/*/tests export-ignore\n*.bat text eol=crlf\n",
        )
        .write(
            "skills/pdf/.gitattributes",
            "version.txt export-subst\nnotes.md filter=own\n",
        );
    let commit = repository.commit("one");
    let forge = forge::github(&repository);
    let silent = Server::serve([]);
    let pages = git_http::serve(&context, &context.outside(""));
    let configure = |api: &Server| {
        context.configure(&format!(
            "[hosts.github]\napi = \"{}\"\nurl = \"{}\"\n",
            api.url(""),
            pages.url("")
        ));
    };
    // What the user has for working copies is not for what is installed.
    let touched = context.outside("touched");
    let settings = format!(
        "[core]\n\tautocrlf = true\n[filter \"own\"]\n\tsmudge = touch {} && cat\n",
        touched.display()
    );
    std::fs::write(context.in_home(".gitconfig"), settings).unwrap();
    let file = |name: &str| context.read(&format!(".agents/skills/pdf/{name}"));
    for (first, second) in [(&forge, &silent), (&silent, &forge)] {
        configure(first);
        context.done(&["install", "acme/skills/skills/pdf", "--yes"]);
        context.done(&["install", "acme/skills/skills/csv", "--yes"]);
        assert_eq!(file("version.txt"), format!("{commit}\n"));
        assert_eq!(file("run.bat"), "echo hi\r\n");
        assert_eq!(file("notes.md"), "filtered\n");
        assert!(!context.root().join(".agents/skills/pdf/tests").exists());
        configure(second);
        context.done(&["outdated"]);
        std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
        std::fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
        context.done(&["sync", "--locked"]);
        context.done(&["remove", "pdf", "csv"]);
    }
    assert!(!touched.exists());
}

#[test]
fn an_alias_names_a_forge() {
    let context = project();
    let repository = published(&context);
    let github = forge::github(&repository);
    let gitlab = forge::gitlab(&repository);
    // An enterprise has its API below its pages.
    let (address, known) = (github.authority(), github);
    let proxy = Server::start(move |asked| {
        let path = asked.path().strip_prefix("/api/v3").unwrap_or("/none");
        forwarded(&address, path)
    });
    context.configure(&format!(
        "[sources.hub]\ntype = \"github\"\nurl = \"{}\"\n[sources.lab]\ntype = \"gitlab\"\nurl = \"{}\"\n",
        proxy.url(""),
        gitlab.url("")
    ));
    context.done(&["install", "hub:acme/skills/skills/pdf@~1.0", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    context.done(&["install", "lab:acme/skills/skills/csv", "--yes"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
    drop(known);
}

/// What another server answers.
fn forwarded(address: &str, path: &str) -> Reply {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer
        .windows(4)
        .position(|part| part == b"\r\n\r\n")
        .unwrap();
    let status = std::str::from_utf8(&answer[9..12])
        .unwrap()
        .parse()
        .unwrap();
    Reply {
        status,
        ..Reply::ok(&answer[end + 4..])
    }
}

#[test]
fn an_archive_that_is_no_single_skill_says_what_to_do() {
    const XZ: &[u8] = b"\xfd7zXZ\0\0\x04";
    const BZIP2: &[u8] = b"BZh91AY&SY";
    let context = project();
    let server = Server::serve([
        (
            "/repo-main.zip",
            Reply::ok(packed("repo-main/skills/pdf/", "one", PackFormat::Zip)),
        ),
        ("/pdf.tar.xz", Reply::ok(XZ)),
        ("/pdf.tar.bz2", Reply::ok(BZIP2)),
    ]);
    let said = context.refused(&["install", &server.url("/repo-main.zip"), "--all", "--yes"]);
    assert!(
        said.contains("`skillyard install ./FOLDER --all`"),
        "{said}"
    );
    for (path, compression, bytes) in [("/pdf.tar.xz", "xz", XZ), ("/pdf.tar.bz2", "bzip2", BZIP2)]
    {
        std::fs::write(context.root().join(&path[1..]), bytes).unwrap();
        for place in [server.url(path), format!(".{path}")] {
            let said = context.refused(&["install", &place, "--yes"]);
            let told = format!("compressed with {compression}, which is not read");
            assert!(said.contains(&told), "{said}");
            assert!(said.contains("Unpack it"), "{said}");
        }
    }
}

#[test]
fn archives_on_the_web_install() {
    let context = project();
    let server = Server::serve([
        (
            "/pdf.zip",
            Reply::ok(packed("pdf/", "one", PackFormat::Zip)),
        ),
        (
            "/pdf.tar.gz",
            Reply::ok(packed("", "two", PackFormat::TarGz)),
        ),
        (
            "/other.zip",
            Reply::ok(packed("other/", "one", PackFormat::Zip)),
        ),
        ("/page.zip", Reply::ok("<html>not found</html>")),
    ]);
    for (path, version) in [("/pdf.zip", "one"), ("/pdf.tar.gz", "two")] {
        context.done(&["install", &server.url(path), "--yes", "--force"]);
        assert_eq!(context.version_of("pdf").as_deref(), Some(version));
        assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
    }
    let shown = |text: String| text.replace(&server.url(""), "[SERVER]");
    assert_snapshot!(shown(context.refused(&["install", &server.url("/other.zip"), "--yes"])), @"
    error: the folder in the archive is `other`, and the skill in it is called `pdf`

    hint: Unpack it, and install the folder: `skillyard install ./other`
    ");
    assert_snapshot!(shown(context.refused(&["install", &server.url("/page.zip"), "--yes"])), @"
    error: the archive `[SERVER]/page.zip` cannot be used
      Caused by: this is not a zip or tar archive
    ");
    assert_snapshot!(shown(context.refused(&["install", &server.url("/none.zip"), "--yes"])), @"error: `[SERVER]/none.zip` answered 404");
    // Without an answer nothing of a stranger is installed.
    context.done(&["remove", "pdf"]);
    let told = context.refused(&["install", &server.url("/pdf.zip")]);
    for part in [
        "Security Warning",
        "scripts/run.sh (0.1 KB)",
        "Pass `--yes`",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(context.version_of("pdf"), None);
}

#[test]
fn an_address_is_that_archive_and_nothing_else_of_its_site() {
    let context = project();
    let archive = packed("pdf/", "one", PackFormat::TarGz);
    let listed = packed("", "listed", PackFormat::Zip);
    let index = json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [
            { "name": "pdf", "type": "archive", "description": "d", "url": "/files/pdf", "digest": Digest::of(&listed).to_string() },
        ]
    });
    let server = Server::start(move |asked| {
        if asked.header("x-key") != "sesame" {
            return Reply::status(401);
        }
        match asked.path() {
            "/.well-known/agent-skills/index.json" => Reply::json(&index),
            "/skill" => Reply::ok(archive.clone()),
            "/files/pdf" => Reply::ok(listed.clone()),
            "/page" => Reply::ok("<html>welcome</html>"),
            // Some say this of whatever they do not have.
            _ => Reply::status(403),
        }
    });
    let install = |path: &str| {
        [
            "install".to_owned(),
            server.url(path),
            "--header=X-Key: sesame".to_owned(),
            "--yes".to_owned(),
            "--force".to_owned(),
        ]
    };
    for (path, version) in [("/skill", "one"), ("/files/pdf", "listed")] {
        let arguments = install(path);
        context.done(&arguments.each_ref().map(String::as_str));
        assert_eq!(context.version_of("pdf").as_deref(), Some(version));
        assert!(context.read("skills.toml").contains(&server.url(path)));
        assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
    }
    let told = context.refused(&["install", &server.url("/skill"), "--yes", "--force"]);
    assert!(told.contains("answered 401"), "{told}");
    let none = Server::serve([("/page", Reply::ok("<html>welcome</html>"))]);
    let shown = |text: String| text.replace(&none.url(""), "[SERVER]");
    assert_snapshot!(shown(context.refused(&["install", &none.url("/page"), "--yes"])), @"
    error: `[SERVER]/page` is no archive, and no skills are listed for it: there is nothing at `[SERVER]/page/.well-known/agent-skills/index.json`, `[SERVER]/page/.well-known/skills/index.json`, `[SERVER]/.well-known/agent-skills/index.json`, `[SERVER]/.well-known/skills/index.json`

    hint: If it is a git repository, write `git+[SERVER]/page`
    ");
    let told = context.refused(&["install", &none.url("/nope"), "--yes"]);
    assert!(
        told.contains("/nope` answered 404, and no skills"),
        "{told}"
    );
    assert_eq!(context.staging(), Vec::<String>::new());
}

#[test]
fn a_header_that_was_given_reaches_git() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let open = git_http::serve(&context, repository.folder.parent().unwrap());
    let address = open.authority();
    let header = "Authorization: Bearer sesame-0123456789";
    let reference = format!("git+http://{address}/remote.git#skills/pdf");
    context.done(&["install", &reference, "--header", header, "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
    let asked = open.asked();
    let logged_in = |asked: &Asked| asked.header("authorization") == "Bearer sesame-0123456789";
    assert!(!asked.is_empty() && asked.iter().all(logged_in));
    let told = context.refused(&[
        "install",
        "git+http://git.example.com/remote.git",
        "--header",
        header,
    ]);
    assert!(told.contains("is not encrypted; use https"), "{told}");
    // Nor is what stands in the address.
    let told = context.refused(&["install", "git+http://me:sesame@git.example.com/remote.git"]);
    assert!(told.contains("is not encrypted; use https"), "{told}");
    assert!(!told.contains("sesame"), "{told}");
    // Who cannot be sent it is told.
    context.write_skill("lib/pdf");
    let told = context.done(&[
        "install",
        "./lib/pdf",
        "--header",
        header,
        "--dry-run",
        "--force",
    ]);
    assert!(told.contains("`--header` is not sent for"), "{told}");
}

#[test]
fn sites_with_both_kinds_of_index_serve_skills() {
    let context = project();
    let archive = packed("", "two", PackFormat::TarGz);
    let file = skill("notes", "one");
    let new = json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [
            { "name": "pdf", "type": "archive", "description": "d", "url": "pdf.tar.gz", "digest": Digest::of(&archive).to_string() },
            { "name": "notes", "type": "skill-md", "description": "d", "url": "notes/SKILL.md", "digest": Digest::of(file.as_bytes()).to_string() },
            { "name": "bad", "type": "skill-md", "description": "d", "url": "notes/SKILL.md", "digest": Digest::of(b"other").to_string() },
        ]
    });
    let server = Server::serve([
        ("/.well-known/agent-skills/index.json", Reply::json(&new)),
        ("/.well-known/agent-skills/pdf.tar.gz", Reply::ok(archive)),
        ("/.well-known/agent-skills/notes/SKILL.md", Reply::ok(file)),
    ]);
    context.done(&["install", &server.url(""), "--skill", "pdf,notes", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    assert_eq!(context.version_of("notes").as_deref(), Some("one"));
    let told = context.refused(&["install", &server.url("/#bad"), "--yes"]);
    assert!(told.contains("sha256:"), "{told}");
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
    context.configure(&format!(
        "[sources.site]\ntype = \"well-known\"\nurl = \"{}\"\n",
        server.url("")
    ));
    context.done(&["install", "site:notes", "--yes", "--force"]);
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));

    let old = json!({ "skills": [{ "name": "csv", "description": "d", "files": ["SKILL.md", "scripts/run.sh"] }] });
    let older = Server::serve([
        // As an editor of Windows saves it.
        (
            "/.well-known/skills/index.json",
            Reply::ok(format!("\u{feff}{old}")),
        ),
        (
            "/.well-known/skills/csv/SKILL.md",
            Reply::ok(skill("csv", "old")),
        ),
        (
            "/.well-known/skills/csv/scripts/run.sh",
            Reply::ok("echo hi\n"),
        ),
    ]);
    context.done(&["install", &older.url(""), "--yes"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("old"));
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
    assert_eq!(context.staging(), Vec::<String>::new());
}

#[test]
fn a_site_gives_the_skill_that_it_lists_and_no_other() {
    let context = project();
    let other = skill("evil", "one");
    let old = json!({ "skills": [{ "name": "bb", "description": "d", "files": ["SKILL.md"] }] });
    let new = json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [
            { "name": "bb", "type": "skill-md", "description": "d", "url": "/bb", "digest": Digest::of(other.as_bytes()).to_string() },
        ]
    });
    let servers = [
        Server::serve([
            ("/.well-known/agent-skills/index.json", Reply::json(&new)),
            ("/bb", Reply::ok(other.clone())),
        ]),
        Server::serve([
            ("/.well-known/skills/index.json", Reply::json(&old)),
            ("/.well-known/skills/bb/SKILL.md", Reply::ok(other)),
        ]),
    ];
    let mut told = Vec::new();
    for server in &servers {
        for reference in [server.url(""), server.url("/#bb")] {
            told.push(context.refused(&["install", &reference, "--yes"]));
        }
    }
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_snapshot!(told[0], @"
    error: what is listed as `bb` calls itself `evil` in its SKILL.md

    hint: Whoever runs the site has to give it one name; until then ask them which skill it is
    ");
    context.nothing_left();
}

#[test]
fn what_a_site_has_elsewhere_can_be_had_there() {
    let context = project();
    let archive = packed("pdf/", "one", PackFormat::Zip);
    let digest = Digest::of(&archive).to_string();
    let elsewhere = Server::serve([
        ("/pdf.zip", Reply::ok(archive)),
        ("/notes.md", Reply::ok(skill("notes", "one"))),
    ]);
    let index = json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [
            { "name": "pdf", "type": "archive", "description": "d", "url": elsewhere.url("/pdf.zip"), "digest": digest },
            { "name": "notes", "type": "skill-md", "description": "d", "url": elsewhere.url("/notes.md"), "digest": digest },
        ]
    });
    let server = Server::serve([("/.well-known/agent-skills/index.json", Reply::json(&index))]);
    let shown = |name: &str| {
        let told = context.refused(&["install", &server.url(&format!("/#{name}")), "--yes"]);
        told.replace(&elsewhere.url(""), "[ELSEWHERE]")
    };
    assert_snapshot!(shown("pdf"), @"
    error: `pdf` is elsewhere, at `[ELSEWHERE]`, which is not trusted to serve skills of this site

    hint: If you trust that host, install the archive itself: `skillyard install [ELSEWHERE]/pdf.zip`
    ");
    assert_snapshot!(shown("notes"), @"
    error: `notes` is elsewhere, at `[ELSEWHERE]`, which is not trusted to serve skills of this site

    hint: If you trust that host, save its file as `notes/SKILL.md`, and install the folder: `skillyard install ./notes`
    ");
    assert!(elsewhere.asked().is_empty());
    context.done(&["install", &elsewhere.url("/pdf.zip"), "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
}

#[test]
fn two_skills_of_one_name_are_told_apart_by_their_folders() {
    let context = project();
    for folder in ["one", "more/one", "more/two"] {
        context.write(
            &format!("lib/{folder}/SKILL.md"),
            format!("---\nname: one\ndescription: In {folder}. Use it.\n---\n"),
        );
    }
    let told = context.refused(&["install", "./lib", "--skill", "one"]);
    assert!(told.contains("has 3 skills called `one`"), "{told}");
    let hint = "hint: Name the folder of one with `--skill`: more/one, more/two, ./one";
    assert!(told.contains(hint), "{told}");
    let told = context.refused(&["install", "./lib"]);
    assert!(told.trim_end().ends_with("`--all`: one"), "{told}");
    for (named, folder) in [
        ("more/one", "more/one"),
        ("two", "more/two"),
        ("./one", "one"),
    ] {
        context.done(&["install", "./lib", "--skill", named, "--force"]);
        let text = context.read(".agents/skills/one/SKILL.md");
        assert!(text.contains(&format!("In {folder}.")), "{named}: {text}");
    }
}
