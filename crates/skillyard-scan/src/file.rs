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

/// Endings of files that are text and have no lexer here.
#[rustfmt::skip]
const OTHER_TEXT: &[&str] = &[
    "applescript", "awk", "c", "cc", "clj", "cmake", "conf", "cpp", "cs", "css", "dart", "ex",
    "exs", "gradle", "groovy", "h", "hcl", "hpp", "hs", "j2", "java", "jl", "kt", "less", "log",
    "mk", "nix", "properties", "r", "rs", "scala", "scss", "sed", "sql", "svelte", "swift", "tcl",
    "tex", "tf", "tmpl", "vbs", "vue", "zig",
];

/// Signatures of files that are not read as text, except programs.
#[rustfmt::skip]
const MEDIA: &[&[u8]] = &[
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"RIFF", b"OggS", b"ID3", b"fLaC", b"%PDF",
    b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf", b"Rar!", b"wOFF", b"wOF2", b"OTTO", b"ttcf", b"\0\x01\0\0", b"\0\0\x01\0",
    b"\0asm", b"SQLite format 3\0", b"\xd0\xcf\x11\xe0", b"bplist0",
];

/// How a file starts in which a Mac keeps what other systems have no place for.
const APPLE_DOUBLE: &[u8] = b"\0\x05\x16\x07";

/// Whether the bytes are a program in machine code.
pub(crate) fn is_program(bytes: &[u8]) -> bool {
    let is_windows =
        bytes.starts_with(b"MZ") && bytes.len() > 64 && bytes[..64.min(bytes.len())].contains(&0);
    let is_apple = [
        [0xcf, 0xfa, 0xed, 0xfe],
        [0xce, 0xfa, 0xed, 0xfe],
        [0xfe, 0xed, 0xfa, 0xcf],
        [0xfe, 0xed, 0xfa, 0xce],
        [0xca, 0xfe, 0xba, 0xbe],
    ];
    bytes.starts_with(b"\x7fELF")
        || is_windows
        || is_apple.iter().any(|magic| bytes.starts_with(magic))
}

/// Whether an agent or an interpreter takes the file for text, whatever bytes are in it.
///
/// A shell passes over null bytes, and a model reads around them: they make no picture of a script.
pub(crate) fn is_read_as_text(file: &File<'_>) -> bool {
    let name = file.path.rsplit('/').next().unwrap_or(file.path);
    let name = name.to_ascii_lowercase();
    if name.starts_with("._") && file.bytes.starts_with(APPLE_DOUBLE) {
        return false;
    }
    if has_shebang(file.bytes) {
        return true;
    }
    let Some((_, ending)) = name.rsplit_once('.') else {
        let is_known = Language::of_file(file.path, "").is_some();
        return is_known || is_executable_text(file);
    };
    let is_known = match Language::of_file(file.path, "") {
        Some(Language::Other) => OTHER_TEXT.contains(&ending),
        // Prose, which is known by its ending.
        None => true,
        Some(_) => ending != "plist" || !file.bytes.starts_with(b"bplist"),
    };
    is_known && !(is_program(file.bytes)) || is_executable_text(file)
}

/// Whether the file may be started and is nothing that is known to be no script.
fn is_executable_text(file: &File<'_>) -> bool {
    let is_media = MEDIA.iter().any(|magic| file.bytes.starts_with(magic));
    file.executable && !is_media && !is_program(file.bytes)
}

/// Whether the file names its interpreter, also behind bytes that a shell passes over.
pub(crate) fn has_shebang(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(0);
    bytes[start..].starts_with(b"#!")
}

/// Whether a file is in a folder of tests, fixtures or evaluations.
pub(crate) fn is_test_path(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.any(|part| {
        matches!(
            part,
            "tests"
                | "test"
                | "fixtures"
                | "__tests__"
                | "testdata"
                | "evals"
                | "benchmark"
                | "evals.json"
        ) || part.starts_with("test_")
    })
}
