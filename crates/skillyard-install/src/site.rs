//! The skills that a web site lists, each fetched only when it is chosen.

use std::path::PathBuf;
use std::sync::Arc;

use skillyard_format::SkillName;

use crate::archive::{ArchiveMaterial, Expected};
use crate::fetch::http::{DownloadProgress, Http};
use crate::fetch::well_known::{Index, Site, WellKnownError};
use crate::fetch::{FetchedContent, Transfer};
use crate::local::LocalFolder;
use crate::material::{Declined, Material, MaterialError, SkillOffer, SkillOffers};
use crate::origin::{Origin, OriginKind};
use crate::reference::shown::shown;
use crate::tree::{Tree, TreeLimits};

/// A site and its index.
pub struct SiteMaterial {
    site: Site,
    index: Index,
    http: Arc<Http>,
    progress: Arc<dyn DownloadProgress>,
    quarantine: PathBuf,
    origin: Origin,
    limits: TreeLimits,
}

impl SiteMaterial {
    /// Reads the index of a site.
    pub fn open(
        site: Site,
        http: Arc<Http>,
        progress: Arc<dyn DownloadProgress>,
        quarantine: PathBuf,
        limits: TreeLimits,
    ) -> Result<Self, WellKnownError> {
        let index = site.index(&http)?;
        let origin = Origin {
            kind: OriginKind::WellKnown,
            url: site.address.to_string(),
            commit: None,
            version: None,
        };
        Ok(Self {
            site,
            index,
            http,
            progress,
            quarantine,
            origin,
            limits,
        })
    }

    fn tree(&self, at: usize, name: &str) -> Result<Tree, MaterialError> {
        let name: SkillName = SkillName::new(name).map_err(MaterialError::new)?;
        let folder = self.quarantine.join(at.to_string());
        std::fs::create_dir_all(&folder).map_err(MaterialError::new)?;
        let transfer = Transfer {
            http: &self.http,
            folder: &folder,
            limit: self.limits.of_archive().archive_bytes,
            progress: &*self.progress,
        };
        let fetched = self
            .site
            .fetch(&transfer, &self.index, &name)
            .map_err(MaterialError::new)?;
        let mut material: Box<dyn Material> = match &fetched.content {
            FetchedContent::Folder { path } => Box::new(LocalFolder::new(path, self.limits)),
            FetchedContent::Archive { file, .. } => {
                let origin = self.origin.clone();
                let opened = ArchiveMaterial::open(file, Expected::Skill, origin, self.limits);
                Box::new(opened.map_err(MaterialError::new)?)
            }
        };
        let trees = material.load(&[String::new()])?;
        let tree = trees.into_iter().next().ok_or_else(|| {
            MaterialError::new(WellKnownError::NoSuchSkill {
                url: self.origin.url.clone(),
                name: name.to_string(),
                nearest: None,
            })
        })?;
        match named_otherwise(&tree, &name) {
            None => Ok(tree),
            Some(named) => Err(MaterialError::new(WellKnownError::Misnamed {
                listed: name.to_string(),
                named,
            })),
        }
    }
}

/// The name that a skill has in its `SKILL.md`, if that is not the one it is listed by: somebody asked
/// for that one, and would get another.
fn named_otherwise(tree: &Tree, listed: &SkillName) -> Option<String> {
    let file = tree.skill_file()?;
    let skill = SkillOffer::read("", Some(listed.as_str()), &file.bytes).ok()?;
    (skill.name != listed.as_str()).then(|| shown(&skill.name))
}

impl Material for SiteMaterial {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn offers(&mut self, below: &str) -> Result<SkillOffers, MaterialError> {
        let listed = self
            .index
            .skills
            .iter()
            .filter(|entry| below.is_empty() || entry.name.as_str() == below);
        let mut offers = SkillOffers {
            skills: listed
                .map(|entry| SkillOffer {
                    path: entry.name.to_string(),
                    name: entry.name.to_string(),
                    description: entry.description.clone(),
                })
                .collect(),
            declined: Vec::new(),
        };
        let skipped = self.index.skipped.iter();
        let skipped = skipped.filter(|each| below.is_empty() || each.name == below);
        offers.declined.extend(skipped.map(|each| Declined {
            path: each.name.clone(),
            reason: each.reason.clone(),
        }));
        offers.sort();
        Ok(offers)
    }

    fn load(&mut self, paths: &[String]) -> Result<Vec<Tree>, MaterialError> {
        let each = paths.iter().enumerate();
        each.map(|(at, path)| self.tree(at, path)).collect()
    }
}
