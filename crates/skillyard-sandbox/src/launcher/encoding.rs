//! How the stage is told what to do: as a file in memory that it uses as it lies.
//!
//! Arguments could be read by every process on the system, and by the program itself in
//! `/proc/1/cmdline`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use super::spec::{Containment, Fences, Spec, Start};
use super::stage::orders::{Header, List, MAGIC};
use super::{landlock, seccomp};

impl Spec {
    /// The bytes for the stage, for a kernel that speaks this version of landlock. No part may
    /// hold a NUL, which nothing passed to exec can.
    pub(crate) fn encode(&self, landlock: u32) -> Vec<u8> {
        let mut file = File::new();
        let arguments = file.strings(&self.argv);
        let environment = file.strings(&self.environment);
        let mut header = Header {
            magic: MAGIC,
            of_files: landlock::OF_FILES,
            directory: file.string(self.directory.as_os_str()),
            adopt: u32::from(self.containment == Containment::Adoption),
            new_privileges: u32::from(self.fences == Fences::Off),
            control: self.control,
            status: self.status,
            proxy: self.proxy.unwrap_or(-1),
            port: crate::proxy::PORT.into(),
            waits: u32::from(self.start == Start::WhenTold),
            ..Header::default()
        };
        if self.fences != Fences::Off {
            header.handled = landlock::handled(landlock);
            header.scoped = landlock::scoped(landlock);
            let mut rules = Vec::with_capacity(2 * self.rules.len());
            for rule in &self.rules {
                let path = file.string(rule.path.as_os_str());
                rules.extend([landlock::rights(rule.rights) & header.handled, path.into()]);
            }
            header.rules = file.list(&rules);
            header.filter = file.list(&seccomp::program(self));
        }
        let limits = self.limits.iter();
        let limits: Vec<u64> = limits
            .flat_map(|(resource, value)| [u64::from(*resource), *value])
            .collect();
        header.limits = file.list(&limits);
        header.arguments = file.list(&arguments);
        header.environment = file.list(&environment);
        file.finish(&header)
    }
}

/// Orders that are being written: a header, then strings and lists as they come.
struct File {
    bytes: Vec<u8>,
}

impl File {
    fn new() -> Self {
        let mut bytes = Vec::with_capacity(4096);
        bytes.resize(size_of::<Header>(), 0);
        Self { bytes }
    }

    /// Orders are a few kilobytes: what execve takes at most is far from the end of a `u32`.
    fn place(&self) -> u32 {
        u32::try_from(self.bytes.len()).unwrap_or(u32::MAX)
    }

    fn string(&mut self, text: &OsStr) -> u32 {
        let place = self.place();
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
        place
    }

    /// The places of strings and a zero, as exec wants them.
    fn strings(&mut self, texts: &[OsString]) -> Vec<u64> {
        let places = texts.iter().map(|text| self.string(text).into());
        places.chain([0]).collect()
    }

    fn list(&mut self, numbers: &[u64]) -> List {
        let aligned = self.bytes.len().next_multiple_of(align_of::<u64>());
        self.bytes.resize(aligned, 0);
        let at = self.place();
        for number in numbers {
            self.bytes.extend_from_slice(&number.to_ne_bytes());
        }
        let count = u32::try_from(numbers.len()).unwrap_or(0);
        List { at, count }
    }

    /// The last byte of all is zero, so that every string has an end.
    fn finish(mut self, header: &Header) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes[..size_of::<Header>()].copy_from_slice(header.as_bytes());
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launcher::spec::{Rights, assignment};
    use crate::launcher::stage::orders::Orders;
    use std::ffi::CStr;
    use std::os::unix::ffi::OsStringExt as _;

    /// Orders as the stage sees them, at a place that is aligned as a mapped file is.
    fn read(bytes: &[u8]) -> Option<Orders> {
        let memory = vec![0_u64; bytes.len().div_ceil(8)].leak();
        Orders::new(copied(memory.as_mut_ptr().cast(), bytes))
    }

    #[expect(unsafe_code, reason = "the stage gets its memory from the kernel")]
    fn copied(place: *mut u8, bytes: &[u8]) -> &'static mut [u8] {
        // SAFETY: the memory was just leaked and holds at least so many bytes.
        let memory = unsafe { std::slice::from_raw_parts_mut(place, bytes.len()) };
        memory.copy_from_slice(bytes);
        memory
    }

    #[expect(unsafe_code, reason = "the stage hands out addresses")]
    fn text(place: *const u8) -> &'static CStr {
        // SAFETY: strings of orders end in NUL, and the memory is never given back.
        unsafe { CStr::from_ptr(place.cast()) }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut spec = Spec {
            argv: vec!["sh".into(), "".into(), OsString::from_vec(vec![0xff])],
            environment: vec![assignment(OsStr::new("A"), OsStr::new("b=c\n"))],
            directory: "/work".into(),
            containment: Containment::Adoption,
            limits: vec![(7, 1024), (2, u64::MAX)],
            control: 5,
            status: 6,
            proxy: Some(7),
            ..Spec::default()
        };
        spec.allow("/usr", Rights::Execute);
        spec.allow("/dev/null", Rights::Use);
        let mut orders = read(&spec.encode(7)).unwrap();
        let header = orders.header;
        assert_eq!((header.control, header.status, header.proxy), (5, 6, 7));
        assert_eq!((header.adopt, header.new_privileges), (1, 0));
        assert_eq!(text(orders.string(header.directory.into())), c"/work");
        assert_eq!(orders.list(header.limits), [7, 1024, 2, u64::MAX]);
        let rules = orders.list(header.rules);
        assert_eq!((rules[0], rules[2]), (0b1101, 0xc00e));
        assert_eq!(text(orders.string(rules[3])), c"/dev/null");
        assert_eq!(orders.list(header.filter), seccomp::program(&spec));
        orders.resolve(header.arguments);
        let words = orders.list(header.arguments);
        let words: Vec<&CStr> = words[..3]
            .iter()
            .map(|word| text(*word as *const u8))
            .collect();
        assert_eq!(words, [c"sh", c"", c"\xff"]);
        assert_eq!(orders.list(header.arguments)[3], 0);
        assert_eq!(header.environment.count, 2);
    }

    #[test]
    fn without_fences_there_is_nothing_to_put_up() {
        let fences = Fences::Off;
        let orders = read(
            &Spec {
                fences,
                ..Spec::default()
            }
            .encode(7),
        )
        .unwrap();
        let header = orders.header;
        assert_eq!((header.handled, header.filter.count), (0, 0));
        assert_eq!(header.new_privileges, 1);
    }

    #[test]
    fn what_was_not_written_by_us_is_refused() {
        let good = Spec::default().encode(7);
        let mut other = good.clone();
        other[0] ^= 1;
        let mut open = good.clone();
        open.push(b'x');
        for bytes in [&b""[..], b"x", &good[..64], &other, &open] {
            assert!(read(bytes).is_none());
        }
        assert!(read(&good).is_some());
    }
}
