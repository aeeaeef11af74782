//! Files that may hold secrets of whoever made a skill: told before it is handed on, by what they are
//! called and, where many of that name are harmless, by what is in them.

use super::{Tree, TreeFile};

/// Names whose only use is to hold secrets.
const NAMES: [&str; 9] = [
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    ".pgpass",
    "_netrc",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
];

/// Endings of files whose only use is to hold secrets.
const STORES: [&str; 4] = ["jks", "kdbx", "p12", "pfx"];

/// Endings of files that hold keys, be they private or public.
const KEYS: [&str; 4] = ["key", "p8", "pem", "ppk"];

/// Settings of package managers, which may have a login.
const SETTINGS: [&str; 4] = [".npmrc", ".pypirc", ".yarnrc", ".yarnrc.yml"];

/// Endings of an `.env` that shows others what to write.
const EXAMPLES: [&str; 4] = ["dist", "example", "sample", "template"];

impl Tree {
    /// The files that may hold secrets.
    pub fn may_hold_secrets(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().filter(|file| may_hold_secrets(file));
        files.map(|file| file.path.as_str())
    }
}

fn may_hold_secrets(file: &TreeFile) -> bool {
    let mut parts = file.path.rsplit('/');
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let folder = parts.next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_key = |text: &str| text.contains("PRIVATE KEY") || text.starts_with("PuTTY-User-Key");
    let text = || String::from_utf8_lossy(&file.bytes);
    NAMES.contains(&&*name)
        || STORES.contains(&ending)
        || name == ".env"
        || (name.starts_with(".env.") && !EXAMPLES.iter().any(|end| name.ends_with(end)))
        || (name == "credentials" && folder == ".aws")
        || (KEYS.contains(&ending) && is_key(&text()))
        || (SETTINGS.contains(&&*name) && text().lines().any(is_login))
}

/// Whether a line of settings has a login in it, and not only the name of a variable that does.
fn is_login(line: &str) -> bool {
    let Some((key, value)) = line.split_once(['=', ':']) else {
        return false;
    };
    // The key of npm has the registry before it, and its address has a colon of its own.
    let line = line.to_ascii_lowercase();
    let value = line.rsplit_once('=').map_or(value, |(_, value)| value);
    let value = value.trim().trim_matches(['"', '\'']);
    let is_secret = ["_auth", "authtoken", "authident", "password"]
        .iter()
        .any(|word| line.contains(word));
    let is_remark = key.trim_start().starts_with(['#', ';']);
    is_secret && !is_remark && !value.is_empty() && !value.contains("${")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, text: &str) -> bool {
        let file = TreeFile {
            path: path.to_owned(),
            executable: false,
            bytes: text.as_bytes().to_vec(),
        };
        let tree = Tree::new(vec![file]).unwrap();
        tree.may_hold_secrets().next() == Some(path)
    }

    #[test]
    fn what_holds_secrets_is_told_and_what_is_only_called_alike_is_not() {
        for (path, text) in [
            (".env", ""),
            ("config/.env.local", "A=b"),
            ("keys/id_rsa", "x"),
            (".aws/credentials", "x"),
            ("store.p12", "x"),
            ("tls.pem", "-----BEGIN EC PRIVATE KEY-----\n"),
            ("putty.ppk", "PuTTY-User-Key-File-3: ssh-ed25519\n"),
            (".npmrc", "//registry.npmjs.org/:_authToken=npm_abc\n"),
            (".yarnrc.yml", "npmAuthToken: \"abc\"\n"),
            (".pypirc", "[pypi]\npassword = abc\n"),
        ] {
            assert!(told(path, text), "{path}");
        }
        for (path, text) in [
            (".env.example", "A=b"),
            ("env", "A=b"),
            ("credentials", "x"),
            ("tls.pem", "-----BEGIN CERTIFICATE-----\n"),
            ("slides.key", "PK\u{3}\u{4}"),
            (".npmrc", "save-exact=true\n# _authToken=abc\n"),
            (".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n"),
            ("id_rsa.pub", "ssh-rsa AAAA"),
        ] {
            assert!(!told(path, text), "{path}");
        }
    }
}
