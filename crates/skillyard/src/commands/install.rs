//! `skillyard install`.

mod preparing;

use std::cell::OnceCell;
use std::time::Instant;

use serde_json::{Value, json};
use skillyard_install::plan::{ConflictPolicy, OnConflict, Plan};

pub(crate) use self::preparing::{prepare, scanner};
use crate::config::Config;
use crate::config::install::ScopeName;
use crate::context::Context;
use crate::error::install::SelectedBy;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::change_audit::InstallConsent;
use crate::install::check::{self, Checked};
use crate::install::pick::Pick;
use crate::install::prepared::Prepared;
use crate::install::report::{Left, report_activation, report_with};
use crate::install::revoked::Revoked;
use crate::install::unused::Unused;
use crate::install::{accept, names, review, version_holdbacks};
use crate::scope::{ScopeArgs, ScopeContext};

/// Install skills from a folder, an archive, a repository or a registry
///
/// Skills are copied into the folders that agents read: `.agents/skills`, and `.claude/skills`
/// where Claude Code is in use. In a project they are written into skills.toml and pinned in
/// skills.lock.
///
/// Examples:
///   skillyard install ./my-skills/pdf-tools @acme/forms@beta
///   skillyard install acme/skills/pdf-tools@^1.2 --scope project
///   skillyard install github:acme/skills --skill pdf-tools --agent claude-code,codex
///   skillyard install https://example.com/pdf-tools.zip --dry-run
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "these are examples for a terminal")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are flags of the command line"
)]
pub(crate) struct InstallArgs {
    /// Where the skills are: a path, owner/repo/path@ref, a git or https address, or a name
    #[arg(required = true, value_name = "REF")]
    references: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// The agents to install for, or `all` that are in use here
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    agent: Vec<String>,
    /// The branch, tag, commit or version to take
    #[arg(long = "ref", value_name = "REVISION")]
    revision: Option<String>,
    /// Install it under another name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Only these skills of the source
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        conflicts_with = "all"
    )]
    skill: Vec<String>,
    /// All skills of the source
    #[arg(long)]
    all: bool,
    /// Of all skills, leave out these: names, or paths of their folders
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        requires = "all",
        conflicts_with = "skill"
    )]
    except: Vec<String>,
    /// A header for hosts that you name, such as `Authorization: Bearer …`
    #[arg(long, value_name = "HEADER")]
    header: Vec<String>,
    /// Fetch nothing: use what was seen of registries and what is in the store
    #[arg(long)]
    offline: bool,
    /// Put links to the store into the folders instead of copies
    #[arg(long)]
    link: bool,
    /// Replace what is in the way
    #[arg(long, conflicts_with = "skip_existing")]
    force: bool,
    /// Leave out skills that something is in the way of
    #[arg(long)]
    skip_existing: bool,
    /// Install in spite of findings with these codes, or of a `rollback`
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    accept: Vec<String>,
    /// Go on without asking; this never skips a refusal
    #[arg(short, long)]
    yes: bool,
    /// Show what would happen, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(context: &Context, args: &InstallArgs) -> Outcome {
    let start = Instant::now();
    let scanner = scanner(context, args);
    accept::check(&args.accept)?;
    context.keep_config()?;
    let place = ScopeContext::find(context, &args.scope.or_configured(context)?)?;
    let prepared = prepare(context, args, &place, scanner, &Pick::Ask)?;
    let grounds = prepared.grounds(&args.accept).of_all(args.all);
    let checked = check::verify(context, &prepared.scanner, prepared.fresh(), &grounds)?;
    let revoked = prepared.revoked(context, &place, &checked, args.scope.typed())?;
    Revoked::tell(context, &revoked);
    let judged = Judged {
        checked: &checked,
        revoked: &revoked,
    };
    if args.dry_run {
        check::scan(context, &checked, &args.accept, SelectedBy::ByCommand)?;
        review::show(context, &checked);
        let plan = &prepared.preview;
        told(context, &place, &prepared, plan, &judged, start, None)?;
        names::tell(context, plan);
        return Ok(ExitStatus::from_answer(revoked.is_empty()));
    }
    let is_asked = !args.yes && review::asks(&checked);
    // What was accepted in spite of the scanner is noted with the change, before it is made.
    if is_asked || !args.accept.is_empty() {
        check::scan(context, &checked, &args.accept, SelectedBy::ByCommand)?;
    }
    let unused = OnceCell::new();
    let afterwards = |plan: &Plan| {
        let found = rayon::in_place_scope(|scope| {
            scope.spawn(|_| prepared.scanner.remember(&checked));
            Unused::of(context, &place, &prepared, &checked, plan)
        });
        // It is done once.
        let _ = unused.set(found);
    };
    let make_true = |answer, last_check: &dyn Fn() -> Result<(), CommandError>| {
        prepared.make_true(context, &place, &checked, answer, last_check, &afterwards)
    };
    let plan = if is_asked {
        review::confirm(context, &checked, &prepared.preview, false)?;
        make_true(InstallConsent::User, &|| Ok(()))?
    } else {
        // Nobody has to be waited for, so the disk does not wait for the scanner either.
        make_true(InstallConsent::Flag, &|| {
            check::scan(context, &checked, &args.accept, SelectedBy::ByCommand)?;
            review::show(context, &checked);
            Ok(())
        })?
    };
    let unused = unused.into_inner().transpose()?.unwrap_or_default();
    let unused = Some(&unused[..]);
    told(context, &place, &prepared, &plan, &judged, start, unused)?;
    for each in unused.into_iter().flatten() {
        context.printer.note(&each.line());
    }
    names::tell(context, &plan);
    report_activation(context, &place, &plan)?;
    Ok(ExitStatus::from_answer(revoked.is_empty()))
}

