//! What `skillyard search` finds in the registry.

use std::fmt::Write as _;

use semver::Version;
use serde_json::{Value, json};
use skillyard_format::text::one_line;
use skillyard_install::fetch::registry::{
    Registry as _, RegistryMemory, SearchQuery, SearchResults,
};

use crate::config::source::SourceKind;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::remote::Remote;
use crate::install::web::age;
use crate::text::counted;
use crate::text::sanitize::visible;

/// Where `search` looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchScope {
    /// Only here.
    Local,
    /// Here, and in the registry if there is one and it answers.
    Both,
    /// Only in the registry, which has to answer.
    Registry,
}

/// Which skills of a registry are wanted; any of these means a registry is searched.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are flags of the command line"
)]
pub(crate) struct Narrowed {
    /// Only in this registry of your configuration
    #[arg(long, value_name = "ALIAS", conflicts_with_all = ["local", "source"])]
    from: Option<String>,
    /// Only of this account or namespace of the registry
    #[arg(long, value_name = "NAME", conflicts_with_all = ["local", "source"])]
    owner: Option<String>,
    /// Only with this licence, in the registry
    #[arg(long, value_name = "LICENSE", conflicts_with_all = ["local", "source"])]
    license: Option<String>,
    /// Only with this tag, in the registry
    #[arg(long, value_name = "TAG", conflicts_with_all = ["local", "source"])]
    tag: Option<String>,
    /// Only with scripts, in the registry
    #[arg(long, conflicts_with_all = ["local", "source", "no_scripts"])]
    scripts: bool,
    /// Only without scripts, in the registry
    #[arg(long, conflicts_with_all = ["local", "source"])]
    no_scripts: bool,
    /// Only what somebody signed, in the registry
    #[arg(long, conflicts_with_all = ["local", "source"])]
    signed: bool,
    /// Ask nobody: search what is here, in the store, and was seen of registries before
    #[arg(long, conflicts_with_all = ["local", "source"])]
    offline: bool,
}

impl Narrowed {
    /// Whether anything was said.
    pub(crate) fn is_given(&self) -> bool {
        let texts = [&self.from, &self.owner, &self.license, &self.tag];
        texts.iter().any(|text| text.is_some()) || self.scripts || self.no_scripts || self.signed
    }

    /// Whether nobody is to be asked.
    pub(crate) fn is_offline(&self) -> bool {
        self.offline
    }

    fn query<'a>(&'a self, words: &'a str, limit: usize) -> SearchQuery<'a> {
        SearchQuery {
            words,
            limit,
            owner: self
                .owner
                .as_deref()
                .map(|name| name.trim_start_matches('@')),
            license: self.license.as_deref(),
            tag: self.tag.as_deref(),
            scripts: match (self.scripts, self.no_scripts) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            signed: self.signed.then_some(true),
        }
    }
}

/// What the registry found.
pub(crate) struct RemoteMatches {
    registry: String,
    /// What it is called here, if it is not the one that is asked by default.
    alias: Option<String>,
    results: SearchResults,
    /// Whether it was not asked, and only what it said before was searched.
    is_remembered: bool,
    /// Whether nothing was ever seen of it.
    is_unseen: bool,
}

/// What came of asking registries.
#[derive(Default)]
pub(crate) struct RemoteSearch {
    /// What they found.
    pub(crate) found: Vec<RemoteMatches>,
    /// Why some said nothing.
    pub(crate) failed: Vec<String>,
}

/// Asks the registry, or looks up what was seen of all of them; nothing where there is none.
pub(crate) fn search(
    context: &Context,
    reach: SearchScope,
    words: &str,
    limit: usize,
    narrowed: &Narrowed,
) -> Result<RemoteSearch, CommandError> {
    let mut all = RemoteSearch::default();
    if reach == SearchScope::Local {
        return Ok(all);
    }
    let mut aliases = vec![narrowed.from.clone()];
    if narrowed.offline && narrowed.from.is_none() {
        let config = context.config()?;
        let known = config.aliases().into_iter().filter(|alias| {
            let source = config.source(alias);
            matches!(source, Ok(Some(source)) if source.kind == SourceKind::Registry)
        });
        aliases.extend(known.map(Some));
        if aliases.len() > 1 && config.registry().is_ok_and(|found| found.is_none()) {
            aliases.remove(0);
        }
    }
    for alias in aliases {
        match ask(context, words, limit, narrowed, alias) {
            Ok(found) => all.found.push(found),
            Err(error) if reach == SearchScope::Registry => return Err(error),
            Err(CommandError::Install(InstallFailure::NoRegistry)) => {}
            Err(error) => {
                let reason = error.with_causes();
                let note = format!("warning: nothing came from the registry: {reason}");
                context.printer.note(&visible(&note));
                all.failed.push(reason);
            }
        }
    }
    Ok(all)
}

