//! Questions that are answered with one or several of a list.

use std::io;

use super::text::with_keys;
use crate::printer::Printer;
use crate::question;
use crate::text::sanitize::visible;

/// Something to choose.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// What it is called.
    pub(crate) label: String,
    /// What is said about it.
    pub(crate) about: String,
}

/// Lets one be chosen; where it stands in the list.
pub(crate) fn one(printer: &Printer, question: &str, items: &[Item]) -> io::Result<usize> {
    with_keys(printer, || ask_for_one(printer, question, items))
}

fn ask_for_one(printer: &Printer, question: &str, items: &[Item]) -> io::Result<usize> {
    if printer.asks_plainly() {
        let chosen = by_number(printer, question, "its number", items, |said| {
            number(said, items.len()).map(|at| vec![at])
        })?;
        return chosen.first().copied().ok_or_else(unanswered);
    }
    let mut select = cliclack::select(visible(question));
    for (at, item) in items.iter().enumerate() {
        select = select.item(at, visible(&item.label), visible(&item.about));
    }
    select.interact()
}

/// Lets several be chosen, and one at least; where they stand in the list.
pub(crate) fn several(printer: &Printer, question: &str, items: &[Item]) -> io::Result<Vec<usize>> {
    with_keys(printer, || ask_for_several(printer, question, items))
}

fn ask_for_several(printer: &Printer, question: &str, items: &[Item]) -> io::Result<Vec<usize>> {
    if printer.asks_plainly() {
        let how = "their numbers, or `all`";
        return by_number(printer, question, how, items, |said| {
            numbers(said, items.len())
        });
    }
    let question = format!("{} (space chooses, enter confirms)", visible(question));
    let mut select = cliclack::multiselect(question);
    for (at, item) in items.iter().enumerate() {
        select = select.item(at, visible(&item.label), visible(&item.about));
    }
    select.interact()
}

/// Shows the list with numbers, and asks until the answer can be read.
fn by_number(
    printer: &Printer,
    question: &str,
    how: &str,
    items: &[Item],
    read: impl Fn(&str) -> Option<Vec<usize>>,
) -> io::Result<Vec<usize>> {
    for (at, item) in items.iter().enumerate() {
        let line = format!("{:>4}  {}  {}", at + 1, item.label, item.about);
        printer.people(visible(&line).trim_end());
    }
    loop {
        let question = format!("{} ({how})", visible(question));
        let said = question::plain_line(printer, &question)?;
        if let Some(chosen) = read(&said) {
            return Ok(chosen);
        }
        printer.people(&format!("the answer is {how}, from 1 to {}", items.len()));
    }
}

/// Where the entry of a number stands.
fn number(said: &str, count: usize) -> Option<usize> {
    let at = said.parse::<usize>().ok()?.checked_sub(1)?;
    (at < count).then_some(at)
}

/// Where the entries of numbers stand, with spaces or commas between them, each once.
fn numbers(said: &str, count: usize) -> Option<Vec<usize>> {
    if said == "all" {
        return Some((0..count).collect());
    }
    let words = said.split([' ', ',']).filter(|word| !word.is_empty());
    let mut chosen: Vec<usize> = words
        .map(|word| number(word, count))
        .collect::<Option<_>>()?;
    chosen.sort_unstable();
    chosen.dedup();
    (!chosen.is_empty()).then_some(chosen)
}

fn unanswered() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_choose_and_nothing_else_does() {
        for (said, expected) in [
            ("1", Some(vec![0])),
            ("3, 1 3", Some(vec![0, 2])),
            ("all", Some(vec![0, 1, 2])),
            ("", None),
            ("0", None),
            ("4", None),
            ("1 x", None),
        ] {
            assert_eq!(numbers(said, 3), expected, "{said:?}");
        }
    }
}
