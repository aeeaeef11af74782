//! What a statement brings of itself, and what has reached the network or an interpreter in it.

use super::value::Value;
use super::{Flow, Kind};
use crate::facts::Fact;
use crate::file::Language;
use crate::here::Here;
use crate::hosts;
use crate::pattern::Pattern;

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
pub(super) fn own(here: &Here<'_>) -> Value {
    let text = here.text;
    let network = [Fact::Reaches, Fact::Sends, Fact::Fetches];
    let is_named = || network.iter().any(|fact| here.has(*fact)) && NAMED.is_match(text);
    let reaches =
        (network.iter().any(|fact| here.does(*fact)) || is_named()) && !DEFINES.is_match(text);
    let logs_in = LOGIN.is_match(text);
    let secret = [
        Fact::SecretFile,
        Fact::SecretPlace,
        Fact::WholeEnvironment,
        Fact::PersonalData,
        Fact::Typed,
    ];
    let clones = text.contains("git clone");
    Value {
        secret: !logs_in && secret.iter().any(|fact| here.has(*fact)),
        key: here.has(Fact::SecretVariable),
        fetched: reaches || clones || READ.is_match(text),
        decoded: here.has(Fact::Decodes),
        sends: reaches,
        standing: hosts::worst(text),
        from: here.index.1,
    }
}

/// Notes what reached the network or an interpreter.
pub(super) fn arrive(
    here: &Here<'_>,
    value: Value,
    own: Value,
    started: bool,
    flows: &mut Vec<Flow>,
) {
    let (file, to) = here.index;
    let mut report = |kind| {
        flows.push(Flow {
            kind,
            from: (file, value.from),
            to: (file, to),
            standing: value.standing,
        });
    };
    let executes = here.has(Fact::Evaluates) || RUNS.is_match(here.text);
    if value.sends && value.secret {
        report(Kind::SecretSent);
    } else if value.sends && value.key {
        report(Kind::KeySent);
    }
    // What is fetched and run in one statement is another rule's.
    let is_near = to.abs_diff(value.from) <= MAX_APART;
    let brought = value.fetched && is_near && (!own.fetched || value.from != to);
    let at_once = own.fetched && (LOADS.is_match(here.text) || writes_and_starts(here));
    if at_once || (brought && (started || executes)) {
        report(Kind::FetchedRuns);
    }
    let brought = value.decoded && !own.decoded;
    if brought && (started || executes || is_evaluated(here)) {
        report(Kind::DecodedRuns);
    }
}

/// Whether one statement saves what it fetches and starts it.
fn writes_and_starts(here: &Here<'_>) -> bool {
    here.has(Fact::Starts) && SAVES.is_match(here.text) && here.text.len() < 1_000
}

/// Whether a shell evaluates the statement.
fn is_evaluated(here: &Here<'_>) -> bool {
    let text = here.text;
    here.unit.language == Language::Shell
        && ["eval ", "| sh", "| bash", "bash -c", "sh -c", "source "]
            .iter()
            .any(|word| text.contains(word))
}
