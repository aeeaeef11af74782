//! Irregularities of a skill that keep some agents from offering it.

mod unquoted;

use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;
use skillyard_format::Document;
use skillyard_format::document::Frontmatter;
use skillyard_format::frontmatter::Oddity;
use skillyard_format::yaml::{ScalarStyle, Value, is_typed};

use crate::record::Record;
use crate::source::{SkillSource, SourceKind};
use unquoted::Unquoted;

/// The longest name and description that the specification allows.
const MAX_NAME_LENGTH: usize = 64;
const MAX_DESCRIPTION_LENGTH: usize = 1024;

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
    /// Its name is a number, a date or a truth value.
    NameNotText,
    /// Its description has more than 1,024 characters.
    DescriptionLong,
    /// Its description is a number or a truth value.
    DescriptionNotText,
    /// Its description is a list or a mapping.
    DescriptionList,
    /// A text of its frontmatter needs quotes and has none.
    UnquotedText,
    /// As [`Quirk::UnquotedText`], and quotes around the values of lines do not fix it.
    UnquotedLine,
    /// As [`Quirk::UnquotedText`], and blocks for the values of fields do not fix it.
    UnquotedField,
    /// As [`Quirk::UnquotedText`], and quotes around the values of fields do not fix it.
    UnquotedValue,
    /// Its `metadata` is a text or a list.
    MetadataText,
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
    /// Its frontmatter has a control character.
    ControlCharacter,
    /// Its lines end as they did on old computers, with a carriage return alone.
    LoneReturn,
    /// One character of its frontmatter is written as two escapes.
    SurrogateEscape,
    /// A field is there twice.
    DuplicateKey,
    /// A field has no separator that YAML sees.
    Separator,
    /// Its file is UTF-16.
    Utf16,
    /// Its file has bytes that are not UTF-8.
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
            Self::NameNotText => "has a name that is not a text",
            Self::DescriptionLong => "has a description of more than 1,024 characters",
            Self::DescriptionNotText => "has a description that is not a text",
            Self::DescriptionList => "has a description that is a list",
            Self::UnquotedText => "has a text with a colon and without quotes",
            Self::UnquotedLine | Self::UnquotedField | Self::UnquotedValue => {
                "has a text that needs quotes"
            }
            Self::MetadataText => "has `metadata` that is not `key: value` lines",
            Self::CloserText => "has text behind the `---` that closes its frontmatter",
            Self::CloserDots => "has a frontmatter that is closed by `...`",
            Self::CloserIndented => "has an indented `---` at the end of its frontmatter",
            Self::Unclosed => "has a frontmatter that is never closed",
            Self::Fenced => "has its frontmatter in a code fence",
            Self::Tab => "has tabs that indent its frontmatter",
            Self::ControlCharacter => "has a control character in its frontmatter",
            Self::LoneReturn => "has lines that end with a carriage return alone",
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
            Self::NameNotText => "Put the name in quotes, or choose another",
            Self::MetadataText => "Write `metadata` as `key: value` lines",
            Self::LoneReturn => "Save the file with other line ends",
            Self::UnquotedText
            | Self::UnquotedLine
            | Self::UnquotedField
            | Self::UnquotedValue
            | Self::CloserText
            | Self::CloserDots
            | Self::CloserIndented
            | Self::Unclosed
            | Self::Fenced
            | Self::Tab
            | Self::ControlCharacter
            | Self::SurrogateEscape
            | Self::Separator
            | Self::Utf16
            | Self::NotUtf8
            | Self::ByteOrderMark
            | Self::LeadingSpace => "Fix it with `skillyard validate --fix`",
            _ => "See what is wrong with `skillyard validate`",
        }
    }
}

/// Everything unusual about a skill of a source.
pub fn quirks(record: &Record, source: &SkillSource) -> Vec<Quirk> {
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
    // What agents make of a file depends on how it is written.
    let bytes = record.read().unwrap_or_default();
    let document = Document::parse(&bytes);
    let description = own_description(record);
    let described = (name, &*description);
    let in_file = in_file(described, &record.file_name, &document, &problems);
    found.map(|(quirk, _)| quirk).chain(in_file).collect()
}

