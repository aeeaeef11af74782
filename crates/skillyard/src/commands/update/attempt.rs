//! One attempt to update skills, and another without those that may not come here, or that something
//! is in the way of.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::{Value, json};
use skillyard_install::dependencies::{self, KnownRequests, Needed, RequestedSkill, Resolved};
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::plan::{Plan, SkillChange};

use crate::commands::update::{UpdateArgs, goal};
use crate::context::Context;
use crate::error::install::Operation;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::check::{Checked, DowngradePolicy};
use crate::install::deprecated::Deprecated;
use crate::install::desired_state::signed;
use crate::install::newest::Failed;
use crate::install::report::{Left, report_with, tell_staying};
use crate::install::revoked::Revoked;
use crate::install::scanner::Scanner;
use crate::install::skipped_skills::SkippedSkills;
use crate::install::source_change::let_move;
use crate::install::source_resolver::SourceResolver;
use crate::install::version_constraints::unresolved;
use crate::install::wanted::Difference;
use crate::install::withdrawn::Withdrawn;
use crate::install::{apply, check, difference, review, version_holdbacks};
use crate::library::revoked_remedy::RevokedRemedies;
use crate::scope::{ScopeContext, after, needing};
use crate::text::sanitize::visible;

/// An update of certain skills.
pub(super) struct Update<'a> {
    pub(super) context: &'a Context,
    pub(super) args: &'a UpdateArgs,
    /// The skills that are to be updated; others come along with them.
    pub(super) names: &'a [String],
    pub(super) start: Instant,
    pub(super) scanner: Scanner,
    pub(super) place: &'a ScopeContext,
    pub(super) lock: &'a Lockfile,
    pub(super) difference: &'a Difference,
    pub(super) known: &'a KnownRequests<'a>,
    /// Whether only one skill is to be updated, so that what is wrong with it is what is wrong.
    pub(super) is_one: bool,
    /// The skills that are not wanted any more.
    pub(super) gone: &'a [String],
}

