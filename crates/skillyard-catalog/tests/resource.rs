//! Reading files of a skill: every way out of it is tried, with the kernel's resolver and with the fallback.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::fs::{CWD, Mode, RenameFlags};
use skillyard_catalog::resource::{
    BinaryContent, Content, DigestLimits, FileKind, HardLinks, ReadLimits, ReadRange, Resolver,
    Resource, ResourceError, SkillRoot, digest, digest_within,
};
use skillyard_format::Digest;
use skillyard_format::package::TreeDigest;
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
        Content::Text(text) => text,
        other @ Content::Binary { .. } => panic!("not text: {other:?}"),
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

#[test]
fn symbolic_links_are_not_followed() {
    let fixture = Fixture::new();
    let skill = fixture.skill();
    symlink("../outside/file", skill.join("relative")).unwrap();
    symlink(fixture.outside().join("file"), skill.join("absolute")).unwrap();
    symlink("../outside", skill.join("folder")).unwrap();
    symlink("SKILL.md", skill.join("inside")).unwrap();
    symlink("nowhere", skill.join("dangling")).unwrap();
    symlink("circle", skill.join("circle")).unwrap();
    symlink("/proc/self/root", skill.join("magic")).unwrap();
    for path in [
        "relative",
        "absolute",
        "folder/file",
        "folder",
        "inside",
        "dangling",
        "circle",
        "circle/x",
        "magic/etc/passwd",
    ] {
        refused(
            &fixture,
            path,
            &format!("`{path}` is or passes through a symbolic link"),
        );
    }
    for resolver in RESOLVERS {
        let error = fixture.root(resolver).list(Some("folder")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`folder` is or passes through a symbolic link"
        );
    }
}

#[test]
fn a_root_may_be_reached_through_a_symbolic_link() {
    let fixture = Fixture::new();
    let link = fixture.folder.path().join("link");
    symlink("skill", &link).unwrap();
    let root = SkillRoot::open(&link).unwrap();
    assert_eq!(text(read(&root, "references/guide.md").unwrap()), "guide");
    assert_eq!(root.path(), link);
}

#[test]
#[cfg(target_os = "linux")]
fn magic_links_of_proc_are_not_followed() {
    for resolver in RESOLVERS {
        let root = SkillRoot::open_with(Path::new("/proc/self"), resolver).unwrap();
        for path in ["cwd/Cargo.toml", "root/etc/passwd", "exe", "fd/0"] {
            let error = read(&root, path).unwrap_err();
            assert!(
                matches!(error, ResourceError::Symlink { .. }),
                "{path}: {error}"
            );
        }
        // A file without a size is read until it ends.
        assert!(text(read(&root, "status").unwrap()).starts_with("Name:"));
    }
}

#[test]
fn hard_links_are_refused_unless_the_caller_allows_them() {
    let fixture = Fixture::new();
    fs::hard_link(
        fixture.outside().join("file"),
        fixture.skill().join("linked"),
    )
    .unwrap();
    refused(
        &fixture,
        "linked",
        "`linked` has 2 hard links, and the others may lie outside the skill",
    );
    let limits = ReadLimits {
        hard_links: HardLinks::Allow,
        ..ReadLimits::default()
    };
    for resolver in RESOLVERS {
        let root = fixture.root(resolver);
        assert_eq!(
            text(root.read("linked", ReadRange::default(), &limits).unwrap()),
            SECRET
        );
    }
}

