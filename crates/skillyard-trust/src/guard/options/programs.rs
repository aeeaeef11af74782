//! Programs, and their options that start others or write files.

use super::{compiler, latexmk};

/// A program and the options that start others or write files.
pub(super) struct Program {
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

const NONE: Program = Program {
    names: &[],
    long: &[],
    either: &[],
    short: "",
    valued: "",
    whole: &[],
    leads: "",
    verbs: &[],
};

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["find"],
        whole: &[
            "-exec",
            "-execdir",
            "-ok",
            "-okdir",
            "-delete",
            "-fprint",
            "-fprint0",
            "-fprintf",
            "-fls",
            "-files0-from",
        ],
        ..NONE
    },
    Program {
        names: &["tar", "bsdtar", "gtar"],
        long: &[
            "--to-command",
            "--checkpoint-action",
            "--use-compress-program",
            "--rsh-command",
            "--rmt-command",
            "--info-script",
            "--new-volume-script",
            "--absolute-names",
        ],
        short: "IFP",
        ..NONE
    },
    Program {
        names: &["rsync"],
        long: &["--rsh", "--rsync-path", "--daemon", "--config"],
        short: "e",
        ..NONE
    },
    Program {
        names: &["fd", "fdfind"],
        long: &["--exec", "--exec-batch"],
        short: "xX",
        ..NONE
    },
    Program {
        names: &["rg"],
        long: &["--pre", "--hostname-bin"],
        ..NONE
    },
    Program {
        names: &["sort"],
        long: &["--compress-program", "--output"],
        short: "o",
        ..NONE
    },
    Program {
        names: &["man"],
        long: &["--pager", "--html", "--config-file", "--preprocessor"],
        short: "PHC",
        ..NONE
    },
    Program {
        names: &["zip"],
        long: &["--unzip-command", "--test"],
        short: "T",
        ..NONE
    },
    Program {
        names: &["scp", "sftp"],
        short: "oSFDP",
        ..NONE
    },
    Program {
        names: &["wget"],
        long: &["--use-askpass", "--execute", "--config"],
        short: "e",
        ..NONE
    },
    Program {
        names: &["curl"],
        long: &["--config", "--engine"],
        short: "K",
        ..NONE
    },
    Program {
        names: &["go"],
        whole: &[
            "-exec",
            "-toolexec",
            "--exec",
            "--toolexec",
            "-vettool",
            "--vettool",
            "-gccgoflags",
            "--gccgoflags",
        ],
        ..NONE
    },
    Program {
        names: &["cargo"],
        long: &["--config"],
        ..NONE
    },
    Program {
        names: &["npm", "pnpm", "yarn"],
        long: &[
            "--script-shell",
            "--node-options",
            "--shell",
            "--globalconfig",
            "--userconfig",
        ],
        ..NONE
    },
    Program {
        names: &["less", "more", "most"],
        long: &[
            "--log-file",
            "--LOG-FILE",
            "--lesskey-file",
            "--lesskey-src",
            "--lesskey-content",
        ],
        short: "oOk",
        leads: "+",
        ..NONE
    },
    Program {
        names: &["vi", "vim", "nvim", "view"],
        long: &[
            "--cmd",
            "--embed",
            "--listen",
            "--remote-expr",
            "--remote-send",
            "--server",
            "--startuptime",
        ],
        short: "cSsuwWeEilUV",
        leads: "+",
        ..NONE
    },
    Program {
        names: &["make", "gmake"],
        long: &["--eval"],
        short: "E",
        ..NONE
    },
    Program {
        names: compiler::NAMES,
        whole: compiler::OPTIONS,
        ..NONE
    },
    Program {
        names: &["gh"],
        verbs: &["alias", "extension", "ext", "config"],
        ..NONE
    },
    Program {
        names: &["test", "["],
        whole: &["-v", "-R"],
        ..NONE
    },
    Program {
        names: &["printf"],
        short: "v",
        ..NONE
    },
    Program {
        names: &["wait"],
        short: "p",
        ..NONE
    },
    Program {
        names: &["jobs"],
        short: "x",
        ..NONE
    },
    Program {
        names: &["split"],
        long: &["--filter"],
        ..NONE
    },
    Program {
        names: &["sdiff", "diff3"],
        long: &["--diff-program"],
        ..NONE
    },
    Program {
        names: &["pandoc"],
        long: &[
            "--data-dir",
            "--defaults",
            "--filter",
            "--lua-filter",
            "--pdf-engine",
        ],
        short: "dFL",
        valued: "ABcdDfFHLMorTtVw",
        ..NONE
    },
    Program {
        names: &["bat", "batcat", "delta"],
        long: &["--pager"],
        ..NONE
    },
    Program {
        names: &["tcpdump"],
        short: "z",
        valued: "BcCEFGijmMQrsTVwWyz",
        ..NONE
    },
    Program {
        names: &["apt", "apt-cache", "apt-get"],
        long: &["--config-file", "--option"],
        short: "co",
        valued: "acot",
        ..NONE
    },
    Program {
        names: &["dpkg"],
        long: &["--post-invoke", "--pre-invoke", "--status-logger"],
        ..NONE
    },
    Program {
        names: &["dnf", "yum"],
        long: &["--config", "--setopt"],
        short: "c",
        valued: "cdexR",
        ..NONE
    },
    Program {
        names: &["openssl"],
        either: &["--config", "--engine", "--provider", "--provider-path"],
        verbs: &["engine"],
        ..NONE
    },
    Program {
        names: &["ssh-keygen"],
        short: "Dw",
        valued: "abCDEFfIKMmNnOPRrSsTtVWwYz",
        ..NONE
    },
    Program {
        names: latexmk::TEX,
        either: &["--enable-pipes", "--enable-write18", "--shell-escape"],
        ..NONE
    },
    Program {
        names: &["latexmk"],
        either: &["--enable-write18", "--shell-escape"],
        whole: &["-dF", "-e", "-pF", "-r"],
        ..NONE
    },
];
