//! The configuration: layers put together, each value knowing who said it.
//!
//! `keys` is the table of all keys, `schema` looks one up, with `key_pattern`, `chosen_name` and
//! `spelling` for the names in it. `kind` and `value` say what stands behind one, with `template`,
//! `auth` and `address` for what may hold a secret, and `reading` reads it. `layer` is one layer,
//! `origin` names it, `load` puts them together, `lock` drops what the organisation forbids,
//! `final_block` what would let an approval lift a block that is final,
//! `problem` is what can be wrong.
//! `edit`, `insertion`, `removal` and `private_file` change files.
//! `discovery`, `limits`, `sources` with `source`, `hosts`, `sessions`, `mcp` and `install` are what
//! the commands ask for.
//!
//! Files: `/etc/skillyard/config.toml` (the organisation's), `$SKILLYARD_HOME/config.toml`
//! (the user's, mode 0600) and `.skillyard/config.toml` at a project's root, which has no say
//! before the project is trusted and never may loosen.

pub(crate) mod address;
mod auth;
pub(crate) mod denied_tools;
pub(crate) mod discovery;
pub(crate) mod edit;
mod final_block;
pub(crate) mod hosts;
mod insertion;
pub(crate) mod install;
pub(crate) mod keys;
mod kind;
pub(crate) mod layer;
mod load;
pub(crate) mod lock;
pub(crate) mod login;
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod project;
mod reading;
mod removal;
pub(crate) mod schema;
pub(crate) mod source;
mod sources;
mod template;
pub(crate) mod value;

use std::time::Duration;

use skillyard_catalog::ProjectTrust;
use skillyard_format::text::nearest;
use skillyard_install::tree::TreeLimits;
use skillyard_sandbox::Limits;

use crate::config::address::{check_database, is_readable_by_others};
use crate::config::value::ConfigValue;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::config_origin::LayerKind;
use crate::redactor::secret::Secret;
use crate::redactor::{Redactor, without_userinfo};
use layer::Setting;
pub(crate) use load::loosened;
use schema::Layers;

use crate::environment::Environment;

/// All layers together.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// What holds without any configuration.
    defaults: &'static [Setting],
    /// What was said, the strongest last.
    said: Vec<Setting>,
    /// What was said and does not count, because the organisation has locked it.
    unused: Vec<Setting>,
    /// What the user should know about their files.
    pub(crate) warnings: Vec<String>,
    /// Whether the project at hand has a say.
    pub(crate) project_trust: ProjectTrust,
    environment: Environment,
    redactor: Redactor,
}

impl Config {
    /// What a key is without the project, the environment and flags.
    pub(crate) fn below_project(&self, key: &str) -> Option<&Setting> {
        let weaker = self.said.iter().rev();
        let mut weaker = weaker.filter(|each| each.origin.layer() < LayerKind::Project);
        weaker
            .find(|each| each.key == key)
            .or_else(|| self.default_of(key))
    }

    /// Every value that counts: for each key the strongest, or all where they count together.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.said.iter().enumerate().filter_map(|(at, setting)| {
            let is_together = setting.entry.layers == Layers::Together;
            let overridden = self.said[at + 1..]
                .iter()
                .any(|each| each.key == setting.key);
            (is_together || !overridden).then_some(setting)
        })
    }

    /// Every value that holds without any configuration, unless something was said.
    pub(crate) fn unsaid_defaults(&self) -> impl Iterator<Item = &Setting> {
        let is_said = |key: &str| self.said.iter().any(|each| each.key == key);
        self.defaults
            .iter()
            .filter(move |setting| !is_said(&setting.key))
    }

    /// The value of a key under its own name.
    pub(crate) fn get(&self, key: &str) -> Option<&Setting> {
        let said = self.said.iter().rev().find(|setting| setting.key == key);
        said.or_else(|| self.default_of(key))
    }

    /// What each layer says about a key, the strongest last.
    pub(crate) fn all(&self, key: &str) -> impl Iterator<Item = &Setting> {
        self.said.iter().filter(move |setting| setting.key == key)
    }

    /// The word that a key is set to.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        match &self.get(key)?.value {
            ConfigValue::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// The number that a key is set to.
    pub(crate) fn count(&self, key: &str) -> Option<usize> {
        match self.get(key)?.value {
            ConfigValue::Count(count) => usize::try_from(count).ok(),
            _ => None,
        }
    }

    /// The list that a key is set to.
    pub(crate) fn list(&self, key: &str) -> Option<Vec<String>> {
        match &self.get(key)?.value {
            ConfigValue::List(texts) => Some(texts.clone()),
            _ => None,
        }
    }

    /// Whether a switch is on.
    pub(crate) fn is_on(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|setting| matches!(setting.value, ConfigValue::Switch(true)))
    }

    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    fn default_of(&self, key: &str) -> Option<&Setting> {
        self.defaults.iter().find(|setting| setting.key == key)
    }
}

/// The key that says it.
const DATABASE: &str = "sessions.database";

