//! A skill's Markdown as sanitized HTML.
//!
//! The converter lets HTML through, `nesting` puts it in order, and the sanitizer decides about the
//! result, whatever wrote it.

mod nesting;

use ammonia::{Builder, UrlRelative};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};

use self::nesting::levelled;

/// The longest text that is made into a page; the rest is left out.
pub const MAX_MARKDOWN_BYTES: usize = 512 * 1024;

/// The longest attribute, such as the address of a link; a longer one is left out.
const MAX_ATTRIBUTE_BYTES: usize = 8 * 1024;

/// A text as a page shows it.
#[derive(Debug)]
pub struct Rendered {
    /// What can do no harm.
    pub html: String,
    /// Whether the end was left out.
    pub is_cut: bool,
}

/// `markdown` as HTML; a link to a file of the skill leads to where `address` says.
pub fn render(markdown: &str, address: impl Fn(&str) -> String) -> Rendered {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let is_cut = markdown.len() > MAX_MARKDOWN_BYTES;
    let markdown = &markdown[..markdown.floor_char_boundary(MAX_MARKDOWN_BYTES)];
    let events = Parser::new_ext(markdown, options).map(|event| match event {
        // A field of a form would be taken away.
        Event::TaskListMarker(is_done) => Event::Text(if is_done { "☑ " } else { "☐ " }.into()),
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => Event::Start(Tag::Link {
            link_type,
            dest_url: file_link(&address, dest_url),
            title,
            id,
        }),
        other => other,
    });
    let sanitizer = sanitizer();
    let events = parted(levelled(events, &sanitizer.clone_tags()));
    let mut text = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut text, events.into_iter());
    Rendered {
        html: sanitizer.clean(&text).to_string(),
        is_cut,
    }
}

fn sanitizer() -> Builder<'static> {
    let mut sanitizer = Builder::default();
    sanitizer
        // Pictures of other sites would tell them who reads; our own pages show none.
        .rm_tags(["img", "map", "area"])
        .url_relative(UrlRelative::PassThrough)
        .url_schemes(["http", "https", "mailto"].into())
        .attribute_filter(|_, _, value| (value.len() <= MAX_ATTRIBUTE_BYTES).then(|| value.into()))
        .link_rel(Some("noopener noreferrer nofollow"));
    // The marks of a list stand where its words begin, which in some scripts is at the right.
    for list in ["ul", "ol"] {
        sanitizer.set_tag_attribute_value(list, "dir", "auto");
    }
    sanitizer
}

/// Links with a scheme, to a place on the page or to the root stay as they are.
fn file_link(address: impl Fn(&str) -> String, link: CowStr<'_>) -> CowStr<'_> {
    let elsewhere = link.contains(':') || link.starts_with(['#', '/', '?']) || link.is_empty();
    if elsewhere {
        return link;
    }
    let path = link.strip_prefix("./").unwrap_or(&link);
    CowStr::from(address(path))
}

/// The most bytes of text without a tag or a comment.
const MAX_RUN_BYTES: usize = 1024;
const COMMENT: Event<'static> = Event::InlineHtml(CowStr::Borrowed("<!---->"));

/// The events with a comment in each long run of text.
///
/// What writes the sanitized page looks at each special character through all text up to the next
/// tag, so a text of nothing but `&` would take minutes. The sanitizer removes the comments again.
fn parted(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut parted = Parted {
        events: Vec::with_capacity(events.len()),
        run: 0,
    };
    for event in events {
        match event {
            Event::Text(text) => parted.text(text),
            Event::Code(text) if text.len() > MAX_RUN_BYTES => {
                parted.events.push(Event::InlineHtml("<code>".into()));
                parted.text(text);
                parted.events.push(Event::InlineHtml("</code>".into()));
            }
            Event::SoftBreak => {
                parted.count(1);
                parted.events.push(Event::SoftBreak);
            }
            other => parted.events.push(other),
        }
    }
    parted.events
}

struct Parted<'a> {
    events: Vec<Event<'a>>,
    /// How much text there was since the last comment.
    run: usize,
}

