//! `skillyard explain`.

pub(crate) mod skill;

use std::fmt::Write as _;

use serde_json::json;
use skillyard_format::rules::{self, Class};
use skillyard_format::text::nearest;
use skillyard_scan as scan;

use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::report::RuleNote;

/// Explain a rule of `validate` or `scan`, or why a skill is used or not
///
/// Examples:
///   skillyard explain yaml-unquoted-text     one rule
///   skillyard explain scan-pipe-to-shell     one rule of the scanner
///   skillyard explain                        all rules
///   skillyard explain skill pdf-tools        why it is listed, shadowed, hidden or shortened
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ExplainArgs {
    /// The code that stands in brackets in a diagnostic, or `skill`
    code: Option<String>,
    /// The skill's name, after `skill`
    name: Option<String>,
}

pub(crate) fn run(context: &Context, args: &ExplainArgs) -> Outcome {
    match (args.code.as_deref(), &args.name) {
        (Some("skill"), Some(name)) => return crate::commands::explain::skill::run(context, name),
        (Some("skill"), None) => return Err(CommandError::NoSkillName),
        (_, Some(extra)) => return Err(CommandError::UnexpectedArgument(extra.clone())),
        _ => {}
    }
    let chosen: Vec<RuleNote> = match &args.code {
        Some(code) => vec![find(code)?],
        None => all().collect(),
    };
    if context.printer.is_json() {
        let rules: Vec<_> = chosen
            .iter()
            .map(|rule| json!({ "code": rule.code, "kind": kind(*rule), "explanation": rule.explanation() }))
            .collect();
        context.printer.json(&json!({ "rules": rules }))?;
    } else if args.code.is_some() {
        let rule = chosen[0];
        let text = format!("{} ({})\n\n{}", rule.code, kind(rule), rule.explanation());
        context.printer.data(&text)?;
    } else {
        let widest = chosen.iter().map(|rule| rule.code.len()).max();
        let widest = widest.unwrap_or_default();
        let mut text = String::new();
        for rule in chosen {
            let summary = rule
                .explanation()
                .split("\n\n")
                .next()
                .unwrap_or_default()
                .replace('\n', " ");
            let _ = writeln!(text, "{:<widest$}  {summary}", rule.code);
        }
        context.printer.data(&text)?;
    }
    Ok(ExitStatus::Success)
}

/// What `validate` tells, then the rules of `scan`.
fn all() -> impl Iterator<Item = RuleNote> {
    let validate = RuleNote::of_format().chain(RuleNote::beside_rules());
    validate.chain(RuleNote::of_scan())
}

fn find(code: &str) -> Result<RuleNote, CommandError> {
    all()
        .find(|rule| rule.code == code)
        .ok_or_else(|| CommandError::NoSuchRule {
            code: code.to_owned(),
            nearest: nearest(code, all().map(|rule| rule.code)),
        })
}

fn kind(rule: RuleNote) -> String {
    if let Some(rule) = scan::rules::find(rule.code) {
        return format!("scanner, up to {}", rule.severity);
    }
    if RuleNote::beside_rules().any(|note| note.code == rule.code) {
        return "no rule, but said where none could be asked".to_owned();
    }
    match rules::find(rule.code).map(|rule| rule.class) {
        Some(Class::Fatal) => "without this a skill cannot be loaded",
        Some(Class::Format) => "the specification's text",
        Some(Class::Extension) => "outside the specification",
        Some(Class::Advice) | None => "advice",
    }
    .to_owned()
}
