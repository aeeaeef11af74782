//! What is unusual about a skill, so that some agents do not offer it.

use std::path::Path;

use serde::Deserialize;

use crate::record::Record;
use crate::source::{Source, SourceKind};

/// The longest name and description that the specification allows.
const NAME: usize = 64;
const DESCRIPTION: usize = 1024;

/// One unusual thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quirk {
    /// It lies deeper than one folder below the folder of skills.
    Nested,
    /// Its file is not called `SKILL.md`.
    LowerCaseFile,
    /// It is a link that leaves the project.
    LinkedOutside,
    /// It has no name of its own.
    NameMissing,
    /// Its folder has another name.
    NameNotFolder,
    /// Its name has capitals or characters that names do not have.
    NameCharacters,
    /// Its name has a space.
    NameSpace,
    /// Its name has two hyphens in a row, or one at an end.
    NameHyphens,
    /// Its name has letters outside a to z.
    NameNotAscii,
    /// Its name has more than 64 characters.
    NameLong,
    /// Its description has more than 1,024 characters.
    DescriptionLong,
    /// Its description is a number or a truth value.
    DescriptionNotText,
    /// Its description is a list or a mapping.
    DescriptionList,
    /// A text of its frontmatter needs quotes and has none.
    UnquotedText,
    /// The same, and not only for a colon inside.
    UnquotedMark,
    /// The same for a text that starts with `*`, `&` or a quote, or goes on in lines that are not indented.
    UnquotedStart,
    /// Text follows the line that closes its frontmatter.
    CloserText,
    /// Its frontmatter is closed by `...`.
    CloserDots,
    /// What closes its frontmatter is indented.
    CloserIndented,
    /// Its frontmatter is never closed.
    Unclosed,
    /// Its frontmatter is in a code fence.
    Fenced,
    /// Tabs indent its frontmatter.
    Tab,
    /// One character of its frontmatter is written as two escapes.
    SurrogateEscape,
    /// A field is there twice.
    DuplicateKey,
    /// A field has no separator that YAML sees.
    Separator,
    /// Its file is UTF-16.
    Utf16,
    /// Its file has bytes that are no UTF-8.
    NotUtf8,
    /// Its file starts with a byte order mark.
    ByteOrderMark,
    /// Its file starts with blank space.
    LeadingSpace,
}

impl Quirk {
    /// Why an agent passes it over, after "the skill …".
    pub fn reason(self) -> &'static str {
        match self {
            Self::Nested => "lies deeper than one folder",
            Self::LowerCaseFile => "has no file that is called `SKILL.md`",
            Self::LinkedOutside => "is a link that leaves the project",
            Self::NameMissing => "has no `name`",
            Self::NameNotFolder => "has another name than its folder",
            Self::NameCharacters => "has capitals or odd characters in its name",
            Self::NameSpace => "has a space in its name",
            Self::NameHyphens => "has hyphens in its name where they may not be",
            Self::NameNotAscii => "has letters outside a to z in its name",
            Self::NameLong => "has a name of more than 64 characters",
            Self::DescriptionLong => "has a description of more than 1,024 characters",
            Self::DescriptionNotText => "has a description that is not a text",
            Self::DescriptionList => "has a description that is a list",
            Self::UnquotedText => "has a text with a colon and without quotes",
            Self::UnquotedMark | Self::UnquotedStart => "has a text that needs quotes",
            Self::CloserText => "has text behind the `---` that closes its frontmatter",
            Self::CloserDots => "has a frontmatter that is closed by `...`",
            Self::CloserIndented => "has an indented `---` at the end of its frontmatter",
            Self::Unclosed => "has a frontmatter that is never closed",
            Self::Fenced => "has its frontmatter in a code fence",
            Self::Tab => "has tabs that indent its frontmatter",
            Self::SurrogateEscape => "has a character that is written as two escapes",
            Self::DuplicateKey => "has a field twice",
            Self::Separator => "has a field without a colon and a space",
            Self::Utf16 => "is a file in UTF-16",
            Self::NotUtf8 => "has bytes that are not UTF-8",
            Self::ByteOrderMark => "starts with a byte order mark",
            Self::LeadingSpace => "starts with a blank line",
        }
    }

    /// What can be done about it.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Nested => "Move it up, directly into the folder of skills",
            Self::LowerCaseFile => "Rename the file to `SKILL.md`",
            Self::LinkedOutside => "Put a copy there: `skillyard install` without `--link`",
            Self::DescriptionLong => "Shorten the description",
            Self::UnquotedText
            | Self::UnquotedMark
            | Self::UnquotedStart
            | Self::CloserText
            | Self::CloserDots
            | Self::CloserIndented
            | Self::Unclosed
            | Self::Fenced
            | Self::Tab
            | Self::SurrogateEscape
            | Self::Separator
            | Self::Utf16
            | Self::NotUtf8
            | Self::ByteOrderMark
            | Self::LeadingSpace => "Mend it with `skillyard validate --fix`",
            _ => "See what is wrong with `skillyard validate`",
        }
    }
}

