//! Every environment variable that Skillyard reads.

mod files;
mod ours;
mod settings;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use secrecy::SecretString;
use skillyard_catalog::agents::{Home, Variables};
use skillyard_install::fetch::http::{NamedProxy, Proxies};

use self::ours::Ours;
pub(crate) use self::settings::SETTINGS;
use crate::redactor::secret::Secret;

/// The variable with which the scripts of `skillyard completions` ask. Its value is the name of
/// the shell; what else they say stands in variables that `clap_complete` reads: `_CLAP_…`.
pub(crate) const COMPLETE: &str = "SKILLYARD_COMPLETE";

/// The variables with which agents are told to keep their folders elsewhere.
const AGENT_FOLDERS: [&str; 7] = [
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
    "OPENCODE_CONFIG_DIR",
    "PI_CODING_AGENT_DIR",
    "XDG_CONFIG_HOME",
];

/// The organisation's file, where the system has one.
const ORG_CONFIG: &str = "/etc/skillyard/config.toml";

/// What the environment says, read once at the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// `NO_COLOR`: no colours, unless `--color always` is given.
    pub(crate) no_color: bool,
    /// `TERM=dumb`: no colours, and no cursor that moves.
    pub(crate) dumb_terminal: bool,
    /// `VISUAL`, else `EDITOR`: the program that `new --edit` and `config edit` start.
    pub(crate) editor: Option<OsString>,
    /// `COLUMNS`: the width of the terminal, where it cannot be asked.
    pub(crate) columns: Option<usize>,
    /// `HOME`: the user's home directory; without it what the system knows.
    pub(crate) home: Option<PathBuf>,
    /// The values of [`AGENT_FOLDERS`]; a path that is not absolute means nothing.
    pub(crate) agent_variables: Variables,
    /// `SKILLYARD_HOME`: Skillyard's own folder; `~/.skillyard` without it.
    pub(crate) skillyard_home: PathBuf,
    /// `USER`, else `LOGNAME`, else whom the process belongs to: who acts, in the audit log and in
    /// approvals.
    pub(crate) user: String,
    /// `PATH`: where the commands that skills need are looked for.
    pub(crate) path: Vec<PathBuf>,
    /// The values of [`SETTINGS`]: variable, key and value.
    pub(crate) settings: Vec<(&'static str, &'static str, Secret)>,
    /// The names of variables that look like ours and that nothing reads.
    unknown: Vec<String>,
    /// `GH_TOKEN`, else `GITHUB_TOKEN`: a token for GitHub, where none is configured.
    pub(crate) github_token: Option<Secret>,
    /// `GITLAB_TOKEN`: a token for GitLab, where none is configured.
    pub(crate) gitlab_token: Option<Secret>,
    /// `ANTHROPIC_API_KEY`: a key for Anthropic, where none is configured.
    pub(crate) anthropic_key: Option<Secret>,
    /// `OPENAI_API_KEY`: a key for OpenAI, where none is configured.
    pub(crate) openai_key: Option<Secret>,
    /// `SKILLYARD_KEY_PASSPHRASE`: the passphrase of a key to sign with, where nobody can be asked.
    pub(crate) key_passphrase: Option<Secret>,
    /// `SKILLYARD_ORG_CONFIG`: the organisation's file, where `/etc` has none, so that nobody
    /// gets around theirs with it.
    pub(crate) org_config: PathBuf,
    /// `http_proxy`, and in either case `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`: the proxies.
    pub(crate) proxies: Proxies,
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL`: the store of
    /// a registry with `--blobs s3://…`.
    pub(crate) s3: S3,
    /// `SKILLYARD_COMPLETE`: the shell that asks what could stand at the cursor.
    pub(crate) completing: Option<String>,
    /// The directory the command was started in.
    pub(crate) current_dir: PathBuf,
    /// `TMPDIR`: where temporary files are made; `/tmp` for root, whose own others cannot reach.
    pub(crate) temporary: PathBuf,
}

impl Environment {
    /// Reads the variables.
    pub(crate) fn read() -> Self {
        let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let Ours { settings, unknown } = Ours::read();
        Self {
            no_color: given("NO_COLOR").is_some(),
            dumb_terminal: given("TERM").is_some_and(|value| value == "dumb"),
            editor: given("VISUAL").or_else(|| given("EDITOR")),
            columns: given("COLUMNS").and_then(|value| value.to_str()?.parse().ok()),
            skillyard_home: given("SKILLYARD_HOME").map_or_else(
                // Never the current folder: what lies there is a stranger's.
                || {
                    home.clone()
                        .unwrap_or_else(|| "/nonexistent".into())
                        .join(".skillyard")
                },
                // Links and records in it must mean the same wherever they are read.
                |given| std::path::absolute(&given).unwrap_or_else(|_| given.into()),
            ),
            home,
            agent_variables: agent_variables(),
            user: given("USER")
                .or_else(|| given("LOGNAME"))
                .map_or_else(account, |user| user.to_string_lossy().into_owned()),
            path: given("PATH")
                .map(|path| std::env::split_paths(&path).collect())
                .unwrap_or_default(),
            settings,
            unknown,
            github_token: secret("GH_TOKEN").or_else(|| secret("GITHUB_TOKEN")),
            gitlab_token: secret("GITLAB_TOKEN"),
            anthropic_key: secret("ANTHROPIC_API_KEY"),
            openai_key: secret("OPENAI_API_KEY"),
            key_passphrase: secret("SKILLYARD_KEY_PASSPHRASE"),
            org_config: match given("SKILLYARD_ORG_CONFIG") {
                Some(file) if !Path::new(ORG_CONFIG).exists() => file.into(),
                _ => ORG_CONFIG.into(),
            },
            proxies: read_proxies(),
            s3: S3::read(),
            completing: given(COMPLETE).and_then(|shell| shell.into_string().ok()),
            temporary: temporary(),
            current_dir: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        }
    }

