//! How the stage says what came of it: one record of fixed size.

/// What a step of the launcher is, for when it fails.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Reading the orders.
    Orders = 1,
    /// Closing descriptors.
    Descriptors,
    /// Opening the proxy's socket.
    Proxy,
    /// Becoming the parent of orphans.
    Adopt,
    /// Hiding from the program.
    Hide,
    /// Hearing of processes that end.
    Signals,
    /// Making a process.
    Fork,
    /// Refusing new privileges.
    Privileges,
    /// Setting a resource limit.
    Limit,
    /// Entering the working directory.
    Directory,
    /// Restricting files.
    Files,
    /// Restricting system calls.
    SystemCalls,
    /// Becoming the program.
    Execute,
    /// Making the workspace's mount.
    Mount,
    /// Giving up root.
    Identity,
    /// Becoming bubblewrap.
    Bubblewrap,
    /// Waiting for the mounts.
    Wait,
}

const STEPS: [Step; 17] = [
    Step::Orders,
    Step::Descriptors,
    Step::Proxy,
    Step::Adopt,
    Step::Hide,
    Step::Signals,
    Step::Fork,
    Step::Privileges,
    Step::Limit,
    Step::Directory,
    Step::Files,
    Step::SystemCalls,
    Step::Execute,
    Step::Mount,
    Step::Identity,
    Step::Bubblewrap,
    Step::Wait,
];

impl Step {
    /// What was tried, for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Orders => "read its orders",
            Self::Descriptors => "close descriptors",
            Self::Proxy => "open the proxy's socket",
            Self::Adopt => "adopt processes",
            Self::Hide => "hide the launcher",
            Self::Signals => "hear of ended processes",
            Self::Fork => "make a process",
            Self::Privileges => "refuse new privileges",
            Self::Limit => "set a resource limit",
            Self::Directory => "enter the working directory",
            Self::Files => "restrict files",
            Self::SystemCalls => "restrict system calls",
            Self::Execute => "exec",
            Self::Mount => "make the workspace's mount",
            Self::Identity => "give up root",
            Self::Bubblewrap => "start bubblewrap",
            Self::Wait => "wait for the mounts",
        }
    }
}

/// What the launcher has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Report {
    /// What kind of end: [`Report::FAILED`], [`Report::EXITED`] or [`Report::SIGNALLED`].
    pub(crate) kind: u32,
    /// The step that failed.
    pub(crate) step: u32,
    /// The error's number, the exit code, or the signal.
    pub(crate) code: i32,
    /// The largest process's memory, in kilobytes.
    pub(crate) memory: u32,
    /// The processor time of all, in microseconds.
    pub(crate) cpu: u64,
}

impl Report {
    /// The program did not start.
    pub(crate) const FAILED: u32 = 1;
    /// The program ended by itself.
    pub(crate) const EXITED: u32 = 2;
    /// The program was ended.
    pub(crate) const SIGNALLED: u32 = 3;
    /// How many bytes a report has.
    pub(crate) const LENGTH: usize = 24;

    /// A step that failed with an error's number.
    pub(crate) fn failed(step: Step, code: i32) -> Self {
        Self {
            kind: Self::FAILED,
            step: step as u32,
            code,
            memory: 0,
            cpu: 0,
        }
    }

    /// The first report in these bytes.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?));
        let kind = word(0)?;
        (Self::FAILED..=Self::SIGNALLED)
            .contains(&kind)
            .then_some(Self {
                kind,
                step: word(4)?,
                code: word(8)?.cast_signed(),
                memory: word(12)?,
                cpu: u64::from_ne_bytes(*bytes.get(16..)?.first_chunk()?),
            })
    }

    /// The step that failed.
    pub(crate) fn step(&self) -> Option<Step> {
        STEPS.into_iter().find(|step| *step as u32 == self.step)
    }

    /// The bytes of a report.
    pub(crate) fn bytes(&self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        let words = [self.kind, self.step, self.code.cast_unsigned(), self.memory];
        let words = words.iter().flat_map(|word| word.to_ne_bytes());
        for (to, from) in bytes.iter_mut().zip(words.chain(self.cpu.to_ne_bytes())) {
            *to = from;
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_written() {
        for step in STEPS {
            let report = Report::failed(step, 13);
            assert_eq!(Report::read(&report.bytes()), Some(report));
            assert_eq!(report.step(), Some(step));
        }
        let ended = Report {
            kind: Report::SIGNALLED,
            step: 0,
            code: 9,
            memory: 7,
            cpu: 1 << 40,
        };
        assert_eq!(Report::read(&ended.bytes()), Some(ended));
        assert_eq!(Report::read(&ended.bytes()[..23]), None);
        assert_eq!(Report::read(&[0; 24]), None);
    }
}
