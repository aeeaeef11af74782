//! Whether a skill can be used at all, and be handed on.

use std::path::Path;

use skillyard_format::diagnostic::{Diagnostic, Severity};
use skillyard_format::rules::Profile;
use skillyard_install::tree::{Ignored, Outline, TreeError, TreeLimits};

use crate::commands::validate::Linking;
use crate::context::Context;
use crate::error::UNHASHABLE_REMEDY;
use crate::library;
use crate::report::{NOT_DELIVERABLE, NOT_HASHABLE};

/// What skills are delivered by.
pub(super) struct Delivery<'a> {
    context: &'a Context,
    limits: TreeLimits,
    /// The skills whose links are looked at when all are known.
    pub(super) linking: Linking,
}

impl<'a> Delivery<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        let config = context.readable_config();
        let limits = config.map_or_else(|_| TreeLimits::default(), |config| config.tree_limits());
        Self {
            context,
            limits,
            linking: Linking::default(),
        }
    }

    /// What is told of a skill that nobody can be given, or that cannot be handed on.
    pub(super) fn check(&self, folder: &Path, profile: Profile) -> Option<Diagnostic> {
        let mut outline = Outline::default();
        let hashed = library::check_seeing(folder, &mut |seen| outline.add(seen));
        let (code, message, help) = if let Err(error) = hashed {
            let message = format!(
                "the skill is unavailable here, because its files cannot be hashed: {}",
                error.whole()
            );
            (NOT_HASHABLE, message, UNHASHABLE_REMEDY)
        } else {
            let error = self.undeliverable(folder, &outline)?;
            let message = format!("the skill cannot be handed on: {error}");
            (NOT_DELIVERABLE, message, remedy(&error))
        };
        Some(Diagnostic {
            code,
            severity: match profile {
                Profile::Strict => Severity::Error,
                _ => Severity::Warning,
            },
            span: None,
            message,
            help: Some(help.into()),
            fix: Vec::new(),
        })
    }

    /// Why a folder cannot be delivered. Git is asked only where it could make a difference.
    fn undeliverable(&self, folder: &Path, outline: &Outline) -> Option<TreeError> {
        let check = |ignored: Ignored| outline.check(folder, &self.limits, ignored).err();
        check(Ignored::default())?;
        check(self.context.ignored_in(folder))
    }
}

/// What can be done about it.
fn remedy(error: &TreeError) -> &'static str {
    match error {
        TreeError::NotAFile { .. } => "put a file in its place, or take it out of the folder",
        TreeError::Name(_) | TreeError::Path { .. } | TreeError::SameName(..) => "rename it",
        _ => "take out of the folder what is no part of the skill",
    }
}
