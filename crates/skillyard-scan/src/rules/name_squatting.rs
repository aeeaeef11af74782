//! Names one letter away from another.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::look_alikes::is_typo;
use crate::prepare::UnitKind;

rule! {
    /// The name of the skill is a common word with a letter changed.
    ///
    /// A user who mistypes a name, or lets a model complete it, gets the skill of a third party.
    ///
    /// **Fix:** choose a name of its own.
    "scan-name-squatting", Medium,
    "choose a name of its own, or make sure that this is the skill you meant",
    keywords: &["name:"],
    check
}

/// Words that names of skills are made of.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "agent", "analysis", "analyzer", "android", "artifact", "assistant", "automation", "backup",
    "browser", "builder", "calendar", "checker", "claude", "cleaner", "client", "coding", "command",
    "commit", "config", "configuration", "container", "converter", "creator", "database",
    "debugger", "deploy", "deployment", "design", "diagnostics", "developer", "development",
    "docker", "document", "documentation", "download", "downloader", "email", "engineering",
    "excel", "extractor", "fetcher", "finder", "formatter", "frontend", "generator", "github",
    "gitlab", "google", "guidelines", "helper", "image", "inspector", "installer", "integration",
    "internal", "javascript", "kubernetes", "linter", "logger", "manager", "markdown", "memory",
    "message", "migration", "monitor", "network", "notion", "openai", "optimizer", "parser",
    "parsing", "planner", "playwright", "postgres", "powerpoint", "presentation", "processor",
    "project", "python", "react", "reader", "report", "research", "resume", "review", "reviewer",
    "runner", "scanner", "scraper", "search", "secure", "security", "server", "shell", "skill",
    "slack", "spreadsheet", "summarizer", "summary", "template", "terraform", "testing", "toolkit",
    "tracker", "translate", "translator", "typescript", "validator", "video", "weather", "webapp",
    "website", "workflow", "writer", "writing", "youtube",
];

/// Words of their own that are one letter away.
const KNOWN_NAMES: &[&str] = &[
    "tracer", "trader", "reactor", "linear", "scraped", "shelf", "skills", "manger",
];

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let is_name = ctx.unit.kind == UnitKind::Frontmatter && ctx.file.is_skill_file();
    let Some(name) = ctx.text.strip_prefix("name:").filter(|_| is_name) else {
        return;
    };
    for part in name.trim().trim_matches(['"', '\'']).split(['-', '_', ' ']) {
        let Some(word) = WORDS
            .iter()
            .find(|word| is_typo(part, word) && !KNOWN_NAMES.contains(&part))
        else {
            continue;
        };
        let message = format!("`{part}` is easily taken for `{word}`");
        findings.add(
            &RULE,
            ctx,
            0..ctx.text.len(),
            Severity::Medium.in_any_context(),
            message,
        );
        return;
    }
}
