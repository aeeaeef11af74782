//! Retrieval quality without a model: `zstd -dc finding.jsonl.zst | cargo run --release --example retrieval [-- --tune]`.
//!
//! One configuration for every set. Plain BM25 and its fusion are computed in the same run, by code that shares nothing with the core.
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation
)]

mod baseline;
mod data;
mod metrics;
mod tune;

use baseline::Bm25;
use data::Collection;
use metrics::Marks;
use skillyard_catalog::search::{Index, Options, fuse};

const METRICS: [&str; 4] = ["R@1", "R@5", "R@10", "nDCG@10"];

/// Tasks over one collection, in one wording.
pub(crate) struct Set<'a> {
    name: &'static str,
    collection: &'a Collection,
    index: Index,
    tasks: Vec<(&'a str, &'a [u32])>,
    /// Which baseline is to be beaten.
    rival: Rival,
}

#[derive(Clone, Copy, PartialEq)]
enum Rival {
    Head,
    Fusion,
}

impl<'a> Set<'a> {
    fn new(
        name: &'static str,
        collection: &'a Collection,
        rival: Rival,
        tasks: Vec<(&'a str, &'a [u32])>,
    ) -> Self {
        Self {
            name,
            collection,
            index: Index::build(collection.documents()),
            tasks,
            rival,
        }
    }

    fn marks(&self, mut search: impl FnMut(&str) -> Vec<u32>) -> Vec<Marks> {
        self.tasks
            .iter()
            .map(|(task, wanted)| metrics::mark(&search(task), wanted))
            .collect()
    }

    fn ours(&self, options: &Options<'_>) -> Vec<Marks> {
        self.marks(|task| {
            self.index
                .search(task, options)
                .into_iter()
                .map(|hit| hit.document)
                .collect()
        })
    }

    /// Our marks on the tasks that may be looked at while designing: every second one of a large set.
    fn design(&self, options: &Options<'_>) -> Vec<Marks> {
        let step = if self.tasks.len() > 500 { 2 } else { 1 };
        self.ours(options).into_iter().step_by(step).collect()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let collections = data::read(&["skillsbench", "toole"])?;
    let [skillsbench, toole] = collections.as_slice() else {
        return Err("two sets expected".into());
    };
    let both = Collection::joined(toole, skillsbench);
    let short = skillsbench.short_tasks();
    let misspelt = data::misspelt(&short);
    let sets = [
        Set::new(
            "skillsbench long",
            skillsbench,
            Rival::Fusion,
            skillsbench.tasks(),
        ),
        Set::new(
            "skillsbench short",
            skillsbench,
            Rival::Fusion,
            short.clone(),
        ),
        Set::new("toole", toole, Rival::Head, toole.tasks()),
        Set::new(
            "toole tasks among all skills",
            &both,
            Rival::Fusion,
            toole.tasks(),
        ),
        Set::new(
            "skillsbench short, misspelt",
            skillsbench,
            Rival::Fusion,
            misspelt
                .iter()
                .map(|(task, wanted)| (task.as_str(), *wanted))
                .collect(),
        ),
    ];
    if arguments.next().is_some_and(|flag| flag == "--tune") {
        tune::run(&sets[..3]);
    } else {
        sets.iter().for_each(print_set);
    }
    Ok(())
}

fn print_set(set: &Set<'_>) {
    let head = Bm25::build(
        set.collection
            .skills
            .iter()
            .map(|skill| format!("{} {}", skill.name, skill.description)),
    );
    let text = Bm25::build(set.collection.skills.iter().map(|skill| {
        format!(
            "{} {} {}",
            skill.name,
            skill.description,
            skill.body.as_deref().unwrap_or_default()
        )
    }));
    let plain = set.marks(|task| head.search(task));
    let body = set.marks(|task| text.search(task));
    let fused = set.marks(|task| {
        let rankings = (head.search(task), text.search(task));
        fuse(&[(1.0, &rankings.0), (1.0, &rankings.1)])
            .into_iter()
            .map(|(document, _)| document)
            .collect()
    });
    let ours = set.ours(&Options::default());
    println!(
        "\n{} ({} tasks, {} skills)",
        set.name,
        set.tasks.len(),
        set.index.len()
    );
    println!(
        "{:<28} {:>6} {:>6} {:>6} {:>8}",
        "method", METRICS[0], METRICS[1], METRICS[2], METRICS[3]
    );
    let rows = [
        ("(a) BM25 name+description", &plain),
        ("(b) BM25 with body", &body),
        ("(c) RRF of (a) and (b)", &fused),
        ("(d) ours", &ours),
    ];
    for (name, marks) in rows {
        let [one, five, ten, gain] = metrics::mean(marks);
        println!("{name:<28} {one:>6.1} {five:>6.1} {ten:>6.1} {gain:>8.1}");
    }
    let (name, theirs) = if set.rival == Rival::Head {
        ("(a)", &plain)
    } else {
        ("(c)", &fused)
    };
    print_difference(&format!("ours minus {name}"), &ours, theirs);
    if set.tasks.len() > 500 {
        for (half, skip) in [("design half", 0), ("held-out half", 1)] {
            let pick = |marks: &[Marks]| -> Vec<Marks> {
                marks.iter().skip(skip).step_by(2).copied().collect()
            };
            print_difference(
                &format!("{half}: ours minus {name}"),
                &pick(&ours),
                &pick(theirs),
            );
        }
    }
}

fn print_difference(title: &str, ours: &[Marks], theirs: &[Marks]) {
    println!("{title}, 95% interval of 10,000 paired resamples");
    let (mean_ours, mean_theirs) = (metrics::mean(ours), metrics::mean(theirs));
    for (place, metric) in METRICS.iter().enumerate() {
        let (difference, low, high) = metrics::bootstrap(ours, theirs, place);
        println!(
            "  {metric:<8} {:>5.1} - {:>5.1} = {difference:>+5.1}  [{low:+.1}, {high:+.1}]",
            mean_ours[place], mean_theirs[place]
        );
    }
}
