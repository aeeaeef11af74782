//! How well a collection is found: labelled tasks against the ranking, without a model.

use super::find::{Hit, Options};
use super::index::Index;

/// How far down the ranking is looked at.
const DEPTH: usize = 10;

/// A task and the skills that are right for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task<'a> {
    /// What a user would ask.
    pub text: &'a str,
    /// Names or identifiers of the right skills.
    pub wanted: Vec<&'a str>,
}

/// What became of one task.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// For each wanted skill its rank from 1, where it is among the first ten.
    pub ranks: Vec<Option<usize>>,
    /// The best documents.
    pub hits: Vec<Hit>,
}

/// Recall over all tasks, each from 0 to 1, and what became of each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evaluation {
    /// The mean share of wanted skills in first place.
    pub recall_at_1: f64,
    /// The mean share of wanted skills among the first five.
    pub recall_at_5: f64,
    /// The mean share of wanted skills among the first ten.
    pub recall_at_10: f64,
    /// One outcome per task, in order.
    pub outcomes: Vec<Outcome>,
}

/// Searches for every task and counts the wanted skills that are found; tasks that want nothing do not count.
pub fn evaluate(index: &Index, tasks: &[Task<'_>], options: &Options<'_>) -> Evaluation {
    let outcomes: Vec<Outcome> = tasks.iter().map(|task| run(index, task, options)).collect();
    let recall = |depth: usize| {
        let shares: Vec<f64> = outcomes
            .iter()
            .filter(|outcome| !outcome.ranks.is_empty())
            .map(|outcome| {
                let found = outcome
                    .ranks
                    .iter()
                    .flatten()
                    .filter(|rank| **rank <= depth)
                    .count();
                found as f64 / outcome.ranks.len() as f64
            })
            .collect();
        if shares.is_empty() {
            0.0
        } else {
            shares.iter().sum::<f64>() / shares.len() as f64
        }
    };
    Evaluation {
        recall_at_1: recall(1),
        recall_at_5: recall(5),
        recall_at_10: recall(DEPTH),
        outcomes,
    }
}

fn run(index: &Index, task: &Task<'_>, options: &Options<'_>) -> Outcome {
    let options = Options {
        limit: DEPTH,
        filter: options.filter,
        detail: options.detail,
        scoring: options.scoring.clone(),
    };
    let hits = index.search(task.text, &options);
    let rank_of = |wanted: &&str| {
        let is_wanted =
            |hit: &Hit| index.name(hit.document) == *wanted || index.id(hit.document) == *wanted;
        hits.iter().position(is_wanted).map(|place| place + 1)
    };
    Outcome {
        ranks: task.wanted.iter().map(rank_of).collect(),
        hits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::SearchDocument;

    #[test]
    fn counts_by_name_and_by_id() {
        let skill =
            |id: &'static str, name: &'static str, description: &'static str| SearchDocument {
                id: id.into(),
                name: name.into(),
                description: description.into(),
                ..SearchDocument::default()
            };
        let index = Index::build([
            skill("a/pdf", "pdf", "Fill in PDF forms"),
            skill("b/sheet", "sheet", "Edit spreadsheets"),
            skill("c/pdf-merge", "pdf-merge", "Merge PDF files"),
        ]);
        let tasks = [
            Task {
                text: "fill in a pdf form",
                wanted: vec!["pdf", "c/pdf-merge"],
            },
            Task {
                text: "edit my spreadsheet",
                wanted: vec!["sheet"],
            },
            Task {
                text: "bake a cake",
                wanted: vec!["oven"],
            },
            Task {
                text: "nothing wanted",
                wanted: vec![],
            },
        ];
        let evaluation = evaluate(&index, &tasks, &Options::default());
        assert_eq!(evaluation.outcomes[0].ranks, [Some(1), Some(2)]);
        assert!((evaluation.recall_at_1 - 1.5 / 3.0).abs() < 1e-9);
        assert!((evaluation.recall_at_10 - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(
            evaluate(&index, &[], &Options::default()),
            Evaluation::default()
        );
    }
}
