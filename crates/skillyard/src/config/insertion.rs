//! Where a new value goes in a configuration file: below everything that is written there.

use toml_edit::{DocumentMut, Item, Table, TableLike};

use super::edit::not;
use crate::error::CommandError;
use crate::error::config_error::ConfigProblem;

/// Writes a value; tells whether there was one.
pub(super) fn insert(
    document: &mut DocumentMut,
    key: &str,
    mut new: toml_edit::Value,
) -> Result<bool, CommandError> {
    match entry(document, key)? {
        toml_edit::Entry::Occupied(mut occupied) => {
            // The comment behind the old value stays.
            if let Some(old) = occupied.get().as_value() {
                *new.decor_mut() = old.decor().clone();
            }
            occupied.insert(Item::Value(new));
            Ok(true)
        }
        toml_edit::Entry::Vacant(vacant) => {
            vacant.insert(Item::Value(new));
            Ok(false)
        }
    }
}

/// The place of a key, with the tables around it made below everything that is written.
pub(super) fn entry<'a>(
    document: &'a mut DocumentMut,
    key: &'a str,
) -> Result<toml_edit::Entry<'a>, CommandError> {
    let (tables, last) = key
        .rsplit_once('.')
        .map_or((None, key), |(tables, last)| (Some(tables), last));
    let names = || tables.into_iter().flat_map(|tables| tables.split('.'));
    let above = if is_new(document, names()) {
        comments_at_end(document)
    } else {
        None
    };
    let position = last_position(document) + 1;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in names() {
        let item = table.entry(name).or_insert_with(|| {
            let mut table = Table::new();
            // Its header is written only when it holds values itself.
            table.set_implicit(true);
            table.set_position(Some(position));
            if let Some(above) = &above {
                table.decor_mut().set_prefix(above);
            }
            Item::Table(table)
        });
        table = item
            .as_table_like_mut()
            .ok_or_else(|| not(ConfigProblem::NotATable(name.to_owned())))?;
    }
    Ok(table.entry(last))
}

/// Whether a table with a header of its own has to be made on the way to a key.
fn is_new<'a>(document: &DocumentMut, names: impl Iterator<Item = &'a str>) -> bool {
    let mut table = document.as_table();
    for name in names {
        match table.get(name) {
            None => return true,
            Some(Item::Table(inner)) => table = inner,
            Some(_) => return false,
        }
    }
    false
}

/// Takes the comments below the last value, which belong to the end of the file and would come behind
/// a new table.
fn comments_at_end(document: &mut DocumentMut) -> Option<String> {
    let text = document.trailing().as_str().unwrap_or_default();
    if text.trim().is_empty() {
        return None;
    }
    // With the line ends that it has while it is worked on.
    let text = text.replace("\r\n", "\n");
    document.set_trailing("");
    Some(format!("{}\n\n", text.trim_end()))
}

/// The place of the last table that has a header.
fn last_position(table: &Table) -> isize {
    let inner = table.iter().map(|(_, item)| match item {
        Item::Table(table) => last_position(table),
        Item::ArrayOfTables(tables) => tables.iter().map(last_position).max().unwrap_or_default(),
        _ => 0,
    });
    inner.chain(table.position()).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_set_where_they_belong() {
        let check = |text: &str, key: &str, expected: &str| {
            let mut document: DocumentMut = text.parse().unwrap();
            insert(&mut document, key, "v".into()).unwrap();
            assert_eq!(document.to_string(), expected);
        };
        check("", "sources.a.url", "[sources.a]\nurl = \"v\"\n");
        check(
            "# c\n[sources.a]\nurl = 'x' # why\n",
            "sources.a.url",
            "# c\n[sources.a]\nurl = \"v\" # why\n",
        );
        check(
            "sources.a.auth = 'x'\n",
            "sources.a.url",
            "sources.a.auth = 'x'\nsources.a.url = \"v\"\n",
        );
        check(
            "sources = { a = {} }\n",
            "sources.a.url",
            "sources = { a = { url = \"v\" } }\n",
        );
        check(
            "[sources.a]\nurl = 'x'\n",
            "registry.url",
            "[sources.a]\nurl = 'x'\n\n[registry]\nurl = \"v\"\n",
        );
    }

    #[test]
    fn comments_stay_above_what_is_new() {
        let check = |text: &str, key: &str, expected: &str| {
            let mut document: DocumentMut = text.parse().unwrap();
            insert(&mut document, key, "v".into()).unwrap();
            assert_eq!(document.to_string(), expected);
        };
        check(
            "# mine\n",
            "registry.url",
            "# mine\n\n[registry]\nurl = \"v\"\n",
        );
        check(
            "# mine\n\n[a]\nx = 1\n\n# the end",
            "sources.a.url",
            "# mine\n\n[a]\nx = 1\n\n# the end\n\n[sources.a]\nurl = \"v\"\n",
        );
        // Behind a table that lies apart from the others of its name, too.
        check(
            "[sources.a]\nx = 1\n[[org]]\ny = 1\n# the end\n",
            "sources.b.url",
            "[sources.a]\nx = 1\n[[org]]\ny = 1\n# the end\n\n[sources.b]\nurl = \"v\"\n",
        );
        // No table is made, so that nothing moves.
        check(
            "[registry]\nx = 1\n# the end\n",
            "registry.url",
            "[registry]\nx = 1\nurl = \"v\"\n# the end\n",
        );
        check(
            "sources = {}\n# the end\n",
            "sources.a.url",
            "sources = { a.url = \"v\" }\n# the end\n",
        );
    }
}
