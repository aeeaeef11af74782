//! The registry itself: what can be done, whoever asks and however they ask.

use std::sync::Arc;

use jiff::Timestamp;
use semver::Version;
use skillyard_audit::{Event, EventKind, Outcome, Recorder};
use skillyard_format::SkillName;

use crate::blobs::{BlobError, Blobs};
use crate::database::Database;
use crate::error::RegistryError;
use crate::look::Looks;
use crate::names;
use crate::package::{self, Package};
use crate::search::Search;
use crate::store::versions::VersionRow;
use crate::store::{owners, skills, tokens, versions};
use crate::token::{self, Action, Identity};
use crate::transparency::Log;

/// What the time is; a test has its own.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A registry: a database, a store of archives, and what was made of them in memory.
#[derive(Clone)]
pub struct Registry {
    /// Names, versions, owners, tokens.
    pub database: Database,
    /// The archives.
    pub blobs: Blobs,
    pub(crate) looks: Arc<Looks>,
    pub(crate) search: Arc<Search>,
    pub(crate) log: Arc<Log>,
    recorder: Option<Arc<Recorder>>,
    clock: Clock,
}

/// What came of publishing.
#[derive(Debug)]
pub enum Published {
    /// There is a new version.
    New(Package),
    /// These very files were there under this version already.
    Same(Package),
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
            looks: Arc::default(),
            search: Arc::default(),
            log: Arc::default(),
            recorder,
            clock,
        }
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

    /// Publishes an upload, which has to be what is `expected`: all of it, or nothing.
    ///
    /// The archive is stored first. Until the one transaction after it commits, nothing points
    /// there; what a crash leaves behind is an archive without a version, which `gc` removes.
    pub async fn publish(
        &self,
        identity: &Identity,
        upload: bytes::Bytes,
        expected: Option<(&SkillName, &Version)>,
    ) -> Result<Published, RegistryError> {
        let now = self.now();
        // Unpacking and scanning are work for seconds at worst, not for the reactor.
        let examined = tokio::task::spawn_blocking(move || package::examine(&upload, now)).await;
        let result = match examined.map_err(RegistryError::internal)? {
            Ok(package) => match other_than(expected, &package) {
                Some(error) => Err(error),
                None => self.publish_package(identity, package, now).await,
            },
            Err(refusal) => Err(refusal.into()),
        };
        self.note_publish(identity, &result).await?;
        result
    }

    async fn publish_package(
        &self,
        identity: &Identity,
        package: Package,
        now: Timestamp,
    ) -> Result<Published, RegistryError> {
        let name = package.name.clone();
        allow(identity, Action::Publish, name.as_str())?;
        names::check(&name)?;
        // A stranger's upload is not stored at all.
        let mut connection = self
            .database
            .pool()
            .acquire()
            .await
            .map_err(RegistryError::from)?;
        self.may_publish(&mut connection, identity, &package)
            .await?;
        drop(connection);
        self.blobs
            .put(package.digest, package.archive.clone())
            .await?;

        let (mut change, sequence) = self.database.change().await?;
        // Asked again, because others may have published in between.
        match self.may_publish(&mut change, identity, &package).await? {
            Place::NewSkill => {
                let folded = names::folded(&name);
                skills::add(&mut change, &name, &folded, &package.version, sequence, now).await?;
                owners::add(&mut change, name.as_str(), &identity.account, now).await?;
            }
            Place::NewVersion => {}
            Place::Taken => return Ok(Published::Same(package)),
        }
        // While this change is open `gc` removes nothing; what it removed before has to be sent again.
        if !self.blobs.has(package.digest).await? {
            return Err(BlobError::Missing(package.digest).into());
        }
        versions::add(&mut change, &package, &identity.account, sequence, now).await?;
        skills::refresh(&mut change, name.as_str(), sequence).await?;
        change.commit().await?;
        Ok(Published::New(package))
    }

    async fn may_publish(
        &self,
        connection: &mut sqlx::AnyConnection,
        identity: &Identity,
        package: &Package,
    ) -> Result<Place, RegistryError> {
        let name = package.name.as_str();
        let folded = names::folded(&package.name);
        match skills::lookalike(connection, &folded).await? {
            None => return Ok(Place::NewSkill),
            Some(other) if other != name => {
                return Err(RegistryError::Confusable {
                    name: name.to_owned(),
                    other,
                });
            }
            Some(_) => {}
        }
        own(connection, identity, name).await?;
        match versions::find(connection, name, &package.version).await? {
            None => Ok(Place::NewVersion),
            Some(there) if there.digest == package.digest => Ok(Place::Taken),
            Some(there) => Err(RegistryError::Immutable {
                skill: name.to_owned(),
                version: package.version.to_string(),
                published: there.digest,
            }),
        }
    }

    /// Withdraws a version, or takes that back: locks may use it, nothing new does.
    pub async fn set_yanked(
        &self,
        identity: &Identity,
        name: &SkillName,
        version: &Version,
        reason: Option<&str>,
    ) -> Result<VersionRow, RegistryError> {
        allow(identity, Action::Yank, name.as_str())?;
        let (mut change, sequence) = self.database.change().await?;
        exists(&mut change, name).await?;
        own(&mut change, identity, name.as_str()).await?;
        let found = versions::find(&mut change, name.as_str(), version).await?;
        let Some(mut found) = found else {
            return Err(no_version(name, version));
        };
        versions::set_yanked(&mut change, name.as_str(), version, reason).await?;
        skills::refresh(&mut change, name.as_str(), sequence).await?;
        change.commit().await?;
        found.yanked = reason.map(str::to_owned);
        let event = Event::new(EventKind::RegistryYanked)
            .skill(name.as_str())
            .digest(found.tree.to_string())
            .reason(reason.unwrap_or("taken back"))
            .detail("account", &identity.account)
            .detail("version", version.to_string());
        self.record(event).await?;
        Ok(found)
    }

    /// Says what to use instead of a skill, or takes that back.
    pub async fn set_deprecated(
        &self,
        identity: &Identity,
        name: &SkillName,
        instead: Option<&str>,
    ) -> Result<(), RegistryError> {
        allow(identity, Action::Yank, name.as_str())?;
        let (mut change, sequence) = self.database.change().await?;
        exists(&mut change, name).await?;
        own(&mut change, identity, name.as_str()).await?;
        skills::set_deprecated(&mut change, name.as_str(), instead, sequence).await?;
        change.commit().await?;
        Ok(())
    }

    /// Makes an account an owner of a skill.
    pub async fn add_owner(
        &self,
        identity: &Identity,
        name: &SkillName,
        account: &str,
    ) -> Result<(), RegistryError> {
        allow(identity, Action::Owners, name.as_str())?;
        account_named(account)?;
        let (mut change, _) = self.database.change().await?;
        exists(&mut change, name).await?;
        own(&mut change, identity, name.as_str()).await?;
        owners::add(&mut change, name.as_str(), account, self.now()).await?;
        change.commit().await?;
        Ok(())
    }

    /// Takes an owner away; the last one stays.
    pub async fn remove_owner(
        &self,
        identity: &Identity,
        name: &SkillName,
        account: &str,
    ) -> Result<(), RegistryError> {
        allow(identity, Action::Owners, name.as_str())?;
        account_named(account)?;
        let (mut change, _) = self.database.change().await?;
        exists(&mut change, name).await?;
        own(&mut change, identity, name.as_str()).await?;
        owners::remove(&mut change, name.as_str(), account).await?;
        if owners::count(&mut change, name.as_str()).await? == 0 {
            return Err(RegistryError::LastOwner(name.to_string()));
        }
        change.commit().await?;
        Ok(())
    }

    /// A version of a skill: the one that is named, or the latest.
    pub(crate) async fn version(
        &self,
        name: &SkillName,
        version: Option<&Version>,
    ) -> Result<VersionRow, RegistryError> {
        let Some(version) = version else {
            let skill = skills::one(&self.database, name.as_str()).await?;
            let skill = skill.ok_or_else(|| RegistryError::NoSkill(name.to_string()))?;
            return Ok(skill.latest);
        };
        let found = versions::one(&self.database, name.as_str(), version).await?;
        found.ok_or_else(|| no_version(name, version))
    }

    async fn note_publish(
        &self,
        identity: &Identity,
        result: &Result<Published, RegistryError>,
    ) -> Result<(), RegistryError> {
        let event = Event::new(EventKind::RegistryPublished).detail("account", &identity.account);
        let event = match result {
            Ok(Published::New(package)) => event
                .skill(package.name.as_str())
                .digest(package.tree.to_string())
                .detail("version", package.version.to_string())
                .detail("archive", package.digest.to_string()),
            Ok(Published::Same(_)) => return Ok(()),
            Err(error) if error.status() < 500 => event.ended(Outcome::Denied, error.to_string()),
            Err(error) => event.ended(Outcome::Failed, error.to_string()),
        };
        self.record(event).await
    }

    async fn record(&self, event: Event) -> Result<(), RegistryError> {
        let Some(recorder) = self.recorder.clone() else {
            return Ok(());
        };
        let written = tokio::task::spawn_blocking(move || recorder.record(&event)).await;
        written
            .map_err(RegistryError::internal)?
            .map_err(RegistryError::internal)?;
        Ok(())
    }
}

