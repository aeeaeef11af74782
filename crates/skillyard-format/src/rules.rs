//! The rules: one file each, with a code, a class, its documentation and its check.
//!
//! A rule reports facts; [`Profile`] decides what they mean. The doc comment inside
//! `rule!` is what `skillyard explain CODE` prints.

use crate::diagnostic::{Diagnostic, Severity};

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

mod allowed_tools_empty;
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
mod name_device;
mod name_hyphens;
mod name_length;
mod name_matches_directory;
mod name_missing;
mod name_similar;
mod requires_unreadable;
mod sandbox_unreadable;
mod script_executable;
mod subject;
mod switch_unreadable;
mod triggers_unreadable;
mod yaml_comment;
mod yaml_control_character;
mod yaml_duplicate_key;
mod yaml_indentation;
mod yaml_inner_delimiter;
mod yaml_limits;
mod yaml_separator;
mod yaml_stray_line;
mod yaml_surrogate_escape;
mod yaml_syntax;
mod yaml_tab;
mod yaml_unquoted_text;

pub use name_similar::similar_names;
pub use subject::{SkillFile, Subject};

use subject::Report;

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
    &yaml_separator::RULE,
    &yaml_indentation::RULE,
    &yaml_stray_line::RULE,
    &yaml_tab::RULE,
    &yaml_control_character::RULE,
    &yaml_surrogate_escape::RULE,
    &yaml_inner_delimiter::RULE,
    &yaml_duplicate_key::RULE,
    &yaml_comment::RULE,
    &field_unknown::RULE,
    &field_type::RULE,
    &name_missing::RULE,
    &name_length::RULE,
    &name_characters::RULE,
    &name_hyphens::RULE,
    &name_device::RULE,
    &name_matches_directory::RULE,
    &description_missing::RULE,
    &description_length::RULE,
    &description_when::RULE,
    &compatibility_length::RULE,
    &metadata_nested::RULE,
    &metadata_unquoted::RULE,
    &triggers_unreadable::RULE,
    &sandbox_unreadable::RULE,
    &requires_unreadable::RULE,
    &switch_unreadable::RULE,
    &allowed_tools_type::RULE,
    &allowed_tools_empty::RULE,
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

/// Why a skill cannot be loaded at all, where that is so.
pub fn unloadable(subject: &Subject<'_>) -> String {
    let found = check(subject, Profile::Load);
    let fatal = found
        .into_iter()
        .find(|each| each.severity == Severity::Error);
    fatal.map_or_else(|| "it has no name".to_owned(), |each| each.message)
}

#[cfg(test)]
mod tests;
