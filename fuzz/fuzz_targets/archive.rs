//! Any bytes: an archive is refused or delivered within the limits, and no path leads out.
#![no_main]

use std::io::{self, Cursor, Read};

use libfuzzer_sys::fuzz_target;
use skillyard_format::package::archive::{Archive, ArchivePath, Limits, Mode, Rules, Sink};

#[derive(Default)]
struct Counter {
    files: u64,
    bytes: u64,
}

impl Sink for Counter {
    fn file(&mut self, path: &ArchivePath, _: Mode, content: &mut dyn Read) -> io::Result<()> {
        let text = path.as_str();
        assert!(!text.contains(['\\', ':', '\0']) && !text.starts_with('/'));
        assert!(text.split('/').all(|name| !matches!(name, "" | "." | ".." | ".git")));
        self.files += 1;
        self.bytes += io::copy(content, &mut io::sink())?;
        Ok(())
    }
}

fuzz_target!(|bytes: &[u8]| {
    // Small limits, so that a large archive is refused rather than slow.
    let limits = Limits { total_bytes: 1 << 20, entries: 200, files: 100, ..Limits::skill() };
    for rules in [Rules::skill(), Rules::repository()] {
        let rules = Rules { limits: limits.clone(), ..rules };
        let Ok(mut archive) = Archive::open(Cursor::new(bytes), rules) else { continue };
        let _ = (archive.listing().skill_shape(), archive.listing().repository_shape());
        let mut counter = Counter::default();
        let delivered = archive.deliver(&mut |_| true, &mut counter).expect("the first pass saw the same");
        assert_eq!((delivered.files, delivered.bytes), (counter.files, counter.bytes));
        assert!(counter.files <= limits.files && counter.bytes <= limits.total_bytes);
    }
});
