//! The text as a row of tokens, read just as far ahead as the reference reads.
//!
//! How far ahead matters: an error in a token that is already scanned comes before a
//! complaint about the token in front of it. Two rules say how far. A token that may
//! turn out to be a key is scanned on to the end of its line or to the `:`. And one
//! token more than the one in question is always scanned; a comment counts as one.

use std::collections::VecDeque;

use super::cursor::{Cursor, is_blank, is_line_end};
use super::token::{Token, TokenKind};
use crate::reference::message::StrictError;
use crate::reference::python::repr_char;
use crate::span::Span;

/// How many characters a key may have.
const LONGEST_KEY: usize = 1024;

/// Cuts the text into tokens on demand.
pub(super) struct Scanner<'s> {
    pub(super) cursor: Cursor<'s>,
    source: &'s str,
    tokens: VecDeque<Token>,
    /// How many tokens have left the queue.
    taken: usize,
    done: bool,
    /// The column of the innermost open list or mapping.
    pub(super) indent: Option<usize>,
    outer_indents: Vec<Option<usize>>,
    /// The brackets that are open.
    flow: Vec<char>,
    /// What may turn out to be a key, at most one for each level of brackets.
    keys: Vec<PossibleKey>,
    pub(super) key_allowed: bool,
}

/// A token that is a key if a `:` follows it.
struct PossibleKey {
    flow_level: usize,
    /// The number of the token, counted from the start of the text.
    number: usize,
    /// Whether nothing but a key may stand here.
    required: bool,
    start: Cursor<'static>,
}
