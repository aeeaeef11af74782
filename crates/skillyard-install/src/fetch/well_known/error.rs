//! Why a site gave no skill.

use std::io;
use std::path::PathBuf;

use crate::fetch::http::HttpError;

/// Why a site gave no skill.
#[derive(Debug, thiserror::Error)]
pub enum WellKnownError {
    /// The site has no index.
    #[error("the site lists no skills: there is nothing at `{}`", tried.join("`, `"))]
    NoIndex {
        /// The addresses that were tried.
        tried: Vec<String>,
    },
    /// The site has no index for an address, and there is no archive at it either.
    #[error("`{url}` {found}, and no skills are listed for it: there is nothing at `{}`", tried.join("`, `"))]
    Nothing {
        /// The address.
        url: String,
        /// What is there instead.
        found: String,
        /// The addresses that were tried.
        tried: Vec<String>,
    },
    /// The index is in a format that is not known.
    #[error("`{url}` is in the format `{schema}`, which is not known")]
    UnknownSchema {
        /// The index.
        url: String,
        /// The format.
        schema: String,
    },
    /// The index lists more than is read.
    #[error("`{url}` lists more skills than are read from the index of a site")]
    TooMany {
        /// The index.
        url: String,
    },
    /// The index does not list the skill.
    #[error("`{url}` lists no skill `{name}`{}", did_you_mean(.nearest.as_deref()))]
    NoSuchSkill {
        /// The index.
        url: String,
        /// The skill.
        name: String,
        /// The nearest that it lists.
        nearest: Option<String>,
    },
    /// The index lists the skill in a way that cannot be used.
    #[error("`{name}` cannot be fetched: {reason}")]
    Skipped {
        /// The skill.
        name: String,
        /// Why.
        reason: String,
    },
    /// The skill is on another host, or behind another port.
    #[error(
        "`{name}` is elsewhere, at `{host}`, which is not trusted to serve skills of this site"
    )]
    ForeignHost {
        /// The skill.
        name: String,
        /// The host, with how it is reached.
        host: String,
        /// The address, if an archive is there.
        archive: Option<String>,
    },
    /// The skill is another one than the index says.
    #[error("what is listed as `{listed}` calls itself `{named}` in its SKILL.md")]
    Misnamed {
        /// The name in the index.
        listed: String,
        /// Its own.
        named: String,
    },
    /// A file could not be stored.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A request failed.
    #[error(transparent)]
    Http(#[from] HttpError),
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{nearest}`?")
    })
}
