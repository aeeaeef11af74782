//! What roles are about: one skill, or a namespace.

use jiff::Timestamp;
use skillyard_format::{Namespace, QualifiedName};
use sqlx::AnyConnection;

use crate::error::RegistryError;
use crate::names;
use crate::role::Role;
use crate::store::{namespaces, owners, roles, skills};

/// What roles are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// One skill.
    Skill(QualifiedName),
    /// All that is and will be in a namespace.
    Namespace(Namespace),
}

impl Subject {
    /// Its text: `pdf`, `@acme/pdf` or `@acme`.
    pub fn text(&self) -> String {
        match self {
            Self::Skill(name) => name.to_string(),
            Self::Namespace(namespace) => namespace.to_string(),
        }
    }

    /// The text that the scopes of tokens are compared with.
    pub(crate) fn scope(&self) -> String {
        match self {
            Self::Skill(name) => name.to_string(),
            Self::Namespace(namespace) => format!("{namespace}/"),
        }
    }

    /// Refuses what is not there.
    pub(crate) async fn exists(&self, connection: &mut AnyConnection) -> Result<(), RegistryError> {
        match self {
            Self::Skill(name) => exists(connection, name).await,
            Self::Namespace(namespace) => {
                let folded = names::folded_text(namespace.as_str());
                match namespaces::lookalike(connection, &folded).await? {
                    Some(found) if found == namespace.as_str() => Ok(()),
                    _ => Err(RegistryError::NoNamespace(namespace.to_string())),
                }
            }
        }
    }

    /// The role of an account.
    pub(crate) async fn role(
        &self,
        connection: &mut AnyConnection,
        account: &str,
    ) -> Result<Option<Role>, RegistryError> {
        Ok(match self {
            Self::Skill(name) => owners::role(connection, name, account).await?,
            Self::Namespace(namespace) => namespaces::role(connection, namespace, account).await?,
        })
    }

    /// Refuses to let an owner hand over what they would still own through its namespace.
    pub(crate) async fn can_be_given_by(
        &self,
        connection: &mut AnyConnection,
        account: &str,
    ) -> Result<(), RegistryError> {
        let Self::Skill(name) = self else {
            return Ok(());
        };
        let Some(namespace) = name.namespace() else {
            return Ok(());
        };
        match namespaces::role(connection, namespace, account).await? {
            Some(role @ Role::Owner) => Err(self.not_here(account, Some(role))),
            _ => Ok(()),
        }
    }

    /// Why nothing can be taken from an account here: its role is its namespace's, or none.
    fn not_here(&self, account: &str, role: Option<Role>) -> RegistryError {
        let namespace = match self {
            Self::Skill(name) => name.namespace(),
            Self::Namespace(_) => None,
        };
        let (account, subject) = (account.to_owned(), self.text());
        match (role, namespace) {
            (Some(role), Some(namespace)) => RegistryError::Inherited {
                account,
                subject,
                role,
                namespace: namespace.to_string(),
            },
            _ => RegistryError::NoRole { account, subject },
        }
    }

    /// Notes that something about it changed, for those who keep a copy.
    pub(crate) async fn touch(
        &self,
        connection: &mut AnyConnection,
        sequence: i64,
    ) -> Result<(), sqlx::Error> {
        match self {
            Self::Skill(name) => skills::touch(connection, name.as_str(), sequence).await,
            Self::Namespace(namespace) => {
                skills::touch_within(connection, namespace.as_str(), sequence).await
            }
        }
    }

    /// Gives an account a role, or takes it away; the last owner stays.
    pub(crate) async fn set(
        &self,
        connection: &mut AnyConnection,
        account: &str,
        role: Option<Role>,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        let (roles, key) = match self {
            Self::Skill(name) => (roles::FOR_SKILLS, name.as_str()),
            Self::Namespace(namespace) => (roles::IN_NAMESPACES, namespace.as_str()),
        };
        match role {
            Some(role) => roles.set(connection, key, account, role, now).await?,
            None if roles.remove(connection, key, account).await? => {}
            None => {
                let role = self.role(connection, account).await?;
                return Err(self.not_here(account, role));
            }
        }
        let left = match self {
            // Its namespace answers for it.
            Self::Skill(name) if name.namespace().is_some() => 1,
            _ => roles.owners(connection, key).await?,
        };
        if left == 0 {
            return Err(RegistryError::LastOwner(self.text()));
        }
        Ok(())
    }
}

/// Refuses a skill that is not there.
pub(crate) async fn exists(
    connection: &mut AnyConnection,
    name: &QualifiedName,
) -> Result<(), RegistryError> {
    let found = skills::lookalike(connection, &names::folded(name)).await?;
    match found {
        Some(found) if found == name.as_str() => Ok(()),
        _ => Err(RegistryError::NoSkill(name.to_string())),
    }
}
