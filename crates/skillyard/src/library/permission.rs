//! What a skill of the catalog may do here: configuration, approvals and provenance together.
//!
//! `run` asks [`Permissions`]; `show` and `trust` show what stands behind its answer.

mod decision;
mod standing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillyard_agent::mcp_client::PublishedSkill;
use skillyard_catalog::selection::Selection;
use skillyard_catalog::source::{OtherProject, SourceKind};
use skillyard_catalog::surroundings::Surroundings;
use skillyard_catalog::{CatalogSkill, ProjectTrust};
use skillyard_format::allowed_tools::AllowedTools;
use skillyard_format::package::Digest;
use skillyard_install::scope::ScopeKind;
use skillyard_trust::approval::{Approvals, SkillApproval};
use skillyard_trust::guard::DenyLayer;
use skillyard_trust::policy::{Layer, Policy};
use skillyard_trust::provenance::{Origin, Provenance};
use skillyard_trust::verdict::{OptIn, Verdict, assess};

use crate::config::discovery::TrustProjects;
use crate::config::layer::Setting;
use crate::config::value::ConfigValue;
use crate::config::{Config, project};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::config_origin::LayerKind;
use crate::error::trust::TrustFailure;
use crate::files;
use crate::library;
use crate::library::installed::{Altered, Installed, is_from_strangers};
pub(crate) use crate::library::permission::decision::Decision;
use crate::library::signers::Signers;
use crate::library::{NameFilter, signers};

/// What the user, their organisation and the project decided.
pub(crate) struct Permissions {
    policy: Policy,
    opt_in: OptIn,
    approvals: Approvals,
    project_trust: ProjectTrust,
    trust_projects: TrustProjects,
    surroundings: Surroundings,
    /// Folders of agents that lie in another project than the one at hand.
    others: Vec<(PathBuf, OtherProject)>,
    installed: Installed,
    /// Who signs, and what is revoked; or why nobody knows.
    signers: Result<Signers, String>,
    /// Who keeps the user from switching skills on and off.
    switches_locked: Option<PathBuf>,
    /// Tools that are denied, whatever skills allow.
    pub(crate) denied: Vec<DenyLayer>,
    /// Which skills are wanted.
    pub(crate) selection: Arc<Selection>,
}

/// What the user, their organisation and the project say about where skills come from.
pub(crate) fn trust_policy(context: &Context, config: &Config) -> Result<Policy, CommandError> {
    let value = |key: &str| {
        let layer = match config.get(key)?.origin.layer() {
            LayerKind::Org => Layer::Org,
            LayerKind::Project => Layer::Project,
            _ => Layer::User,
        };
        Some((config.text(key)?, layer))
    };
    let is_locked = |key: &str| config.lock_of(key).is_some();
    let policy = Policy::from_keys(value, is_locked);
    let path = context.environment.config_file();
    policy.map_err(|source| TrustFailure::Policy { path, source }.into())
}

impl Permissions {
    /// Reads the configuration and the approvals.
    pub(crate) fn load(context: &Context) -> Result<Self, CommandError> {
        let signers = Signers::load(&context.environment)?;
        Self::with(context, Ok(signers))
    }

    /// The same for who only looks at skills: where nobody knows what is revoked, all of them count as
    /// that.
    pub(crate) fn to_look(context: &Context) -> Result<Self, CommandError> {
        let signers = Signers::load(&context.environment);
        Self::with(context, signers.map_err(|error| signers::unknown(&error)))
    }

