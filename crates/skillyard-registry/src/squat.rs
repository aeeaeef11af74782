//! Names that would live off a popular one: a letter more, less, other or swapped.
//!
//! Such a name is not taken at once. It is held, with its reason, until the administrator of the registry
//! lets it pass: people mistype popular names often enough that one guess in a thousand pays.

use sqlx::AnyConnection;

/// Names shorter than this are near to too many others for it to mean anything.
const MIN_NAME_LENGTH: usize = 4;

/// What a new name would be added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    /// Bare names.
    Names,
    /// Namespaces.
    Namespaces,
}

impl Among {
    /// Reads the names with so many downloads that the account does not answer for.
    fn popular(self) -> &'static str {
        match self {
            Self::Names => {
                "SELECT s.name FROM skills s WHERE s.namespace = '' AND s.downloads >= $1 \
                 AND NOT EXISTS (SELECT 1 FROM owners o WHERE o.skill = s.name AND o.account = $2)"
            }
            Self::Namespaces => {
                "SELECT s.namespace FROM skills s WHERE s.namespace <> '' AND s.downloads >= $1 \
                 AND NOT EXISTS (SELECT 1 FROM members m WHERE m.namespace = s.namespace AND m.account = $2)"
            }
        }
    }
}

/// The popular name that a new one is one edit away from, unless the account answers for it.
pub(crate) async fn near(
    connection: &mut AnyConnection,
    among: Among,
    name: &str,
    account: &str,
    popular: u64,
) -> Result<Option<String>, sqlx::Error> {
    let mut names: Vec<String> = sqlx::query_scalar(among.popular())
        .bind(i64::try_from(popular).unwrap_or(i64::MAX))
        .bind(account)
        .fetch_all(connection)
        .await?;
    names.sort_unstable();
    names.dedup();
    Ok(names.into_iter().find(|each| is_near(each, name)))
}

/// Whether one edit leads from one name to the other, hyphens aside.
fn is_near(popular: &str, name: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| *c != '-').collect::<Vec<char>>();
    let (popular, name) = (letters(popular), letters(name));
    popular.len() >= MIN_NAME_LENGTH && popular != name && is_one_edit(&popular, &name)
}

fn is_one_edit(first: &[char], second: &[char]) -> bool {
    let (short, long) = if first.len() <= second.len() {
        (first, second)
    } else {
        (second, first)
    };
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[same..], &long[same..]);
    match long.len() - short.len() {
        0 => {
            short[1..] == long[1..]
                || (short.len() >= 2
                    && short[0] == long[1]
                    && short[1] == long[0]
                    && short[2..] == long[2..])
        }
        1 => *short == long[1..],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use sqlx::Row as _;

    use super::*;
    use crate::database::Database;

    /// Every new name asks this: what it costs must not grow with unused names.
    #[tokio::test]
    async fn only_popular_names_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("sqlite:{}", folder.path().join("registry.db").display());
        let database = Database::open(&address).await.unwrap();
        for among in [Among::Names, Among::Namespaces] {
            let plan = sqlx::query(sqlx::AssertSqlSafe(format!(
                "EXPLAIN QUERY PLAN {}",
                among.popular()
            )))
            .bind(1_000_i64)
            .bind("somebody")
            .fetch_all(database.pool())
            .await
            .unwrap();
            let outer: String = plan[0].get("detail");
            assert!(outer.contains("downloads>?"), "{among:?}: {outer}");
        }
    }

    #[test]
    fn one_edit_is_near_and_two_are_not() {
        for (popular, name) in [
            ("pdf-tools", "pdf-tool"),
            ("pdf-tools", "pdf-toolss"),
            ("pdf-tools", "pdf-toosl"),
            ("pdf-tools", "pfd-tools"),
            ("pdf-tools", "odf-tools"),
            ("pdf-tools", "xpdf-tools"),
        ] {
            assert!(is_near(popular, name), "{popular} {name}");
        }
        for (popular, name) in [
            ("pdf-tools", "pdf-tools"),
            ("pdf-tools", "pdf"),
            ("pdf-tools", "odt-tools"),
            ("pdf", "pdfs"),
            ("forms", "terms"),
            ("forms", ""),
        ] {
            assert!(!is_near(popular, name), "{popular} {name}");
        }
    }
}
