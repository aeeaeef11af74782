//! What the rules look at: a file taken apart, and what is known of its surroundings.

use crate::diagnostic::{Diagnostic, Severity};
use crate::document::{Document, Frontmatter};
use crate::edit::Edit;
use crate::frontmatter::Oddity;
use crate::frontmatter::repair::Repair;
use crate::rules::{Class, Rule};
use crate::span::Span;
use crate::yaml::{Mapping, MappingEntry};

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

    pub(super) fn mapping(&self) -> Option<&'a Mapping> {
        self.document.mapping()
    }

    /// What was unusual about the delimiters.
    pub(super) fn oddities(&self) -> &'a [Oddity] {
        self.document.split().map_or(&[], |split| &split.oddities)
    }

    /// What had to be mended before the YAML could be read.
    pub(super) fn repairs(&self) -> &'a [Repair] {
        match &self.document.frontmatter {
            Frontmatter::Read { repairs, .. } => repairs,
            _ => &[],
        }
    }

    pub(super) fn field(&self, key: &str) -> Option<&'a MappingEntry> {
        self.mapping()?.get(key)
    }

    /// Where and how a required field is missing, if it is; a list or mapping is there.
    pub(super) fn missing(&self, key: &str) -> Option<(Span, String)> {
        let start = self.document.split()?.yaml.start;
        self.mapping()?;
        let Some(entry) = self.field(key) else {
            return Some((Span::at(start), format!("`{key}` is missing")));
        };
        entry.value.as_str()?;
        let empty = self.text(key).is_none();
        empty.then(|| (entry.key_span, format!("`{key}` is empty")))
    }

    /// The field that has this name in other letters, where there is one such: `Name`.
    pub(super) fn in_other_case(&self, key: &str) -> Option<&'a MappingEntry> {
        let entries = self.mapping()?.entries.iter();
        let mut alike = entries.filter(|entry| entry.key.eq_ignore_ascii_case(key));
        let first = alike.next().filter(|entry| entry.key != key)?;
        alike.next().is_none().then_some(first)
    }

    /// The text of a field that has some.
    pub(super) fn text(&self, key: &str) -> Option<(&'a MappingEntry, &'a str)> {
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
    /// Whether it is a program that a compiler made, which needs no such line.
    pub compiled: bool,
}

/// Collects what the rules find.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(super) found: Vec<(Class, Diagnostic)>,
}

impl Report {
    /// Notes that `rule` is broken at `span`.
    pub(super) fn add(
        &mut self,
        rule: &Rule,
        span: impl Into<Option<Span>>,
        message: String,
    ) -> Added<'_> {
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
pub(super) struct Added<'a>(Option<&'a mut Diagnostic>);

impl Added<'_> {
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        if let Some(diagnostic) = &mut self.0 {
            diagnostic.help = Some(help.into());
        }
        self
    }

    pub(super) fn fix(mut self, edits: impl IntoIterator<Item = Edit>) -> Self {
        if let Some(diagnostic) = &mut self.0 {
            diagnostic.fix.extend(edits);
        }
        self
    }
}