    fn with(context: &Context, signers: Result<Signers, String>) -> Result<Self, CommandError> {
        let config = context.config()?;
        let policy = trust_policy(context, &config)?;
        let surroundings = library::surroundings(context, &config);
        let org = surroundings.org.iter().map(|folder| folder.path.clone());
        // An organisation vouches for its folders, whatever it filled them with.
        let installed = Installed::readable(context)?.vouched(org.collect());
        Ok(Self {
            policy,
            opt_in: if config.allows_scripts() {
                OptIn::Yes
            } else {
                OptIn::No
            },
            approvals: files::read_approvals(&context.environment.approvals_file())?,
            project_trust: config.project_trust,
            trust_projects: config.trust_projects(),
            others: others(&surroundings),
            surroundings,
            denied: denied(&config),
            selection: Arc::new(library::selection(&config, &NameFilter::default())?),
            switches_locked: config.lock_of("skills.disabled").map(Path::to_owned),
            installed,
            signers,
        })
    }

    /// The name of the skill that a folder lies in and was installed with, and the way from there.
    pub(crate) fn part_of(&self, folder: &Path) -> Option<(String, PathBuf)> {
        let (around, entry) = self.installed.around_of(folder)?;
        let below = folder.strip_prefix(&around).unwrap_or(folder);
        Some((entry.name.clone(), below.to_owned()))
    }

    /// The folders that skills were installed into, with their names.
    pub(crate) fn installed(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        self.installed.folders()
    }

    /// The root of the project among whose skills a folder lies, if the user has not trusted it.
    pub(crate) fn untrusted_project(&self, folder: &Path) -> Option<PathBuf> {
        let root = self.surroundings.project_of(folder)?;
        let is_trusted = project::is_trusted(&root, self.trust_projects, &self.approvals.folders);
        (!is_trusted).then_some(root)
    }

    /// The project that a folder among those of the user's agents lies in, because a variable names
    /// a folder of that project: it decides wherever one stands, and the one at hand does not.
    fn other_project(&self, folder: &Path) -> Option<&OtherProject> {
        let mut others = self.others.iter();
        let found = others.find(|(root, _)| folder.starts_with(root));
        found.map(|(_, project)| project)
    }

    /// Whether a skill of a source lies in a project that the user trusts, or does not; nothing where
    /// it lies in none.
    pub(crate) fn project_trust(&self, kind: SourceKind, folder: &Path) -> Option<ProjectTrust> {
        if !matches!(kind, SourceKind::User | SourceKind::Project) {
            return None;
        }
        let other = self.other_project(folder).map(|other| other.trust);
        other.or_else(|| (kind == SourceKind::Project).then_some(self.project_trust))
    }

    /// Whether a skill lies in a project that the user has not trusted; what is named by its path has no
    /// source.
    fn is_untrusted(&self, kind: Option<SourceKind>, folder: &Path) -> bool {
        match kind {
            Some(kind) => self.project_trust(kind, folder) == Some(ProjectTrust::Untrusted),
            None => self.untrusted_project(folder).is_some(),
        }
    }

    /// The places of this machine that skills were installed from.
    pub(crate) fn places(&self) -> Vec<PathBuf> {
        self.installed.places()
    }

    /// Whether a skill was installed into a folder.
    pub(crate) fn is_installed(&self, folder: &Path) -> bool {
        self.installed.entry(folder).is_some()
    }

    /// A lock of a project that could name a folder and cannot be read.
    pub(crate) fn unreadable(&self, folder: &Path) -> Option<PathBuf> {
        self.installed.unreadable(folder)
    }

    /// Whether what the locks of other projects say is what was read of them.
    pub(crate) fn is_current(&self) -> bool {
        self.installed.is_current()
    }

    /// What the user can do about a skill that was altered.
    pub(crate) fn remedy(&self, name: &str, folder: &Path) -> String {
        self.installed.remedy(name, folder)
    }

    /// What was installed into a folder, if its files are something else that nobody approved.
    pub(crate) fn altered(&self, name: &str, folder: &Path, now: Digest) -> Option<Altered> {
        self.unapproved(name, folder, self.installed.altered(folder, now)?)
    }

