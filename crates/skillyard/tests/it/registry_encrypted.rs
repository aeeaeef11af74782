//! A PostgreSQL that speaks only to who encrypts, and shows a certificate that few know.

use std::path::{Path, PathBuf};

use super::programs::{Postgres, command, free_port, give_away};
use super::{TestContext, output, text};

/// A PostgreSQL for `localhost`, whose certificate an authority of its own made.
struct Encrypted {
    postgres: Postgres,
    authority: PathBuf,
}

impl Encrypted {
    fn start() -> Option<Self> {
        let mut authority = PathBuf::new();
        let postgres = Postgres::start_with(|folder| {
            certify(folder);
            authority = folder.join("authority.crt");
            let rules = "local all all trust\nhostssl all all samehost trust\n";
            std::fs::write(folder.join("rules"), rules).unwrap();
            let file = |name: &str, file: &str| format!("{name}={}", folder.join(file).display());
            let port = free_port();
            let settings = vec![
                "listen_addresses=localhost".to_owned(),
                format!("port={port}"),
                "ssl=on".to_owned(),
                file("ssl_cert_file", "server.crt"),
                file("ssl_key_file", "server.key"),
                file("hba_file", "rules"),
            ];
            (
                settings,
                format!("postgres://yard@localhost:{port}/postgres"),
            )
        });
        postgres.map(|postgres| Self {
            postgres,
            authority,
        })
    }
}

fn certify(folder: &Path) {
    let openssl = |arguments: &str| {
        let mut openssl = command("openssl");
        let made = openssl.args(arguments.split(' ')).current_dir(folder);
        let made = made.output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    openssl(&format!(
        "req -x509 {key} -keyout authority.key -out authority.crt -subj /CN=authority"
    ));
    openssl(&format!(
        "req -x509 {key} -keyout server.key -out server.crt -subj /CN=server \
         -CA authority.crt -CAkey authority.key \
         -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE"
    ));
    give_away(&folder.join("server.key"));
}

#[test]
fn a_certificate_that_nobody_knows_is_refused_and_the_hint_leads_on() {
    let Some(encrypted) = Encrypted::start() else {
        return;
    };
    let context = TestContext::new();
    let token = |parameters: &str| {
        let address = format!("{}?{parameters}", encrypted.postgres.url());
        let make = ["registry", "token", "create", "--user", "ada", "--database"];
        let mut command = context.skillyard();
        command.args(make).args([&address, "--scope", "publish"]);
        output(&mut command)
    };
    let open = token("sslmode=disable");
    assert_eq!(open.status.code(), Some(2), "{}", text(&open.stderr));
    assert!(text(&open.stderr).contains("no encryption"));
    let unknown = token("sslmode=verify-full");
    assert_eq!(unknown.status.code(), Some(2));
    let said = text(&unknown.stderr);
    assert!(said.contains("UnknownIssuer"), "{said}");
    assert!(said.contains("hint: Name the certificate of who made it with `sslrootcert=FILE`"));
    let known = format!("sslrootcert={}", encrypted.authority.display());
    let full = token(&format!("sslmode=verify-full&{known}"));
    assert!(full.status.success(), "{}", text(&full.stderr));
    assert!(text(&full.stdout).contains("sky_"));
    assert!(token("sslmode=require").status.success());
}

#[test]
fn a_certificate_for_another_name_is_refused() {
    let Some(encrypted) = Encrypted::start() else {
        return;
    };
    let context = TestContext::new();
    let known = &encrypted.authority;
    let address = encrypted.postgres.url().replace("localhost", "127.0.0.1");
    let address = format!(
        "{address}?sslmode=verify-full&sslrootcert={}",
        known.display()
    );
    let keep = |address: &str| {
        let set = ["config", "set", "sessions.database", address];
        assert!(output(context.skillyard().args(set)).status.success());
        output(context.skillyard().args(["chat", "--sessions"]))
    };
    let refused = keep(&address);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(said.contains("certificate not valid for name"), "{said}");
    assert!(said.contains("hint: Name the host in the address as its certificate does"));
    let right = keep(&address.replace("127.0.0.1", "localhost"));
    assert!(right.status.success(), "{}", text(&right.stderr));
}
