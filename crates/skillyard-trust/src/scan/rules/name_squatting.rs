//! Names one letter away from another.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::prepare::Place;

rule! {
    /// The name of the skill is a common word with a letter changed.
    ///
    /// Whoever mistypes a name, or lets a model complete it, gets the skill of somebody else.
    ///
    /// **Fix:** choose a name of its own.
    "scan-name-squatting", Medium,
    "choose a name of its own, or make sure that this is the skill you meant",
    words: &["name"],
    check
}

/// Words that names of skills are made of.
const WORDS: &[&str] = &[
    "agent", "analysis", "analyzer", "android", "artifact", "assistant", "automation", "backup", "browser", "builder", "calendar",
    "checker", "claude", "cleaner", "client", "coding", "command", "commit", "config", "configuration", "container", "converter", "creator",
    "database", "debugger", "deploy", "deployment", "design", "developer", "development", "docker", "document", "documentation",
    "download", "downloader", "email", "engineering", "excel", "extractor", "fetcher", "finder", "formatter", "frontend",
    "generator", "github", "gitlab", "google", "guidelines", "helper", "image", "inspector", "installer", "integration", "internal",
    "javascript", "kubernetes", "linter", "logger", "manager", "markdown", "memory", "message", "migration", "monitor", "network", "notion",
    "openai", "optimizer", "parser", "parsing", "planner", "playwright", "postgres", "powerpoint", "presentation", "processor", "project", "python", "react",
    "reader", "report", "research", "resume", "review", "reviewer", "runner", "scanner", "scraper", "search", "secure", "security", "server", "shell", "skill",
    "slack", "spreadsheet", "summarizer", "summary", "template", "terraform", "testing", "toolkit", "tracker", "translate", "translator", "typescript",
    "validator", "video", "weather", "webapp", "website", "workflow", "writer", "writing", "youtube",
];

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let is_name = here.unit.place == Place::Frontmatter && here.file.is_skill_file();
    let Some(name) = here.text.strip_prefix("name:").filter(|_| is_name) else {
        return;
    };
    for part in name.trim().trim_matches(['"', '\'']).split(['-', '_', ' ']) {
        let Some(word) = WORDS.iter().find(|word| is_slip(part, word)) else {
            continue;
        };
        let message = format!("`{part}` is easily taken for `{word}`");
        findings.add_plain(&RULE, here, 0..here.text.len(), Severity::Medium, message);
        return;
    }
}

/// Whether `part` is `word` with letters swapped, doubled, left out or added inside.
fn is_slip(part: &str, word: &str) -> bool {
    let (part, word) = (part.as_bytes(), word.as_bytes());
    if part.len() < 5 || word.len() < 5 || part == word || part.len().abs_diff(word.len()) > 1 || part[0] != word[0] {
        return false;
    }
    let start = part.iter().zip(word).take_while(|(a, b)| a == b).count();
    let end = |a: &[u8], b: &[u8]| a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    match part.len().cmp(&word.len()) {
        std::cmp::Ordering::Equal => {
            let swapped = part.get(start) == word.get(start + 1) && part.get(start + 1) == word.get(start);
            swapped && part.get(start + 2..) == word.get(start + 2..)
        }
        // An ending such as `s` makes another form of the word, not a slip.
        std::cmp::Ordering::Greater => start + 1 < part.len() && end(&part[start + 1..], &word[start..]) == word.len() - start && start < word.len(),
        std::cmp::Ordering::Less => start + 1 < word.len() && end(&part[start..], &word[start + 1..]) == part.len() - start && start < part.len(),
    }
}
