//! Carrying bytes both ways, after a look at whom the program really speaks to.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use super::destination::{Destination, Host};
use super::server::Shared;

/// The longest greeting that is looked into.
const MAX_GREETING: usize = 16 * 1024 + 5;

/// Carries bytes until one side ends.
///
/// A program may ask for one host and greet another one behind the same address. The greeting
/// of TLS names the host; where it names another one than was asked for, that is the end.
pub(super) fn carry(
    shared: &Shared,
    client: &mut TcpStream,
    mut server: TcpStream,
    destination: &Destination,
) -> io::Result<()> {
    let greeting = greeting(client)?;
    if let (Some(name), Host::Name(asked)) = (server_name(&greeting), &destination.host)
        && !name.eq_ignore_ascii_case(asked)
    {
        shared.refuse(
            &format!("{name}:{}", destination.port),
            &format!("`{asked}` was asked for"),
        );
        return Ok(());
    }
    server.write_all(&greeting)?;
    client.set_read_timeout(None)?;
    let (mut from_server, mut to_client) = (server.try_clone()?, client.try_clone()?);
    let back = std::thread::spawn(move || {
        let _ = io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Write);
    });
    let _ = io::copy(client, &mut server);
    let _ = server.shutdown(Shutdown::Write);
    let _ = back.join();
    Ok(())
}

/// The first bytes: a whole greeting of TLS, or whatever came first.
fn greeting(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; MAX_GREETING];
    let mut length = 0;
    loop {
        let count = match client.read(&mut bytes[length..]) {
            // A program that waits for the server to speak first says nothing.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            other => other?,
        };
        length += count;
        let expected = match &bytes[..length] {
            [0x16, 3, _, high, low, ..] => 5 + usize::from(u16::from_be_bytes([*high, *low])),
            [0x16] | [0x16, 3] | [0x16, 3, _] | [0x16, 3, _, _] => 5,
            _ => 0,
        };
        if count == 0 || length >= expected.min(MAX_GREETING) {
            bytes.truncate(length);
            return Ok(bytes);
        }
    }
}

/// The name of the host in a greeting of TLS.
fn server_name(record: &[u8]) -> Option<String> {
    let mut rest = Bytes(record);
    rest.take(5).filter(|head| head[0] == 0x16)?;
    let kind = rest.take(4)?;
    if kind[0] != 1 {
        return None;
    }
    rest.take(34)?;
    rest.block::<1>()?;
    rest.block::<2>()?;
    rest.block::<1>()?;
    let mut extensions = Bytes(rest.block::<2>()?);
    loop {
        let kind = extensions.take(2)?;
        let content = extensions.block::<2>()?;
        if kind != [0, 0] {
            continue;
        }
        let mut names = Bytes(Bytes(content).block::<2>()?);
        if names.take(1)? != [0] {
            return None;
        }
        return String::from_utf8(names.block::<2>()?.to_vec()).ok();
    }
}

/// Bytes that are taken from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// Bytes behind their length, which is a number of `N` bytes.
    fn block<const N: usize>(&mut self) -> Option<&'a [u8]> {
        let length = self.take(N)?;
        let length = length
            .iter()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A greeting of TLS with this name.
    fn hello(name: &str) -> Vec<u8> {
        let block = |bytes: &[u8], size: usize| {
            let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
            [&length[4 - size..], bytes].concat()
        };
        let names = [&[0][..], &block(name.as_bytes(), 2)].concat();
        let server_name = [&[0, 0][..], &block(&block(&names, 2), 2)].concat();
        let other = [&[0, 43][..], &block(&[2, 3, 4], 2)].concat();
        let extensions = block(&[other, server_name].concat(), 2);
        let body = [
            &[3, 3][..],
            &[7; 32],
            &block(&[], 1),
            &block(&[19, 1], 2),
            &block(&[0], 1),
            &extensions,
        ]
        .concat();
        let message = [&[1][..], &block(&body, 3)].concat();
        [&[0x16, 3, 1][..], &block(&message, 2)].concat()
    }

    #[test]
    fn the_name_is_found_in_a_greeting() {
        assert_eq!(
            server_name(&hello("example.com")).as_deref(),
            Some("example.com")
        );
        assert_eq!(server_name(b"GET / HTTP/1.1\r\n"), None);
        let whole = hello("example.com");
        for length in 0..whole.len() {
            assert_eq!(server_name(&whole[..length]), None, "{length}");
        }
    }
}
