//! What is searched: one skill, as texts by field.

use std::borrow::Cow;

/// One skill to be indexed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document<'a> {
    /// What tells documents of the same name apart, such as a path or `source/name`.
    pub id: Cow<'a, str>,
    /// The skill's name.
    pub name: Cow<'a, str>,
    /// The skill's description.
    pub description: Cow<'a, str>,
    /// Tags and categories.
    pub tags: Vec<Cow<'a, str>>,
    /// When the author wants the skill to be found.
    pub triggers: Triggers<'a>,
    /// The instructions, where they are to be searched too.
    pub body: Option<Cow<'a, str>>,
}

/// Hints by the author of a skill on which tasks are meant for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Triggers<'a> {
    /// Words and phrases of the subject.
    pub keywords: Vec<Cow<'a, str>>,
    /// Words of what is done.
    pub verbs: Vec<Cow<'a, str>>,
    /// Regular expressions over the task, matched without regard to case; ones that do not compile are never matched.
    pub patterns: Vec<Cow<'a, str>>,
}

/// A part of a document that is counted on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The name.
    Name,
    /// The description.
    Description,
    /// The tags.
    Tags,
    /// Keywords and verbs of the triggers.
    Triggers,
    /// The instructions.
    Body,
}

impl Field {
    /// How many fields there are.
    pub const COUNT: usize = 5;

    /// Every field, in the order in which it is stored.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Name,
        Self::Description,
        Self::Tags,
        Self::Triggers,
        Self::Body,
    ];
}
