//! How a skill stands here, as the server is told.

use skillyard_agent::shelf::origin;
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::source::SourceKind;
use skillyard_format::package::Digest;
use skillyard_server::{Alteration, SkillTrust};
use skillyard_trust::verdict::OptIn;

use crate::error::CommandError;
use crate::library::installed::Altered;
use crate::library::permission::Permissions;

/// How a skill stands by what was decided.
pub(crate) fn decided(
    permissions: &Permissions,
    skill: &CatalogSkill,
    digest: Option<&Digest>,
) -> SkillTrust {
    let provenance = permissions.provenance(skill);
    let tier = permissions.verdict(&provenance).tier;
    let decision = permissions.script(skill, digest, OptIn::No);
    SkillTrust {
        altered: alteration(permissions, skill, &|| digest.copied()),
        tier: tier.as_str().to_owned(),
        origin: origin(skill, &provenance),
        provenance: provenance.to_string(),
        third_party: provenance.is_third_party(),
        scripts: decision.as_str().to_owned(),
        reason: decision.reason().to_owned(),
        hosts: permissions
            .hosts(&provenance, &skill.record.name, digest)
            .to_vec(),
        signer: provenance.signer,
        version: provenance.revision,
    }
}

/// How a skill stands while nobody can tell: what cannot be decided is decided against.
pub(crate) fn undecided(skill: &CatalogSkill, error: &CommandError) -> SkillTrust {
    SkillTrust {
        tier: "unknown".into(),
        third_party: true,
        scripts: "blocked".into(),
        reason: "the configuration cannot be read".into(),
        altered: unknown(skill, error),
        ..SkillTrust::default()
    }
}

/// What is wrong with files that are not those that were installed.
pub(crate) fn alteration(
    permissions: &Permissions,
    skill: &CatalogSkill,
    now: &dyn Fn() -> Option<Digest>,
) -> Option<Alteration> {
    let name = &skill.record.name;
    if let Some(lock) = permissions.unreadable(&skill.record.folder) {
        return Some(Alteration {
            reason: format!(
                "its files cannot be compared with those that are locked while `{}` cannot be read",
                lock.display()
            ),
            remedy: "`skillyard doctor` says what is wrong with it".into(),
        });
    }
    let expected = permissions.expected(name, &skill.record.folder)?;
    let installed = *expected.first()?;
    let reason = match now() {
        Some(now) if expected.contains(&now) => return None,
        Some(now) => Altered { now, installed }.to_string(),
        None => format!("its files cannot be hashed, and {installed} was installed"),
    };
    let remedy = permissions.remedy(name, &skill.record.folder);
    Some(Alteration { reason, remedy })
}

/// What is said of a skill that may have been installed while nobody can tell what was.
pub(crate) fn unknown(skill: &CatalogSkill, error: &CommandError) -> Option<Alteration> {
    // What a lock says is no secret, other files have such.
    let why = match error {
        CommandError::Install(_) => error.with_causes(),
        _ => "the configuration cannot be read".to_owned(),
    };
    (skill.kind != SourceKind::Builtin).then(|| Alteration {
        reason: format!("its files cannot be compared with those that are locked: {why}"),
        remedy: "`skillyard doctor` says what to do".into(),
    })
}
