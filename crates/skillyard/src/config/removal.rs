//! Takes a key out of the text of a file.
//!
//! Whole lines go: that loses no comment of the user's, and leaves nothing of the value behind.

use std::ops::Range;
use std::path::Path;

use toml_edit::{Item, Table, TableLike};

use super::edit::parsed;
use crate::error::CommandError;

/// The text without a key, and without the tables that are empty then; nothing if it is not there.
pub(super) fn removed(path: &Path, text: &str, key: &str) -> Result<Option<String>, CommandError> {
    let document = parsed(path, text)?;
    let names: Vec<&str> = key.split('.').collect();
    let Some(lines) = lines_of(text, document.as_table(), &names) else {
        // Inside an inline table, or a list of tables: not lines of its own.
        let mut document = document.into_mut();
        return Ok(take(document.as_table_mut(), &names).then(|| document.to_string()));
    };
    let mut result = without(text, lines);
    for end in (1..names.len()).rev() {
        let document = parsed(path, &result)?;
        // A table without a header of its own is gone with what it held.
        if let Some(header) = empty_header(document.as_table(), &names[..end]) {
            let lines = whole_lines(&result, &header);
            result = without(&result, lines);
        }
    }
    Ok(Some(result))
}

/// The lines that a key and its value stand on, if nothing else does.
fn lines_of(text: &str, table: &Table, names: &[&str]) -> Option<Range<usize>> {
    let (name, rest) = names.split_first()?;
    let (key, item) = table.get_key_value(name)?;
    match item {
        Item::Table(table) => lines_of(text, table, rest),
        Item::Value(value) if rest.is_empty() => {
            Some(whole_lines(text, &(key.span()?.start..value.span()?.end)))
        }
        _ => None,
    }
}

/// The header of a table that holds nothing.
fn empty_header(table: &Table, names: &[&str]) -> Option<Range<usize>> {
    let (name, rest) = names.split_first()?;
    let table = table.get(name)?.as_table()?;
    if !rest.is_empty() {
        return empty_header(table, rest);
    }
    let is_header = !table.is_implicit() && !table.is_dotted();
    table.span().filter(|_| is_header && table.is_empty())
}

/// Takes a key out of a table; tells whether it was there.
fn take(table: &mut dyn TableLike, names: &[&str]) -> bool {
    let Some((name, rest)) = names.split_first() else {
        return false;
    };
    if rest.is_empty() {
        return table.remove(name).is_some();
    }
    let Some(inner) = table.get_mut(name).and_then(Item::as_table_like_mut) else {
        return false;
    };
    let taken = take(inner, rest);
    if taken && inner.is_empty() {
        table.remove(name);
    }
    taken
}

/// The whole lines that a place stands on.
fn whole_lines(text: &str, place: &Range<usize>) -> Range<usize> {
    let start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[place.end..]
        .find('\n')
        .map_or(text.len(), |at| place.end + at + 1);
    start..end
}

/// The text without these lines, and without a second empty line in their place.
fn without(text: &str, lines: Range<usize>) -> String {
    let (before, mut after) = (&text[..lines.start], &text[lines.end..]);
    if before.is_empty() || before.ends_with("\n\n") {
        after = after.strip_prefix('\n').unwrap_or(after);
    }
    let result = format!("{before}{after}");
    match result.strip_suffix("\n\n") {
        Some(shorter) if after.is_empty() => format!("{shorter}\n"),
        _ => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_removed(text: &str, key: &str, expected: &str) {
        let result = removed(Path::new("c.toml"), text, key).unwrap();
        assert_eq!(result.as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn a_value_goes_and_comments_stay() {
        check_removed(
            "# Mine.\n[a]\n# about x\nx = 3 # gone\n",
            "a.x",
            "# Mine.\n# about x\n",
        );
        check_removed("[a]\nx = 1\ny = 2\n", "a.x", "[a]\ny = 2\n");
        check_removed("[a]\nx = [\n  1,\n  2,\n]\ny = 2\n", "a.x", "[a]\ny = 2\n");
        check_removed(
            "[a]\ny = 2\n\n[a.b]\nx = 1\n\n[c]\nz = 1\n",
            "a.b.x",
            "[a]\ny = 2\n\n[c]\nz = 1\n",
        );
        check_removed("a.b.x = 1\nz = 1", "a.b.x", "z = 1");
        check_removed("[a]\n[a.b]\nx = 1\n", "a.b.x", "");
        check_removed("[a]\n[a.b.c]\nx = 1\n", "a.b.c.x", "");
    }

    #[test]
    fn inline_tables_and_lists_of_tables() {
        check_removed(
            "[a]\nb = { x = 1, y = 2 }\n",
            "a.b.x",
            "[a]\nb = { y = 2 }\n",
        );
        check_removed("z = 1\na = { b = { x = 1 } }\n", "a.b.x", "z = 1\n");
        check_removed("z = 1\n[[org]]\npath = 'x'\n", "org", "z = 1\n");
    }
}
