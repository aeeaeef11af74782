//! Tokens in every place that they can be in: nothing ever shows them again.

use std::fs;

use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use crate::project::{everything, packed, project};
use crate::servers::git_http;
use crate::servers::http::{Asked, Reply, Server};
use crate::servers::repository::{Repository, skill};
use crate::{TestContext, output, text};

const SECRET: &str = "sesame-0123456789";
/// `user:sesame-0123456789` as a server gets it.
const ENCODED: &str = "dXNlcjpzZXNhbWUtMDEyMzQ1Njc4OQ";

/// Says everything it was sent in its refusal.
fn parrot(status: u16) -> Server {
    Server::start(move |asked| {
        let body = format!("{{\"message\":\"{}\"}}", sent(asked));
        Reply {
            body: body.into_bytes(),
            ..Reply::status(status)
        }
        .header("X-Echo", asked.header("authorization"))
    })
}

fn sent(asked: &Asked) -> String {
    format!(
        "{} {} {}",
        asked.target,
        asked.header("authorization"),
        asked.header("private-token")
    )
}

impl TestContext {
    /// Runs with a token in the environment and looks for it everywhere.
    #[track_caller]
    fn keeps_secret(&self, arguments: &[&str]) {
        let config = self.in_home(".skillyard/config.toml");
        for verbosity in [&[][..], &["-vv"], &["--json"]] {
            let mut command = self.skillyard();
            command.args(arguments).args(verbosity);
            command.env("GITHUB_TOKEN", SECRET).env("MY_TOKEN", SECRET);
            let output = output(&mut command);
            for told in [text(&output.stdout), text(&output.stderr)] {
                assert!(
                    !told.contains(SECRET) && !told.contains(ENCODED),
                    "{arguments:?}: {told}"
                );
            }
        }
        let root = self.root().parent().unwrap().to_owned();
        for path in everything(&root) {
            let path = root.join(path);
            let is_own = path == config || path.starts_with(self.outside(""));
            if let (false, Ok(bytes)) = (is_own, fs::read(&path)) {
                let content = String::from_utf8_lossy(&bytes);
                assert!(
                    !content.contains(SECRET) && !content.contains(ENCODED),
                    "{}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn servers_that_repeat_what_they_were_sent_give_nothing_away() {
    for status in [400, 401, 403, 404, 422] {
        let server = parrot(status);
        let context = project();
        context.configure(&format!(
            "[hosts.github]\nurl = \"{0}\"\napi = \"{0}\"\ntoken = \"${{MY_TOKEN}}\"\n[hosts.gitlab]\nurl = \"{0}\"\ntoken = \"{SECRET}\"\n\
             [registry]\nurl = \"{0}\"\nauth = \"bearer:{SECRET}\"\n\
             [sources.hub]\ntype = \"github\"\nurl = \"{0}\"\nauth = \"token:${{MY_TOKEN}}\"\n\
             [sources.files]\ntype = \"archive\"\nurl = \"{0}\"\nauth = \"header:Authorization: {SECRET}\"\n\
             [sources.site]\ntype = \"well-known\"\nurl = \"{0}\"\nauth = \"bearer:{SECRET}\"\n\
             [sources.team]\ntype = \"git\"\nurl = \"{0}/team.git\"\nauth = \"bearer:{SECRET}\"\n",
            server.url("")
        ));
        let archive = server.url("/pdf.zip");
        let with_user = archive.replace("http://", &format!("http://user:{SECRET}@"));
        let repository = with_user.replace("pdf.zip", "remote.git");
        let header = format!("Authorization: Bearer {SECRET}");
        for arguments in [
            &["install", "github:acme/skills", "--yes"][..],
            &["install", "gitlab:acme/skills", "--yes"],
            &["install", "pdf", "--yes"],
            &["install", "hub:acme/skills", "--yes"],
            &["install", "files:pdf", "--yes"],
            &["install", "site:pdf", "--yes"],
            &["install", "team:pdf", "--yes"],
            &["install", &archive, "--header", &header, "--yes"],
            &["install", &with_user, "--yes"],
            &["install", &format!("{archive}?token={SECRET}"), "--yes"],
            &["install", &format!("git+{repository}#pdf"), "--yes"],
        ] {
            context.keeps_secret(arguments);
        }
        assert!(
            server
                .asked()
                .iter()
                .any(|asked| sent(asked).contains(SECRET))
        );
        context.nothing_left();
    }
}

#[test]
fn what_was_installed_with_a_secret_does_not_remember_it() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let git = git_http::serve(&context, repository.folder.parent().unwrap());
    let server = Server::start(|asked| {
        let sent = sent(asked);
        if sent.contains(SECRET) || sent.contains(ENCODED) {
            Reply::ok(packed("pdf/", "one", PackFormat::Zip))
        } else {
            Reply::status(401)
        }
    });
    let archive = server.url("/pdf.zip");
    let user = format!("http://user:{SECRET}@");
    let header = format!("Authorization: Bearer {SECRET}");
    let by_user = archive.replace("http://", &user);
    let by_query = format!("{archive}?token={SECRET}");
    let by_git = format!(
        "git+{}#skills/pdf",
        git.url("/remote.git").replace("http://", &user)
    );
    for arguments in [
        &["install", &archive, "--header", &header, "--yes", "--force"][..],
        &["install", &by_user, "--yes", "--force"],
        &["install", &by_query, "--yes", "--force"],
        &["install", &by_git, "--yes", "--force"],
    ] {
        context.done(arguments);
        assert_eq!(context.version_of("pdf").as_deref(), Some("one"));
        context.keeps_secret(arguments);
        for more in [
            &["show", "pdf"][..],
            &["why", "pdf"],
            &["outdated"],
            &["update", "--yes"],
            &["sync", "--check"],
            &["audit", "list"],
        ] {
            context.keeps_secret(more);
        }
        context.done(&["remove", "pdf"]);
    }
    assert!(
        git.asked()
            .iter()
            .any(|asked| asked.header("authorization").contains(ENCODED))
    );
}

#[test]
fn git_takes_no_secret_to_another_host() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let other = git_http::serve(&context, repository.folder.parent().unwrap());
    let target = other.url("").replace("127.0.0.1", "localhost");
    let server = Server::start(move |asked| {
        Reply::status(302).header("Location", &format!("{target}{}", asked.target))
    });
    let url = server.url("/remote.git");
    // Without a secret, git follows.
    context.done(&["install", &format!("git+{url}#skills/pdf"), "--yes"]);
    let asked = other.asked().len();
    let user = format!("http://user:{SECRET}@");
    let url = url.replace("http://", &user);
    context.refused(&["install", &format!("git+{url}#skills/pdf"), "--yes"]);
    assert_eq!(other.asked().len(), asked);
    context.done(&["remove", "pdf"]);
    // On its own host a repository may have another name.
    let backend = git_http::serve_renamed(&context, repository.folder.parent().unwrap());
    let url = backend.url("/old/remote.git").replace("http://", &user);
    context.done(&["install", &format!("git+{url}#skills/pdf"), "--yes"]);
    let asked = backend.asked();
    let mut asked = asked
        .iter()
        .filter(|asked| asked.path().starts_with("/remote.git"));
    assert!(asked.all(|asked| asked.header("authorization").contains(ENCODED)));
    context.keeps_secret(&["update", "--yes"]);
}

/// A skill as an archive.
fn archive(skill: &str) -> Vec<u8> {
    let file = PackFile {
        path: "SKILL.md",
        mode: Mode::Plain,
        content: skill.as_bytes(),
    };
    pack(&[file], PackFormat::Zip, &Limits::skill()).unwrap()
}

#[test]
fn a_header_goes_only_where_the_user_pointed() {
    let context = project();
    let plain = "---\nname: dep\ndescription: Draws. Use when asked.\n---\n";
    let other = Server::start(move |_| Reply::ok(archive(plain)));
    let needs = other.url("/dep.zip");
    let server = Server::start(move |asked| {
        let text = match asked.path() {
            "/near.zip" => plain.replace("dep", "near"),
            _ => format!(
                "---\nname: a\ndescription: Reads. Use when asked.\nmetadata:\n  \
                 skillyard.requires-skills: \"{needs} http://{}/near.zip\"\n---\n",
                asked.header("host")
            ),
        };
        Reply::ok(archive(&text))
    });
    context.configure(&format!(
        "[sources.files]\ntype = \"archive\"\nurl = \"{}\"\n",
        server.url("")
    ));
    let header = format!("Authorization: Bearer {SECRET}");
    for typed in [&server.url("/a.zip"), "files:a"] {
        context.done(&["install", typed, "--header", &header, "--yes", "--force"]);
        context.done(&["remove", "a"]);
    }
    let got = |server: &Server| -> Vec<bool> {
        let asked = server.asked();
        let asked = asked.iter();
        asked
            .map(|asked| asked.header("authorization").contains(SECRET))
            .collect()
    };
    assert_eq!(got(&server), [true; 4]);
    assert_eq!(got(&other), [false; 2]);
}

#[test]
fn what_lies_in_a_configured_source_has_its_login() {
    let context = project();
    let guarded = Server::start(|asked| {
        if !asked.header("authorization").contains(SECRET) {
            return Reply::status(401);
        }
        let name = asked
            .path()
            .trim_start_matches("/files/")
            .trim_end_matches(".zip");
        let skill = format!("---\nname: {name}\ndescription: Reads. Use when asked.\n---\n");
        Reply::ok(archive(&skill))
    });
    let header = format!("Authorization: Bearer {SECRET}");
    for name in ["a", "b"] {
        let typed = guarded.url(&format!("/files/{name}.zip"));
        context.done(&["install", &typed, "--header", &header, "--yes"]);
    }
    fs::remove_dir_all(context.root().join(".agents/skills")).unwrap();
    fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
    let refused = context.refused(&["sync"]);
    assert!(refused.contains("sources.NAME.url"), "{refused}");
    let elsewhere = guarded.url("/elsewhere");
    let files = guarded.url("/files");
    let source = |url: &str| {
        format!(
            "[sources.files]\ntype = \"archive\"\nurl = \"{url}\"\nauth = \"bearer:{SECRET}\"\n"
        )
    };
    context.configure(&source(&elsewhere));
    context.refused(&["sync"]);
    context.configure(&source(&files));
    context.done(&["sync"]);
    context.done(&["update"]);
    assert!(context.root().join(".agents/skills/b/SKILL.md").exists());
}

#[test]
fn the_configuration_shows_no_token() {
    let context = project();
    let server = parrot(404);
    let address = server
        .url("")
        .replace("http://", &format!("http://user:{SECRET}@"));
    context.configure(&format!(
        "[hosts.github]\ntoken = \"{SECRET}\"\n[sources.corp]\nurl = \"{address}\"\nauth = \"bearer:{SECRET}\"\n"
    ));
    for arguments in [
        &["config", "list"][..],
        &["config", "list", "--show-origin"],
        &["config", "get", "hosts.github.token"],
        &["config", "get", "sources.corp.auth"],
        &["config", "get", "sources.corp.url"],
        &["install", "corp:pdf", "--dry-run"],
    ] {
        context.keeps_secret(arguments);
    }
}

#[test]
fn an_address_hides_neither_a_skill_nor_our_own_words() {
    let document = skill("stealer-tool-2", "one");
    let file = PackFile {
        path: "stealer-tool-2/SKILL.md",
        mode: Mode::Plain,
        content: document.as_bytes(),
    };
    let archive = pack(&[file], PackFormat::Zip, &Limits::skill()).unwrap();
    let server = Server::start(move |_| Reply::ok(archive.clone()));
    for login in ["stealer-tool-2", "x:stealer-tool-2", "digest", "x:digest"] {
        let context = project();
        let at = server.url("/stealer-tool-2.zip");
        let at = at.replace("http://", &format!("http://{login}@"));
        let told = context.json(&["install", &at, "--yes", "--json"]);
        let added = &told["changes"][0]["to"];
        assert_eq!(added["name"], "stealer-tool-2", "{told}");
        assert!(added["digest"].is_string(), "{told}");
        let log = ["audit", "log", "--skill", "stealer-tool-2", "--json"];
        let log = context.json(&log).to_string();
        assert!(log.contains("skill.installed"), "{log}");
        assert!(log.contains("/stealer-tool-2.zip"), "{log}");
        assert!(!log.contains(&format!("{login}@")), "{log}");
    }
}
