//! Who is believed about skills that are here already, and which of these are revoked.
//!
//! A lock says who signed a skill when it was installed. Whether they are trusted, and whether the
//! skill may be used at all, is what the policy says now.

use std::path::Path;

use skillyard_agent::mcp_client::PublishedSkill;
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::{Catalog, CatalogSkill, Status};
use skillyard_install::lockfile::Locked;
use skillyard_install::tree::Ignored;
use skillyard_install::tree::{self as install, TreeLimits};
use skillyard_trust::signature::{
    Distrust, Policy, SIGNATURE_FILE, SkillContext, Tree, verify_skill,
};

use crate::context::Context;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::library::installed::Installed;
use crate::library::skill_files::directory_name;
use crate::signing::former::delivered_as;
use crate::signing::{now, policy, read_tree};

/// Whom to believe now.
pub(crate) struct Signers(Policy);

impl Signers {
    /// Reads the policy.
    pub(crate) fn load(environment: &Environment) -> Result<Self, CommandError> {
        policy::in_force(environment).map(Self)
    }

    /// Who signed an installed skill, if they are trusted still.
    pub(crate) fn of(&self, entry: &Locked) -> Option<String> {
        let signer = entry.signer.as_ref()?;
        let trusted = self.0.still_trusts(signer, &entry.name, &entry.source);
        trusted.then(|| signer.clone())
    }

    /// Why the skill in a folder must not be used any more, where anything is revoked.
    pub(crate) fn revoked(&self, folder: &Path, installed: &Installed) -> Option<String> {
        if self.0.revoked.is_empty() {
            return None;
        }
        let entry = installed.entry(folder);
        let entry = entry.as_deref();
        if let Some(revoked) = entry.and_then(|entry| revoked_by_lock(entry, &self.0)) {
            return Some(revoked.to_string());
        }
        if !self.0.revokes_content() && !folder.join(SIGNATURE_FILE).exists() {
            return None;
        }
        let Ok(tree) = read_tree(
            folder,
            installed.behind(folder).as_ref(),
            Ignored::default(),
        ) else {
            // Else a file too many would keep a skill from being found out.
            return Some("its files cannot be compared with what is revoked".into());
        };
        let name = directory_name(folder);
        let place = SkillContext {
            folder: name.as_deref(),
            source: entry.map(|entry| entry.source.as_str()),
            delivered_as: entry.and_then(|entry| {
                let tree = || install::Tree::read(folder, &TreeLimits::HERE).ok();
                delivered_as(entry, &self.0, || tree().map(install::Tree::tidied))
            }),
            ..SkillContext::default()
        };
        // Whoever adds a file to a revoked skill must not make it a skill that merely was changed.
        let verification = verify_skill(&tree.tidied(), &place, &self.0, now().0);
        verification.revocation().map(ToString::to_string)
    }

    /// Why a skill of an MCP server must not be used any more, by what the server lists of it. No list
    /// tells which files can be executed, so that none counts as one that can.
    pub(crate) fn revoked_elsewhere(&self, skill: &PublishedSkill) -> Option<String> {
        if !self.0.revokes_content() {
            return None;
        }
        let revoked = |is_meant: &dyn Fn(&str) -> bool| {
            let mut tree = Tree::default();
            let files = skill.manifest.files.values();
            for file in files.filter(|file| is_meant(&file.path)) {
                tree.add_digest(&file.path, false, file.digest);
            }
            self.0.revocation_of(tree.digest())
        };
        // Models are told the digest over all files, `verify` tells the one without the signature.
        let revoked = revoked(&|_| true).or_else(|| revoked(&|path| path != SIGNATURE_FILE));
        revoked.map(|reason| reason.to_string())
    }
}

/// Why a skill must not be used any more by what its lock says alone, whatever became of its files:
/// somebody may have taken the signature away since or added a file, they may be too many to be
/// compared, and a fresh checkout has none of them.
pub(crate) fn revoked_by_lock(entry: &Locked, policy: &Policy) -> Option<Distrust> {
    let signer = entry.signer.as_deref();
    let revoked = signer.and_then(|signer| policy.revocation_of_signer(signer));
    revoked.or_else(|| {
        let digests = [Some(entry.digest), entry.delivered_as];
        let mut digests = digests.into_iter().flatten();
        digests.find_map(|digest| policy.revocation_of(digest))
    })
}

/// Keeps what is revoked out of prompts.
///
/// Where the policy cannot be read, nobody knows what is revoked: no skill is given to anybody or run,
/// and all can still be listed.
pub(crate) fn withdraw(context: &Context, catalog: &mut Catalog) {
    let signers = match Signers::load(&context.environment) {
        Ok(signers) => signers,
        Err(error) => {
            let reason = format!("held back, because {}", unknown(&error));
            let is_ours = |skill: &&mut CatalogSkill| skill.kind != SourceKind::Builtin;
            for skill in catalog.enabled_mut().filter(is_ours) {
                let reason = reason.clone();
                skill.status = Status::Disabled { reason };
            }
            return;
        }
    };
    if signers.0.revoked.is_empty() {
        return;
    }
    // Where a lock cannot be read, nothing that it could name is in use anyway.
    let installed = Installed::readable(context).unwrap_or_default();
    catalog.withdraw(|skill| {
        let folder = &skill.record.folder;
        match (skill.kind, &skill.status) {
            (SourceKind::Builtin, _) => None,
            // There is nothing else to go by.
            (_, Status::Unhashable { .. }) => {
                let entry = installed.entry(folder)?;
                revoked_by_lock(&entry, &signers.0).map(|revoked| revoked.to_string())
            }
            _ => signers.revoked(folder, &installed),
        }
    });
}

/// Warns where nobody knows what is revoked, before something that does not depend on it.
pub(crate) fn warn_where_unknown(context: &Context) {
    if let Err(error) = Signers::load(&context.environment) {
        context.printer.warn(&unknown(&error));
    }
}

/// That nobody knows what is revoked, and why.
pub(crate) fn unknown(error: &CommandError) -> String {
    format!(
        "nobody knows what is revoked: {}; `skillyard doctor` says what to do",
        error.with_causes()
    )
}

/// What the user can do about a skill that is revoked: a part goes with the whole, and what nobody
/// installed cannot be removed or updated.
pub(crate) fn remedy(installed: &Installed, name: &str, folder: &Path) -> String {
    if let Some((server, _)) = name.split_once(':') {
        return format!("MCP server `{server}` publishes it; ask whoever looks after that server");
    }
    let Some((whole, ways)) = installed.way_out(folder) else {
        return format!(
            "It was not installed by skillyard: take its folder `{}` away, or put a mended one there",
            folder.display()
        );
    };
    let part = match installed.around_of(folder) {
        Some(_) => format!("It is part of `{whole}`. "),
        None => String::new(),
    };
    let remedy = ways.hint();
    match installed.root_elsewhere(folder) {
        Some(root) => format!("{part}{remedy}; both in `{}`", root.display()),
        None => format!("{part}{remedy}"),
    }
}
