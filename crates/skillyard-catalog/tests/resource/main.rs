//! Reading files of a skill: every way out of it is tried, with the kernel's resolver and with the fallback.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod content;
mod links;
#[cfg(target_os = "linux")]
mod race;
mod whole;

use std::fs;

use skillyard_catalog::resource::{
    ReadLimits, ReadRange, Resolver, Resource, ResourceContent, ResourceError, SkillRoot,
};
use tempfile::TempDir;

const RESOLVERS: [Resolver; 2] = [Resolver::Best, Resolver::Walk];
const SECRET: &str = "the secret";

/// A skill beside a folder with a secret.
struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let fixture = Self {
            folder: TempDir::new().unwrap(),
        };
        fs::create_dir_all(fixture.skill().join("references/deep")).unwrap();
        fs::create_dir(fixture.outside()).unwrap();
        fixture.write("SKILL.md", b"---\nname: skill\n---\n");
        fixture.write("references/guide.md", b"guide");
        fixture.write("references/deep/more.md", b"more");
        fs::write(fixture.outside().join("file"), SECRET).unwrap();
        fixture
    }

    fn skill(&self) -> std::path::PathBuf {
        self.folder.path().join("skill")
    }

    fn outside(&self) -> std::path::PathBuf {
        self.folder.path().join("outside")
    }

    fn write(&self, path: &str, content: &[u8]) {
        let path = self.skill().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn root(&self, resolver: Resolver) -> SkillRoot {
        SkillRoot::open_with(&self.skill(), resolver).unwrap()
    }

    fn read(&self, path: &str) -> Result<Resource, ResourceError> {
        read(&self.root(Resolver::Best), path)
    }
}

fn read(root: &SkillRoot, path: &str) -> Result<Resource, ResourceError> {
    root.read(path, ReadRange::default(), &ReadLimits::default())
}

fn text(resource: Resource) -> String {
    match resource.content {
        ResourceContent::Text(text) => text,
        other @ ResourceContent::Binary { .. } => panic!("not text: {other:?}"),
    }
}

/// Reads `path` with both resolvers and compares the error's message.
#[track_caller]
fn refused(fixture: &Fixture, path: &str, message: &str) {
    for resolver in RESOLVERS {
        match read(&fixture.root(resolver), path) {
            Ok(resource) => panic!("{path:?} was read with {resolver:?}: {resource:?}"),
            Err(error) => assert_eq!(error.to_string(), message, "{path:?} {resolver:?}"),
        }
    }
}

#[test]
fn files_are_read_at_any_depth() {
    let fixture = Fixture::new();
    for resolver in RESOLVERS {
        let root = fixture.root(resolver);
        for (path, clean, content) in [
            ("SKILL.md", "SKILL.md", "---\nname: skill\n---\n"),
            ("./references/guide.md", "references/guide.md", "guide"),
            ("references/deep/more.md", "references/deep/more.md", "more"),
        ] {
            let resource = read(&root, path).unwrap();
            assert_eq!(resource.path, clean);
            assert_eq!(resource.size, content.len() as u64);
            assert_eq!(resource.next_offset, None);
            assert!(!resource.executable);
            assert_eq!(text(resource), content);
        }
    }
}

#[test]
fn paths_that_mean_something_else_are_refused_as_text() {
    let fixture = Fixture::new();
    let check = |path: &str, reason: &str| {
        refused(&fixture, path, &format!("resource path `{path}` {reason}"));
    };
    refused(&fixture, "", "resource path is empty");
    for path in ["../x", "a/../../x", "references/..", "..", "./.."] {
        check(path, "contains `..`");
    }
    for path in ["/etc/passwd", "//server/share", "/", "///etc/passwd"] {
        check(path, "is absolute");
    }
    for path in ["references//guide.md", "references/", "./", ".//SKILL.md"] {
        check(path, "contains `//` or ends in `/`");
    }
    for path in [
        "C:x",
        "c:/Windows",
        "a/C:x",
        r"\\server\share",
        r"\\?\C:\x",
        r"\\.\pipe\x",
    ] {
        check(path, "names a drive or share of Windows");
    }
    for path in [r"references\guide.md", r"..\x", r"\x"] {
        check(path, "contains a backslash; folders are separated by `/`");
    }
    for name in [
        "CON",
        "nul.txt",
        "Aux",
        "com1",
        "LPT9.tar.gz",
        "con .md",
        "COM¹",
        "conin$",
    ] {
        check(name, &format!("contains `{name}`, a device on Windows"));
        check(
            &format!("a/{name}"),
            &format!("contains `{name}`, a device on Windows"),
        );
    }
    for path in [
        "%2e%2e/x",
        "..%2f",
        "..%2Fx",
        "%2E./x",
        "a%5cb",
        "a%00",
        "%252e%252e/x",
        "%25252fx",
        "%c0%ae%c0%ae/x",
        "a%0ab",
    ] {
        check(
            path,
            "contains a percent-encoded separator, dot or control character",
        );
    }
    for path in [
        ".", " ", "...", ". .", "a/./b", "a/ /b", "a/.. /b", "\u{a0}",
    ] {
        check(path, "contains a component of only dots or spaces");
    }
    for path in [".git/config", ".git", "a/.GIT/x"] {
        check(path, "leads into `.git`, which is no part of the skill");
    }
    refused(
        &fixture,
        "SKILL.md\0.png",
        r"resource path `SKILL.md\u{0}.png` contains a NUL character",
    );
    refused(
        &fixture,
        "a\nb\u{9b}",
        r"resource path `a\nb\u{9b}` contains a control character",
    );
    let long = "a/".repeat(2049);
    refused(
        &fixture,
        &long,
        &format!(
            "resource path `{}…` is 4098 bytes long, more than 4096",
            &long[..200]
        ),
    );
}

#[test]
fn harmless_names_are_read() {
    let fixture = Fixture::new();
    for name in [
        "100% sure.md",
        "50%25 off.md",
        "%zz",
        "a b.md",
        "…",
        ".hidden",
        "..a",
        "a..",
        "console.md",
        "com10",
        "10:30.md",
        "größe/日本.md",
        "~",
        "-rf",
        "$HOME",
        "*",
        "auxiliary",
    ] {
        fixture.write(name, name.as_bytes());
        for resolver in RESOLVERS {
            assert_eq!(text(read(&fixture.root(resolver), name).unwrap()), name);
        }
    }
}

#[test]
fn one_folder_is_the_limit_when_nesting_is_off() {
    let fixture = Fixture::new();
    let root = fixture.root(Resolver::Best);
    let limits = ReadLimits {
        nested: false,
        ..ReadLimits::default()
    };
    let read = |path| root.read(path, ReadRange::default(), &limits);
    assert_eq!(text(read("./references/guide.md").unwrap()), "guide");
    assert_eq!(
        read("references/deep/more.md").unwrap_err().to_string(),
        "resource path `references/deep/more.md` is deeper than one folder"
    );
}
