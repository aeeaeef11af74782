//! Orders where readers do not look.

use super::{Findings, Here};
use crate::scan::Severity;
use crate::scan::pattern::Pattern;
use crate::scan::prepare::Place;

rule! {
    /// A comment or invisible style hides orders to the agent.
    ///
    /// A rendered page does not show HTML comments, link definitions, or text without size or
    /// colour; the agent reads all of it.
    ///
    /// **Fix:** remove it, or say it openly.
    "scan-hidden-comment", Critical,
    "remove it, or say it openly",
    words: &["run", "execute", "send", "curl", "ignore", "must", "instruction", "agent", "assistant", "upload", "download", "http", "display:", "font-size", "color:", "opacity", "visibility", "read ", "claude", "secret", "token"],
    check
}

static ORDER: Pattern = Pattern::new(
    r"\b(?:ai|agents?|assistants?|claude|model|llm|system)\b[^.]{0,60}\b(?:must|should|please|always|need\s+to|:)[^.]{0,80}\b(?:run|execute|send|read|upload|ignore|fetch|include|add|download|install|call)\b|
    \b(?:curl|wget)\s+\S*\s*\S*https?:|\b(?:send|upload|post|forward|exfiltrate)\b[^.]{0,80}(?:https?://|\b(?:credentials?|tokens?|secrets?|environment|passwords?|ssh)\b)|
    \bignore\s+(?:all\s+|any\s+)?(?:previous|prior|other|above)|\b(?:execute|run)\s+(?:the\s+following|this\s+command|`|silently|scripts?/)|\bsystem\s*(?:prompt|override|instruction)|\bhidden\s+instruction|
    \b(?:read|cat)\s+[~./]\S*(?:\.ssh|\.env|\.aws|credentials)",
);
static STYLE: Pattern = Pattern::new(
    r"style\s*=\s*['\x22][^'\x22]*(?:display\s*:\s*none|font-size\s*:\s*0|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0\d*)?\s*[;'\x22]|color\s*:\s*(?:white|\#fff(?:fff)?\b|transparent))",
);
static SPEAKS: Pattern =
    Pattern::new(r"\b(?:agent|assistant|must|ignore|instructions?|execute|send|run)\b");

fn check(here: &Here<'_>, findings: &mut Findings<'_>) {
    let text = here.text;
    if here.unit.place == Place::Hidden {
        if let Some(range) = ORDER.find(text) {
            findings.add_plain(
                &RULE,
                here,
                range,
                Severity::High,
                "a comment that is not shown gives orders",
            );
        }
    } else if here.is_prose()
        && text.contains("style")
        && let Some(range) = STYLE.find(text)
        && SPEAKS.is_match(text)
        && here.file.path.to_ascii_lowercase().ends_with(".md")
    {
        findings.add(
            &RULE,
            here,
            range,
            Severity::High,
            "text that is not shown gives orders",
        );
    }
}