    /// The same for who starts a script: what it may do is known when a change has ended.
    pub(crate) fn altered_or_changing(
        &self,
        name: &str,
        folder: &Path,
        now: Digest,
    ) -> Option<Altered> {
        let altered = self.installed.altered_or_changing(folder, now)?;
        self.unapproved(name, folder, altered)
    }

    fn unapproved(&self, name: &str, folder: &Path, altered: Altered) -> Option<Altered> {
        let around = self.installed.around_of(folder);
        let whose = around.as_ref().map_or(name, |(_, entry)| &entry.name);
        let approval = self.approval(whose, Some(&altered.now));
        (!approval.is_some_and(|approval| approval.scripts)).then_some(altered)
    }

    /// What the files of an installed skill may be: what was installed, and what was approved.
    pub(crate) fn expected(&self, name: &str, folder: &Path) -> Option<Vec<Digest>> {
        let mut expected = self.installed.expected(folder)?;
        let approved = self.approvals.skills.iter();
        let approved = approved.filter(|each| each.name == name && each.scripts);
        expected.extend(approved.map(|each| each.digest));
        Some(expected)
    }

    /// Why a skill must not be used any more, if it or its signer is revoked.
    pub(crate) fn revoked(&self, kind: Option<SourceKind>, folder: &Path) -> Option<String> {
        if kind == Some(SourceKind::Builtin) {
            return None;
        }
        let signers = match &self.signers {
            Ok(signers) => signers,
            Err(unknown) => return Some(unknown.clone()),
        };
        let revoked = |folder: &Path| signers.revoked(folder, &self.installed);
        revoked(folder).or_else(|| {
            let (around, _) = self.installed.around_of(folder)?;
            revoked(&around)
        })
    }

    /// Whether nobody knows what is revoked; what is told of a skill then says what to do.
    pub(crate) fn is_unknown(&self) -> bool {
        self.signers.is_err()
    }

    /// Why a skill of an MCP server must not be used any more.
    pub(crate) fn revoked_elsewhere(&self, skill: &PublishedSkill) -> Option<String> {
        match &self.signers {
            Ok(signers) => signers.revoked_elsewhere(skill),
            Err(unknown) => Some(unknown.clone()),
        }
    }

    /// Where an installed skill came from, as `install` takes it.
    pub(crate) fn reference(&self, folder: &Path) -> Option<String> {
        let entry = self.installed.own_entry(folder);
        entry.map(|entry| entry.reference())
    }

    /// What policy says about a skill.
    pub(crate) fn verdict(&self, provenance: &Provenance) -> Verdict {
        assess(&self.policy, provenance)
    }

    /// What was approved of exactly these bytes.
    pub(crate) fn approval(&self, name: &str, digest: Option<&Digest>) -> Option<&SkillApproval> {
        self.approvals.of(name, digest?)
    }

    /// An approval of the scripts of exactly these bytes; what else was approved of them stays.
    pub(crate) fn with_scripts(
        &self,
        context: &Context,
        name: &str,
        digest: Digest,
    ) -> SkillApproval {
        let before = self.approval(name, Some(&digest));
        let now = context.now().round(jiff::Unit::Second);
        SkillApproval {
            name: name.to_owned(),
            digest,
            scripts: true,
            network: before.map(|each| each.network.clone()).unwrap_or_default(),
            tools: before.map(|each| each.tools.clone()).unwrap_or_default(),
            approved_at: now.unwrap_or_default().to_string(),
            approved_by: Some(context.environment.user.clone()),
        }
    }

    /// The hosts that scripts of exactly these bytes may reach without being asked for.
    pub(crate) fn hosts(
        &self,
        provenance: &Provenance,
        name: &str,
        digest: Option<&Digest>,
    ) -> &[String] {
        let approval = self.approval(name, digest);
        self.verdict(provenance).hosts(approval)
    }

    /// Whether hosts were approved of any version of a skill.
    pub(crate) fn may_have_hosts(&self, name: &str) -> bool {
        let mut approved = self.approvals.skills.iter();
        approved.any(|each| each.name == name && !each.network.is_empty())
    }
}

