//! Tables: rows are held back until the last has come, because it may be the widest.
//!
//! What is no table after all, or too large for one, is shown as it was written.

use super::cell::Cell;

/// Most bytes and columns of a table.
const MAX_BYTES: usize = 64 * 1024;
const MAX_COLUMNS: usize = 30;
/// The least width of a column that has to give way to others.
const MIN_COLUMN_WIDTH: usize = 6;
/// What stands between two columns.
const GAP: &str = "  ";

/// The rows of a table so far.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The rows as they were written, each with its line break if it has come.
    text: String,
    /// Whether it was too large, so that the rest of it is not held back.
    overfull: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Middle,
    Right,
}

impl Table {
    /// Whether rows are held back.
    pub(super) fn gathers(&self) -> bool {
        !self.overfull
    }

    /// Takes the next character of a row; gives all rows back when they are too many.
    pub(super) fn push(&mut self, character: char) -> Option<String> {
        self.text.push(character);
        self.overfull = self.text.len() >= MAX_BYTES;
        self.overfull.then(|| std::mem::take(&mut self.text))
    }

    /// The table in lines of this width at most; it is forgotten.
    pub(super) fn finish(&mut self, width: usize) -> String {
        let text = std::mem::take(self).text;
        match aligned(&text, width) {
            Some(mut shown) => {
                // Whoever has not ended the last row yet ends it themselves.
                if !text.ends_with('\n') {
                    shown.truncate(shown.trim_end_matches('\n').len());
                }
                shown
            }
            None => text,
        }
    }
}

fn aligned(text: &str, width: usize) -> Option<String> {
    let mut rows = text.lines().map(cells);
    let head = rows.next()?;
    let sides: Option<Vec<Side>> = rows.next()?.iter().map(|cell| side(cell.trim())).collect();
    let sides = sides.filter(|sides| sides.len() == head.len() && head.len() <= MAX_COLUMNS)?;
    let head = head.iter().map(|cell| Cell::parse(cell).heading());
    let head: Vec<Cell> = head.collect();
    let body: Vec<Vec<Cell>> = rows.map(|row| fitted(row, sides.len())).collect();
    let all = std::iter::once(&head).chain(&body);
    let widths = widths(all, sides.len(), width)?;
    let mut shown = String::new();
    row(&head, &widths, &sides, &mut shown);
    let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    shown.push_str(&rules.join(GAP));
    shown.push('\n');
    for cells in &body {
        row(cells, &widths, &sides, &mut shown);
    }
    Some(shown)
}

/// What stands between the bars of a row; `\|` is no bar.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let is_bar = character == '|';
        if is_bar && characters.peek().is_none() {
            break;
        }
        if is_bar {
            cells.push(String::new());
            continue;
        }
        let escaped = character == '\\' && characters.peek() == Some(&'|');
        let character = if escaped {
            characters.next()
        } else {
            Some(character)
        };
        if let Some(cell) = cells.last_mut() {
            cell.extend(character);
        }
    }
    cells
}

/// The side that a cell such as `:---:` puts its column on.
fn side(cell: &str) -> Option<Side> {
    let inner = cell.strip_prefix(':').unwrap_or(cell);
    let inner = inner.strip_suffix(':').unwrap_or(inner);
    if inner.is_empty() || !inner.bytes().all(|each| each == b'-') {
        return None;
    }
    Some(match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Side::Middle,
        (false, true) => Side::Right,
        _ => Side::Left,
    })
}

/// As many cells as there are columns; what is too much stays in the last.
fn fitted(mut row: Vec<String>, columns: usize) -> Vec<Cell> {
    if row.len() > columns {
        let more = row.split_off(columns.saturating_sub(1));
        row.push(more.join(" | "));
    }
    let mut cells: Vec<Cell> = row.iter().map(|cell| Cell::parse(cell)).collect();
    cells.resize(columns, Cell::default());
    cells
}

/// How wide each column is; nothing where there is no room for them.
fn widths<'a>(
    rows: impl Iterator<Item = &'a Vec<Cell>>,
    columns: usize,
    width: usize,
) -> Option<Vec<usize>> {
    let room = width.checked_sub(GAP.len() * columns.saturating_sub(1))?;
    let mut widths = vec![1; columns];
    for row in rows {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = cell.width().clamp(*most, room.max(*most));
        }
    }
    while widths.iter().sum::<usize>() > room {
        let widest = widths
            .iter_mut()
            .max()
            .filter(|width| **width > MIN_COLUMN_WIDTH)?;
        *widest -= 1;
    }
    Some(widths)
}

fn row(cells: &[Cell], widths: &[usize], sides: &[Side], shown: &mut String) {
    let columns: Vec<Vec<Cell>> = cells
        .iter()
        .zip(widths)
        .map(|(cell, width)| cell.lines(*width))
        .collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or_default();
    for at in 0..height {
        let mut line = String::new();
        for (column, (lines, (width, side))) in
            columns.iter().zip(widths.iter().zip(sides)).enumerate()
        {
            let nothing = Cell::default();
            let cell = lines.get(at).unwrap_or(&nothing);
            let free = width.saturating_sub(cell.width());
            let before = match side {
                Side::Left => 0,
                Side::Middle => free / 2,
                Side::Right => free,
            };
            if column > 0 {
                line.push_str(GAP);
            }
            line.extend(std::iter::repeat_n(' ', before));
            line.push_str(&cell.painted());
            line.extend(std::iter::repeat_n(' ', free - before));
        }
        shown.push_str(line.trim_end_matches(' '));
        shown.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, width: usize, expected: &str) {
        let mut table = Table::default();
        for character in text.chars() {
            table.push(character);
        }
        let shown = table.finish(width);
        let shown = shown.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        assert_eq!(shown, expected);
        assert_eq!(table.finish(width), "");
    }

    #[test]
    fn columns_stand_below_each_other() {
        check(
            "| Name | Count |\n|------|------:|\n| a | 1 |\n| long name | 23 |\n",
            40,
            "Name       Count\n─────────  ─────\na              1\nlong name     23\n",
        );
        check(
            "| 名 | x |\n|:-:|---|\n| 日本語 | a\\|b |",
            40,
            "  名    x\n──────  ───\n日本語  a|b",
        );
    }

    #[test]
    fn rows_may_be_too_short_or_too_long() {
        check(
            "|a|b|\n|-|-|\n|1|\n|1|2|3|\n",
            40,
            "a  b\n─  ─────\n1\n1  2 | 3\n",
        );
    }

    #[test]
    fn wide_columns_give_way_and_nothing_is_lost() {
        check(
            "|key|text|\n|---|---|\n|a|one two three four five six|\n",
            20,
            "key  text\n───  ───────────────\na    one two three\n     four five six\n",
        );
    }

    #[test]
    fn what_is_no_table_stays_as_it_was_written() {
        for text in ["| one | two |\n", "|a|b|\n|-|\n|1|2|\n", "|a|\n|x|\n", "|"] {
            check(text, 40, text);
        }
        let many = format!("{}|\n{}|\n", "|a".repeat(31), "|-".repeat(31));
        check(&many, 400, &many);
        let narrow = format!("{}|\n{}|\n", "|long word".repeat(9), "|-".repeat(9));
        check(&narrow, 40, &narrow);
    }
}
