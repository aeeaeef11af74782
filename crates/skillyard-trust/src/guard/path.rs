//! Files: which path a tool would really open, and patterns for paths.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use crate::guard::request::GuardEnvironment;

/// A path as it was named and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilePath {
    /// The path without `.` and `..`, links not followed.
    pub(super) named: PathBuf,
    /// The path with links followed.
    pub(super) real: PathBuf,
}

impl FilePath {
    /// Where `text` leads; `None` if unknown.
    pub(super) fn of(text: &str, world: &dyn GuardEnvironment) -> Option<Self> {
        if text.is_empty() || text.contains(char::is_control) {
            return None;
        }
        let path = match text.strip_prefix('~') {
            Some("") => world.home()?.to_owned(),
            Some(rest) => world.home()?.join(rest.strip_prefix('/')?),
            None => world.workspace().join(text),
        };
        Some(Self {
            named: normalised(&path),
            // `a/../b` leads elsewhere when `a` is a link, so this sees the path as it was named.
            real: world.canonical(&path)?,
        })
    }

    /// Whether it is in the workspace, without a path around it.
    pub(super) fn is_inside(&self, world: &dyn GuardEnvironment) -> bool {
        let workspace = world.workspace();
        let real = world.canonical(workspace);
        self.named.starts_with(workspace) && real.is_some_and(|real| self.real.starts_with(real))
    }

    /// Whether it is hidden in the workspace, as files with settings are.
    pub(super) fn is_hidden(&self, world: &dyn GuardEnvironment) -> bool {
        let below = self.below_workspace(world).unwrap_or_default();
        below
            .components()
            .any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
    }

    /// The path below the workspace.
    pub(super) fn below_workspace(&self, world: &dyn GuardEnvironment) -> Option<PathBuf> {
        let real = world.canonical(world.workspace())?;
        Some(self.real.strip_prefix(real).ok()?.to_owned())
    }
}

/// `path` without `.` and `..`.
fn normalised(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

/// A pattern for paths, in the manner of `.gitignore`.
#[derive(Debug, Clone)]
pub(super) struct PathPattern {
    itself: GlobMatcher,
    below: GlobMatcher,
    /// The folder, of a pattern for everything in it.
    folder: Option<GlobMatcher>,
    anchor: Anchor,
}

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Workspace,
    Home,
    Root,
}

impl PathPattern {
    /// Reads a pattern: below the workspace, `~/…` below home, `//…` from the root.
    pub(super) fn new(text: &str) -> Option<Self> {
        let (anchor, rest) = if let Some(rest) = text.strip_prefix("//") {
            (Anchor::Root, rest)
        } else if let Some(rest) = text.strip_prefix("~/") {
            (Anchor::Home, rest)
        } else {
            (Anchor::Workspace, text)
        };
        let rest = rest.strip_prefix("./").unwrap_or(rest);
        let inner = rest.trim_end_matches('/');
        let is_anchored = anchor != Anchor::Workspace || inner.contains('/');
        // No path has such parts when it is compared.
        let parts = inner.split('/');
        let parts: Vec<&str> = parts.filter(|part| !matches!(*part, "" | ".")).collect();
        let inner = parts.join("/");
        // A negated pattern, or one that leaves its folder, says nothing that can be granted.
        let leaves = inner.split('/').any(|part| part == "..");
        if inner.is_empty() || inner.starts_with('!') || leaves {
            return None;
        }
        let inner = if is_anchored {
            inner
        } else {
            format!("**/{inner}")
        };
        let glob = |text: &str| {
            let glob = GlobBuilder::new(text).literal_separator(true).build();
            glob.ok().map(|glob| glob.compile_matcher())
        };
        Some(Self {
            itself: glob(&inner)?,
            below: glob(&format!("{inner}/**"))?,
            folder: inner.strip_suffix("/**").and_then(glob),
            anchor,
        })
    }

    /// Whether the place that is really opened matches.
    pub(super) fn allows(&self, place: &FilePath, world: &dyn GuardEnvironment) -> bool {
        let base = self.base(world).and_then(|base| world.canonical(base));
        base.is_some_and(|base| self.matches_below(&base, &place.real))
    }

    /// Whether everything in the place matches, such as in `docs` for `docs/**`.
    pub(super) fn allows_below(&self, place: &FilePath, world: &dyn GuardEnvironment) -> bool {
        let base = self.base(world).and_then(|base| world.canonical(base));
        let below = base.and_then(|base| place.real.strip_prefix(base).ok().map(Path::to_owned));
        below.is_some_and(|below| {
            self.folder
                .as_ref()
                .is_some_and(|each| each.is_match(below))
        })
    }

    /// Whether the place matches in any way it can be meant.
    pub(super) fn denies(&self, place: &FilePath, world: &dyn GuardEnvironment) -> bool {
        let bases = [self.base(world), Some(Path::new("/"))];
        bases.into_iter().flatten().any(|base| {
            let real = world.canonical(base).unwrap_or_else(|| base.to_owned());
            [&place.named, &place.real]
                .iter()
                .any(|path| self.matches_below(base, path) || self.matches_below(&real, path))
        })
    }

    fn base<'a>(&self, world: &'a dyn GuardEnvironment) -> Option<&'a Path> {
        match self.anchor {
            Anchor::Workspace => Some(world.workspace()),
            Anchor::Home => world.home(),
            Anchor::Root => Some(Path::new("/")),
        }
    }

    fn matches_below(&self, base: &Path, path: &Path) -> bool {
        path.strip_prefix(base)
            .is_ok_and(|path| self.itself.is_match(path) || self.below.is_match(path))
    }
}
