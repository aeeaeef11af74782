//! All skills with their latest versions, read without ever holding all of them.

use futures_util::TryStreamExt as _;
use sqlx::Row as _;
use sqlx::any::AnyRow;
use tokio::sync::mpsc::Sender;

use super::skills::{self, SkillRow};
use super::{decode, owners};
use crate::database::{Database, DatabaseError};
use crate::package::Facts;

/// How many rows travel together into a picture.
const BATCH: usize = 512;

/// How many rows are read at once for a document: what a moment's work is.
const PAGE_SIZE: i64 = 256;

/// What a list of all skills needs to know of each.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) downloads: u64,
    /// The number of the change that published the latest version.
    pub(crate) sequence: i64,
    /// Who owns it, also through its namespace.
    pub(crate) owners: Vec<String>,
    pub(crate) is_signed: bool,
    pub(crate) verdict: String,
    /// Whether the latest version is there for anybody new.
    pub(crate) is_offered: bool,
    pub(crate) facts: Facts,
}

impl Listed {
    /// The namespace, without its `@`, if it is in one.
    pub(crate) fn namespace(&self) -> Option<&str> {
        namespace(&self.name)
    }
}

/// The namespace in a name, without its `@`, if there is one.
pub(crate) fn namespace(name: &str) -> Option<&str> {
    let (namespace, _) = name.strip_prefix('@')?.split_once('/')?;
    Some(namespace)
}

/// The name that a skill itself has.
pub(crate) fn own_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}

/// Sends every skill, in any order, until nobody takes them any more.
pub(crate) async fn send_all(
    database: &Database,
    sender: Sender<Vec<Listed>>,
) -> Result<(), DatabaseError> {
    let owners = owners::all(database).await?;
    // Whoever takes them may take its time.
    let mut moment = database.snapshot().await?;
    let mut rows = sqlx::query(
        "SELECT s.name, s.downloads, v.sequence, v.signer, v.verdict, v.yanked, v.facts \
         FROM skills s JOIN versions v ON v.skill = s.name AND v.version = s.latest",
    )
    .fetch(&mut *moment);
    let mut batch = Vec::with_capacity(BATCH);
    while let Some(row) = rows.try_next().await? {
        batch.push(read(&row, &owners)?);
        if batch.len() == BATCH {
            let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
            if sender.send(full).await.is_err() {
                return Ok(());
            }
        }
    }
    // Who does not take the rest any more does not want it.
    let _ = sender.send(batch).await;
    Ok(())
}

/// The next skills that anybody new may find, with bare names or in a namespace, after a name.
pub(crate) async fn offered_after(
    database: &Database,
    namespace: Option<&str>,
    after: &str,
) -> Result<Vec<SkillRow>, DatabaseError> {
    // The database compares names by its own rules, always the same ones.
    let rows = sqlx::query(concat!(
        skills::with_latest!(),
        "WHERE s.namespace = $1 AND s.name > $2 AND v.yanked = 0 ORDER BY s.name LIMIT $3"
    ))
    .bind(namespace.unwrap_or_default())
    .bind(after)
    .bind(PAGE_SIZE)
    .fetch_all(database.pool())
    .await?;
    Ok(rows.iter().map(skills::read).collect::<Result<_, _>>()?)
}

fn read(row: &AnyRow, owners: &owners::All) -> Result<Listed, sqlx::Error> {
    let name: String = row.try_get("name")?;
    let facts: String = row.try_get("facts")?;
    let downloads: i64 = row.try_get("downloads")?;
    let signer: Option<String> = row.try_get("signer")?;
    let yanked: i64 = row.try_get("yanked")?;
    Ok(Listed {
        owners: owners.of(&name),
        name,
        downloads: u64::try_from(downloads).unwrap_or_default(),
        sequence: row.try_get("sequence")?,
        is_signed: signer.is_some(),
        verdict: row.try_get("verdict")?,
        is_offered: yanked == 0,
        facts: serde_json::from_str(&facts).map_err(decode)?,
    })
}
