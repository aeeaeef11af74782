//! Proxies that the environment names: who is asked through them, and who never is.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::mcp_shutdown::until;
use crate::project::project;
use crate::scripted_model::model;
use crate::servers::git_http;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::{Repository, skill};
use crate::support::{gzip, tar};
use crate::{TestContext, output, text};

/// A proxy that leads nowhere.
fn proxy() -> Server {
    Server::start(|_| Reply::status(502))
}

/// The binary where every variable names a proxy.
fn behind(context: &TestContext, proxy: &Server) -> Command {
    let mut command = context.skillyard();
    for variable in [
        "http_proxy",
        "HTTP_PROXY",
        "https_proxy",
        "HTTPS_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ] {
        command.env(variable, proxy.url(""));
    }
    command
}

fn archive() -> Vec<u8> {
    let file = tar::file("SKILL.md", skill("pdf", "one").as_bytes());
    gzip(&tar::tar(&[file]))
}

#[test]
fn nothing_on_this_machine_is_asked_through_a_proxy() {
    let context = project();
    let proxy = proxy();
    let through = |arguments: &[&str]| {
        let told = output(behind(&context, &proxy).args(arguments));
        let asked = proxy.asked();
        assert!(asked.is_empty(), "{arguments:?}: {asked:?}");
        told
    };
    let done = |arguments: &[&str]| {
        let told = through(arguments);
        assert!(told.status.success(), "{}", text(&told.stderr));
    };
    let site = Server::start(|_| Reply::ok(archive()));
    done(&["install", &site.url("/pdf.tar.gz"), "--yes"]);
    let named = format!(
        "http://localhost:{}/",
        site.url("").rsplit(':').next().unwrap()
    );
    done(&["install", &format!("{named}pdf.tar.gz"), "--yes"]);
    // A registry, with a token in plain text.
    let registry = Server::start(|_| Reply::status(401));
    let url = format!("registry.url={}", registry.url(""));
    let token = "registry.auth=bearer:s3cret-token";
    through(&["--config", &url, "--config", token, "whoami"]);
    assert!(
        registry.asked()[0]
            .header("authorization")
            .contains("s3cret")
    );
    // A model, a receiver of traces and a server of tools.
    let (url, asked) = model(vec![json!({ "content": "Done." })]);
    let receiver = Server::start(|_| Reply::ok("{}"));
    let tools = Server::start(|_| Reply::status(404));
    context.configure(&format!(
        "[models.test]\nurl = \"{url}\"\ntool_mode = \"native\"\n[telemetry]\nendpoint = \"{}\"\n[mcp.servers.tools]\nurl = \"{}\"\n",
        receiver.url("/otel"),
        tools.url("/mcp"),
    ));
    done(&["chat", "--model", "test/m", "-p", "go"]);
    assert_eq!(asked.lock().unwrap().len(), 1);
    through(&["mcp", "test", "tools"]);
    assert!(!receiver.asked().is_empty() && !tools.asked().is_empty());
}

#[test]
fn git_asks_this_machine_directly() {
    let context = project();
    let proxy = proxy();
    let repository = Repository::with_pdf(&context);
    let server = git_http::serve(&context, repository.folder.parent().unwrap());
    // Its own setting is no other.
    let setting = format!("[http]\nproxy = {}\n", proxy.url(""));
    context.write("../home/.gitconfig", setting);
    let reference = format!("git+{}#skills/pdf", server.url("/remote.git"));
    let mut command = behind(&context, &proxy);
    command.env("NO_PROXY", "corp.example");
    let told = output(command.args(["install", &reference, "--yes"]));
    assert!(told.status.success(), "{}", text(&told.stderr));
    assert!(proxy.asked().is_empty(), "{:?}", proxy.asked());
}

#[test]
fn a_bucket_on_this_machine_is_asked_directly() {
    let context = project();
    let proxy = proxy();
    let bucket = Server::start(|_| {
        let none = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
        Reply::ok(none).header("Content-Type", "application/xml")
    });
    context.done(&[
        "registry", "token", "create", "--user", "ada", "--scope", "publish",
    ]);
    let mut command = behind(&context, &proxy);
    command.env("AWS_ENDPOINT_URL", bucket.url(""));
    command.env("AWS_ACCESS_KEY_ID", "yard");
    command.env("AWS_SECRET_ACCESS_KEY", "secret");
    let told = output(command.args(["registry", "gc", "--blobs", "s3://skills"]));
    assert!(told.status.success(), "{}", text(&told.stderr));
    assert!(!bucket.asked().is_empty());
    assert!(proxy.asked().is_empty(), "{:?}", proxy.asked());
}

