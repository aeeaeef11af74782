//! The tokens as a tree, and the complaints about tokens in the wrong place.

use super::scanner::Scanner;
use super::token::{Token, TokenKind};
use crate::reference::message::StrictError;
use crate::reference::python::repr;
use crate::span::Span;
use crate::yaml::{Scalar, ScalarStyle};

const FLOW: &str = "Found ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear literally)";
const ANCHOR: &str =
    "Found confusing disallowed anchor token (surround with ' and ' to make text appear literally)";
const TAG: &str = "Found disallowed tag tokens (do not specify types in markup)";

/// A bracket at `start` that opens a value in flow style.
pub(super) fn flow_error(start: usize) -> StrictError {
    StrictError::new(FLOW, start + 1).within("While scanning", start)
}

/// Lists and mappings inside one another; the reference runs out of stack one level deeper.
const DEEPEST: usize = 247;

/// A value as it was written: keys may be of any kind, and may repeat.
pub(super) struct Raw<'s> {
    /// From the first character to where the next token was found.
    pub(super) span: Span,
    /// What it is.
    pub(super) value: RawValue<'s>,
}

/// What a value as written holds.
pub(super) enum RawValue<'s> {
    /// Text.
    Scalar(Scalar<'s>),
    /// A list.
    Sequence(Vec<Raw<'s>>),
    /// Keys and values.
    Mapping(Vec<(Raw<'s>, Raw<'s>)>),
}

/// The one document in `source`; `None` when there is nothing but comments.
pub(super) fn parse(source: &str) -> Result<Option<Raw<'_>>, StrictError> {
    Parser {
        scanner: Scanner::new(source),
        source,
        depth: 0,
    }
    .document()
}

struct Parser<'s> {
    scanner: Scanner<'s>,
    source: &'s str,
    depth: usize,
}

