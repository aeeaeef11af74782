//! The full reader: libyaml's events, built into a tree under hard limits.

use std::collections::HashMap;

use libyaml_safer::{Encoding, Event, EventData, MappingStyle, Mark, Parser, SequenceStyle};

use super::{
    Entry, Features, Flow, MAX_DEPTH, MAX_NODES, Mapping, Node, Problem, Scalar, ScalarStyle, Tree,
    Value, YamlError,
};
use crate::span::Span;
use crate::text::is_forbidden;

/// Reads `source`, whose first byte stands at `offset` in the file.
///
/// The features that were met before an error are told along with it.
pub(super) fn parse(source: &str, offset: usize) -> (Result<Tree, YamlError>, Features) {
    let mut bytes = source.as_bytes();
    let mut parser = Parser::new();
    parser.set_input_string(&mut bytes);
    parser.set_encoding(Encoding::Utf8);
    let mut builder = Builder {
        events: parser,
        places: Places::new(source, offset),
        features: Features::default(),
        anchors: HashMap::new(),
        nodes: 0,
    };
    let root = builder.document();
    let features = builder.features;
    (root.map(|root| Tree { root, features }), features)
}

struct Builder<'a, 'b> {
    events: Parser<&'b mut &'a [u8]>,
    places: Places<'a>,
    features: Features,
    anchors: HashMap<String, (Node, usize)>,
    nodes: usize,
}

impl Builder<'_, '_> {
    fn document(&mut self) -> Result<Option<Node>, YamlError> {
        let mut root = None;
        loop {
            let event = self.next()?;
            match event.data {
                EventData::StreamStart { .. } | EventData::DocumentEnd { .. } => {}
                EventData::DocumentStart { .. } => {
                    if root.is_some() {
                        // libyaml's users read one document; the rest is not even scanned.
                        self.features.second_document = Some(self.places.span(&event));
                        break;
                    }
                }
                EventData::StreamEnd => break,
                _ => root = Some(self.node(event, 0)?),
            }
        }
        Ok(root.filter(|node| node.span.start != node.span.end || !node.is_null()))
    }

    fn node(&mut self, event: Event, depth: usize) -> Result<Node, YamlError> {
        let span = self.places.span(&event);
        self.count(1, span)?;
        if depth > MAX_DEPTH {
            return Err(error(Problem::TooDeep, span));
        }
        match event.data {
            EventData::Alias { anchor } => {
                self.features.anchor.get_or_insert(span);
                let Some((node, size)) = self.anchors.get(&anchor) else {
                    return Err(error(Problem::UndefinedAlias, span));
                };
                let (mut node, size) = (node.clone(), *size);
                self.count(size, span)?;
                node.span = span;
                Ok(node)
            }
            EventData::Scalar {
                anchor,
                tag,
                value,
                style,
                ..
            } => {
                self.tagged(tag.as_ref(), span);
                let style = match style {
                    libyaml_safer::ScalarStyle::SingleQuoted
                    | libyaml_safer::ScalarStyle::DoubleQuoted => ScalarStyle::Quoted,
                    libyaml_safer::ScalarStyle::Literal | libyaml_safer::ScalarStyle::Folded => {
                        ScalarStyle::Block
                    }
                    _ => ScalarStyle::Plain,
                };
                let value = Value::Scalar(Scalar { text: value, style });
                Ok(self.anchored(anchor, Node { span, value }, 1))
            }
            EventData::SequenceStart {
                anchor, tag, style, ..
            } => {
                self.tagged(tag.as_ref(), span);
                let before = self.nodes;
                let is_flow = style == SequenceStyle::Flow;
                self.flow(is_flow, span, false);
                let (items, end) = self.sequence(depth)?;
                let span = Span::new(span.start, end.max(span.end));
                let value = Value::Sequence(items);
                let size = self.nodes - before + 1;
                Ok(self.anchored(anchor, Node { span, value }, size))
            }
            EventData::MappingStart {
                anchor, tag, style, ..
            } => {
                self.tagged(tag.as_ref(), span);
                let before = self.nodes;
                self.flow(style == MappingStyle::Flow, span, true);
                let (mapping, end) = self.mapping(depth)?;
                let span = Span::new(span.start, end.max(span.end));
                let value = Value::Mapping(mapping);
                let size = self.nodes - before + 1;
                Ok(self.anchored(anchor, Node { span, value }, size))
            }
            _ => Err(error(Problem::Syntax("found an unexpected event"), span)),
        }
    }

