//! One pass over the statements of a block: what each brings, where it goes, who gets it.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{self, Name, Role};
use super::trees;
use super::value::{Value, give};
use super::{Flow, arrive, position};
use crate::facts::Fact;
use crate::file::Language;
use crate::here::Here;
use crate::hosts;
use crate::pattern::Pattern;

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
pub(super) struct Walk<'t> {
    known: BTreeMap<&'t str, Value>,
    functions: BTreeMap<&'t str, Value>,
    /// The function that the statement belongs to, and the column it starts in.
    function: Option<(&'t str, usize)>,
    /// The name that gets what is still being written, over how many statements at most.
    open: Option<(&'t str, usize)>,
    /// The files that downloads were saved to, whatever they are called.
    saved: BTreeSet<&'t str>,
    /// Whether the folder that was entered was fetched.
    entered: bool,
    /// The folders that repositories were fetched into.
    trees: BTreeMap<&'t str, Value>,
}

impl<'t> Walk<'t> {
    /// Reads one statement.
    pub(super) fn step(&mut self, here: &Here<'t>, asked: &Here<'_>, flows: &mut Vec<Flow>) {
        let text = here.text.plain();
        let names = names::names(here);
        let own = arrive::own(asked);
        let mut value = own;
        let mut started = false;
        let is_shell = !matches!(
            here.unit.language,
            Language::Python | Language::JavaScript | Language::Script
        );
        let used = names.iter().filter(|name| name.role != Role::Defined);
        let used = used.map(|name| (name.at, name.text, name.starts, name.marked));
        let words = is_shell.then(|| names::words(text, &self.saved));
        let words = words.into_iter().flatten();
        let files = names::files(text).chain(words).map(|(at, path)| {
            let before = &text.as_bytes()[..at];
            let starts = if is_shell {
                position::is_started(before)
            } else {
                position::is_first_argument(before)
            };
            (at, path, starts, true)
        });
        for (at, name, starts, marked) in used.chain(files) {
            // What a shell writes to is not what it reads.
            if is_shell && position::is_written(&text.as_bytes()[..at]) {
                continue;
            }
            // In a shell only a function is called by a bare word.
            let known = self.value(name).filter(|_| marked);
            let known = known.or_else(|| self.functions.get(name));
            // A child that inherits the environment is no reader of it.
            let Some(known) = known.filter(|_| !CHILD.is_match(names::last(&text[..at]))) else {
                continue;
            };
            if !(own.secret || own.key || own.decoded) && known.is_tainted() {
                value.from = known.from;
            }
            value |= *known;
            started |= starts && marked && (known.fetched || known.decoded);
        }
        for known in trees::led_into(text).filter_map(|path| self.tree(path)) {
            value |= known;
            value.from = known.from;
            started = true;
        }
        self.enter(here, value);
        started |= self.entered && STARTS.is_match(asked.text);
        arrive::arrive(asked, value, own, started, flows);
        self.learn(here, asked, &names, value, own);
    }

    /// What is known about a name, or about a file by one of its folders.
    fn value(&self, name: &str) -> Option<&Value> {
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
    fn tree(&self, path: &str) -> Option<Value> {
        let mut ways = path.match_indices('/').map(|(at, _)| &path[..at]);
        let found = ways.find_map(|way| self.trees.get(way));
        found.or_else(|| self.trees.get(path)).copied()
    }

    /// Notes whether a folder that was fetched is entered.
    fn enter(&mut self, here: &Here<'t>, value: Value) {
        if here.text.starts_with("cd ") || here.text.contains(" && cd ") {
            let source = here.file.text(&here.file.units[value.from]);
            let is_tree = ["git clone", "unzip", "tar "]
                .iter()
                .any(|word| source.contains(word));
            self.entered = value.fetched && is_tree;
        }
    }

    /// Hands what is known on to the names and files that get it.
    fn learn(
        &mut self,
        here: &Here<'t>,
        asked: &Here<'_>,
        names: &[Name<'t>],
        value: Value,
        own: Value,
    ) {
        let text = here.text.plain();
        let mut given = value;
        // A response is no connection, and a value that was sent is no function that sends.
        given.sends = own.sends && OBJECT.is_match(asked.text);
        if given.is_known() || given.standing.is_some() {
            for name in names.iter().filter(|name| name.role != Role::Used) {
                give(&mut self.known, name.text, given);
            }
            if let Some((name, left)) = self.open.take() {
                give(&mut self.known, name, given);
                self.open = (left > 1 && text != ")").then_some((name, left - 1));
            }
        }
        if given.is_known() {
            for (_, path) in names::files(text) {
                give(&mut self.known, path, given);
            }
        }
        if own.fetched
            && let Some(folder) = trees::cloned(text)
        {
            give(&mut self.trees, folder, given);
        }
        let saves = here.has(Fact::Downloads);
        if own.fetched {
            // `wget https://host/x.run` writes a file of that name.
            for url in hosts::urls(text) {
                let name = url.rsplit('/').next().unwrap_or(url);
                if name.contains('.') && !url.ends_with(hosts::host(url)) {
                    give(&mut self.known, name, given);
                }
            }
        }
        if own.fetched && here.unit.language == Language::Shell {
            for file in names::saved(text) {
                give(&mut self.known, file, given);
                if self.known.contains_key(file) {
                    self.saved.insert(file);
                }
            }
        }
        if given.secret && COPIES.is_match(asked.text) {
            // Whatever a copy goes to holds the secret too.
            for name in names {
                give(&mut self.known, name.text, given);
            }
        }
        if own.fetched && (saves || here.unit.language == Language::Shell) {
            // `curl -o "$file"`: whatever else is named is where it goes.
            let written = |name: &&Name<'_>| name.marked && !name.text.contains("url");
            for name in names.iter().filter(written) {
                give(
                    &mut self.known,
                    name.text,
                    Value {
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
                let decodes = Value {
                    decoded: true,
                    from: here.index.1,
                    ..Value::default()
                };
                give(&mut self.functions, name.text, decodes);
            }
        }
        self.in_function(here, value, own);
    }

    /// A function that returns a secret is one, and a function that sends sends.
    fn in_function(&mut self, here: &Here<'t>, value: Value, own: Value) {
        let column = column(here);
        if let Some(name) = names::function(here.text.plain()) {
            self.function = Some((name, column));
        } else if self.function.is_some_and(|(_, start)| column <= start)
            && here.text.plain() != "}"
        {
            self.function = None;
        }
        let Some((name, _)) = self.function else {
            return;
        };
        let returns = here.text.starts_with("return ") || here.text.contains(" return ");
        let mut given = Value {
            sends: own.sends,
            standing: own.standing,
            from: here.index.1,
            ..Value::default()
        };
        if returns || here.unit.language == Language::Shell {
            // A function that fetches is no program that was fetched.
            given |= Value {
                sends: own.sends,
                fetched: value.fetched && returns,
                ..value
            };
        }
        if given.is_known() {
            give(&mut self.functions, name, given);
        }
    }
}

/// The column that a statement starts in.
fn column(here: &Here<'_>) -> usize {
    let start = here.file.folded.source_of(here.unit.range.start);
    let before = here.file.source.get(..start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.len()
}
