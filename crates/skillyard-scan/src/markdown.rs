//! Markdown, taken apart into what is read, what is run and what is hidden.
//!
//! A line at a time, because that is how the fences and comments of hostile files are found
//! in linear time, and because a block that never ends must not hide what follows it.

use std::ops::Range;

use skillyard_format::span::{Line, Lines};

use crate::file::Language;

/// What a stretch of Markdown is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    /// One field of the frontmatter.
    Frontmatter,
    /// A heading.
    Heading,
    /// A paragraph, a list item or a row of a table.
    Prose,
    /// A line of a fenced block.
    Fence(Language),
    /// The inside of an HTML comment, or an invisible link definition.
    Comment,
}

/// A stretch of Markdown: what it is, and the lines it is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) block: Block,
    pub(crate) range: Range<usize>,
}

/// The regions of `text`, in order.
pub(crate) fn regions(text: &str) -> Vec<Region> {
    let mut splitter = Splitter {
        regions: Vec::new(),
        fence: None,
        comment: false,
        open: false,
    };
    let body = splitter.frontmatter(text);
    for line in Lines::from(text, body) {
        splitter.line(text, &line);
    }
    splitter.regions
}

struct Splitter {
    regions: Vec<Region>,
    /// The character, the count and the language of the fence that is open.
    fence: Option<(u8, usize, Language)>,
    /// Whether an HTML comment is open.
    comment: bool,
    /// Whether the next line of prose belongs to the last region.
    open: bool,
}

impl Splitter {
    fn add(&mut self, block: Block, range: Range<usize>) {
        self.open = false;
        self.regions.push(Region { block, range });
    }

    /// Adds to the last region if it is of the same kind, else starts one.
    fn extend(&mut self, block: Block, range: Range<usize>) {
        match self.regions.last_mut() {
            Some(last) if last.block == block && self.open => last.range.end = range.end,
            _ => self.regions.push(Region { block, range }),
        }
        self.open = true;
    }

    /// Reads the frontmatter and returns where the body starts.
    fn frontmatter(&mut self, text: &str) -> usize {
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut lines = Lines::from(text, start);
        let opens = lines
            .next()
            .is_some_and(|line| line.text.trim_end() == "---");
        let closer = Lines::from(text, start)
            .skip(1)
            .find(|line| matches!(line.text.trim_end(), "---" | "..."));
        let Some(closer) = closer.filter(|_| opens) else {
            return 0;
        };
        for line in lines.take_while(|line| line.start < closer.start) {
            let continues = line.text.starts_with([' ', '\t', '-']) || line.text.is_empty();
            self.open = self.open && continues;
            self.extend(Block::Frontmatter, line.start..line.end);
        }
        self.open = false;
        closer.next
    }

    fn line(&mut self, text: &str, line: &Line<'_>) {
        let content = line.text.trim_start_matches([' ', '\t', '>']);
        let start = line.end - content.len();
        if let Some((mark, count, language)) = self.fence {
            let run = content.bytes().take_while(|byte| *byte == mark).count();
            if run >= count && content[run..].trim().is_empty() {
                self.fence = None;
                self.open = false;
            } else {
                self.extend(Block::Fence(language), start..line.end);
            }
            return;
        }
        if !self.comment
            && let Some(fence) = opening(content)
        {
            self.fence = Some(fence);
            self.open = false;
            return;
        }
        self.prose(text, start..line.end);
    }

    /// A line outside fences, which may open and close comments.
    fn prose(&mut self, text: &str, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let rest = &text[at..range.end];
            if self.comment {
                let end = rest.find("-->").map_or(range.end, |found| at + found);
                self.extend(Block::Comment, at..end);
                self.comment = end == range.end && !rest.ends_with("-->");
                at = end + 3;
                self.open = self.comment;
                continue;
            }
            // Few lines have the sign at all, and one byte is found quickest.
            let opening = rest.contains('<').then(|| rest.find("<!--")).flatten();
            let end = opening.map_or(range.end, |found| at + found);
            self.visible(text, at..end);
            if end < range.end {
                self.comment = true;
                self.open = false;
            }
            at = end + 4;
        }
        if range.is_empty() && !self.comment {
            self.open = false;
        }
    }

    fn visible(&mut self, text: &str, range: Range<usize>) {
        let content = &text[range.clone()];
        if content.trim().is_empty() {
            return;
        }
        // `[//]: # (words)` is a link definition, which no renderer shows.
        if content.starts_with("[//]:") || content.starts_with("[comment]:") {
            self.add(Block::Comment, range);
        } else if content.starts_with('#') {
            self.add(Block::Heading, range);
        } else {
            if starts_item(content) {
                self.open = false;
            }
            self.extend(Block::Prose, range);
        }
    }
}

/// The mark, the count and the language of a line that opens a fence.
fn opening(content: &str) -> Option<(u8, usize, Language)> {
    let mark = content
        .bytes()
        .next()
        .filter(|byte| matches!(byte, b'`' | b'~'))?;
    let count = content.bytes().take_while(|byte| *byte == mark).count();
    let info = &content[count..];
    let is_fence = count >= 3 && !(mark == b'`' && info.contains('`'));
    is_fence.then(|| (mark, count, Language::of_fence(info.trim())))
}

/// Whether a line starts a list item or a row of a table.
fn starts_item(content: &str) -> bool {
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    match content.as_bytes() {
        [b'-' | b'*' | b'+', b' ', ..] | [b'|', ..] => true,
        bytes => digits > 0 && matches!(bytes.get(digits), Some(b'.' | b')')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(Block, &str)> {
        let regions = regions(text);
        let pieces = regions.iter();
        pieces
            .map(|each| (each.block, &text[each.range.clone()]))
            .collect()
    }

    #[test]
    fn each_kind_of_block_is_told_apart() {
        let text = "---\nname: x\nmetadata:\n  a: b\n---\n# H\none\ntwo\n- item\n\n> ```bash\n> ls\n> ```\n<!-- a\nb --> c\n";
        assert_eq!(
            shown(text),
            [
                (Block::Frontmatter, "name: x"),
                (Block::Frontmatter, "metadata:\n  a: b"),
                (Block::Heading, "# H"),
                (Block::Prose, "one\ntwo"),
                (Block::Prose, "- item"),
                (Block::Fence(Language::Shell), "ls"),
                (Block::Comment, " a\nb "),
                (Block::Prose, " c"),
            ]
        );
    }

    #[test]
    fn what_is_never_closed_is_still_read() {
        assert_eq!(
            shown("```\nx\n<!-- y"),
            [(Block::Fence(Language::Other), "x\n<!-- y")]
        );
        assert_eq!(shown("<!-- y\nz"), [(Block::Comment, " y\nz")]);
        assert_eq!(shown("---\nname: x"), [(Block::Prose, "---\nname: x")]);
    }
}
