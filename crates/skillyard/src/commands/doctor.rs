//! `skillyard doctor`.

pub(crate) mod agents;
pub(crate) mod home;
pub(crate) mod install;
pub(crate) mod nested_skills;
pub(crate) mod records;
pub(crate) mod revoked;
pub(crate) mod sandbox;
pub(crate) mod skills;

use std::fmt::Write as _;

use serde_json::json;
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::agents::Agent;
use skillyard_format::SkillName;
use skillyard_install::fetch::http::{HttpError, NamedProxy};
use skillyard_install::lockfile::Locked;
use skillyard_install::plan::InstalledState;

use crate::context::Context;
use crate::error::{ExitStatus, Outcome};
use crate::install::source_resolver::SourceResolver;
use crate::scope::ScopeContext;
use crate::text::sanitize::visible;
use crate::text::shell::shell_word;
use crate::text::{counted, listed};

/// Check what this machine has and what it lacks
///
/// Examples:
///   skillyard doctor                        every check, with what can be done
///   skillyard doctor --agent codex,gemini-cli   which skills these agents see
///   skillyard doctor --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct DoctorArgs {
    /// Say what these agents see, whether they are in use here or not
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    agent: Vec<String>,
}

/// One thing that was looked at.
pub(super) struct Check {
    /// What it is about.
    pub(super) area: &'static str,
    /// A name that does not change.
    pub(super) name: &'static str,
    pub(super) verdict: Verdict,
    /// What was found.
    pub(super) message: String,
    /// What can be done, if something can.
    pub(super) hint: Option<String>,
}

impl Check {
    /// Something that is as it should be.
    pub(super) fn good(area: &'static str, name: &'static str, message: String) -> Self {
        Self {
            area,
            name,
            verdict: Verdict::Good,
            message,
            hint: None,
        }
    }
}

/// What a check says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is there.
    Good,
    /// It is not there, and something else takes its place.
    Missing,
    /// It is there, and not all of it is of use.
    Warning,
    /// It is not there, and is needed.
    Bad,
}

impl Verdict {
    fn mark(self) -> char {
        match self {
            Self::Good => '✓',
            Self::Missing => '-',
            Self::Warning => '⚠',
            Self::Bad => '✗',
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Missing => "missing",
            Self::Warning => "warning",
            Self::Bad => "bad",
        }
    }
}

pub(crate) fn run(context: &Context, args: &DoctorArgs) -> Outcome {
    // Every area adds its own.
    let areas = [
        home::checks(context),
        check_proxies(context),
        install::checks(context),
        agents::checks(context, &args.agent)?,
        skills::checks(context),
        sandbox::checks(context),
    ];
    let checks: Vec<Check> = areas.into_iter().flatten().collect();
    let count = |verdict: Verdict| {
        let of_it = checks.iter().filter(|check| check.verdict == verdict);
        of_it.count()
    };
    let (bad, warnings) = (count(Verdict::Bad), count(Verdict::Warning));
    let status = if bad == 0 {
        ExitStatus::Success
    } else {
        ExitStatus::Negative
    };
    if context.printer.is_json() {
        let checks: Vec<_> = checks
            .iter()
            .map(|check| {
                json!({
                    "area": check.area, "name": check.name, "verdict": check.verdict.as_str(),
                    "message": check.message, "hint": check.hint,
                })
            })
            .collect();
        context
            .printer
            .json(&json!({ "healthy": bad == 0, "checks": checks }))?;
        return Ok(status);
    }
    let mut area = "";
    let mut text = String::new();
    for check in &checks {
        if check.area != area {
            area = check.area;
            let _ = writeln!(text, "{}", context.printer.heading(area));
        }
        let _ = writeln!(
            text,
            "  {} {}",
            check.verdict.mark(),
            visible(&check.message)
        );
        if let Some(hint) = &check.hint {
            let _ = writeln!(text, "    hint: {}", visible(hint));
        }
    }
    context.printer.data(&text)?;
    match bad {
        0 if warnings > 0 => {
            let warnings = counted(warnings, "warning");
            context
                .printer
                .note(&format!("Nothing is broken; {warnings}"));
        }
        0 => context.printer.note("Everything is in order"),
        1 => context.printer.note("1 thing is not in order"),
        count => context
            .printer
            .note(&format!("{count} things are not in order")),
    }
    Ok(status)
}

