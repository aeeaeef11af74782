//! Less usual forms of fetching and running: through other words, a loop, a function, a file of any
//! name, or the callbacks of a language.

use std::ops::Range;

use crate::flow::is_started;
use crate::pattern::{Pattern, ScanText};
use crate::skill::UnitContext;

/// How many statements before are looked at for a function.
const MAX_BACK: usize = 40;
/// How many places are looked at where a file may be started.
const MAX_PLACES: usize = 50;

static SHELL: Pattern = Pattern::new(
    r#"\b(?:curl|wget|fetch|aria2c|lwp-\w+)\b(?:[^;]|'[^'\s]*'|"[^"\s]*"|\\;)*?[^|;]\|&?\s*(?:(?:sudo|doas|exec|nohup|nice|time|builtin|setsid|busybox)\s+(?:-\w+\s+)*|command\s+(?:-p\s+)?|env\s+(?:\w+=\S*\s+)*)*(?:/(?:usr/)?(?:local/)?bin/)?(?:(?:ba|z|da|k|fi|a|tc|c)?sh\b|["']?\$\{?(?:shell|bash)\b)|
    \b(?:curl|wget|fetch)\b[^;]*[^|;]\|\s*while\b[^;]{0,80}\bread\b[^;]{0,80};\s*do\b[^\#]{0,160}?\b(?:eval\b|(?:ba|z|da)?sh\s+-c\s+["']?\$)|
    \b(?:curl|wget|fetch)\b[^;]*[^|;]\|\s*xargs\s+(?:-\S+\s+)*(?:[{}%\d]+\s+)?(?:/(?:usr/)?bin/)?(?:(?:ba|z|da|k)?sh|python3?|node|perl|ruby)\s+-[ce]\b|
    (?:\b(?:ba|z|da|k)?sh|\bsource|\beval|(?:^|[;&|\s])\.|\bpython3?|\bnode|\bperl|\bruby)\s+(?:-\w*\s+)*(?:/dev/stdin\s*|/dev/fd/0\s*|/proc/self/fd/0\s*)?<<<\s*\\?["']?(?:\$\(|\x60)\s*(?:curl|wget)\b"#,
);
static CODE: Pattern = Pattern::new(
    r#"\b(?:eval|new\s+function)\s*\(\s*(?:await\b|[\s(])*(?:fetch|axios(?:\.get)?|got|needle)\s*\(|
    \b(?:fetch|axios(?:\.get)?|got)\s*\([^;]{0,300}\.then\s*\(\s*(?:(?:globalthis|window|global)\.)?eval\s*\)|
    \b(?:fetch|axios(?:\.get)?|got)\s*\([^;]{0,300}=>\s*(?:\(\s*0\s*,\s*eval\s*\)|eval|new\s+function)\s*\(|
    \beval\s*[({]?\s*(?:(?:lwp::simple::)?get|uri\.open|net::http\.get|(?:['"]\?>['"]\s*\.\s*)?file_get_contents)\b[^;]{0,40}https?:"#,
);
/// A download, up to the name of the file that it goes to.
static SAVES: Pattern = Pattern::new(
    r#"\b(?:curl|wget|aria2c|axel)\s(?:[^;|&]|&[^&]|'[^'\s]*'|"[^"\s]*"|\\;)*?(?:\s(?:-[a-z]*o|--output(?:-document)?|--out)[\s=]+|\s>\s*)["']?[\w.$/\{\}~-]+"#,
);
static PIPED: Pattern = Pattern::new(
    r"(?:^|[;&]\s*)[a-z_]\w*\s*\|&?\s*(?:(?:sudo|exec|command|busybox|env)\s+)*(?:/(?:usr/)?bin/)?(?:ba|z|da|k)?sh\b",
);
static PRINTS: Pattern = Pattern::new(r"\b(?:curl|wget)\b[^|;]*(?:https?:|\$)");

/// Where something that is fetched is run.
pub(super) fn find(ctx: &UnitContext<'_>) -> Option<Range<usize>> {
    SHELL
        .find(ctx.text)
        .or_else(|| CODE.find(ctx.text))
        .or_else(|| saved_and_started(ctx.text))
        .or_else(|| piped_function(ctx))
}

/// A statement that saves a file and then starts it, whatever it is called.
fn saved_and_started(text: ScanText<'_>) -> Option<Range<usize>> {
    let saved = SAVES.find(text)?;
    let text = text.plain();
    let name = text[saved.clone()]
        .rsplit([' ', '=', '>', '"', '\''])
        .next()?;
    let name = name.strip_prefix("./").unwrap_or(name);
    if name.is_empty() || matches!(name, "-" | "/dev/null" | "/dev/stdout") {
        return None;
    }
    let rest = text[saved.end..].match_indices(name).take(MAX_PLACES);
    let place = rest.map(|(at, _)| saved.end + at).find(|at| {
        let before = &text[..*at];
        let before = before.strip_suffix("./").unwrap_or(before);
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
        let is_whole = !before.ends_with(is_part) && !text[at + name.len()..].starts_with(is_part);
        // What may be started need not be, and a dot may be a folder.
        let mut words = before.trim_end().rsplitn(3, ' ');
        let (last, one_before, first) = (words.next(), words.next(), words.next());
        let prepares = last == Some("chmod") || one_before == Some("chmod");
        let is_folder = last == Some(".")
            && !one_before.is_none_or(|word| word.ends_with([';', '&', '|', '(']))
            && first.is_some();
        is_whole && !prepares && !is_folder && is_started(before.as_bytes())
    })?;
    Some(saved.start..place + name.len())
}

/// A function that prints what it fetches, and whose words a shell gets.
fn piped_function(ctx: &UnitContext<'_>) -> Option<Range<usize>> {
    let text = ctx.text.plain();
    let piped = PIPED.find(ctx.text)?;
    let call = text[piped.clone()].trim_start_matches([';', '&', ' ']);
    let name = call.split([' ', '|']).next().unwrap_or_default();
    if name.is_empty() {
        return None;
    }
    let mut body = text[..piped.start].to_owned();
    let mut units = ctx.file.units[..ctx.index.1].iter().rev();
    let in_block = units
        .by_ref()
        .take(MAX_BACK)
        .take_while(|unit| unit.block == ctx.unit.block);
    for unit in in_block {
        if let Some(fetches) = is_fetching(&body, name) {
            return fetches.then_some(piped);
        }
        body = format!("{}\n{body}", ctx.file.text(unit));
    }
    is_fetching(&body, name)
        .unwrap_or_default()
        .then_some(piped)
}

/// Whether the function of this name in `text` fetches and prints; nothing if it is not there.
fn is_fetching(text: &str, name: &str) -> Option<bool> {
    let heads = [
        format!("{name}()"),
        format!("{name} ()"),
        format!("function {name}"),
    ];
    let start = heads.iter().find_map(|head| text.find(head.as_str()))?;
    let body = &text[start..];
    // A brace behind a dollar belongs to a variable, and ends before the body does.
    let end = body.rfind('}').unwrap_or(body.len());
    let body = &body[..end];
    Some(PRINTS.is_match(body) && !SAVES.is_match(body))
}