impl Update<'_> {
    /// Updates `roots`, apart from those that cannot be had or may not come here.
    pub(super) fn attempt(
        &self,
        supply: &mut SourceResolver<'_>,
        roots: Vec<RequestedSkill>,
        earlier: Vec<Failed>,
        mut held: SkippedSkills,
    ) -> Outcome {
        let Self {
            context,
            args,
            place,
            lock,
            difference,
            ..
        } = *self;
        let known = held.beside(self.known);
        let resolved = dependencies::resolve_each(held.rest(&roots), &known, supply);
        let Resolved {
            needed,
            failed: unmet,
        } = resolved.map_err(unresolved)?;
        let mut failed = earlier.clone();
        let unmet = unmet.into_iter();
        for each in unmet.filter_map(|each| held.leave(lock, each)) {
            let error = unresolved(each.error);
            if self.is_one {
                return Err(error);
            }
            failed.extend(
                each.roots
                    .iter()
                    .map(|name| Failed::new(context, name, &error)),
            );
        }
        let mut goal = goal(context, place, lock, difference, &needed)?;
        let manifest = place.manifest()?;
        goal.absent = held.orphans(&after(lock, &goal.present, &[]), manifest.as_ref());
        let is_needed = |name: &&String| !goal.absent.contains(name);
        let staying: Vec<&String> = self.gone.iter().filter(is_needed).collect();
        let is_settled = |name: &&&String| goal.present.iter().any(|each| each.name == ***name);
        let unchanged = staying.iter().filter(|name| !is_settled(name));
        let unchanged: Vec<Locked> = unchanged
            .filter_map(|name| lock.get(name))
            .cloned()
            .collect();
        goal.present.extend(unchanged);
        goal.left_out = held.conflicts();
        let mut settlement = apply::settlement(args.force);
        let_move(&mut settlement, lock, difference, &needed);
        let preview = apply::preview_around(context, place, &goal, &mut settlement, &mut held);
        let preview = match preview {
            Ok(Some(preview)) => preview,
            Ok(None) => return self.attempt(supply, roots, earlier, held),
            Err(error) => {
                self.tell(supply, &needed, failed, self.revoked(None)?);
                return Err(error);
            }
        };
        let revoked = self.revoked(Some(&preview))?;
        let fresh = check::fresh(&needed, &preview, &place.store);
        let grounds = DowngradePolicy::of(
            lock,
            &needed,
            &preview,
            &place.store,
            &args.accept,
            self.names,
        );
        let checked = Revoked::refuse_written(context, &revoked, &preview, "update")
            .and_then(|()| check::check(context, &self.scanner, fresh, &grounds));
        let checked = match checked {
            Ok(checked) => checked,
            // What may not come here must not keep the others from being updated either.
            Err(error) => {
                let error = beside(error, lock);
                // Who is to judge a refusal sees what it is about.
                let refused = refused(&error);
                let is_refused = |name: &str| refused == Some(name);
                show(context, place, &preview, &needed, is_refused);
                let (refused, rest) = parted(refused, &needed, roots);
                if self.is_one || refused.is_empty() {
                    return Err(error);
                }
                let refused = refused
                    .iter()
                    .map(|name| Failed::new(context, name, &error));
                let failed = earlier.into_iter().chain(refused).collect();
                return self.attempt(supply, rest, failed, held);
            }
        };
        tell_staying(context, staying.into_iter().map(String::as_str));
        let besides = self.tell(supply, &needed, failed, self.settled(revoked, &preview));
        show(context, place, &preview, &needed, |_| true);
        let told = |plan, dry_run| {
            told(
                context, place, plan, &besides, &checked, self.start, dry_run,
            )
        };
        if args.dry_run {
            review::show(context, &checked);
            return held.after(context, told(&preview, true)?);
        }
        review::confirm(context, &checked, &preview, args.yes)?;
        let goal = signed(goal, &checked);
        let trees = apply::trees(&needed);
        let plan = apply::apply_as_wanted(context, place, &goal, &trees, &settlement, || Ok(()))?;
        check::remember(context, &self.scanner, &checked)?;
        check::remember_late(context, &plan, &needed)?;
        held.after(context, told(&plan, false)?)
    }

    /// Tells what stays as it is, and what was taken back.
    fn tell(
        &self,
        supply: &mut SourceResolver<'_>,
        needed: &[Needed],
        mut failed: Vec<Failed>,
        revoked: Vec<Revoked>,
    ) -> Besides {
        let context = self.context;
        version_holdbacks::tell(context, needed);
        failed.sort_by(|first, second| first.name.cmp(&second.name));
        for each in &failed {
            each.tell(context);
        }
        let withdrawn = Withdrawn::among(supply, self.asked());
        for each in &withdrawn {
            each.tell(context);
        }
        // Of what was to be written again it was told why it was not.
        let is_left = |each: &&Revoked| failed.iter().all(|failed| failed.name != each.name);
        Revoked::tell(context, revoked.iter().filter(is_left));
        let deprecated = if context.printer.is_json() {
            Deprecated::among(supply, self.asked())
        } else {
            Vec::new()
        };
        Besides {
            failed,
            deprecated,
            withdrawn,
            revoked,
            held_back: version_holdbacks::json(needed),
        }
    }

    /// The installed skills that were asked for.
    fn asked(&self) -> impl Iterator<Item = &Locked> {
        let entries = self.lock.skills().iter();
        entries.filter(|entry| self.is_asked(entry))
    }

    fn is_asked(&self, entry: &Locked) -> bool {
        let names = &self.args.names;
        names.is_empty() || names.contains(&entry.name)
    }

    /// Those of them that are revoked and that a plan leaves as they are, and all that it would write
    /// again, because something that was asked for needs it.
    fn revoked(&self, plan: Option<&Plan>) -> Result<Vec<Revoked>, CommandError> {
        let changes = || plan.into_iter().flat_map(|plan| &plan.changes);
        let goes = |entry: &Locked| {
            changes().any(|change| match change {
                SkillChange::Changed { from, to } => {
                    from.name == entry.name && from.digest != to.digest
                }
                SkillChange::Removed { from } => from.name == entry.name,
                _ => false,
            })
        };
        let written: BTreeSet<&str> = plan.into_iter().flat_map(Plan::written).collect();
        let scope = self.args.scope.typed();
        let entries = self.lock.skills().iter();
        let meant = entries.filter(|entry| self.is_asked(entry) || written.contains(&*entry.name));
        let staying = meant.filter(|entry| !goes(entry));
        let revoked = Revoked::among(self.context, self.place, scope, staying)?;
        let is_newest = |name: &String| plan.is_some_and(|plan| plan.unchanged.contains(name));
        let way_out = self.way_out(self.lock);
        let told = revoked.into_iter().map(|each| {
            if is_newest(&each.name) {
                each.without_newer(&way_out)
            } else {
                each
            }
        });
        Ok(told.collect())
    }

    /// What is revoked once a plan is carried out.
    fn settled(&self, revoked: Vec<Revoked>, plan: &Plan) -> Vec<Revoked> {
        let way_out = self.way_out(&plan.lock);
        let revoked = revoked.into_iter().map(|each| each.after(&way_out));
        revoked.collect()
    }

    /// What can be done about what is revoked while this is locked.
    fn way_out(&self, lock: &Lockfile) -> RevokedRemedies<'_> {
        let scope = self.args.scope.typed();
        RevokedRemedies::new(self.place, scope, lock.clone(), std::iter::empty())
    }
}