#[test]
fn only_regular_files_are_read_and_nothing_waits() {
    let fixture = Fixture::new();
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(
        CWD,
        fixture.skill().join("pipe"),
        fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(fixture.skill().join("socket")).unwrap();
    refused(
        &fixture,
        "pipe",
        "`pipe` is a named pipe, not a regular file",
    );
    refused(
        &fixture,
        "socket",
        "`socket` is a socket, not a regular file",
    );
    refused(
        &fixture,
        "references",
        "`references` is a folder, not a regular file",
    );
    refused(&fixture, "missing.md", "`missing.md` is not in the skill");
    refused(&fixture, "missing/x", "`missing/x` is not in the skill");
    refused(
        &fixture,
        "SKILL.md/x",
        "`SKILL.md/x` is not a folder or passes through a file",
    );
    for resolver in RESOLVERS {
        let device = SkillRoot::open_with(Path::new("/dev"), resolver).unwrap();
        let error = read(&device, "null").unwrap_err();
        assert!(
            matches!(
                error,
                ResourceError::NotRegular {
                    kind: FileKind::Device,
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn a_root_must_be_a_folder() {
    let fixture = Fixture::new();
    for path in [
        fixture.skill().join("SKILL.md"),
        fixture.skill().join("missing"),
    ] {
        let error = SkillRoot::open(&path).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("skill folder `{}` cannot be opened", path.display())
        );
    }
}

#[test]
fn long_texts_are_read_in_pieces_between_characters() {
    let fixture = Fixture::new();
    let whole: String = ["a", "ß", "€", "😀", "\r\n"].concat().repeat(3_000);
    fixture.write("long.md", whole.as_bytes());
    for resolver in RESOLVERS {
        let root = fixture.root(resolver);
        for limit in [0, 1, 2, 3, 4, 5, 1_000, 4_096, 1_000_000] {
            let mut together = String::new();
            let mut offset = 0;
            loop {
                let range = ReadRange {
                    offset,
                    limit: Some(limit),
                };
                let piece = root.read("long.md", range, &ReadLimits::default()).unwrap();
                assert_eq!(piece.offset, offset);
                assert_eq!(piece.size, whole.len() as u64);
                let next = piece.next_offset;
                let piece = text(piece);
                assert!(piece.len() as u64 <= limit.max(4));
                together.push_str(&piece);
                match next {
                    Some(next) if next > offset => offset = next,
                    Some(_) => panic!("reading does not go on at {offset} with limit {limit}"),
                    None => break,
                }
            }
            assert!(together == whole, "limit {limit}");
        }
    }
}

#[test]
fn the_soft_limit_cuts_and_says_where_to_go_on() {
    let fixture = Fixture::new();
    fixture.write("long.md", "€".repeat(1_000_000).as_bytes());
    let resource = fixture.read("long.md").unwrap();
    assert_eq!(resource.next_offset, Some(1_999_998));
    assert_eq!(text(resource).len(), 1_999_998);
}

#[test]
fn an_offset_inside_a_character_gives_it_whole() {
    let fixture = Fixture::new();
    fixture.write("x.md", "a😀b".as_bytes());
    let root = fixture.root(Resolver::Best);
    let read = |offset| {
        let range = ReadRange {
            offset,
            limit: None,
        };
        root.read("x.md", range, &ReadLimits::default())
    };
    for offset in 1..5 {
        let resource = read(offset).unwrap();
        assert_eq!((resource.offset, text(resource).as_str()), (1, "😀b"));
    }
    assert_eq!(text(read(5).unwrap()), "b");
    assert_eq!(text(read(6).unwrap()), "");
    for offset in [7, 9999] {
        assert_eq!(
            read(offset).unwrap_err().to_string(),
            format!("offset {offset} is past the end of `x.md`, which has 6 bytes")
        );
    }
}

#[test]
fn binary_files_are_described_and_given_on_request() {
    let fixture = Fixture::new();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
    let late = [vec![b'a'; 20_000], vec![0xff], vec![b'a'; 20_000]].concat();
    for (name, content, expected) in [
        ("a.png", &png[..], "image/png"),
        ("zero", b"a\0b", "application/octet-stream"),
        ("latin1.txt", b"gr\xfc\xdfe", "application/octet-stream"),
        ("cut.txt", b"abc\xe2\x82", "application/octet-stream"),
        (
            "utf16.txt",
            b"\xff\xfeh\0i\0",
            "text/plain; charset=utf-16le",
        ),
        (
            "paper.pdf",
            b"%PDF-1.4 all of this is text",
            "application/pdf",
        ),
        ("late", &late, "application/octet-stream"),
    ] {
        fixture.write(name, content);
        let resource = fixture.read(name).unwrap();
        assert_eq!(resource.size, content.len() as u64);
        assert_eq!(resource.next_offset, None);
        let Content::Binary { media_type, bytes } = resource.content else {
            panic!("{name} is text");
        };
        assert_eq!((media_type, bytes), (expected, None), "{name}");

        let limits = ReadLimits {
            binary: BinaryContent::Include,
            max_bytes: 7_000,
            ..ReadLimits::default()
        };
        let mut together = Vec::new();
        let mut offset = Some(0);
        while let Some(from) = offset {
            let range = ReadRange {
                offset: from,
                limit: None,
            };
            let resource = fixture
                .root(Resolver::Best)
                .read(name, range, &limits)
                .unwrap();
            offset = resource.next_offset;
            match resource.content {
                Content::Binary { bytes, .. } => together.extend(bytes.unwrap()),
                Content::Text(text) => together.extend(text.into_bytes()),
            }
        }
        assert_eq!(together, content, "{name}");
    }
}

#[test]
fn the_start_of_a_file_decides_for_all_of_it() {
    let fixture = Fixture::new();
    fixture.write("mixed", &[b"\0".to_vec(), vec![b'a'; 100]].concat());
    let range = ReadRange {
        offset: 50,
        limit: None,
    };
    let root = fixture.root(Resolver::Best);
    let resource = root.read("mixed", range, &ReadLimits::default()).unwrap();
    assert!(matches!(resource.content, Content::Binary { .. }));
}

#[test]
fn text_that_looks_like_a_signature_is_text() {
    let fixture = Fixture::new();
    for content in [
        "BM25 ranks documents",
        "MZ",
        "#!/bin/sh\n",
        "<html>",
        "II* and more",
        "\u{feff}# Title",
        "",
    ] {
        fixture.write("x", content.as_bytes());
        assert_eq!(text(fixture.read("x").unwrap()), content);
    }
}

#[test]
fn listings_are_sorted_and_name_what_they_skip() {
    let fixture = Fixture::new();
    let skill = fixture.skill();
    fixture.write("references-old.md", b"");
    fixture.write(".git/config", b"token");
    fixture.write("scripts/run.sh", b"#!/bin/sh\n");
    fixture.write("nul.txt", b"");
    fs::set_permissions(
        skill.join("scripts/run.sh"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    symlink("../outside", skill.join("link")).unwrap();
    rustix::fs::mknodat(
        CWD,
        skill.join("pipe"),
        rustix::fs::FileType::Fifo,
        Mode::RUSR,
        0,
    )
    .unwrap();
    for resolver in RESOLVERS {
        let root = fixture.root(resolver);
        let listing = root.list(None).unwrap();
        let files: Vec<_> = listing
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.size, file.executable))
            .collect();
        assert_eq!(
            files,
            [
                ("SKILL.md", 20, false),
                ("references-old.md", 0, false),
                ("references/deep/more.md", 4, false),
                ("references/guide.md", 5, false),
                ("scripts/run.sh", 10, true),
            ]
        );
        let skipped: Vec<_> = listing
            .skipped
            .iter()
            .map(|skipped| skipped.reason.to_string())
            .collect();
        assert_eq!(
            skipped,
            [
                "`link` is or passes through a symbolic link",
                "resource path `nul.txt` contains `nul.txt`, a device on Windows",
                "`pipe` is a named pipe, not a regular file",
            ]
        );
        assert!(!listing.truncated);
        for folder in ["references", "./references/"] {
            let paths: Vec<_> = root
                .list(Some(folder))
                .unwrap()
                .files
                .into_iter()
                .map(|file| file.path)
                .collect();
            assert_eq!(paths, ["references/deep/more.md", "references/guide.md"]);
        }
        assert_eq!(root.list(Some(".")).unwrap().files, listing.files);
        for (folder, message) in [
            ("..", "resource path `..` contains `..`"),
            ("/", "resource path `/` is absolute"),
            (
                "references//",
                "resource path `references/` contains `//` or ends in `/`",
            ),
            (
                "SKILL.md",
                "`SKILL.md` is not a folder or passes through a file",
            ),
            (
                ".git",
                "resource path `.git` leads into `.git`, which is no part of the skill",
            ),
        ] {
            assert_eq!(root.list(Some(folder)).unwrap_err().to_string(), message);
        }
    }
}

#[test]
fn listings_are_bounded() {
    let fixture = Fixture::new();
    for number in 0..2_010 {
        fixture.write(&format!("many/{number:04}"), b"");
    }
    let deep = "d/".repeat(17);
    fixture.write(&format!("{deep}file"), b"");
    let root = fixture.root(Resolver::Best);
    let listing = root.list(None).unwrap();
    assert_eq!((listing.files.len(), listing.truncated), (2_000, true));
    let listing = root.list(Some("d")).unwrap();
    assert_eq!(listing.files, []);
    assert_eq!(
        listing.skipped[0].reason.to_string(),
        format!("`{}` is deeper than 16 folders", &deep[..deep.len() - 1])
    );
    let error = digest_within(
        &root,
        &DigestLimits {
            max_files: 5_000,
            max_bytes: 1 << 20,
        },
    )
    .unwrap_err();
    assert!(matches!(error, ResourceError::TooDeep { .. }), "{error}");
}

#[test]
fn the_digest_is_that_of_the_regular_files() {
    let fixture = Fixture::new();
    fixture.write("nul.txt", b"counts on every system");
    fixture.write(".git/HEAD", b"does not");
    fixture.write("run.sh", b"#!/bin/sh\n");
    fs::set_permissions(
        fixture.skill().join("run.sh"),
        fs::Permissions::from_mode(0o700),
    )
    .unwrap();
    symlink("../outside/file", fixture.skill().join("link")).unwrap();
    let mut tree = TreeDigest::default();
    tree.add("SKILL.md", false, Digest::of(b"---\nname: skill\n---\n"));
    tree.add("references/guide.md", false, Digest::of(b"guide"));
    tree.add("references/deep/more.md", false, Digest::of(b"more"));
    tree.add("nul.txt", false, Digest::of(b"counts on every system"));
    tree.add("run.sh", true, Digest::of(b"#!/bin/sh\n"));
    let root = fixture.root(Resolver::Best);
    assert_eq!(digest(&root).unwrap(), tree.finish());

    let limited = |max_files, max_bytes| {
        digest_within(
            &root,
            &DigestLimits {
                max_files,
                max_bytes,
            },
        )
    };
    assert!(limited(5, 61).is_ok());
    assert_eq!(
        limited(4, 61).unwrap_err().to_string(),
        "the skill has more than 4 files"
    );
    assert_eq!(
        limited(5, 60).unwrap_err().to_string(),
        "the files of the skill have more than 60 bytes"
    );

    fixture.write("a\nforged line", b"");
    assert_eq!(
        digest(&root).unwrap_err().to_string(),
        r"resource path `a\nforged line` contains a control character"
    );
}

/// One thread exchanges a folder and a link to the secret, the others read through both: whatever they get is not the secret.
#[cfg(target_os = "linux")]
fn race(resolver: Resolver) {
    const SWAPS: usize = 10_000;
    let fixture = Fixture::new();
    fs::remove_dir_all(fixture.skill().join("references")).unwrap();
    fixture.write("folder/file", b"inside");
    symlink("../outside", fixture.skill().join("link")).unwrap();
    let root = fixture.root(resolver);
    let allowed = allowed_digests();
    let done = AtomicBool::new(false);
    let [good, refusals, leaks, digests] = [const { AtomicUsize::new(0) }; 4];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (one, other) = (fixture.skill().join("folder"), fixture.skill().join("link"));
            let mut swaps = 0;
            // Goes on until the race was run and a careless reader has shown that it can be lost.
            while swaps < SWAPS || leaks.load(Ordering::Relaxed) == 0 {
                rustix::fs::renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
                swaps += 1;
                assert!(swaps < 100 * SWAPS, "the careless reader never lost");
            }
            done.store(true, Ordering::Relaxed);
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    match read(&root, "folder/file") {
                        Ok(resource) => {
                            assert_eq!(text(resource), "inside");
                            good.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(ResourceError::Symlink { .. } | ResourceError::NotFolder { .. }) => {
                            refusals.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => panic!("{error:?}"),
                    }
                }
            });
        }
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                match digest(&root) {
                    Ok(digest) => assert!(allowed.contains(&digest)),
                    Err(ResourceError::Symlink { .. } | ResourceError::NotFolder { .. }) => {}
                    Err(error) => panic!("{error:?}"),
                }
                for file in root.list(None).unwrap().files {
                    assert_ne!(file.size, SECRET.len() as u64, "{}", file.path);
                }
                digests.fetch_add(1, Ordering::Relaxed);
            }
        });
        // How not to do it: look whether it is a link, then open it.
        scope.spawn(|| {
            let folder = fixture.skill().join("folder");
            while !done.load(Ordering::Relaxed) {
                if !folder.is_symlink()
                    && fs::read_to_string(folder.join("file")).unwrap() == SECRET
                {
                    leaks.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    });
    for (what, count) in [
        ("read", &good),
        ("refused", &refusals),
        ("hashed", &digests),
    ] {
        assert!(count.load(Ordering::Relaxed) > 0, "never {what}");
    }
}

/// The digests of the skill with the folder under either name, under both, as a walk may see it, or under none.
#[cfg(target_os = "linux")]
fn allowed_digests() -> Vec<Digest> {
    [&[][..], &["folder"], &["link"], &["folder", "link"]]
        .into_iter()
        .map(|names: &[&str]| {
            let mut tree = TreeDigest::default();
            tree.add("SKILL.md", false, Digest::of(b"---\nname: skill\n---\n"));
            for name in names {
                tree.add(&format!("{name}/file"), false, Digest::of(b"inside"));
            }
            tree.finish()
        })
        .collect()
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_exchanged_for_a_link_gives_nothing_away() {
    race(Resolver::Best);
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_exchanged_for_a_link_gives_nothing_away_to_the_fallback() {
    race(Resolver::Walk);
}
