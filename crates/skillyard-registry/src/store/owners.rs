//! Who may do what with a skill: by name, or through its namespace.

use std::collections::HashMap;

use skillyard_format::{Namespace, QualifiedName};
use sqlx::{Any, AnyConnection, AssertSqlSafe, Executor};

use super::{listing, places};
use crate::database::{Database, DatabaseError};
use crate::role::Role;

/// An account with a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The account.
    pub account: String,
    /// What they may do.
    pub role: Role,
}

/// The owners of a skill, sorted; those of its namespace are among them.
pub async fn of(
    executor: impl Executor<'_, Database = Any>,
    skill: &str,
) -> Result<Vec<String>, DatabaseError> {
    let people = people(executor, skill).await?;
    let owners = people.into_iter().filter(|each| each.role == Role::Owner);
    Ok(owners.map(|each| each.account).collect())
}

/// All accounts with a role for a skill, each with its highest, sorted.
pub async fn people(
    executor: impl Executor<'_, Database = Any>,
    skill: &str,
) -> Result<Vec<Person>, DatabaseError> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT account, role FROM owners WHERE skill = $1 UNION \
         SELECT m.account, m.role FROM members m JOIN skills s ON s.namespace = m.namespace \
         WHERE s.name = $2",
    )
    .bind(skill)
    .bind(skill)
    .fetch_all(executor)
    .await?;
    Ok(sorted(rows)?)
}

/// The first owner by name of each of some skills.
pub(crate) async fn first(
    database: &Database,
    skills: &[&str],
) -> Result<HashMap<String, String>, DatabaseError> {
    let mut first: HashMap<String, String> = HashMap::new();
    if skills.is_empty() {
        return Ok(first);
    }
    let statement = format!(
        "SELECT skill, account FROM owners WHERE role = 'owner' AND skill IN ({})",
        places(skills.len())
    );
    // Only numbers of parameters are written into it.
    let mut query = sqlx::query_as(AssertSqlSafe(statement));
    for skill in skills {
        query = query.bind((*skill).to_owned());
    }
    let rows: Vec<(String, String)> = query.fetch_all(database.pool()).await?;
    for (skill, account) in rows {
        let known = first.entry(skill).or_insert_with(|| account.clone());
        if account < *known {
            *known = account;
        }
    }
    Ok(first)
}

/// Who owns a skill of a namespace by name.
pub(crate) async fn within(
    connection: &mut AnyConnection,
    namespace: &str,
) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT DISTINCT o.account FROM owners o JOIN skills s ON s.name = o.skill \
         WHERE s.namespace = $1 AND o.role = 'owner'",
    )
    .bind(namespace)
    .fetch_all(connection)
    .await
}

/// All owners: of skills by their whole names, and of namespaces by theirs.
#[derive(Debug)]
pub(crate) struct All {
    skills: HashMap<String, Vec<String>>,
    namespaces: HashMap<String, Vec<String>>,
}

/// Reads all owners.
pub(crate) async fn all(database: &Database) -> Result<All, DatabaseError> {
    let read = async |statement: &'static str| {
        let rows: Vec<(String, String)> =
            sqlx::query_as(statement).fetch_all(database.pool()).await?;
        let mut found: HashMap<String, Vec<String>> = HashMap::new();
        for (subject, account) in rows {
            found.entry(subject).or_default().push(account);
        }
        Ok::<_, DatabaseError>(found)
    };
    Ok(All {
        skills: read("SELECT skill, account FROM owners WHERE role = 'owner'").await?,
        namespaces: read("SELECT namespace, account FROM members WHERE role = 'owner'").await?,
    })
}

impl All {
    /// The owners of a skill, sorted; those of its namespace are among them.
    pub(crate) fn of(&self, skill: &str) -> Vec<String> {
        let own = self.skills.get(skill);
        let shared = listing::namespace(skill).and_then(|name| self.namespaces.get(name));
        let mut owners: Vec<String> = own.into_iter().chain(shared).flatten().cloned().collect();
        owners.sort_unstable();
        owners.dedup();
        owners
    }
}

/// Rows as people, each with the highest role; databases sort text by their own rules.
pub(super) fn sorted(rows: Vec<(String, String)>) -> Result<Vec<Person>, sqlx::Error> {
    let read = |(account, role): (String, String)| {
        let role = role.parse().map_err(|e| sqlx::Error::Decode(Box::new(e)))?;
        Ok(Person { account, role })
    };
    let people: Result<Vec<Person>, sqlx::Error> = rows.into_iter().map(read).collect();
    let mut people = people?;
    people.sort_unstable_by(|a, b| (&a.account, b.role).cmp(&(&b.account, a.role)));
    people.dedup_by(|later, earlier| later.account == earlier.account);
    Ok(people)
}

/// The skills that an account has a role for, sorted.
pub async fn skills_of(database: &Database, account: &str) -> Result<Vec<String>, DatabaseError> {
    let mut skills: Vec<String> = sqlx::query_scalar(
        "SELECT skill FROM owners WHERE account = $1 UNION \
         SELECT s.name FROM skills s JOIN members m ON m.namespace = s.namespace \
         WHERE m.account = $2",
    )
    .bind(account)
    .bind(account)
    .fetch_all(database.pool())
    .await?;
    skills.sort_unstable();
    Ok(skills)
}

/// The highest role that an account has for a skill, which need not exist yet.
pub(crate) async fn role(
    connection: &mut AnyConnection,
    name: &QualifiedName,
    account: &str,
) -> Result<Option<Role>, sqlx::Error> {
    let namespace = name.namespace().map_or("", Namespace::as_str);
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT account, role FROM owners WHERE skill = $1 AND account = $2 UNION \
         SELECT account, role FROM members WHERE namespace = $3 AND account = $4",
    )
    .bind(name.as_str())
    .bind(account)
    .bind(namespace)
    .bind(account)
    .fetch_all(connection)
    .await?;
    Ok(sorted(rows)?.first().map(|person| person.role))
}
