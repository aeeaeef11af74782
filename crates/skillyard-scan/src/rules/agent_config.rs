//! The agent's own settings and memory.

use std::ops::Range;

use super::{Findings, UnitContext};
use crate::Severity;
use crate::auto_loaded_files::{self, INSTRUCTIONS};
use crate::facts::Fact;
use crate::file::Language;
use crate::intent::Intent;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;
use crate::severity_context::ContextSeverity;
use crate::skill::find_write_target;

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
    keywords: &[
        "claude.md", "agents.md", "memory.md", "soul.md", "settings.json", ".claude", ".cursor", ".codex", ".gemini", "openai_api_base", "mcp.json", ".cursorrules", "claude_desktop_config", "dangerously-skip-permissions",
        "autoapprove", "auto-approve", "auto_approve", "bypasspermissions", "required_permissions", "skills/", "--yolo", "dangerously-bypass", "alwaysallow", "trust_all", "skip-permissions", "identity.md", "anthropic_base_url", "openai_base_url", "heartbeat.md", "full-auto", "workspace.trust", "apikeyhelper", "chat.tools", "future session", "future conversation", "long-term memory", "permanent", "persistent memory", "memory file", "memory notes", "skill.md", "config.toml", "settings.local", "approval_policy", "danger-full-access", "permissions", ".mcp", "windsurfrules", "copilot-instructions", "gemini.md", "all assistants", "every project", "/skills", "defaultmode", "_api_base", "auto_-approve", "code user", "code/user", "code\\user", "code\", \"user", "code', 'user",
        ".aider.conf", ".amazonq", "augment-guidelines", "crush.json", "crushrc", "goosehints", "kilocodemodes", "roomodes", "roorules", ".rules", "agent.md", "agents.override", "claude.local", "crush.md", "qwen.md", "warp.md", "fastagent.config", "kilo.json", "opencode.json",
    ],
    check
}

