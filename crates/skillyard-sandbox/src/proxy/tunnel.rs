//! Carrying bytes both ways, after a look at whom the program really speaks to.

use std::io::{self, Read, Write as _};
use std::net::{Shutdown, TcpStream};

use rustls::server::Acceptor;

use super::server::Shared;
use crate::host_rule::{Destination, Host};

/// The longest greeting that is looked into.
const MAX_GREETING: usize = 16 * 1024 + 5;
/// The kind of a record of TLS that greetings come in.
const HANDSHAKE: u8 = 0x16;

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
    let how = match send(shared, client, &mut server, destination) {
        Ok(()) => Shutdown::Write,
        // The other way ends, too.
        Err(_) => Shutdown::Both,
    };
    let _ = server.shutdown(how);
    let _ = back.join();
    Ok(())
}

/// Carries what the program sends, after a look at how it begins; an error if that is refused.
fn send(
    shared: &Shared,
    client: &mut TcpStream,
    server: &mut TcpStream,
    destination: &Destination,
) -> io::Result<()> {
    let (bytes, greeting) = Greeting::read(client)?;
    if let Host::Name(asked) = &destination.host {
        let refuse = |name: &str, reason: &str| {
            shared.refuse(&format!("{name}:{}", destination.port), reason);
            Err(io::ErrorKind::PermissionDenied.into())
        };
        match greeting {
            Greeting::Tls(Some(name)) if !name.eq_ignore_ascii_case(asked) => {
                return refuse(&name, &format!("`{asked}` was asked for"));
            }
            Greeting::Invalid => return refuse(asked, "its greeting of TLS cannot be read"),
            Greeting::Tls(_) | Greeting::Other => {}
        }
    }
    server.write_all(&bytes)?;
    io::copy(client, server)?;
    Ok(())
}

/// What the first bytes of a program are.
#[derive(Debug, PartialEq, Eq)]
enum Greeting {
    /// A greeting of TLS, with the host that it names.
    Tls(Option<String>),
    /// Something that begins like one.
    Invalid,
    /// Something else.
    Other,
}

impl Greeting {
    /// Reads a whole greeting of TLS, however long it takes, or whatever comes first.
    fn read(client: &mut impl Read) -> io::Result<(Vec<u8>, Self)> {
        let mut acceptor = Acceptor::default();
        let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
        while bytes.len() < MAX_GREETING {
            let count = client.read(&mut buffer)?;
            let mut piece = buffer.get(..count).unwrap_or_default();
            bytes.extend_from_slice(piece);
            if bytes.first() != Some(&HANDSHAKE) {
                return Ok((bytes, Self::Other));
            }
            if piece.is_empty() {
                break;
            }
            while !piece.is_empty() {
                let accepted = match acceptor.read_tls(&mut piece) {
                    Ok(_) => acceptor.accept(),
                    Err(_) => return Ok((bytes, Self::Invalid)),
                };
                match accepted {
                    Ok(Some(accepted)) => {
                        let name = accepted.client_hello().server_name().map(str::to_owned);
                        return Ok((bytes, Self::Tls(name)));
                    }
                    Ok(None) => {}
                    Err(_) => return Ok((bytes, Self::Invalid)),
                }
            }
        }
        Ok((bytes, Self::Invalid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, as a slow program does.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }

    fn greeting(bytes: &[u8]) -> Greeting {
        let (read, whole) = Greeting::read(&mut &bytes[..]).unwrap();
        assert!(bytes.starts_with(&read));
        let (read, slow) = Greeting::read(&mut Slow(bytes)).unwrap();
        assert!(bytes.starts_with(&read));
        assert_eq!(whole, slow);
        whole
    }

    fn named() -> Greeting {
        Greeting::Tls(Some("example.com".to_owned()))
    }

    /// A greeting of TLS with this name.
    fn hello(name: &str) -> Vec<u8> {
        let block = |bytes: &[u8], size: usize| {
            let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
            [&length[4 - size..], bytes].concat()
        };
        let names = [&[0][..], &block(name.as_bytes(), 2)].concat();
        let server_name = [&[0, 0][..], &block(&block(&names, 2), 2)].concat();
        let other = [&[0, 43][..], &block(&[2, 3, 4], 2)].concat();
        let algorithms = [&[0, 13][..], &block(&block(&[4, 3, 8, 4], 2), 2)].concat();
        let extensions = block(&[other, algorithms, server_name].concat(), 2);
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
        assert_eq!(greeting(&whole), named());
        assert_eq!(greeting(b"GET / HTTP/1.1\r\n"), Greeting::Other);
        assert_eq!(greeting(b""), Greeting::Other);
        for length in 1..whole.len() {
            assert_eq!(greeting(&whole[..length]), Greeting::Invalid, "{length}");
        }
        let (read, more) = Greeting::read(&mut &[&whole[..], b"more"].concat()[..]).unwrap();
        assert_eq!((read.len(), more), (whole.len() + 4, named()));
    }

    #[test]
    fn the_name_is_found_in_a_greeting_of_many_records() {
        let whole = hello("example.com");
        for size in [1, 2, 40, 60] {
            let pieces: Vec<u8> = whole[5..].chunks(size).flat_map(record).collect();
            assert_eq!(greeting(&pieces), named(), "{size}");
            let beginning = &pieces[..pieces.len() - 1];
            assert_eq!(greeting(beginning), Greeting::Invalid, "{size}");
        }
    }

    #[test]
    fn what_only_begins_like_a_greeting_is_refused() {
        let whole = hello("example.com");
        for (at, byte) in [(1, 2), (5, 2), (6, 1)] {
            let mut changed = whole.clone();
            changed[at] = byte;
            assert_eq!(greeting(&changed), Greeting::Invalid, "{at}");
        }
        let split = [record(&whole[5..20]), b"\x17\x03\x03\0\x01x".to_vec()].concat();
        assert_eq!(greeting(&split), Greeting::Invalid);
        assert_eq!(greeting(&record(&[])), Greeting::Invalid);
    }
}
