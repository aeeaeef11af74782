//! Publishing: all of an upload, or nothing.

use jiff::Timestamp;
use semver::Version;
use skillyard_audit::{Event, EventKind};
use skillyard_format::{Namespace, QualifiedName, SkillName};

use crate::blobs::BlobError;
use crate::error::RegistryError;
use crate::names;
use crate::package::{self, Package};
use crate::registry::{Registry, allow, need};
use crate::role::Role;
use crate::squat::{self, Among};
use crate::store::{held, namespaces, roles, skills, tags, versions};
use crate::subject::Subject;
use crate::token::{Action, Identity};

/// Where an upload is to go.
#[derive(Debug, Clone, Default)]
pub struct Destination {
    /// The namespace; without one, a bare name.
    pub namespace: Option<Namespace>,
    /// A tag that is to stand for the version.
    pub tag: Option<String>,
    /// What the upload has to be.
    pub expected: Option<(SkillName, Version)>,
}

/// What came of publishing.
#[derive(Debug)]
pub enum Published {
    /// There is a new version.
    New(Package),
    /// These very files were there under this version already, and why that was withdrawn, if it was.
    Same(Package, Option<String>),
}

/// Where an upload would go.
enum PublishTarget {
    NewSkill,
    NewVersion,
    /// These very files are there; why they were withdrawn, if they were.
    Taken(Option<String>),
}

impl Registry {
    /// Refuses whoever may publish nothing there, before their upload is read.
    pub(crate) async fn expect(
        &self,
        identity: &Identity,
        namespace: Option<&Namespace>,
    ) -> Result<(), RegistryError> {
        let start = namespace.map_or_else(String::new, |namespace| format!("{namespace}/"));
        if identity.may_within(Action::Publish, &start) {
            return Ok(());
        }
        let refusal = RegistryError::Scope {
            action: Action::Publish,
            skill: format!("{start}*"),
        };
        let event = Event::new(EventKind::RegistryPublished).detail("account", &identity.account);
        self.noted(event, Err(refusal)).await
    }

    /// Publishes an upload: all of it, or nothing.
    ///
    /// The archive is stored first. Until the one transaction after it commits, nothing points
    /// there; what a crash leaves behind is an archive without a version, which `gc` removes.
    pub async fn publish(
        &self,
        identity: &Identity,
        upload: bytes::Bytes,
        destination: Destination,
    ) -> Result<Published, RegistryError> {
        let now = self.now();
        let event = Event::new(EventKind::RegistryPublished).detail("account", &identity.account);
        // Unpacking and scanning are work for seconds at worst, not for the reactor.
        let examined = tokio::task::spawn_blocking(move || package::examine(&upload, now)).await;
        let mut package = match examined.map_err(RegistryError::internal)? {
            Ok(package) => package,
            Err(refusal) => return self.noted(event, Err(refusal.into())).await,
        };
        let own = package.name.name().clone();
        package.name = QualifiedName::new(destination.namespace.clone(), own);
        let event = event
            .skill(package.name.as_str())
            .digest(package.tree.to_string())
            .detail("version", package.version.to_string())
            .detail("archive", package.digest.to_string());
        let result = if let Some(error) = other_than(&destination, &package) {
            Err(error)
        } else {
            let tag = destination.tag.as_deref();
            self.publish_package(identity, package, tag, now).await
        };
        // What changed nothing is no event.
        if let Ok(Published::Same(package, _)) = &result {
            if let Some(tag) = &destination.tag {
                self.tag_again(identity, package, tag).await?;
            }
            return result;
        }
        self.noted(event, result).await
    }

    /// Lets a tag stand for a version that was there already, unless it does.
    async fn tag_again(
        &self,
        identity: &Identity,
        package: &Package,
        tag: &str,
    ) -> Result<(), RegistryError> {
        let (name, version) = (&package.name, &package.version);
        let wanted = (tag.to_owned(), version.to_string());
        if tags::of(self.database.pool(), name.as_str())
            .await?
            .contains(&wanted)
        {
            return Ok(());
        }
        self.set_tag(identity, name, tag, Some(version)).await
    }

