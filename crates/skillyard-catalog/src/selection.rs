//! Which skills are wanted: enabled, disabled, allowed and denied by name or glob.

use std::sync::OnceLock;

use globset::{Glob, GlobMatcher};
use skillyard_format::name::known_as;

use crate::pattern_list;

/// A pattern that names skills, such as `pdf-*`.
#[derive(Debug, Clone)]
pub struct NamePattern {
    text: String,
    matcher: GlobMatcher,
    /// The matcher for names in lower case, once it is needed.
    small: OnceLock<Option<GlobMatcher>>,
}

/// A text that is not a pattern.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PatternError {
    /// What it says cannot be read as one.
    #[error("`{pattern}` is not a pattern: {reason}; a skill of this very name is `{}`", NamePattern::exactly(.pattern))]
    Unreadable {
        /// The text.
        pattern: String,
        /// Why not.
        reason: String,
    },
    /// It says nothing, which must not mean everything.
    #[error("there is no pattern in an empty text; every skill is `*`")]
    Empty,
}

/// What has a meaning in a pattern.
const SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

impl NamePattern {
    /// Whether a text means more than one name.
    pub fn is_one(text: &str) -> bool {
        text.contains(['*', '?', '[', '{'])
    }

    /// Whether a text is one of these names and, read as a pattern, means no other of them. What
    /// means others, too, stays a pattern: no skill takes them out of it by what it is called.
    pub fn is_name<'n>(text: &str, mut names: impl Iterator<Item = &'n str> + Clone) -> bool {
        let pattern = Self::new(text).ok();
        let means = |name: &str| pattern.as_ref().is_some_and(|each| each.matches(name));
        let mut others = names.clone().filter(|name| *name != text);
        names.any(|name| name == text) && !others.any(means)
    }

    /// The pattern that means this name and no other, whatever is in the name.
    pub fn exactly(name: &str) -> String {
        let each = name.chars().map(|letter| {
            if SPECIAL.contains(&letter) {
                format!("[{letter}]")
            } else {
                letter.to_string()
            }
        });
        each.collect()
    }

    /// Reads a pattern.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let error = |reason: &globset::Error| PatternError::Unreadable {
            pattern: text.to_owned(),
            reason: reason.kind().to_string(),
        };
        Ok(Self {
            matcher: Glob::new(text)
                .map_err(|reason| error(&reason))?
                .compile_matcher(),
            text: text.to_owned(),
            small: OnceLock::new(),
        })
    }

    /// The patterns of a text, which commas part; there is at least one.
    pub fn list(text: &str) -> Result<Vec<Self>, PatternError> {
        let list = pattern_list::split(text).map(Self::new);
        let list = list.collect::<Result<Vec<_>, _>>()?;
        if list.is_empty() {
            return Err(PatternError::Empty);
        }
        Ok(list)
    }

    /// Whether a name is meant. Some names look like patterns; each means at least its own skill.
    pub fn matches(&self, name: &str) -> bool {
        self.text == name || self.matcher.is_match(name)
    }

    /// Whether a name is meant, however it is written: who denies `evil` denies `Evil`, too.
    pub fn matches_in_any_case(&self, name: &str) -> bool {
        let small = || {
            let glob = Glob::new(&self.text.to_lowercase()).ok()?;
            Some(glob.compile_matcher())
        };
        let in_small_letters = || {
            let matcher = self.small.get_or_init(small).as_ref();
            matcher.is_some_and(|matcher| matcher.is_match(name.to_lowercase()))
        };
        self.matches(name) || in_small_letters()
    }
}

/// One layer of wishes: the user's, the project's or an agent's.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// The layer's name in explanations.
    pub name: String,
    /// Skills that are switched on, whatever a layer below says.
    pub enabled: Vec<NamePattern>,
    /// Skills that are switched off.
    pub disabled: Vec<NamePattern>,
    /// If not empty, only these skills.
    pub allow: Vec<NamePattern>,
    /// Never these skills.
    pub deny: Vec<NamePattern>,
}

impl Layer {
    fn is_silent(&self) -> bool {
        [&self.enabled, &self.disabled, &self.allow, &self.deny]
            .iter()
            .all(|patterns| patterns.is_empty())
    }
}

/// Every layer, the strongest last.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The layers.
    pub layers: Vec<Layer>,
}

impl Selection {
    /// Whether every skill is wanted, because patterns are missing.
    pub fn is_silent(&self) -> bool {
        self.layers.iter().all(Layer::is_silent)
    }

    /// Whether a list of what is allowed or denied keeps the skill out, so that it cannot be enabled.
    pub fn lists_keep_out(&self, name: &str) -> bool {
        let lists = self.layers.iter().map(|layer| Layer {
            disabled: Vec::new(),
            ..layer.clone()
        });
        let layers = lists.collect();
        Self { layers }.reason_against(name).is_some()
    }

    /// Why the skill is not wanted, if it is not.
    ///
    /// A stronger layer can switch on what a weaker one switched off, but nothing brings
    /// back what any layer denies or leaves out of its allow list.
    ///
    /// A skill of an MCP server, such as `docs:pdf`, is also kept out by what its server calls it.
    /// Only its whole name lets it in: a server could give a skill any other.
    pub fn reason_against(&self, name: &str) -> Option<String> {
        let name = &*known_as(name);
        let own = name.split_once(':').map_or(name, |(_, own)| own);
        let mut against = None;
        // Most layers of most people say nothing.
        for layer in self.layers.iter().filter(|layer| !layer.is_silent()) {
            let keeps_out = |patterns: &[NamePattern]| {
                let mut patterns = patterns.iter();
                let pattern = patterns.find(|each| each.matches(name) || each.matches(own));
                // What means this one alone is shown as the name.
                pattern.map(|pattern| match &pattern.text {
                    text if *text == NamePattern::exactly(name) => name.to_owned(),
                    text => text.clone(),
                })
            };
            let lets_in = |patterns: &[NamePattern]| patterns.iter().any(|each| each.matches(name));
            let is_denied = |each: &&NamePattern| {
                each.matches_in_any_case(name) || each.matches_in_any_case(own)
            };
            if let Some(pattern) = layer.deny.iter().find(is_denied) {
                let pattern = &pattern.text;
                return Some(format!("denied by `{pattern}` ({})", layer.name));
            }
            if !layer.allow.is_empty() && !lets_in(&layer.allow) {
                return Some(format!("not in the allow list ({})", layer.name));
            }
            if let Some(pattern) = keeps_out(&layer.disabled) {
                against = Some(format!("disabled by `{pattern}` ({})", layer.name));
            }
            if lets_in(&layer.enabled) {
                against = None;
            }
        }
        against
    }
}

#[cfg(test)]
mod tests;
