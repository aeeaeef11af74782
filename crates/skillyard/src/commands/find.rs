//! `skillyard search` and `skillyard match`.

mod reasons;

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_catalog::finder::build_index;
use skillyard_catalog::search::{Detail, Hit, Options};
use skillyard_catalog::{Catalog, CatalogSkill};
use skillyard_format::text::one_line;

pub(super) use self::reasons::reasons;

use self::reasons::how;
use super::Outcome;
use super::find_remote::{self, Asked, Found, Narrowed, Reach};
use super::find_store::{self, Stored};
use super::list::mark;
use crate::context::Context;
use crate::error::Status;
use crate::library::{self, Choice, IndexMode};
use crate::sanitize::visible;

/// Search skills by words, here and in the registry
///
/// Examples:
///   skillyard search pdf forms
///   skillyard search --registry pdf
///   skillyard search forms --owner acme --license MIT --no-scripts
///   skillyard search --source user spreadsheet
///   skillyard search --offline pdf   ask nobody: what is here, in the store, and was seen before
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true)]
    words: Vec<String>,
    /// Only skills of this source
    #[arg(long, value_parser = ["org-pinned", "plugin", "project", "user", "extra", "org", "builtin"])]
    source: Option<String>,
    /// Only skills that are here
    #[arg(long, conflicts_with = "registry")]
    local: bool,
    /// Only skills in the registry
    #[arg(long, conflicts_with = "source")]
    registry: bool,
    #[command(flatten)]
    narrowed: Narrowed,
    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    choice: Choice,
}

impl SearchArgs {
    fn reach(&self) -> Reach {
        if self.registry || self.narrowed.is_given() {
            Reach::Registry
        } else if self.local || self.source.is_some() || self.choice.is_given() {
            Reach::Local
        } else {
            Reach::Both
        }
    }
}

/// Show which skills fit a task, best first
///
/// This is the order in which `skillyard prompt --task` keeps skills. Only enabled ones take part.
///
/// Examples:
///   skillyard match "fill in the tax form and send it"
///   skillyard match "fill in the tax form" --explain
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct MatchArgs {
    /// The task, in the user's words
    task: String,
    /// Show what each word contributed
    #[arg(long)]
    explain: bool,
    /// Show at most this many
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: usize,
    #[command(flatten)]
    choice: Choice,
}

pub(crate) fn search(context: &Context, args: &SearchArgs) -> Outcome {
    let words = args.words.join(" ");
    let reach = args.reach();
    // What is wrong with the configuration is not a trouble of the registry.
    context.config()?;
    let Asked { found, failed } =
        find_remote::search(context, reach, &words, args.limit, &args.narrowed)?;
    let is_offline = args.narrowed.is_offline();
    let mut elsewhere = Elsewhere {
        remote: found,
        failed,
        stored: Vec::new(),
        is_offline,
    };
    if reach == Reach::Registry {
        return print(context, &[], &[], false, &elsewhere);
    }
    let chosen = args.choice.filter()?;
    let catalog = library::load(context, IndexMode::Use, &Choice::default())?;
    let skills: Vec<&CatalogSkill> = catalog
        .skills
        .iter()
        .filter(|skill| chosen(&skill.record.name))
        .filter(|skill| {
            args.source
                .as_deref()
                .is_none_or(|source| source == skill.kind.as_str())
        })
        .collect();
    let found = rank(&skills, &words, args.limit, Detail::Ranking);
    if is_offline {
        elsewhere.stored = find_store::search(context, &words, args.limit, &catalog.skills)?;
    }
    print(context, &skills, &found, false, &elsewhere)
}

/// What was found, but for what is in use here.
#[derive(Default)]
struct Elsewhere {
    /// In registries, as they say or said.
    remote: Vec<Found>,
    /// Why registries said nothing.
    failed: Vec<String>,
    /// In the store.
    stored: Vec<Stored>,
    /// Whether nobody was asked.
    is_offline: bool,
}

impl Elsewhere {
    fn is_empty(&self) -> bool {
        self.stored.is_empty() && self.remote.iter().all(Found::is_empty)
    }

    /// What nobody could see without asking.
    fn tell_unseen(&self, context: &Context) {
        if self.is_offline {
            context.printer.note(
                "offline: nobody was asked, so skills that no search and no installation here has shown are missing, and those of repositories and sites",
            );
        }
    }
}

