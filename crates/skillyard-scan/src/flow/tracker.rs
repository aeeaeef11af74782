//! One pass over the statements of a block: what each brings, where it goes, who gets it.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{self, NameUse, Role};
use super::{Taint, taint};
use crate::facts::{Fact, Flow, FlowKind};
use crate::file::Language;
use crate::hosts;
use crate::pattern::Pattern;
use crate::skill::UnitContext;

/// Most folders above a file that are looked at.
const MAX_FOLDERS: usize = 4;

static OBJECT: Pattern = Pattern::new(
    r"\bsocket\b|\bconnect|connection\s*\(|\.request\s*\(|websocket|\bftp\b|smtp|webclient|tcpclient|tcpsocket|fsockopen|net\.dial|session\s*\(|client\s*\(|xmlhttprequest|import_module|__import__|stream_context_create",
);
static ALIAS: Pattern =
    Pattern::new(r"^(?:from\s+(?:base64|zlib|codecs|marshal|binascii|bz2|lzma)\s+import)\b");
static STARTS: Pattern = Pattern::new(
    r"(?:^|[;&|]\s*)(?:sudo\s+)?(?:\./\w|make\b|(?:ba|z)?sh\s+\w|python3?\s+[\w.]|node\s+\w|(?:npm|pnpm|yarn|bun)\s+(?:-[^\s;|&]*\s+(?:[^\s;|&-][^\s;|&]*\s+)?)*(?:install|i|ci|start|run)|cargo\s+(?:run|build|install)|uv\s+run|pip3?\s+install\s+(?:-e\s+)?\.)",
);
static CHILD: Pattern = Pattern::new(r"\benv\s*[=:]\s*\{?\s*(?:\.\.\.|\*\*)?$");

/// What takes one thing and leaves another that holds it.
static COPIES: Pattern = Pattern::new(
    r"(?:^|[;&|(]\s*)(?:cp|mv|tar|zip|7z|gzip|ditto|install|dd|cat|cpio)\s|\bmake_archive\s*\(|\bcopy(?:tree|file|2)?\s*\(|\bio\.copy\s*\(|copy-item|compress-archive",
);