impl Config {
    /// The address of the database that sessions are in; none where they are in a file.
    pub(crate) fn sessions_database(&self) -> Result<Option<Secret>, ConfigError> {
        let Some(setting) = self.get(DATABASE) else {
            return Ok(None);
        };
        let ConfigValue::Address(address) = &setting.value else {
            return Ok(None);
        };
        let address = self.resolved(setting, address.template())?;
        self.redactor().learn_address(address.expose());
        check_database(address.expose()).map_err(|problem| ConfigError {
            at: Some(setting.origin.clone()),
            problem: ConfigProblem::Value {
                key: DATABASE.to_owned(),
                problem,
            },
        })?;
        Ok(Some(address))
    }
}

/// The names that `key` puts in place of the capitals of `pattern`, if it fits.
fn matched<'a>(pattern: &'a str, key: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
    let mut names = Vec::new();
    let mut segments = key.split('.');
    for expected in pattern.split('.') {
        let segment = segments.next()?;
        if is_placeholder(expected) {
            names.push((expected, segment));
        } else if expected != segment {
            return None;
        }
    }
    segments.next().is_none().then_some(names)
}

/// Whether `key` is a table that holds keys like `pattern`.
fn is_table_of(key: &str, pattern: &str) -> bool {
    let mut expected = pattern.split('.');
    let fits = key.split('.').all(|segment| {
        expected
            .next()
            .is_some_and(|expected| expected == segment || is_placeholder(expected))
    });
    fits && expected.next().is_some()
}

