//! The registry's log, as a client that trusts nobody reads it.

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;
use skillyard_trust::transparency::{SignedCheckpoint, check_consistency, check_inclusion, leaf};

use super::http::HttpRegistry;
use super::{RegistryError, VersionInfo, segments};
use crate::fetch::http::{Http, HttpError, Request};

/// The most bytes of an answer about the log.
const MAX_ANSWER: u64 = 256 * 1024;

/// What is remembered of a log from one time to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenLog {
    /// The key that signs it.
    pub key: String,
    /// How many entries it had.
    pub size: u64,
    /// The root over them.
    pub root: Digest,
}

#[derive(Deserialize)]
struct Inclusion {
    index: u64,
    proof: Vec<Digest>,
}

#[derive(Deserialize)]
struct Consistency {
    proof: Vec<Digest>,
}

impl HttpRegistry {
    /// Checks that a version is in the log and that the log only grew; returns what to remember.
    ///
    /// A registry that never had a log is taken as it is. One that had a log must go on having it.
    pub fn check_log(
        &self,
        http: &Http,
        version: &VersionInfo,
        seen: Option<&SeenLog>,
    ) -> Result<Option<SeenLog>, RegistryError> {
        let wrong = |problem: String| RegistryError::Log {
            registry: self.name(),
            problem,
        };
        let request = self.request(&["log", "checkpoint"]);
        let signed: SignedCheckpoint = match http.get(&request, MAX_ANSWER) {
            Ok(body) => body.json()?,
            Err(error) if error.status() == Some(404) => {
                return match seen {
                    None => Ok(None),
                    Some(_) => Err(wrong("it had one before, and has none now".to_owned())),
                };
            }
            Err(error) => return Err(error.into()),
        };
        let key = signed.check(seen.map(|seen| seen.key.as_str()));
        let key = key.map_err(|error| wrong(error.to_string()))?;
        let now = signed.checkpoint;
        if let Some(seen) = seen {
            // A shorter log has no proof to ask for.
            let proof = if seen.size < now.size {
                self.consistency(http, seen.size, now.size)?
            } else {
                Vec::new()
            };
            check_consistency((seen.size, seen.root), (now.size, now.root), &proof)
                .map_err(|error| wrong(error.to_string()))?;
        }
        let number = version.version.to_string();
        let path = ["entries", &version.name, &number].join("/");
        let mut url = self.address(&segments("log", &path, &[]));
        url.query_pairs_mut()
            .append_pair("size", &now.size.to_string());
        let request = Request::new(url).headers(self.headers.iter().cloned());
        let found: Inclusion = match http.get(&request, MAX_ANSWER) {
            Ok(body) => body.json()?,
            Err(error) if matches!(error.status(), Some(400 | 404)) => {
                return Err(wrong(format!("`{}@{number}` is not in it", version.name)));
            }
            Err(error) => return Err(error.into()),
        };
        let leaf = leaf(
            &version.name,
            &number,
            version.digest,
            version.signer.as_deref(),
        );
        check_inclusion(leaf, found.index, now.size, &found.proof, now.root)
            .map_err(|error| wrong(format!("`{}@{number}`: {error}", version.name)))?;
        Ok(Some(SeenLog {
            key,
            size: now.size,
            root: now.root,
        }))
    }

    /// Whether there is a log, as every registry has that can be asked for one.
    pub fn has_log(&self, http: &Http) -> bool {
        let request = self.request(&["log", "checkpoint"]);
        http.get(&request, MAX_ANSWER)
            .is_ok_and(|body| body.json::<SignedCheckpoint>().is_ok())
    }

    /// Says of an answer that makes no sense, or of something that is not there, whether that is
    /// because the registry is plain files: those have a log, and nobody who says how they are.
    pub(super) fn of_files(&self, http: &Http, error: RegistryError) -> RegistryError {
        let is_odd = matches!(
            error,
            RegistryError::NotFound { .. }
                | RegistryError::NotARegistry { .. }
                | RegistryError::Http(HttpError::Unreadable { .. })
        );
        let is_served = || {
            let health = http.get(&self.request(&["health"]), MAX_ANSWER);
            !health.is_err_and(|error| matches!(error.status(), Some(404 | 410)))
        };
        if !is_odd || is_served() || !self.has_log(http) {
            return error;
        }
        RegistryError::PlainFiles {
            registry: self.name(),
        }
    }

    fn consistency(&self, http: &Http, from: u64, to: u64) -> Result<Vec<Digest>, RegistryError> {
        let (from, to) = (from.to_string(), to.to_string());
        let request = self.request(&["log", "consistency", &from, &to]);
        Ok(http.get(&request, MAX_ANSWER)?.json::<Consistency>()?.proof)
    }
}
