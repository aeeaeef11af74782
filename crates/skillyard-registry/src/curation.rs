//! What becomes of what was published: withdrawn, deprecated, tagged.

use semver::Version;
use skillyard_audit::{Event, EventKind};
use skillyard_format::QualifiedName;
use skillyard_format::qualified::is_tag;

use crate::database::Change;
use crate::error::RegistryError;
use crate::registry::{Registry, allow, need, no_version};
use crate::role::Role;
use crate::store::versions::VersionRow;
use crate::store::{skills, tags, versions};
use crate::subject::exists;
use crate::token::{Action, Identity};

impl Registry {
    /// Withdraws a version, or takes that back: locks may use it, nothing new does.
    pub async fn set_yanked(
        &self,
        identity: &Identity,
        name: &QualifiedName,
        version: &Version,
        reason: Option<&str>,
    ) -> Result<VersionRow, RegistryError> {
        let event = Event::new(EventKind::RegistryYanked)
            .skill(name.as_str())
            .reason(reason.unwrap_or("taken back"))
            .detail("account", &identity.account)
            .detail("version", version.to_string());
        let result = self.try_yank(identity, name, version, reason).await;
        let event = match &result {
            Ok(found) => event.digest(found.tree.to_string()),
            Err(_) => event,
        };
        self.noted(event, result).await
    }

    async fn try_yank(
        &self,
        identity: &Identity,
        name: &QualifiedName,
        version: &Version,
        reason: Option<&str>,
    ) -> Result<VersionRow, RegistryError> {
        let (mut change, sequence) = self.withdrawing(identity, name).await?;
        let found = versions::find(&mut change, name.as_str(), version).await?;
        let Some(mut found) = found else {
            return Err(no_version(name, version));
        };
        versions::set_yanked(&mut change, name.as_str(), version, reason).await?;
        skills::refresh(&mut change, name.as_str(), sequence).await?;
        change.commit().await?;
        found.yanked = reason.map(str::to_owned);
        Ok(found)
    }

    /// Says what to use instead of a skill, or takes that back.
    pub async fn set_deprecated(
        &self,
        identity: &Identity,
        name: &QualifiedName,
        instead: Option<&str>,
    ) -> Result<(), RegistryError> {
        let event = Event::new(EventKind::RegistryDeprecated)
            .skill(name.as_str())
            .reason(instead.unwrap_or("taken back"))
            .detail("account", &identity.account);
        let result = async {
            let (mut change, sequence) = self.withdrawing(identity, name).await?;
            skills::set_deprecated(&mut change, name.as_str(), instead, sequence).await?;
            change.commit().await?;
            Ok(())
        };
        self.noted(event, result.await).await
    }

    /// Lets a tag stand for a version, or takes it away.
    pub async fn set_tag(
        &self,
        identity: &Identity,
        name: &QualifiedName,
        tag: &str,
        version: Option<&Version>,
    ) -> Result<(), RegistryError> {
        let event = Event::new(EventKind::RegistryTagged)
            .skill(name.as_str())
            .detail("account", &identity.account)
            .detail("tag", tag.chars().take(64).collect::<String>())
            .detail(
                "version",
                version.map_or_else(|| "none".into(), Version::to_string),
            );
        let result = self.try_tag(identity, name, tag, version).await;
        self.noted(event, result).await
    }

    async fn try_tag(
        &self,
        identity: &Identity,
        name: &QualifiedName,
        tag: &str,
        version: Option<&Version>,
    ) -> Result<(), RegistryError> {
        checked_tag(tag)?;
        let (role, action) = (Role::Publisher, Action::Publish);
        let (mut change, sequence) = self.changing(identity, name, action, role).await?;
        match version {
            Some(version) => {
                let found = versions::find(&mut change, name.as_str(), version).await?;
                match found {
                    None => return Err(no_version(name, version)),
                    Some(found) if found.yanked.is_some() => {
                        let reason = format!("{version} was withdrawn, so no tag can stand for it");
                        return Err(RegistryError::Parameter(reason));
                    }
                    Some(_) => {}
                }
                tags::set(&mut change, name.as_str(), tag, version, self.now()).await?;
            }
            None => {
                if !tags::remove(&mut change, name.as_str(), tag).await? {
                    return Err(RegistryError::NoTag {
                        skill: name.to_string(),
                        tag: tag.to_owned(),
                    });
                }
            }
        }
        skills::refresh(&mut change, name.as_str(), sequence).await?;
        change.commit().await?;
        Ok(())
    }

    async fn withdrawing(
        &self,
        identity: &Identity,
        name: &QualifiedName,
    ) -> Result<(Change, i64), RegistryError> {
        let (role, action) = (Role::Maintainer, Action::Yank);
        self.changing(identity, name, action, role).await
    }

    /// Begins a change to an existing skill by an account that may make it.
    async fn changing(
        &self,
        identity: &Identity,
        name: &QualifiedName,
        action: Action,
        role: Role,
    ) -> Result<(Change, i64), RegistryError> {
        self.writable().await?;
        allow(identity, action, name.as_str())?;
        let (mut change, sequence) = self.change().await?;
        exists(&mut change, name).await?;
        need(&mut change, identity, name, role).await?;
        Ok((change, sequence))
    }
}

/// Refuses a text that no tag can be.
pub(crate) fn checked_tag(tag: &str) -> Result<(), RegistryError> {
    if is_tag(tag) {
        return Ok(());
    }
    let reason = "a tag is 1 to 40 small letters, digits and hyphens that no version could be \
                  meant by, such as `beta`";
    Err(RegistryError::Parameter(reason.to_owned()))
}
