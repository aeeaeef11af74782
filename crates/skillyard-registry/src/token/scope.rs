//! What a token allows: actions, for all skills or for some.

use std::fmt;
use std::str::FromStr;

/// Something a token may allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Publish versions.
    Publish,
    /// Withdraw versions, and take that back.
    Yank,
    /// Say who else owns a skill.
    Owners,
    /// Make tokens that allow no more than this one.
    Tokens,
    /// Read, in a registry that is not for everybody; whoever may do more may do this.
    Read,
}

impl Action {
    const ALL: [Self; 5] = [
        Self::Publish,
        Self::Yank,
        Self::Owners,
        Self::Tokens,
        Self::Read,
    ];

    /// Its word in a scope.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Yank => "yank",
            Self::Owners => "owners",
            Self::Tokens => "tokens",
            Self::Read => "read",
        }
    }
}

/// What a token allows: an action, for all skills or those of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    pub(super) action: Action,
    /// A name, or the start of one before `*`.
    pattern: Option<String>,
}

/// A text that is no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// It begins with no action, or its pattern fits no name.
    #[error(
        "`{0}` is no scope: use `publish`, `yank`, `owners`, `tokens` or `read`, the first three alone or with `:NAME` or `:PREFIX*`"
    )]
    Other(String),
    /// A namespace is no skill, so this would allow nothing.
    #[error("`{0}` would allow nothing: all skills of a namespace are `{0}/*`")]
    Namespace(String),
    /// No name has capital letters, so this would allow nothing.
    #[error("`{0}` would allow nothing: names have small letters")]
    Capital(String),
}

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        let wrong = || ScopeError::Other(text.chars().take(100).collect());
        let (action, pattern) = match text.split_once(':') {
            Some((action, pattern)) => (action, Some(pattern)),
            None => (text, None),
        };
        let action = Action::ALL.into_iter().find(|each| each.as_str() == action);
        let action = action.ok_or_else(wrong)?;
        let is_name = |c: char| c.is_alphanumeric() || c == '-';
        if let Some(pattern) = pattern {
            let start = pattern.strip_suffix('*').unwrap_or(pattern);
            // In a namespace the pattern goes on behind its slash.
            let parts = match start.strip_prefix('@') {
                Some(rest) => rest.split_once('/').unwrap_or((rest, "")),
                None => ("", start),
            };
            let is_plain = parts.0.chars().chain(parts.1.chars()).all(is_name);
            let is_whole = matches!(action, Action::Tokens | Action::Read);
            if pattern.is_empty() || pattern == "@" || !is_plain || is_whole {
                return Err(wrong());
            }
            if pattern.starts_with('@') && !pattern.contains(['/', '*']) {
                return Err(ScopeError::Namespace(text.chars().take(100).collect()));
            }
            if pattern != pattern.to_lowercase() {
                return Err(ScopeError::Capital(text.chars().take(100).collect()));
            }
        }
        Ok(Self {
            action,
            pattern: pattern.map(str::to_owned),
        })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.action.as_str())?;
        match &self.pattern {
            Some(pattern) => write!(f, ":{pattern}"),
            None => Ok(()),
        }
    }
}

impl Scope {
    /// Whether this allows all that `other` does.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let start = |scope: &Self| -> Option<(String, bool)> {
            let pattern = scope.pattern.clone()?;
            let open = pattern.strip_suffix('*').map(str::to_owned);
            Some(open.map_or((pattern, false), |start| (start, true)))
        };
        self.action == other.action
            && match (start(self), start(other)) {
                (None, _) => true,
                (Some((own, _)), None) => own.is_empty(),
                (Some((own, true)), Some((theirs, _))) => theirs.starts_with(&own),
                (Some((own, false)), Some((theirs, open))) => !open && own == theirs,
            }
    }

    /// Whether this allows an action on anything whose name begins so.
    pub(super) fn reaches(&self, action: Action, start: &str) -> bool {
        self.action == action
            && match &self.pattern {
                None => true,
                Some(pattern) => match pattern.strip_suffix('*') {
                    Some(own) => own.starts_with(start) || start.starts_with(own),
                    None => pattern.starts_with(start),
                },
            }
    }

    /// Whether this allows an action on a skill.
    pub(super) fn allows(&self, action: Action, skill: &str) -> bool {
        self.action == action
            && match &self.pattern {
                None => true,
                Some(pattern) => match pattern.strip_suffix('*') {
                    Some(start) => skill.starts_with(start),
                    None => skill == pattern,
                },
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_allow_what_they_say_and_no_more() {
        let may =
            |scope: &str, action, skill| scope.parse::<Scope>().unwrap().allows(action, skill);
        assert!(may("publish", Action::Publish, "pdf"));
        assert!(!may("publish", Action::Yank, "pdf"));
        assert!(may("yank:pdf", Action::Yank, "pdf"));
        assert!(!may("yank:pdf", Action::Yank, "pdf-tools"));
        assert!(may("owners:pdf*", Action::Owners, "pdf-tools"));
        assert!(!may("owners:pdf*", Action::Owners, "xpdf"));
        assert!(may("publish:@acme/*", Action::Publish, "@acme/pdf"));
        assert!(!may("publish:@acme/*", Action::Publish, "@acmes/pdf"));
        assert!(!may("publish:acme*", Action::Publish, "@acme/pdf"));
        assert!(may("publish:@acme/pdf", Action::Publish, "@acme/pdf"));
        for bad in [
            "",
            "all",
            "publish:",
            "publish:@",
            "publish:@acme",
            "publish:Pdf",
            "yank:@Acme/*",
            "publish:a/b",
            "publish:@a/b/c",
            "publish:a@b",
            "publish:%",
            "Publish",
            "tokens:x",
            "read:x",
        ] {
            assert!(bad.parse::<Scope>().is_err(), "{bad}");
        }
    }

    #[test]
    fn scopes_reach_what_they_may_allow() {
        let reaches = |scope: &str, start| {
            scope
                .parse::<Scope>()
                .unwrap()
                .reaches(Action::Publish, start)
        };
        for scope in ["publish", "publish:*", "publish:@a*", "publish:@acme/pdf"] {
            assert!(reaches(scope, "@acme/") && reaches(scope, ""), "{scope}");
        }
        for scope in ["publish:pdf", "publish:@acmes/*", "publish:@acm/pdf"] {
            assert!(!reaches(scope, "@acme/") && reaches(scope, ""), "{scope}");
        }
        assert!(!reaches("owners", "") && !reaches("read", ""));
    }

    #[test]
    fn no_scope_grows_when_it_is_handed_on() {
        let covers = |own: &str, other: &str| {
            let read = |text: &str| text.parse::<Scope>().unwrap();
            read(own).covers(&read(other))
        };
        assert!(covers("publish", "publish:pdf") && covers("publish:*", "publish"));
        assert!(covers("publish:pdf*", "publish:pdf-tools"));
        assert!(covers("publish:pdf*", "publish:pdf-*"));
        assert!(covers("publish:@acme/*", "publish:@acme/pdf"));
        for (own, other) in [
            ("publish:pdf", "publish"),
            ("publish:pdf", "publish:pdf*"),
            ("publish:pdf-*", "publish:pdf*"),
            ("publish", "yank"),
            ("publish:@acme/*", "publish:*"),
        ] {
            assert!(!covers(own, other), "{own} {other}");
        }
    }
}
