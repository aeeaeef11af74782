//! The first thing that differs between a session and what is made again of it.

/// The first thing that differs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Divergence {
    /// The log has nothing where something must be.
    #[error("the log has no {what} for message {message}")]
    Missing {
        /// What must be there.
        what: String,
        /// The message, counted from 1.
        message: usize,
    },
    /// The log says more than the session.
    #[error("event {place} of the log, `{kind}`, has no place in the session")]
    Extra {
        /// Its place in the log.
        place: u64,
        /// Its kind.
        kind: String,
    },
    /// The skills that were offered are others now.
    #[error("the catalog differs: {}", others(.gone, .changed))]
    Catalog {
        /// Skills that are not there any more.
        gone: Vec<String>,
        /// Skills that are known to be others now.
        changed: Vec<String>,
    },
    /// The prompt is another.
    #[error(
        "the system prompt or the tools differ from what the log says (event {place}), as they do where another version of Skillyard held the session"
    )]
    Prompt {
        /// The event.
        place: u64,
    },
    /// A skill is another.
    #[error("message {message}: skill `{skill}` was {then}, and is {now} now")]
    Skill {
        /// The message, counted from 1.
        message: usize,
        /// The skill.
        skill: String,
        /// Its digest then.
        then: String,
        /// Its digest now, or why there is none.
        now: String,
    },
    /// A result is another.
    #[error("message {message}: the result of `{tool}` ({call}) differs from {from}")]
    Result {
        /// The message, counted from 1.
        message: usize,
        /// The tool.
        tool: String,
        /// The call.
        call: String,
        /// What it was compared with.
        from: String,
    },
    /// A request is another.
    #[error("message {message}: the request to the model differs from event {place} of the log")]
    Request {
        /// The message that answered it, counted from 1.
        message: usize,
        /// The event.
        place: u64,
    },
}

fn others(gone: &[String], changed: &[String]) -> String {
    let mut told = Vec::new();
    for (names, what) in [
        (gone, "cannot be had any more"),
        (changed, "cannot be had as it was"),
    ] {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        if !names.is_empty() {
            told.push(format!("{} {what}", names.join(", ")));
        }
    }
    if told.is_empty() {
        return "a skill was described anew since".into();
    }
    told.join("; ")
}
