//! YAML as frontmatter needs it: a lossless tree with spans, scalars kept as text.
//!
//! libyaml's scanner and parser decide what is valid.

mod json;
mod parser;
mod shield;

use crate::span::Span;

pub use json::is_typed;
pub use parser::parse;
pub(crate) use parser::parse_nested;

/// Most levels of nesting a document may have.
pub const MAX_DEPTH: usize = 64;
/// Most nodes a document may have after its aliases are expanded.
pub const MAX_NODES: usize = 20_000;
/// Most bytes a frontmatter block may have, and most bytes of text its aliases may stand for.
pub const MAX_BYTES: usize = 1024 * 1024;

/// One value of the tree and the bytes it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Where the value stands in the file.
    pub span: Span,
    /// What the value is.
    pub value: Value,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Text, exactly as written once quotes and folding are undone.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and values in the order of the file, duplicates included.
    Mapping(Mapping),
}

/// A piece of text and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The text; borrowed where the source holds it as it is.
    pub text: String,
    /// The style it was written in.
    pub style: ScalarStyle,
}

/// How a scalar was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScalarStyle {
    /// Without quotes.
    Plain,
    /// In single or double quotes.
    Quoted,
    /// As a `|` or `>` block.
    Block,
}

/// Keys and values in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapping {
    /// The entries, duplicates included.
    pub entries: Vec<MappingEntry>,
}

/// One key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingEntry {
    /// The key's text.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

/// A document that was read, and the YAML features it used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The root; `None` when the document is empty or holds only comments.
    pub root: Option<Node>,
    /// Features that a stricter reader may refuse.
    pub features: Features,
}

/// The first place where each optional YAML feature was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Features {
    /// The first `[…]` or `{…}`.
    pub flow: Option<Flow>,
    /// The first `&anchor` or `*alias`.
    pub anchor: Option<Span>,
    /// The first `!tag`.
    pub tag: Option<Span>,
    /// Whether a further document follows the first.
    pub second_document: Option<Span>,
}

/// The first flow collection of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// Where it starts and ends.
    pub span: Span,
    /// Whether it is a `{…}` rather than a `[…]`.
    pub mapping: bool,
}

/// Why a document could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct YamlError {
    /// What is wrong.
    pub problem: YamlProblem,
    /// Where it is wrong.
    pub span: Span,
    /// What the reader was doing, and where that began.
    pub context: Option<(&'static str, Span)>,
}

/// What is wrong with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum YamlProblem {
    /// libyaml's own words.
    #[error("{0}")]
    Syntax(&'static str),
    /// A character YAML does not allow.
    #[error("control characters are not allowed")]
    Character,
    /// An alias without its anchor.
    #[error("found undefined alias")]
    UndefinedAlias,
    /// A `!tag` that names no type of YAML's own.
    #[error("found unknown tag")]
    UnknownTag,
    /// A list or a mapping as a key.
    #[error("a key must be text")]
    ComplexKey,
    /// Nesting over [`MAX_DEPTH`].
    #[error("nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// Nodes over [`MAX_NODES`].
    #[error("expands to more than {MAX_NODES} values")]
    TooManyNodes,
    /// Bytes over [`MAX_BYTES`].
    #[error("larger than {MAX_BYTES} bytes")]
    TooLarge,
}

impl YamlProblem {
    /// Whether the document was refused for what it costs rather than for what it says.
    pub fn is_limit(self) -> bool {
        matches!(self, Self::TooDeep | Self::TooManyNodes | Self::TooLarge)
    }
}

impl Node {
    /// The text, if this is a scalar.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    /// The entries, if this is a mapping.
    pub fn as_mapping(&self) -> Option<&Mapping> {
        match &self.value {
            Value::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_sequence(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// Whether this is an empty plain scalar, `~` or `null`.
    pub fn is_null(&self) -> bool {
        match &self.value {
            Value::Scalar(scalar) => {
                scalar.style == ScalarStyle::Plain
                    && matches!(&*scalar.text, "" | "~" | "null" | "Null" | "NULL")
            }
            _ => false,
        }
    }

    /// The word for this kind of value in a message.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar(_) => "text",
            Value::Sequence(_) => "a list",
            Value::Mapping(_) => "a mapping",
        }
    }
}

impl Mapping {
    /// The entry of `key`; the last one where it is repeated, as in libyaml's users.
    pub fn get(&self, key: &str) -> Option<&MappingEntry> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    /// Each entry whose key was used before, behind the nearest earlier entry of that key.
    pub fn duplicates(&self) -> impl Iterator<Item = (&MappingEntry, &MappingEntry)> {
        self.entries.iter().enumerate().filter_map(|(at, entry)| {
            self.entries[..at]
                .iter()
                .rev()
                .find(|earlier| earlier.key == entry.key)
                .map(|earlier| (earlier, entry))
        })
    }
}

#[cfg(test)]
mod tests;
