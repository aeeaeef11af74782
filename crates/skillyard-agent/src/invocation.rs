//! What the user names: `/name`, stacked `/a /b`, and `$name` anywhere in the text.
//!
//! It is understood without a model. A word with another slash in it is a path, and `$name` that
//! names no skill is text: people write prices and variables.

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

/// Understands a message.
pub fn understand(input: &str, shelf: &Shelf) -> Result<Invocation, ShelfError> {
    let mut skills: Vec<String> = Vec::new();
    let mut rest = input.trim();
    loop {
        let (word, behind) = first_word(rest);
        let name = match word.strip_prefix('/') {
            Some(name) if is_name(name) => name,
            _ => match word.strip_prefix('$') {
                Some(name) if is_name(name) && shelf.find(name).is_ok() => name,
                _ => break,
            },
        };
        push(
            &mut skills,
            shelf.named(name)?.skill.record.name.to_string(),
        );
        rest = behind;
    }
    for word in rest.split_whitespace() {
        let mention = word.strip_prefix('$').unwrap_or_default();
        let mention = mention.trim_end_matches(|c: char| !c.is_alphanumeric());
        if is_name(mention)
            && let Ok(found) = shelf.find(mention)
        {
            push(&mut skills, found.skill.record.name.to_string());
        }
    }
    Ok(Invocation {
        skills,
        arguments: rest.to_owned(),
    })
}

fn first_word(text: &str) -> (&str, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

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