/// The skills that an agent reads and has no command for, because a command ends at a space.
fn check_names(agent: &Agent, skills: &[&CatalogSkill]) -> Option<Check> {
    let folder = |skill: &&CatalogSkill| {
        let name = skill.record.folder.file_name()?.to_str()?.to_owned();
        name.contains(char::is_whitespace).then_some(name)
    };
    let skills = skills.iter().filter(|_| agent.names_folder);
    let folders: Vec<String> = skills.filter_map(folder).collect();
    let first = folders.first()?;
    let names: Vec<&str> = folders.iter().map(String::as_str).collect();
    let message = format!(
        "{} has no command for {}: there is a space in the name of the folder",
        agent.name,
        listed(&names)
    );
    let name = SkillName::from_text(first);
    let name = name.as_ref().map_or("NAME", SkillName::as_str);
    let hint = format!(
        "Install it under another name, as with `skillyard install REF --name {name}`; rename one of your own"
    );
    Some(agents::check(Verdict::Warning, message, Some(&hint)))
}

const AREA: &str = "network";

/// A check for each kind of address that a proxy is for; none without proxies.
fn check_proxies(context: &Context) -> Vec<Check> {
    let proxies = &context.environment.proxies;
    let direct = proxies.direct.as_deref().map(str::trim);
    let kinds = [("https", &proxies.https), ("http", &proxies.http)];
    let named = kinds.into_iter().filter_map(|(scheme, proxy)| {
        let proxy = proxy.as_ref()?;
        Some(check_proxy(scheme, proxy, direct))
    });
    named.collect()
}

fn check_proxy(scheme: &str, proxy: &NamedProxy, direct: Option<&str>) -> Check {
    let Some(address) = proxy.shown() else {
        return Check {
            verdict: Verdict::Bad,
            hint: Some(format!("Mend `{}`, or unset it", proxy.variable)),
            ..Check::good(AREA, "proxy", HttpError::Proxy(proxy.variable).to_string())
        };
    };
    let besides = direct.map_or_else(String::new, |hosts| format!(" and `NO_PROXY` ({hosts})"));
    Check::good(
        AREA,
        "proxy",
        format!(
            "`{scheme}://` goes through {address} (`{}`), but for this machine{besides}",
            proxy.variable
        ),
    )
}

/// What to do about a locked skill that `sync` cannot bring here, if it is known that it cannot.
pub(crate) fn remedy(
    place: &ScopeContext,
    before: &InstalledState,
    supply: &mut SourceResolver<'_>,
    name: &str,
) -> Option<String> {
    let entry = before.lock.get(name)?;
    // What the store has is put there whatever its source says.
    if place.store.read(entry.digest).is_ok() {
        return None;
    }
    let placed = before.placed.get(name);
    let is_known = placed.is_some_and(|placed| is_same_state(placed, entry));
    if !is_known && !is_other_there(supply, entry) {
        return None;
    }
    Some(format!(
        "Its source has other files than are locked, which `sync` refuses: look who changed the lock, then take what is there with `skillyard update {} --scope {}`",
        shell_word(name),
        place.scope.kind.as_str()
    ))
}

/// Whether a lock has other bytes of the very state that was installed: of a commit, or of a version.
fn is_same_state(placed: &Locked, entry: &Locked) -> bool {
    let has_state = entry.commit.is_some() || entry.version.is_some();
    let is_same = placed.source == entry.source
        && placed.commit == entry.commit
        && placed.version == entry.version;
    has_state && is_same && placed.digest != entry.digest
}

/// Whether a source on this machine has something else, and more than the ends of lines.
fn is_other_there(supply: &mut SourceResolver<'_>, entry: &Locked) -> bool {
    supply.locked(entry).is_ok_and(|found| {
        let plain = found.tree.with_plain_line_ends();
        ![found.tree.digest(), plain.digest()].contains(&entry.digest)
    })
}
