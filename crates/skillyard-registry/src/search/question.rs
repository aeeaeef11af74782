//! What can be asked of a search.

/// How results are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// The best match first; without words, by name.
    #[default]
    Relevance,
    /// By name.
    Name,
    /// The most fetched first.
    Downloads,
    /// The last published first.
    Updated,
}

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Words, or none for everything.
    pub words: String,
    /// Only this owner's.
    pub owner: Option<String>,
    /// Only with this licence.
    pub license: Option<String>,
    /// Only with this tag.
    pub tag: Option<String>,
    /// Only with scripts, or only without.
    pub scripts: Option<bool>,
    /// Only what somebody signed, or only what nobody did.
    pub signed: Option<bool>,
    /// Only with this verdict of the scanner.
    pub verdict: Option<String>,
    /// The order.
    pub sort: Sort,
    /// How many to leave out at the start.
    pub offset: usize,
    /// The most that are wanted.
    pub limit: usize,
}
