//! The fields of a skill as a model is given them, where that is not what is written.
//!
//! Loading a skill decodes YAML escapes, resolves aliases, removes control
//! characters and repairs what does not parse. The result is what must be scanned.
//! A field that only lost its quotes and line breaks says what its source says, and is left out.

use skillyard_format::yaml::{MappingEntry, Node, Scalar, ScalarStyle, Value};
use skillyard_format::{Document, Span};

use crate::fold::{FoldMode, FoldedText};
use crate::markdown::{Block, Region};

/// The fields of the frontmatter of `source` that say something else than what is written, each
/// as `key: value` with the way back to the source.
pub(crate) fn fields(source: &str, regions: &[Region]) -> Vec<FoldedText> {
    let document = Document::parse(source.as_bytes());
    let entries = document.mapping().into_iter().flat_map(|all| &all.entries);
    let other = entries.filter(|entry| !is_as_written(entry, source, regions));
    other.map(|entry| FieldText::of(entry, source)).collect()
}

/// Whether a region of the frontmatter is this field and nothing else, word for word.
fn is_as_written(entry: &MappingEntry, source: &str, regions: &[Region]) -> bool {
    let end = entry.value.span.end.max(entry.key_span.end);
    let field = Span::new(entry.key_span.start, end).of(source).trim_end();
    let end = entry.key_span.start + field.len();
    let mut regions = regions.iter();
    let is_region = regions.any(|Region { block, range }| {
        *block == Block::Frontmatter && range.start == entry.key_span.start && end <= range.end
    });
    let mut reading = ScalarComparison {
        source,
        at: entry.key_span.start,
    };
    is_region && reading.entry(entry)
}

/// Compares the scalars of a field with their source, one after the other.
struct ScalarComparison<'a> {
    source: &'a str,
    /// The end of the scalar before.
    at: usize,
}

impl ScalarComparison<'_> {
    fn entry(&mut self, entry: &MappingEntry) -> bool {
        self.goes_on(entry.key_span)
            && entry.key_span.of(self.source) == entry.key
            && self.node(&entry.value)
    }

    fn node(&mut self, node: &Node) -> bool {
        let is_alias = node.span.of(self.source).starts_with('*');
        match &node.value {
            Value::Scalar(scalar) => {
                self.goes_on(node.span) && says(scalar, node.span.of(self.source))
            }
            Value::Sequence(items) => !is_alias && items.iter().all(|item| self.node(item)),
            Value::Mapping(mapping) => {
                !is_alias && mapping.entries.iter().all(|entry| self.entry(entry))
            }
        }
    }

    /// Whether the next scalar follows without a comment, which is not part of the field.
    fn goes_on(&mut self, next: Span) -> bool {
        let between = self.source.get(self.at..next.start).unwrap_or_default();
        self.at = next.end;
        !between.contains('#')
    }
}

/// Whether a scalar says what is written, but for quotes, line breaks and blanks.
fn says(scalar: &Scalar, written: &str) -> bool {
    let has_escapes = scalar.style == ScalarStyle::Quoted && written.contains('\\');
    written.contains(&*scalar.text)
        || !has_escapes && plain(written).contains(plain(&scalar.text).trim())
}

fn plain(text: &str) -> String {
    let mut folded = FoldedText::default();
    folded.push(text, 0..text.len(), FoldMode::Code);
    folded.text
}

/// A field as it is read, while it is put together.
struct FieldText<'a> {
    source: &'a str,
    text: FoldedText,
}

impl<'a> FieldText<'a> {
    fn of(entry: &MappingEntry, source: &'a str) -> FoldedText {
        let text = FoldedText::default();
        let mut spoken = Self { source, text };
        spoken.entry(entry);
        spoken.text
    }

    fn entry(&mut self, entry: &MappingEntry) {
        self.words(&entry.key, entry.key_span);
        self.mark(": ", entry.key_span);
        self.node(&entry.value);
    }

    fn node(&mut self, node: &Node) {
        match &node.value {
            Value::Scalar(scalar) => self.words(&scalar.text, node.span),
            Value::Sequence(items) => {
                for item in items {
                    self.mark(" - ", item.span);
                    self.node(item);
                }
            }
            Value::Mapping(mapping) => {
                for entry in &mapping.entries {
                    self.mark(" ", entry.key_span);
                    self.entry(entry);
                }
            }
        }
    }

    /// What stands between two scalars.
    fn mark(&mut self, mark: &str, span: Span) {
        for c in mark.chars() {
            self.text.put(span.start, c);
        }
    }

    fn words(&mut self, text: &str, span: Span) {
        let mut written = ScalarSource::new(span.of(self.source));
        for c in text.chars() {
            self.text.put(span.start + written.place_of(c), c);
        }
    }
}

/// The source of a scalar, walked through beside the text that was read from it.
struct ScalarSource<'a> {
    text: &'a str,
    /// The quote that it is in, if it is in any.
    quote: Option<char>,
    at: usize,
    /// Where the last character was found.
    last: usize,
}

