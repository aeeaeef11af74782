//! Installing for the server: the same steps as `skillyard install`, and nobody at a terminal.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use skillyard_format::package::Digest;
use skillyard_install::plan::SkillChange;
use skillyard_server::{Installation, Installing, Order, OrderScope, Refusal, RevokedSkill};

use crate::commands::install;
use crate::commands::install::InstallArgs;
use crate::config::install::ScopeName;
use crate::context::{Context, guessed};
use crate::error::CommandError;
use crate::install::change_audit::InstallConsent;
use crate::install::check::{Checked, described};
use crate::install::pick::Pick;
use crate::install::prepared::Prepared;
use crate::install::review::{pointers_of, prompt_tokens, scripts_of};
use crate::install::revoked::Revoked;
use crate::install::{changes, nested_skills};
use crate::scope::ScopeContext;

/// Plans what an order says, and makes it true where it names the plan.
pub(super) fn install(
    context: &Context,
    order: &Order,
    stop: &AtomicBool,
) -> Result<Installation, Refusal> {
    let scope = order.scope.map(|scope| match scope {
        OrderScope::User => ScopeName::User,
        OrderScope::Project => ScopeName::Project,
    });
    let args = InstallArgs::of(&order.reference, &order.skills, scope);
    let scope = args.scope().or_configured(context).map_err(refused)?;
    let place = ScopeContext::find(context, &scope).map_err(refused)?;
    let scanner = install::scanner(context, &args);
    let prepared =
        install::prepare(context, &args, &place, scanner, &Pick::Only).map_err(refused)?;
    let checked = prepared.check(context, &[]).map_err(refused)?;
    let revoked = prepared.revoked(context, &place, &checked, args.scope().typed());
    let revoked = revoked.map_err(refused)?;
    let installation = described_plan(&place, &prepared, &checked, revoked);
    match &order.plan {
        None => return Ok(installation),
        Some(plan) if *plan != installation.plan => {
            let text = "what would be installed is not what was planned; look at the plan again";
            return Err(Refusal::Refused(text.into()));
        }
        Some(_) => {}
    }
    if stop.load(Ordering::Relaxed) {
        return Err(Refusal::Stopped);
    }
    let made = prepared.carry_out(context, &place, &checked, InstallConsent::User);
    made.map_err(refused)?;
    Ok(Installation {
        applied: true,
        ..installation
    })
}

fn described_plan(
    place: &ScopeContext,
    prepared: &Prepared,
    checked: &[Checked<'_>],
    revoked: Vec<Revoked>,
) -> Installation {
    let changes = prepared.preview.changes.iter();
    let skills = changes.map(|change| one(change, prepared, checked));
    let skills: Vec<Installing> = skills.collect();
    let mut key = format!("{}\n", place.scope.root.display());
    for skill in &skills {
        let Installing { name, change, .. } = skill;
        let Installing {
            digest,
            source,
            tier,
            ..
        } = skill;
        let _ = writeln!(key, "{name} {change} {digest} {tier} {source}");
    }
    Installation {
        plan: Digest::of(key.as_bytes()).to_string(),
        applied: false,
        scope: place.scope.kind.as_str().to_owned(),
        skills,
        unchanged: prepared.preview.unchanged.clone(),
        revoked: revoked.into_iter().map(told).collect(),
        warnings: doubts(prepared),
    }
}

/// That git could not be asked what it ignores where skills come from, once for each repository.
fn doubts(prepared: &Prepared) -> Vec<String> {
    let trees = prepared.needed.iter().map(|each| &each.candidate.tree);
    let doubts = trees.filter_map(|tree| Some(guessed(tree.unasked()?)));
    let doubts: BTreeSet<String> = doubts.collect();
    doubts.into_iter().collect()
}

fn told(revoked: Revoked) -> RevokedSkill {
    RevokedSkill {
        name: revoked.name,
        reason: revoked.reason,
        remedy: revoked.hint,
    }
}

fn one(change: &SkillChange, prepared: &Prepared, checked: &[Checked<'_>]) -> Installing {
    let (what, to) = match change {
        SkillChange::Added { to } => ("added", to),
        SkillChange::Changed { to, .. } => ("changed", to),
        SkillChange::Restored { to } => ("restored", to),
        SkillChange::Repaired { to } => ("repaired", to),
        SkillChange::Removed { from } => ("removed", from),
    };
    let found = checked.iter().find(|each| each.candidate.name == to.name);
    let step_back = found.and_then(|each| each.verification.step_back());
    let given_up = prepared.deprecated.iter();
    let given_up = given_up.filter(|each| each.name == to.name);
    let mut skill = Installing {
        older: changes::back(change).or_else(|| step_back.map(ToString::to_string)),
        deprecated: given_up.map(|each| each.instead.clone()).next(),
        name: to.name.clone(),
        change: what.to_owned(),
        source: to.reference(),
        digest: to.digest.to_string(),
        ..Installing::default()
    };
    if let Some(each) = found {
        let candidate = each.candidate;
        skill.description.clone_from(&candidate.description);
        skill.compatibility.clone_from(&candidate.compatibility);
        each.verdict.tier.as_str().clone_into(&mut skill.tier);
        skill.signer = each.signer();
        skill.tokens = prompt_tokens(candidate);
        let scripts = scripts_of(candidate);
        skill.scripts = scripts.map(|file| file.path.clone()).collect();
        skill.left_out = candidate.tree.left_out().to_vec();
        let pointers = pointers_of(candidate);
        skill.lfs_pointers = pointers.map(str::to_owned).collect();
        skill.inner = nested_skills::lines(&[each]);
        skill.findings = each.findings().iter().map(described).collect();
    }
    skill
}

/// Whatever keeps an installation from being made is for the admin who asked.
#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn refused(error: CommandError) -> Refusal {
    let text = error.with_causes();
    if error.is_trouble() {
        Refusal::Failed(text)
    } else {
        Refusal::Refused(text)
    }
}
