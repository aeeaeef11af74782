//! The files that all pages load, inside the binary.

/// A file that pages load.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// Its name below `/assets/`.
    pub name: &'static str,
    /// What it is.
    pub media_type: &'static str,
    /// What is in it.
    pub text: &'static str,
}

/// How all pages look.
pub const STYLE: Asset = Asset::style("style.css", include_str!("../assets/style.css"));

/// Searches while you type; without it the form does the same with its button.
pub const SEARCH: Asset = Asset::script("search.js", include_str!("../assets/search.js"));

/// The mark in the corner.
pub const MARK: Asset = Asset {
    name: "mark.svg",
    media_type: "image/svg+xml",
    text: include_str!("../assets/mark.svg"),
};

impl Asset {
    /// A style sheet.
    pub const fn style(name: &'static str, text: &'static str) -> Self {
        Self {
            name,
            media_type: "text/css; charset=utf-8",
            text,
        }
    }

    /// A script.
    pub const fn script(name: &'static str, text: &'static str) -> Self {
        Self {
            name,
            media_type: "text/javascript; charset=utf-8",
            text,
        }
    }
}