/// Everything unusual about a skill of a source.
pub fn quirks(record: &Record, source: &Source) -> Vec<Quirk> {
    let name = &*record.name;
    let folder = record.folder.file_name().and_then(|name| name.to_str());
    let depth = record.folder.strip_prefix(&source.root);
    let is_nested = depth.is_ok_and(|below| below.components().count() > 1);
    let found = [
        (Quirk::Nested, is_nested),
        (Quirk::LinkedOutside, leaves(&record.folder, source)),
        (
            Quirk::NameNotFolder,
            folder.is_some_and(|each| each != name),
        ),
    ];
    let found = found.into_iter().filter(|(_, is_so)| *is_so);
    let problems = record.problems.iter();
    let problems: Vec<_> = problems.map(|each| (&*each.code, &*each.message)).collect();
    let in_file = in_file(name, &record.description, &record.file_name, &problems);
    found.map(|(quirk, _)| quirk).chain(in_file).collect()
}

/// What is unusual about the file of a skill, by what rules said of it: their codes and messages.
pub fn in_file(
    name: &str,
    description: &str,
    file_name: &str,
    problems: &[(&str, &str)],
) -> Vec<Quirk> {
    let says = |code: &str, words: &str| {
        let mut of_code = problems.iter().filter(|(each, _)| *each == code);
        of_code.any(|(_, message)| message.contains(words))
    };
    let has = |code: &str| says(code, "");
    let unquoted = |words: &str| says("yaml-unquoted-text", words);
    let goes_on = unquoted("behind a quoted");
    let found = [
        (Quirk::LowerCaseFile, file_name != "SKILL.md"),
        (Quirk::NameMissing, has("name-missing")),
        (
            Quirk::NameCharacters,
            name.contains(|c: char| c.is_uppercase() || (c.is_ascii_punctuation() && c != '-')),
        ),
        (Quirk::NameSpace, name.contains(' ')),
        (
            Quirk::NameHyphens,
            name.contains("--") || name.starts_with('-') || name.ends_with('-'),
        ),
        (Quirk::NameNotAscii, !name.is_ascii()),
        (Quirk::NameLong, name.chars().count() > NAME),
        (
            Quirk::DescriptionLong,
            description.chars().count() > DESCRIPTION,
        ),
        (
            Quirk::DescriptionNotText,
            is_no_text(description) || says("field-type", "`description`"),
        ),
        (
            Quirk::DescriptionList,
            says("field-type", "`description` must be text, and is a list")
                || says("field-type", "`description` must be text, and is a mapping"),
        ),
        (Quirk::UnquotedText, has("yaml-unquoted-text")),
        (
            Quirk::UnquotedMark,
            goes_on
                || ["reserved", "anchor", "not indented"]
                    .iter()
                    .any(|each| unquoted(each)),
        ),
        (
            Quirk::UnquotedStart,
            goes_on && !description.starts_with(['[', '{'])
                || ["anchor", "not indented"].iter().any(|each| unquoted(each)),
        ),
        (
            Quirk::CloserText,
            says("frontmatter-closer", "text follows"),
        ),
        (Quirk::CloserDots, says("frontmatter-closer", "`...`")),
        (
            Quirk::CloserIndented,
            says("frontmatter-closer", "indented"),
        ),
        (Quirk::Unclosed, has("frontmatter-unclosed")),
        (Quirk::Fenced, has("frontmatter-fenced")),
        (Quirk::Tab, has("yaml-tab")),
        (Quirk::SurrogateEscape, has("yaml-surrogate-escape")),
        (Quirk::DuplicateKey, has("yaml-duplicate-key")),
        (Quirk::Separator, has("yaml-separator")),
        (Quirk::Utf16, says("file-encoding", "UTF-16")),
        (Quirk::NotUtf8, says("file-encoding", "not UTF-8")),
        (Quirk::ByteOrderMark, has("file-byte-order-mark")),
        (Quirk::LeadingSpace, has("frontmatter-leading-space")),
    ];
    let found = found.into_iter().filter(|(_, is_so)| *is_so);
    found.map(|(quirk, _)| quirk).collect()
}

/// Whether YAML readers would take a plain text for something else.
fn is_no_text(text: &str) -> bool {
    text.parse::<f64>().is_ok()
        || matches!(
            text.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "~"
        )
}

/// Whether a folder of a project is reached by a link out of the project.
fn leaves(folder: &Path, source: &Source) -> bool {
    // `.agents/skills` is two folders below the project.
    let Some(project) = source.root.ancestors().nth(2) else {
        return false;
    };
    let whole = (folder.canonicalize(), project.canonicalize());
    match (source.kind, whole) {
        (SourceKind::Project, (Ok(folder), Ok(project))) => !folder.starts_with(project),
        _ => false,
    }
}
