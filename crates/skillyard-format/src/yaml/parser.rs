//! libyaml's events, built into a tree under hard limits.

use std::collections::HashMap;

use libyaml_safer::{Encoding, Event, EventData, MappingStyle, Mark, Parser, SequenceStyle};

use super::shield::Shielded;
use super::{
    Features, Flow, MAX_BYTES, MAX_DEPTH, MAX_NODES, Mapping, MappingEntry, Node, Scalar,
    ScalarStyle, Tree, Value, YamlError, YamlProblem,
};
use crate::span::Span;
use crate::text::is_forbidden;

/// Reads `source`, which starts at byte `offset` of the file.
pub fn parse(source: &str, offset: usize) -> Result<Tree, YamlError> {
    parse_nested(source, offset, MAX_DEPTH).0
}

/// Reads `source` with another limit of nesting, and also returns the features met before an error.
pub(crate) fn parse_nested(
    source: &str,
    offset: usize,
    max_depth: usize,
) -> (Result<Tree, YamlError>, Features) {
    if source.len() > MAX_BYTES {
        let span = Span::new(offset, offset + source.len());
        return (Err(error(YamlProblem::TooLarge, span)), Features::default());
    }
    let shielded = Shielded::new(source);
    let mut bytes = shielded.text.as_bytes();
    let mut parser = Parser::new();
    parser.set_input_string(&mut bytes);
    parser.set_encoding(Encoding::Utf8);
    let mut builder = Builder {
        events: parser,
        places: SourceMap {
            shielded: &shielded,
            offset,
        },
        features: Features::default(),
        anchors: HashMap::new(),
        max_depth,
        nodes: 0,
        aliased: 0,
    };
    let mut root = builder.document();
    let features = builder.features;
    if let Ok(Some(root)) = &mut root
        && shielded.padded
        // A last line of spaces does not belong to a block, and neither does the break after it.
        && !source.lines().next_back().is_none_or(|line| line.trim().is_empty())
    {
        trim_last_block(root, offset + source.len());
    }
    (root.map(|root| Tree { root, features }), features)
}

/// Takes back the line break that padding added to a block scalar at the end.
fn trim_last_block(node: &mut Node, end: usize) {
    match &mut node.value {
        Value::Scalar(scalar) => {
            if scalar.style == ScalarStyle::Block
                && node.span.end >= end
                && scalar.text.ends_with('\n')
            {
                scalar.text.pop();
            }
        }
        Value::Sequence(items) => {
            if let Some(last) = items.last_mut() {
                trim_last_block(last, end);
            }
        }
        Value::Mapping(mapping) => {
            if let Some(last) = mapping.entries.last_mut() {
                trim_last_block(&mut last.value, end);
            }
        }
    }
}

struct Builder<'a, 'b> {
    events: Parser<&'b mut &'a [u8]>,
    places: SourceMap<'a>,
    features: Features,
    anchors: HashMap<String, (Node, usize)>,
    max_depth: usize,
    nodes: usize,
    /// How many bytes of text stand in aliases.
    aliased: usize,
}

