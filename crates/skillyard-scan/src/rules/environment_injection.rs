//! Variables that make other programs run code.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// A variable is set that makes other programs load or run code.
    ///
    /// `LD_PRELOAD`, `NODE_OPTIONS=--require`, `BASH_ENV`, `PYTHONSTARTUP` and their
    /// relatives turn the next harmless command into the attacker's. Line breaks in a value
    /// that is written to `.env` do the same through the back door.
    ///
    /// **Fix:** remove it.
    "scan-environment-injection", Critical,
    "remove it: the next harmless command would run somebody else's code",
    keywords: &["ld_preload", "node_options", "bash_env", "pythonstartup", "dyld_insert", "prompt_command", "git_ssh_command", "perl5opt", "rubyopt", "ld_library_path", "glob -c", "--cmd", "git_pager", "core.fsmonitor", "core.sshcommand", "core.pager"],
    check
}

static VARIABLE: Pattern = Pattern::new(
    r#"\bld_preload\s*=\s*["']?[^\s"']*(?:/tmp|\.so\b)|\bdyld_insert_libraries\s*=|(?:\b|\\n)node_options\s*=\s*["']?\S*(?:--require|-r\b|--import|--loader)|(?:\b|\\n)bash_env\s*=\s*\S|\bpythonstartup\s*=\s*\S|
    \bprompt_command\s*=\s*["'][^"']*(?:curl|wget|nc|eval|base64)|\bgit_ssh_command\s*=\s*["'][^"']*(?:curl|sh\s+-c|/tmp)|\b(?:perl5opt|rubyopt)\s*=\s*["']?-|core\.(?:fsmonitor|sshcommand|pager)\s*=?\s*["'][^"']*(?:curl|sh\s+-c|/tmp|;)"#,
);
static KNOWN: Pattern = Pattern::new(
    r"jemalloc|tcmalloc|libgomp|mimalloc|libasan|libstdc|libc10|nvidia|iomp5|liblsan|faketime",
);
static GLOB: Pattern = Pattern::new(r"\bglob\s+(?:-c|--cmd)\b");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    if let Some(range) = VARIABLE.find(ctx.text) {
        let severity = if KNOWN.is_match(ctx.text) {
            Severity::Info
        } else {
            Severity::Critical
        };
        let severity = if ctx.is_code() {
            severity
        } else {
            severity.lowered(2)
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "a variable makes other programs run code",
        );
    } else if let Some(range) = GLOB.find(ctx.text).filter(|_| ctx.is_shell()) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::High,
            "names of files are handed to a shell",
        );
    }
}
