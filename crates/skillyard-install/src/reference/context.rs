//! What must be known to read a reference as its writer meant it.

/// A source named in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// What stands before the colon.
    pub name: String,
    /// What it is.
    pub kind: AliasKind,
    /// The host, with its port if that is not the usual one, by which addresses of its pages are known.
    pub host: Option<String>,
}

/// What a source named in the configuration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AliasKind {
    /// A registry.
    Registry,
    /// A forge that speaks as GitHub does.
    GitHub,
    /// A forge that speaks as GitLab does.
    GitLab,
}

/// Which aliases a reference may use.
#[derive(Debug, Clone, Copy)]
pub enum Aliases<'a> {
    /// Any, because the configuration is not at hand; they are checked when they are used.
    Any,
    /// These.
    Known(&'a [Alias]),
}

/// What must be known to read a reference as its writer meant it.
#[derive(Clone, Copy)]
pub struct ReferenceContext<'a> {
    /// The sources of the configuration.
    pub aliases: Aliases<'a>,
    /// Whether a relative path exists where the reference was typed.
    pub exists: &'a dyn Fn(&str) -> bool,
}

impl Default for ReferenceContext<'_> {
    fn default() -> Self {
        Self {
            aliases: Aliases::Any,
            exists: &|_| false,
        }
    }
}

impl<'a> ReferenceContext<'a> {
    pub(super) fn known_aliases(&self) -> &'a [Alias] {
        match self.aliases {
            Aliases::Any => &[],
            Aliases::Known(aliases) => aliases,
        }
    }
}