/// What is known while the statements of a block are read.
#[derive(Debug, Default)]
pub(super) struct FlowTracker<'t> {
    known: BTreeMap<&'t str, Taint>,
    functions: BTreeMap<&'t str, Taint>,
    /// The function that the statement belongs to, and the column it starts in.
    function: Option<(&'t str, usize)>,
    /// The name that gets what is still being written, over how many statements at most.
    open: Option<(&'t str, usize)>,
    /// The files that downloads were saved to, whatever they are called.
    saved: BTreeSet<&'t str>,
    /// Whether the folder that was entered was fetched.
    entered: bool,
    /// The folders that repositories were fetched into.
    trees: BTreeMap<&'t str, Taint>,
}

impl<'t> FlowTracker<'t> {
    /// Reads one statement.
    pub(super) fn step(
        &mut self,
        ctx: &UnitContext<'t>,
        asked: &UnitContext<'_>,
        flows: &mut Vec<Flow>,
    ) {
        let text = ctx.text.plain();
        let names = names::names(ctx);
        let own = own_taint(asked);
        let mut value = own;
        let mut started = false;
        let is_shell = !matches!(
            ctx.unit.language,
            Language::Python | Language::JavaScript | Language::Script
        );
        let used = names.iter().filter(|name| name.role != Role::Defined);
        let used = used.map(|name| (name.at, name.text, name.starts, name.marked));
        let words = is_shell.then(|| names::words(text, &self.saved));
        let words = words.into_iter().flatten();
        let files = names::files(text).chain(words).map(|(at, path)| {
            let before = &text.as_bytes()[..at];
            let starts = if is_shell {
                names::is_started(before)
            } else {
                names::is_first_argument(before)
            };
            (at, path, starts, true)
        });
        for (at, name, starts, marked) in used.chain(files) {
            // What a shell writes to is not what it reads.
            if is_shell && names::is_written(&text.as_bytes()[..at]) {
                continue;
            }
            // In a shell only a function is called by a bare word.
            let known = self.value(name).filter(|_| marked);
            let known = known.or_else(|| self.functions.get(name));
            // A child that inherits the environment does not read it.
            let Some(known) = known.filter(|_| !CHILD.is_match(names::last(&text[..at]))) else {
                continue;
            };
            if !(own.secret || own.key || own.decoded) && known.is_tainted() {
                value.from = known.from;
            }
            value |= *known;
            started |= starts && marked && (known.fetched || known.decoded);
        }
        for known in names::build_folders(text).filter_map(|path| self.tree(path)) {
            value |= known;
            value.from = known.from;
            started = true;
        }
        self.enter(ctx, value);
        started |= self.entered && STARTS.is_match(asked.text);
        report_arrivals(asked, value, own, started, flows);
        self.learn(ctx, asked, &names, value, own);
    }

    /// What is known about a name, or about a file by one of its folders.
    fn value(&self, name: &str) -> Option<&Taint> {
        let mut path = name.strip_prefix("./").unwrap_or(name);
        for _ in 0..MAX_FOLDERS {
            if let Some(known) = self.known.get(path) {
                return Some(known);
            }
            let Some((folder, _)) = path.rsplit_once('/') else {
                break;
            };
            path = folder;
        }
        // An archive is called like what it was made of.
        self.known.get(name.rsplit_once('.')?.0)
    }

    /// What is known about the repository that a path leads into.
    fn tree(&self, path: &str) -> Option<Taint> {
        let mut ways = path.match_indices('/').map(|(at, _)| &path[..at]);
        let found = ways.find_map(|way| self.trees.get(way));
        found.or_else(|| self.trees.get(path)).copied()
    }

    /// Notes whether a folder that was fetched is entered.
    fn enter(&mut self, ctx: &UnitContext<'t>, value: Taint) {
        if ctx.text.starts_with("cd ") || ctx.text.contains(" && cd ") {
            let source = ctx.file.text(&ctx.file.units[value.from]);
            let is_tree = ["git clone", "unzip", "tar "]
                .iter()
                .any(|word| source.contains(word));
            self.entered = value.fetched && is_tree;
        }
    }

    /// Hands what is known on to the names and files that get it.
    fn learn(
        &mut self,
        ctx: &UnitContext<'t>,
        asked: &UnitContext<'_>,
        names: &[NameUse<'t>],
        value: Taint,
        own: Taint,
    ) {
        let text = ctx.text.plain();
        let mut given = value;
        // A response is not a connection, and a sent value is not a function that sends.
        given.sends = own.sends && OBJECT.is_match(asked.text);
        if given.is_known() || given.standing.is_some() {
            for name in names.iter().filter(|name| name.role != Role::Used) {
                taint(&mut self.known, name.text, given);
            }
            if let Some((name, left)) = self.open.take() {
                taint(&mut self.known, name, given);
                self.open = (left > 1 && text != ")").then_some((name, left - 1));
            }
        }
        if given.is_known() {
            for (_, path) in names::files(text) {
                taint(&mut self.known, path, given);
            }
        }
        if own.fetched
            && let Some(folder) = names::clone_folder(text)
        {
            taint(&mut self.trees, folder, given);
        }
        let saves = ctx.has(Fact::Downloads);
        if own.fetched {
            // `wget https://host/x.run` writes a file of that name.
            for url in hosts::urls(text) {
                let name = url.rsplit('/').next().unwrap_or(url);
                if name.contains('.') && !url.ends_with(hosts::host(url)) {
                    taint(&mut self.known, name, given);
                }
            }
        }
        if own.fetched && ctx.unit.language == Language::Shell {
            for file in names::saved(text) {
                taint(&mut self.known, file, given);
                if self.known.contains_key(file) {
                    self.saved.insert(file);
                }
            }
        }
        if given.secret && COPIES.is_match(asked.text) {
            // Whatever a copy goes to holds the secret too.
            for name in names {
                taint(&mut self.known, name.text, given);
            }
        }
        if own.fetched && (saves || ctx.unit.language == Language::Shell) {
            // `curl -o "$file"`: whatever else is named is where it goes.
            let written = |name: &&NameUse<'_>| name.marked && !name.text.contains("url");
            for name in names.iter().filter(written) {
                taint(
                    &mut self.known,
                    name.text,
                    Taint {
                        sends: false,
                        ..given
                    },
                );
            }
        }
        let opens = text.contains("<<") || text.matches("$(").count() > text.matches(')').count();
        if let Some(name) = names.iter().find(|name| name.role == Role::Defined)
            && opens
        {
            self.open = Some((name.text, 20));
        }
        if ALIAS.is_match(asked.text) {
            // Whatever these functions are called from here on, they decode.
            for name in names {
                let decodes = Taint {
                    decoded: true,
                    from: ctx.index.1,
                    ..Taint::default()
                };
                taint(&mut self.functions, name.text, decodes);
            }
        }
        self.in_function(ctx, value, own);
    }

    /// A function that returns a secret is one, and a function that sends sends.
    fn in_function(&mut self, ctx: &UnitContext<'t>, value: Taint, own: Taint) {
        let column = column(ctx);
        if let Some(name) = names::function(ctx.text.plain()) {
            self.function = Some((name, column));
        } else if self.function.is_some_and(|(_, start)| column <= start) && ctx.text.plain() != "}"
        {
            self.function = None;
        }
        let Some((name, _)) = self.function else {
            return;
        };
        let returns = ctx.text.starts_with("return ") || ctx.text.contains(" return ");
        let mut given = Taint {
            sends: own.sends,
            standing: own.standing,
            from: ctx.index.1,
            ..Taint::default()
        };
        if returns || ctx.unit.language == Language::Shell {
            // A function that downloads is not a downloaded program.
            given |= Taint {
                sends: own.sends,
                fetched: value.fetched && returns,
                ..value
            };
        }
        if given.is_known() {
            taint(&mut self.functions, name, given);
        }
    }
}

/// The column that a statement starts in.
fn column(ctx: &UnitContext<'_>) -> usize {
    let start = ctx.file.folded.source_of(ctx.unit.range.start);
    let before = ctx.file.source.get(..start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.len()
}

/// Most statements between a download and what runs it.
const MAX_APART: usize = 60;

/// Keys that a program logs in with, and options that name their file.
static LOGIN: Pattern = Pattern::new(
    r"\s-i\s+\S*\.ssh|--(?:netrc-file|cert|key|cacert|kubeconfig|identity|private-key)\b|key_?file|pkey|identityfile|paramiko|private_key_path|ssh_key|\.pub\b|known_hosts|authorized_keys|load_dotenv|dotenv",
);
static READ: Pattern = Pattern::new(r"\.recv\s*\(|\.gets\b|\.read(?:line)?\s*\(|getstream\s*\(");
static RUNS: Pattern = Pattern::new(
    r"\brequire\s*\(\s*[a-z_]|\bimport\s*\(\s*(?:[a-z_]|['\x22](?:/|\./|~|file:|data:))|runpy\.|import_module\s*\(|spec_from_file_location|exec_module|sys\.path\.(?:insert|append)|pickle\.loads?\s*\(|\bfunction\s*\(\s*[a-z_]\w*\s*\)\s*\(|io\.popen|proc_open|getoutput|check_output|create_subprocess_|\$l\b\s*2>|exec\.command|ctypes\.memmove|rtlmovememory|\bload(?:string)?\s*\(\s*\w+:read",
);
static LOADS: Pattern = Pattern::new(
    r"\b(?:pickle|marshal|dill|joblib|cloudpickle)\.loads?\s*\([^;]{0,80}(?:urlopen|requests\.|httpx\.)",
);
static SAVES: Pattern =
    Pattern::new(r"createwritestream|writefile|\.write\s*\(|urlretrieve|-outfile");
static DEFINES: Pattern = Pattern::new(r"^(?:export\s+)?(?:async\s+|function\s+|def\s+)+fetch\b");
/// A module or a function that is named by a string.
static NAMED: Pattern =
    Pattern::new(r"\b(?:import_module|__import__|getattr|require)\s*\(|globalthis\[");

/// What the statement itself brings.
pub(super) fn own_taint(ctx: &UnitContext<'_>) -> Taint {
    let text = ctx.text;
    let network = [Fact::Reaches, Fact::Sends, Fact::Fetches];
    let is_named = || network.iter().any(|fact| ctx.has(*fact)) && NAMED.is_match(text);
    let reaches =
        (network.iter().any(|fact| ctx.performs(*fact)) || is_named()) && !DEFINES.is_match(text);
    let logs_in = LOGIN.is_match(text);
    let secret = [
        Fact::SecretFile,
        Fact::SecretPlace,
        Fact::WholeEnvironment,
        Fact::PersonalData,
        Fact::Typed,
    ];
    let clones = text.contains("git clone");
    Taint {
        secret: !logs_in && secret.iter().any(|fact| ctx.has(*fact)),
        key: ctx.has(Fact::SecretVariable),
        fetched: reaches || clones || READ.is_match(text),
        decoded: ctx.has(Fact::Decodes),
        sends: reaches,
        standing: hosts::least_trusted(text),
        from: ctx.index.1,
    }
}

/// Notes what reached the network or an interpreter.
pub(super) fn report_arrivals(
    ctx: &UnitContext<'_>,
    value: Taint,
    own: Taint,
    started: bool,
    flows: &mut Vec<Flow>,
) {
    let (file, to) = ctx.index;
    let mut report = |kind| {
        flows.push(Flow {
            kind,
            from: (file, value.from),
            to: (file, to),
            standing: value.standing,
        });
    };
    let executes = ctx.has(Fact::Evaluates) || RUNS.is_match(ctx.text);
    if value.sends && value.secret {
        report(FlowKind::SecretSent);
    } else if value.sends && value.key {
        report(FlowKind::KeySent);
    }
    // What is fetched and run in one statement is another rule's.
    let is_near = to.abs_diff(value.from) <= MAX_APART;
    let brought = value.fetched && is_near && (!own.fetched || value.from != to);
    let at_once = own.fetched && (LOADS.is_match(ctx.text) || writes_and_starts(ctx));
    if at_once || (brought && (started || executes)) {
        report(FlowKind::FetchedRuns);
    }
    let brought = value.decoded && !own.decoded;
    if brought && (started || executes || is_evaluated(ctx)) {
        report(FlowKind::DecodedRuns);
    }
}

/// Whether one statement saves what it fetches and starts it.
fn writes_and_starts(ctx: &UnitContext<'_>) -> bool {
    ctx.has(Fact::Starts) && SAVES.is_match(ctx.text) && ctx.text.len() < 1_000
}

/// Whether a shell evaluates the statement.
fn is_evaluated(ctx: &UnitContext<'_>) -> bool {
    let text = ctx.text;
    ctx.unit.language == Language::Shell
        && ["eval ", "| sh", "| bash", "bash -c", "sh -c", "source "]
            .iter()
            .any(|word| text.contains(word))
}