/// Whether a segment stands for a name.
fn is_placeholder(segment: &str) -> bool {
    segment.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Spellings of other tools, and the keys they mean.
const ALIASES: &[(&str, &str)] = &[
    ("skills.registry", "registry.url"),
    ("skills.sources.NAME.type", "sources.NAME.type"),
    ("skills.sources.NAME.url", "sources.NAME.url"),
    ("skills.sources.NAME.auth", "sources.NAME.auth"),
    ("skills.allow_scripts", "scripts.allow"),
    ("app.skills.enabled", "server.skills"),
    ("app.skills.directories", "discovery.directories"),
    ("app.skills.max_skills", "limits.max_skills"),
    ("app.skills.max_skill_md_bytes", "limits.max_skill_md_bytes"),
    ("app.skills.max_resource_bytes", "limits.max_resource_bytes"),
    ("app.skills.activation", "agents.activation"),
];

/// The key's own name, if this is another tool's.
pub(crate) fn own_name(key: &str) -> String {
    let mut found = ALIASES.iter();
    let found = found.find_map(|(spelling, own)| translated(key, spelling, own));
    found.unwrap_or_else(|| key.to_owned())
}

/// All spellings of a key, its own name first.
fn spellings(own: &str) -> Vec<String> {
    let others = ALIASES.iter();
    let others = others.filter_map(|(spelling, pattern)| translated(own, pattern, spelling));
    std::iter::once(own.to_owned()).chain(others).collect()
}

/// `other` with the names that `key` puts into `pattern`, if it fits.
fn translated(key: &str, pattern: &str, other: &str) -> Option<String> {
    let names = matched(pattern, key)?.into_iter();
    Some(names.fold(other.to_owned(), |text, (placeholder, name)| {
        text.replace(placeholder, name)
    }))
}

/// Where skills can come from, as `[trust.PROVENANCE]` names it, and what holds for each.
pub(crate) const PROVENANCES: &[Provenance] = &[
    provenance("builtin", "high", "sandboxed", "never"),
    provenance("org", "high", "sandboxed", "never"),
    provenance("own", "high", "sandboxed", "never"),
    provenance("registry-signed", "high", "sandboxed", "install"),
    provenance("registry", "medium", "sandboxed", "install"),
    provenance("local", "medium", "sandboxed", "first-run"),
    provenance("git", "low", "sandboxed-offline", "install-and-first-run"),
    provenance("archive", "untrusted", "blocked", "opt-in"),
    provenance("well-known", "untrusted", "blocked", "opt-in"),
    provenance("mcp", "untrusted", "blocked", "opt-in"),
    provenance("project", "untrusted", "blocked", "opt-in"),
];

/// A row of the table of trust.
#[derive(Debug)]
pub(crate) struct Provenance {
    /// Its name.
    pub(crate) name: &'static str,
    /// How far it is trusted.
    pub(crate) tier: &'static str,
    /// What scripts may do.
    pub(crate) scripts: &'static str,
    /// When the user is asked.
    pub(crate) ask: &'static str,
}

const fn provenance(
    name: &'static str,
    tier: &'static str,
    scripts: &'static str,
    ask: &'static str,
) -> Provenance {
    Provenance {
        name,
        tier,
        scripts,
        ask,
    }
}

/// What stands before the name of a header.
const HEADERS: &str = "telemetry.headers.";

/// A receiver of traces.
#[derive(Debug, Clone)]
pub(crate) struct TraceReceiver {
    /// Its address, without a slash at the end.
    pub(crate) url: String,
    /// What it is sent with every request.
    pub(crate) headers: Vec<(String, Secret)>,
}

impl Config {
    /// The receiver of traces, if there is one.
    pub(crate) fn trace_receiver(&self) -> Result<Option<TraceReceiver>, ConfigError> {
        let Some(url) = self.url("telemetry.endpoint")? else {
            return Ok(None);
        };
        let mut headers = Vec::new();
        for (name, setting) in self.logins(HEADERS) {
            let ConfigValue::Token(template) = &setting.value else {
                continue;
            };
            let value = self.resolved(setting, template)?;
            self.redactor().learn(value.expose());
            if is_readable_by_others(&url) {
                let url = without_userinfo(&url).into_owned();
                return Err(ConfigError {
                    at: Some(setting.origin.clone()),
                    problem: ConfigProblem::Readable {
                        key: setting.key.clone(),
                        url,
                    },
                });
            }
            headers.push((name.to_owned(), value));
        }
        Ok(Some(TraceReceiver {
            url: url.trim_end_matches('/').to_owned(),
            headers,
        }))
    }
}

/// Words that a reference can begin with, which no source may take.
const TAKEN: &[&str] = &[
    "file", "git", "github", "gitlab", "http", "https", "npm", "oci", "skill", "ssh",
];

/// Why a name may not stand there, if it may not.
fn refused(placeholder: &str, name: &str) -> Option<String> {
    if placeholder == "PROVENANCE" {
        let names: Vec<&str> = PROVENANCES.iter().map(|each| each.name).collect();
        if names.contains(&name) {
            return None;
        }
        let meant = nearest(name, names.iter().copied());
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        return Some(format!(
            "`{name}` is no provenance: it can be {}{meant}",
            names.join(", ")
        ));
    }
    if let "VARIABLE" | "HEADER" = placeholder {
        let fine = |c: char| {
            c.is_ascii_alphanumeric() || c == '_' || (c == '-' && placeholder == "HEADER")
        };
        let is_fine = !name.is_empty() && name.len() <= 128 && name.chars().all(fine);
        return (!is_fine)
            .then(|| format!("`{name}` is no name of a {}", placeholder.to_lowercase()));
    }
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if name.is_empty()
        || name.len() > 64
        || !name.chars().all(is_plain)
        || name.starts_with(['-', '_'])
    {
        let what = match placeholder {
            "NAME" => "source",
            _ => "server",
        };
        return Some(format!(
            "`{name}` is no name for a {what}: use lowercase letters, digits, `-` and `_`"
        ));
    }
    // A tool is called `mcp__SERVER__TOOL`, and one must see where the name ends.
    if placeholder == "SERVER" && (name.contains("__") || name.ends_with('_') || name.len() > 32) {
        return Some(format!(
            "`{name}` is no name for a server: it is too long, or has `_` twice or at its end"
        ));
    }
    (placeholder == "NAME" && TAKEN.contains(&name)).then(|| {
        format!(
            "no source may be called `{name}`: references with `{name}:` have a meaning already"
        )
    })
}

impl Config {
    /// Most skills of one prompt.
    pub(crate) fn max_skills(&self) -> usize {
        self.count("limits.max_skills").unwrap_or(usize::MAX)
    }

    /// Most bytes of a `SKILL.md` that a model gets at once.
    pub(crate) fn max_skill_md_bytes(&self) -> usize {
        self.count("limits.max_skill_md_bytes")
            .unwrap_or(usize::MAX)
    }

    /// Most bytes of a resource that are read at once.
    pub(crate) fn max_resource_bytes(&self) -> u64 {
        let most = self.count("limits.max_resource_bytes");
        most.map_or(u64::MAX, |most| most as u64)
    }

    /// How large a skill may be to be installed.
    pub(crate) fn tree_limits(&self) -> TreeLimits {
        let usual = TreeLimits::default();
        let bytes = self.count("limits.max_bytes");
        TreeLimits {
            files: self.count("limits.max_files").unwrap_or(usual.files),
            bytes: bytes.map_or(usual.bytes, |bytes| bytes as u64),
            ..usual
        }
    }

    /// Whether resources may lie deeper than one folder below the skill.
    pub(crate) fn reads_nested_resources(&self) -> bool {
        self.is_on("resources.nested")
    }

    /// How much scripts may use.
    pub(crate) fn script_limits(&self) -> Limits {
        let count = |key: &str| self.count(key).map(|count| count as u64);
        let mut limits = Limits::default();
        if let Some(seconds) = count("sandbox.timeout") {
            limits.wall = Duration::from_secs(seconds);
            limits.cpu = limits.cpu.max(limits.wall);
        }
        let memory = count("sandbox.memory").map(|count| count * 1024 * 1024);
        limits.memory = memory.unwrap_or(limits.memory);
        limits.processes = count("sandbox.processes").unwrap_or(limits.processes);
        let output = count("sandbox.output").map(|count| count * 1024);
        limits.output = output.unwrap_or(limits.output);
        limits
    }

    /// The programs of the system that scripts may start; all if nobody says.
    pub(crate) fn script_commands(&self) -> Option<Vec<String>> {
        self.list("sandbox.commands")
    }
}
