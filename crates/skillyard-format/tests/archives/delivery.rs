//! The second pass: what a receiver does wrong, and archives that change in between.

use std::cell::RefCell;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::rc::Rc;

use skillyard_format::package::archive::{Archive, ArchiveError, ArchivePath, Mode, Rules, Sink};

use crate::support::{Collector, SKILL, gzip, tar, zip};

/// Bytes that a test can change behind the archive's back.
#[derive(Clone)]
struct Shared {
    bytes: Rc<RefCell<Vec<u8>>>,
    place: u64,
}

impl Shared {
    fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes: Rc::new(RefCell::new(bytes)),
            place: 0,
        }
    }
}

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.bytes.borrow();
        let mut cursor = Cursor::new(bytes.as_slice());
        cursor.set_position(self.place);
        let read = cursor.read(buffer)?;
        self.place += read as u64;
        Ok(read)
    }
}

impl Seek for Shared {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let bytes = self.bytes.borrow();
        let mut cursor = Cursor::new(bytes.as_slice());
        cursor.set_position(self.place);
        self.place = cursor.seek(to)?;
        Ok(self.place)
    }
}

/// Opens `first`, puts `second` in its place and says how delivery ends.
fn changed(first: Vec<u8>, second: Vec<u8>) -> &'static str {
    let shared = Shared::new(first);
    let mut archive = Archive::open(shared.clone(), Rules::skill()).unwrap();
    *shared.bytes.borrow_mut() = second;
    let result = archive.deliver(&mut |_| true, &mut Collector::default());
    result.expect_err("changed").code()
}

#[test]
fn an_archive_that_changes_between_the_passes_is_refused() {
    let with = |entry| tar::tar(&[tar::skill(), entry]);
    let first = || with(tar::file("a", b"1234"));
    assert_eq!(
        changed(first(), with(tar::file("../a", b"1234"))),
        "changed"
    );
    assert_eq!(changed(first(), with(tar::file("b", b"1234"))), "changed");
    assert_eq!(changed(first(), with(tar::file("a", b"12345"))), "changed");
    assert_eq!(changed(first(), tar::tar(&[tar::skill()])), "changed");
    let more = [
        tar::skill(),
        tar::file("a", b"1234"),
        tar::file("../b", b""),
    ];
    assert_eq!(changed(first(), tar::tar(&more)), "changed");
    let executable = tar::Entry {
        mode: b"0000755\0".to_vec(),
        ..tar::file("a", b"1234")
    };
    assert_eq!(changed(first(), with(executable)), "changed");
    assert_eq!(
        changed(gzip(&first()), gzip(&first())[..50].to_vec()),
        "truncated"
    );

    let with = |content| zip::zip(vec![zip::skill(), zip::file("a", content)]).bytes();
    assert_eq!(changed(with(b"1234"), with(b"1235")), "entry-checksum");
    assert_eq!(changed(with(b"1234"), Vec::new()), "entry-damaged");
}

/// Reads so many bytes of each file and then stops, or fails.
struct Fickle {
    reads: u64,
    fails: bool,
}

impl Sink for Fickle {
    fn file(&mut self, _: &ArchivePath, _: Mode, content: &mut dyn Read) -> io::Result<()> {
        io::copy(&mut content.take(self.reads), &mut io::sink())?;
        if self.fails {
            return Err(io::Error::other("disk full"));
        }
        Ok(())
    }
}

#[test]
fn a_receiver_may_stop_reading_and_its_own_failures_are_told_apart() {
    for bytes in [
        tar::tar(&[tar::skill(), tar::file("a", &[7; 5000])]),
        zip::zip(vec![zip::skill(), zip::deflated("a", &[7; 5000])]).bytes(),
    ] {
        let mut archive = Archive::open(Cursor::new(bytes), Rules::skill()).unwrap();
        for reads in [0, 1, 600, 100_000] {
            let delivered = archive.deliver(
                &mut |_| true,
                &mut Fickle {
                    reads,
                    fails: false,
                },
            );
            assert_eq!(delivered.unwrap().files, 2);
        }
        let error = archive
            .deliver(
                &mut |path| path.as_str() == "a",
                &mut Fickle {
                    reads: 3,
                    fails: true,
                },
            )
            .expect_err("the sink failed");
        assert!(
            matches!(error, ArchiveError::Sink { ref path, .. } if path == "a"),
            "{error:?}"
        );
    }
}

#[test]
fn only_what_is_wanted_is_delivered() {
    let bytes = tar::tar(&[
        tar::skill(),
        tar::file("a/b", SKILL),
        tar::file("a/c", b"c"),
    ]);
    let mut archive = Archive::open(Cursor::new(bytes), Rules::skill()).unwrap();
    let mut collector = Collector::default();
    archive
        .deliver(&mut |path| path.below("a").is_some(), &mut collector)
        .unwrap();
    assert_eq!(collector.files.keys().collect::<Vec<_>>(), ["a/b", "a/c"]);
}

#[test]
fn messages_name_the_entry() {
    let bytes = zip::zip(vec![zip::skill(), zip::file("../x", b"")]).bytes();
    let error = Archive::open(Cursor::new(bytes), Rules::skill()).expect_err("escapes");
    assert_eq!(
        error.to_string(),
        "archive entry `../x` escapes the skill folder"
    );
    let bytes = tar::tar(&[tar::skill(), tar::file("Skill.MD", b"")]);
    let error = Archive::open(Cursor::new(bytes), Rules::skill()).expect_err("collides");
    assert_eq!(
        error.to_string(),
        "archive entry `Skill.MD` is the same as `SKILL.md` on systems that ignore case or Unicode form"
    );
}
