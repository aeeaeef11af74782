//! Skills: a name, its latest version and how often it was fetched.

use std::collections::HashMap;

use jiff::Timestamp;
use semver::Version;
use skillyard_format::{Namespace, QualifiedName};
use sqlx::any::AnyRow;
use sqlx::{Any, AnyConnection, AssertSqlSafe, Executor, Row as _};

use super::versions::{self, VersionRow};
use super::{listing, places, stored, tags};
use crate::database::{Database, DatabaseError, lock_within};

/// A skill with its latest version.
#[derive(Debug, Clone)]
pub struct SkillRow {
    /// Its name.
    pub name: String,
    /// How often it was fetched.
    pub downloads: u64,
    /// What to use instead, if it is deprecated.
    pub deprecated: Option<String>,
    /// The latest version.
    pub latest: VersionRow,
}

impl SkillRow {
    /// The namespace, without its `@`, if it is in one.
    pub fn namespace(&self) -> Option<&str> {
        listing::namespace(&self.name)
    }

    /// The name that the skill itself has.
    pub fn own_name(&self) -> &str {
        listing::own_name(&self.name)
    }
}

/// Where every statement begins that reads skills with their latest versions.
macro_rules! with_latest {
    () => {
        "SELECT s.name, s.downloads, s.deprecated, v.version, v.sequence, v.digest, v.tree, \
         v.size, v.published, v.publisher, v.signer, v.verdict, v.facts, v.yanked, v.yank_reason \
         FROM skills s JOIN versions v ON v.skill = s.name AND v.version = s.latest "
    };
}
pub(super) use with_latest;

/// One skill.
pub async fn one(
    executor: impl Executor<'_, Database = Any>,
    name: &str,
) -> Result<Option<SkillRow>, DatabaseError> {
    let row = sqlx::query(concat!(with_latest!(), "WHERE s.name = $1"))
        .bind(name)
        .fetch_optional(executor)
        .await?;
    Ok(row.as_ref().map(read).transpose()?)
}

/// The skills of some names, in the order of the names; those that are not there are left out.
pub(crate) async fn named(
    database: &Database,
    names: &[&str],
) -> Result<Vec<SkillRow>, DatabaseError> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let statement = format!(
        "{}WHERE s.name IN ({})",
        with_latest!(),
        places(names.len())
    );
    // Only numbers of parameters are written into it.
    let mut query = sqlx::query(AssertSqlSafe(statement));
    for name in names {
        query = query.bind((*name).to_owned());
    }
    let mut found = HashMap::with_capacity(names.len());
    for row in query.fetch_all(database.pool()).await? {
        let skill = read(&row)?;
        found.insert(skill.name.clone(), skill);
    }
    Ok(names
        .iter()
        .filter_map(|name| found.remove(*name))
        .collect())
}

/// What is said of a skill as a whole.
#[derive(Debug, Default)]
pub(crate) struct SkillState {
    /// Its latest version.
    pub(crate) latest: Option<Version>,
    /// What to use instead, if it is deprecated.
    pub(crate) deprecated: Option<String>,
}

/// How a skill stands; nothing is said of one that is not there.
pub(crate) async fn standing(
    executor: impl Executor<'_, Database = Any>,
    name: &str,
) -> Result<SkillState, DatabaseError> {
    let row = sqlx::query("SELECT latest, deprecated FROM skills WHERE name = $1")
        .bind(name)
        .fetch_optional(executor)
        .await?;
    let Some(row) = row else {
        return Ok(SkillState::default());
    };
    let latest: String = row.try_get("latest")?;
    Ok(SkillState {
        latest: Version::parse(&latest).ok(),
        deprecated: row.try_get("deprecated")?,
    })
}

/// The latest version of every skill, as it is noted.
pub(crate) async fn latest_numbers(
    executor: impl Executor<'_, Database = Any>,
) -> Result<Vec<(String, String)>, DatabaseError> {
    let rows = sqlx::query_as("SELECT name, latest FROM skills ORDER BY name");
    Ok(rows.fetch_all(executor).await?)
}

/// Skills that changed after a change, in order: their names and the numbers of the changes.
///
/// What changed with the last of them is among them, beyond the limit: who goes on behind its
/// number would never hear of it.
pub(crate) async fn changed_after(
    database: &Database,
    sequence: i64,
    limit: i64,
) -> Result<Vec<(String, i64)>, DatabaseError> {
    let rows = sqlx::query_as(
        "SELECT name, changed FROM skills WHERE changed > $1 AND changed <= ( \
         SELECT MAX(changed) FROM ( \
         SELECT changed FROM skills WHERE changed > $2 ORDER BY changed LIMIT $3) AS first) \
         ORDER BY changed, name",
    );
    Ok(rows
        .bind(sequence)
        .bind(sequence)
        .bind(limit)
        .fetch_all(database.pool())
        .await?)
}

/// The skill that has this name, or one that looks like it.
pub(crate) async fn lookalike(
    connection: &mut AnyConnection,
    folded: &str,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("SELECT name FROM skills WHERE folded = $1")
        .bind(folded)
        .fetch_optional(connection)
        .await
}