/// What was looked at: what is new, and what is revoked of what was here.
struct Judged<'a> {
    checked: &'a [Checked<'a>],
    revoked: &'a [Revoked],
}

/// Tells what was done, or would be where nobody knows yet what will not be used, which programs are
/// told as `null`; they are told what people were shown before it, too.
fn told(
    context: &Context,
    place: &ScopeContext,
    prepared: &Prepared,
    plan: &Plan,
    judged: &Judged<'_>,
    start: Instant,
    unused: Option<&[Unused]>,
) -> Outcome {
    let (dry_run, left) = (unused.is_none(), Left::default());
    report_with(context, place, plan, Some(start), dry_run, left, |answer| {
        answer["checked"] = review::json(judged.checked);
        answer["revoked"] = json!(judged.revoked);
        answer["deprecated"] = json!(prepared.deprecated);
        answer["held_back"] = version_holdbacks::json(&prepared.needed);
        prepared.said.add(answer);
        let unused = unused.map(|unused| unused.iter().map(Unused::json).collect());
        answer["unused"] = unused.unwrap_or(Value::Null);
    })
}

impl InstallArgs {
    /// As if only this had been typed.
    pub(crate) fn of(reference: &str, skills: &[String], scope: Option<ScopeName>) -> Self {
        Self {
            references: vec![reference.to_owned()],
            scope: ScopeArgs { scope },
            agent: Vec::new(),
            revision: None,
            name: None,
            skill: skills.to_vec(),
            all: false,
            except: Vec::new(),
            header: Vec::new(),
            link: false,
            force: false,
            skip_existing: false,
            accept: Vec::new(),
            yes: false,
            dry_run: false,
            offline: false,
        }
    }

    fn settlement(&self) -> ConflictPolicy {
        ConflictPolicy::from(match (self.force, self.skip_existing) {
            (true, _) => OnConflict::Replace,
            (_, true) => OnConflict::Skip,
            _ => OnConflict::Report,
        })
    }

    /// Refuses flags that stand for keys which the organisation locked.
    fn keep_locked(&self, config: &Config) -> Result<(), CommandError> {
        if !self.agent.is_empty() {
            config.keep_locked("install.agents", "`--agent`", &self.agent.join("\n"))?;
        }
        if self.link {
            config.keep_locked("install.link", "`--link`", "true")?;
        }
        Ok(())
    }

    /// Whose skills they become.
    pub(crate) fn scope(&self) -> &ScopeArgs {
        &self.scope
    }
}
