//! The paths that a statement writes to.

use std::ops::Range;

use super::pattern::Pattern;
use super::text::Text;

/// What writes, with the path that it writes to at its end.
static AT_END: Pattern = Pattern::new(
    r#"(?:>>?|\btee\s+(?:-a\s+)?)\s*["']?[^\s;|&"'<>()]+|\b(?:cp|mv|ln|install)\s+[^;|&<>()]+|\bof=["']?[^\s;|&"'<>()]+|(?:set-content|add-content|out-file)\s+(?:-\w+\s+)*["']?[^\s;|&"'<>()]+"#,
);

/// Calls that write, with the path among their words.
static AMONG: Pattern = Pattern::new(
    r#"\bopen\s*\([^;]*?,\s*(?:mode\s*=\s*)?["'][awx]|\b(?:write|append)file(?:sync)?\s*\([^,;]+(?:,[^,;)]+\)[^,;]*)?,|["'][^"']+["']\s*\)\s*\.write_(?:text|bytes)\s*\(|\b(?:copy(?:file|2)?|move|rename|symlink)(?:sync)?\s*\([^;]+\)"#,
);

/// The first place where the text writes to a path that `fits`.
pub(crate) fn find(text: Text<'_>, fits: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let ends_with = |range: &Range<usize>| {
        let last = words(&text.plain()[range.clone()]).last();
        last.is_some_and(&fits)
    };
    let has = |range: &Range<usize>| words(&text.plain()[range.clone()]).any(&fits);
    let mut at_end = AT_END.ranges(text);
    let mut among = AMONG.ranges(text);
    at_end.find(ends_with).or_else(|| among.find(has))
}

/// What could be a path.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "\"'`(),=<>[]{}+".contains(c));
    words.filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(text: &str) -> bool {
        let fits = |path: &str| path.split('/').any(|part| part == ".envrc");
        find(Text::from(text), fits).is_some()
    }

    #[test]
    fn what_is_written_is_told_from_what_is_read() {
        for text in [
            "echo x > .envrc",
            "echo x >> \"$root/.envrc\"",
            "echo x | tee -a ./sub/.envrc",
            "cp template .envrc",
            "mv a.txt ./.envrc",
            "ln -sf /tmp/x .envrc",
            "dd if=/tmp/x of=.envrc",
            "open('.envrc', 'w')",
            "open(os.path.join(root, '.envrc'), mode='a')",
            "fs.writefilesync('.envrc', text)",
            "fs.writefilesync(path.join(root, '.envrc'), text)",
            "path('.envrc').write_text(text)",
            "shutil.copy('x', '.envrc')",
            "set-content -path .envrc x",
        ] {
            assert!(writes(text), "{text}");
        }
        for text in [
            "cat .envrc",
            "cat .envrc > out.txt",
            "cp .envrc backup",
            "open('.envrc')",
            "open('.envrc', 'r')",
            "source .envrc",
            "echo x > .envrc.example",
        ] {
            assert!(!writes(text), "{text}");
        }
    }
}
