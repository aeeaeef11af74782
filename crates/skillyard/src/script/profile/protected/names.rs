//! The names of files and folders that other programs obey.

/// Git: with one of these, every git command in the folder can run programs.
const GIT: &[&str] = &[".git"];

/// What agents, editors and shells obey.
const OTHERS: &[&str] = &[
    ".agents",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".github",
    ".idea",
    ".mcp.json",
    ".skills",
    ".skillyard",
    ".vscode",
    ".envrc",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
];

/// What means something only where somebody has set it up.
const BUILDS: &[&str] = &[".gitmodules"];

/// Names that are held shut at the top of a workspace, even where nothing is there yet.
pub(super) fn held() -> impl Iterator<Item = &'static str> {
    GIT.iter().chain(OTHERS).copied()
}

/// Names that are protected where they are there.
pub(super) fn kept() -> impl Iterator<Item = &'static str> {
    BUILDS.iter().copied()
}
