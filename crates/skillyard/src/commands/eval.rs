//! `skillyard eval`.

mod absent;
mod tasks;

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::json;
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::finder::{build_index, describe};
use skillyard_catalog::search::{Evaluation, Options, Task, evaluate, near_duplicates};

use self::tasks::Labelled;
use super::Outcome;
use super::find::choosable;
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::library::{self, Choice, IndexMode};
use crate::report::counted;
use crate::sanitize::visible;

/// How alike two descriptions are when they are reported.
const ALIKE: f32 = 0.6;

/// Measure whether tasks find the skills that fit them
///
/// FILE is YAML or JSON: a list of tasks with the names of the skills that fit them.
///
///   - task: fill in the tax form
///     skills: [pdf-tools]
///   - query: what is the weather        # nothing should be found first
///     skills: []
///
/// Examples:
///   skillyard eval triggers.yaml
///   skillyard eval triggers.yaml --json
///   skillyard eval triggers.yaml --min-recall 90   for CI
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The tasks, in YAML or JSON
    file: PathBuf,
    /// Exit code 1 where recall@1 is lower, or where a task that wants nothing finds something; 2 without any task
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(..=100))]
    min_recall: Option<u8>,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let labelled = tasks::read(&args.file)?;
    // A gate that lets through whatever it did not look at is none.
    if args.min_recall.is_some() && labelled.is_empty() {
        return Err(CommandError::Tasks {
            path: args.file.clone(),
            message: "there is no task in it, so that `--min-recall` has nothing to measure".into(),
        });
    }
    let catalog = library::load(context, IndexMode::Use, &Choice::default())?;
    let skills = choosable(&catalog);
    for (at, task) in labelled.iter().enumerate() {
        for name in &task.wanted {
            library::find(context, &catalog, name).map_err(|error| CommandError::Tasks {
                path: args.file.clone(),
                message: format!(
                    "task {}, `{}`: {error}. {}",
                    at + 1,
                    visible(&task.text),
                    error.hint().unwrap_or_default()
                ),
            })?;
        }
    }
    let absent = absent::absent(context, &catalog, &labelled)?;
    let index = build_index(&skills);
    let tasks: Vec<Task<'_>> = labelled
        .iter()
        .map(|each| Task {
            text: &each.text,
            wanted: each.wanted.iter().map(String::as_str).collect(),
        })
        .collect();
    let evaluation = evaluate(&index, &tasks, &Options::default());
    let alike = alike(&skills);
    let misses: Vec<(&Labelled, Vec<&str>)> = labelled
        .iter()
        .zip(&evaluation.outcomes)
        .filter(|(task, outcome)| {
            let is_late = |rank: &Option<usize>| rank.is_none_or(|rank| rank > 1);
            if task.wanted.is_empty() {
                !outcome.hits.is_empty()
            } else {
                outcome.ranks.iter().any(is_late)
            }
        })
        .map(|(task, outcome)| {
            let first = outcome
                .hits
                .iter()
                .take(3)
                .filter_map(|hit| skills.get(hit.document as usize));
            (
                task,
                first.map(|skill| skill.record.name.as_str()).collect(),
            )
        })
        .collect();
    let is_measured = labelled.iter().any(|task| !task.wanted.is_empty());
    let recall_at_1 = is_measured.then_some(evaluation.recall_at_1);
    let failed = args
        .min_recall
        .map_or_else(Vec::new, |percent| failures(percent, recall_at_1, &misses));
    let status = Status::of(failed.is_empty());
    if context.printer.is_json() {
        let recall = |share: f64| is_measured.then_some(share);
        context.printer.json(&json!({
            "tasks": labelled.len(),
            "recall": {
                "1": recall(evaluation.recall_at_1),
                "5": recall(evaluation.recall_at_5),
                "10": recall(evaluation.recall_at_10),
            },
            "misses": misses.iter().map(|(task, first)| json!({ "task": task.text, "wanted": task.wanted, "found": first })).collect::<Vec<_>>(),
            "alike": alike.iter().map(|(a, b, similarity)| json!({ "first": a, "second": b, "similarity": similarity })).collect::<Vec<_>>(),
            "absent": absent::json(&absent),
            "failed": failed,
        }))?;
        return Ok(status);
    }
    let mut text = format!(
        "{} over {}\n",
        counted(labelled.len(), "task"),
        counted(skills.len(), "skill")
    );
    text.push_str(&recall(&evaluation, is_measured));
    text.push_str(&late(&misses));
    text.push_str(&confused(&alike));
    context.printer.data(&text)?;
    absent::tell(context, &absent);
    for reason in &failed {
        context.printer.people(&format!("Failed: {reason}"));
    }
    Ok(status)
}

/// Why the tasks do not pass `--min-recall`.
fn failures(percent: u8, recall: Option<f64>, misses: &[(&Labelled, Vec<&str>)]) -> Vec<String> {
    let mut failed = Vec::new();
    if let Some(recall) = recall.filter(|recall| recall * 100.0 < f64::from(percent)) {
        // What is too little is not rounded up to enough.
        let reached = (recall * 1000.0).floor() / 10.0;
        failed.push(format!(
            "recall@1 is {reached:.1} %, and `--min-recall` wants {percent} %"
        ));
    }
    let unwanted = misses.iter().filter(|(task, _)| task.wanted.is_empty());
    let unwanted = unwanted.count();
    if unwanted > 0 {
        let tasks = counted(unwanted, "task");
        failed.push(format!("{tasks} that should find nothing found something"));
    }
    failed
}

/// The tasks whose skills did not come first, in words.
fn late(misses: &[(&Labelled, Vec<&str>)]) -> String {
    if misses.is_empty() {
        return String::new();
    }
    let mut text = String::from("\nNot first:\n");
    for (task, first) in misses {
        let wanted = match task.wanted.as_slice() {
            [] => "nothing".to_owned(),
            names => names.join(", "),
        };
        let found = match first.as_slice() {
            [] => "nothing".to_owned(),
            names => names.join(", "),
        };
        let _ = writeln!(
            text,
            "  {}\n    wanted {}, found {}",
            visible(&task.text),
            visible(&wanted),
            visible(&found)
        );
    }
    text
}

/// How often skills were found, in words.
fn recall(evaluation: &Evaluation, is_measured: bool) -> String {
    if !is_measured {
        return "  no recall, because no task wants a skill\n".to_owned();
    }
    format!(
        "  recall@1   {:>5.1} %\n  recall@5   {:>5.1} %\n  recall@10  {:>5.1} %\n",
        evaluation.recall_at_1 * 100.0,
        evaluation.recall_at_5 * 100.0,
        evaluation.recall_at_10 * 100.0,
    )
}

/// The skills that say nearly the same, in words.
fn confused(alike: &[(&str, &str, f32)]) -> String {
    let mut text = String::new();
    if !alike.is_empty() {
        text.push_str("\nDescriptions that are easily confused:\n");
    }
    for (first, second, similarity) in alike {
        let _ = writeln!(
            text,
            "  {:>3.0} %  {} and {}",
            similarity * 100.0,
            visible(first),
            visible(second)
        );
    }
    text
}

fn alike<'a>(skills: &[&'a CatalogSkill]) -> Vec<(&'a str, &'a str, f32)> {
    let documents: Vec<_> = skills.iter().map(|skill| describe(skill)).collect();
    let name = |at: u32| {
        skills
            .get(at as usize)
            .map_or("", |skill| skill.record.name.as_str())
    };
    near_duplicates(&documents, ALIKE)
        .into_iter()
        .map(|pair| (name(pair.first), name(pair.second), pair.similarity))
        .collect()
}
