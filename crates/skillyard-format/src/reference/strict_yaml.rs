//! The subset of YAML that the reference validator's reader accepts, and its complaints.
//!
//! Its answers hang on details that no other reader shares: how far it scans before it
//! complains, what it takes for a name, which characters end a line. So this is a reader
//! of its own for block style alone. The first bracket, anchor or tag ends it anyway.
//!
//! [`cursor`] walks the text, [`scanner`] cuts it into tokens, [`parser`] builds a tree
//! and [`construct`] refuses repeated keys and uneven mappings at the end.

mod block;
mod construct;
mod cursor;
mod parser;
mod possible_key;
mod property;
mod scanner;
mod sign;
mod text;
mod token;

use super::message::StrictError;
use crate::text::first_forbidden;
use crate::yaml::{self, Node};

/// The root value of `source`; `None` when it is empty.
///
/// What the fast reader of the common shape accepts, this one accepts with the same answer,
/// unless it holds a bracket, a repeated key or uneven mappings. Where nothing else can be
/// wrong, the first bracket is what the reference complains about.
pub(super) fn load(source: &str) -> Result<Option<Node<'_>>, StrictError> {
    match yaml::parse_simple(source, 0) {
        Some(tree) => match tree.features.flow {
            Some(flow) => Err(parser::flow_error(flow.span.start)),
            None if tree.root.iter().all(|root| is_sound(source, root)) => Ok(tree.root),
            None => read(source),
        },
        None => read(source),
    }
}

fn read(source: &str) -> Result<Option<Node<'_>>, StrictError> {
    if let Some((at, c)) = first_forbidden(source) {
        // The reference crashes here; we say what it meant to say.
        return Err(StrictError::new(
            format!(
                "unacceptable character #x{:04x}: special characters are not allowed",
                u32::from(c)
            ),
            at,
        ));
    }
    parser::parse(source)?
        .map(|root| construct::construct_root(source, root))
        .transpose()
}

/// Whether no key is repeated and the mappings of each mapping start in one column.
fn is_sound(source: &str, node: &Node) -> bool {
    let Some(mapping) = node.as_mapping() else {
        return true;
    };
    let column = |at: usize| at - source[..at].rfind('\n').map_or(0, |before| before + 1);
    let mut columns = mapping
        .entries
        .iter()
        .filter_map(|entry| entry.value.as_mapping()?.entries.first())
        .map(|first| column(first.key_span.start));
    let first = columns.next();
    columns.all(|column| Some(column) == first)
        && mapping.duplicates().next().is_none()
        && mapping
            .entries
            .iter()
            .all(|entry| is_sound(source, &entry.value))
}
