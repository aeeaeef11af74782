//! Containers that are given the machine, by the files that describe them.

use super::{Findings, PreparedSkill, UnitContext};
use crate::Severity;
use crate::file::Language;
use crate::pattern::Pattern;
use crate::prepare::{PreparedFile, Unit, UnitKind};

rule! {
    /// A description of containers gives one of them the machine.
    ///
    /// `docker compose up` and `kubectl apply` do what their files say. With the disk's root or the
    /// engine's socket mounted, or as a privileged container beside the machine's own processes,
    /// what runs inside can do anything outside. Who only measures the machine mounts it so that
    /// nothing can be written, which is a lower severity.
    ///
    /// **Fix:** mount only the folders that are needed, and leave `privileged` out.
    "scan-container-host", High,
    "mount only the folders that are needed, and leave `privileged` out",
    skill: check
}

/// Without one of them there is nothing to look for.
#[rustfmt::skip]
const KEYWORDS: [&str; 11] = [
    "privileged", ".sock", "/:/", "/.:/", "/..:/", "hostpath", "hostpid", "cap_add", "source: /",
    "source: \"/", "\"source\": \"/\"",
];
/// Most lines between the head of a list and a value of it, and between what is said of one mount.
const MAX_LINES_APART: usize = 8;

static PRIVILEGED: Pattern =
    Pattern::new(r#"(?:^|[\s{,-])["']?privileged["']?\s*:\s*["']?(?:true|yes|on)\b"#);
/// The disk's root, which may be spelled `//` or `/.`, in a line that names both ends of a mount.
static ROOT: Pattern =
    Pattern::new(r#"(?:^|[\s\["',-])["']?/(?:\.{0,2}/)*\.{0,2}:/(?:[^\s,\]"']|,[a-z])*"#);
/// The root in a line of its own, or within braces.
static ROOT_SOURCE: Pattern = Pattern::new(
    r#"^-?\s*["']?source["']?\s*:\s*["']?/(?:\.{0,2}/)*\.{0,2}["']?\s*,?\s*$|[{,]\s*["']?source["']?\s*[:=]\s*["']?/(?:\.{0,2}/)*\.{0,2}["']?\s*[,}]"#,
);
static SOCKET: Pattern = Pattern::new(
    r"/(?:var/)?run/(?:docker|containerd/containerd|podman/podman|crio/crio)\.sock[^\s,\]\x22']*",
);
static HOST_PATH: Pattern =
    Pattern::new(r#"^-?\s*["']?path["']?\s*:\s*["']?/(?:\.{0,2}/)*\.{0,2}["']?\s*,?\s*$"#);
static OF_HOST: Pattern = Pattern::new(r"\bhostpath\b");
static PROCESSES: Pattern =
    Pattern::new(r#"^-?\s*["']?pid["']?\s*:\s*["']?host\b|\bhostpid["']?\s*:\s*["']?true\b"#);
static CAPABILITY: Pattern =
    Pattern::new(r#"^-\s*["']?(?:cap_)?(?:all|sys_admin|sys_module|sys_rawio|dac_read_search)\b"#);
static ADDS: Pattern = Pattern::new(r"\bcap_add\b|\badd\s*:");
static READ_ONLY: Pattern = Pattern::new(
    r#",\s*(?:ro|readonly)(?:=(?:true|1))?\s*(?:[,}\]"']|$)|\bread_?only["']?\s*:\s*["']?(?:true|yes|on)\b"#,
);
/// The options after both ends of a mount.
static MOUNT_READ_ONLY: Pattern =
    Pattern::new(r#"^[\s\["',-]*[^:,]+:[^:,]+:(?:[a-z]+,)*ro(?:,|$)"#);
/// What only such descriptions have.
static DESCRIBES: Pattern = Pattern::new(
    r#"\bservices["']?\s*:|\bcontainers["']?\s*:|\bimage["']?\s*:|\bbuild["']?\s*:|\bdockercomposefile\b"#,
);

/// What a line gives to a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostAccess {
    /// The whole disk.
    Disk,
    /// The disk or the socket, to be looked at.
    ReadOnly,
    /// The engine, which starts other containers with anything.
    Engine,
    /// Every right.
    Rights,
    /// The sight of all processes.
    Processes,
}

fn check(skill: &PreparedSkill<'_>, findings: &mut Findings<'_>) {
    for (index, file) in skill.files.iter().enumerate() {
        let text = file.folded.text.as_str();
        if !file.units.iter().any(is_value)
            || !KEYWORDS.iter().any(|word| text.contains(word))
            || !DESCRIBES.is_match(text)
        {
            continue;
        }
        let host_access: Vec<(usize, HostAccess)> = (0..file.units.len())
            .filter_map(|at| Some((at, host_access(file, at)?)))
            .collect();
        let has = |what| host_access.iter().any(|(_, each)| *each == what);
        let owns = has(HostAccess::Rights)
            && (has(HostAccess::Disk) || has(HostAccess::Engine) || has(HostAccess::Processes));
        for (at, what) in host_access {
            let (severity, message) = match what {
                HostAccess::Disk => (Severity::High, "a container gets the whole disk"),
                HostAccess::Engine => (Severity::Medium, "a container gets hold of the engine"),
                HostAccess::Rights => (Severity::Medium, "a container gets every right"),
                HostAccess::Processes => (Severity::Low, "a container sees all processes"),
                HostAccess::ReadOnly => (Severity::Low, "a container can look at the machine"),
            };
            let ctx = UnitContext::new(skill, index, at);
            // In a document it is an example, and the words around it say of what.
            let severity = if file.is_document {
                severity.lowered(1)
            } else if owns && what != HostAccess::ReadOnly {
                Severity::High
            } else {
                severity
            };
            let severity = severity.lowered(u8::from(ctx.is_in_tests()));
            findings.add(
                &RULE,
                &ctx,
                0..ctx.text.len(),
                severity.in_any_context(),
                message,
            );
        }
    }
}

/// Whether a unit is a line of a file, or of a fenced block, that describes something.
fn is_value(unit: &Unit) -> bool {
    matches!(unit.kind, UnitKind::Data | UnitKind::Code) && unit.language == Language::Data
}

fn host_access(file: &PreparedFile<'_>, at: usize) -> Option<HostAccess> {
    let unit = &file.units[at];
    if !is_value(unit) {
        return None;
    }
    let text = without_comment(file.text(unit));
    let near = |pattern: &Pattern, mut units: std::ops::Range<usize>| {
        units.any(|near| {
            let near = &file.units[near];
            near.block == unit.block && pattern.is_match(without_comment(file.text(near)))
        })
    };
    // The list that a value belongs to.
    let list = || {
        let mut before = (at.saturating_sub(MAX_LINES_APART)..at).rev();
        before.find(|above| file.text(&file.units[*above]).trim_end().ends_with(':'))
    };
    let looks = |found: bool| {
        Some(if found {
            HostAccess::ReadOnly
        } else {
            HostAccess::Disk
        })
    };
    if ROOT.is_match(text) {
        return looks(
            ROOT.find_all(text)
                .all(|mount| MOUNT_READ_ONLY.is_match(mount)),
        );
    }
    if ROOT_SOURCE.is_match(text) {
        return looks(READ_ONLY.is_match(text) || is_read_only(file, at));
    }
    if HOST_PATH.is_match(text) && near(&OF_HOST, at.saturating_sub(2)..at) {
        // Whether nothing can be written stands a line or two below.
        return looks(near(&READ_ONLY, at..(at + 4).min(file.units.len())));
    }
    if let Some(found) = SOCKET.find(text) {
        let looks = MOUNT_READ_ONLY.is_match(&text[found]);
        return Some(if looks {
            HostAccess::ReadOnly
        } else {
            HostAccess::Engine
        });
    }
    let adds = || list().is_some_and(|list| near(&ADDS, list..list + 1));
    if PRIVILEGED.is_match(text) || CAPABILITY.is_match(text) && adds() {
        return Some(HostAccess::Rights);
    }
    PROCESSES.is_match(text).then_some(HostAccess::Processes)
}

/// Whether the mount with this source is one that nothing is written to: a line below says so that
/// belongs to it, and not to the next one or to the container.
fn is_read_only(file: &PreparedFile<'_>, at: usize) -> bool {
    let unit = &file.units[at];
    let item = file.text(unit).starts_with('-');
    let own = column(file, unit) + if item { 2 } else { 0 };
    let below = file.units[at + 1..].iter().take(MAX_LINES_APART);
    let mut below = below
        .take_while(|each| each.block == unit.block)
        .filter(|each| !without_comment(file.text(each)).is_empty())
        .take_while(|each| column(file, each) >= own && !file.text(each).starts_with('-'));
    below.any(|each| {
        column(file, each) == own && READ_ONLY.is_match(without_comment(file.text(each)))
    })
}

/// How far the line of a unit is indented.
fn column(file: &PreparedFile<'_>, unit: &Unit) -> usize {
    let start = file.origin(unit).start;
    let line = file.source[..start].rfind('\n').map_or(0, |end| end + 1);
    let rest = file.source[line..].trim_start_matches([' ', '\t']);
    file.source.len() - line - rest.len()
}

/// A line without the comment at its end.
fn without_comment(text: &str) -> &str {
    let is_comment = |at: &usize| {
        at.checked_sub(1)
            .is_none_or(|at| text.as_bytes()[at] == b' ')
    };
    let mut marks = text.match_indices('#').map(|(at, _)| at);
    text[..marks.find(is_comment).unwrap_or(text.len())].trim_end()
}
