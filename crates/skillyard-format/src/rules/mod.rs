//! The rules: one file each, with a code, a class, its documentation and its check.
//!
//! A rule reports facts; [`Profile`] decides what they mean. The doc comment inside
//! `rule!` is what `skillyard explain CODE` prints.

use crate::diagnostic::{Diagnostic, Severity};
use crate::document::{Document, Frontmatter};
use crate::edit::Edit;
use crate::frontmatter::Oddity;
use crate::frontmatter::repair::Repair;
use crate::span::Span;
use crate::yaml::{Entry, Mapping};

/// Declares a file's rule: documentation, code, class and check.
macro_rules! rule {
    ($(#[doc = $line:literal])+ $code:literal, $class:ident, $check:path) => {
        $(#[doc = $line])+
        pub(super) const RULE: $crate::rules::Rule = $crate::rules::Rule {
            code: $code,
            class: $crate::rules::Class::$class,
            explanation: concat!($($line, "\n"),+),
            check: $check,
        };
    };
}

macro_rules! rules {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+
        /// Every rule, in the order in which findings at the same place are shown.
        pub const ALL: &[&Rule] = &[$(&$name::RULE),+];
    };
}

rules![
    file_too_large,
    file_empty,
    file_link_as_text,
    file_encoding,
    file_byte_order_mark,
    file_name,
    frontmatter_missing,
    frontmatter_leading_space,
    frontmatter_fenced,
    frontmatter_unclosed,
    frontmatter_closer,
    frontmatter_not_mapping,
    yaml_limits,
    yaml_syntax,
    yaml_unquoted_text,
    yaml_indentation,
    yaml_stray_line,
    yaml_tab,
    yaml_control_character,
    yaml_surrogate_escape,
    yaml_inner_delimiter,
    yaml_duplicate_key,
    field_unknown,
    field_type,
    name_missing,
    name_length,
    name_characters,
    name_hyphens,
    name_matches_directory,
    description_missing,
    description_length,
    description_when,
    compatibility_length,
    metadata_nested,
    metadata_unquoted,
    allowed_tools_type,
    allowed_tools_separator,
    allowed_tools_parentheses,
    body_empty,
    body_length,
    body_control_character,
    link_broken,
    link_depth,
    script_executable,
    name_similar,
];

pub use name_similar::similar_names;

/// What kind of statement a rule makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Without this there is no skill to load.
    Fatal,
    /// The specification's text.
    Format,
    /// Outside the specification, and allowed by it.
    Extension,
    /// Good practice.
    Advice,
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name for users.
    pub code: &'static str,
    /// What kind of statement it makes.
    pub class: Class,
    /// Its documentation, in Markdown.
    pub explanation: &'static str,
    check: fn(&Subject<'_>, &mut Report),
}

/// The rule with this code.
pub fn find(code: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.code == code)
}

/// How strictly a skill is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// The specification's text; what it does not forbid is a warning at most.
    Spec,
    /// The specification with a closed set of fields, and every warning an error.
    Strict,
    /// What keeps a skill from being used is an error, broken format a warning.
    Load,
}

impl Profile {
    fn severity(self, class: Class) -> Option<Severity> {
        match (self, class) {
            (_, Class::Fatal) | (Self::Strict, _) | (Self::Spec, Class::Format) => {
                Some(Severity::Error)
            }
            (Self::Spec, _) | (Self::Load, Class::Format | Class::Extension) => {
                Some(Severity::Warning)
            }
            (Self::Load, Class::Advice) => None,
        }
    }
}

/// A skill and its surroundings, as far as they are known.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The file, taken apart.
    pub document: &'a Document<'a>,
    /// The name of the file.
    pub file_name: &'a str,
    /// The name of the folder the file is in.
    pub directory: Option<&'a str>,
    /// The other files of the folder, for the rules that need them.
    pub files: Option<&'a [SkillFile]>,
}

impl<'a> Subject<'a> {
    /// A file called `SKILL.md` in `directory`.
    pub fn new(document: &'a Document<'a>, directory: Option<&'a str>) -> Self {
        Self {
            document,
            file_name: "SKILL.md",
            directory,
            files: None,
        }
    }

    fn mapping(&self) -> Option<&'a Mapping> {
        self.document.mapping()
    }

    /// What was unusual about the delimiters.
    fn oddities(&self) -> &'a [Oddity] {
        self.document.split().map_or(&[], |split| &split.oddities)
    }

    /// What had to be mended before the YAML could be read.
    fn repairs(&self) -> &'a [Repair] {
        match &self.document.frontmatter {
            Frontmatter::Read { repairs, .. } => repairs,
            _ => &[],
        }
    }

    fn field(&self, key: &str) -> Option<&'a Entry> {
        self.mapping()?.get(key)
    }

    /// Where and how a required field is missing, if it is; a list or mapping is there.
    fn missing(&self, key: &str) -> Option<(Span, String)> {
        let start = self.document.split()?.yaml.start;
        self.mapping()?;
        let Some(entry) = self.field(key) else {
            return Some((Span::at(start), format!("`{key}` is missing")));
        };
        entry.value.as_str()?;
        let empty = self.text(key).is_none();
        empty.then(|| (entry.key_span, format!("`{key}` is empty")))
    }

    /// The text of a field that has some.
    fn text(&self, key: &str) -> Option<(&'a Entry, &'a str)> {
        let entry = self.field(key)?;
        let text = entry.value.as_str()?;
        (!entry.value.is_null() && !text.trim().is_empty()).then_some((entry, text))
    }
}

/// A file of a skill's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Its path below the skill's root, separated by `/`.
    pub path: String,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// Whether its first two bytes are `#!`.
    pub shebang: bool,
}

/// Collects what the rules find.
#[derive(Debug, Default)]
pub(crate) struct Report {
    found: Vec<(Class, Diagnostic)>,
}

impl Report {
    /// Notes that `rule` is broken at `span`.
    fn add(&mut self, rule: &Rule, span: impl Into<Option<Span>>, message: String) -> Added<'_> {
        self.found.push((
            rule.class,
            Diagnostic {
                code: rule.code,
                severity: Severity::Error,
                span: span.into(),
                message,
                help: None,
                fix: Vec::new(),
            },
        ));
        Added(self.found.last_mut().map(|(_, diagnostic)| diagnostic))
    }
}

/// A finding that can still be given help and a fix.
struct Added<'a>(Option<&'a mut Diagnostic>);

impl Added<'_> {
    fn help(mut self, help: impl Into<String>) -> Self {
        if let Some(diagnostic) = &mut self.0 {
            diagnostic.help = Some(help.into());
        }
        self
    }

    fn fix(mut self, edits: impl IntoIterator<Item = Edit>) -> Self {
        if let Some(diagnostic) = &mut self.0 {
            diagnostic.fix.extend(edits);
        }
        self
    }
}

/// Everything the rules have to say about `subject`, in the order of the file.
pub fn check(subject: &Subject<'_>, profile: Profile) -> Vec<Diagnostic> {
    let mut report = Report::default();
    for rule in ALL {
        if profile.severity(rule.class).is_some() {
            (rule.check)(subject, &mut report);
        }
    }
    let mut found: Vec<Diagnostic> = report
        .found
        .into_iter()
        .filter_map(|(class, mut diagnostic)| {
            diagnostic.severity = profile.severity(class)?;
            Some(diagnostic)
        })
        .collect();
    found.sort_by_key(|diagnostic| diagnostic.span.map_or(usize::MAX, |span| span.start));
    found
}

#[cfg(test)]
mod tests;