/// The description alone: other agents do not count what stands in a field of its own.
fn own_description(record: &Record) -> Cow<'_, str> {
    let whole = record.description.as_str();
    if !record.fields.contains("\"when_to_use\"") {
        return Cow::Borrowed(whole);
    }
    let fields: serde_json::Value = serde_json::from_str(&record.fields).unwrap_or_default();
    let when = fields["when_to_use"].as_str().unwrap_or_default().trim();
    let own = whole
        .strip_suffix(when)
        .and_then(|own| own.strip_suffix(" - "));
    Cow::Borrowed(own.unwrap_or(whole))
}

/// What is unusual about the file of a skill with this name and description, also by what rules said
/// of it: their codes and messages.
pub fn in_file(
    (name, description): (&str, &str),
    file_name: &str,
    document: &Document<'_>,
    problems: &[(&str, &str)],
) -> Vec<Quirk> {
    let says = |code: &str, words: &str| {
        let mut of_code = problems.iter().filter(|(each, _)| *each == code);
        of_code.any(|(_, message)| message.contains(words))
    };
    let has = |code: &str| says(code, "");
    let unquoted = Unquoted::of(document);
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
        (Quirk::NameLong, name.chars().count() > MAX_NAME_LENGTH),
        (
            Quirk::NameNotText,
            is_typed(name) && !is_word(name) && is_plain(document, "name"),
        ),
        (
            Quirk::DescriptionLong,
            description.chars().count() > MAX_DESCRIPTION_LENGTH,
        ),
        (
            Quirk::DescriptionNotText,
            is_typed(description) && is_plain(document, "description")
                || says("field-type", "`description`"),
        ),
        (
            Quirk::DescriptionList,
            says("field-type", "`description` must be text, and is a list")
                || says("field-type", "`description` must be text, and is a mapping"),
        ),
        (Quirk::UnquotedText, has("yaml-unquoted-text")),
        (Quirk::UnquotedLine, unquoted.defies_lines()),
        (Quirk::UnquotedField, unquoted.defies_fields()),
        (Quirk::UnquotedValue, unquoted.defies_quotes()),
        (
            Quirk::MetadataText,
            says("metadata-nested", "`metadata` must be"),
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
        (Quirk::ControlCharacter, has("yaml-control-character")),
        (Quirk::LoneReturn, has_lone_returns(document)),
        (Quirk::SurrogateEscape, has("yaml-surrogate-escape")),
        (Quirk::DuplicateKey, has("yaml-duplicate-key")),
        (Quirk::Separator, has("yaml-separator")),
        (Quirk::Utf16, says("file-encoding", "UTF-16")),
        (Quirk::NotUtf8, says("file-encoding", "not UTF-8")),
        (Quirk::ByteOrderMark, has_byte_order_mark(document)),
        (Quirk::LeadingSpace, has("frontmatter-leading-space")),
    ];
    let found = found.into_iter().filter(|(_, is_so)| *is_so);
    found.map(|(quirk, _)| quirk).collect()
}

/// Whether a field is a text without quotes, which YAML readers may take for something else.
fn is_plain(document: &Document<'_>, field: &str) -> bool {
    let entry = document.mapping().and_then(|fields| fields.get(field));
    entry.is_some_and(|entry| {
        matches!(&entry.value.value, Value::Scalar(text) if text.style == ScalarStyle::Plain)
    })
}

/// Whether only old YAML takes a text for a truth value.
fn is_word(text: &str) -> bool {
    let words = ["yes", "no", "on", "off"];
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn has_lone_returns(document: &Document<'_>) -> bool {
    let Frontmatter::Read { split, .. } = &document.frontmatter else {
        return false;
    };
    let text = split.yaml.of(&document.text);
    text.contains('\r') && !text.contains('\n')
}

fn has_byte_order_mark(document: &Document<'_>) -> bool {
    let Frontmatter::Read { split, .. } = &document.frontmatter else {
        return false;
    };
    let is_mark = |oddity: &Oddity| matches!(oddity, Oddity::ByteOrderMark(_));
    split.oddities.iter().any(is_mark)
}

/// Whether a folder of a project is reached by a link out of the project.
fn leaves(folder: &Path, source: &SkillSource) -> bool {
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
