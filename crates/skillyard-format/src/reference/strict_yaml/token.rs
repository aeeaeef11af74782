//! What the scanner hands to the parser.

use crate::span::Span;
use crate::yaml::Scalar;

/// A piece of the text with a meaning of its own.
#[derive(Debug, Clone)]
pub(super) struct Token<'s> {
    /// What it is.
    pub(super) kind: TokenKind<'s>,
    /// Where it stands.
    pub(super) span: Span,
}

/// The kinds of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind<'s> {
    /// A comment, or empty lines.
    Comment,
    /// A line that starts with `%`.
    Directive,
    /// `...` on a line of its own.
    DocumentEnd,
    /// The end of the text.
    StreamEnd,
    /// The first `-` of a list.
    SequenceStart,
    /// The first key of a mapping.
    MappingStart,
    /// The end of a list or a mapping.
    BlockEnd,
    /// `-`.
    Entry,
    /// `?`, or the start of a key.
    Key,
    /// `:`.
    Value,
    /// `[` or `{`.
    FlowStart(char),
    /// `]` or `}`.
    FlowEnd(char),
    /// `,`.
    FlowEntry,
    /// `*name`.
    Alias,
    /// `&name`.
    Anchor,
    /// `!name`.
    Tag,
    /// Text.
    Scalar(Scalar<'s>),
}

impl TokenKind<'_> {
    /// The name that messages use.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Comment => "<comment>",
            Self::Directive => "<directive>",
            Self::DocumentEnd => "<document end>",
            Self::StreamEnd => "<stream end>",
            Self::SequenceStart => "<block sequence start>",
            Self::MappingStart => "<block mapping start>",
            Self::BlockEnd => "<block end>",
            Self::Entry => "-",
            Self::Key => "?",
            Self::Value => ":",
            Self::FlowStart('[') => "[",
            Self::FlowStart(_) => "{",
            Self::FlowEnd(']') => "]",
            Self::FlowEnd(_) => "}",
            Self::FlowEntry => ",",
            Self::Alias => "<alias>",
            Self::Anchor => "<anchor>",
            Self::Tag => "<tag>",
            Self::Scalar(_) => "<scalar>",
        }
    }
}
