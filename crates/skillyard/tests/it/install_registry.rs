//! `skillyard install` from a registry on loopback, and from sources with an alias.

use std::sync::{Arc, Mutex};

use insta::assert_snapshot;
use serde_json::json;
use skillyard_format::Digest;
use skillyard_format::package::pack::PackFormat;

use crate::project::{packed, project};
use crate::servers::git_http;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::Repository;

/// The versions of `pdf` that a registry has: number, archive, whether it was withdrawn.
type Versions = Arc<Mutex<Vec<(&'static str, Vec<u8>, bool)>>>;

fn registry(versions: &Versions) -> Server {
    let versions = Arc::clone(versions);
    Server::start(move |asked| {
        let versions = versions.lock().unwrap();
        if asked.path() == "/index/3/p/pdf" {
            let lines = versions.iter().map(|(version, bytes, yanked)| {
                let digest = Digest::of(bytes).to_string();
                let mut line = json!({ "name": "pdf", "version": version, "digest": digest, "yanked": yanked });
                if *yanked {
                    line["yank_reason"] = json!("it eats files");
                }
                format!("{line}\n")
            });
            return Reply::ok(lines.collect::<String>());
        }
        if asked.path() == "/skills" {
            return Reply::json(&json!({ "skills": [], "total": 0 }));
        }
        let found = versions
            .iter()
            .find(|(version, ..)| asked.path() == format!("/skills/pdf/{version}/download"));
        found.map_or(Reply::status(404), |(_, bytes, _)| Reply::ok(bytes.clone()))
    })
}

fn version(number: &'static str) -> (&'static str, Vec<u8>, bool) {
    (number, packed("pdf/", number, PackFormat::TarGz), false)
}

#[test]
fn names_and_ranges_are_looked_up_in_the_registry() {
    let context = project();
    let versions: Versions = Arc::new(Mutex::new(vec![
        version("1.0.0"),
        version("1.1.0"),
        version("2.0.0-rc.1"),
    ]));
    let server = registry(&versions);
    assert_snapshot!(context.refused(&["install", "pdf"]), @r"
    error: no registry is set

    hint: Set one with `skillyard config set registry.url URL`; `install` takes a folder, `owner/repo/path` or an address without one
    ");
    context.configure(&format!(
        "[registry]\nurl = \"{0}\"\n[sources.corp]\nurl = \"{0}\"\n",
        server.url("")
    ));
    for (reference, expected) in [
        ("pdf", "1.1.0"),
        ("pdf@1.0", "1.0.0"),
        ("pdf@^1", "1.1.0"),
        ("corp:pdf@=1.0.0", "1.0.0"),
        ("pdf@>=2.0.0-rc", "2.0.0-rc.1"),
    ] {
        context.done(&["install", reference, "--yes", "--force"]);
        assert_eq!(
            context.version_of("pdf").as_deref(),
            Some(expected),
            "{reference}"
        );
        assert_eq!(
            context.code(&["sync", "--locked", "--check"]),
            Some(0),
            "{reference}"
        );
    }
    let shown = |text: String| text.replace(&server.url("/"), "[SERVER]/");
    context.done(&["remove", "pdf"]);
    let asked = shown(context.refused(&["install", "pdf@^1"]));
    assert!(asked.contains("Source: pdf 1.1.0 of [SERVER]/"), "{asked}");
    // A folder that is called so is not where it comes from.
    context.write("pdf/notes.md", "Mine.\n");
    let beside = shown(context.refused(&["install", "pdf@^1"]));
    assert_eq!(beside, asked);
    assert_snapshot!(shown(context.refused(&["install", "pdf@^7"])), @"error: `pdf` has no version that fits `^7`; the highest are 2.0.0-rc.1, 1.1.0, 1.0.0");
    assert_snapshot!(shown(context.refused(&["install", "nothing-here"])), @r"
    error: [SERVER]/ has no skill `nothing-here`

    hint: Look for one with `skillyard search WORDS`
    ");
    context.done(&["install", "pdf@^1", "--yes", "--force"]);
    versions.lock().unwrap().push(version("1.2.0"));
    let outdated = context.json(&["outdated", "--json"]);
    assert_eq!(outdated["outdated"][0]["available"]["version"], "1.2.0");
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("1.2.0"));
}

#[test]
fn addresses_of_a_registry_are_skills_of_it() {
    let context = project();
    let versions: Versions = Arc::new(Mutex::new(vec![version("1.0.0"), version("2.0.0")]));
    let server = registry(&versions);
    // As the design that came first writes it.
    context.configure(&format!(
        "[registry]\nurl = \"{}\"\n",
        server.url("/skills")
    ));
    for (path, expected, source) in [
        ("/skills/pdf/1.0.0/download", "1.0.0", "pdf = \"pdf@1.0.0\""),
        ("/skills/pdf/download", "2.0.0", "pdf = \"pdf\""),
        ("/view/pdf?version=1.0.0", "1.0.0", "pdf = \"pdf@1.0.0\""),
        ("/view/pdf", "2.0.0", "pdf = \"pdf\""),
        ("/skills/pdf/1.0.0/archive.tar.gz", "1.0.0", "pdf@1.0.0"),
    ] {
        context.done(&["install", &server.url(path), "--yes"]);
        assert_eq!(
            context.version_of("pdf").as_deref(),
            Some(expected),
            "{path}"
        );
        let written = context.read("skills.toml");
        assert!(written.contains(source), "{path}: {written}");
        assert!(
            context
                .read("skills.lock")
                .contains("origin = \"registry\"")
        );
    }
    let told = context.refused(&["install", &server.url("/view/nope"), "--yes"]);
    assert!(told.contains("has no skill `nope`"), "{told}");
    // Without it in the configuration an archive is still the one that is there.
    context.done(&["remove", "pdf"]);
    context.configure("");
    let address = server.url("/skills/pdf/1.0.0/download");
    context.done(&["install", &address, "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("1.0.0"));
    assert!(context.read("skills.toml").contains(&address));
    assert_eq!(context.code(&["sync", "--locked", "--check"]), Some(0));
}

#[test]
fn names_of_a_registry_can_be_scanned() {
    let context = project();
    let versions: Versions = Arc::new(Mutex::new(vec![version("1.0.0"), version("2.0.0")]));
    let server = registry(&versions);
    let told = context.refused(&["scan", "pdf"]);
    assert!(told.contains("`pdf` does not exist"), "{told}");
    context.configure(&format!("[registry]\nurl = \"{}\"\n", server.url("")));
    for reference in ["pdf", "pdf@1.0.0"] {
        assert_eq!(context.code(&["scan", reference]), Some(0), "{reference}");
    }
    let asked = server.asked();
    let downloads = |version: &str| {
        let path = format!("/skills/pdf/{version}/download");
        asked.iter().filter(|asked| asked.path() == path).count()
    };
    assert_eq!((downloads("1.0.0"), downloads("2.0.0")), (1, 1));
    context.nothing_left();
}

#[test]
fn a_server_without_a_registry_is_none() {
    let context = project();
    let server = Server::serve([("/", Reply::ok("<html>welcome</html>"))]);
    context.configure(&format!("[registry]\nurl = \"{}\"\n", server.url("")));
    let told = context.refused(&["install", "pdf"]);
    assert!(told.contains("no registry answers at"), "{told}");
}

#[test]
fn what_was_withdrawn_stays_for_those_who_locked_it() {
    let context = project();
    let versions: Versions = Arc::new(Mutex::new(vec![version("1.0.0"), version("1.1.0")]));
    let server = registry(&versions);
    context.configure(&format!("[registry]\nurl = \"{}\"\n", server.url("")));
    context.done(&["install", "pdf@^1", "--yes"]);
    versions.lock().unwrap()[1].2 = true;
    std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
    std::fs::remove_dir_all(context.in_home(".skillyard/store/archives")).unwrap();
    context.done(&["sync", "--locked"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("1.1.0"));
    // Nobody gets it anew.
    context.done(&["remove", "pdf"]);
    context.done(&["install", "pdf", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("1.0.0"));
    versions.lock().unwrap()[0].2 = true;
    context.done(&["remove", "pdf"]);
    let told = context.refused(&["install", "pdf"]);
    assert!(
        told.contains("every version of `pdf` was withdrawn"),
        "{told}"
    );
}

#[test]
fn what_was_withdrawn_is_told_to_those_who_have_it() {
    let context = project();
    let versions: Versions = Arc::new(Mutex::new(vec![version("1.0.0"), version("1.1.0")]));
    let server = registry(&versions);
    context.configure(&format!("[registry]\nurl = \"{}\"\n", server.url("")));
    context.done(&["install", "pdf@^1", "--yes"]);
    let outdated = context.json(&["outdated", "--json"]);
    assert_eq!(outdated["withdrawn"], json!([]));
    versions.lock().unwrap()[1].2 = true;
    let expected = json!([{ "name": "pdf", "version": "1.1.0", "reason": "it eats files" }]);
    let outdated = context.json(&["outdated", "--json"]);
    assert_eq!(outdated["withdrawn"], expected);
    assert_eq!(outdated["outdated"][0]["available"]["version"], "1.0.0");
    let line = " ! pdf: 1.1.0, which is installed, was withdrawn: it eats files";
    let told = context.run(&["outdated"]);
    assert!(told.contains(line), "{told}");
    let update = context.json(&["update", "--dry-run", "--json"]);
    assert_eq!(update["withdrawn"], expected);
    let told = context.done(&["update", "--yes"]);
    assert!(told.contains(line), "{told}");
    assert_eq!(context.version_of("pdf").as_deref(), Some("1.0.0"));
    // Also where nothing else can be had.
    versions.lock().unwrap()[0].2 = true;
    let outdated = context.json(&["outdated", "--json"]);
    assert_eq!(outdated["withdrawn"][0]["version"], "1.0.0");
}

#[test]
fn what_this_machine_does_not_know_is_named_with_its_skill() {
    let context = project();
    let versions: Versions = Arc::new(Mutex::new(vec![version("1.0.0")]));
    let server = registry(&versions);
    let repository = Repository::new(&context, "team.git");
    repository.skill("csv", "one").commit("one");
    let gateway = git_http::serve(&context, repository.folder.parent().unwrap());
    context.configure(&format!(
        "[registry]\nurl = \"{}\"\n[sources.team]\ntype = \"git\"\nurl = \"{}\"\n",
        server.url(""),
        gateway.url("/team.git")
    ));
    context.done(&["install", "pdf", "--yes"]);
    let forget = || {
        context.configure("");
        std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
        std::fs::remove_dir_all(context.in_home(".skillyard/store/archives")).unwrap();
    };
    forget();
    let told = context.refused(&["sync"]);
    let told = told.replace(&server.url("/"), "[SERVER]/");
    assert_snapshot!(told, @r"
    error: `pdf` cannot be had from `pdf`
      Caused by: no registry is set

    hint: It was locked from [SERVER]/; if you trust it, set it with `skillyard config set registry.url URL`
    ");
    context.configure(&format!(
        "[registry]\nurl = \"{}\"\n[sources.team]\ntype = \"git\"\nurl = \"{}\"\n",
        server.url(""),
        gateway.url("/team.git")
    ));
    context.done(&["sync"]);
    context.done(&["install", "team:csv", "--yes"]);
    context.done(&["remove", "pdf"]);
    forget();
    assert_snapshot!(context.refused(&["sync"]), @r"
    error: `csv` cannot be had from `team:csv`
      Caused by: there is no source `team` in the configuration

    hint: Add it with `skillyard config set sources.team.url URL`
    ");
}

#[test]
fn bytes_that_the_index_does_not_know_are_refused() {
    let context = project();
    let (good, bad) = (
        packed("pdf/", "1", PackFormat::TarGz),
        packed("pdf/", "evil", PackFormat::TarGz),
    );
    let line =
        json!({ "name": "pdf", "version": "1.0.0", "digest": Digest::of(&good).to_string() });
    let server = Server::start(move |asked| match asked.path() {
        "/index/3/p/pdf" => Reply::ok(line.to_string()),
        "/log/checkpoint" => Reply::status(404),
        _ => Reply::ok(bad.clone()),
    });
    context.configure(&format!("[registry]\nurl = \"{}\"\n", server.url("")));
    let told = context.refused(&["install", "pdf", "--yes"]);
    assert_eq!(
        told.matches("sha256:").count(),
        2,
        "both digests are named: {told}"
    );
    context.nothing_left();
}

#[test]
fn every_kind_of_alias_leads_somewhere_with_its_login() {
    let context = project();
    let repository = Repository::new(&context, "team.git");
    repository
        .skill("pdf", "git")
        .skill("csv", "git")
        .commit("one");
    repository.git(&["tag", "v1.0.0"]);
    let gateway = git_http::serve(&context, repository.folder.parent().unwrap());
    let server = Server::start(|asked| match asked.path() {
        "/files/pdf.zip" if asked.header("authorization") == "Bearer sesame" => {
            Reply::ok(packed("pdf/", "archive", PackFormat::Zip))
        }
        "/.well-known/agent-skills/index.json" if asked.header("x-key") == "sesame" => {
            let entry =
                |name: &str| json!({ "name": name, "description": "d", "files": ["SKILL.md"] });
            Reply::json(&json!({ "skills": [entry("csv"), entry("pdf")] }))
        }
        "/.well-known/agent-skills/pdf/SKILL.md" if asked.header("x-key") == "sesame" => {
            Reply::ok(crate::servers::repository::skill("pdf", "site"))
        }
        _ => Reply::status(404),
    });
    context.configure(&format!(
        "[sources.team]\ntype = \"git\"\nurl = \"{}\"\nauth = \"token:sesame\"\n\
         [sources.files]\ntype = \"archive\"\nurl = \"{}\"\nauth = \"bearer:sesame\"\n\
         [sources.site]\ntype = \"well-known\"\nurl = \"{}\"\nauth = \"header:X-Key: sesame\"\n",
        gateway.url("/team.git"),
        server.url("/files"),
        server.url("")
    ));
    for (reference, version) in [
        ("team:pdf", "git"),
        ("team:pdf@^1", "git"),
        ("files:pdf", "archive"),
        ("site:pdf", "site"),
    ] {
        context.done(&["install", reference, "--yes", "--force"]);
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
        std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
        std::fs::remove_dir_all(context.in_home(".skillyard/store/archives")).unwrap();
        context.done(&["sync", "--locked"]);
        assert_eq!(
            context.version_of("pdf").as_deref(),
            Some(version),
            "{reference}"
        );
    }
    let logins = gateway.asked();
    assert!(
        logins
            .iter()
            .all(|asked| asked.header("authorization") == "token sesame")
    );
    assert_snapshot!(context.refused(&["install", "taem:pdf"]), @r"
    error: there is no source `taem` in the configuration

    hint: Did you mean `team:`?
    ");
    assert_snapshot!(context.refused(&["install", "files:pdf@^1"]), @r"
    error: `files:pdf@^1` has no revisions to choose from
    ");
}

#[test]
fn where_all_versions_are_withdrawn_nobody_is_sent_for_another() {
    let context = project();
    let versions: Versions = Arc::new(Mutex::new(vec![version("1.0.0"), version("2.0.0")]));
    let server = registry(&versions);
    context.configure(&format!("[registry]\nurl = \"{}\"\n", server.url("")));
    versions.lock().unwrap()[0].2 = true;
    let told = context.refused(&["install", "pdf@^1"]);
    assert!(told.contains("`skillyard install pdf`"), "{told}");
    versions.lock().unwrap()[1].2 = true;
    let told = context.refused(&["install", "pdf@^1"]);
    assert!(told.contains("Its owners withdrew all versions"), "{told}");
}

#[test]
fn where_nothing_is_released_yet_a_version_is_named() {
    let context = project();
    let versions: Versions = Arc::new(Mutex::new(vec![version("2.1.0-rc.1")]));
    let server = registry(&versions);
    context.configure(&format!("[registry]\nurl = \"{}\"\n", server.url("")));
    let told = context.refused(&["install", "pdf"]);
    assert!(
        told.contains("`skillyard install pdf@2.1.0-rc.1`"),
        "{told}"
    );
    context.done(&["install", "pdf@2.1.0-rc.1", "--yes"]);
}
