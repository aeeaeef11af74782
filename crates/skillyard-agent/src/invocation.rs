//! What the user names: `/name`, stacked `/a /b`, and `$name` anywhere in the text.
//!
//! It is understood without a model. A word with another slash in it is a path unless a skill is
//! called so, and `$name` that names no skill is text: people write prices and variables.

use crate::shelf::{Shelf, ShelfError};

/// A message, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The skills it names, each once, in order.
    pub skills: Vec<String>,
    /// What stands behind the names.
    pub arguments: String,
}

impl Invocation {
    /// Whether there is nothing but names: no model is needed then.
    pub fn is_bare(&self) -> bool {
        !self.skills.is_empty() && self.arguments.is_empty()
    }
}

/// Of how many words a name may be.
const MAX_WORDS: usize = 16;

/// Understands a message. Names may have blanks in them: what is meant is the longest one that the
/// text begins with.
pub fn understand(input: &str, shelf: &Shelf) -> Result<Invocation, ShelfError> {
    let mut skills: Vec<String> = Vec::new();
    let mut rest = input.trim();
    loop {
        let text = rest.get(1..).unwrap_or_default();
        let known = || beginnings(text).find(|name| shelf.knows(name));
        let name = match rest.chars().next() {
            Some('/') => known().or_else(|| Some(first_word(text)).filter(|word| is_name(word))),
            Some('$') => beginnings(text).find(|name| is_mention(name, shelf)),
            _ => None,
        };
        let Some(name) = name else {
            break;
        };
        push(&mut skills, shelf.named(name)?.skill.record.name.clone());
        rest = text[name.len()..].trim_start();
    }
    for name in mentions(rest, shelf) {
        push(&mut skills, name);
    }
    Ok(Invocation {
        skills,
        arguments: rest.to_owned(),
    })
}

/// The usable skills that a text names with a `$` at the beginning of a word.
fn mentions(text: &str, shelf: &Shelf) -> Vec<String> {
    let marks = text.match_indices('$').map(|(at, _)| at);
    let leads = |at: &usize| {
        text[..*at]
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace)
    };
    let names = marks.filter(leads).filter_map(|at| {
        // What ends a sentence is no part of the name, unless there is such a name.
        let mut names = beginnings(&text[at + 1..])
            .flat_map(|name| [name, name.trim_end_matches(|c: char| !c.is_alphanumeric())]);
        let name = names.find(|name| is_mention(name, shelf))?;
        Some(shelf.find(name).ok()?.skill.record.name.clone())
    });
    names.collect()
}

/// What a text begins with that ends where a word does, the longest first.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    let mut ends = Vec::new();
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        if letter.is_whitespace() && !before.is_whitespace() {
            ends.push(at);
        }
        if ends.len() == MAX_WORDS {
            break;
        }
        before = letter;
    }
    let whole = text.trim_end().len();
    if ends.len() < MAX_WORDS && whole > 0 {
        ends.push(whole);
    }
    if text.starts_with(char::is_whitespace) {
        ends.clear();
    }
    ends.into_iter().rev().map(|end| &text[..end])
}

/// Whether a word behind a `$` names a usable skill. `$5` is a price, whatever skills are called.
fn is_mention(name: &str, shelf: &Shelf) -> bool {
    name.contains(char::is_alphabetic) && shelf.has(name)
}

fn first_word(text: &str) -> &str {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    &text[..end]
}

/// Whether a word that no skill is called could be meant for one.
fn is_name(word: &str) -> bool {
    // Skills that an MCP server publishes are called `server:skill`.
    let fine = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':');
    word.starts_with(char::is_alphabetic) && word.chars().all(fine)
}

fn push(skills: &mut Vec<String>, name: String) {
    if !skills.contains(&name) {
        skills.push(name);
    }
}
