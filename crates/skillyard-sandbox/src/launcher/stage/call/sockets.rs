//! Sockets.

use super::raw::{call, descriptor};
use super::{Answer, numbers};

/// A new stream socket for IPv4.
pub(crate) fn socket() -> Result<i32, i32> {
    const INTERNET: usize = 2;
    const STREAM_CLOSED_ON_EXEC: usize = 0o2_000_001;
    // SAFETY: no memory is touched.
    let file = unsafe {
        call(
            numbers::SOCKET,
            [INTERNET, STREAM_CLOSED_ON_EXEC, 0, 0, 0, 0],
        )
    }?;
    i32::try_from(file).map_err(|_| 0)
}

/// Lets a socket listen on a port of the loopback device.
pub(crate) fn listen(socket: i32, port: u16) -> Answer {
    const SOCKET_LEVEL: usize = 1;
    const REUSE: usize = 2;
    const BACKLOG: usize = 128;
    let socket = descriptor(socket);
    let mut address = [0_u8; 16];
    let [high, low] = port.to_be_bytes();
    // The family, the port, and 127.0.0.1.
    for (to, from) in address.iter_mut().zip([2, 0, high, low, 127, 0, 0, 1]) {
        *to = from;
    }
    let yes = 1_i32;
    let option = [socket, SOCKET_LEVEL, REUSE, &raw const yes as usize, 4, 0];
    // SAFETY: the kernel reads a number of four bytes.
    unsafe { call(numbers::SETSOCKOPT, option) }?;
    // SAFETY: the kernel reads an address of sixteen bytes.
    unsafe {
        call(
            numbers::BIND,
            [socket, address.as_ptr() as usize, 16, 0, 0, 0],
        )
    }?;
    // SAFETY: no memory is touched.
    unsafe { call(numbers::LISTEN, [socket, BACKLOG, 0, 0, 0, 0]) }
}

/// Sends a descriptor, with one byte, to whoever holds the other end of a channel.
pub(crate) fn send_descriptor(channel: i32, file: i32) -> Answer {
    /// A message about one descriptor, as the kernel wants it.
    #[repr(C)]
    struct Rights {
        length: usize,
        level: i32,
        kind: i32,
        file: i32,
        _filler: i32,
    }
    #[repr(C)]
    struct Message {
        name: usize,
        name_length: u32,
        pieces: usize,
        piece_count: usize,
        rights: usize,
        rights_length: usize,
        flags: i32,
    }
    let byte = *b"!";
    let piece = [byte.as_ptr() as usize, byte.len()];
    let rights = Rights {
        length: 20,
        level: 1,
        kind: 1,
        file,
        _filler: 0,
    };
    let message = Message {
        name: 0,
        name_length: 0,
        pieces: piece.as_ptr() as usize,
        piece_count: 1,
        rights: &raw const rights as usize,
        rights_length: size_of::<Rights>(),
        flags: 0,
    };
    // SAFETY: the message points to a byte and to a record that outlive the call.
    unsafe {
        call(
            numbers::SENDMSG,
            [descriptor(channel), &raw const message as usize, 0, 0, 0, 0],
        )
    }
}
