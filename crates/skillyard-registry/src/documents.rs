//! Documents over all skills of a namespace: for discovery, and for other clients.

use skillyard_format::Namespace;

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DocumentKind {
    /// Discovery with archives.
    Archives,
    /// Discovery with files.
    Files,
    /// Plugins.
    Marketplace,
}

impl DocumentKind {
    /// The document of this kind, over bare names or a namespace.
    pub(crate) fn of(self, namespace: Option<&Namespace>) -> Document {
        Document {
            kind: self,
            namespace: namespace.map(|each| each.as_str().to_owned()),
        }
    }
}

/// A document over the skills of a namespace, or over those with bare names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Document {
    pub(crate) kind: DocumentKind,
    /// Without its `@`.
    pub(crate) namespace: Option<String>,
}

/// A cached document as the registry serves it at a public URL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CachedDocument {
    pub(crate) document: Document,
    pub(crate) url: String,
}
