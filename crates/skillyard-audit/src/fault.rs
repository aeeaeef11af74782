//! What can be wrong with a log, and where.

use std::fmt;

/// Where something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// What.
    pub kind: FaultKind,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.kind)
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// A line is not what was written.
    Changed,
    /// The line before was replaced by one that was never written.
    ReplacedBefore,
    /// Lines are missing before this one.
    Removed {
        /// How many.
        count: u64,
    },
    /// Lines stand in another order.
    Swapped,
    /// A line stands there that belongs elsewhere.
    Inserted,
    /// Lines are missing at the end.
    Truncated {
        /// How many.
        count: u64,
    },
    /// The end of the log is not the one that was written.
    OtherEnd,
    /// The line that was expected is another one.
    Unexpected,
    /// The line that was expected is not there.
    Missing,
    /// There is no head, so nobody knows whether lines are missing at the end.
    NoHead,
    /// The writer found the log damaged and said so in this line.
    Recorded {
        /// Its words.
        reason: String,
    },
}

impl FaultKind {
    /// One word for programs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::ReplacedBefore => "replaced",
            Self::Removed { .. } => "removed",
            Self::Swapped => "swapped",
            Self::Inserted => "inserted",
            Self::Truncated { .. } => "truncated",
            Self::OtherEnd | Self::Unexpected => "rewritten",
            Self::Missing => "missing",
            Self::NoHead => "no_head",
            Self::Recorded { .. } => "recorded",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => formatter.write_str("this line was changed"),
            Self::ReplacedBefore => formatter.write_str("the line before this one was replaced"),
            Self::Removed { count: 1 } => formatter.write_str("1 line before this one was removed"),
            Self::Removed { count } => {
                write!(formatter, "{count} lines before this one were removed")
            }
            Self::Swapped => {
                formatter.write_str("this line stands in the wrong place: lines were swapped")
            }
            Self::Inserted => {
                formatter.write_str("this line does not belong here: it was inserted")
            }
            Self::Truncated { count: 1 } => {
                formatter.write_str("the log was cut off: 1 event is missing after this line")
            }
            Self::Truncated { count } => {
                write!(
                    formatter,
                    "the log was cut off: {count} events are missing after this line"
                )
            }
            Self::OtherEnd => {
                formatter.write_str("the log does not end as `audit.head` says: it was rewritten")
            }
            Self::Unexpected => formatter
                .write_str("this is not the event that was expected: the log was rewritten"),
            Self::Missing => formatter.write_str("the event that was expected is not in the log"),
            Self::NoHead => formatter.write_str(
                "`audit.head` is missing, so the log may have been cut off after this line",
            ),
            Self::Recorded { reason } => write!(
                formatter,
                "damage was found when this line was written: {reason}"
            ),
        }
    }
}
