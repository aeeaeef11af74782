//! How often skills are fetched: once per visitor and day.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sqlx::AssertSqlSafe;

use crate::database::{Database, DatabaseError, insist};

/// One fetch.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Download {
    /// The skill.
    pub skill: String,
    /// The day, as `2026-11-15`.
    pub day: String,
    /// Who, as a hash that differs from day to day.
    pub visitor: String,
}

/// How many are written with one statement.
const BATCH_SIZE: usize = 200;

/// Counts what was not counted yet.
pub async fn count(database: &Database, downloads: &[Download]) -> Result<(), DatabaseError> {
    let once = || count_once(database, downloads);
    insist(DatabaseError::is_passing, once).await
}

async fn count_once(database: &Database, downloads: &[Download]) -> Result<(), DatabaseError> {
    let mut change = database.begin().await?;
    let mut new: BTreeMap<String, i64> = BTreeMap::new();
    for part in downloads.chunks(BATCH_SIZE) {
        let rows = numbered(part.len(), 3);
        let statement = format!(
            "INSERT INTO downloads (skill, day, visitor) VALUES {rows} ON CONFLICT DO NOTHING \
             RETURNING skill"
        );
        // Only numbers of values were written into it.
        let mut query = sqlx::query_scalar(AssertSqlSafe(statement));
        for each in part {
            query = query.bind(&each.skill).bind(&each.day).bind(&each.visitor);
        }
        let added: Vec<String> = query.fetch_all(&mut *change).await?;
        for skill in added {
            *new.entry(skill).or_default() += 1;
        }
    }
    for (skill, count) in new {
        sqlx::query("UPDATE skills SET downloads = downloads + $1 WHERE name = $2")
            .bind(count)
            .bind(skill)
            .execute(&mut *change)
            .await?;
    }
    change.commit().await?;
    Ok(())
}

/// `($1, $2), ($3, $4)`: places for so many rows of values.
fn numbered(rows: usize, columns: usize) -> String {
    let mut text = String::new();
    for place in 0..rows * columns {
        let before = match place {
            0 => "(",
            _ if place % columns == 0 => "), (",
            _ => ", ",
        };
        let _ = write!(text, "{before}${}", place + 1);
    }
    text.push(')');
    text
}

/// Forgets visitors of days that have passed; what they added to the counts stays.
///
/// Skill by skill, in the order of the key: however many there are, no change waits long for any
/// of these statements.
pub async fn forget_before(database: &Database, day: &str) -> Result<u64, DatabaseError> {
    let skills: Vec<String> =
        sqlx::query_scalar("SELECT DISTINCT skill FROM downloads WHERE day < $1 ORDER BY skill")
            .bind(day)
            .fetch_all(database.pool())
            .await?;
    let mut forgotten = 0;
    for some in skills.chunks(BATCH_SIZE) {
        let mut change = database.begin().await?;
        for skill in some {
            let done = sqlx::query("DELETE FROM downloads WHERE skill = $1 AND day < $2")
                .bind(skill)
                .bind(day)
                .execute(&mut *change)
                .await?;
            forgotten += done.rows_affected();
        }
        change.commit().await?;
    }
    Ok(forgotten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_numbered_through_all_rows() {
        assert_eq!(numbered(1, 1), "($1)");
        assert_eq!(numbered(2, 3), "($1, $2, $3), ($4, $5, $6)");
    }
}
