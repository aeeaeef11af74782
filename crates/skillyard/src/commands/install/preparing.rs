//! From what was typed to a plan: skills are found, what they need, and what is in the way.

use std::path::PathBuf;

use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::{Asker, RequestedSkill};

use crate::commands::install::InstallArgs;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::deprecated::Deprecated;
use crate::install::desired_state::wish;
use crate::install::pick::Pick;
use crate::install::prepared::Prepared;
use crate::install::registry_notices::RegistryNotices;
use crate::install::renaming::named;
use crate::install::scanner::Scanner;
use crate::install::several::{chosen, same_names, tell_of_alike, tell_of_needed};
use crate::install::skipped_skills::SkippedSkills;
use crate::install::source_change::{let_move, let_stay};
use crate::install::source_resolver::SourceResolver;
use crate::install::version_constraints::known;
use crate::install::wanted::{Difference, orphans};
use crate::install::{apply, check, conflict, skipped_skills, version_holdbacks};
use crate::scope::{ScopeContext, after, store};

/// The scanner for what is asked for. It gets ready in the background, so the sooner the better.
pub(crate) fn scanner(context: &Context, args: &InstallArgs) -> Scanner {
    let scanner = Scanner::new(&store(context));
    let folder = args.references.first().map(PathBuf::from);
    scanner.warm_up(folder.filter(|folder| folder.is_dir()));
    scanner
}

/// Fetches what is asked for and plans; nothing is changed. Where the flags name no skills,
/// `otherwise` says which of several are meant.
pub(crate) fn prepare(
    context: &Context,
    args: &InstallArgs,
    place: &ScopeContext,
    scanner: Scanner,
    otherwise: &Pick,
) -> Result<Prepared, CommandError> {
    let supply = SourceResolver::new(context, place).with_headers(&args.header);
    let mut supply = supply.offline(args.offline);
    let roots = gather(&mut supply, args, otherwise)?;
    scanner.foresee(&roots);
    let roots = roots.into_iter().map(|candidate| RequestedSkill {
        candidate,
        asker: Some(Asker::User),
    });
    let roots: Vec<RequestedSkill> = roots.collect();
    let mut named: Vec<String> = match &roots[..] {
        // Who wants all that a source has names none of them.
        [_, _, ..] if args.all => Vec::new(),
        named => named
            .iter()
            .map(|each| each.candidate.name.clone())
            .collect(),
    };
    let lock = place.lock()?;
    let manifest = place.manifest()?;
    // What nobody needed before is not taken away by the way.
    let left_over = orphans(&lock, manifest.as_ref());
    let known = known(&lock, place, &supply)?;
    let config = context.config()?;
    args.keep_locked(&config)?;
    let targets = place.targets(&args.agent, &config.install_agents())?;
    let linked = args.link || config.installs_links();
    let mut settlement = args.settlement();
    // Whoever is asked which skills are meant is asked about what is in the way, too.
    let asks = *otherwise == Pick::Ask && context.printer.can_ask() && !args.yes && !args.dry_run;
    let mut held = SkippedSkills::default();
    let mut renamed: Vec<(String, String)> = Vec::new();
    let (needed, wish, preview) = loop {
        let mut needed = skipped_skills::resolve(&roots, &lock, &known, &mut supply, &mut held)?;
        let_move(&mut settlement, &lock, &Difference::default(), &needed);
        let_stay(&mut settlement, &lock, &supply, &needed);
        for (from, to) in &renamed {
            conflict::rename(&mut needed, from, to)?;
        }
        let (wish, plan) = loop {
            let mut wish = wish(&needed, &lock, &targets, linked)?;
            check::sign_unchanged(context, &mut wish, &lock, &needed)?;
            wish.absent = held.orphans(&after(&lock, &wish.present, &[]), manifest.as_ref());
            wish.absent.retain(|name| !left_over.contains(name));
            wish.left_out = held.conflicts();
            let plan = apply::look(place, &wish, &settlement)?;
            if plan.conflicts.is_empty() || !asks {
                let plan = apply::refuse_conflicts(plan, &wish)?;
                break (wish, plan);
            }
            renamed.extend(conflict::ask(
                &context.printer,
                &plan.conflicts,
                &mut needed,
                &mut settlement,
            )?);
        };
        if !held.note(&plan, &wish, &lock) {
            break (needed, wish, plan);
        }
    };
    for name in &mut named {
        if let Some((_, to)) = renamed.iter().find(|(from, _)| from == name) {
            name.clone_from(to);
        }
    }
    version_holdbacks::tell(context, &needed);
    tell_of_needed(context, &args.except, &needed);
    tell_of_alike(context, &lock, &needed);
    let said = RegistryNotices::of(context, &mut supply, &wish.present);
    Ok(Prepared {
        deprecated: Deprecated::among(&mut supply, wish.present.iter()),
        needed,
        said,
        named,
        wish,
        settlement,
        preview,
        scanner,
        lock,
        store: store(context),
    })
}

/// The skills that were asked for.
fn gather(
    supply: &mut SourceResolver<'_>,
    args: &InstallArgs,
    otherwise: &Pick,
) -> Result<Vec<Candidate>, CommandError> {
    let pick = match (&args.skill[..], args.all) {
        ([], false) => otherwise.clone(),
        ([], true) if args.except.is_empty() => Pick::All,
        ([], true) => Pick::AllBut(args.except.clone()),
        (names, _) => Pick::Named(names.to_vec()),
    };
    let mut sources = Vec::with_capacity(args.references.len());
    for text in &args.references {
        let mut reference = supply.typed(text)?;
        if let Some(revision) = &args.revision {
            if !reference.has_revisions() {
                return Err(InstallFailure::NoRevisions(text.clone()).into());
            }
            reference = supply.at_state(reference, Some(revision))?;
        }
        supply.may_log_in(&reference)?;
        sources.push(reference);
    }
    let roots = chosen(supply, &sources, &pick)?;
    if args.all {
        same_names(&roots)?;
    }
    match &args.name {
        None => Ok(roots),
        Some(name) => match &roots[..] {
            [one] => Ok(vec![named(one.clone(), name)?]),
            more => Err(InstallFailure::OneName(more.len()).into()),
        },
    }
}
