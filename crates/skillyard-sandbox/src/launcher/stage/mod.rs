//! The stage inside the sandbox: the parent of the program, and what the program was before.
//!
//! It forks. The child sets limits, landlock and seccomp and becomes the program; the parent
//! stays outside these fences, waits, ends what is left over and says through a pipe how the
//! program ended, which the program can neither forge nor stop.
//!
//! Nothing here uses a library, not even the standard one: `build.rs` makes a program of a few
//! kilobytes of these files, which starts in a tenth of the time that a linked one takes. The
//! same code is part of the crate, for systems that do not execute files in memory.

pub(crate) mod call;
mod fences;
pub(crate) mod orders;
pub(crate) mod processes;
pub(crate) mod report;

use orders::Orders;
use report::{Report, Step};

/// The exit code of a stage that failed, or was told to end everything.
pub(crate) const FAILED: i32 = 125;

/// What a stage says when everything is mounted; no report begins like this.
pub(crate) const READY: u8 = 0xff;

const ADOPT_ORPHANS: usize = 36;
const DUMPABLE: usize = 4;
/// The signal of a child's end, as a set.
const CHILD: u64 = 1 << 16;
const READABLE: i16 = 1;
const INTERRUPTED: i32 = 4;

/// Follows the orders in a file, to the end of this process.
pub(crate) fn run(file: i32) -> ! {
    let bytes = call::length(file).and_then(|length| call::map(file, length));
    let Some(mut orders) = bytes.ok().and_then(Orders::new) else {
        call::exit(2);
    };
    let status = orders.header.status;
    let code = match prepare(&orders).and_then(|()| fork()) {
        Ok(0) => become_program(&mut orders),
        Ok(program) => watch(&orders, program),
        Err((step, error)) => say(status, &Report::failed(step, error)),
    };
    call::exit(code)
}

type Failure = (Step, i32);

/// What must be done before there are two of us.
fn prepare(orders: &Orders) -> Result<(), Failure> {
    let header = &orders.header;
    if header.waits != 0 {
        // Whoever started us looks at the mounts first; we are in their namespace already.
        call::write(header.status, &[READY]).map_err(|error| (Step::Wait, error))?;
        if call::read(header.control, &mut [0; 1]) != Ok(1) {
            call::exit(FAILED);
        }
    }
    call::close_on_exec(3).map_err(|error| (Step::Descriptors, error))?;
    if header.proxy >= 0 {
        let port = u16::try_from(header.port).unwrap_or(0);
        offer_proxy(header.proxy, port).map_err(|error| (Step::Proxy, error))?;
    }
    if header.adopt != 0 {
        // Processes whose parents ended become ours instead of the system's.
        call::control(ADOPT_ORPHANS, 1).map_err(|error| (Step::Adopt, error))?;
        let _ = call::new_session();
    }
    // The program may be the same user: it must not look into this process.
    call::control(DUMPABLE, 0).map_err(|error| (Step::Hide, error))?;
    call::block(CHILD, true).map_err(|error| (Step::Signals, error))?;
    Ok(())
}

/// Listens inside our network namespace and hands the socket to the proxy outside: a socket
/// belongs to the namespace it was made in, so nothing has to carry bytes across.
fn offer_proxy(channel: i32, port: u16) -> Result<(), i32> {
    let socket = call::socket()?;
    call::listen(socket, port)?;
    call::send_descriptor(channel, socket)?;
    call::close(socket);
    call::close(channel);
    Ok(())
}

fn fork() -> Result<u32, Failure> {
    let process = call::fork().map_err(|error| (Step::Fork, error))?;
    u32::try_from(process).map_err(|_| (Step::Fork, 0))
}

#[expect(unsafe_code, reason = "exec takes lists of addresses")]
fn become_program(orders: &mut Orders) -> i32 {
    let header = orders.header;
    let failed = |step, error| say(header.status, &Report::failed(step, error));
    if let Err((step, error)) = fences::put_up(orders) {
        return failed(step, error);
    }
    let _ = call::block(CHILD, false);
    let first = orders.list(header.arguments).first().copied();
    let program = orders.string(first.unwrap_or(u64::MAX));
    let environment = orders.resolve(header.environment);
    let arguments = orders.resolve(header.arguments);
    // SAFETY: the lists were just made of the strings in the orders; both end in zero.
    failed(Step::Execute, unsafe {
        call::execute(program, arguments, environment)
    })
}

/// Waits for the program, for orphans, and for word from outside.
fn watch(orders: &Orders, program: u32) -> i32 {
    let header = &orders.header;
    let Ok(children) = call::signals(CHILD) else {
        call::signal(program, 9);
        return say(header.status, &Report::failed(Step::Signals, 0));
    };
    let watched = |file| call::Watched {
        file,
        wanted: READABLE,
        happened: 0,
    };
    let mut watched = [watched(header.control), watched(children)];
    while let Ok(_) | Err(INTERRUPTED) = call::wait(&mut watched) {
        if let [control, _] = &watched
            && control.happened != 0
        {
            // Whoever started us closes this to end everything, or by dying.
            end_all(header.adopt);
            return FAILED;
        }
        // All signals at once: how many there were does not matter.
        let _ = call::read(children, &mut [0; 1024]);
        let mut ended = None;
        while let Ok((process @ 1.., status)) = call::ended() {
            if process == program {
                ended = Some(status);
            }
        }
        if let Some(ended) = ended {
            say(header.status, &report(ended));
            break;
        }
    }
    end_all(header.adopt);
    0
}

/// Ends what is left. In a namespace of our own the kernel does that when we end.
fn end_all(adopt: u32) {
    const A_MOMENT: u64 = 200_000;
    if adopt == 0 {
        return;
    }
    while processes::end(call::own_number()) {
        while let Ok((1.., _)) = call::ended() {}
        call::sleep(A_MOMENT);
    }
}

fn report(status: i32) -> Report {
    let usage = call::usage_of_children();
    let at = |place: usize| usage.get(place).map_or(0, |number| number.cast_unsigned());
    let signal = status & 0x7f;
    Report {
        kind: if signal == 0 {
            Report::EXITED
        } else {
            Report::SIGNALLED
        },
        step: 0,
        code: if signal == 0 {
            (status >> 8) & 0xff
        } else {
            signal
        },
        memory: u32::try_from(at(4)).unwrap_or(u32::MAX),
        cpu: (at(0) + at(2)) * 1_000_000 + at(1) + at(3),
    }
}

/// Sends a report. Nobody can be told if that fails.
fn say(status: i32, report: &Report) -> i32 {
    let _ = call::write(status, &report.bytes());
    FAILED
}
