//! Encoded text that says more than data would.

use super::{Findings, PreparedSkill, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// Encoded text turns out to hold a command, code, or orders to the agent.
    ///
    /// Base64, hex, escapes and lists of character codes are decoded, twice if need be. Data
    /// has no need to look like a program, and a program no need to look like data.
    ///
    /// **Fix:** write it as it is, or explain what it is.
    "scan-encoded-payload", Critical,
    "decode it and read it before anything is run; write it as it is",
    skill: check_all
}

static COMMAND: Pattern = Pattern::new(
    r"\b(?:curl|wget)\b.*https?:|/bin/(?:ba)?sh\b|\b(?:ba|z)?sh\s+-[ci]\b|/dev/tcp/|\bpowershell\b|\binvoke-|\bnc\s+-|\bsocket\b.*\bconnect|os\.system|subprocess|child_process|
    \bexec\s*\(|\beval\s*\(|__import__|\bimport\s+(?:os|socket|subprocess|urllib|requests|base64)\b|\brm\s+-rf|\bignore\s+(?:all\s+)?(?:previous|prior)|\bchmod\s+\+x",
);
static ADDRESS: Pattern = Pattern::new(r"^\s*https?://");

fn check_all(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for (index, file) in skill.files.iter().enumerate() {
        for (at, unit) in file.units.iter().enumerate() {
            if unit.kind == UnitKind::Decoded {
                check(&UnitContext::new(skill, index, at), findings);
            }
        }
    }
}

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = COMMAND.find(ctx.text) {
        let shown: String = ctx.text.chars().take(80).collect();
        let message = format!("encoded text holds a command: `{shown}`");
        findings.add(&RULE, ctx, range, Severity::Critical, message);
    } else if let Some(range) = ADDRESS.find(ctx.text) {
        let shown: String = ctx.text.chars().take(80).collect();
        let message = format!("an address is hidden in encoded text: `{shown}`");
        findings.add(&RULE, ctx, range, Severity::High, message);
    }
}
