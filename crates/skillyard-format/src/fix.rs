//! `--fix`: applying the changes that diagnostics carry.

use std::collections::BTreeMap;

use crate::allowed_tools::AllowedTools;
use crate::document::{Document, Frontmatter};
use crate::edit::{Edit, apply};
use crate::rules::{self, Profile, Subject};
use crate::text::Encoding;
use crate::yaml::{Node, Value};

/// Most rounds until nothing is left to mend; one is the rule, a fix may uncover another.
const MAX_ROUNDS: usize = 8;

/// A mended file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// How many findings were mended.
    pub count: usize,
}

/// Mends what can be mended safely; `None` when there is nothing to do.
///
/// A change is kept only if the file still says at least what it said before: it can
/// be read, no field is lost, and none means something else.
pub fn fix(bytes: &[u8], file_name: &str, directory: Option<&str>) -> Option<Fixed> {
    let mut fixed: Option<Fixed> = None;
    for _ in 0..MAX_ROUNDS {
        let current = fixed.as_ref().map_or(bytes, |fixed| fixed.text.as_bytes());
        let document = Document::parse(current);
        // Writing a text whose bytes could not be read would lose them.
        if matches!(document.encoding, Encoding::Unknown { .. }) {
            break;
        }
        let subject = Subject {
            file_name,
            ..Subject::new(&document, directory)
        };
        let (mut edits, count) = edits(&subject);
        if ends_in_crlf(&document.text) {
            for edit in &mut edits {
                edit.replacement = with_crlf(&edit.replacement);
            }
        }
        let text = apply(&document.text, &edits);
        if edits.is_empty() || text.as_bytes() == current || !is_improvement(&document, &text) {
            break;
        }
        let before = fixed.map_or(0, |fixed| fixed.count);
        fixed = Some(Fixed {
            text,
            count: before + count,
        });
    }
    fixed
}

/// Whether the lines of a text end as they do on Windows; the first one decides.
fn ends_in_crlf(text: &str) -> bool {
    let first = text.find('\n').and_then(|at| at.checked_sub(1));
    first.is_some_and(|before| text.as_bytes()[before] == b'\r')
}

fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// The changes of one round: those to the file's structure first, alone.
fn edits(subject: &Subject<'_>) -> (Vec<Edit>, usize) {
    let found = rules::check(subject, Profile::Spec);
    let fixes: Vec<_> = found.iter().filter(|each| !each.fix.is_empty()).collect();
    let mut chosen: Vec<Edit> = Vec::new();
    // Where the chosen edits start and end; they do not overlap, so the nearest one tells.
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let mut count = 0;
    for diagnostic in fixes {
        // An insertion takes up the place it is made at.
        let end = |edit: &Edit| edit.span.end.max(edit.span.start + 1);
        let overlaps = diagnostic.fix.iter().any(|edit| {
            let nearest = taken.range(..end(edit)).next_back();
            nearest.is_some_and(|(_, taken)| *taken > edit.span.start)
        });
        // What overlaps is left to the next round, when it is looked at afresh.
        if !overlaps {
            taken.extend(
                diagnostic
                    .fix
                    .iter()
                    .map(|edit| (edit.span.start, end(edit))),
            );
            chosen.extend(diagnostic.fix.iter().cloned());
            count += 1;
        }
    }
    (chosen, count)
}

fn is_improvement(before: &Document<'_>, text: &str) -> bool {
    let after = Document::parse(text.as_bytes());
    let Some(fields) = after.mapping() else {
        return false;
    };
    let Frontmatter::Read { mapping, .. } = &before.frontmatter else {
        return true;
    };
    mapping.entries.iter().all(|entry| {
        let kept = mapping.get(&entry.key).zip(fields.get(&entry.key));
        kept.is_some_and(|(before, after)| says_the_same(&entry.key, &before.value, &after.value))
    })
}

/// Whether a field still means what it meant: a name may be corrected, tools may be
/// written in another way, and other text stays what it is.
fn says_the_same(key: &str, before: &Node, after: &Node) -> bool {
    let tools = |node| AllowedTools::from_node(node).map(|tools| tools.patterns);
    match (key, &before.value) {
        ("name", _) => true,
        ("allowed-tools", _) => tools(before) == tools(after),
        (_, Value::Scalar(scalar)) => {
            let more = after
                .as_str()
                .and_then(|after| after.strip_prefix(&*scalar.text));
            // What was taken for a comment may be part of the text now.
            more.is_some_and(|more| more.is_empty() || more.trim_start().starts_with('#'))
        }
        (_, Value::Mapping(mapping)) => mapping.entries.iter().all(|entry| {
            let after = after.as_mapping().and_then(|after| after.get(&entry.key));
            let before = mapping.get(&entry.key);
            before
                .zip(after)
                .is_none_or(|(before, after)| says_the_same("", &before.value, &after.value))
        }),
        (_, Value::Sequence(_)) => true,
    }
}
