//! Why skills do not go together.

/// Why skills do not go together.
#[derive(Debug, thiserror::Error)]
pub enum DependencyError<E> {
    /// One cannot be had.
    #[error("{chain} needs `{reference}`, which cannot be had")]
    Fetch {
        /// Who needs it.
        chain: String,
        /// What is needed.
        reference: String,
        /// Why it cannot be had.
        source: E,
    },
    /// Two different skills of one name.
    #[error(
        "`{name}` is needed from two sources: {first} from {first_source}, {second} from {second_source}"
    )]
    Conflict {
        /// The name.
        name: String,
        /// Who needs the first.
        first: String,
        /// Where it comes from.
        first_source: String,
        /// Who needs the second.
        second: String,
        /// Where it comes from.
        second_source: String,
    },
    /// A skill that needs itself.
    #[error("these skills need each other in a circle: {0}")]
    Circle(String),
    /// A stranger names a path of this machine.
    #[error("{chain} came over the network and may not name `{reference}`, a path of this machine")]
    Local {
        /// Who names it.
        chain: String,
        /// The path.
        reference: String,
    },
    /// Far too many.
    #[error("more than {0} skills are needed")]
    TooMany(usize),
}