/// Why something may not come here, beside what is installed.
fn beside(error: CommandError, lock: &Lockfile) -> CommandError {
    match error {
        CommandError::Install(failure) => failure.beside(lock).into(),
        error => error,
    }
}

/// The skill that an error keeps out.
fn refused(error: &CommandError) -> Option<&str> {
    match error {
        CommandError::Install(failure) => failure.refused(),
        _ => None,
    }
}

/// The names of the roots that are or need what was refused, and the other roots.
fn parted<'a>(
    refused: Option<&'a str>,
    needed: &'a [Needed],
    roots: Vec<RequestedSkill>,
) -> (Vec<String>, Vec<RequestedSkill>) {
    let reached = needing(needed, refused);
    let is_refused = |root: &RequestedSkill| reached.contains(root.candidate.name.as_str());
    let (refused, rest): (Vec<RequestedSkill>, Vec<RequestedSkill>) =
        roots.into_iter().partition(is_refused);
    let refused = refused.into_iter().map(|root| root.candidate.name);
    (refused.collect(), rest)
}

/// What people are told before the changes.
struct Besides {
    failed: Vec<Failed>,
    withdrawn: Vec<Withdrawn>,
    revoked: Vec<Revoked>,
    /// For programs; people were told when the registry was asked.
    deprecated: Vec<Deprecated>,
    held_back: Value,
}

/// Tells what was or would be done; programs are told what people were told before it, too.
fn told(
    context: &Context,
    place: &ScopeContext,
    plan: &Plan,
    besides: &Besides,
    checked: &[Checked<'_>],
    start: Instant,
    dry_run: bool,
) -> Outcome {
    let failed = &besides.failed;
    let left = Left {
        count: failed.len(),
        deed: Operation::Updated,
    };
    report_with(context, place, plan, Some(start), dry_run, left, |answer| {
        answer["failed"] = json!(failed);
        answer["withdrawn"] = json!(besides.withdrawn);
        answer["revoked"] = json!(besides.revoked);
        answer["deprecated"] = json!(besides.deprecated);
        answer["held_back"] = besides.held_back.clone();
        answer["checked"] = review::json(checked);
    })?;
    Ok(ExitStatus::from_answer(
        failed.is_empty() && besides.revoked.is_empty(),
    ))
}

/// Shows what changes in each skill that is meant.
fn show(
    context: &Context,
    place: &ScopeContext,
    plan: &Plan,
    needed: &[Needed],
    is_meant: impl Fn(&str) -> bool,
) {
    let width = context.printer.width_of_notes();
    for change in &plan.changes {
        let SkillChange::Changed { from, to } = change else {
            continue;
        };
        if !is_meant(&to.name) {
            continue;
        }
        let after = needed.iter().find(|each| each.candidate.name == to.name);
        let before = place.store.read(from.digest);
        if before.is_err() && from.digest != to.digest {
            let warning = format!(
                "what changes in `{}` cannot be shown: the bytes that are locked are not on this machine; get them with `skillyard sync` before the update",
                to.name
            );
            context.printer.warn(&context.scoped(&warning));
        }
        if let (Ok(before), Some(after)) = (before, after) {
            let text = difference::between(&before, &after.candidate.tree, width);
            if !text.is_empty() {
                let name = visible(&to.name);
                let text = text.trim_end_matches('\n');
                context.printer.note_exactly(&format!(" ~ {name}\n{text}"));
            }
        }
    }
}
