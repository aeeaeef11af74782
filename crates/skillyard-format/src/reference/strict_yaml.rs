//! The subset of YAML that the reference validator accepts, which is that of `strictyaml`.
//!
//! libyaml reads the file. What `strictyaml` or its parser refuses on top is checked on the tree and the source.

use crate::edit::apply;
use crate::frontmatter::repair::surrogate_pairs;
use crate::span::Span;
use crate::text::first_forbidden;
use crate::yaml::{
    Mapping, MappingEntry, Node, ScalarStyle, Tree, Value, YamlError, YamlProblem, parse_nested,
};

/// Nesting that exhausts Python's stack.
const MAX_DEPTH: usize = 247;

/// Characters that end a line in YAML 1.1, which libyaml reads, and are text in YAML 1.2, which the reference reads.
const LINE_SEPARATORS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// Why a file is not in the subset, and where.
type Refusal = (String, usize);

/// The root value of `source`; `None` when it is empty.
pub(super) fn load(source: &str) -> Result<Option<Node>, String> {
    if let Some((at, c)) = first_forbidden(source) {
        let problem = format!("control character U+{:04X} is not allowed", u32::from(c));
        return Err(located(source, (problem, at)));
    }
    let placeholders = Placeholders::new(source);
    let text = placeholders.as_ref().map(|each| each.insert(source));
    let text = text.as_deref().unwrap_or(source);
    let mut root = read(text).map_err(|refusal| located(text, refusal))?;
    if let (Some(root), Some(placeholders)) = (&mut root, &placeholders) {
        placeholders.remove(root);
    }
    Ok(root)
}

fn located(source: &str, (problem, at): Refusal) -> String {
    let before = source.get(..at).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    format!("{problem} (line {line}, column {})", column(source, at) + 1)
}

/// The column of byte `at`, from 0; a byte order mark has no width.
fn column(source: &str, at: usize) -> usize {
    let before = source.get(..at).unwrap_or(source);
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.chars().filter(|c| *c != '\u{feff}').count()
}

fn read(source: &str) -> Result<Option<Node>, Refusal> {
    let (tree, features) = parse_nested(source, 0, MAX_DEPTH);
    let refused = [
        (
            features.flow.map(|flow| flow.span),
            "a flow collection (`[…]` or `{…}`)",
        ),
        (features.anchor, "an anchor or alias (`&` or `*`)"),
        (features.tag, "a tag (`!`)"),
        (features.second_document, "a second document"),
    ];
    for (span, what) in refused {
        if let Some(span) = span {
            return Err((format!("{what} is not allowed"), span.start));
        }
    }
    let tree = match tree {
        // The reference reads pairs of surrogates, as JSON writes them.
        Err(error)
            if error.problem
                == YamlProblem::Syntax("found invalid Unicode character escape code") =>
        {
            let edits = surrogate_pairs(source, 0);
            let text = apply(source, &edits);
            return if edits.is_empty() {
                Err(syntax(&error))
            } else {
                read(&text)
            };
        }
        other => other.map_err(|error| syntax(&error))?,
    };
    check_source(source, &tree)?;
    match tree.root {
        Some(Node {
            span,
            value: Value::Mapping(mapping),
        }) => {
            // The reference ignores merged keys at the root.
            let (own, _) = checked(source, mapping)?;
            Ok(Some(Node {
                span,
                value: Value::Mapping(own),
            }))
        }
        root => root.map(|root| checked_node(source, root)).transpose(),
    }
}

fn syntax(error: &YamlError) -> Refusal {
    (error.problem.to_string(), error.span.start)
}

fn checked_node(source: &str, node: Node) -> Result<Node, Refusal> {
    let value = match node.value {
        Value::Scalar(scalar) => Value::Scalar(scalar),
        Value::Sequence(items) => {
            let items = items.into_iter().map(|item| checked_node(source, item));
            Value::Sequence(items.collect::<Result<_, _>>()?)
        }
        Value::Mapping(mapping) => {
            let (mut own, inherited) = checked(source, mapping)?;
            for entry in inherited {
                if own.get(&entry.key).is_none() {
                    own.entries.push(entry);
                }
            }
            Value::Mapping(own)
        }
    };
    Ok(Node {
        span: node.span,
        value,
    })
}

/// The entries of a mapping, and those it inherits through a `<<` key.
fn checked(source: &str, mapping: Mapping) -> Result<(Mapping, Vec<MappingEntry>), Refusal> {
    if let Some((_, repeated)) = mapping.duplicates().next() {
        return Err((
            format!("duplicate key '{}'", repeated.key),
            repeated.key_span.start,
        ));
    }
    let nested = mapping
        .entries
        .iter()
        .filter(|entry| entry.value.as_mapping().is_some());
    let mut columns = nested.map(|entry| {
        (
            entry.value.span.start,
            column(source, entry.value.span.start),
        )
    });
    if let Some((_, first)) = columns.next()
        && let Some((at, _)) = columns.find(|(_, column)| *column != first)
    {
        return Err((
            "mapping is indented differently from the one before it".to_owned(),
            at,
        ));
    }
    let (mut own, mut inherited) = (Mapping::default(), Vec::new());
    for mut entry in mapping.entries {
        let is_merge = entry.key_span.of(source) == "<<";
        let start = entry.value.span.start;
        entry.value = checked_node(source, entry.value)?;
        if !is_merge {
            own.entries.push(entry);
            continue;
        }
        let sources = match entry.value.value {
            Value::Sequence(items) => items,
            _ => vec![entry.value],
        };
        for item in sources {
            let Value::Mapping(mapping) = item.value else {
                return Err((
                    "`<<` needs a mapping or a list of mappings".to_owned(),
                    start,
                ));
            };
            inherited.extend(mapping.entries);
        }
    }
    Ok((own, inherited))
}

