//! From a revision that was asked for to a commit.

use serde::Deserialize;

use super::{Forge, ForgeError, ForgeProject, ResolvedCommit, TAGS_PER_PAGE};
use crate::reference::shown::shown;
use crate::reference::{Requirement, Revision};
use crate::tags::Tags;

/// How often tags are asked for.
const MAX_PAGES: usize = 30;
/// How many tags an error names.
const SHOWN_TAGS: usize = 3;

/// What every forge says about a repository.
#[derive(Deserialize)]
struct RepositoryInfo {
    default_branch: String,
}

impl ForgeProject<'_> {
    /// The commit that the reference means now.
    pub(super) fn resolve(&self, api: &dyn Forge) -> Result<ResolvedCommit, ForgeError> {
        match &self.hosted.revision {
            None => {
                let about: RepositoryInfo = self.json(api.repository(self, &[]), None)?;
                self.named(api, &about.default_branch)
            }
            Some(revision @ Revision::Commit(commit)) if revision.is_full_commit() => {
                Ok(ResolvedCommit {
                    commit: commit.clone(),
                    tag: None,
                    version: None,
                    tags: None,
                })
            }
            Some(Revision::Commit(commit)) => {
                let resolved = self.named(api, commit)?;
                // It could be the name of a branch, which leads elsewhere tomorrow.
                let start = commit.to_ascii_lowercase();
                let tag = resolved
                    .tag
                    .filter(|_| !resolved.commit.starts_with(&start));
                Ok(ResolvedCommit { tag, ..resolved })
            }
            Some(Revision::Name(name)) => self.named(api, name),
            Some(Revision::Requirement(requirement)) => self.required(api, requirement),
        }
    }

    fn named(&self, api: &dyn Forge, name: &str) -> Result<ResolvedCommit, ForgeError> {
        let commit = api.commit(self, name)?;
        self.checked(commit, name)
    }

    fn required(
        &self,
        api: &dyn Forge,
        requirement: &Requirement,
    ) -> Result<ResolvedCommit, ForgeError> {
        let tags = self.all_tags(api)?;
        let names = || tags.iter().map(|(name, _)| name.as_str());
        let name = Some(self.tag_name);
        let tags_seen = || Some(Tags::new(requirement, names(), self.tag_name));
        if let Some((version, tag)) = requirement.choose_tag(names(), name) {
            let commit = tags
                .iter()
                .find(|(name, _)| name == tag)
                .map(|(_, commit)| commit.clone());
            let resolved = self.checked(commit.unwrap_or_default(), tag)?;
            return Ok(ResolvedCommit {
                version: version.map(|version| version.to_string()),
                tags: tags_seen(),
                ..resolved
            });
        }
        // A branch `1.2` is a common thing to have.
        if requirement.could_be_a_name() {
            match self.named(api, &requirement.to_string()) {
                Err(ForgeError::NoRevision { .. }) => {}
                other => {
                    let tags = tags_seen();
                    return other.map(|resolved| ResolvedCommit { tags, ..resolved });
                }
            }
        }
        Err(ForgeError::NoTag {
            project: self.name(),
            requirement: requirement.to_string(),
            tags: highest_tags(names(), name),
        })
    }

    fn all_tags(&self, api: &dyn Forge) -> Result<Vec<(String, String)>, ForgeError> {
        let mut tags = Vec::new();
        for page in 1..=MAX_PAGES {
            let found = api.tags(self, page)?;
            let is_last = found.len() < TAGS_PER_PAGE;
            tags.extend(found);
            if is_last {
                break;
            }
        }
        Ok(tags)
    }

    /// What is not a whole commit id could be anything tomorrow, or an option of git today.
    fn checked(&self, commit: String, revision: &str) -> Result<ResolvedCommit, ForgeError> {
        let is_commit = matches!(commit.len(), 40 | 64)
            && commit
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_commit {
            return Err(ForgeError::NoCommit {
                forge: self.forge.clone(),
                project: self.name(),
                revision: shown(revision),
            });
        }
        Ok(ResolvedCommit {
            commit,
            tag: Some(revision.to_owned()),
            version: None,
            tags: None,
        })
    }
}

fn highest_tags<'a>(tags: impl Iterator<Item = &'a str>, name: Option<&str>) -> Vec<String> {
    let mut rest: Vec<&str> = tags.collect();
    let mut highest = Vec::new();
    while highest.len() < SHOWN_TAGS {
        let Some((_, tag)) = Requirement::Latest.select_tag(rest.iter().copied(), name) else {
            break;
        };
        highest.push(shown(tag));
        rest.retain(|other| *other != tag);
    }
    highest
}
