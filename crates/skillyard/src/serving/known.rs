//! What of the configuration is asked for with nearly every request.

use skillyard_catalog::resource::{BinaryContent, ReadLimits};
use skillyard_server::Portions;

use crate::context::Context;
use crate::error::CommandError;

/// What the server may give, and how much at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) limits: ReadLimits,
    pub(super) portions: Portions,
    pub(super) offers_skills: bool,
}

impl Known {
    /// Reads it from the configuration.
    pub(super) fn read(context: &Context) -> Result<Self, CommandError> {
        let config = context.config()?;
        Ok(Self {
            limits: ReadLimits {
                max_bytes: config.max_resource_bytes(),
                nested: config.reads_nested_resources(),
                binary: BinaryContent::Describe,
                ..ReadLimits::default()
            },
            portions: Portions {
                skills: config.max_skills(),
                instruction_bytes: config.max_skill_md_bytes(),
            },
            offers_skills: config.serves_skills(),
        })
    }
}
