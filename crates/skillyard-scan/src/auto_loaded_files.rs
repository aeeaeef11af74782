//! Names of files and folders that programs load automatically: the author of one decides
//! what the developer's agents, editors, shell and hooks of git do later.
//!
//! The sandbox holds these places shut, tools of chats refuse to write there, and the scanner tells
//! of scripts that do. The folders of agents (`.claude`, `.cursor`, `.gemini` and so on) stand in
//! the table of agents. What people start themselves (`Makefile`, `Justfile`, `package.json`) is
//! part of a project's sources like any other, and stands nowhere.

/// Instructions and settings of agents that lie beside their folders.
#[rustfmt::skip]
pub const INSTRUCTIONS: &[&str] = &[
    ".aider.conf.yml", ".amazonq", ".augment-guidelines", ".crush.json", ".crushrc", ".cursorrules",
    ".goosehints", ".kilocodemodes", ".mcp.json", ".roomodes", ".roorules", ".rules",
    ".windsurfrules", "AGENT.md", "AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "CLAUDE.md",
    "CRUSH.md", "GEMINI.md", "QWEN.md", "WARP.md", "crush.json", "crushrc", "fastagent.config.yaml",
    "kilo.json", "kilo.jsonc", "opencode.json", "opencode.jsonc",
];

/// What editors and shells start when a folder is opened, and git when hooks are there.
#[rustfmt::skip]
pub const OPENED: &[&str] = &[
    ".Rprofile", ".devcontainer", ".devcontainer.json", ".dir-locals-2.el", ".dir-locals.el",
    ".envrc", ".exrc", ".githooks", ".gvimrc", ".helix", ".husky", ".idea", ".lazy.lua", ".mise",
    ".mise.local.toml", ".mise.toml", ".nvim.lua", ".nvimrc", ".theia", ".tool-versions", ".vim",
    ".vimrc", ".vscode", ".zed", "_exrc", "_gvimrc", "_vimrc", "mise.local.toml", "mise.toml",
];

/// How files end that editors open as a folder, with what they start then.
pub const OPENED_ENDINGS: &[&str] = &[".code-workspace"];

/// Hooks of git that one program runs by its own files, if the user has set it up: each of these
/// counts as soon as another one is there.
#[rustfmt::skip]
pub const LEFTHOOK: &[&str] = &[
    ".lefthook", ".lefthook-local", ".lefthook-local.json", ".lefthook-local.jsonc",
    ".lefthook-local.toml", ".lefthook-local.yaml", ".lefthook-local.yml", ".lefthook.json",
    ".lefthook.jsonc", ".lefthook.toml", ".lefthook.yaml", ".lefthook.yml", "lefthook-local.json",
    "lefthook-local.jsonc", "lefthook-local.toml", "lefthook-local.yaml", "lefthook-local.yml",
    "lefthook.json", "lefthook.jsonc", "lefthook.toml", "lefthook.yaml", "lefthook.yml",
];

/// Hooks of git in one file, which also apply only if the user has set them up.
pub const HOOKS: &[&str] = &[
    ".overcommit.yml",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
];

/// What decides about builds elsewhere, and about submodules.
#[rustfmt::skip]
pub const BUILDS: &[&str] = &[
    ".buildkite", ".circleci", ".cirrus.yml", ".drone.yml", ".forgejo", ".gitea", ".gitlab-ci.yml",
    ".gitmodules", ".gitpod.yml", ".travis.yml", ".woodpecker", ".woodpecker.yaml",
    ".woodpecker.yml", "Jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml",
];

/// Whether a path has one of these names in it, however it is spelled.
pub(crate) fn names(lists: &[&[&str]], path: &str) -> bool {
    let mut parts = path.split(['/', '\\']);
    parts.any(|part| {
        let mut listed = lists.iter().copied().flatten();
        listed.any(|name| name.eq_ignore_ascii_case(part))
    })
}

/// Whether a path leads to a file that ends in this way, however it is spelled.
pub fn ends(endings: &[&str], path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    endings.iter().any(|ending| path.ends_with(ending))
}