#[test]
fn a_bucket_elsewhere_is_asked_for_by_the_name_of_its_region() {
    let context = project();
    let proxy = proxy();
    context.done(&[
        "registry", "token", "create", "--user", "ada", "--scope", "publish",
    ]);
    let mut command = behind(&context, &proxy);
    // That is another server.
    command.env("NO_PROXY", "s3.amazonaws.com");
    command.env("AWS_REGION", "eu-central-1");
    command.env("AWS_ACCESS_KEY_ID", "yard");
    command.env("AWS_SECRET_ACCESS_KEY", "secret");
    command.args(["registry", "gc", "--blobs", "s3://skills"]);
    command.stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    until(|| !proxy.asked().is_empty(), "the proxy is not asked");
    // It would try again for minutes.
    child.kill().unwrap();
    child.wait().unwrap();
    let asked = &proxy.asked()[0];
    assert_eq!(asked.method, "CONNECT");
    assert_eq!(asked.target, "s3.eu-central-1.amazonaws.com:443");
}

#[test]
fn everything_else_goes_through_the_proxy_for_all() {
    let context = project();
    let install = ["install", "https://skills.invalid/pdf.zip", "--yes"];
    let asked = |variables: &[(&str, &str)]| {
        let proxy = proxy();
        let mut command = context.skillyard();
        for (name, value) in variables {
            command.env(name, value.replace("PROXY", &proxy.authority()));
        }
        assert!(!output(command.args(install)).status.success());
        let asked = proxy.asked().into_iter();
        asked
            .map(|asked| format!("{} {}", asked.method, asked.target))
            .next()
    };
    let through = Some("CONNECT skills.invalid:443".to_owned());
    for name in ["ALL_PROXY", "all_proxy", "https_proxy", "HTTPS_PROXY"] {
        assert_eq!(asked(&[(name, "http://PROXY")]), through, "{name}");
    }
    // A more exact variable wins, and who is named needs none.
    let wins = [
        ("ALL_PROXY", "http://127.0.0.1:1"),
        ("HTTPS_PROXY", "PROXY"),
    ];
    assert_eq!(asked(&wins), through);
    for direct in ["*", ".invalid", "x skills.invalid"] {
        let around = [("ALL_PROXY", "http://PROXY"), ("NO_PROXY", direct)];
        assert_eq!(asked(&around), None, "{direct}");
    }
}

#[test]
fn a_proxy_may_speak_socks() {
    let context = project();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let greeted = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut greeting = [0; 2];
        stream.read_exact(&mut greeting).unwrap();
        // None of its ways to log in will do.
        let _ = stream.write_all(&[5, 0xff]);
        greeting[0]
    });
    let mut command = context.skillyard();
    command.env("ALL_PROXY", format!("socks5h://{address}"));
    let told = output(command.args(["install", "https://skills.invalid/pdf.zip", "--yes"]));
    assert!(!told.status.success());
    assert_eq!(greeted.join().unwrap(), 5);
    let mut command = context.skillyard();
    command.env("ALL_PROXY", "ftp://me:s3cret@proxy.example");
    let told = output(command.args(["install", "https://skills.invalid/pdf.zip", "--yes"]));
    let told = text(&told.stderr);
    assert!(told.contains("`ALL_PROXY` does not name a proxy"), "{told}");
    assert!(!told.contains("s3cret"), "{told}");
}

#[test]
fn doctor_tells_the_proxies_without_their_logins() {
    let context = project();
    let told = |variables: &[(&str, &str)]| {
        let mut command = context.skillyard();
        command.envs(variables.iter().copied());
        let told = output(command.arg("doctor"));
        let told = text(&told.stdout);
        assert!(!told.contains("s3cret"), "{told}");
        let lines = told.lines().skip_while(|line| *line != "network");
        lines
            .take_while(|line| *line != "install")
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(told(&[]), "");
    let proxy = "http://me:s3cret@proxy.example:3128";
    insta::assert_snapshot!(told(&[("HTTPS_PROXY", proxy), ("NO_PROXY", "corp.example")]), @"
    network
      ✓ `https://` goes through http://proxy.example:3128 (`HTTPS_PROXY`), but for this machine and `NO_PROXY` (corp.example)
    ");
    insta::assert_snapshot!(told(&[("all_proxy", "ftp://me:s3cret@x"), ("http_proxy", proxy)]), @"
    network
      ✗ `all_proxy` does not name a proxy, which is written `http://host:port` or `socks5://host:port`
        hint: Mend `all_proxy`, or unset it
      ✓ `http://` goes through http://proxy.example:3128 (`http_proxy`), but for this machine
    ");
}
