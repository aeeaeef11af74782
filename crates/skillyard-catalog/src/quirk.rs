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
    /// Its description has a colon and no quotes.
    UnquotedText,
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
            Self::UnquotedText => "has a description with a colon and without quotes",
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
            Self::UnquotedText | Self::ByteOrderMark | Self::LeadingSpace => {
                "Mend it with `skillyard validate --fix`"
            }
            _ => "See what is wrong with `skillyard validate`",
        }
    }
}

/// Everything unusual about a skill of a source.
pub fn quirks(record: &Record, source: &Source) -> Vec<Quirk> {
    let has = |code: &str| record.problems.iter().any(|each| each.code == code);
    let name = &*record.name;
    let folder = record.folder.file_name().and_then(|name| name.to_str());
    let depth = record.folder.strip_prefix(&source.root);
    let found = [
        (
            Quirk::Nested,
            depth.is_ok_and(|below| below.components().count() > 1),
        ),
        (Quirk::LowerCaseFile, &*record.file_name != "SKILL.md"),
        (Quirk::LinkedOutside, leaves(&record.folder, source)),
        (Quirk::NameMissing, has("name-missing")),
        (
            Quirk::NameNotFolder,
            folder.is_some_and(|each| each != name),
        ),
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
            record.description.chars().count() > DESCRIPTION,
        ),
        (Quirk::DescriptionNotText, is_no_text(&record.description)),
        (Quirk::UnquotedText, has("yaml-unquoted-text")),
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
