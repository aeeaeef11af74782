//! The names of files and folders that other programs obey.

use skillyard_catalog::agents;

/// Git: with one of these, every git command in the folder can run programs.
const GIT: &[&str] = &[".git"];

/// Our own.
const OWN: &[&str] = &[".skills", ".skillyard", "skills.toml", "skills.lock"];

/// Instructions and settings of agents that lie beside their folders.
const INSTRUCTIONS: &[&str] = &[
    ".aider.conf.yml",
    ".amazonq",
    ".cursorrules",
    ".goosehints",
    ".mcp.json",
    ".roomodes",
    ".roorules",
    ".rules",
    ".windsurfrules",
    "AGENT.md",
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.local.md",
    "CLAUDE.md",
    "CRUSH.md",
    "GEMINI.md",
    "QWEN.md",
    "WARP.md",
    "opencode.json",
    "opencode.jsonc",
];

/// What editors and shells start when a folder is opened, and git when hooks are there.
const EDITORS: &[&str] = &[
    ".devcontainer",
    ".devcontainer.json",
    ".envrc",
    ".githooks",
    ".husky",
    ".idea",
    ".vscode",
    ".zed",
];

/// What means something only where somebody has set it up: hooks and builds elsewhere.
const BUILDS: &[&str] = &[
    ".circleci",
    ".drone.yml",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".lefthook.yml",
    ".pre-commit-config.yaml",
    ".travis.yml",
    "Jenkinsfile",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "lefthook.yml",
];

/// Names that are held shut at the top of a workspace, even where nothing is there yet.
pub(super) fn held() -> impl Iterator<Item = &'static str> {
    let lists = [GIT, OWN, INSTRUCTIONS, EDITORS];
    let listed = lists.into_iter().flatten().copied();
    agents::hidden_folders().chain(listed)
}

/// Names that are protected where they are there.
pub(super) fn kept() -> impl Iterator<Item = &'static str> {
    BUILDS.iter().copied()
}