/// An upload that is not what the address says.
fn other_than(
    expected: Option<(&SkillName, &Version)>,
    package: &Package,
) -> Option<RegistryError> {
    let (name, version) = expected?;
    if *name == package.name && *version == package.version {
        return None;
    }
    Some(RegistryError::OtherPackage {
        found: format!("{}@{}", package.name, package.version),
        named: format!("{name}@{version}"),
    })
}

/// Where an upload would go.
enum Place {
    NewSkill,
    NewVersion,
    Taken,
}

fn allow(identity: &Identity, action: Action, skill: &str) -> Result<(), RegistryError> {
    if identity.may(action, skill) {
        return Ok(());
    }
    Err(RegistryError::Scope {
        action,
        skill: skill.to_owned(),
    })
}

async fn own(
    connection: &mut sqlx::AnyConnection,
    identity: &Identity,
    skill: &str,
) -> Result<(), RegistryError> {
    if owners::is_owner(connection, skill, &identity.account).await? {
        return Ok(());
    }
    Err(RegistryError::NotOwner {
        account: identity.account.clone(),
        skill: skill.to_owned(),
    })
}

async fn exists(
    connection: &mut sqlx::AnyConnection,
    name: &SkillName,
) -> Result<(), RegistryError> {
    let found = skills::lookalike(connection, &names::folded(name)).await?;
    match found {
        Some(found) if found == name.as_str() => Ok(()),
        _ => Err(RegistryError::NoSkill(name.to_string())),
    }
}

fn account_named(account: &str) -> Result<(), RegistryError> {
    if token::is_account(account) {
        return Ok(());
    }
    let reason = "an account is 1 to 64 letters, digits, `-`, `_` and `.`";
    Err(RegistryError::Parameter(reason.to_owned()))
}

fn no_version(name: &SkillName, version: &Version) -> RegistryError {
    RegistryError::NoVersion {
        skill: name.to_string(),
        version: version.to_string(),
    }
}
