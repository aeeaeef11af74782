//! `skillyard doctor`: which skills the agents on this machine see, and which not.

use std::collections::BTreeMap;
use std::path::Path;

use skillyard_catalog::agents::{AGENTS, Agent, Duplicates, Home};
use skillyard_catalog::compatibility::{Quirk, quirks};
use skillyard_catalog::source::{SkillSource, SourceKind};
use skillyard_catalog::{Catalog, CatalogSkill};
use skillyard_install::scope::Scope;
use skillyard_install::target::TargetError;

use crate::commands::doctor;
use crate::commands::doctor::{Check, Verdict, nested_skills};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::install::agents_line;
use crate::library;
use crate::library::installed::Installed;
use crate::library::{IndexMode, NameFilter};
use crate::redactor::without_userinfo;
use crate::scope;
use crate::scope::ScopeContext;
use crate::text::shell::shell_word;
use crate::text::{counted, listed};

const AREA: &str = "agents";

/// What each agent makes of the skills in the folders that agents read.
pub(super) fn checks(context: &Context, named: &[String]) -> Result<Vec<Check>, CommandError> {
    let agents = agents(context, named)?;
    if agents.is_empty() {
        return Ok(vec![check(
            Verdict::Missing,
            "no agent that reads skills is in use here".into(),
            Some("Name one to check for it: `skillyard doctor --agent claude-code`"),
        )]);
    }
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    // Whether the locks can be read is told elsewhere.
    let installed = Installed::readable(context).unwrap_or_default();
    let root = scope::project(context);
    let scope = root.map(|root| Scope::project(&root, &context.environment.skillyard_home));
    let project = scope.map(|scope| ScopeContext::with(context, scope));
    let sight = Sight {
        catalog: &catalog,
        installed: &installed,
        project: project.as_ref(),
        current: &context.environment.current_dir,
        home: context.environment.agents_home(),
    };
    let of_agents = agents.into_iter().flat_map(|agent| sight.of(agent));
    Ok(of_agents.chain(linked(&catalog)).collect())
}

/// The skills that are passed over here because their file is a link, which most agents follow.
fn linked(catalog: &Catalog) -> Option<Check> {
    let linked = catalog.skipped.iter().filter(|each| each.is_linked_file());
    let files: Vec<String> = linked
        .map(|each| each.path.to_string_lossy().into_owned())
        .collect();
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let message = format!(
        "agents may read {}, a symbolic link, and Skillyard does not: nobody would see what it leads to change",
        listed(&names)
    );
    let hint = "Link the skill's whole folder, or put the file there";
    (!names.is_empty()).then(|| check(Verdict::Warning, message, Some(hint)))
}

/// The agents that were named, else those in use.
fn agents(context: &Context, named: &[String]) -> Result<Vec<&'static Agent>, CommandError> {
    let environment = &context.environment;
    if named.is_empty() {
        // Where `install` looks for them, too.
        let root = scope::project(context).unwrap_or_else(|| environment.current_dir.clone());
        let used = |agent: &&Agent| agent.is_present(environment.agents_home(), &root);
        return Ok(AGENTS.iter().filter(used).collect());
    }
    let agent = |name: &String| Ok(TargetError::known(name).map_err(InstallFailure::from)?);
    named.iter().map(agent).collect()
}

struct Sight<'a> {
    catalog: &'a Catalog,
    /// What was installed, and is mended where it came from.
    installed: &'a Installed,
    /// The project at hand.
    project: Option<&'a ScopeContext>,
    /// Where agents are started.
    current: &'a Path,
    home: Home<'a>,
}