pub(crate) fn match_task(context: &Context, args: &MatchArgs) -> Outcome {
    let catalog = library::load(context, IndexMode::Use, &args.choice)?;
    let skills: Vec<&CatalogSkill> = choosable(&catalog);
    let detail = if args.explain {
        Detail::Explained
    } else {
        Detail::Ranking
    };
    let found = rank(&skills, &args.task, args.limit, detail);
    let nowhere = Elsewhere::default();
    print(context, &skills, &found, args.explain, &nowhere)
}

/// The skills a model may choose from.
pub(super) fn choosable(catalog: &Catalog) -> Vec<&CatalogSkill> {
    catalog
        .enabled()
        .filter(|skill| skill.record.model_invocable)
        .collect()
}

/// The best `limit` of `skills` for `task`.
pub(super) fn rank(skills: &[&CatalogSkill], task: &str, limit: usize, detail: Detail) -> Vec<Hit> {
    build_index(skills).search(
        task,
        &Options {
            limit,
            detail,
            ..Options::default()
        },
    )
}

fn print(
    context: &Context,
    skills: &[&CatalogSkill],
    found: &[Hit],
    explain: bool,
    elsewhere: &Elsewhere,
) -> Outcome {
    let is_empty = found.is_empty() && elsewhere.is_empty();
    let hits: Vec<(&CatalogSkill, &Hit)> = found
        .iter()
        .filter_map(|hit| Some((*skills.get(hit.document as usize)?, hit)))
        .collect();
    if context.printer.is_json() {
        let mut results: Vec<Value> = elsewhere.remote.iter().flat_map(Found::json).collect();
        results.extend(hits.iter().map(|(skill, hit)| json_hit(skill, hit)));
        results.extend(find_store::json(&elsewhere.stored));
        let mut answer = json!({ "results": results });
        if !elsewhere.failed.is_empty() {
            answer["failed"] = json!(elsewhere.failed);
        }
        if elsewhere.is_offline {
            let unseen = elsewhere.remote.iter().filter(|each| each.is_unseen());
            answer["unseen"] = unseen.map(Found::registry).collect();
        }
        context.printer.json(&answer)?;
    } else {
        // Whoever searches with a registry at hand looks for what is not here yet.
        let remote = elsewhere.remote.iter();
        let mut text: String = remote.map(|remote| remote.text(context)).collect();
        for (skill, hit) in &hits {
            let _ = writeln!(
                text,
                "{} {}  {}\n    {}",
                mark(skill),
                context.printer.heading(&visible(&skill.record.name)),
                format_args!("{:.1}", hit.score),
                visible(&one_line(&skill.record.description)),
            );
            if explain {
                text.push_str(&explanation(skill, hit));
            }
        }
        text.push_str(&find_store::text(context, &elsewhere.stored));
        context.printer.data(&text)?;
        for remote in &elsewhere.remote {
            remote.note(context);
        }
        if is_empty && elsewhere.failed.is_empty() {
            context
                .printer
                .note("No skill matches; see all of them with `skillyard list`");
        }
        elsewhere.tell_unseen(context);
    }
    Ok(match (is_empty, elsewhere.failed.is_empty()) {
        (false, _) => Status::Yes,
        (true, true) => Status::No,
        // Nobody knows whether there is one.
        (true, false) => Status::Code(2),
    })
}

fn json_hit(skill: &CatalogSkill, hit: &Hit) -> Value {
    let mut value = json!({
        "name": skill.record.name,
        "description": skill.record.description,
        "source": skill.kind.as_str(),
        "path": skill.record.folder.to_string_lossy(),
        "status": skill.status.as_str(),
        "score": hit.score,
    });
    if let Some(explanation) = &hit.explanation {
        let words: Vec<Value> = explanation
            .matches
            .iter()
            .map(|each| json!({ "word": each.word, "term": each.term, "how": how(each.origin), "worth": each.worth() }))
            .collect();
        value["why"] = json!({
            "words": words,
            "name": explanation.name_bonus,
            "trigger": explanation.trigger.as_ref().map(|trigger| &trigger.text),
            "pattern": explanation.trigger.as_ref().map(|trigger| &trigger.pattern),
        });
    }
    value
}

fn explanation(skill: &CatalogSkill, hit: &Hit) -> String {
    let mut text = String::new();
    for (worth, reason) in reasons(hit, &said(skill)) {
        let _ = writeln!(text, "      {worth:>5.1}  {reason}");
    }
    text
}

/// What a skill says of itself.
pub(super) fn said(skill: &CatalogSkill) -> String {
    let record = &skill.record;
    format!("{} {}", record.name, record.description)
}
