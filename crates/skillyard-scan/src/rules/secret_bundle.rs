//! Secrets of many services, put together.

use std::collections::BTreeSet;

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// Secrets of services that have nothing to do with each other are put together.
    ///
    /// A client needs the key of its own service. Who gathers the tokens of a package
    /// registry, a cloud and a chat in one place means to carry them away, even where the
    /// sending is not in sight.
    ///
    /// **Fix:** read only the secret of the service that is used.
    "scan-secret-bundle", High,
    "read only the secret of the service that is used",
    keywords: &["environ", "process.env", "getenv"],
    check
}

static SECRET: Pattern = Pattern::new(
    r#"(?:os\.(?:environ(?:\.get)?|getenv)\s*[\[(]\s*['"]|process\.env(?:\.|\[['"]))[a-z0-9]+_?\w*(?:token|secret|passw(?:or)?d|key|database_url|credentials?)\b"#,
);
/// Names of one family, which one service reads together.
#[rustfmt::skip]
const FAMILIES: &[&[&str]] = &[
    &["aws", "s3", "bedrock", "amazon"],
    &["gh", "github"],
    &["gcp", "google", "gemini", "vertex"],
    &[
        "openai", "anthropic", "gemini", "google", "mistral", "groq", "deepseek", "openrouter",
        "llm", "azure", "xai", "cohere", "perplexity", "hf", "huggingface", "together", "moonshot",
        "dashscope", "qwen", "ollama", "claude", "nvidia", "ngc",
    ],
];
const PLAIN: &[&str] = &[
    "api", "secret", "access", "private", "client", "token", "auth", "app", "session", "database",
    "db",
];

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if !ctx.is_executed() {
        return;
    }
    let names = SECRET.find_all(ctx.text).take(20).map(|found| {
        let name = found.rsplit(['"', '\'', '.']).next().unwrap_or(found);
        name.split('_').next().unwrap_or(name)
    });
    let services: BTreeSet<&str> = names.filter(|name| !PLAIN.contains(name)).collect();
    let is_family = FAMILIES
        .iter()
        .any(|family| services.iter().all(|each| family.contains(each)));
    // One of several names for the same key is chosen with `or`.
    let is_choice = ctx.text.contains(" or os.") || ctx.text.contains("|| process.env");
    if services.len() < 2 || is_family || is_choice {
        return;
    }
    let list: Vec<&str> = services.into_iter().collect();
    let message = format!(
        "secrets of several services are put together: {}",
        list.join(", ")
    );
    findings.add(
        &RULE,
        ctx,
        0..ctx.text.len().min(200),
        Severity::High,
        message,
    );
}
