//! A `SKILL.md` taken apart: frontmatter, body, and what had to be mended on the way.

use std::borrow::Cow;

use crate::frontmatter::repair::{self, Repair};
use crate::frontmatter::{self, Absent, Oddity, Split};
use crate::span::Span;
use crate::text::{self, Encoding};
use crate::yaml::{self, Features, Mapping, Node, Tree, YamlError};

/// Most bytes a `SKILL.md` may have.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;

/// A file taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document<'a> {
    /// The text of the file; all spans are places in it.
    pub text: Cow<'a, str>,
    /// How the bytes were encoded.
    pub encoding: Encoding,
    /// The frontmatter.
    pub frontmatter: Frontmatter,
}

/// What was found between the delimiters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frontmatter {
    /// A mapping, perhaps after repairs.
    Read {
        /// Where everything stands.
        split: Split,
        /// The fields.
        mapping: Mapping,
        /// The YAML features that were used.
        features: Features,
        /// What was mended.
        repairs: Vec<Repair>,
    },
    /// YAML that could not be read, not even after repairs.
    Unreadable {
        /// Where everything stands.
        split: Split,
        /// The parser's complaint.
        error: YamlError,
    },
    /// YAML, but nothing, a list or a single value instead of fields.
    NotMapping {
        /// Where everything stands.
        split: Split,
        /// What was found instead.
        found: Option<Node>,
    },
    /// No frontmatter at all.
    Absent(Absent),
    /// The file was not read because it is larger than [`MAX_BYTES`].
    TooLarge,
}

impl<'a> Document<'a> {
    /// Takes the bytes of a file apart; what is wrong with them is part of the answer.
    pub fn parse(bytes: &'a [u8]) -> Self {
        if bytes.len() > MAX_BYTES {
            return Self {
                text: Cow::Borrowed(""),
                encoding: Encoding::Utf8,
                frontmatter: Frontmatter::TooLarge,
            };
        }
        let decoded = text::decode(bytes);
        let frontmatter = take_apart(&decoded.text);
        Self {
            text: decoded.text,
            encoding: decoded.encoding,
            frontmatter,
        }
    }

    /// Takes the first block of a file apart, if its frontmatter is whole and sound.
    ///
    /// `None` means that the rest of the file is needed to know. The body of the answer is
    /// only what the block holds of it.
    pub fn parse_head(block: &'a [u8]) -> Option<Self> {
        let text = match std::str::from_utf8(block) {
            Ok(text) => text,
            // The block may end inside a character.
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&block[..error.valid_up_to()]).ok()?
            }
            Err(_) => return None,
        };
        let split = frontmatter::split(text).ok()?;
        let closed = split.closer.end > split.closer.start
            && text[split.closer.start..split.closer.end].ends_with('\n');
        if !closed || split.oddities.iter().any(Oddity::needs_whole_file) {
            return None;
        }
        let tree = yaml::parse(split.yaml.of(text), split.yaml.start).ok()?;
        Some(Self {
            text: Cow::Borrowed(text),
            encoding: Encoding::Utf8,
            frontmatter: from_tree(tree, split, Vec::new()),
        })
    }

    /// The fields, if there are any.
    pub fn mapping(&self) -> Option<&Mapping> {
        match &self.frontmatter {
            Frontmatter::Read { mapping, .. } => Some(mapping),
            _ => None,
        }
    }

    /// The fields, taken out of the document.
    pub fn into_mapping(self) -> Option<Mapping> {
        match self.frontmatter {
            Frontmatter::Read { mapping, .. } => Some(mapping),
            _ => None,
        }
    }

    /// Where everything stands, if there is frontmatter.
    pub fn split(&self) -> Option<&Split> {
        match &self.frontmatter {
            Frontmatter::Read { split, .. }
            | Frontmatter::Unreadable { split, .. }
            | Frontmatter::NotMapping { split, .. } => Some(split),
            Frontmatter::Absent(_) | Frontmatter::TooLarge => None,
        }
    }

    /// The instructions: everything behind the frontmatter, or the whole text without one.
    pub fn body(&self) -> &str {
        self.body_span().of(&self.text)
    }

    /// Where the instructions stand.
    pub fn body_span(&self) -> Span {
        self.split()
            .map_or(Span::new(0, self.text.len()), |split| split.body)
    }
}

fn take_apart(text: &str) -> Frontmatter {
    match frontmatter::split(text) {
        Ok(split) => read(text, split),
        Err(absent) => Frontmatter::Absent(absent),
    }
}

fn read(text: &str, split: Split) -> Frontmatter {
    match yaml::parse(split.yaml.of(text), split.yaml.start) {
        // Fields without a separator that YAML sees make one text together.
        Ok(tree) => match tree.root {
            Some(Node {
                value: yaml::Value::Scalar(_),
                ..
            }) if let Some(repaired) = repair::fields(text, &split) => {
                from_tree(repaired.tree, repaired.split, repaired.repairs)
            }
            _ => from_tree(tree, split, Vec::new()),
        },
        Err(error) if error.problem.is_limit() => Frontmatter::Unreadable { split, error },
        Err(error) => match repair::repair(text, &split, &error) {
            Some(repaired) => from_tree(repaired.tree, repaired.split, repaired.repairs),
            None => Frontmatter::Unreadable { split, error },
        },
    }
}

fn from_tree(tree: Tree, split: Split, repairs: Vec<Repair>) -> Frontmatter {
    match tree.root {
        Some(Node {
            value: yaml::Value::Mapping(mapping),
            ..
        }) => Frontmatter::Read {
            split,
            mapping,
            features: tree.features,
            repairs,
        },
        found => Frontmatter::NotMapping { split, found },
    }
}
