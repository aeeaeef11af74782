//! The tags of a repository that a range of versions was looked up among.
//!
//! Tags can begin with the name of a skill, so that one range means another commit for each skill
//! of a repository, or the same for all of them. Who keeps the tags can tell without asking again.

use crate::reference::Requirement;

/// A range of versions, and the tags it was looked up among.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tags {
    requirement: Requirement,
    names: Vec<String>,
    /// The tag of the skill that was asked for; nothing where it was a branch.
    chosen: Option<String>,
}

impl Tags {
    /// The tags that were there when a range was looked up for a skill of this name.
    pub fn new<'a>(
        requirement: &Requirement,
        names: impl IntoIterator<Item = &'a str>,
        name: &str,
    ) -> Self {
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let mut tags = Self {
            requirement: requirement.clone(),
            names,
            chosen: None,
        };
        tags.chosen = tags.select(name).map(str::to_owned);
        tags
    }

    /// Whether the range means the same for a skill of this name.
    pub fn lead_alike(&self, name: &str) -> bool {
        self.select(name) == self.chosen.as_deref()
    }

    fn select(&self, name: &str) -> Option<&str> {
        let names = self.names.iter().map(String::as_str);
        let found = self.requirement.choose_tag(names, Some(name));
        found.map(|(_, tag)| tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_with_tags_of_their_own_go_their_own_ways() {
        let requirement: Requirement = "^1".parse().unwrap();
        let names = ["v1.0.0", "pdf-v1.2.0", "pdf-v2.0.0", "csv-v2.0.0"];
        let tags = Tags::new(&requirement, names, "pdf");
        assert!(tags.lead_alike("pdf"));
        assert!(!tags.lead_alike("csv"));
        assert!(!tags.lead_alike("txt"));
        // Those that have none share the tags of the whole.
        let tags = Tags::new(&requirement, names, "txt");
        assert!(tags.lead_alike("doc"));
        assert!(!tags.lead_alike("pdf"));
    }
}
