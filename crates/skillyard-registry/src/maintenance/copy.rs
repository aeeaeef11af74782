//! All rows of one database in another, whichever of the two kinds each of them is.

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sqlx::{Any, AssertSqlSafe, Executor as _, Row as _, Transaction};

use super::MaintenanceError;
use crate::database::{Change, Database};

/// What is in a column: the only two kinds there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    Text,
    Number,
}

use ColumnKind::{Number, Text};

type Columns = &'static [(&'static str, ColumnKind)];

/// Every table, those that others refer to first.
const TABLES: &[(&str, Columns)] = &[
    ("state", &[("id", Number), ("sequence", Number)]),
    (
        "skills",
        &[
            ("name", Text),
            ("folded", Text),
            ("created", Text),
            ("changed", Number),
            ("latest", Text),
            ("downloads", Number),
            ("deprecated", Text),
            ("namespace", Text),
        ],
    ),
    (
        "versions",
        &[
            ("skill", Text),
            ("version", Text),
            ("sequence", Number),
            ("digest", Text),
            ("tree", Text),
            ("size", Number),
            ("published", Text),
            ("publisher", Text),
            ("signer", Text),
            ("verdict", Text),
            ("facts", Text),
            ("yanked", Number),
            ("yank_reason", Text),
        ],
    ),
    (
        "owners",
        &[
            ("skill", Text),
            ("account", Text),
            ("added", Text),
            ("role", Text),
        ],
    ),
    (
        "namespaces",
        &[("name", Text), ("folded", Text), ("created", Text)],
    ),
    (
        "members",
        &[
            ("namespace", Text),
            ("account", Text),
            ("role", Text),
            ("added", Text),
        ],
    ),
    (
        "transfers",
        &[
            ("subject", Text),
            ("sender", Text),
            ("recipient", Text),
            ("offered", Text),
            ("expires", Text),
        ],
    ),
    (
        "tags",
        &[
            ("skill", Text),
            ("tag", Text),
            ("version", Text),
            ("changed", Text),
        ],
    ),
    (
        "held_names",
        &[
            ("name", Text),
            ("account", Text),
            ("reason", Text),
            ("asked", Text),
            ("allowed", Text),
        ],
    ),
    (
        "tokens",
        &[
            ("id", Text),
            ("hash", Text),
            ("account", Text),
            ("scopes", Text),
            ("created", Text),
            ("expires", Text),
            ("revoked", Text),
            ("label", Text),
            ("shown", Text),
            ("parent", Text),
        ],
    ),
    (
        "logins",
        &[("hash", Text), ("token", Text), ("begun", Text)],
    ),
    (
        "downloads",
        &[("skill", Text), ("day", Text), ("visitor", Text)],
    ),
    (
        "checkpoints",
        &[
            ("size", Number),
            ("root", Text),
            ("time", Text),
            ("key", Text),
            ("signature", Text),
        ],
    ),
    (
        "arrivals",
        &[
            ("skill", Text),
            ("version", Text),
            ("digest", Text),
            ("tree", Text),
            ("size", Number),
            ("published", Text),
            ("publisher", Text),
            ("signer", Text),
            ("verdict", Text),
            ("facts", Text),
        ],
    ),
    (
        "absent",
        &[
            ("sequence", Number),
            ("skill", Text),
            ("version", Text),
            ("digest", Text),
            ("signer", Text),
            ("reason", Text),
        ],
    ),
    (
        "upstream",
        &[("url", Text), ("key", Text), ("sequence", Number)],
    ),
];

/// Copies all rows as they are at one moment into a database that has none.
pub(super) async fn copy(from: &Database, to: &Database) -> Result<(), MaintenanceError> {
    copied(from, to).await?.commit().await?;
    Ok(())
}

/// Does the same, as a change that is not committed yet.
pub(super) async fn copied(from: &Database, to: &Database) -> Result<Change, MaintenanceError> {
    let mut reading = from.snapshot().await?;
    let (mut writing, _) = to.change().await?;
    for (table, columns) in TABLES {
        let count = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        let count: i64 = sqlx::query_scalar(count).fetch_one(&mut *writing).await?;
        // The one row of `state` is made with the table.
        if *table == "state" {
            writing.execute("DELETE FROM state").await?;
        } else if count > 0 {
            return Err(MaintenanceError::NotEmpty);
        }
        copy_table(&mut reading, &mut writing, table, columns).await?;
    }
    Ok(writing)
}

async fn copy_table(
    reading: &mut Transaction<'static, Any>,
    writing: &mut Change,
    table: &str,
    columns: Columns,
) -> Result<(), MaintenanceError> {
    // Names of tables and columns come from the list above and from nowhere else.
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let names = names.join(", ");
    let places: Vec<String> = (1..=columns.len()).map(|each| format!("${each}")).collect();
    let select = format!("SELECT {names} FROM {table}");
    let insert: Arc<str> = format!(
        "INSERT INTO {table} ({names}) VALUES ({})",
        places.join(", ")
    )
    .into();
    let mut rows = sqlx::query(AssertSqlSafe(select)).fetch(&mut **reading);
    while let Some(row) = rows.try_next().await? {
        let mut statement = sqlx::query(AssertSqlSafe(Arc::clone(&insert)));
        for (name, kind) in columns {
            statement = match kind {
                Text => statement.bind(row.try_get::<Option<String>, _>(*name)?),
                Number => statement.bind(row.try_get::<Option<i64>, _>(*name)?),
            };
        }
        statement.execute(&mut **writing).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_table_and_no_column_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("sqlite:{}", folder.path().join("x.db").display());
        let database = Database::open(&address).await.unwrap();
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'migrations' \
             AND name NOT LIKE 'sqlite_%' ORDER BY name",
        )
        .fetch_all(database.pool())
        .await
        .unwrap();
        let mut listed: Vec<&str> = TABLES.iter().map(|(table, _)| *table).collect();
        listed.sort_unstable();
        assert_eq!(tables, listed);
        for (table, columns) in TABLES {
            let mut found: Vec<String> =
                sqlx::query_scalar("SELECT name FROM pragma_table_info($1)")
                    .bind(*table)
                    .fetch_all(database.pool())
                    .await
                    .unwrap();
            found.sort_unstable();
            let mut listed: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
            listed.sort_unstable();
            assert_eq!(found, listed, "{table}");
        }
    }
}
