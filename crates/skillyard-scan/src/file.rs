//! A file of a skill, and what kind of text it holds.

/// A file of a skill, as the scanner is given it.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its path below the skill's root, separated by `/`.
    pub path: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
    /// Whether its owner may execute it.
    pub executable: bool,
}

/// The language of a script or of a fenced block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    PowerShell,
    Python,
    JavaScript,
    /// PHP, Ruby, Perl, Go and their like: strings, and statements that end at a semicolon.
    Script,
    /// JSON, YAML, TOML and the like: values, not steps.
    Data,
    /// A language without a lexer of its own, or none at all.
    Other,
}

impl Language {
    /// The language of a fence's info string.
    pub(crate) fn of_fence(info: &str) -> Self {
        let word = info.split(|c: char| c.is_whitespace() || c == '{' || c == ',');
        let word = word.into_iter().next().unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            "sh" | "bash" | "zsh" | "shell" | "console" | "shellsession" | "terminal" | "cmd"
            | "bat" | "batch" | "fish" | "dockerfile" => Self::Shell,
            "powershell" | "ps1" | "pwsh" | "posh" => Self::PowerShell,
            "python" | "py" | "python3" | "pycon" => Self::Python,
            "javascript" | "js" | "typescript" | "ts" | "jsx" | "tsx" | "mjs" | "node" => {
                Self::JavaScript
            }
            "php" | "ruby" | "rb" | "perl" | "pl" | "go" | "golang" | "lua" => Self::Script,
            "json" | "jsonc" | "json5" | "yaml" | "yml" | "toml" | "ini" | "xml" | "csv"
            | "diff" | "env" | "properties" => Self::Data,
            _ => Self::Other,
        }
    }

    /// The language of a whole file, by its name and its first line; `None` for prose.
    pub(crate) fn of_file(path: &str, text: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        Some(match extension {
            "txt" if text.starts_with("#!") => Self::Shell,
            "md" | "markdown" | "mdx" | "mdc" | "txt" | "rst" | "html" | "htm" | "adoc" => {
                return None;
            }
            "sh" | "bash" | "zsh" | "command" | "fish" | "bat" | "cmd" | "ksh" => Self::Shell,
            "ps1" | "psm1" | "psd1" => Self::PowerShell,
            "py" | "pyw" | "pyi" | "ipynb" => Self::Python,
            "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "tsx" | "jsx" => Self::JavaScript,
            "php" | "rb" | "pl" | "pm" | "go" | "lua" => Self::Script,
            "json" | "jsonl" | "yaml" | "yml" | "toml" | "xml" | "xsd" | "csv" | "tsv" | "ini"
            | "yar" | "yara" | "cfg" | "svg" | "lock" | "plist" | "env" => Self::Data,
            _ => match text.lines().next().filter(|line| line.starts_with("#!")) {
                Some(line) if line.contains("python") => Self::Python,
                Some(line) if line.contains("node") || line.contains("deno") => Self::JavaScript,
                Some(_) => Self::Shell,
                None if matches!(name.as_str(), "dockerfile" | "makefile" | "justfile") => {
                    Self::Shell
                }
                None if extension.is_empty() => return None,
                None => Self::Other,
            },
        })
    }
}
