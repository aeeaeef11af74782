//! Programs, and their options that start others or write files.

use crate::guard::options::build_tools::{COMPILER_OPTIONS, COMPILERS, TEX_PROGRAMS};

/// A program and the options that start others or write files.
pub(super) struct DangerousOptions {
    pub(super) names: &'static [&'static str],
    /// Long options, also shortened.
    pub(super) long: &'static [&'static str],
    /// Long options that may stand behind one hyphen as well, also shortened.
    pub(super) either: &'static [&'static str],
    /// Letters of short options.
    pub(super) short: &'static str,
    /// Letters behind which a value may stand in the same word, whose letters are none.
    pub(super) valued: &'static str,
    /// Words that are options as a whole, such as `-exec`.
    pub(super) whole: &'static [&'static str],
    /// What a word begins with that is a command, such as `+!ls`.
    pub(super) leads: &'static str,
    /// First words that are commands of their own.
    pub(super) verbs: &'static [&'static str],
}

const NONE: DangerousOptions = DangerousOptions {
    names: &[],
    long: &[],
    either: &[],
    short: "",
    valued: "",
    whole: &[],
    leads: "",
    verbs: &[],
};

#[rustfmt::skip]
pub(super) const PROGRAMS: &[DangerousOptions] = &[
    DangerousOptions {
        names: &["find"],
        whole: &[
            "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf",
            "-fls", "-files0-from",
        ],
        ..NONE
    },
    DangerousOptions {
        names: &["tar", "bsdtar", "gtar"],
        long: &[
            "--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command",
            "--rmt-command", "--info-script", "--new-volume-script", "--absolute-names",
        ],
        short: "IFP",
        ..NONE
    },
    DangerousOptions {
        names: &["rsync"],
        long: &["--rsh", "--rsync-path", "--daemon", "--config"],
        short: "e",
        ..NONE
    },
    DangerousOptions {
        names: &["fd", "fdfind"],
        long: &["--exec", "--exec-batch"],
        short: "xX",
        ..NONE
    },
    DangerousOptions { names: &["rg"], long: &["--pre", "--hostname-bin"], ..NONE },
    DangerousOptions {
        names: &["sort"],
        long: &["--compress-program", "--output"],
        short: "o",
        ..NONE
    },
    DangerousOptions {
        names: &["man"],
        long: &["--pager", "--html", "--config-file", "--preprocessor"],
        short: "PHC",
        ..NONE
    },
    DangerousOptions { names: &["zip"], long: &["--unzip-command", "--test"], short: "T", ..NONE },
    DangerousOptions { names: &["scp", "sftp"], short: "oSFDP", ..NONE },
    DangerousOptions {
        names: &["wget"],
        long: &["--use-askpass", "--execute", "--config"],
        short: "e",
        ..NONE
    },
    DangerousOptions { names: &["curl"], long: &["--config", "--engine"], short: "K", ..NONE },
    DangerousOptions {
        names: &["go"],
        whole: &[
            "-exec", "-toolexec", "--exec", "--toolexec", "-vettool", "--vettool", "-gccgoflags",
            "--gccgoflags",
        ],
        ..NONE
    },
    DangerousOptions { names: &["cargo"], long: &["--config"], ..NONE },
    DangerousOptions {
        names: &["npm", "pnpm", "yarn"],
        long: &["--script-shell", "--node-options", "--shell", "--globalconfig", "--userconfig"],
        ..NONE
    },
    DangerousOptions {
        names: &["less", "more", "most"],
        long: &["--log-file", "--LOG-FILE", "--lesskey-file", "--lesskey-src", "--lesskey-content"],
        short: "oOk",
        leads: "+",
        ..NONE
    },
    DangerousOptions {
        names: &["vi", "vim", "nvim", "view"],
        long: &[
            "--cmd", "--embed", "--listen", "--remote-expr", "--remote-send", "--server",
            "--startuptime",
        ],
        short: "cSsuwWeEilUV",
        leads: "+",
        ..NONE
    },
    DangerousOptions { names: &["make", "gmake"], long: &["--eval"], short: "E", ..NONE },
    DangerousOptions { names: COMPILERS, whole: COMPILER_OPTIONS, ..NONE },
    DangerousOptions { names: &["gh"], verbs: &["alias", "extension", "ext", "config"], ..NONE },
    DangerousOptions { names: &["test", "["], whole: &["-v", "-R"], ..NONE },
    DangerousOptions { names: &["printf"], short: "v", ..NONE },
    DangerousOptions { names: &["wait"], short: "p", ..NONE },
    DangerousOptions { names: &["jobs"], short: "x", ..NONE },
    DangerousOptions { names: &["split"], long: &["--filter"], ..NONE },
    DangerousOptions { names: &["sdiff", "diff3"], long: &["--diff-program"], ..NONE },
    DangerousOptions {
        names: &["pandoc"],
        long: &["--data-dir", "--defaults", "--filter", "--lua-filter", "--pdf-engine"],
        short: "dFL",
        valued: "ABcdDfFHLMorTtVw",
        ..NONE
    },
    DangerousOptions { names: &["bat", "batcat", "delta"], long: &["--pager"], ..NONE },
    DangerousOptions { names: &["tcpdump"], short: "z", valued: "BcCEFGijmMQrsTVwWyz", ..NONE },
    DangerousOptions {
        names: &["apt", "apt-cache", "apt-get"],
        long: &["--config-file", "--option"],
        short: "co",
        valued: "acot",
        ..NONE
    },
    DangerousOptions {
        names: &["dpkg"],
        long: &["--post-invoke", "--pre-invoke", "--status-logger"],
        ..NONE
    },
    DangerousOptions {
        names: &["dnf", "yum"],
        long: &["--config", "--setopt"],
        short: "c",
        valued: "cdexR",
        ..NONE
    },
    DangerousOptions {
        names: &["openssl"],
        either: &["--config", "--engine", "--provider", "--provider-path"],
        verbs: &["engine"],
        ..NONE
    },
    DangerousOptions {
        names: &["ssh-keygen"],
        short: "Dw",
        valued: "abCDEFfIKMmNnOPRrSsTtVWwYz",
        ..NONE
    },
    DangerousOptions {
        names: TEX_PROGRAMS,
        either: &["--enable-pipes", "--enable-write18", "--shell-escape"],
        ..NONE
    },
    DangerousOptions {
        names: &["latexmk"],
        either: &["--enable-write18", "--shell-escape"],
        whole: &["-dF", "-e", "-pF", "-r"],
        ..NONE
    },
];
