//! Skills that are asked for, and why they are not here.

use skillyard_catalog::CatalogSkill;

use crate::problem::Problem;
use crate::server::Server;
use crate::shelf::Stock;
use crate::tool::usable;

impl Server {
    /// The skill that a name means, whether it may be used or not.
    pub(crate) fn meant<'a>(
        &self,
        stock: &'a Stock,
        name: &str,
    ) -> Result<&'a CatalogSkill, Problem> {
        let absent = |problem| self.absent(name, problem);
        stock.meant(name).map_err(absent)
    }

    /// The skill that may be used by this name.
    pub(crate) fn usable<'a>(
        &self,
        stock: &'a Stock,
        name: &str,
    ) -> Result<&'a CatalogSkill, Problem> {
        usable(stock, name).map_err(|problem| self.absent(name, problem))
    }

    /// What is wrong with asking for a skill that is not here: one that is locked and revoked is in no
    /// folder any more.
    pub(crate) fn absent(&self, name: &str, problem: Problem) -> Problem {
        let mut absent = self.host.revoked_absent().into_iter();
        match absent.find(|(each, _)| each == name) {
            Some((_, reason)) => Problem::revoked(name, &reason),
            None => problem,
        }
    }
}
