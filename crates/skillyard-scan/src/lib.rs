//! The scanner: findings that a person should see before they trust a skill.
//!
//! [`scan`] is a pure function from bytes to findings, in time linear in the size of the files.
//! Each file is prepared once (regions, folding, decoding). One pass for keywords over its
//! normalized text selects the rules for each unit, and only those run. Rules combine single facts,
//! and the context sets the severity.
//!
//! The scan is triage: what it misses may still be an attack.

pub mod auto_loaded_files;
mod code;
mod decode;
mod decode_text;
mod engine;
mod facts;
mod file;
mod finding;
mod findings;
mod flow;
mod fold;
mod frontmatter;
mod hosts;
mod intent;
mod keywords;
mod look_alikes;
mod markdown;
mod pattern;
mod prepare;
pub mod rules;
mod severity_context;
mod skill;

pub use file::File;
pub use finding::{Finding, OmittedFindings, Report, Severity, SeveritySummary, UnknownSeverity};
pub use findings::Rule;

/// Scans all files of a skill and shortens the report for readers: see [`Report::shorten`].
pub fn scan(files: &[File<'_>]) -> Report {
    let mut report = examine(files);
    report.shorten();
    report
}

/// Scans all files of a skill and keeps all findings, for callers that accept some of them first.
pub fn examine(files: &[File<'_>]) -> Report {
    engine::scan(files)
}

#[cfg(test)]
mod keyword_coverage;
#[cfg(test)]
mod tests;