impl<'a> ScalarSource<'a> {
    fn new(text: &'a str) -> Self {
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
        Self {
            text,
            quote,
            at: quote.map_or(0, char::len_utf8),
            last: 0,
        }
    }

    /// Where the next character of the text that was read is written. What does not fit is
    /// skipped, because this only selects the displayed location.
    fn place_of(&mut self, c: char) -> usize {
        loop {
            let rest = &self.text[self.at..];
            let Some(here) = rest.chars().next() else {
                return self.last;
            };
            if here == '\\' && self.quote == Some('"') {
                let length = escape(rest);
                if rest[1..].starts_with(['\n', '\r']) {
                    self.at += length;
                    continue;
                }
                return self.found(length);
            }
            if c.is_whitespace() {
                let blanks = rest.len() - rest.trim_start().len();
                return self.found(blanks);
            }
            if here == c {
                let is_doubled = self.quote == Some('\'') && rest.starts_with("''");
                return self.found(if is_doubled { 2 } else { c.len_utf8() });
            }
            self.at += here.len_utf8();
        }
    }

    fn found(&mut self, length: usize) -> usize {
        self.last = self.at;
        self.at += length;
        self.last
    }
}

/// How long the escape is that `rest` starts with.
fn escape(rest: &str) -> usize {
    let mark = rest[1..].chars().next();
    let length = match mark {
        Some('x') => 4,
        Some('u') => 6,
        Some('U') => 10,
        Some('\n' | '\r') => rest.len() - rest[1..].trim_start().len(),
        Some(other) => 1 + other.len_utf8(),
        None => 1,
    };
    rest.floor_char_boundary(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::regions;

    /// Each field that is given, and each of its words behind the source it came from.
    fn check(frontmatter: &str, expected: &[&str]) {
        let source = format!("---\n{frontmatter}\n---\nbody\n");
        let found = fields(&source, &regions(&source));
        let texts: Vec<&str> = found.iter().map(|field| field.text.as_str()).collect();
        assert_eq!(texts, expected, "{frontmatter}");
    }

    #[test]
    fn what_only_lost_its_dress_is_left_out() {
        for frontmatter in [
            "name: a\ndescription: plain text\n  over two lines",
            "description: \"in quotes, over\n  two lines\"",
            "description: 'in quotes with a \\ sign'",
            "description: >-\n  folded\n  text\n\n  with \\d signs",
            "description: |\n  literal\n    text\n",
            "description: >\r\n  folded\r\n  text\r",
            "metadata:\n  a: \"1.0\"\n  b: [x, 'y']\nallowed-tools:\n- Bash\n- Read",
        ] {
            check(frontmatter, &[]);
        }
    }

    #[test]
    fn what_says_something_else_is_given() {
        check(
            r#"description: "\u0049gnore \x41ll \U0001f600\
              \ it""#,
            &["description: Ignore All 😀 it"],
        );
        check("description: 'don''t'", &["description: don't"]);
        check("description: Ig\u{1}nore", &["description: Ignore"]);
        check(r#""n\u0061me": x"#, &["name: x"]);
        check(
            "metadata:\n  a: &x one\n  b: [\"t\\x77o\", *x]",
            &["metadata:  a: one b:  - two - one"],
        );
        check("metadata: &m\n  a: b\nhooks: *m", &["hooks:  a: b"]);
    }

    #[test]
    fn what_stands_elsewhere_than_it_seems_is_given() {
        check("description: \"one\ntwo\"", &["description: one two"]);
        check("{description: one}", &["description: one"]);
        check("\"description\": one", &["description: one"]);
        check("? description\n: one", &["description: one"]);
        check("description: # two\n  one", &["description: one"]);
        let fenced = "```yaml\n---\ndescription: one\n---\n```\nbody\n";
        let found = fields(fenced, &regions(fenced));
        assert_eq!(found[0].text, "description: one");
    }

    #[test]
    fn places_lead_back_to_the_source() {
        let source =
            "---\ndescription: \"one\n\n  t\\x77o \\\n  three\"\nlicense: 'it''s mine'\n---\n";
        let found = fields(source, &regions(source));
        for (field, word, written) in [
            (0, "one", "one"),
            (0, "two", "t\\x77o"),
            (0, "three", "three"),
            (1, "it's", "it''s"),
            (1, "mine", "mine"),
        ] {
            let at = found[field].text.find(word).unwrap();
            let span = found[field].span(source, at..at + word.len());
            assert_eq!(span.of(source), written);
        }
    }

    #[test]
    fn aliases_do_not_multiply_the_work() {
        let text = "x".repeat(10_000);
        let aliases = "*a, ".repeat(5_000);
        let source = format!("---\ndescription: \"\\x41\"\na: &a {text}\nb: [{aliases}]\n---\n");
        let found = fields(&source, &regions(&source));
        let bytes: usize = found.iter().map(|field| field.text.len()).sum();
        assert!(bytes < 2 * source.len(), "{bytes}");
    }
}
