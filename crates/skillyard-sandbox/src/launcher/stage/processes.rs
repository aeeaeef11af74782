//! The processes below one, found through `/proc` and ended.

use super::call;

/// How many processes are looked for at once; what is beyond is found the next time.
pub(crate) const MOST: usize = 1024;

const HALT: usize = 19;
const KILL: usize = 9;
const PROCESSES: usize = 6;
const FOLDER: usize = 0o2_200_000;
const FILE: usize = 0o2_000_000;

/// Numbers of processes, parents first.
pub(crate) struct Found {
    numbers: [u32; MOST],
    count: usize,
}

impl Found {
    /// All processes below `root`, without itself.
    pub(crate) fn below(root: u32) -> Self {
        let mut found = Self {
            numbers: [0; MOST],
            count: 0,
        };
        found.add_children(root);
        let mut next = 0;
        while let Some(process) = found.as_slice().get(next).copied() {
            found.add_children(process);
            next += 1;
        }
        found
    }

    /// The numbers.
    pub(crate) fn as_slice(&self) -> &[u32] {
        self.numbers.get(..self.count).unwrap_or_default()
    }

    fn add(&mut self, process: u32) {
        if let Some(place) = self.numbers.get_mut(self.count) {
            *place = process;
            self.count += 1;
        }
    }

    /// Every thread has its own list of children.
    fn add_children(&mut self, process: u32) {
        let mut path = Path::new();
        path.add(b"/proc/").add_number(process).add(b"/task");
        let Ok(folder) = call::open(path.as_ptr(), FOLDER) else {
            return;
        };
        let mut buffer = [0_u8; 1024];
        while let Ok(length @ 1..) = call::entries(folder, &mut buffer) {
            let mut rest = buffer.get(..length).unwrap_or_default();
            // An entry has its length at 16 and its name at 19.
            while let Some([low, high]) = rest.get(16..18) {
                let length = usize::from(u16::from_ne_bytes([*low, *high]));
                let name = rest.get(19..length).unwrap_or_default();
                if let Some(thread) = number(name) {
                    let mut path = path;
                    path.add(b"/").add_number(thread).add(b"/children");
                    self.add_list(&path);
                }
                rest = rest.get(length.max(1)..).unwrap_or_default();
            }
        }
        call::close(folder);
    }

    fn add_list(&mut self, path: &Path) {
        let Ok(file) = call::open(path.as_ptr(), FILE) else {
            return;
        };
        let mut buffer = [0_u8; 512];
        let mut number: u32 = 0;
        while let Ok(length @ 1..) = call::read(file, &mut buffer) {
            for byte in buffer.get(..length).unwrap_or_default() {
                if byte.is_ascii_digit() {
                    number = number.wrapping_mul(10).wrapping_add(u32::from(byte - b'0'));
                } else if number != 0 {
                    self.add(number);
                    number = 0;
                }
            }
        }
        call::close(file);
    }
}

/// Ends every process below `root` and returns whether there were any.
///
/// They are kept from making new ones and halted before the first is ended: what forks
/// faster than it can be found does not get away.
pub(crate) fn end(root: u32) -> bool {
    let found = Found::below(root);
    for process in found.as_slice() {
        let _ = call::set_limits(*process, PROCESSES, [0, 0]);
        call::signal(*process, HALT);
    }
    for process in found.as_slice() {
        call::signal(*process, KILL);
    }
    !found.as_slice().is_empty()
}

/// The number that a name is, up to its NUL.
fn number(name: &[u8]) -> Option<u32> {
    let mut number: u32 = 0;
    for (at, byte) in name.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                number = number
                    .checked_mul(10)?
                    .checked_add(u32::from(byte - b'0'))?;
            }
            0 if at > 0 => return Some(number),
            _ => return None,
        }
    }
    None
}

/// A short path that ends in NUL.
#[derive(Clone, Copy)]
struct Path {
    bytes: [u8; 64],
    length: usize,
}

impl Path {
    fn new() -> Self {
        Self {
            bytes: [0; 64],
            length: 0,
        }
    }

    fn add(&mut self, text: &[u8]) -> &mut Self {
        for byte in text {
            if let Some(place) = self.bytes.get_mut(self.length).filter(|_| self.length < 63) {
                *place = *byte;
                self.length += 1;
            }
        }
        self
    }

    fn add_number(&mut self, number: u32) -> &mut Self {
        let mut divisor = 1_000_000_000;
        while divisor > 1 && number / divisor == 0 {
            divisor /= 10;
        }
        while divisor > 0 {
            let digit = u8::try_from(number / divisor % 10).unwrap_or(0);
            self.add(&[b'0' + digit]);
            divisor /= 10;
        }
        self
    }

    fn as_ptr(&self) -> *const u8 {
        self.bytes.as_ptr()
    }
}