    async fn publish_package(
        &self,
        identity: &Identity,
        package: Package,
        tag: Option<&str>,
        now: Timestamp,
    ) -> Result<Published, RegistryError> {
        let name = package.name.clone();
        self.writable().await?;
        allow(identity, Action::Publish, name.as_str())?;
        names::check(&name)?;
        if let Some(namespace) = name.namespace() {
            self.make_own(identity, namespace).await?;
        }
        // A stranger's upload is not stored at all.
        let mut connection = self
            .database
            .pool()
            .acquire()
            .await
            .map_err(RegistryError::from)?;
        let place = may_publish(&mut connection, identity, &package).await?;
        drop(connection);
        if matches!(place, PublishTarget::NewSkill) && name.namespace().is_none() {
            let text = name.as_str();
            self.hold_if_near(Among::Names, text, text, identity)
                .await?;
        }
        self.blobs
            .put(package.digest, package.archive.clone())
            .await?;

        let (mut change, sequence) = self.change().await?;
        // Asked again, because others may have published in between.
        match may_publish(&mut change, identity, &package).await? {
            PublishTarget::NewSkill => {
                let folded = names::folded(&name);
                skills::add(&mut change, &name, &folded, &package.version, sequence, now).await?;
                // A namespace answers for what is in it.
                if name.namespace().is_none() {
                    let account = &identity.account;
                    roles::FOR_SKILLS
                        .set(&mut change, name.as_str(), account, Role::Owner, now)
                        .await?;
                }
            }
            PublishTarget::NewVersion => {}
            PublishTarget::Taken(yanked) => return Ok(Published::Same(package, yanked)),
        }
        // While this change is open `gc` removes nothing; what it removed before has to be sent again.
        if !self.blobs.has(package.digest).await? {
            return Err(BlobError::Missing(package.digest).into());
        }
        versions::add(&mut change, &package, &identity.account, sequence, now).await?;
        if let Some(tag) = tag {
            tags::set(&mut change, name.as_str(), tag, &package.version, now).await?;
        }
        skills::refresh(&mut change, name.as_str(), sequence).await?;
        change.commit().await?;
        Ok(Published::New(package))
    }

    /// Makes the caller's own namespace when it is first used.
    ///
    /// It needs connections of its own, so nobody calls this who holds one: when all hold one and
    /// wait for another, nobody gets any.
    async fn make_own(
        &self,
        identity: &Identity,
        namespace: &Namespace,
    ) -> Result<(), RegistryError> {
        if namespace.as_str() != identity.account {
            return Ok(());
        }
        let folded = names::folded_text(namespace.as_str());
        let mut connection = self.database.pool().acquire().await?;
        let found = namespaces::lookalike(&mut connection, &folded).await?;
        drop(connection);
        match found {
            Some(_) => Ok(()),
            None => self.create_namespace(identity, namespace).await,
        }
    }

    /// Holds a new name that is one edit from a popular one, until it is let pass.
    pub(crate) async fn hold_if_near(
        &self,
        among: Among,
        text: &str,
        shown: &str,
        identity: &Identity,
    ) -> Result<(), RegistryError> {
        let mut connection = self.database.pool().acquire().await?;
        let account = &identity.account;
        let near = squat::near(&mut connection, among, text, account, self.popular).await?;
        drop(connection);
        let Some(other) = near else {
            return Ok(());
        };
        if held::is_allowed(&self.database, shown, account).await? {
            return Ok(());
        }
        let error = RegistryError::Held {
            name: shown.to_owned(),
            other,
        };
        let reason = error.to_string();
        held::note(&self.database, shown, account, &reason, self.now()).await?;
        Err(error)
    }
}

/// Where an upload would go, unless it may not.
async fn may_publish(
    connection: &mut sqlx::AnyConnection,
    identity: &Identity,
    package: &Package,
) -> Result<PublishTarget, RegistryError> {
    let name = &package.name;
    if let Some(namespace) = name.namespace() {
        Subject::Namespace(namespace.clone())
            .exists(connection)
            .await?;
    }
    match skills::lookalike(connection, &names::folded(name)).await? {
        None if name.namespace().is_none() => return Ok(PublishTarget::NewSkill),
        None => {
            need(connection, identity, name, Role::Publisher).await?;
            return Ok(PublishTarget::NewSkill);
        }
        Some(other) if other != name.as_str() => {
            return Err(RegistryError::Confusable {
                name: name.to_string(),
                other,
            });
        }
        Some(_) => {}
    }
    need(connection, identity, name, Role::Publisher).await?;
    match versions::find(connection, name.as_str(), &package.version).await? {
        None => Ok(PublishTarget::NewVersion),
        Some(there) if there.digest == package.digest => Ok(PublishTarget::Taken(there.yanked)),
        Some(there) => Err(RegistryError::Immutable {
            skill: name.to_string(),
            version: package.version.to_string(),
            published: there.digest,
        }),
    }
}

/// An upload that is not what the address says.
fn other_than(destination: &Destination, package: &Package) -> Option<RegistryError> {
    let (name, version) = destination.expected.as_ref()?;
    if name == package.name.name() && *version == package.version {
        return None;
    }
    Some(RegistryError::OtherPackage {
        found: format!("{}@{}", package.name.name(), package.version),
        named: format!("{name}@{version}"),
    })
}
