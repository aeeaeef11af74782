//! Where a login leads: to what was asked for before it.

use serde::Deserialize;

/// What was asked for before the login.
#[derive(Debug, Default, Deserialize)]
pub struct Next {
    /// A path with its query, as it was sent.
    #[serde(default)]
    pub next: String,
}

impl Next {
    /// The page that was asked for, if it is one of ours; a link must not lead elsewhere.
    pub fn page(&self) -> &str {
        let next = self.next.as_str();
        let path = next.split('?').next().unwrap_or_default();
        let is_plain = |byte: &u8| byte.is_ascii_graphic() && *byte != b'\\';
        let is_ours = next.starts_with('/')
            && !next.starts_with("//")
            && !matches!(path, "/login" | "/logout")
            && next.as_bytes().iter().all(is_plain);
        if is_ours { next } else { "/" }
    }
}

/// The address of the login from which it goes on to `asked`, a path with its query.
pub fn address(asked: Option<&str>) -> String {
    match asked.filter(|asked| *asked != "/") {
        Some(asked) => {
            let next: String = form_urlencoded::byte_serialize(asked.as_bytes()).collect();
            format!("/login?next={next}")
        }
        None => "/login".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_pages_of_ours_alone() {
        let page = |next: &str| {
            let next = next.to_owned();
            Next { next }.page().to_owned()
        };
        for own in ["/", "/skills/pdf?x=1", "/log/checkpoint", "/logins"] {
            assert_eq!(page(own), own);
        }
        for other in [
            "",
            "//evil.example/",
            "/\\evil.example",
            "https://evil.example",
            "/a\r\nx: y",
            "/logout",
            "/login?next=/logout",
        ] {
            assert_eq!(page(other), "/", "{other}");
        }
    }
}
