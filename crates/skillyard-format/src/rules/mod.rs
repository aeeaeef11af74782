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

mod allowed_tools_parentheses;
mod allowed_tools_separator;
mod allowed_tools_type;
mod body_control_character;
mod body_empty;
mod body_length;
mod compatibility_length;
mod description_length;
mod description_missing;
mod description_when;
mod field_type;
mod field_unknown;
mod file_byte_order_mark;
mod file_empty;
mod file_encoding;
mod file_link_as_text;
mod file_name;
mod file_too_large;
mod frontmatter_closer;
mod frontmatter_fenced;
mod frontmatter_leading_space;
mod frontmatter_missing;
mod frontmatter_not_mapping;
mod frontmatter_unclosed;
mod link_broken;
mod link_depth;
mod metadata_nested;
mod metadata_unquoted;
mod name_characters;
mod name_hyphens;
mod name_length;
mod name_matches_directory;
mod name_missing;
mod name_similar;
mod script_executable;
mod sound;
mod yaml_control_character;
mod yaml_duplicate_key;
mod yaml_indentation;
mod yaml_inner_delimiter;
mod yaml_limits;
mod yaml_stray_line;
mod yaml_surrogate_escape;
mod yaml_syntax;
mod yaml_tab;
mod yaml_unquoted_text;

pub use name_similar::similar_names;

/// Every rule, in the order in which findings at the same place are shown.
pub const ALL: &[&Rule] = &[
    &file_too_large::RULE,
    &file_empty::RULE,
    &file_link_as_text::RULE,
    &file_encoding::RULE,
    &file_byte_order_mark::RULE,
    &file_name::RULE,
    &frontmatter_missing::RULE,
    &frontmatter_leading_space::RULE,
    &frontmatter_fenced::RULE,
    &frontmatter_unclosed::RULE,
    &frontmatter_closer::RULE,
    &frontmatter_not_mapping::RULE,
    &yaml_limits::RULE,
    &yaml_syntax::RULE,
    &yaml_unquoted_text::RULE,
    &yaml_indentation::RULE,
    &yaml_stray_line::RULE,
    &yaml_tab::RULE,
    &yaml_control_character::RULE,
    &yaml_surrogate_escape::RULE,
    &yaml_inner_delimiter::RULE,
    &yaml_duplicate_key::RULE,
    &field_unknown::RULE,
    &field_type::RULE,
    &name_missing::RULE,
    &name_length::RULE,
    &name_characters::RULE,
    &name_hyphens::RULE,
    &name_matches_directory::RULE,
    &description_missing::RULE,
    &description_length::RULE,
    &description_when::RULE,
    &compatibility_length::RULE,
    &metadata_nested::RULE,
    &metadata_unquoted::RULE,
    &allowed_tools_type::RULE,
    &allowed_tools_separator::RULE,
    &allowed_tools_parentheses::RULE,
    &body_empty::RULE,
    &body_length::RULE,
    &body_control_character::RULE,
    &link_broken::RULE,
    &link_depth::RULE,
    &script_executable::RULE,
    &name_similar::RULE,
];

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

    fn mapping(&self) -> Option<&'a Mapping<'a>> {
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

    fn field(&self, key: &str) -> Option<&'a Entry<'a>> {
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
    fn text(&self, key: &str) -> Option<(&'a Entry<'a>, &'a str)> {
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
    if profile == Profile::Load && sound::is_sound(subject) {
        return Vec::new();
    }
    check_each(subject, profile)
}

fn check_each(subject: &Subject<'_>, profile: Profile) -> Vec<Diagnostic> {
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
