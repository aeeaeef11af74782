//! A skill that is in memory already, as a source.

use crate::material::{Material, MaterialError, SkillOffer, SkillOffers};
use crate::origin::Origin;
use crate::tree::Tree;

/// One skill whose bytes were taken out of the store.
#[derive(Debug)]
pub struct StoredSkill {
    tree: Tree,
    origin: Origin,
}

impl StoredSkill {
    /// The skill with these bytes, which came from `origin` at first.
    pub fn new(tree: Tree, origin: Origin) -> Self {
        Self { tree, origin }
    }
}

impl Material for StoredSkill {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn offers(&mut self, _below: &str) -> Result<SkillOffers, MaterialError> {
        let mut offers = SkillOffers::default();
        if let Some(file) = self.tree.skill_file() {
            offers.add(SkillOffer::read("", None, &file.bytes));
        }
        Ok(offers)
    }

    fn load(&mut self, paths: &[String]) -> Result<Vec<Tree>, MaterialError> {
        Ok(vec![self.tree.clone(); paths.len()])
    }
}
