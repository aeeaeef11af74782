//! The form that asks for a token.

use askama::Template;

/// The form that asks for a token; a page shows it as it is.
#[derive(Template)]
#[template(path = "login_form.html")]
pub struct TokenForm<'a> {
    /// Why a token is needed.
    pub reason: &'a str,
    /// Whether the one that was given is not known.
    pub wrong: bool,
    /// Where to go from there.
    pub next: &'a str,
}
