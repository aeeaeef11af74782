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
use crate::text::is_forbidden;
use crate::yaml::Node;

/// The root value of `source`; `None` when it is empty.
pub(super) fn load(source: &str) -> Result<Option<Node>, StrictError> {
    if let Some((at, c)) = source.char_indices().find(|(_, c)| is_forbidden(*c)) {
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