fn ask(
    context: &Context,
    words: &str,
    limit: usize,
    narrowed: &Narrowed,
    alias: Option<String>,
) -> Result<RemoteMatches, CommandError> {
    let remote = if narrowed.offline {
        Remote::offline(context, alias.as_deref())?
    } else {
        Remote::open(context, alias.as_deref())?
    };
    let query = narrowed.query(words, limit);
    let results = remote.registry.search(&remote.http, &query);
    let is_unseen = narrowed.offline && !tell_age(context, &remote);
    let results = results.map_err(InstallFailure::from)?;
    if let Some(reason) = &results.unkept {
        let registry = remote.address();
        let note = format!("what {registry} said is not kept for `--offline`: {reason}");
        context.printer.warn(&note);
    }
    Ok(RemoteMatches {
        registry: remote.address(),
        alias,
        results,
        is_remembered: narrowed.offline,
        is_unseen,
    })
}

/// Says how old what is known of a registry is; whether there is anything.
fn tell_age(context: &Context, remote: &Remote) -> bool {
    let seen = remote.registry.memory.as_ref().map(RegistryMemory::known);
    let seen = seen.unwrap_or_default();
    let newest = seen.iter().map(|each| each.seen.as_str()).max();
    let oldest = seen.iter().map(|each| each.seen.as_str()).min();
    let note = match (oldest, newest) {
        (Some(oldest), Some(newest)) => format!(
            "offline: among {} of {} that {} seen before, the first {}, the last {}",
            counted(seen.len(), "skill"),
            remote.address(),
            if seen.len() == 1 { "was" } else { "were" },
            age(oldest, context.now()),
            age(newest, context.now())
        ),
        _ => format!("offline: no skill of {} was seen before", remote.address()),
    };
    context.printer.note(&visible(&note));
    !seen.is_empty()
}

impl RemoteMatches {
    /// Where it is.
    pub(crate) fn registry(&self) -> &str {
        &self.registry
    }

    /// Whether nothing was ever seen of it.
    pub(crate) fn is_unseen(&self) -> bool {
        self.is_unseen
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.results.skills.is_empty()
    }

    /// For programs.
    pub(crate) fn json(&self) -> Vec<Value> {
        let skills = self.results.skills.iter();
        skills
            .map(|skill| {
                json!({
                    "name": skill.name,
                    "description": skill.description,
                    "source": "registry",
                    "registry": self.registry,
                    "version": skill.version,
                    "author": skill.author,
                    "publisher": skill.published_by(),
                    "downloads": skill.downloads,
                    "download_url": skill.download_url,
                    "license": skill.license,
                    "tags": skill.tags,
                    "has_scripts": skill.has_scripts,
                    "signer": skill.signer,
                    "deprecated": skill.deprecated,
                })
            })
            .collect()
    }

    /// For people.
    pub(crate) fn text(&self, context: &Context) -> String {
        let mut text = String::new();
        for skill in &self.results.skills {
            let publisher = skill.published_by().unwrap_or("unknown");
            let _ = writeln!(
                text,
                "+ {}  {}  by {}{}{}\n    {}",
                context.printer.heading(&visible(&skill.name)),
                visible(&skill.version),
                visible(publisher),
                match skill.downloads {
                    1 => ", 1 download".to_owned(),
                    // An index does not tell how often, nor what a skill is for.
                    0 if self.is_remembered && skill.description.is_empty() => String::new(),
                    count => format!(", {count} downloads"),
                },
                match &skill.deprecated {
                    Some(instead) => format!(", deprecated: {}", visible(instead)),
                    None => String::new(),
                },
                match &*skill.description {
                    "" => "(no search has shown what it is for)".into(),
                    description => visible(&one_line(description)).into_owned(),
                },
            );
        }
        text
    }

    /// Tells that there is more, and how to get it.
    pub(crate) fn note(&self, context: &Context) {
        let shown = self.results.skills.len();
        if let Some(first) = self.results.skills.first() {
            let more = match usize::try_from(self.results.total) {
                Ok(total) if total > shown => format!("{shown} of {total}"),
                _ => shown.to_string(),
            };
            let from = self.alias.as_ref().map(|alias| format!("{alias}:"));
            // What is not released is installed only by its version.
            let version = match Version::parse(&first.version) {
                Ok(version) if !version.pre.is_empty() => format!("@{version}"),
                _ => String::new(),
            };
            let note = format!(
                "{more} from {}; install with `skillyard install {}{}{version}{}`",
                self.registry,
                from.unwrap_or_default(),
                first.name,
                if self.is_remembered { " --offline" } else { "" }
            );
            context.printer.note(&visible(&note));
        }
    }
}
