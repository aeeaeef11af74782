//! The scanner: what in a skill's files a person should see before they trust it.
//!
//! [`scan`] is a pure function from bytes to findings, in time that grows with the bytes.
//! Each file is prepared once (regions, folding, decoding), one pass for words
//! over its plain text says which rules are worth asking about which unit, and only those
//! are asked. Single facts are put together by rules, because a combination says more than
//! a word; where something stands says how bad it is.
//!
//! A scanner is triage. What it does not see may still be an attack, which is why scripts
//! run in a sandbox and tools behind a guard.

mod address;
pub mod auto_loaded_files;
mod bytes;
mod code;
mod context;
mod decode;
mod dialect;
mod disguise;
mod engine;
mod expression;
mod facts;
mod fields;
mod file;
mod finding;
mod flow;
mod fold;
mod found;
mod gaps;
mod glyphs;
mod grams;
mod here;
mod hosts;
mod kept;
mod kind;
mod markdown;
mod pattern;
mod pieces;
mod prepare;
mod quick;
mod reading;
mod required;
pub mod rules;
mod signals;
mod sketches;
mod slip;
mod speech;
mod statement;
mod subject;
mod targets;
mod text;
mod words;

pub use file::File;
pub use finding::{Finding, More, Report, Severity, Summary, UnknownSeverity};

/// Looks at all files of a skill, for somebody who reads what is found: see [`Report::shorten`].
pub fn scan(files: &[File<'_>]) -> Report {
    let mut report = examine(files);
    report.shorten();
    report
}

/// Looks at all files of a skill, for somebody who accepts findings before they are read.
pub fn examine(files: &[File<'_>]) -> Report {
    engine::scan(files)
}

#[cfg(test)]
mod complete;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
