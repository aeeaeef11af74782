//! What cannot be undone.

use super::{Findings, UnitContext};
use crate::Severity;
use crate::pattern::Pattern;

rule! {
    /// Files, disks, databases or histories are destroyed.
    ///
    /// A folder that the skill made itself may be removed by it. The home folder, the root,
    /// everything here and above, everything of a kind, a disk or a database may not.
    ///
    /// **Fix:** remove only what the skill made, by its full name.
    "scan-destructive", Critical,
    "remove only what the skill made, by its full name",
    keywords: &["rm -", "-delete", "mkfs", "dd if", "rmtree", "unlink", "remove-item", "format c:", "shred", "drop ", "rimraf", "rmsync", "del /", "rd /s", "rmdir /s", "git clean", "-exec rm", "-exec shred", ":(){", "push --force", "push -f", "truncate", "os.remove", "rm(", "homedir", "vssadmin", "wbadmin", "bcdedit", "(){", "() {", "of=$", "rm (", "remove_dir_all", "deletedirectory", "remove("],
    check
}

static ALL: Pattern = Pattern::new(
    r#"\brm\s+(?:-[a-z-]+\s+)*-\w*(?:r\w*f|f\w*r)\w*\s+(?:--no-preserve-root\s+)?(?:["']?(?:/|~|\$\{?home\}?)/?\*?["']?(?:\s|$|;|&|\)|['"\x60])|(?:\./)?\*\s+\.\./|\.\./\*|\./\*\s|/(?:etc|usr|var|bin|lib|boot|home|users|opt)/?\*?["']?(?:\s|$|;|&))|
    \brm\s+(?:-\w+\s+)*--no-preserve-root|\bfind\s+["']?(?:(?:~|/|\$\{?home\}?)/?|(?:~|\$\{?home\}?)/(?:(?:documents|desktop|pictures|downloads|projects)/?|\.(?:ssh|aws|gnupg)\b[^\s"']*)|/(?:etc|usr|var|bin|lib|boot|home|users|opt|srv|root)\b[^\s"']*)["']?\s[^;|]*(?:-delete|-exec\s+(?:rm|shred))|\bdd\s+if=\S+\s+of=/dev/(?:sd|nvme|hd|disk)|/dev/(?:sd|nvme|hd|disk)\S*\s*;[^;]{0,20}\bdd\s+if=\S+\s+of=["']?\$|^\w+\s*\(\)\s*\{\s*\w+\s*\|\s*\w+\s*&\s*\}\s*;?\s*\w+|\bcd\s+(?:~|/|\$\{?home\}?)\s*(?:&&|;)\s*rm\s+-\w*r\w*\s|\bmkfs\.?\w*\s+[^;|]*/dev/|
    :\(\)\s*\{\s*:\|:|\bshred\b[^;|]*(?:/dev/|~|\*)|rmtree\s*\(\s*(?:os\.path\.expanduser\s*\(\s*['"]~/?['"]|path\.home\(\)\s*\)|['"]/['"])|
    remove-item\b[^;|]*(?:\$home|\$env:userprofile|c:\\+)(?:\s|\\?\*|$)[^;|]*-recurse|\b(?:rd|rmdir)\s+/s\s+/q\s+c:\\|\bformat\s+c:"#,
);
/// The user's own folders, by the calls that name them.
static HOME: Pattern = Pattern::new(
    r#"(?:rmtree|rmsync|rm|rimraf(?:\.sync)?|remove_dir_all|deletedirectory)\s*\(\s*(?:\w+\.)*(?:path\.home\(\)|pathlib\.path\.home\(\)|require\(['"]os['"]\)\.homedir\(\)|(?:os\.)?homedir\(\)|os\.path\.expanduser\s*\(\s*['"]~/?(?:documents|desktop|pictures|downloads)?['"]|process\.env\.home)\s*(?:\)|,|/\s*['"](?:documents|desktop|pictures|downloads|\.ssh)|\+\s*['"]/(?:documents|desktop|pictures))|
    remove-item\b[^;|]*\$env:userprofile\\(?:documents|desktop|pictures|\*)[^;|]*-recurse|\bvssadmin\s+delete\s+shadows|\bwbadmin\s+delete|\bbcdedit\b[^;|]*recoveryenabled\s+no"#,
);
static VARIABLE: Pattern = Pattern::new(
    r#"\brm\s+(?:-[a-z-]+\s+)*-\w*(?:r\w*f|f\w*r)\w*\s+["']?\$\{?(?:\w+)\}?["']?(?:/\*|/?["']?(?:\s|$|;))"#,
);
static WHOLE: Pattern = Pattern::new(
    r#"^(?:export\s+|local\s+)?\w+=["']?(?:\$\{?home\}?|~|/|\$\{?userprofile\}?)/?["']?(?:\s|$|;)"#,
);

static WALKS: Pattern = Pattern::new(
    r#"\bfor\b[^:]*(?:path\.home\(\)\.(?:iterdir|r?glob)\s*\(|(?:walk|listdir|scandir)\s*\(\s*os\.path\.expanduser\s*\(\s*['"]~/?['"]|readdir(?:sync)?\s*\(\s*(?:os\.)?homedir\(\))"#,
);
static KIND: Pattern = Pattern::new(
    r#"(?:for\s+\w+\s+in\s+[^:]*(?:glob|rglob|walk|iterdir|listdir)\s*\([^)]*\)[^;]{0,60}:\s*[^;]{0,80}(?:unlink|remove)\s*\(|\bfind\s+\.\s[^;|]*-name\s+["']?\*\.(?:docx?|xlsx?|pptx?|pdf|py|js|md)["']?[^;|]*-delete|\bgit\s+push\s+(?:--force|-f)\s+\S+\s+(?:main|master)|\bgit\s+clean\s+-[a-z]*f[a-z]*d[a-z]*x)"#,
);
static DATABASE: Pattern =
    Pattern::new(r"\bdrop\s+(?:database|schema)\s+[\w`'\x22]+|\btruncate\s+table\s+\w+");
static DELETES: Pattern =
    Pattern::new(r"\.unlink\s*\(|\bos\.remove\s*\(|\bshutil\.rmtree\s*\(|\brmsync\s*\(");

fn check(ctx: &UnitContext<'_>, findings: &mut Findings<'_>) {
    let text = ctx.text;
    let variable = VARIABLE
        .find(text)
        .filter(|_| removes_home(ctx))
        .or_else(|| DELETES.find(text).filter(|_| walks_home(ctx)));
    if let Some(range) = ALL.find(text).or_else(|| HOME.find(text)).or(variable) {
        let severity = match ctx.is_executed() {
            true if is_image(&text) => Severity::Info,
            true => Severity::High,
            false => Severity::Low,
        };
        findings.add(
            &RULE,
            ctx,
            range,
            severity,
            "everything in a place is destroyed",
        );
    } else if let Some(range) = KIND.find(text).filter(|_| ctx.is_executed()) {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Low,
            "all files of a kind are removed",
        );
    } else if let Some(range) = DATABASE.find(text).filter(|_| ctx.is_executed()) {
        findings.add(&RULE, ctx, range, Severity::Info, "a database is removed");
    } else if let Some(range) = DELETES
        .find(text)
        .filter(|_| ctx.is_executed() && deletes_documents(ctx))
    {
        findings.add(
            &RULE,
            ctx,
            range,
            Severity::Medium,
            "documents of the user are removed by their kind",
        );
    }
}

/// In a recipe for an image, caches of the package manager are emptied.
fn is_image(text: &str) -> bool {
    text.contains("/var/lib/apt/lists") || text.contains("/var/cache") || text.starts_with("run ")
}

/// Names and extensions of files that people write.
#[rustfmt::skip]
const DOCUMENT_NAMES: &[&str] = &[
    ".docx", ".xlsx", ".pptx", ".pdf", "*event", "*calendar", ".ics", "*.md", "*.db", "*meeting",
    "*invoice", "*.csv",
];

/// Whether the lines above collect files that people write.
fn deletes_documents(ctx: &UnitContext<'_>) -> bool {
    let until = ctx.index.1;
    let units = &ctx.file.units[until.saturating_sub(12)..until];
    let mut kinds = units.iter().map(|unit| ctx.file.text(unit));
    kinds.any(|text| {
        let collects = text.contains("glob") || text.contains('[') || text.contains("endswith");
        let own = text.contains("tmp")
            || text.contains("temp")
            || text.contains("cache")
            || text.contains("output");
        collects && !own && DOCUMENT_NAMES.iter().any(|name| text.contains(name))
    })
}

/// Whether the lines right above walk over the home folder.
fn walks_home(ctx: &UnitContext<'_>) -> bool {
    ctx.is_executed() && ctx.surrounding_texts(2).any(|text| WALKS.is_match(text))
}

/// Whether a variable that is removed was set to the home folder or the root.
fn removes_home(ctx: &UnitContext<'_>) -> bool {
    let set = ctx.surrounding_texts(8).filter(|text| WHOLE.is_match(text));
    let mut names = set.filter_map(|text| {
        let name = text.split('=').next()?;
        name.rsplit(' ').next()
    });
    names.any(|name| {
        ctx.text.contains(&format!("${name}")) || ctx.text.contains(&format!("${{{name}"))
    })
}
