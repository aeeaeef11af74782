//! `metadata` that is not text to text.

use super::{Report, Subject};
use crate::edit::Edit;
use crate::frontmatter::repair::quoted;
use crate::span::Span;
use crate::yaml::{MappingEntry, Node, Value};

rule! {
    /// `metadata` maps text to text.
    ///
    /// Half of the real skills that use it nest lists or mappings. Skillyard keeps them as
    /// they are; strict clients drop the value, turn it into text, or refuse the skill.
    ///
    /// ```text
    /// metadata:
    ///   tags: 'pdf forms'
    /// ```
    ///
    /// **Fix:** write lists as text separated by spaces, which `--fix` does where each item is one
    /// word, and nested data as JSON in quotes.
    "metadata-nested", Format, check
}

/// Most bytes of a text that is shown as it should be.
const MAX_SHOWN: usize = 100;

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(entry) = subject.field("metadata") else {
        return;
    };
    let Some(mapping) = entry.value.as_mapping() else {
        if !entry.value.is_null() {
            report
                .add(
                    &RULE,
                    entry.value.span,
                    format!(
                        "`metadata` must be `key: value` lines, and is {}",
                        entry.value.kind()
                    ),
                )
                .help("indent `key: value` lines below `metadata:`");
        }
        return;
    };
    for inner in &mapping.entries {
        if inner.value.as_str().is_some() {
            continue;
        }
        let added = report.add(
            &RULE,
            inner.key_span,
            format!(
                "`metadata.{}` must be text, and is {}",
                inner.key,
                inner.value.kind()
            ),
        );
        let Some(words) = words(&inner.value) else {
            added.help("write it as text in quotes");
            continue;
        };
        let text = quoted(&words);
        let help = match text.len() {
            ..=MAX_SHOWN => {
                let key = inner.key_span.of(&subject.document.text);
                format!("write `{key}: {text}`")
            }
            _ => "write it as text in quotes, with spaces between the words".to_owned(),
        };
        let added = added.help(help);
        if let Some(span) = behind_key(subject, inner) {
            added.fix([Edit::replace(span, format!(": {text}"))]);
        }
    }
}

/// The items of a list of single words as one text, which says the same to whoever reads words.
fn words(node: &Node) -> Option<String> {
    let Value::Sequence(items) = &node.value else {
        return None;
    };
    let is_word = |text: &&str| !text.is_empty() && !text.contains([' ', ',', '\t', '\n', '\r']);
    let words = items.iter().map(|item| item.as_str().filter(is_word));
    let words: Option<Vec<&str>> = words.collect();
    words
        .filter(|words| !words.is_empty())
        .map(|words| words.join(" "))
}

/// Where the value stands, with what is before it; not where a comment or an anchor would be lost.
fn behind_key(subject: &Subject<'_>, entry: &MappingEntry) -> Option<Span> {
    let text = &subject.document.text;
    let start = entry.key_span.end;
    let written = text[start..entry.value.span.end.max(start)].trim_end();
    let is_plain = written.starts_with(':') && !written.contains(['#', '&', '*', '!']);
    (is_plain && subject.repairs().is_empty()).then(|| Span::new(start, start + written.len()))
}
