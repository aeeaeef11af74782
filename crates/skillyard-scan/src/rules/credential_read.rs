//! Files with keys and passwords.

use super::{Findings, PreparedSkill};
use crate::Severity;
use crate::facts::Fact;
use crate::pattern::Pattern;
use crate::prepare::UnitKind;

rule! {
    /// A file with keys, passwords, cookies or wallets is read.
    ///
    /// Some tools have a reason, such as one that manages SSH hosts. In prose it is an order
    /// to the agent.
    ///
    /// **Fix:** let the tool that owns the file read it.
    "scan-credential-read", High,
    "let the tool that owns the file read it",
    skill: check
}

static READS: Pattern = Pattern::new(
    r"\b(?:cat|read|open|copy|cp|tar|zip|base64|cut|head|type|get-content|glob|find|grep|upload|include|send|contents?\s+of|collect|dump|extract|sqlite3|readfile\w*|read_text|copyfile|expanduser)\b",
);
static GRAVE: Pattern = Pattern::new(
    r"\.ssh/(?:id_|\*)|\bid_(?:rsa|ed25519)\b|\.aws/credentials|login\ data|cookies\.sqlite|key4\.db|logins\.json|keychain|wallet\.dat|solana/id\.json|keystore|exodus|electrum|/etc/shadow|/environ|\.gnupg|git-credentials|nkbihf",
);
static WRITES: Pattern = Pattern::new(
    r"ssh-keygen|ssh\s+-i\s|\.pub\b|ssh-add|ssh-copy-id|identityfile|chmod\s+[0-7]{3}|known_hosts|if\s+\[|exists\(",
);

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for seen in skill.fact_matches(Fact::SecretFile) {
        let ctx = skill.context(seen);
        let grave = GRAVE.is_match(ctx.text) && !WRITES.is_match(ctx.text);
        let reads = READS.is_match(ctx.text);
        let severity = match ctx.unit.kind {
            UnitKind::Comment | UnitKind::Data => continue,
            UnitKind::Hidden if reads => Severity::High,
            _ if grave && reads => Severity::Medium,
            _ => Severity::Info,
        };
        findings.add_fact(&RULE, seen, severity, "a file with secrets is named");
    }
}
