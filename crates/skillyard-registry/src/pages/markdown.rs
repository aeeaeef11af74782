//! Instructions of strangers as HTML that cannot do anything.

use pulldown_cmark::{Options, Parser, html};

/// The longest text that is shown.
const LONGEST: usize = 200_000;

/// Markdown as HTML without scripts, styles, forms, frames and addresses that are not http.
pub(crate) fn rendered(text: &str) -> String {
    let end = text.floor_char_boundary(LONGEST);
    let parser = Parser::new_ext(
        &text[..end],
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH,
    );
    let mut html = String::new();
    html::push_html(&mut html, parser);
    ammonia::Builder::default()
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(ammonia::UrlRelative::Deny)
        // A picture tells its host who looks.
        .rm_tags(["img"])
        .link_rel(Some("nofollow noopener noreferrer ugc"))
        .clean(&html)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_and_whatever_acts_goes() {
        let html = rendered("# Forms\n\n| a |\n|---|\n| b |\n\n[site](https://a.example)");
        assert!(html.contains("<h1>Forms</h1>") && html.contains("<td>b</td>"));
        assert!(html.contains("nofollow"));
        for evil in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "[x](javascript:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "<svg onload=alert(1)>",
            "<iframe src=//evil.example></iframe>",
            "<form action=//evil.example><input></form>",
            "<style>*{background:url(//evil.example)}</style>",
            "<p style=\"position:fixed\" onclick=\"x()\">x</p>",
            "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
            "![x](https://evil.example/pixel.png)",
            "<base href=//evil.example>",
            "<meta http-equiv=refresh content=0>",
        ] {
            let html = rendered(evil).to_lowercase();
            for bad in [
                "<script",
                "onerror=",
                "onload=",
                "onclick=",
                "href=\"javascript",
                "href=\"data",
                "<iframe",
                "<form",
                "<style",
                "style=",
                "<img",
                "<base",
                "<meta",
                "<svg",
            ] {
                assert!(!html.contains(bad), "{evil} became {html}");
            }
        }
    }
}