impl Sight<'_> {
    fn of(&self, agent: &Agent) -> Vec<Check> {
        let skills: Vec<&CatalogSkill> = self
            .catalog
            .skills
            .iter()
            .filter(|skill| matches!(skill.kind, SourceKind::Project | SourceKind::User))
            .collect();
        let (mut elsewhere, mut yours) = (Vec::new(), Vec::new());
        let (mut locked, mut above) = (Vec::new(), Vec::new());
        let mut missed = BTreeMap::<(Quirk, bool), Vec<&CatalogSkill>>::new();
        let mut ignored = BTreeMap::<(Quirk, bool), Vec<&CatalogSkill>>::new();
        let (mut seen, mut characters, mut in_project) = (0, 0, false);
        for skill in &skills {
            let name = skill.record.name.as_str();
            let Some(source) = self.place(agent, skill) else {
                // The project's lock says in which folders they are.
                let is_locked = skill.kind == SourceKind::Project
                    && self.installed.own_entry(&skill.record.folder).is_some();
                let list = match skill.kind {
                    _ if is_locked => &mut locked,
                    SourceKind::User => &mut yours,
                    _ => &mut elsewhere,
                };
                list.push(*skill);
                continue;
            };
            if agent.here_only && source.kind == SourceKind::Project && !self.is_here(source) {
                above.push(name);
                continue;
            }
            let unusual = quirks(&skill.record, source);
            let is_installed = || self.installed.entry(&skill.record.folder).is_some();
            if let Some(quirk) = unusual.iter().find(|quirk| agent.misses.contains(quirk)) {
                let missed = missed.entry((*quirk, is_installed())).or_default();
                missed.push(skill);
                continue;
            }
            if let Some(quirk) = unusual.iter().find(|quirk| agent.ignores.contains(quirk)) {
                let ignored = ignored.entry((*quirk, is_installed())).or_default();
                ignored.push(skill);
            }
            seen += 1;
            characters += name.len() + skill.record.description.chars().count();
            in_project |= source.kind == SourceKind::Project;
        }
        let name = &agent.name;
        let verdict = if seen == 0 && !skills.is_empty() {
            Verdict::Warning
        } else {
            Verdict::Good
        };
        let mut checks = vec![check(
            verdict,
            format!("{name} sees {seen} of {}", counted(skills.len(), "skill")),
            None,
        )];
        checks.extend(self.unread(agent, [elsewhere, yours, locked]));
        if !above.is_empty() {
            let message = format!(
                "{name} reads a project's skills only in the folder that it is started in, which has not {}",
                listed(&above)
            );
            let hint = format!("Start {name} in the project's own folder");
            checks.push(check(Verdict::Warning, message, Some(&hint)));
        }
        for (unusual, what) in [(missed, "passes over"), (ignored, "ignores all fields of")] {
            let each = unusual.iter();
            checks.extend(
                each.map(|(why, skills)| self.unusual(&format!("{name} {what}"), *why, skills)),
            );
        }
        checks.extend(self.duplicates(agent));
        let read = skills.iter().copied();
        let read = read.filter(|skill| self.place(agent, skill).is_some());
        let read: Vec<&CatalogSkill> = read.collect();
        checks.extend(nested_skills::checks(agent, &read));
        checks.extend(doctor::check_names(agent, &read));
        if let Some(gate) = agent.gate.as_deref().filter(|_| in_project) {
            let message = format!("{name} reads a project's skills only when it trusts the folder");
            checks.push(check(Verdict::Warning, message, Some(gate)));
        }
        if let Some(budget) = agent.budget.filter(|budget| characters > *budget) {
            let message = format!(
                "{name} gives its model {budget} characters of descriptions, and these skills have {characters}"
            );
            let hint = "Shorten descriptions, or disable skills that you do not need";
            checks.push(check(Verdict::Warning, message, Some(hint)));
        }
        checks
    }

    /// What lies where the agent does not read: of the project, of the user, and in the project's lock.
    fn unread(&self, agent: &Agent, lists: [Vec<&CatalogSkill>; 3]) -> Vec<Check> {
        let line = self.agents_line(agent);
        let [project, user, locked] = lists;
        let put = [
            self.install(agent, &project, "project"),
            self.install(agent, &user, "user"),
            format!("`{line}` in skills.toml, and `skillyard sync`"),
        ];
        let mut checks = Vec::new();
        for (unread, how) in [project, user, locked].into_iter().zip(put) {
            let names: Vec<&str> = unread.iter().map(|skill| &*skill.record.name).collect();
            let them = match names.as_slice() {
                [] => continue,
                [_] => "it",
                _ => "them",
            };
            let name = &agent.name;
            let message = format!("{name} does not read the folder of {}", listed(&names));
            let hint = format!("Put {them} there too: {how}");
            checks.push(check(Verdict::Warning, message, Some(&hint)));
        }
        checks
    }

    /// How skills get into a folder that the agent reads: what was installed from where it came
    /// from, because its own folder is no source of it.
    fn install(&self, agent: &Agent, skills: &[&CatalogSkill], scope: &str) -> String {
        let id = &agent.id;
        let [skill] = skills else {
            return format!(
                "`skillyard install REF --agent {id} --scope {scope}`, with the folder of each, or what `skillyard list --installed` says that it came from"
            );
        };
        let folder = &skill.record.folder;
        let from = match self.installed.entry(folder) {
            Some(entry) => without_userinfo(&entry.source).into_owned(),
            None => folder.to_string_lossy().into_owned(),
        };
        let from = shell_word(&from);
        format!("`skillyard install {from} --agent {id} --scope {scope}`")
    }

    /// What skills.toml says once its skills are for this agent, too.
    fn agents_line(&self, agent: &Agent) -> String {
        match self.project {
            Some(project) => agents_line::with(project, agent),
            None => crate::error::install::agents_line(std::slice::from_ref(&agent.id)),
        }
    }

    /// What is unusual about skills, and what an agent does with them for it.
    fn unusual(&self, does: &str, why: (Quirk, bool), skills: &[&CatalogSkill]) -> Check {
        let (quirk, is_installed) = why;
        let names: Vec<&str> = skills.iter().map(|skill| &*skill.record.name).collect();
        let each = if names.len() > 1 { "each" } else { "it" };
        let message = format!("{does} {}: {each} {}", listed(&names), quirk.reason());
        let hint = match quirk {
            // How it was installed is what is unusual.
            Quirk::LinkedOutside => quirk.remedy().to_owned(),
            _ if is_installed => self.at_its_source(skills),
            _ => quirk.remedy().to_owned(),
        };
        check(Verdict::Warning, message, Some(&hint))
    }

    /// What can be done about installed skills: who changes them here has no skills any more.
    fn at_its_source(&self, missed: &[&CatalogSkill]) -> String {
        if let [skill] = missed
            && let Some(entry) = self.installed.entry(&skill.record.folder)
        {
            let (from, name) = (without_userinfo(&entry.source), shell_word(&entry.name));
            let scope = self.installed.typed_scope(&skill.record.folder);
            return format!(
                "Mend it where it came from, `{from}`, then run `skillyard update {name}{scope}`"
            );
        }
        "Mend them where they came from, then run `skillyard update`".to_owned()
    }

    /// Whether a folder of skills lies where agents are started, and not further up.
    fn is_here(&self, source: &SkillSource) -> bool {
        source.root.starts_with(self.current)
    }

    /// The folder that the agent has a skill from: a copy will do.
    fn place(&self, agent: &Agent, skill: &CatalogSkill) -> Option<&SkillSource> {
        let own = self.catalog.sources.get(skill.source)?;
        let below = skill.record.folder.strip_prefix(&own.root).ok()?;
        let read = |source: &&SkillSource| agent.reads(source, self.home);
        let holds = |source: &&SkillSource| {
            let file = source
                .root
                .join(below)
                .join(skill.record.file_name.as_str());
            source.root == own.root || file.is_file()
        };
        self.catalog.sources.iter().filter(read).find(holds)
    }

    /// Names with two contents, where the agent takes another one than we do.
    fn duplicates(&self, agent: &Agent) -> Option<Check> {
        let of = |at: usize| self.catalog.sources.get(at);
        let reads = |at: usize| of(at).is_some_and(|source| agent.reads(source, self.home));
        let names: Vec<&str> = self
            .catalog
            .shadowed
            .iter()
            .filter(|each| {
                let winner = self.catalog.find(&each.skill.record.name);
                winner.is_some_and(|winner| reads(winner.source) && reads(each.skill.source))
            })
            .map(|each| each.skill.record.name.as_str())
            .collect();
        let habit = match agent.duplicates {
            Duplicates::Project => return None,
            Duplicates::Home => "takes the one at home",
            Duplicates::Random => "takes either of them, by chance",
            Duplicates::All => "offers all of them",
        };
        (!names.is_empty()).then(|| {
            let message = format!(
                "{} finds {} with different contents and {habit}",
                agent.name,
                listed(&names)
            );
            check(
                Verdict::Warning,
                message,
                Some("Remove or rename all but one"),
            )
        })
    }
}

pub(super) fn check(verdict: Verdict, message: String, hint: Option<&str>) -> Check {
    Check {
        area: AREA,
        name: "agent",
        verdict,
        message,
        hint: hint.map(str::to_owned),
    }
}
