//! Carrying bytes both ways, after a look at whom the program really speaks to.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use super::server::Shared;
use crate::host_rule::{Destination, Host};

/// The longest greeting that is looked into.
const MAX_GREETING: usize = 16 * 1024 + 5;
/// The kind of a record of TLS that greetings come in.
const HANDSHAKE: u8 = 0x16;
/// The kind of the message that a greeting is.
const CLIENT_HELLO: u8 = 1;

/// Carries bytes until one side ends.
///
/// What the server says comes at once: many speak first. A program may ask for one host and greet
/// another one behind the same address. The greeting of TLS names the host; where it names another
/// one than was asked for, or cannot be read, that is the end, whenever it comes.
pub(super) fn carry(
    shared: &Shared,
    client: &mut TcpStream,
    mut server: TcpStream,
    destination: &Destination,
) -> io::Result<()> {
    client.set_read_timeout(None)?;
    let (mut from_server, mut to_client) = (server.try_clone()?, client.try_clone()?);
    let back = std::thread::spawn(move || {
        let _ = io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Write);
    });
    let how = match forth(shared, client, &mut server, destination) {
        Ok(Forth::Carried) => Shutdown::Write,
        // The other way ends, too.
        Ok(Forth::Refused) | Err(_) => Shutdown::Both,
    };
    let _ = server.shutdown(how);
    let _ = back.join();
    Ok(())
}

/// What became of what the program said.
enum Forth {
    /// The server has it.
    Carried,
    /// It was for somebody else.
    Refused,
}

/// Carries what the program says, after a look at how it begins.
fn forth(
    shared: &Shared,
    client: &mut TcpStream,
    server: &mut TcpStream,
    destination: &Destination,
) -> io::Result<Forth> {
    let greeting = greeting(client)?;
    if let Host::Name(asked) = &destination.host {
        match Greeting::of(&greeting) {
            Greeting::To(name) if !name.eq_ignore_ascii_case(asked) => {
                let reason = format!("`{asked}` was asked for");
                shared.refuse(&format!("{name}:{}", destination.port), &reason);
                return Ok(Forth::Refused);
            }
            Greeting::Unfinished | Greeting::Odd => {
                let reason = "its greeting of TLS cannot be read";
                shared.refuse(&format!("{asked}:{}", destination.port), reason);
                return Ok(Forth::Refused);
            }
            Greeting::To(_) | Greeting::ToNobody | Greeting::None => {}
        }
    }
    server.write_all(&greeting)?;
    io::copy(client, server)?;
    Ok(Forth::Carried)
}

/// The first bytes, however long they take: a whole greeting of TLS, or whatever came first.
fn greeting(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; MAX_GREETING];
    let mut length = 0;
    loop {
        let count = client.read(&mut bytes[length..])?;
        length += count;
        let is_unfinished = matches!(Greeting::of(&bytes[..length]), Greeting::Unfinished);
        if count == 0 || !is_unfinished || length == MAX_GREETING {
            bytes.truncate(length);
            return Ok(bytes);
        }
    }
}

/// What the first bytes of a program are.
#[derive(Debug, PartialEq, Eq)]
enum Greeting {
    /// None of TLS.
    None,
    /// The beginning of one of TLS.
    Unfinished,
    /// One of TLS that names a host.
    To(String),
    /// One of TLS that names none.
    ToNobody,
    /// Something that begins like one of TLS.
    Odd,
}

impl Greeting {
    fn of(bytes: &[u8]) -> Self {
        if bytes.first() != Some(&HANDSHAKE) {
            return Self::None;
        }
        let Some(message) = message(bytes) else {
            return Self::Odd;
        };
        let mut rest = Bytes(&message);
        let Some(head) = rest.take(4) else {
            return Self::Unfinished;
        };
        let length = head[1..]
            .iter()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        if head[0] != CLIENT_HELLO || length > MAX_GREETING {
            return Self::Odd;
        }
        let Some(hello) = rest.take(length) else {
            return Self::Unfinished;
        };
        match server_names(hello).as_deref() {
            Some([]) => Self::ToNobody,
            Some([name]) => Self::To(name.clone()),
            // Which of several a server would take is anybody's guess.
            None | Some(_) => Self::Odd,
        }
    }
}

