//! The table of trust, as `[trust.PROVENANCE]` has it without being changed.

/// Where skills can come from, as `[trust.PROVENANCE]` names it, and what holds for each.
pub(crate) const PROVENANCES: &[Provenance] = &[
    provenance("builtin", "high", "sandboxed", "never"),
    provenance("org", "high", "sandboxed", "never"),
    provenance("own", "high", "sandboxed", "never"),
    provenance("registry-signed", "high", "sandboxed", "install"),
    provenance("registry", "medium", "sandboxed", "install"),
    provenance("local", "medium", "sandboxed", "first-run"),
    provenance("git", "low", "sandboxed-offline", "install-and-first-run"),
    provenance("archive", "untrusted", "blocked", "opt-in"),
    provenance("well-known", "untrusted", "blocked", "opt-in"),
    provenance("mcp", "untrusted", "blocked", "opt-in"),
    provenance("project", "untrusted", "blocked", "opt-in"),
];

/// A row of the table of trust.
#[derive(Debug)]
pub(crate) struct Provenance {
    /// Its name.
    pub(crate) name: &'static str,
    /// How far it is trusted.
    pub(crate) tier: &'static str,
    /// What scripts may do.
    pub(crate) scripts: &'static str,
    /// When the user is asked.
    pub(crate) ask: &'static str,
}

const fn provenance(
    name: &'static str,
    tier: &'static str,
    scripts: &'static str,
    ask: &'static str,
) -> Provenance {
    Provenance {
        name,
        tier,
        scripts,
        ask,
    }
}
