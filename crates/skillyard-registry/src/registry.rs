//! The registry itself: what can be done, whoever asks and however they ask.
//!
//! What is published is in `publishing`, what becomes of it in `curation`, who may do it in
//! `ownership` and with which token in `issuing`; all of them are methods of this one type.

use std::sync::Arc;

use jiff::Timestamp;
use semver::Version;
use skillyard_audit::{AuditError, Event, LossCounter, Outcome, Recorder};
use skillyard_format::QualifiedName;

use crate::blobs::Blobs;
use crate::cache::ChangeSequence;
use crate::database::{Change, Database};
use crate::error::RegistryError;
use crate::role::Role;
use crate::search::{Search, SearchHits, SearchSnapshot};
use crate::store::skills::SkillRow;
use crate::store::versions::VersionRow;
use crate::store::{owners, skills, tokens, upstream, versions};
use crate::token::{self, Action, Identity};
use crate::transparency::Log;

/// From so many downloads on a name is worth being mistaken for.
const POPULAR: u64 = 100;

/// What the time is; a test has its own.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A registry: a database, a store of archives, and what was made of them in memory.
#[derive(Clone)]
pub struct Registry {
    /// Names, versions, owners, tokens.
    pub database: Database,
    /// The archives.
    pub blobs: Blobs,
    pub(crate) change_sequence: Arc<ChangeSequence>,
    pub(crate) search: Arc<Search>,
    pub(crate) log: Arc<Log>,
    pub(crate) popular: u64,
    recorder: Option<Arc<Recorder>>,
    losses: Arc<LossCounter>,
    clock: Clock,
}

impl Registry {
    /// A registry over these.
    pub fn new(
        database: Database,
        blobs: Blobs,
        recorder: Option<Arc<Recorder>>,
        clock: Clock,
    ) -> Self {
        Self {
            database,
            blobs,
            change_sequence: Arc::default(),
            search: Arc::default(),
            log: Arc::default(),
            popular: POPULAR,
            recorder,
            losses: Arc::default(),
            clock,
        }
    }

    /// Holds new names that are one edit from a skill with so many downloads.
    #[must_use]
    pub fn with_popular(mut self, downloads: u64) -> Self {
        self.popular = downloads;
        self
    }

    /// What time it is.
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Whom a token names.
    pub async fn identify(&self, token: &str) -> Result<Identity, RegistryError> {
        // What cannot be one of ours is not even looked up.
        if !token.starts_with(token::PREFIX) || token.len() > 128 {
            return Err(RegistryError::BadToken);
        }
        let found = tokens::identify(&self.database, token, self.now()).await?;
        found.ok_or(RegistryError::BadToken)
    }

    /// A version of a skill: the one that is named, or the latest.
    pub(crate) async fn version(
        &self,
        name: &QualifiedName,
        version: Option<&Version>,
    ) -> Result<VersionRow, RegistryError> {
        let Some(version) = version else {
            let skill = skills::one(self.database.pool(), name.as_str()).await?;
            let skill = skill.ok_or_else(|| RegistryError::NoSkill(name.to_string()))?;
            return Ok(skill.latest);
        };
        let found = versions::one(&self.database, name.as_str(), version).await?;
        found.ok_or_else(|| no_version(name, version))
    }

    /// Refuses changes to a mirror, which has to stay what the registry behind it is.
    pub(crate) async fn writable(&self) -> Result<(), RegistryError> {
        match upstream::find(&self.database).await? {
            None => Ok(()),
            Some(upstream) => Err(RegistryError::Mirror(upstream.url)),
        }
    }

    /// Begins a change, unless it could not be recorded; returns its number.
    pub(crate) async fn change(&self) -> Result<(Change, i64), RegistryError> {
        self.ready_to_record().await?;
        Ok(self.database.change().await?)
    }

    /// Fails where nothing can be recorded: what must not happen unrecorded asks before it begins.
    pub(crate) async fn ready_to_record(&self) -> Result<(), RegistryError> {
        self.with_recorder(Recorder::make_ready).await
    }

    /// Records what came of a change, refusals included, and hands it on.
    pub(crate) async fn noted<T>(
        &self,
        event: Event,
        result: Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        let event = match &result {
            Ok(_) => event,
            Err(error) if error.status() < 500 => event.ended(Outcome::Denied, error.to_string()),
            Err(error) => event.ended(Outcome::Failed, error.to_string()),
        };
        let recorded = self.record(event).await;
        // What has happened is not denied: the log will say that something is missing.
        if result.is_err() {
            recorded?;
        }
        result
    }

    pub(crate) async fn record(&self, event: Event) -> Result<(), RegistryError> {
        let losses = Arc::clone(&self.losses);
        self.with_recorder(move |recorder| {
            losses.record(&event, |event| recorder.record(event).map(drop))
        })
        .await
    }

    async fn with_recorder(
        &self,
        act: impl FnOnce(&Recorder) -> Result<(), AuditError> + Send + 'static,
    ) -> Result<(), RegistryError> {
        let Some(recorder) = self.recorder.clone() else {
            return Ok(());
        };
        let done = tokio::task::spawn_blocking(move || act(&recorder)).await;
        done.map_err(RegistryError::internal)?
            .map_err(RegistryError::internal)
    }
}

impl Registry {
    /// The picture to answer from; the first one is made when it is first asked for.
    pub async fn search_snapshot(&self) -> Result<Arc<SearchSnapshot>, RegistryError> {
        self.search.picture(&self.database, self.now()).await
    }

    /// What was found, as the database has it now.
    pub(crate) async fn rows(
        &self,
        found: &SearchHits<'_>,
    ) -> Result<Vec<SkillRow>, RegistryError> {
        Ok(skills::named(&self.database, &found.names).await?)
    }
}

/// Refuses what the token does not allow.
pub(crate) fn allow(
    identity: &Identity,
    action: Action,
    subject: &str,
) -> Result<(), RegistryError> {
    if identity.may(action, subject) {
        return Ok(());
    }
    Err(RegistryError::Scope {
        action,
        skill: subject.to_owned(),
    })
}

/// Refuses whoever has no role for a skill that is high enough.
pub(crate) async fn need(
    connection: &mut sqlx::AnyConnection,
    identity: &Identity,
    name: &QualifiedName,
    needed: Role,
) -> Result<(), RegistryError> {
    let role = owners::role(connection, name, &identity.account).await?;
    enough(role, needed, identity, name.as_str())
}

/// Refuses a role that is not high enough.
pub(crate) fn enough(
    role: Option<Role>,
    needed: Role,
    identity: &Identity,
    subject: &str,
) -> Result<(), RegistryError> {
    match role {
        Some(role) if role >= needed => Ok(()),
        Some(role) => Err(RegistryError::Role {
            account: identity.account.clone(),
            subject: subject.to_owned(),
            role,
            needed,
        }),
        None => Err(RegistryError::NotOwner {
            account: identity.account.clone(),
            skill: subject.to_owned(),
        }),
    }
}

/// The skill has no such version.
pub(crate) fn no_version(name: &QualifiedName, version: &Version) -> RegistryError {
    RegistryError::NoVersion {
        skill: name.to_string(),
        version: version.to_string(),
    }
}
