//! What the stage is told, laid out so that it can be used as it lies in memory.
//!
//! A file begins with a [`Header`]. Lists of eight-byte numbers follow, then strings that end
//! in NUL. A string is named by its distance from the start of the file; in the lists for exec
//! the distances become addresses once the file is mapped.

#![expect(
    unsafe_code,
    clippy::cast_ptr_alignment,
    reason = "what lies in memory is looked at as what it is, and alignment is checked"
)]

/// The first number of every file of orders.
pub(crate) const MAGIC: u64 = 0x736b_696c_6c79_6401;

/// A list: where it begins and how many entries it has.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct List {
    /// The distance of the first entry from the start.
    pub(crate) at: u32,
    /// How many numbers it has.
    pub(crate) count: u32,
}

/// What a file of orders begins with.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// [`MAGIC`].
    pub(crate) magic: u64,
    /// The rights to files that rules are about; none means no rules.
    pub(crate) handled: u64,
    /// What else landlock keeps in: signals and abstract sockets.
    pub(crate) scoped: u64,
    /// Those rights that a file which is no folder can have.
    pub(crate) of_files: u64,
    /// Pairs of a resource and its limit.
    pub(crate) limits: List,
    /// Pairs of rights and a path.
    pub(crate) rules: List,
    /// The instructions of the filter of system calls; none means no filter.
    pub(crate) filter: List,
    /// The program and its arguments, and a zero.
    pub(crate) arguments: List,
    /// Its whole environment, and a zero.
    pub(crate) environment: List,
    /// The path of its working directory.
    pub(crate) directory: u32,
    /// Whether orphans come to us: without a namespace that is the way to keep them.
    pub(crate) adopt: u32,
    /// Whether it may gain rights through setuid programs.
    pub(crate) new_privileges: u32,
    /// When this descriptor reaches its end, everything does.
    pub(crate) control: i32,
    /// Where to say how the program ended.
    pub(crate) status: i32,
    /// Where to send the socket that the proxy listens on, or -1.
    pub(crate) proxy: i32,
    /// The port that the proxy listens on.
    pub(crate) port: u32,
    /// Whether to say that everything is mounted, and to wait for a word before anything else.
    pub(crate) waits: u32,
}

impl Header {
    /// The header as it lies in memory.
    pub(crate) fn as_bytes(&self) -> &[u8; size_of::<Self>()] {
        // SAFETY: it consists of numbers without gaps, and is looked at as long as it lives.
        unsafe { &*(&raw const *self).cast() }
    }
}

/// Orders that lie in memory.
pub(crate) struct Orders {
    /// What they begin with.
    pub(crate) header: Header,
    bytes: &'static mut [u8],
}

impl Orders {
    /// Orders, if that is what the bytes are. They must begin at a multiple of eight.
    pub(crate) fn new(bytes: &'static mut [u8]) -> Option<Self> {
        let begin = bytes.as_ptr();
        if bytes.len() < size_of::<Header>()
            || bytes.last() != Some(&0)
            || !begin.addr().is_multiple_of(align_of::<Header>())
        {
            return None;
        }
        // SAFETY: there are enough bytes, they are aligned, and every value of them is a header.
        let header = unsafe { begin.cast::<Header>().read() };
        (header.magic == MAGIC).then_some(Self { header, bytes })
    }

    /// The numbers of a list.
    pub(crate) fn list(&self, list: List) -> &[u64] {
        let (at, count) = (list.at as usize, list.count as usize);
        let whole = at.is_multiple_of(size_of::<u64>());
        let Some(bytes) = self
            .bytes
            .get(at..at.saturating_add(count * size_of::<u64>()))
        else {
            return &[];
        };
        if !whole {
            return &[];
        }
        // SAFETY: so many bytes are there, they are aligned as the start is, and live as long.
        unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), count) }
    }

    /// A string, which ends in NUL: the last byte of all does.
    pub(crate) fn string(&self, at: u64) -> *const u8 {
        let last = self.bytes.len() - 1;
        let at = usize::try_from(at).map_or(last, |at| at.min(last));
        self.bytes.as_ptr().wrapping_add(at)
    }

    /// Turns the distances of a list into addresses, but for the zero at its end.
    pub(crate) fn resolve(&mut self, list: List) -> *const usize {
        for number in 0..list.count.saturating_sub(1) {
            let at = list.at.saturating_add(number * 8);
            let entry = self.list(List { at, count: 1 });
            let Some(address) = entry.first().map(|entry| self.string(*entry).addr()) else {
                continue;
            };
            let place = self.bytes.get_mut(at as usize..).unwrap_or_default();
            for (to, from) in place.iter_mut().zip((address as u64).to_ne_bytes()) {
                *to = from;
            }
        }
        self.bytes.as_ptr().wrapping_add(list.at as usize).cast()
    }
}
