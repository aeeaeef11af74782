//! The skills that an agent is given: by name, by pattern, or by where they come from.

use std::fmt::Write as _;
use std::time::Instant;

use skillyard_agent::TurnError;
use skillyard_agent::agent::{Definition, GivenError, Pin, StoredAgent};
use skillyard_agent::shelf::Shelf;
use skillyard_catalog::Status;
use skillyard_catalog::selection::NamePattern;

use crate::agent::settings::all_skills;
use crate::commands::install;
use crate::config::install::ScopeName;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::install::change_audit::InstallConsent;
use crate::install::pick::Pick;
use crate::install::report::report;
use crate::install::review;
use crate::library;
use crate::library::permission::Permissions;
use crate::library::{IndexMode, NameFilter, withheld};
use crate::redactor::without_userinfo;
use crate::scope::ScopeContext;
use crate::text::sanitize::visible;
use crate::text::shell::shell_words;

/// Gives an agent the skills that words name, as they are now. One that is named by where it comes
/// from, such as `alias:name` or `owner/repo/path`, is installed for the user first, with the usual
/// questions; `yes` answers them. What the words name is returned.
pub(super) fn give(
    context: &Context,
    definition: &mut Definition,
    words: &[String],
    yes: bool,
) -> Result<Vec<String>, CommandError> {
    let shelf = all_skills(context)?;
    let mut names = Vec::new();
    let mut fetched = Vec::new();
    for word in words.iter().map(|word| word.trim()) {
        if shelf.find(word).is_ok() || !is_reference(word) {
            names.push(word.to_owned());
        } else {
            for name in installed(context, word, yes).map_err(|failure| about(word, failure))? {
                fetched.push((name.clone(), word.to_owned()));
                names.push(name);
            }
        }
    }
    let shelf = if fetched.is_empty() {
        shelf
    } else {
        all_skills(context)?
    };
    definition
        .give(&shelf, &names)
        .map_err(|error| match error {
            GivenError::Skill(error) => CommandError::from(TurnError::from(error)),
            GivenError::Pattern(error) => AgentFailure::Given(error).into(),
        })?;
    tell_kept_out(context, definition)?;
    refer(context, definition, &shelf, &fetched)?;
    Ok(names)
}

/// Tells of the skills that patterns mean and that may not be used for what they are; who switched
/// others off knows of them.
fn tell_kept_out(context: &Context, definition: &Definition) -> Result<(), CommandError> {
    let patterns = definition
        .patterns
        .iter()
        .map(|text| NamePattern::new(text));
    let patterns: Vec<NamePattern> = patterns.filter_map(Result::ok).collect();
    if patterns.is_empty() {
        return Ok(());
    }
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    let permissions = Permissions::to_look(context)?;
    for skill in &catalog.skills {
        let name = &skill.record.name;
        let is_kept_out = matches!(
            skill.status,
            Status::Revoked { .. } | Status::Altered | Status::HeldBack { .. }
        );
        if !is_kept_out || !patterns.iter().any(|pattern| pattern.matches(name)) {
            continue;
        }
        let status = skill.status.as_str();
        let mut line = format!(" ! {name}: the agent cannot use it while it is {status}");
        if let Some(why) = withheld::of(skill, &permissions) {
            let _ = write!(line, ": {}", why.reason);
            if let Some(remedy) = why.remedy {
                let _ = write!(line, " ({remedy})");
            }
        }
        context.printer.people(&visible(&line));
    }
    Ok(())
}

/// Tells of the skills that an agent was given and never has all the same, because it is denied them.
pub(super) fn tell_denied(context: &Context, agent: &StoredAgent, is_given: impl Fn(&Pin) -> bool) {
    let definition = &agent.definition;
    for pin in definition.skills.iter().filter(|pin| is_given(pin)) {
        let Some(denial) = definition.denial(&pin.name) else {
            continue;
        };
        let others = definition.denied.iter().map(String::as_str);
        let others: Vec<&str> = others.filter(|each| *each != denial).collect();
        let command = ["skillyard", "agent", "edit", &agent.name, "--deny"];
        let command = shell_words(command.into_iter().chain([&*others.join(",")]));
        let line = format!(
            " ! {}: the agent never has it, because it is denied `{denial}` (Take that back with `{command}`)",
            pin.name
        );
        context.printer.people(&visible(&line));
    }
}

/// Keeps with each skill where it came from: as the user said it, or as the lock does.
fn refer(
    context: &Context,
    definition: &mut Definition,
    shelf: &Shelf,
    fetched: &[(String, String)],
) -> Result<(), CommandError> {
    let permissions = Permissions::to_look(context)?;
    for pin in &mut definition.skills {
        // A path that is relative to this folder says nothing elsewhere; the lock has all of it.
        let said = fetched
            .iter()
            .find(|(name, word)| *name == pin.name && !word.starts_with(['.', '~']));
        let said = said.map(|(_, word)| word.clone()).or_else(|| {
            let folder = &shelf.find(&pin.name).ok()?.skill.record.folder;
            permissions.reference(folder)
        });
        if let Some(said) = said.filter(|_| pin.reference.is_none()) {
            pin.reference = Some(without_userinfo(&said).into_owned());
        }
    }
    Ok(())
}

/// Whether a word cannot be a name, so that it must be a place.
fn is_reference(word: &str) -> bool {
    word.contains(['/', ':', '@']) || word.starts_with(['.', '~'])
}

/// The failure of an installation that somebody asked for in fewer words than `install` knows.
fn about(word: &str, failure: CommandError) -> CommandError {
    match failure {
        CommandError::Install(_) => AgentFailure::NotFetched {
            reference: word.to_owned(),
            failure: Box::new(failure),
        }
        .into(),
        other => other,
    }
}

/// Installs what a reference names, unless it is there, and says what it is called.
fn installed(context: &Context, word: &str, yes: bool) -> Result<Vec<String>, CommandError> {
    let start = Instant::now();
    let args = install::InstallArgs::of(word, &[], Some(ScopeName::User));
    let place = ScopeContext::find(context, args.scope())?;
    let scanner = install::scanner(context, &args);
    let prepared = install::prepare(context, &args, &place, scanner, &Pick::Ask)?;
    if !prepared.preview.is_empty() {
        let checked = prepared.check(context, &[])?;
        review::confirm(context, &checked, &prepared.preview, yes)?;
        let plan = prepared.carry_out(context, &place, &checked, InstallConsent::given(yes))?;
        // With JSON the answer is the agent.
        if !context.printer.is_json() {
            report(context, &place, &plan, Some(start), false)?;
        }
    }
    Ok(prepared.asked())
}