static WRITE: Pattern = Pattern::new(
    r#"(?:>>?|\btee\s+(?:-a\s+)?)\s*["']?[^\s;|]*(?:claude\.md|agents\.md|memory\.md|soul\.md|heartbeat\.md|gemini\.md|\.claude/settings|\.cursorrules|mcp\.json|claude_desktop_config)|
    (?:write_text|writefile(?:sync)?|appendfile(?:sync)?)\s*\(\s*[^)]*(?:claude\.md|agents\.md|memory\.md|soul\.md|heartbeat\.md|\.claude/settings|claude_desktop_config)|open\s*\(\s*[^)]*(?:claude\.md|agents\.md|memory\.md|soul\.md|heartbeat\.md|\.claude/settings|claude_desktop_config)['"]\s*,\s*['"][aw]"#,
);
/// Files that say what an agent may do, or what every session reads.
static SETTINGS: Pattern = Pattern::new(
    r#"\.claude['"/\\,\s)]+(?:settings|hooks|commands|agents)|settings\.local\.json|\.claude\.json|\.cursor['"/\\,\s)]+(?:mcp|rules|hooks)|\.codex['"/\\,\s)]+(?:config\.toml|rules)|\.gemini['"/\\,\s)]+settings|code['"/\\,\s)]+user['"/\\,\s)]+settings|claude_desktop_config|(?:~|home|user)[^;]{0,40}\.mcp\.json|\.(?:cursor|windsurf)rules"#,
);
/// Files of other skills, or of this one, that a script writes.
static SKILLS: Pattern = Pattern::new(
    r#"(?:>>?|\btee\s+(?:-a\s+)?|-o\s+|--output\s+|open\s*\([^;]{0,60})["']?[^;|]{0,80}skill\.md|skills/\*|(?:append|write)\w*\s*\([^;]{0,80}skill\.md"#,
);
/// What was there before stays, with something behind it.
static ADDS: Pattern = Pattern::new(r"skills/\*|>>|\btee\s+-a|append");
static LASTS: Pattern = Pattern::new(
    r"\b(?:every|all|any|each)\s+(?:future|later|other|new)\b|\b(?:future|later|next)\s+(?:sessions?|conversations?|chats?|tasks?)\b|\bpre-?approved\b|\boutranks?\b|\boverrides?\s+everything\b|\bkeep\s+it\s+there\b|\bafter\s+the\s+task\b|\bhas\s+(?:approved|agreed)\b|\bdo\s+not\s+(?:list|mention|show)\b|\bevery\s+project\b|\ball\s+assistants\b|\bbefore\s+answering\b|\b(?:do(?:es)?\s+not|don't|never|no\s+longer)\s+needs?\s+(?:\w+\s+)?(?:approval|confirmation|permission)|\bwithout\s+(?:approval|confirmation|asking|permission)\b",
);
static EDITS: Pattern = Pattern::new(
    r"\b(?:append|write|add|insert|store|save|create|put|copy|install|persist|record|remember)\b",
);
static MEMORY: Pattern = Pattern::new(
    r"\b(?:claude|agents|memory|soul|heartbeat|identity|gemini)\.md\b|\b(?:your|the\s+agent's|persistent|long-term)\s+(?:\w+\s+)?memory\b|\bmemory\s+(?:file|notes|store)\b|\.cursorrules|\.claude/|system\s+prompt|\bother\s+skills?\b|~/\.\w+/skills|copilot-instructions",
);
static ASKS: Pattern = Pattern::new(
    r"\b(?:ask|propose|suggest|review|confirm|diff|if\s+the\s+user|when\s+the\s+user|optional\w*|you\s+can|users?\s+(?:can|may))\b",
);
static POISON: Intent = Intent {
    all: &[&EDITS, &MEMORY, &LASTS],
    none: &[&ASKS],
};

static ORDER: Pattern = Pattern::new(
    r"\b(?:append|write|add|modify|edit|update|insert|inject|overwrite|persist)\b[^.]{0,80}\b(?:to|in|into|the)\b[^.]{0,40}(?:\.\w{1,16}/)?(?:\b(?:claude|agents|memory|soul|heartbeat|identity)\.md\b|\.claude/settings|system\s+prompt|other\s+skills?|\.cursorrules)",
);
static LASTING: Pattern = Pattern::new(
    r"\b(?:remember|store|save|persist|retain|apply|keep)\b[^.]{0,80}\b(?:in|for|across|to)\s+(?:all\s+)?(?:future\s+(?:sessions|conversations|tasks)|(?:long-term|permanent|persistent)\s+memory)\b",
);
static WIDEN: Pattern = Pattern::new(
    r#"--dangerously-(?:skip-permissions|bypass-\w+)|["']?auto_?-?approve["']?\s*[:=]\s*(?:true|\[\s*["']\*|["']?all)|bypasspermissions|["']?required_permissions["']?\s*:\s*\[?\s*["']all|["']?alwaysallow["']?\s*:\s*\[|autoapprove['"\]]*\s*[:=]\s*true|approval_policy["']?\s*[:=]\s*["']?never|danger-full-access|defaultmode["']?\s*:\s*["']bypass|permissions[.\[\]'"]*allow['"\]]*\.(?:push|append|extend)|\bgemini\b[^;|]*--yolo|--yolo\b|trust_all_tools|chat\.tools\.autoapprove["']?\s*:\s*true|workspace\.trust\.enabled["']?\s*:\s*false|["']?apikeyhelper["']?\s*:\s*["'][^"']*(?:curl|sh\b|/tmp)"#,
);
/// Reasons to suppress questions.
static UNASKED: Pattern = Pattern::new(
    r"\bso\s+(?:that\s+)?[^.]{0,60}\b(?:not|no|never|without)\b[^.]{0,30}\b(?:interrupt\w*|questions?|ask\w*|prompt\w*|confirm\w*|approv\w+)",
);
static GRANTS: Pattern = Pattern::new(
    r"\b(?:approved?|allowed|never\s+needs?|without\s+asking|no\s+(?:question|confirmation)s?|trusted|permission)\b",
);
static AGENT: Pattern = Pattern::new(
    r"\b(?:claude|codex|gemini|cursor-agent|copilot|aider|opencode|qwen)\b[^;|]*--(?:dangerously|yolo|allow-all|full-auto|skip-perm)",
);
static HOME: Pattern = Pattern::new(r"~|\$\{?home|home\(\)|homedir|expanduser|userprofile");
static ENDPOINT: Pattern = Pattern::new(
    r#"(?:anthropic|openai)_(?:base_url|api_base)['"]?\s*[:=]\s*['"]?https?://[^\s'"]+"#,
);
static OFFICIAL: Pattern = Pattern::new(
    r"https?://(?:[\w-]+\.)*(?:anthropic\.com|openai\.com|azure\.com|localhost|127(?:\.\d+){3}|amazonaws\.com|openrouter\.ai|nvidia\.com|googleapis\.com|vercel\.sh|example\.(?:com|net|org))(?::\d+)?(?:[/?]|$)",
);

/// What was found: where, how bad, and in words.
type RuleMatch = (Range<usize>, ContextSeverity, &'static str);

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if matches!(ctx.unit.kind, UnitKind::Comment) {
        return;
    }
    let found = sent_elsewhere(ctx)
        .or_else(|| written(ctx))
        .or_else(|| poisoned(ctx))
        .or_else(|| widened(ctx))
        .or_else(|| ordered(ctx));
    if let Some((range, severity, message)) = found {
        findings.add(&RULE, ctx, range, severity, message);
    }
}

fn sent_elsewhere(ctx: &UnitContext<'_>) -> Option<RuleMatch> {
    let range = ENDPOINT.find(ctx.text)?;
    let is_official = OFFICIAL.is_match(&ctx.text[range.clone()]);
    let message = "requests of the agent are sent elsewhere";
    (!is_official).then(|| (range, Severity::High.even_quoted(), message))
}

/// What a script does to files that agents read.
fn written(ctx: &UnitContext<'_>) -> Option<RuleMatch> {
    let text = ctx.text;
    if !ctx.is_executed() {
        return None;
    }
    let fetches = ctx.has(Fact::Fetches);
    if let Some(range) = SKILLS
        .find(text)
        .filter(|_| ctx.writes_file() || ctx.has(Fact::Downloads))
    {
        let severity = match (fetches, ctx.file.is_document) {
            (true, _) => Severity::Critical,
            (false, false) if ADDS.is_match(text) => Severity::High,
            (false, false) => Severity::Medium,
            (false, true) => Severity::Low,
        };
        // A folder that is being made gets its first file; others are there already.
        let is_new = ctx.surrounding_texts(6).any(|text| text.contains("mkdir"));
        let severity = severity.lowered(if is_new { 3 } else { 0 });
        let message = "the instructions of a skill are rewritten";
        return Some((range, severity.into(), message));
    }
    if let Some(range) = WRITE.find(text) {
        let file = &text[range.clone()];
        let is_settings = file.contains("settings") || file.contains("config");
        let severity = match (fetches, is_settings) {
            (true, _) => Severity::Critical,
            (false, true) => Severity::High,
            // The user's own file is read in every project.
            (false, false) if !ctx.file.is_document && HOME.is_match(text) => Severity::High,
            (false, false) => Severity::Medium,
        };
        let message = "the agent's memory or settings are written to";
        return Some((range, severity.into(), message));
    }
    let is_instruction = |path: &str| auto_loaded_files::names(&[INSTRUCTIONS], path);
    if let Some(range) = find_write_target(text, is_instruction) {
        let severity = match (fetches, ctx.file.is_document) {
            (true, _) => Severity::Critical,
            (false, false) => Severity::Medium,
            (false, true) => Severity::Low,
        };
        let message = "what an agent reads in every session is written to";
        return Some((range, severity.into(), message));
    }
    let range = SETTINGS.find(text)?;
    let message = "a script changes the agent's settings";
    (!ctx.file.is_document && ctx.writes_file_nearby())
        .then(|| (range, Severity::High.even_quoted(), message))
}

fn poisoned(ctx: &UnitContext<'_>) -> Option<RuleMatch> {
    let range = POISON.find(ctx.text).filter(|_| ctx.is_prose())?;
    let message = "the agent is told to change what later sessions read";
    Some((range, Severity::High.into(), message))
}

fn widened(ctx: &UnitContext<'_>) -> Option<RuleMatch> {
    let range = WIDEN.find(ctx.text)?;
    if ctx.unit.kind == UnitKind::Prose && ctx.file.is_skill_file() && UNASKED.is_match(ctx.text) {
        let message = "the agent is to be started so that it asks nothing";
        return Some((range, Severity::High.into(), message));
    }
    if ctx.is_prose() && ORDER.is_match(ctx.text) && !ASKS.is_match(ctx.text) {
        let message = "the agent is told to write down that it asks nothing any more";
        return Some((range, Severity::High.into(), message));
    }
    let is_order = ctx.unit.language == Language::Data && ctx.unit.kind == UnitKind::Code;
    let severity = match ctx.unit.kind {
        UnitKind::Code if is_order => Severity::High,
        // A second agent without questions is the first one without questions.
        UnitKind::Code | UnitKind::Prose
            if ctx.file.is_skill_file() && AGENT.is_match(ctx.text) =>
        {
            Severity::Medium
        }
        UnitKind::Code if ctx.file.is_document => Severity::Low,
        UnitKind::Code => Severity::High,
        UnitKind::Data | UnitKind::Prose => Severity::Info,
        _ => Severity::Medium,
    };
    Some((
        range,
        severity.into(),
        "the agent's permissions are widened",
    ))
}

/// Orders to the agent to change itself.
fn ordered(ctx: &UnitContext<'_>) -> Option<RuleMatch> {
    let text = ctx.text;
    if !ctx.is_prose() {
        return None;
    }
    let is_rule = ["rule", "instruction", "always"]
        .iter()
        .any(|word| text.contains(word));
    if let Some(range) = LASTING.find(text).filter(|_| is_rule) {
        let severity = if GRANTS.is_match(text) {
            Severity::High
        } else {
            Severity::Medium
        };
        return Some((range, severity.into(), "orders are to outlast the session"));
    }
    let range = ORDER.find(text)?;
    let severity = if ctx.unit.kind == UnitKind::Hidden {
        Severity::High
    } else {
        Severity::Low
    };
    let message = "the agent is told to change its memory or settings";
    Some((range, severity.into(), message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tests::assert_keyword_in_each;

    #[test]
    fn every_name_is_asked_about() {
        assert_keyword_in_each(&RULE, INSTRUCTIONS.iter().copied());
    }
}
