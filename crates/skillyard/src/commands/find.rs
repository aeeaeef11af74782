//! `skillyard search` and `skillyard match`.

pub(crate) mod remote;
pub(crate) mod store;

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_catalog::finder::build_index;
use skillyard_catalog::search::stem::stem;
use skillyard_catalog::search::tokenize::words;
use skillyard_catalog::search::{Detail, Hit, Match, MatchOrigin, Options};
use skillyard_catalog::{Catalog, CatalogSkill};
use skillyard_format::text::one_line;

use super::list::mark;
use crate::commands::find::remote::{Narrowed, RemoteMatches, RemoteSearch, SearchScope};
use crate::commands::find::store::Stored;
use crate::context::Context;
use crate::error::{ExitStatus, Outcome};
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::text::sanitize::visible;

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
    choice: NameFilter,
}

impl SearchArgs {
    fn reach(&self) -> SearchScope {
        if self.registry || self.narrowed.is_given() {
            SearchScope::Registry
        } else if self.local || self.source.is_some() || self.choice.is_given() {
            SearchScope::Local
        } else {
            SearchScope::Both
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
    choice: NameFilter,
}

pub(crate) fn search(context: &Context, args: &SearchArgs) -> Outcome {
    let words = args.words.join(" ");
    let reach = args.reach();
    // What is wrong with the configuration is not a trouble of the registry.
    context.config()?;
    let RemoteSearch { found, failed } =
        remote::search(context, reach, &words, args.limit, &args.narrowed)?;
    let is_offline = args.narrowed.is_offline();
    let mut elsewhere = Elsewhere {
        remote: found,
        failed,
        stored: Vec::new(),
        is_offline,
    };
    if reach == SearchScope::Registry {
        return print(context, &[], &[], false, &elsewhere);
    }
    let chosen = args.choice.filter()?;
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
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
        elsewhere.stored = store::search(context, &words, args.limit, &catalog.skills)?;
    }
    print(context, &skills, &found, false, &elsewhere)
}

/// What was found, but for what is in use here.
#[derive(Default)]
struct Elsewhere {
    /// In registries, as they say or said.
    remote: Vec<RemoteMatches>,
    /// Why registries said nothing.
    failed: Vec<String>,
    /// In the store.
    stored: Vec<Stored>,
    /// Whether nobody was asked.
    is_offline: bool,
}

impl Elsewhere {
    fn is_empty(&self) -> bool {
        self.stored.is_empty() && self.remote.iter().all(RemoteMatches::is_empty)
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
        let mut results: Vec<Value> = elsewhere
            .remote
            .iter()
            .flat_map(RemoteMatches::json)
            .collect();
        results.extend(hits.iter().map(|(skill, hit)| json_hit(skill, hit)));
        results.extend(store::json(&elsewhere.stored));
        let mut answer = json!({ "results": results });
        if !elsewhere.failed.is_empty() {
            answer["failed"] = json!(elsewhere.failed);
        }
        if elsewhere.is_offline {
            let unseen = elsewhere.remote.iter().filter(|each| each.is_unseen());
            answer["unseen"] = unseen.map(RemoteMatches::registry).collect();
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
        text.push_str(&store::text(context, &elsewhere.stored));
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
        (false, _) => ExitStatus::Success,
        (true, true) => ExitStatus::Negative,
        // Nobody knows whether there is one.
        (true, false) => ExitStatus::Code(2),
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

/// Most words that are told of a skill.
const MAX_REASON_TERMS: usize = 8;

/// What a hit has in common with the task, each with what it is worth; `text` is what the skill says of
/// itself.
pub(crate) fn reasons(hit: &Hit, text: &str) -> Vec<(f32, String)> {
    let Some(explanation) = &hit.explanation else {
        return Vec::new();
    };
    let matches = explanation.matches.iter().take(MAX_REASON_TERMS);
    let mut reasons: Vec<(f32, String)> = matches
        .map(|each| (each.worth(), matched(each, text)))
        .collect();
    if explanation.name_bonus >= 0.05 {
        reasons.push((
            explanation.name_bonus,
            "its name is like the task".to_owned(),
        ));
    }
    if let Some(trigger) = &explanation.trigger {
        let (pattern, found) = (visible(&trigger.pattern), visible(&trigger.text));
        let reason = format!("its trigger `{pattern}` on `{found}`");
        reasons.push((trigger.worth, reason));
    }
    reasons
}

/// How a word of the task and one of a skill belong together.
fn how(origin: MatchOrigin) -> &'static str {
    match origin {
        MatchOrigin::Asked => "as written",
        MatchOrigin::Spelling => "spelled like",
        MatchOrigin::Compound => "part of",
        MatchOrigin::Related => "related to",
    }
}

fn matched(each: &Match, text: &str) -> String {
    let word = visible(&each.word);
    match each.origin {
        MatchOrigin::Asked => word.into_owned(),
        other => {
            let found = whole(&each.term, text);
            format!("{word} ({} `{}`)", how(other), visible(&found))
        }
    }
}

/// The word of a text that a term is the stem of; the instructions, which are not at hand, may have it
/// with any ending.
fn whole(term: &str, text: &str) -> String {
    let mut words = words(text).into_iter();
    let found = words.find(|word| stem(word) == term);
    found.unwrap_or_else(|| format!("{term}…"))
}
