//! Cross-validation of the numbers of the ranking: coordinate ascent on the training folds, marks on the fold left out.

use std::collections::HashMap;

use skillyard_catalog::search::{Options, Scoring};

use crate::Set;
use crate::metrics::{self, Marks};

const FOLDS: usize = 5;
/// A change must gain this much on the training folds, in points, or the rounder earlier value stays.
const WORTHWHILE: f64 = 0.1;

type Setter = fn(&mut Scoring, f32);

const DIALS: &[(&str, Setter, &[f32])] = &[
    (
        "text weight",
        |s, v| s.text_weight = v,
        &[0.5, 0.7, 1.0, 1.5, 2.0],
    ),
    (
        "related weight",
        |s, v| s.related_weight = v,
        &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
    ),
    (
        "related need",
        |s, v| s.related_need = v,
        &[1.0, 2.0, 4.0, 8.0],
    ),
    (
        "related limit",
        |s, v| s.related_limit = v,
        &[0.6, 1.0, 1.5, 3.0],
    ),
    (
        "faint weight",
        |s, v| s.faint_weight = v,
        &[0.1, 0.2, 0.3, 0.5],
    ),
    (
        "name weight",
        |s, v| s.field_weights[0] = v,
        &[1.0, 1.5, 2.0, 3.0],
    ),
    (
        "name length",
        |s, v| s.length_penalties[0] = v,
        &[0.1, 0.3, 0.5, 0.75],
    ),
    (
        "description length",
        |s, v| s.length_penalties[1] = v,
        &[0.1, 0.3, 0.5, 0.75],
    ),
    (
        "head saturation",
        |s, v| s.head_saturation = v,
        &[0.6, 0.9, 1.2, 1.6],
    ),
    (
        "text saturation",
        |s, v| s.text_saturation = v,
        &[0.6, 0.9, 1.2, 1.6],
    ),
    (
        "text length",
        |s, v| s.text_penalty = v,
        &[0.1, 0.3, 0.5, 0.75],
    ),
    (
        "task saturation",
        |s, v| s.task_saturation = v,
        &[0.2, 0.5, 1.0, 2.0],
    ),
    (
        "compound weight",
        |s, v| s.compound_weight = v,
        &[0.0, 0.2, 0.3, 0.5],
    ),
    (
        "spelling weight",
        |s, v| s.spelling_weight = v,
        &[0.2, 0.4, 0.6],
    ),
    (
        "name bonus",
        |s, v| s.name_weight = v,
        &[0.0, 0.3, 0.6, 1.0],
    ),
];

/// Textbook BM25 values and no idea of ours: where the search for better numbers starts, so that its gain is honest.
fn textbook() -> Scoring {
    Scoring {
        field_weights: [1.0, 1.0, 1.0, 1.0, 0.0],
        length_penalties: [0.75, 0.75, 0.75, 0.75, 0.0],
        text_penalty: 0.75,
        faint_weight: 1.0,
        related_weight: 0.0,
        compound_weight: 0.0,
        name_weight: 0.0,
        ..Scoring::default()
    }
}

struct Bench<'a> {
    sets: &'a [Set<'a>],
    memo: HashMap<String, Vec<Vec<Marks>>>,
}

impl Bench<'_> {
    fn marks(&mut self, scoring: &Scoring) -> &Vec<Vec<Marks>> {
        let sets = self.sets;
        self.memo.entry(format!("{scoring:?}")).or_insert_with(|| {
            let options = Options {
                scoring: scoring.clone(),
                ..Options::default()
            };
            sets.iter().map(|set| set.design(&options)).collect()
        })
    }

    fn pick(&mut self, scoring: &Scoring, keep: impl Fn(usize) -> bool) -> Vec<Marks> {
        self.marks(scoring)
            .iter()
            .map(|marks| {
                metrics::mean(
                    &(0..)
                        .zip(marks)
                        .filter(|(place, _)| keep(*place))
                        .map(|(_, mark)| *mark)
                        .collect::<Vec<_>>(),
                )
            })
            .collect()
    }

    fn worth(&mut self, scoring: &Scoring, keep: impl Fn(usize) -> bool) -> f64 {
        let means = self.pick(scoring, keep);
        means
            .iter()
            .map(|[_, five, ten, gain]| gain + 0.25 * five + 0.25 * ten)
            .sum::<f64>()
            / means.len() as f64
            / 1.5
    }

    fn ascend(&mut self, keep: impl Fn(usize) -> bool + Copy) -> Scoring {
        let mut best = textbook();
        let mut worth = self.worth(&best, keep);
        for _ in 0..2 {
            for (_, set, values) in DIALS {
                let start = best.clone();
                for value in *values {
                    let mut changed = start.clone();
                    set(&mut changed, *value);
                    let gained = self.worth(&changed, keep);
                    if gained > worth + WORTHWHILE {
                        worth = gained;
                        best = changed;
                    }
                }
            }
        }
        best
    }
}

/// Prints what tuning gives on tasks that it did not see.
pub(crate) fn run(sets: &[Set<'_>]) {
    let mut bench = Bench {
        sets,
        memo: HashMap::new(),
    };
    let base = Scoring::default();
    let row = |name: &str, means: &[Marks]| {
        print!("{name:<16}");
        for [one, five, ten, gain] in means {
            print!(" | {one:5.1} {five:5.1} {ten:5.1} {gain:5.1}");
        }
        println!();
    };
    row("textbook", &bench.pick(&textbook(), |_| true));
    row("default", &bench.pick(&base, |_| true));
    let mut left_out = vec![[0.0; 4]; sets.len()];
    for fold in 0..FOLDS {
        let tuned = bench.ascend(|place| place % FOLDS != fold);
        let ours = bench.pick(&tuned, |place| place % FOLDS == fold);
        row(&format!("fold {fold} tuned"), &ours);
        for (sum, mark) in left_out.iter_mut().zip(&ours) {
            (0..4).for_each(|place| sum[place] += mark[place] / FOLDS as f64);
        }
        changes(&textbook(), &tuned);
    }
    row("left out, mean", &left_out);
    let all = bench.ascend(|_| true);
    row("tuned on all", &bench.pick(&all, |_| true));
    changes(&textbook(), &all);
}

fn changes(base: &Scoring, tuned: &Scoring) {
    let (base, tuned) = (format!("{base:#?}"), format!("{tuned:#?}"));
    let changed: Vec<&str> = base
        .lines()
        .zip(tuned.lines())
        .filter(|(a, b)| a != b)
        .map(|(_, b)| b.trim())
        .collect();
    println!("    {}", changed.join(" "));
}