impl<'s> Parser<'s> {
    fn document(mut self) -> Result<Option<Raw<'s>>, StrictError> {
        match self.scanner.peek()?.kind {
            TokenKind::StreamEnd => return Ok(None),
            TokenKind::Directive => return self.directives(),
            _ => {}
        }
        let root = self.node(false)?;
        if self.next_is(|kind| *kind == TokenKind::DocumentEnd)? {
            self.scanner.take()?;
        }
        let next = self.scanner.peek()?;
        match next.kind {
            TokenKind::StreamEnd => Ok(Some(root)),
            TokenKind::Directive => self.directives(),
            _ => Err(
                StrictError::new("but found another document", next.span.start)
                    .within("expected a single document in the stream", root.span.start),
            ),
        }
    }

    /// Only `---` may follow a directive, and that would have ended the frontmatter.
    fn directives(&mut self) -> Result<Option<Raw<'s>>, StrictError> {
        while self.next_is(|kind| *kind == TokenKind::Directive)? {
            self.scanner.take()?;
        }
        Err(unexpected("'<document start>'", self.scanner.peek()?))
    }

    fn next_is(&mut self, wanted: impl Fn(&TokenKind) -> bool) -> Result<bool, StrictError> {
        Ok(wanted(&self.scanner.peek()?.kind))
    }

    /// A value; only a mapping's value may be a list without an indentation of its own.
    fn node(&mut self, may_be_unindented_list: bool) -> Result<Raw<'s>, StrictError> {
        if let TokenKind::Scalar(_) = self.scanner.peek()?.kind
            && let Token {
                kind: TokenKind::Scalar(scalar),
                span,
            } = self.scanner.take()?
        {
            let value = RawValue::Scalar(scalar);
            return Ok(Raw { span, value });
        }
        let next = self.scanner.peek()?;
        let Span { start, end } = next.span;
        match next.kind {
            TokenKind::SequenceStart => self.nested(Self::sequence),
            TokenKind::MappingStart => self.nested(Self::mapping),
            TokenKind::Entry if may_be_unindented_list => self.nested(Self::unindented_list),
            TokenKind::Alias => {
                let name = Span::new(start + 1, end).of(self.source);
                let problem = format!("found undefined alias {}", repr(name));
                Err(StrictError::new(problem, start))
            }
            TokenKind::FlowStart(_) => Err(flow_error(start)),
            TokenKind::Anchor => Err(StrictError::new(ANCHOR, end).within("While scanning", start)),
            // The reference swaps the two places.
            TokenKind::Tag => Err(StrictError::new(TAG, start).within("While scanning", end)),
            _ => {
                Err(unexpected("the node content", next)
                    .within("while parsing a block node", start))
            }
        }
    }

    fn nested(
        &mut self,
        collection: fn(&mut Self) -> Result<Raw<'s>, StrictError>,
    ) -> Result<Raw<'s>, StrictError> {
        if self.depth == DEEPEST {
            let problem = format!("nested deeper than {DEEPEST} levels");
            return Err(StrictError::new(problem, self.scanner.peek()?.span.start));
        }
        self.depth += 1;
        let result = collection(self);
        self.depth -= 1;
        result
    }

    fn sequence(&mut self) -> Result<Raw<'s>, StrictError> {
        let start = self.scanner.take()?.span.start;
        let mut items = Vec::new();
        while self.next_is(is_entry)? {
            items.push(self.item(|kind| is_entry(kind) || *kind == TokenKind::BlockEnd)?);
        }
        let end = self.block_end("while parsing a block collection", start)?;
        Ok(Raw {
            span: Span::new(start, end),
            value: RawValue::Sequence(items),
        })
    }

    /// A list in the column of the key that it belongs to.
    fn unindented_list(&mut self) -> Result<Raw<'s>, StrictError> {
        let start = self.scanner.peek()?.span.start;
        let mut items = Vec::new();
        while self.next_is(is_entry)? {
            items.push(self.item(|kind| is_entry(kind) || ends_pair(kind))?);
        }
        Ok(Raw {
            span: Span::new(start, self.scanner.peek()?.span.start),
            value: RawValue::Sequence(items),
        })
    }

    fn item(&mut self, ends: impl Fn(&TokenKind) -> bool) -> Result<Raw<'s>, StrictError> {
        let dash = self.scanner.take()?;
        if self.next_is(ends)? {
            Ok(empty(dash.span.end))
        } else {
            self.node(false)
        }
    }

    fn mapping(&mut self) -> Result<Raw<'s>, StrictError> {
        let start = self.scanner.take()?.span.start;
        let mut pairs = Vec::new();
        loop {
            let next = self.scanner.peek()?;
            let Span { start, end } = next.span;
            let key = match next.kind {
                TokenKind::Key => {
                    self.scanner.take()?;
                    self.key_or_value(end)?
                }
                TokenKind::Value => empty(start),
                _ => break,
            };
            let value = if self.next_is(|kind| *kind == TokenKind::Value)? {
                self.scanner.take()?;
                let place = self.scanner.peek()?.span.end;
                self.key_or_value(place)?
            } else {
                empty(self.scanner.peek()?.span.start)
            };
            pairs.push((key, value));
        }
        let end = self.block_end("while parsing a block mapping", start)?;
        Ok(Raw {
            span: Span::new(start, end),
            value: RawValue::Mapping(pairs),
        })
    }

    /// What follows a `?` or `:`; nothing is an empty text at `place`.
    fn key_or_value(&mut self, place: usize) -> Result<Raw<'s>, StrictError> {
        if self.next_is(ends_pair)? {
            Ok(empty(place))
        } else {
            self.node(true)
        }
    }

    fn block_end(&mut self, context: &'static str, start: usize) -> Result<usize, StrictError> {
        let next = self.scanner.peek()?;
        if next.kind == TokenKind::BlockEnd {
            Ok(self.scanner.take()?.span.end)
        } else {
            Err(unexpected("<block end>", next).within(context, start))
        }
    }
}

fn is_entry(kind: &TokenKind) -> bool {
    *kind == TokenKind::Entry
}

/// Whether a key or a value has ended before it began.
fn ends_pair(kind: &TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd
    )
}

fn unexpected(expected: &str, found: &Token<'_>) -> StrictError {
    StrictError::new(
        format!("expected {expected}, but found '{}'", found.kind.name()),
        found.span.start,
    )
}

fn empty(at: usize) -> Raw<'static> {
    Raw {
        span: Span::at(at),
        value: RawValue::Scalar(Scalar {
            text: "".into(),
            style: ScalarStyle::Plain,
        }),
    }
}
