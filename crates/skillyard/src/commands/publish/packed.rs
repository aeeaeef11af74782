//! A folder packed for a registry, and what its author should know before it is there for good.

use std::path::Path;

use skillyard_format::package::archive::Limits;
use skillyard_format::package::pack::{PackFile, PackFormat, pack};
use skillyard_install::tree::{Tree, TreeLimits};
use skillyard_registry::package::{Package, examine};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::registry::RegistryFailure;

/// What would be published.
pub(super) struct Packed {
    /// As the registry will see it.
    pub(super) package: Package,
    pub(super) notes: Notes,
}

/// What the files of the folder do not show.
#[derive(Debug)]
pub(super) struct Notes {
    /// Files and folders that nobody wants delivered.
    pub(super) left_out: Vec<String>,
    /// Those of them that git ignores.
    pub(super) ignored: Vec<String>,
    /// Files that are published and should perhaps not be.
    pub(super) secrets: Vec<String>,
}

impl Packed {
    /// Packs a folder.
    pub(super) fn read(context: &Context, folder: &Path) -> Result<Self, CommandError> {
        let ignored = context.surely_ignored_in(folder)?;
        let tree = Tree::read_delivered(folder, &TreeLimits::default(), ignored);
        let tree = tree.map_err(RegistryFailure::from)?;
        let notes = Notes {
            left_out: tree.left_out().to_vec(),
            ignored: tree.ignored().to_vec(),
            secrets: tree.may_hold_secrets().map(str::to_owned).collect(),
        };
        let files = tree.files().iter();
        let files = files.map(|file| PackFile::new(&file.path, file.executable, &file.bytes));
        let files: Vec<PackFile<'_>> = files.collect();
        let archive = pack(&files, PackFormat::TarGz, &Limits::skill());
        let archive = archive.map_err(RegistryFailure::from)?;
        let package = examine(&archive, context.now());
        let package = package.map_err(|source| RegistryFailure::Refused {
            folder: folder.to_owned(),
            source: Box::new(source),
        })?;
        Ok(Self { package, notes })
    }
}