fn others(surroundings: &Surroundings) -> Vec<(PathBuf, OtherProject)> {
    // Only these can put a folder there.
    if surroundings.agent_variables.is_empty() {
        return Vec::new();
    }
    let sources = surroundings.sources().into_iter();
    let others = sources.filter_map(|source| Some((source.root, source.other?)));
    others.collect()
}

/// What one layer of the configuration denies; no other takes it back.
/// Tools that each layer of a configuration denies.
pub(crate) fn denied(config: &Config) -> Vec<DenyLayer> {
    config.all("tools.deny").map(deny_layer).collect()
}

fn deny_layer(setting: &Setting) -> DenyLayer {
    let mut tools = AllowedTools::default();
    if let ConfigValue::List(patterns) = &setting.value {
        for pattern in patterns {
            let parsed = AllowedTools::parse(pattern);
            tools.patterns.extend(parsed.patterns);
            tools.unbalanced |= parsed.unbalanced;
        }
    }
    DenyLayer {
        name: setting.origin.layer().as_str().to_owned(),
        tools,
    }
}

impl Permissions {
    /// Where a skill came from: as the lock says that names its folder, else as its source tells.
    pub(crate) fn provenance(&self, skill: &CatalogSkill) -> Provenance {
        self.provenance_of(Some(skill.kind), &skill.record.folder)
    }

    /// The same for a folder; one that was named by its path has no source.
    pub(crate) fn provenance_of(&self, kind: Option<SourceKind>, folder: &Path) -> Provenance {
        let project = kind.and_then(|kind| self.project_trust(kind, folder));
        let by_source = match (kind, project) {
            (_, Some(ProjectTrust::Trusted)) => Origin::ProjectTrusted,
            (_, Some(ProjectTrust::Untrusted)) => {
                return Provenance::of(Origin::ProjectUntrusted);
            }
            (Some(SourceKind::Builtin), _) => Origin::Builtin,
            (Some(SourceKind::Org | SourceKind::OrgPinned), _) => Origin::Org,
            (Some(SourceKind::User | SourceKind::Project), None) => Origin::WrittenHere,
            // Whoever names a path has not said by that that they trust the project.
            (None, _) if self.untrusted_project(folder).is_some() => {
                return Provenance::of(Origin::ProjectUntrusted);
            }
            (None | Some(SourceKind::Plugin | SourceKind::Extra), _) => Origin::LocalFolder,
            (Some(SourceKind::Mcp), _) => return Provenance::of(Origin::Mcp),
        };
        if self.unreadable(folder).is_some() {
            return Provenance::of(Origin::ProjectUntrusted);
        }
        let in_project = project.is_some();
        match self.installed.provenance(folder) {
            // What a project in the home folder brought along lies among the user's own.
            Some((ScopeKind::Project, found)) if by_source == Origin::WrittenHere => Provenance {
                signer: None,
                place: Some(by_source),
                ..found
            },
            // A project's lock is the word of whoever wrote the project: it can make a skill
            // less trusted than it would be without, never more, wherever the skill lies. So
            // what it is without counts as well.
            Some((whose, found))
                if (in_project || whose == ScopeKind::Project) && !is_from_strangers(&found) =>
            {
                Provenance::of(by_source)
            }
            // That the lock names a signer does not make them trusted now.
            Some((whose, found)) => Provenance {
                place: match whose {
                    ScopeKind::Project => Some(by_source),
                    ScopeKind::User => found.place,
                },
                signer: self
                    .installed
                    .entry(folder)
                    .and_then(|entry| self.signers.as_ref().ok()?.of(&entry)),
                ..found
            },
            // Nobody knows any more where it came from.
            None if by_source != Origin::Org && self.installed.is_in_store(folder) => {
                Provenance::of(Origin::ProjectUntrusted)
            }
            None => Provenance::of(by_source),
        }
    }
}