/// What the records of a handshake hold together, as far as they have come: a message may be spread
/// over many.
fn message(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = Bytes(bytes);
    let mut message = Vec::new();
    while let Some(head) = rest.take(5) {
        let length = usize::from(u16::from_be_bytes([head[3], head[4]]));
        if head[..2] != [HANDSHAKE, 3] || length == 0 {
            // What stands behind a whole message is none of ours.
            return is_whole(&message).then_some(message);
        }
        let here = rest.take(length.min(rest.0.len()))?;
        message.extend_from_slice(here);
        if here.len() < length {
            return Some(message);
        }
    }
    Some(message)
}

fn is_whole(message: &[u8]) -> bool {
    let mut rest = Bytes(message);
    rest.take(1).is_some() && rest.block::<3>().is_some()
}

/// The names of hosts in a greeting of TLS; nothing if it makes no sense.
fn server_names(hello: &[u8]) -> Option<Vec<String>> {
    let mut rest = Bytes(hello);
    rest.take(34)?;
    rest.block::<1>()?;
    rest.block::<2>()?;
    rest.block::<1>()?;
    if rest.0.is_empty() {
        return Some(Vec::new());
    }
    let mut extensions = Bytes(rest.block::<2>()?);
    let mut found = Vec::new();
    while !extensions.0.is_empty() {
        let kind = extensions.take(2)?;
        let content = extensions.block::<2>()?;
        if kind != [0, 0] {
            continue;
        }
        let mut names = Bytes(Bytes(content).block::<2>()?);
        while !names.0.is_empty() {
            names.take(1).filter(|kind| *kind == [0])?;
            found.push(String::from_utf8(names.block::<2>()?.to_vec()).ok()?);
        }
    }
    Some(found)
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
        record(&message)
    }

    fn record(content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len()).unwrap().to_be_bytes();
        [&[0x16, 3, 1][..], &length, content].concat()
    }

    #[test]
    fn the_name_is_found_in_a_greeting() {
        let whole = hello("example.com");
        let named = Greeting::To("example.com".to_owned());
        assert_eq!(Greeting::of(&whole), named);
        assert_eq!(Greeting::of(b"GET / HTTP/1.1\r\n"), Greeting::None);
        for length in 1..whole.len() {
            let beginning = Greeting::of(&whole[..length]);
            assert_eq!(beginning, Greeting::Unfinished, "{length}");
        }
        assert_eq!(Greeting::of(&[&whole[..], b"more"].concat()), named);
    }

    #[test]
    fn the_name_is_found_in_a_greeting_of_many_records() {
        let whole = hello("example.com");
        for size in [1, 2, 40, 60] {
            let pieces: Vec<u8> = whole[5..].chunks(size).flat_map(record).collect();
            let named = Greeting::To("example.com".to_owned());
            assert_eq!(Greeting::of(&pieces), named, "{size}");
            let last = Greeting::of(&pieces[..pieces.len() - 1]);
            assert_eq!(last, Greeting::Unfinished, "{size}");
        }
    }

    #[test]
    fn what_only_begins_like_a_greeting_is_none() {
        let whole = hello("example.com");
        let odd = |at: usize, byte: u8| {
            let mut changed = whole.clone();
            changed[at] = byte;
            assert_eq!(Greeting::of(&changed), Greeting::Odd, "{at}");
        };
        odd(1, 2);
        odd(5, 2);
        odd(6, 1);
        let split = [record(&whole[5..20]), b"\x17\x03\x03\0\x01x".to_vec()].concat();
        assert_eq!(Greeting::of(&split), Greeting::Odd);
        assert_eq!(Greeting::of(&record(&[])), Greeting::Odd);
    }
}
