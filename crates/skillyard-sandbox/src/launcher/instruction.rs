//! The instructions that a filter of system calls is made of.

pub(super) const LOAD: u16 = 0x20;
pub(super) const AND: u16 = 0x54;
pub(super) const JUMP: u16 = 0x05;
pub(super) const IF_EQUAL: u16 = 0x15;
pub(super) const IF_AT_LEAST: u16 = 0x35;
pub(super) const IF_ANY_BIT: u16 = 0x45;
pub(super) const RETURN: u16 = 0x06;

pub(super) const ALLOW: u32 = 0x7fff_0000;
pub(super) const FAIL: u32 = 0x0005_0000;
pub(super) const KILL_PROCESS: u32 = 0x8000_0000;

/// Where things stand in what the kernel hands to a filter.
pub(super) const NUMBER: u32 = 0;
pub(super) const ARCHITECTURE: u32 = 4;
pub(super) const ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
pub(super) const OURS: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(super) const OURS: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
pub(super) const OURS: u32 = 0xc000_00f3;

/// One instruction, with the kernel's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) code: u16,
    pub(super) jt: u8,
    pub(super) jf: u8,
    pub(super) k: u32,
}

impl Instruction {
    /// The instruction as it lies in memory.
    pub(super) fn bits(self) -> u64 {
        let (code, [jt, jf]) = (u64::from(self.code), [self.jt, self.jf].map(u64::from));
        code | jt << 16 | jf << 24 | u64::from(self.k) << 32
    }
}

/// What the kernel is given.
pub(super) type Program = Vec<Instruction>;

/// An instruction of this kind.
pub(super) fn step(code: u16, k: u32, jt: u8, jf: u8) -> Instruction {
    Instruction { code, jt, jf, k }
}

/// The end, with this verdict.
pub(super) fn returns(verdict: u32) -> Instruction {
    step(RETURN, verdict, 0, 0)
}