/// Adds a skill whose first version follows in the same change.
pub(crate) async fn add(
    connection: &mut AnyConnection,
    name: &QualifiedName,
    folded: &str,
    version: &Version,
    sequence: i64,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO skills (name, namespace, folded, created, changed, latest) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(name.as_str())
    .bind(name.namespace().map_or("", Namespace::as_str))
    .bind(folded)
    .bind(stored(now))
    .bind(sequence)
    .bind(version.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// Notes what the latest version is after a change.
pub(crate) async fn refresh(
    connection: &mut AnyConnection,
    name: &str,
    sequence: i64,
) -> Result<(), sqlx::Error> {
    let numbers = versions::numbers(connection, name).await?;
    let set = tags::find(connection, name, "latest").await?;
    let Some(latest) = chosen(&numbers, set.as_deref()) else {
        return Ok(());
    };
    sqlx::query("UPDATE skills SET latest = $1, changed = $2 WHERE name = $3")
        .bind(latest.to_string())
        .bind(sequence)
        .bind(name)
        .execute(connection)
        .await?;
    Ok(())
}

/// Notes that a skill changed.
pub(crate) async fn touch(
    connection: &mut AnyConnection,
    name: &str,
    sequence: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE skills SET changed = $1 WHERE name = $2")
        .bind(sequence)
        .bind(name)
        .execute(connection)
        .await?;
    Ok(())
}

/// Notes that all skills of a namespace changed.
pub(crate) async fn touch_within(
    connection: &mut AnyConnection,
    namespace: &str,
    sequence: i64,
) -> Result<(), sqlx::Error> {
    lock_within(connection, namespace).await?;
    sqlx::query("UPDATE skills SET changed = $1 WHERE namespace = $2")
        .bind(sequence)
        .bind(namespace)
        .execute(connection)
        .await?;
    Ok(())
}

/// Gives the changes of all skills numbers from `first` on, in the same order; those who have seen
/// some of them take all for new.
///
/// A time in milliseconds is above every number that a registry has given so far, whichever copy it
/// is made from; where the clock is wrong, the numbers of the copy itself are passed.
pub(crate) async fn renumber(
    connection: &mut AnyConnection,
    first: i64,
) -> Result<(), sqlx::Error> {
    let (lowest, last): (Option<i64>, i64) = sqlx::query_as(
        "SELECT (SELECT MIN(changed) FROM skills), sequence FROM state WHERE id = 1",
    )
    .fetch_one(&mut *connection)
    .await?;
    let shift = first.saturating_sub(lowest.unwrap_or(last)).max(last);
    for statement in [
        "UPDATE skills SET changed = changed + $1",
        "UPDATE state SET sequence = sequence + $1",
    ] {
        let statement = sqlx::query(statement).bind(shift);
        statement.execute(&mut *connection).await?;
    }
    Ok(())
}

/// Says what to use instead of a skill, or takes that back.
pub(crate) async fn set_deprecated(
    connection: &mut AnyConnection,
    name: &str,
    instead: Option<&str>,
    sequence: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE skills SET deprecated = $1, changed = $2 WHERE name = $3")
        .bind(instead.map(str::to_owned))
        .bind(sequence)
        .bind(name)
        .execute(connection)
        .await?;
    Ok(())
}

/// The latest version. One that was set by hand counts as long as it is offered.
pub(crate) fn chosen<'a>(numbers: &'a [(Version, bool)], set: Option<&str>) -> Option<&'a Version> {
    let offered = numbers.iter().filter(|(_, yanked)| !yanked);
    let mut offered = offered.map(|(version, _)| version);
    let set = set.and_then(|set| offered.find(|version| version.to_string() == set));
    set.or_else(|| latest(numbers))
}

/// The highest version that is neither withdrawn nor a prerelease; failing that, the next best.
fn latest(numbers: &[(Version, bool)]) -> Option<&Version> {
    let rank = |(version, yanked): &&(Version, bool)| (!yanked, version.pre.is_empty());
    let best = numbers.iter().map(|each| rank(&each)).max()?;
    let highest = numbers.iter().filter(|each| rank(each) == best);
    highest.map(|(version, _)| version).max()
}

pub(super) fn read(row: &AnyRow) -> Result<SkillRow, sqlx::Error> {
    let downloads: i64 = row.try_get("downloads")?;
    Ok(SkillRow {
        name: row.try_get("name")?,
        downloads: u64::try_from(downloads).unwrap_or_default(),
        deprecated: row.try_get("deprecated")?,
        latest: versions::read(row)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_is_the_highest_that_can_be_recommended() {
        let check = |numbers: &[(&str, bool)], expected: &str| {
            let read = |(text, yanked): &(&str, bool)| (Version::parse(text).unwrap(), *yanked);
            let numbers: Vec<_> = numbers.iter().map(read).collect();
            assert_eq!(latest(&numbers).unwrap().to_string(), expected);
        };
        check(
            &[("1.2.0", false), ("1.10.0", false), ("1.9.0", false)],
            "1.10.0",
        );
        check(&[("1.0.0", false), ("2.0.0-beta.1", false)], "1.0.0");
        check(&[("1.0.0", false), ("1.1.0", true)], "1.0.0");
        check(&[("1.0.0", true), ("2.0.0-beta.1", false)], "2.0.0-beta.1");
        check(&[("1.0.0", true), ("0.9.0", true)], "1.0.0");
        assert_eq!(latest(&[]), None);
    }
}
