//! What `skillyard search` finds in the registry.

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_format::render::one_line;
use skillyard_install::fetch::registry::{Registry as _, SearchResults};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::remote::Remote;
use crate::sanitize::visible;

/// Where `search` looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Only here.
    Local,
    /// Here, and in the registry if there is one and it answers.
    Both,
    /// Only in the registry, which has to answer.
    Registry,
}

/// What the registry found.
pub(super) struct Found {
    registry: String,
    results: SearchResults,
}

/// Asks the registry; nothing where there is none to ask.
pub(super) fn search(
    context: &Context,
    reach: Reach,
    words: &str,
    limit: usize,
) -> Result<Option<Found>, CommandError> {
    if reach == Reach::Local {
        return Ok(None);
    }
    let asked = Remote::open(context, None).and_then(|remote| {
        let results = remote.registry.search(&remote.http, words, limit);
        Ok(Found {
            registry: remote.address(),
            results: results.map_err(InstallFailure::from)?,
        })
    });
    match asked {
        Ok(found) => Ok(Some(found)),
        Err(error) if reach == Reach::Registry => Err(error),
        Err(CommandError::Install(InstallFailure::NoRegistry)) => Ok(None),
        Err(error) => {
            let note = format!(
                "warning: the registry was not asked: {}",
                error.with_causes()
            );
            context.printer.note(&visible(&note));
            Ok(None)
        }
    }
}

impl Found {
    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.results.skills.is_empty()
    }

    /// For programs.
    pub(super) fn json(&self) -> Vec<Value> {
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
                    "downloads": skill.downloads,
                    "download_url": skill.download_url,
                })
            })
            .collect()
    }

    /// For people.
    pub(super) fn text(&self, context: &Context) -> String {
        let mut text = String::new();
        for skill in &self.results.skills {
            let author = skill.author.as_deref().unwrap_or("unknown");
            let _ = writeln!(
                text,
                "+ {}  {}  by {}, {}\n    {}",
                context.printer.heading(&visible(&skill.name)),
                visible(&skill.version),
                visible(author),
                match skill.downloads {
                    1 => "1 download".to_owned(),
                    count => format!("{count} downloads"),
                },
                visible(&one_line(&skill.description)),
            );
        }
        text
    }

    /// Tells that there is more, and how to get it.
    pub(super) fn note(&self, context: &Context) {
        let shown = self.results.skills.len();
        if let Some(first) = self.results.skills.first() {
            let more = match usize::try_from(self.results.total) {
                Ok(total) if total > shown => format!("{shown} of {total}"),
                _ => shown.to_string(),
            };
            let note = format!(
                "{more} from {}; install with `skillyard install {}`",
                self.registry, first.name
            );
            context.printer.note(&visible(&note));
        }
    }
}
