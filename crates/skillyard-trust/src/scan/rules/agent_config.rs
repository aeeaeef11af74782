//! The agent's own settings and memory.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::facts::Fact;
use crate::scan::pattern::Pattern;
use crate::scan::prepare::Place;

rule! {
    /// The agent's settings, memory or permissions are changed, or other skills are.
    ///
    /// What stands in `CLAUDE.md`, `AGENTS.md`, a memory file or another skill is read in
    /// every later session; permissions that are widened stay wide. A skill that writes there
    /// outlives its own removal.
    ///
    /// **Fix:** let the user make the change.
    "scan-agent-config", Critical,
    "let the user change their agent's settings, memory and permissions",
    words: &[
        "claude.md", "agents.md", "memory.md", "soul.md", "settings.json", "mcp.json", ".cursorrules", "claude_desktop_config", "dangerously-skip-permissions",
        "autoapprove", "auto-approve", "auto_approve", "bypasspermissions", "required_permissions", "skills/", "--yolo", "dangerously-bypass", "alwaysallow", "trust_all", "skip-permissions", "identity.md", "anthropic_base_url", "openai_base_url", "heartbeat.md", "full-auto", "workspace.trust", "apikeyhelper", "chat.tools", "future session", "future conversation", "long-term memory", "permanent",
    ],
    check
}

static WRITE: Pattern = Pattern::new(
    r#"(?:>>?|\btee\s+(?:-a\s+)?)\s*["']?[^\s;|]*(?:claude\.md|agents\.md|memory\.md|soul\.md|heartbeat\.md|gemini\.md|\.claude/settings|\.cursorrules|mcp\.json|claude_desktop_config)|
    (?:write_text|writefile(?:sync)?|appendfile(?:sync)?)\s*\(\s*[^)]*(?:claude\.md|agents\.md|memory\.md|soul\.md|heartbeat\.md|\.claude/settings|claude_desktop_config)|open\s*\(\s*[^)]*(?:claude\.md|agents\.md|memory\.md|soul\.md|heartbeat\.md|\.claude/settings|claude_desktop_config)['"]\s*,\s*['"][aw]"#,
);
static ORDER: Pattern = Pattern::new(
    r"\b(?:append|write|add|modify|edit|update|insert|inject|overwrite|persist)\b[^.]{0,80}\b(?:to|in|into|the)\b[^.]{0,40}(?:\b(?:claude|agents|memory|soul|heartbeat|identity)\.md\b|\.claude/settings|system\s+prompt|other\s+skills?|\.cursorrules)",
);
static LASTING: Pattern = Pattern::new(
    r"\b(?:remember|store|save|persist|retain|apply|keep)\b[^.]{0,80}\b(?:in|for|across|to)\s+(?:all\s+)?(?:future\s+(?:sessions|conversations|tasks)|(?:long-term|permanent|persistent)\s+memory)\b",
);
static WIDEN: Pattern = Pattern::new(
    r#"--dangerously-(?:skip-permissions|bypass-\w+)|["']?auto_?-?approve["']?\s*[:=]\s*(?:true|\[\s*["']\*|["']?all)|bypasspermissions|["']?required_permissions["']?\s*:\s*\[?\s*["']all|["']?alwaysallow["']?\s*:\s*\[|--yolo\b|trust_all_tools|chat\.tools\.autoapprove["']?\s*:\s*true|workspace\.trust\.enabled["']?\s*:\s*false|["']?apikeyhelper["']?\s*:\s*["'][^"']*(?:curl|sh\b|/tmp)"#,
);
static ENDPOINT: Pattern = Pattern::new(
    r#"(?:anthropic|openai)_(?:base_url|api_base)['"]?\s*[:=]\s*['"]?https?://[^\s'"]+"#,
);
static OFFICIAL: Pattern = Pattern::new(
    r"https?://(?:[\w-]+\.)*(?:anthropic\.com|openai\.com|azure\.com|localhost|127\.|amazonaws\.com|openrouter\.ai|nvidia\.com|googleapis\.com|vercel\.sh|example\.)",
);

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let text = here.text;
    if matches!(here.unit.place, Place::Comment) {
        return;
    }
    if let Some(range) = ENDPOINT
        .find(text)
        .filter(|range| !OFFICIAL.is_match(&text[range.clone()]))
    {
        findings.add_named(
            &RULE,
            here,
            range,
            Severity::High,
            "requests of the agent are sent elsewhere",
        );
    } else if let Some(range) = WRITE.find(text).filter(|_| here.runs()) {
        let is_settings =
            text[range.clone()].contains("settings") || text[range.clone()].contains("config");
        let severity = match (here.has(Fact::Fetches), is_settings) {
            (true, _) => Severity::Critical,
            (false, true) => Severity::High,
            (false, false) => Severity::Medium,
        };
        findings.add(
            &RULE,
            here,
            range,
            severity,
            "the agent's memory or settings are written to",
        );
    } else if let Some(range) = WIDEN.find(text) {
        let is_order = here.unit.language == crate::scan::file::Language::Data
            && here.unit.place == Place::Code;
        let severity = match here.unit.place {
            Place::Code if is_order => Severity::High,
            Place::Code if here.file.is_document => Severity::Low,
            Place::Data | Place::Prose => Severity::Info,
            _ => Severity::Medium,
        };
        findings.add(
            &RULE,
            here,
            range,
            severity,
            "the agent's permissions are widened",
        );
    } else if let Some(range) = LASTING.find(text).filter(|_| {
        here.is_prose()
            && text.contains("rule") | text.contains("instruction") | text.contains("always")
    }) {
        findings.add(
            &RULE,
            here,
            range,
            Severity::Medium,
            "orders are to outlast the session",
        );
    } else if let Some(range) = ORDER.find(text).filter(|_| here.is_prose()) {
        let severity = if here.unit.place == Place::Hidden {
            Severity::High
        } else {
            Severity::Low
        };
        findings.add(
            &RULE,
            here,
            range,
            severity,
            "the agent is told to change its memory or settings",
        );
    }
}