    /// Whether the folder that the user is in was removed.
    pub(crate) fn is_nowhere(&self) -> bool {
        !self.current_dir.is_absolute()
    }

    /// Where agents have their folders.
    pub(crate) fn agents_home(&self) -> Home<'_> {
        Home::new(self.home.as_deref(), &self.agent_variables)
    }

    /// Whether a variable names the organisation's file, so that it must be there.
    pub(crate) fn names_org_config(&self) -> bool {
        let file = &self.org_config;
        !file.as_os_str().is_empty() && file != Path::new(ORG_CONFIG)
    }

    /// A program of the `PATH`. What it names without a root means something else in every folder,
    /// and in a checkout what others put there.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        let folders = self.path.iter().filter(|folder| folder.is_absolute());
        let mut programs = folders.map(|folder| folder.join(name));
        programs.find(|path| path.is_file())
    }

    /// A variable that the user named, for `run --env`.
    #[expect(clippy::unused_self, reason = "who reads the environment holds it")]
    pub(crate) fn passed_on(&self, name: &str) -> Option<OsString> {
        // The system refuses names like these.
        let readable = !name.is_empty() && !name.contains(['=', '\0']);
        readable.then(|| given(name)).flatten()
    }

    /// The key that the environment has for a server of models.
    pub(crate) fn model_key(&self, server: &str) -> Option<&Secret> {
        match server {
            "anthropic" => self.anthropic_key.as_ref(),
            "openai" => self.openai_key.as_ref(),
            _ => None,
        }
    }

    /// A variable that the configuration names with `${NAME}`, read when it is used.
    #[expect(
        clippy::unused_self,
        reason = "who reads variables needs the environment"
    )]
    pub(crate) fn variable(&self, name: &str) -> Option<Secret> {
        secret(name)
    }

    /// Everything in it that nobody may see.
    pub(crate) fn secrets() -> impl Iterator<Item = Secret> {
        // Both, although only one of them is used.
        let tokens = [
            "GH_TOKEN",
            "GITHUB_TOKEN",
            "GITLAB_TOKEN",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
        ];
        let settings = SETTINGS.iter().map(|(name, _)| *name);
        let settings = settings.filter(|name| name.ends_with("_TOKEN"));
        tokens.into_iter().chain(settings).filter_map(secret)
    }
}

fn agent_variables() -> Variables {
    let named = |name: &&str| Some(((*name).to_owned(), PathBuf::from(given(name)?)));
    let named = AGENT_FOLDERS.iter().filter_map(named);
    named.filter(|(_, folder)| folder.is_absolute()).collect()
}

fn secret(name: &str) -> Option<Secret> {
    Some(Secret::new(given(name)?.into_string().ok()?))
}

/// Where temporary files go; root's variable may point where nobody else can go.
fn temporary() -> PathBuf {
    if skillyard_sandbox::survey::is_root() {
        return PathBuf::from("/tmp");
    }
    std::env::temp_dir()
}

/// The value of a variable; an empty one counts as none.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the file that reads the environment"
)]
fn given(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Reads them. That for `http:` is named in small letters only, because whoever asks a web server
/// could set the other.
fn read_proxies() -> Proxies {
    let direct = given("no_proxy").or_else(|| given("NO_PROXY"));
    Proxies {
        http: first(&["http_proxy", "all_proxy", "ALL_PROXY"]),
        https: first(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
        direct: direct.and_then(|value| value.into_string().ok()),
    }
}

fn first(variables: &[&'static str]) -> Option<NamedProxy> {
    variables.iter().find_map(|variable| {
        let address = given(variable)?.into_string().ok()?;
        Some(NamedProxy {
            variable,
            address: SecretString::from(address),
        })
    })
}

/// How the environment says an S3-compatible store is reached.
#[derive(Debug, Clone, Default)]
pub(crate) struct S3 {
    /// The key's name.
    pub(crate) key: Option<String>,
    /// The key itself.
    pub(crate) secret: Option<Secret>,
    /// The region.
    pub(crate) region: Option<String>,
    /// The server.
    pub(crate) endpoint: Option<String>,
}

impl S3 {
    fn read() -> Self {
        let text = |name: &str| given(name).and_then(|value| value.into_string().ok());
        Self {
            key: text("AWS_ACCESS_KEY_ID"),
            secret: secret("AWS_SECRET_ACCESS_KEY"),
            region: text("AWS_REGION"),
            endpoint: text("AWS_ENDPOINT_URL"),
        }
    }
}

/// The account that we run under: containers and timers set no variable.
fn account() -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let id = rustix::process::getuid().as_raw().to_string();
    name_of(&users, &id).map_or_else(|| format!("user {id}"), str::to_owned)
}

/// The name in a table of users, `name:password:id:…` a line.
fn name_of<'a>(users: &'a str, id: &str) -> Option<&'a str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        (fields.nth(1)? == id).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_all_agents_are_read() {
        let known: Vec<&str> = skillyard_catalog::agents::variables().collect();
        assert_eq!(known, AGENT_FOLDERS);
    }
}

#[cfg(test)]
mod account_tests {
    use super::*;

    #[test]
    fn an_account_is_known_by_its_name() {
        let users = "root:x:0:0::/root:/bin/sh\nbroken\n:x:7:7\nada:x:1000:1000::/home/ada:\n";
        assert_eq!(name_of(users, "0"), Some("root"));
        assert_eq!(name_of(users, "1000"), Some("ada"));
        assert_eq!(name_of(users, "7"), None);
        assert_eq!(name_of(users, "100"), None);
    }
}
