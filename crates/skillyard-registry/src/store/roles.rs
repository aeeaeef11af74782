//! The two tables of roles, for single skills and in namespaces, which differ only in their names.

use jiff::Timestamp;
use sqlx::AnyConnection;

use super::stored;
use crate::role::Role;

/// The statements over one table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Roles {
    set: &'static str,
    remove: &'static str,
    clear: &'static str,
    owners: &'static str,
}

macro_rules! roles {
    ($table:literal, $subject:literal) => {
        Roles {
            set: concat!(
                "INSERT INTO ",
                $table,
                " (",
                $subject,
                ", account, role, added) ",
                "VALUES ($1, $2, $3, $4) ",
                "ON CONFLICT (",
                $subject,
                ", account) DO UPDATE SET role = excluded.role"
            ),
            remove: concat!(
                "DELETE FROM ",
                $table,
                " WHERE ",
                $subject,
                " = $1 AND account = $2"
            ),
            clear: concat!("DELETE FROM ", $table, " WHERE ", $subject, " = $1"),
            owners: concat!(
                "SELECT COUNT(*) FROM ",
                $table,
                " WHERE ",
                $subject,
                " = $1 AND role = 'owner'"
            ),
        }
    };
}

/// Roles for skills, by their whole names.
pub(crate) const FOR_SKILLS: Roles = roles!("owners", "skill");

/// Roles in namespaces, by their names without `@`.
pub(crate) const IN_NAMESPACES: Roles = roles!("members", "namespace");

impl Roles {
    /// Gives an account a role, instead of the one it had.
    pub(crate) async fn set(
        self,
        connection: &mut AnyConnection,
        subject: &str,
        account: &str,
        role: Role,
        now: Timestamp,
    ) -> Result<(), sqlx::Error> {
        sqlx::query(self.set)
            .bind(subject)
            .bind(account)
            .bind(role.as_str())
            .bind(stored(now))
            .execute(connection)
            .await?;
        Ok(())
    }

    /// Takes an account's role away; says whether there was one.
    pub(crate) async fn remove(
        self,
        connection: &mut AnyConnection,
        subject: &str,
        account: &str,
    ) -> Result<bool, sqlx::Error> {
        let done = sqlx::query(self.remove)
            .bind(subject)
            .bind(account)
            .execute(connection)
            .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Removes all roles.
    pub(crate) async fn clear(
        self,
        connection: &mut AnyConnection,
        subject: &str,
    ) -> Result<(), sqlx::Error> {
        let done = sqlx::query(self.clear).bind(subject);
        done.execute(connection).await?;
        Ok(())
    }

    /// How many owners there are.
    pub(crate) async fn owners(
        self,
        connection: &mut AnyConnection,
        subject: &str,
    ) -> Result<i64, sqlx::Error> {
        let count = sqlx::query_scalar(self.owners).bind(subject);
        count.fetch_one(connection).await
    }
}
