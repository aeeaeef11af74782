//! Which skills of other servers are offered: those that the same lists let in as our own, and
//! nobody revoked.

use skillyard_agent::mcp_client::PublishedSkill;

use super::upstream::Upstream;
use crate::problem::Problem;
use crate::server::Server;

impl Server {
    /// The skills of other servers that are offered, in the order of the servers.
    pub(super) fn published(&self) -> Vec<PublishedSkill> {
        self.offered(Upstream::skills)
    }

    /// The names of those that are offered of what was listed last, for who waits for changes: lists and
    /// decisions change apart from each other.
    pub(super) fn offered_now(&self) -> Vec<String> {
        let offered = self.offered(Upstream::known).into_iter();
        offered.map(|skill| skill.qualified_name()).collect()
    }

    fn offered(&self, skills: fn(&Upstream) -> Vec<PublishedSkill>) -> Vec<PublishedSkill> {
        let all = self.judged(skills).into_iter();
        all.filter_map(|(skill, against)| against.is_none().then_some(skill))
            .collect()
    }

    /// The skill of a name such as `docs:greet`, or why it is not offered.
    pub(super) fn published_as(&self, name: &str) -> Option<Result<PublishedSkill, Problem>> {
        if !name.contains(':') {
            return None;
        }
        let mut all = self.judged(Upstream::skills).into_iter();
        let (skill, against) = all.find(|(skill, _)| skill.qualified_name() == name)?;
        Some(match against {
            None => Ok(skill),
            Some(reason) => Err(Problem::unusable(name, &reason)),
        })
    }

    /// Every skill that other servers publish, with what is against it.
    fn judged(
        &self,
        skills: fn(&Upstream) -> Vec<PublishedSkill>,
    ) -> Vec<(PublishedSkill, Option<String>)> {
        let Some(upstream) = &self.upstream else {
            return Vec::new();
        };
        // What was decided a moment ago counts already.
        self.stock();
        if !self.host.offers_skills() {
            return Vec::new();
        }
        let selection = self.host.selection();
        let against = |skill: &PublishedSkill| match &selection {
            Ok(selection) => selection
                .reason_against(&skill.qualified_name())
                .or_else(|| self.host.revoked_elsewhere(skill)),
            // What cannot be decided is decided against.
            Err(_) => Some("the configuration cannot be read".to_owned()),
        };
        let skills = skills(upstream).into_iter();
        skills
            .map(|skill| {
                let against = against(&skill);
                (skill, against)
            })
            .collect()
    }
}
