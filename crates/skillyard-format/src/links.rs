//! Relative links in Markdown.

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use crate::span::Span;

/// A link to a file of the skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The path as written, without query and fragment.
    pub target: String,
    /// Where the link stands.
    pub span: Span,
}

/// Whether there may be links in the part of `text` that `body` covers, at a glance.
pub fn may_have_links(text: &str, body: Span) -> bool {
    let markdown = body.of(text);
    markdown.contains("](") || markdown.contains("]:")
}

/// The relative links and images in the part of `text` that `body` covers.
pub fn relative_links(text: &str, body: Span) -> Vec<Link> {
    let markdown = body.of(text);
    // Most bodies have no link, and parsing them would cost more than everything else.
    if !may_have_links(text, body) {
        return Vec::new();
    }
    let mut links = Vec::new();
    for (event, range) in Parser::new(markdown).into_offset_iter() {
        let Event::Start(
            Tag::Link {
                dest_url,
                link_type,
                ..
            }
            | Tag::Image {
                dest_url,
                link_type,
                ..
            },
        ) = event
        else {
            continue;
        };
        if matches!(link_type, LinkType::Autolink | LinkType::Email) {
            continue;
        }
        let target = dest_url.split(['#', '?']).next().unwrap_or_default();
        if is_file(target) {
            links.push(Link {
                target: percent_decoded(target),
                span: Span::new(body.start + range.start, body.start + range.end),
            });
        }
    }
    links
}

/// Whether a target looks like a path rather than a URL or a placeholder.
fn is_file(target: &str) -> bool {
    let has_scheme = target.split_once(':').is_some_and(|(scheme, _)| {
        scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    let is_path = target.contains(['/', '.']) && !target.trim_matches('.').is_empty();
    let is_placeholder = target.contains(['{', '}', '<', '>', '$', '*', '[', ']', '|'])
        || target.contains("...")
        || target.contains("path/to");
    is_path && !has_scheme && !is_placeholder && !target.starts_with(['/', '#', '~', '@'])
}

fn percent_decoded(target: &str) -> String {
    if target.contains("%20") {
        target.replace("%20", " ")
    } else {
        target.to_owned()
    }
}

/// The path below the skill's root that `target` names; `None` when it leads out.
pub fn resolve(target: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let links = relative_links(text, Span::new(0, text.len()));
        let targets: Vec<_> = links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(targets, expected, "{text}");
    }

    #[test]
    fn only_paths_count() {
        check(
            "[a](references/a.md#part) ![i](assets/i.png)",
            &["references/a.md", "assets/i.png"],
        );
        check(
            "[a](https://x.org/a.md) <mailto:a@b.c> [b](#top) [c](/etc/passwd)",
            &[],
        );
        check("`[a](b.md)`\n\n```\n[a](c.md)\n```\n", &[]);
        check("[text](url) [x](<name>.md) [y](path/to/file.md)", &[]);
    }

    #[test]
    fn paths_are_resolved_from_the_root() {
        assert_eq!(resolve("./a/../b.md").as_deref(), Some("b.md"));
        assert_eq!(resolve("../b.md"), None);
    }
}
