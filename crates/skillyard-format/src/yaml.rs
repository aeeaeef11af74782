//! YAML as frontmatter needs it: a lossless tree with spans, scalars kept as text.
//!
//! Two readers build the same tree. `simple` reads the block style that most
//! files use, in one pass over the bytes, and declines everything it is not sure
//! of; `events` is libyaml's own scanner and parser and has the last word on
//! what is valid. A property test and a fuzz target hold the two equal.

mod events;
mod json;
mod places;
mod shield;
mod simple;
mod typed;

use std::borrow::Cow;

use crate::span::Span;

pub use typed::is_typed;

/// Most levels of nesting a document may have.
pub const MAX_DEPTH: usize = 64;
/// Most nodes a document may have after its aliases are expanded.
pub const MAX_NODES: usize = 20_000;
/// Most bytes a frontmatter block may have, and most bytes of text its aliases may stand for.
pub const MAX_BYTES: usize = 1024 * 1024;

/// One value of the tree and the bytes it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node<'a> {
    /// Where the value stands in the file.
    pub span: Span,
    /// What the value is.
    pub value: Value<'a>,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// Text, exactly as written once quotes and folding are undone.
    Scalar(Scalar<'a>),
    /// A list.
    Sequence(Vec<Node<'a>>),
    /// Keys and values in the order of the file, duplicates included.
    Mapping(Mapping<'a>),
}

/// A piece of text and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar<'a> {
    /// The text; borrowed where the source holds it as it is.
    pub text: Cow<'a, str>,
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
pub struct Mapping<'a> {
    /// The entries, duplicates included.
    pub entries: Vec<Entry<'a>>,
}

/// One key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The key's text.
    pub key: Cow<'a, str>,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node<'a>,
}

/// A document that was read, and the YAML features it used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree<'a> {
    /// The root; `None` when the document is empty or holds only comments.
    pub root: Option<Node<'a>>,
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
    pub problem: Problem,
    /// Where it is wrong.
    pub span: Span,
    /// What the reader was doing, and where that began.
    pub context: Option<(&'static str, Span)>,
}

/// What is wrong with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
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

impl Problem {
    /// Whether the document was refused for what it costs rather than for what it says.
    pub fn is_limit(self) -> bool {
        matches!(self, Self::TooDeep | Self::TooManyNodes | Self::TooLarge)
    }
}

/// Reads `source`, whose first byte stands at `offset` in the file.
pub fn parse(source: &str, offset: usize) -> Result<Tree<'_>, YamlError> {
    if source.len() > MAX_BYTES {
        return Err(YamlError {
            problem: Problem::TooLarge,
            span: Span::new(offset, offset + source.len()),
            context: None,
        });
    }
    match simple::parse(source, offset) {
        Some(tree) => Ok(tree),
        None => events::parse(source, offset).0,
    }
}

/// Reads `source` with libyaml's parser alone, and tells the features met before an error.
pub fn parse_by_events(
    source: &str,
    offset: usize,
) -> (Result<Tree<'static>, YamlError>, Features) {
    events::parse(source, offset)
}

/// Reads `source` with the fast reader alone; `None` where it declines.
#[doc(hidden)]
pub fn parse_simple(source: &str, offset: usize) -> Option<Tree<'_>> {
    simple::parse(source, offset)
}

impl Tree<'_> {
    /// The same tree without a tie to the text it was read from.
    pub fn into_owned(self) -> Tree<'static> {
        Tree {
            root: self.root.map(Node::into_owned),
            features: self.features,
        }
    }
}

impl<'a> Node<'a> {
    /// The text, if this is a scalar.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(scalar) => Some(&scalar.text),
            _ => None,
        }
    }

    /// The entries, if this is a mapping.
    pub fn as_mapping(&self) -> Option<&Mapping<'a>> {
        match &self.value {
            Value::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_sequence(&self) -> Option<&[Node<'a>]> {
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

    /// The same tree without a tie to the text it was read from.
    pub fn into_owned(self) -> Node<'static> {
        let value = match self.value {
            Value::Scalar(scalar) => Value::Scalar(Scalar {
                text: Cow::Owned(scalar.text.into_owned()),
                style: scalar.style,
            }),
            Value::Sequence(items) => {
                Value::Sequence(items.into_iter().map(Node::into_owned).collect())
            }
            Value::Mapping(mapping) => Value::Mapping(mapping.into_owned()),
        };
        Node {
            span: self.span,
            value,
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

impl<'a> Mapping<'a> {
    /// The entry of `key`; the last one where it is repeated, as in libyaml's users.
    pub fn get(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    /// The same fields without a tie to the text they were read from.
    pub fn into_owned(self) -> Mapping<'static> {
        let owned = |entry: Entry<'a>| Entry {
            key: Cow::Owned(entry.key.into_owned()),
            key_span: entry.key_span,
            value: entry.value.into_owned(),
        };
        Mapping {
            entries: self.entries.into_iter().map(owned).collect(),
        }
    }

    /// Each entry whose key was used before, behind the nearest earlier entry of that key.
    pub fn duplicates(&self) -> impl Iterator<Item = (&Entry<'a>, &Entry<'a>)> {
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