    fn sequence(&mut self, depth: usize) -> Result<(Vec<Node>, usize), YamlError> {
        let mut items = Vec::new();
        loop {
            let event = self.next()?;
            if matches!(event.data, EventData::SequenceEnd) {
                let end = items.last().map_or(0, |last: &Node| last.span.end);
                return Ok((items, self.closed_at(&event, end)));
            }
            items.push(self.node(event, depth + 1)?);
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<(Mapping, usize), YamlError> {
        let mut mapping = Mapping::default();
        loop {
            let event = self.next()?;
            if matches!(event.data, EventData::MappingEnd) {
                let end = mapping.entries.last().map_or(0, |last| last.value.span.end);
                return Ok((mapping, self.closed_at(&event, end)));
            }
            let key = self.node(event, depth + 1)?;
            let Value::Scalar(Scalar { text, .. }) = key.value else {
                return Err(error(Problem::ComplexKey, key.span));
            };
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            mapping.entries.push(Entry {
                key: text,
                key_span: key.span,
                value,
            });
        }
    }

    /// Where a collection ends: at its bracket in flow style, else with its last value.
    fn closed_at(&self, event: &Event, last: usize) -> usize {
        let span = self.places.span(event);
        if span.end > span.start {
            span.end
        } else {
            last
        }
    }

    fn flow(&mut self, is_flow: bool, span: Span, mapping: bool) {
        if is_flow {
            self.features.flow.get_or_insert(Flow { span, mapping });
        }
    }

    fn tagged(&mut self, tag: Option<&String>, span: Span) {
        if tag.is_some() {
            self.features.tag.get_or_insert(span);
        }
    }

    fn anchored(&mut self, anchor: Option<String>, node: Node, size: usize) -> Node {
        if let Some(anchor) = anchor {
            self.features.anchor.get_or_insert(node.span);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        node
    }

    fn count(&mut self, nodes: usize, span: Span) -> Result<(), YamlError> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(error(Problem::TooManyNodes, span));
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Event, YamlError> {
        self.events.parse().map_err(|failure| {
            let Some(mark) = failure.problem_mark() else {
                return error(Problem::Character, self.places.first_control());
            };
            YamlError {
                problem: Problem::Syntax(failure.problem()),
                span: self.places.mark(mark),
                context: failure
                    .context()
                    .filter(|context| !context.is_empty())
                    .zip(failure.context_mark())
                    .map(|(context, mark)| (context, self.places.mark(mark))),
            }
        })
    }
}

fn error(problem: Problem, span: Span) -> YamlError {
    YamlError {
        problem,
        span,
        context: None,
    }
}

/// Turns libyaml's character indexes into byte offsets of the file.
struct Places<'a> {
    source: &'a str,
    offset: usize,
    /// The byte of each character; empty when every character is one byte.
    bytes: Vec<u32>,
}

impl<'a> Places<'a> {
    fn new(source: &'a str, offset: usize) -> Self {
        let bytes = if source.is_ascii() {
            Vec::new()
        } else {
            // The document is at most `MAX_BYTES` long, so its offsets fit.
            source
                .char_indices()
                .map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX))
                .collect()
        };
        Self {
            source,
            offset,
            bytes,
        }
    }

    fn byte(&self, mark: Mark) -> usize {
        let index = usize::try_from(mark.index).unwrap_or(usize::MAX);
        let byte = if self.bytes.is_empty() {
            index.min(self.source.len())
        } else {
            self.bytes
                .get(index)
                .map_or(self.source.len(), |byte| *byte as usize)
        };
        self.offset + byte
    }

    fn mark(&self, mark: Mark) -> Span {
        Span::at(self.byte(mark))
    }

    fn span(&self, event: &Event) -> Span {
        Span::new(self.byte(event.start_mark), self.byte(event.end_mark))
    }

    fn first_control(&self) -> Span {
        let found = self.source.char_indices().find(|(_, c)| is_forbidden(*c));
        let (at, length) = found.map_or((0, 0), |(at, c)| (at, c.len_utf8()));
        Span::new(self.offset + at, self.offset + at + length)
    }
}