impl<'a> Parted<'a> {
    fn text(&mut self, text: CowStr<'a>) {
        if text.len() <= MAX_RUN_BYTES {
            self.count(text.len());
            self.events.push(Event::Text(text));
            return;
        }
        let mut rest = &*text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(MAX_RUN_BYTES));
            self.count(piece.len());
            self.events.push(Event::Text(piece.to_owned().into()));
            rest = after;
        }
    }

    /// Counts text that follows, and puts a comment before it where it would become too much.
    fn count(&mut self, bytes: usize) {
        self.run += bytes;
        if self.run > MAX_RUN_BYTES {
            self.events.push(COMMENT);
            self.run = bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(path: &str) -> String {
        format!("/skills/pdf/files/{path}")
    }

    #[test]
    fn links_to_files_lead_to_their_pages() {
        let html = render(
            "[a](references/a.md) [b](https://x.example/) [c](#c)",
            below,
        )
        .html;
        assert!(
            html.contains(r#"href="/skills/pdf/files/references/a.md""#),
            "{html}"
        );
        assert!(html.contains(r#"href="https://x.example/""#));
        assert!(html.contains(r##"href="#c""##));
    }

    #[test]
    fn nothing_that_runs_or_loads_is_left() {
        for attack in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "<a href=\"&#106;avascript:alert(1)\">x</a>",
            "<svg onload=alert(1)>",
            "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
            "<style>*{background:url(//x.example)}</style>",
            "<form action=//x.example><button>x</button></form>",
            "<div style=\"background:url(//x.example)\">x</div>",
            "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
            "![x](https://x.example/pixel.png)",
            "<meta http-equiv=refresh content='0;url=//x.example'>",
            "<base href=//x.example>",
            "<p onclick=\"x()\" style=\"position:fixed\">x</p>",
            "<input autofocus onfocus=alert(1)>",
            "<a href=\"java\tscript:alert(1)\">x</a>",
            "[x](vbscript:x)",
            "<p id=main class=panel name=q>x</p>",
        ] {
            let html = render(attack, below).html.to_lowercase();
            for harm in [
                "<script",
                "onerror=",
                "onload=",
                "onclick=",
                "onfocus=",
                "vbscript:",
                "<input",
                "id=",
                "class=",
                "javascript:",
                "data:",
                "<iframe",
                "<style",
                "<form",
                "style=",
                "<img",
                "<svg",
                "<meta",
                "<base",
            ] {
                assert!(!html.contains(harm), "{attack} gives {html}");
            }
        }
    }

    fn check(markdown: &str, expected: &str) {
        assert_eq!(render(markdown, below).html.trim(), expected, "{markdown}");
    }

    #[test]
    fn html_in_it_is_part_of_the_page() {
        check("a<br>b <kbd>c</kbd>", "<p>a<br>b <kbd>c</kbd></p>");
        check(
            "<details>\n<summary>s</summary>\n\n- *a*\n\n</details>\n\nb",
            "<details>\n<summary>s</summary>\n<ul dir=\"auto\">\n<li><em>a</em></li>\n</ul>\n</details>\n<p>b</p>",
        );
        check(
            "<ul><li>a<li>b</ul>",
            "<ul dir=\"auto\"><li>a</li><li>b</li></ul>",
        );
        check("<p>a<p>b", "<p>a</p><p>b</p>");
        check(
            "<table><tr><td>a<td>b<tr><th>c</table>",
            "<table><tbody><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></tbody></table>",
        );
        check(
            "<div title=\"a &amp; &quot;b\">x</div>",
            "<div title=\"a &amp; &quot;b\">x</div>",
        );
    }

    #[test]
    fn what_is_to_do_and_what_is_done_can_be_told_apart() {
        check(
            "- [ ] a\n- [x] b",
            "<ul dir=\"auto\">\n<li>☐ a</li>\n<li>☑ b</li>\n</ul>",
        );
    }

    #[test]
    fn long_texts_are_whole() {
        let text = "a & ä ".repeat(2_000);
        let text = text.trim();
        let shown = text.replace('&', "&amp;");
        check(text, &format!("<p>{shown}</p>"));
        check(
            &format!("`{text}`"),
            &format!("<p><code>{shown}</code></p>"),
        );
        check(
            &format!("```\n{text}\n```"),
            &format!("<pre><code>{shown}\n</code></pre>"),
        );
        let lines = text.replace(' ', "\n");
        check(&lines, &format!("<p>{}</p>", shown.replace(' ', "\n")));
    }

    #[test]
    fn what_is_left_out_is_known() {
        let text = "word ".repeat(MAX_MARKDOWN_BYTES / 5);
        assert!(!render(&text, below).is_cut);
        assert!(render(&format!("{text}\n\n# Last part"), below).is_cut);
    }

    #[test]
    fn what_is_not_in_order_is_put_in_order() {
        check("*a <b>b* c</b>", "<p><em>a <b>b</b></em> c</p>");
        check("<p><b>a\n\nb", "<p><b>a\n</b></p>\n<p>b</p>");
        check("<table>a<tr><td>b</table>", "<table></table>ab");
        check("a <div>b</div> </p>c", "<p>a b c</p>");
        check("<style>a{}</style><script>x<b>y</script>z", "z");
    }

    #[test]
    fn the_work_grows_with_the_text() {
        let most = MAX_MARKDOWN_BYTES / 4;
        let many = |text: &str| text.repeat(most / text.len());
        let half = |text: &str| text.repeat(most / text.len() / 2);
        let attributes: Vec<String> = (0..50_000).map(|at| format!("a{at}")).collect();
        let attributes = attributes.join(" ");
        let open: Vec<String> = (0..60).map(|at| format!("<b title={at}>")).collect();
        let open = open.concat();
        let start = std::time::Instant::now();
        for attack in [
            many(">"),
            many("<div>"),
            many("- "),
            many("*a "),
            many("<b><div></b>"),
            format!("{}a\n{}", half("- "), half("\n")),
            format!("<div {attributes}>x</div>"),
            format!("<p>{open}\n\n{}", half("x\n\n")),
            format!("<p>{open}{}", half("<p>x")),
            format!("<table>\n\n{}", half("x\n\n")),
            format!("<table>{}", half("<p>x</p>")),
            many("&"),
            many("§"),
            many("& &\n"),
            format!("`{}`", many("&")),
            format!("```\n{}\n```", many("&")),
            format!("[x](y \"{}\")", many("&")),
            format!("[x](<{}>)", many("&")),
            format!("<div>\n{}\n</div>", many("&")),
            format!("x <b>{}</b>", many("&")),
        ] {
            let html = render(&attack, below).html;
            let beginning = &attack[..40];
            assert!(html.len() < 16 * most, "{} {beginning}", html.len());
        }
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }
}
