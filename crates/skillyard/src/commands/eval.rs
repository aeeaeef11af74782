//! `skillyard eval`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skillyard_catalog::finder::{build_index, describe};
use skillyard_catalog::search::{Evaluation, Options, Task, evaluate, near_duplicates};
use skillyard_catalog::{Catalog, CatalogSkill, Status};
use skillyard_format::yaml;
use skillyard_format::yaml::Node;

use super::find::choosable;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::library;
use crate::library::permission::Permissions;
use crate::library::{IndexMode, NameFilter, withheld};
use crate::text::sanitize::visible;
use crate::text::{counted, listed};

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
pub(crate) struct EvalArgs {
    /// The tasks, in YAML or JSON
    file: PathBuf,
    /// Exit code 1 where recall@1 is lower, or where a task that wants nothing finds something; 2 without any task
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(..=100))]
    min_recall: Option<u8>,
}

pub(crate) fn run(context: &Context, args: &EvalArgs) -> Outcome {
    let labelled = read_tasks(&args.file)?;
    // A gate that lets through whatever it did not look at is none.
    if args.min_recall.is_some() && labelled.is_empty() {
        return Err(CommandError::Tasks {
            path: args.file.clone(),
            message: "there is no task in it, so that `--min-recall` has nothing to measure".into(),
        });
    }
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
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
    let absent = absent_absent(context, &catalog, &labelled)?;
    let tasks: Vec<Task<'_>> = labelled
        .iter()
        .map(|each| Task {
            text: &each.text,
            wanted: each.wanted.iter().map(String::as_str).collect(),
        })
        .collect();
    let index = build_index(&skills);
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
    let status = ExitStatus::from_answer(failed.is_empty());
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
            "absent": absent_json(&absent),
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
    tell_absent(context, &absent);
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

/// A task and the names of the skills that fit it.
struct Labelled {
    text: String,
    wanted: Vec<String>,
}

/// Reads the tasks; what is not understood is said with its place in the list.
fn read_tasks(file: &Path) -> Result<Vec<Labelled>, CommandError> {
    let text = std::fs::read_to_string(file).map_err(|source| CommandError::Read {
        path: file.to_owned(),
        source,
    })?;
    let error = |message: String| CommandError::Tasks {
        path: file.to_owned(),
        message,
    };
    let text = text
        .strip_prefix(skillyard_format::text::BOM)
        .unwrap_or(&text);
    let tree = yaml::parse(text, 0).map_err(|each| {
        let line = skillyard_format::Position::of(text, each.span.start).line;
        error(format!("line {line}: {each}"))
    })?;
    let none = || error("it is not a list of tasks".into());
    let root = tree.root.ok_or_else(none)?;
    let items = match (root.as_sequence(), root.as_mapping()) {
        (Some(items), _) => items,
        (None, Some(map)) => map
            .get("tasks")
            .and_then(|entry| entry.value.as_sequence())
            .ok_or_else(|| error("it has no list of tasks".into()))?,
        (None, None) => return Err(none()),
    };
    items
        .iter()
        .enumerate()
        .map(|(at, item)| {
            labelled(item)
                .ok_or_else(|| error(format!("entry {} has no `task` and `skills`", at + 1)))
        })
        .collect()
}

fn labelled(item: &Node) -> Option<Labelled> {
    let map = item.as_mapping()?;
    let first = |keys: [&str; 3]| {
        let mut values = keys.into_iter().filter_map(|key| map.get(key));
        values.next().map(|entry| &entry.value)
    };
    let text = scalar(first(["task", "query", "prompt"])?)?;
    let wanted = first(["skills", "skill", "expected"])?;
    let wanted = match wanted.as_sequence() {
        Some(names) => names.iter().map(scalar).collect::<Option<_>>()?,
        None if wanted.is_null() => Vec::new(),
        None => vec![scalar(wanted)?],
    };
    Some(Labelled { text, wanted })
}

/// A text as it is written: a skill may be called `123`, which is a number to YAML.
fn scalar(node: &Node) -> Option<String> {
    let text = node.as_str().filter(|_| !node.is_null());
    text.map(str::to_owned)
}

/// A skill that takes no part.
struct Absent<'a> {
    name: &'a str,
    reason: String,
    remedy: Option<String>,
}

/// Those that take no part, in the order of the catalog.
fn absent_absent<'a>(
    context: &Context,
    catalog: &'a Catalog,
    tasks: &[Labelled],
) -> Result<Vec<Absent<'a>>, CommandError> {
    let is_wanted = |skill: &CatalogSkill| {
        let mut wanted = tasks.iter().flat_map(|task| &task.wanted);
        wanted.any(|name| *name == *skill.record.name)
    };
    let is_missed = |skill: &&CatalogSkill| match skill.status {
        Status::Enabled => !skill.record.model_invocable && is_wanted(skill),
        Status::Untrusted => true,
        _ => is_wanted(skill),
    };
    let missed: Vec<&CatalogSkill> = catalog.skills.iter().filter(is_missed).collect();
    if missed.is_empty() {
        return Ok(Vec::new());
    }
    let permissions = Permissions::load(context)?;
    let told = missed.into_iter().map(|skill| {
        let why = withheld::of(skill, &permissions);
        let (reason, remedy) = why.map_or_else(
            || ("no model may choose it".to_owned(), None),
            |why| (why.reason, why.remedy),
        );
        Absent {
            name: &skill.record.name,
            reason,
            remedy,
        }
    });
    Ok(told.collect())
}

/// Tells people of them, all with the same reason at once.
fn tell_absent(context: &Context, absent: &[Absent<'_>]) {
    let mut reasons: BTreeMap<(&str, Option<&str>), Vec<&str>> = BTreeMap::new();
    for each in absent {
        let why = (each.reason.as_str(), each.remedy.as_deref());
        reasons.entry(why).or_default().push(each.name);
    }
    for ((reason, remedy), names) in reasons {
        let take = if names.len() == 1 { "takes" } else { "take" };
        let mut note = format!("{} {take} no part: {reason}", listed(&names));
        if let Some(remedy) = remedy {
            note.push_str(". ");
            note.push_str(remedy);
        }
        context.printer.note(&visible(&note));
    }
}

/// The same for programs.
fn absent_json(absent: &[Absent<'_>]) -> Value {
    let each = |each: &Absent<'_>| json!({ "name": each.name, "reason": each.reason, "remedy": each.remedy });
    absent.iter().map(each).collect()
}
