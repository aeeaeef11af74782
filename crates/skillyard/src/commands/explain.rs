//! `skillyard explain`.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_format::nearest::nearest;
use skillyard_format::rules::{self, Class, Rule};

use super::Outcome;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::report::explanation;

/// Explain a rule of `validate`, or why a skill is used or not
///
/// Examples:
///   skillyard explain yaml-unquoted-text     one rule
///   skillyard explain                        all rules
///   skillyard explain skill pdf-tools        why it is listed, shadowed, hidden or shortened
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The code that stands in brackets in a diagnostic, or `skill`
    code: Option<String>,
    /// The skill's name, after `skill`
    name: Option<String>,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    match (args.code.as_deref(), &args.name) {
        (Some("skill"), Some(name)) => return super::explain_skill::run(context, name),
        (Some("skill"), None) => return Err(CommandError::NoSkillName),
        (_, Some(extra)) => return Err(CommandError::UnexpectedArgument(extra.clone())),
        _ => {}
    }
    let chosen: Vec<&Rule> = match &args.code {
        Some(code) => vec![find(code)?],
        None => rules::ALL.to_vec(),
    };
    if context.printer.is_json() {
        let rules: Vec<_> = chosen
            .iter()
            .map(|rule| json!({ "code": rule.code, "kind": kind(rule), "explanation": explanation(rule) }))
            .collect();
        context.printer.json(&json!({ "rules": rules }))?;
    } else if args.code.is_some() {
        let rule = chosen[0];
        let text = format!("{} ({})\n\n{}", rule.code, kind(rule), explanation(rule));
        context.printer.data(&text)?;
    } else {
        let mut text = String::new();
        for rule in chosen {
            let summary = explanation(rule)
                .split("\n\n")
                .next()
                .unwrap_or_default()
                .replace('\n', " ");
            let _ = writeln!(text, "{:<26} {summary}", rule.code);
        }
        context.printer.data(&text)?;
    }
    Ok(Status::Yes)
}

fn find(code: &str) -> Result<&'static Rule, CommandError> {
    rules::find(code).ok_or_else(|| CommandError::NoSuchRule {
        code: code.to_owned(),
        nearest: nearest(code, rules::ALL.iter().map(|rule| rule.code)),
    })
}

fn kind(rule: &Rule) -> &'static str {
    match rule.class {
        Class::Fatal => "without this a skill cannot be loaded",
        Class::Format => "the specification's text",
        Class::Extension => "outside the specification",
        Class::Advice => "advice",
    }
}