/// Refuses what libyaml reads and the parser of the reference does not: tabs and a second `...`.
fn check_source(source: &str, tree: &Tree) -> Result<(), Refusal> {
    let mut scalars = Vec::new();
    if let Some(root) = &tree.root {
        collect_scalars(source, root, &mut scalars);
    }
    scalars.push(Span::at(source.len()));
    let (mut at, mut ends) = (0, 0);
    for span in scalars {
        let between = Span::new(at, span.start.max(at));
        check_tabs(source, between)?;
        ends += between
            .of(source)
            .lines()
            .filter(|line| line.trim_end() == "...")
            .count();
        if ends > 1 {
            return Err(("a second document is not allowed".to_owned(), between.start));
        }
        match source.as_bytes().get(span.start) {
            Some(b'"') => check_escapes(source, span)?,
            Some(b'|' | b'>') => check_block_header(source, span)?,
            _ => {}
        }
        at = span.end.max(at);
    }
    Ok(())
}

/// The spans of quoted and block scalars, in the order of the source.
fn collect_scalars(source: &str, node: &Node, spans: &mut Vec<Span>) {
    match &node.value {
        Value::Scalar(scalar) if scalar.style != ScalarStyle::Plain => spans.push(node.span),
        Value::Scalar(_) => {}
        Value::Sequence(items) => items
            .iter()
            .for_each(|item| collect_scalars(source, item, spans)),
        Value::Mapping(mapping) => {
            for entry in &mapping.entries {
                if entry.key_span.of(source).starts_with(['"', '\'', '|', '>']) {
                    spans.push(entry.key_span);
                }
                collect_scalars(source, &entry.value, spans);
            }
        }
    }
}

/// Refuses tabs outside of comments.
fn check_tabs(source: &str, span: Span) -> Result<(), Refusal> {
    let mut at = span.start;
    for line in span.of(source).split_inclusive('\n') {
        let comment = line
            .match_indices('#')
            .map(|(hash, _)| hash)
            .find(|hash| *hash == 0 || line[..*hash].ends_with([' ', '\t']));
        let text = comment.map_or(line, |hash| &line[..hash]);
        if let Some(tab) = text.find('\t') {
            return Err(("a tab cannot start a token".to_owned(), at + tab));
        }
        at += line.len();
    }
    Ok(())
}

/// Refuses `\'`, which only libyaml knows.
fn check_escapes(source: &str, span: Span) -> Result<(), Refusal> {
    let mut characters = span.of(source).char_indices();
    while let Some((_, c)) = characters.next() {
        if c == '\\'
            && let Some((at, '\'')) = characters.next()
        {
            return Err(("unknown escape character `'`".to_owned(), span.start + at));
        }
    }
    Ok(())
}

/// Refuses a block scalar's header with a tab, or with a comment that no space precedes.
fn check_block_header(source: &str, span: Span) -> Result<(), Refusal> {
    let header = span.of(source).lines().next().unwrap_or_default();
    let rest =
        header[1..].trim_start_matches(|c: char| matches!(c, '+' | '-') || c.is_ascii_digit());
    let comment = rest.trim_start_matches(' ');
    if comment.is_empty() || (comment.starts_with('#') && rest.starts_with(' ')) {
        Ok(())
    } else {
        Err(("invalid block scalar header".to_owned(), span.start))
    }
}

/// Stand-ins for [`LINE_SEPARATORS`] that do not occur in the source.
struct Placeholders([char; 3]);

impl Placeholders {
    fn new(source: &str) -> Option<Self> {
        if !source.contains(LINE_SEPARATORS) {
            return None;
        }
        let mut unused = ('\u{e000}'..='\u{f8ff}').filter(|c| !source.contains(*c));
        Some(Self([unused.next()?, unused.next()?, unused.next()?]))
    }

    fn insert(&self, source: &str) -> String {
        let pairs = LINE_SEPARATORS.iter().zip(self.0);
        pairs.fold(source.to_owned(), |text, (from, to)| {
            text.replace(*from, to.encode_utf8(&mut [0; 4]))
        })
    }

    fn restore(&self, text: &mut String) {
        for (to, from) in LINE_SEPARATORS.iter().zip(self.0) {
            *text = text.replace(from, to.encode_utf8(&mut [0; 4]));
        }
    }

    fn remove(&self, node: &mut Node) {
        match &mut node.value {
            Value::Scalar(scalar) => self.restore(&mut scalar.text),
            Value::Sequence(items) => items.iter_mut().for_each(|item| self.remove(item)),
            Value::Mapping(mapping) => {
                for entry in &mut mapping.entries {
                    self.restore(&mut entry.key);
                    self.remove(&mut entry.value);
                }
            }
        }
    }
}
