//! How many of the skills that were found have what: to narrow a search down.

use serde::Serialize;
use utoipa::ToSchema;

/// The most values that are told of each.
const MAX_COUNTS: usize = 20;

/// How many skills have which value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Facets {
    /// Whose they are: the namespace, or else who published them.
    pub owners: Vec<Count>,
    /// Their licences.
    pub licenses: Vec<Count>,
    /// Their tags.
    pub tags: Vec<Count>,
    /// What the scanner said.
    pub verdicts: Vec<Count>,
    /// How many bring scripts.
    pub with_scripts: usize,
    /// How many somebody signed.
    pub signed: usize,
}

/// One value, and how many have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Count {
    /// The value.
    pub value: String,
    /// How many have it.
    pub count: usize,
}

impl Count {
    /// The commonest values first, those that are equally common by name.
    pub(crate) fn commonest<'a>(counted: impl Iterator<Item = (&'a str, usize)>) -> Vec<Self> {
        let mut counted: Vec<(&str, usize)> = counted.collect();
        counted.sort_unstable_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
        counted.truncate(MAX_COUNTS);
        let told = |(value, count): (&str, usize)| Self {
            value: value.to_owned(),
            count,
        };
        counted.into_iter().map(told).collect()
    }
}