/// The types of values that every reader knows.
const KNOWN_TAGS: [&str; 13] = [
    "binary",
    "bool",
    "float",
    "int",
    "map",
    "merge",
    "null",
    "omap",
    "pairs",
    "seq",
    "set",
    "str",
    "timestamp",
];

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
        if depth > self.max_depth {
            return Err(error(YamlProblem::TooDeep, span));
        }
        match event.data {
            EventData::Alias { anchor } => {
                self.features.anchor.get_or_insert(span);
                let Some((node, size)) = self.anchors.get(&anchor) else {
                    return Err(error(YamlProblem::UndefinedAlias, span));
                };
                // Counted before it is copied: one long text makes a bomb of few values.
                let (bytes, size) = (text_bytes(node), *size);
                self.aliased += bytes;
                if self.aliased > MAX_BYTES {
                    return Err(error(YamlProblem::TooLarge, span));
                }
                let mut node = node.clone();
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
                self.tagged(tag.as_deref(), span)?;
                let style = match style {
                    libyaml_safer::ScalarStyle::SingleQuoted
                    | libyaml_safer::ScalarStyle::DoubleQuoted => ScalarStyle::Quoted,
                    libyaml_safer::ScalarStyle::Literal | libyaml_safer::ScalarStyle::Folded => {
                        ScalarStyle::Block
                    }
                    _ => ScalarStyle::Plain,
                };
                let text = self.places.shielded.unshield(value);
                let value = Value::Scalar(Scalar { text, style });
                Ok(self.anchored(anchor, Node { span, value }, 1))
            }
            EventData::SequenceStart {
                anchor, tag, style, ..
            } => {
                self.tagged(tag.as_deref(), span)?;
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
                self.tagged(tag.as_deref(), span)?;
                let before = self.nodes;
                self.flow(style == MappingStyle::Flow, span, true);
                let (mapping, end) = self.mapping(depth)?;
                let span = Span::new(span.start, end.max(span.end));
                let value = Value::Mapping(mapping);
                let size = self.nodes - before + 1;
                Ok(self.anchored(anchor, Node { span, value }, size))
            }
            _ => Err(error(
                YamlProblem::Syntax("found an unexpected event"),
                span,
            )),
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
                return Err(error(YamlProblem::ComplexKey, key.span));
            };
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            mapping.entries.push(MappingEntry {
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

    /// Notes a tag. One that says nothing to a plain reader is an error: most often the text was
    /// meant to start with `!`.
    fn tagged(&mut self, tag: Option<&str>, span: Span) -> Result<(), YamlError> {
        let Some(tag) = tag else {
            return Ok(());
        };
        self.features.tag.get_or_insert(span);
        let known = tag.strip_prefix("tag:yaml.org,2002:");
        if tag == "!" || known.is_some_and(|tag| KNOWN_TAGS.contains(&tag)) {
            return Ok(());
        }
        Err(error(YamlProblem::UnknownTag, span))
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
            return Err(error(YamlProblem::TooManyNodes, span));
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Event, YamlError> {
        self.events.parse().map_err(|failure| {
            let Some(mark) = failure.problem_mark() else {
                return error(YamlProblem::Character, self.places.first_control());
            };
            YamlError {
                problem: YamlProblem::Syntax(failure.problem()),
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

/// Turns libyaml's marks, which count bytes of the block, into places in the file.
struct SourceMap<'a> {
    shielded: &'a Shielded,
    offset: usize,
}

impl SourceMap<'_> {
    fn byte(&self, mark: Mark) -> usize {
        let index = usize::try_from(mark.index).unwrap_or(usize::MAX);
        self.offset + self.shielded.source_offset(index)
    }

    /// Where a mark stands.
    fn mark(&self, mark: Mark) -> Span {
        Span::at(self.byte(mark))
    }

    /// What an event covers.
    fn span(&self, event: &Event) -> Span {
        Span::new(self.byte(event.start_mark), self.byte(event.end_mark))
    }

    /// The first character that no YAML may have.
    fn first_control(&self) -> Span {
        let text = &self.shielded.text;
        let found = text.char_indices().find(|(_, c)| is_forbidden(*c));
        let (at, length) = found.map_or((0, 0), |(at, c)| (at, c.len_utf8()));
        let start = self.offset + self.shielded.source_offset(at);
        Span::new(start, start + length)
    }
}

/// How many bytes of text a node holds.
fn text_bytes(node: &Node) -> usize {
    match &node.value {
        Value::Scalar(scalar) => scalar.text.len(),
        Value::Sequence(items) => items.iter().map(text_bytes).sum(),
        Value::Mapping(mapping) => {
            let entries = mapping.entries.iter();
            let bytes = entries.map(|entry| entry.key.len() + text_bytes(&entry.value));
            bytes.sum()
        }
    }
}

fn error(problem: YamlProblem, span: Span) -> YamlError {
    YamlError {
        problem,
        span,
        context: None,
    }
}
