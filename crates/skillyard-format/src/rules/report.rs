//! What the rules say, before a profile decides what it means.

use super::{Class, Rule};
use crate::diagnostic::{Diagnostic, Severity};
use crate::edit::Edit;
use crate::span::Span;

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
