//! SOCKS5, without passwords and only for connections.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, TcpStream};

use super::server::Shared;
use super::tunnel;
use crate::host_rule::{Destination, Host, plain};

/// The first byte of everything that is said.
pub(super) const VERSION: u8 = 5;

const CONNECT: u8 = 1;
const DONE: u8 = 0;
const NOT_ALLOWED: u8 = 2;
const COMMAND_UNKNOWN: u8 = 7;
const ADDRESS_UNKNOWN: u8 = 8;

/// Serves one connection, of which the first byte was read already.
pub(super) fn serve(shared: &Shared, client: &mut TcpStream) -> io::Result<()> {
    let methods = usize::from(read::<1>(client)?[0]);
    let mut offered = vec![0; methods];
    client.read_exact(&mut offered)?;
    if !offered.contains(&0) {
        return client.write_all(&[VERSION, 0xff]);
    }
    client.write_all(&[VERSION, 0])?;
    let [_, command, _, kind] = read::<4>(client)?;
    if command != CONNECT {
        return reply(client, COMMAND_UNKNOWN);
    }
    let (text, host) = match kind {
        1 => address(read::<4>(client)?.into()),
        4 => address(read::<16>(client)?.into()),
        3 => {
            let length = usize::from(read::<1>(client)?[0]);
            let mut name = vec![0; length];
            client.read_exact(&mut name)?;
            let text = String::from_utf8_lossy(&name).into_owned();
            let host = Host::parse(&text);
            (text, host)
        }
        _ => return reply(client, ADDRESS_UNKNOWN),
    };
    let port = u16::from_be_bytes(read::<2>(client)?);
    let asked = host.map(|host| Destination { host, port });
    match shared.connect(asked, &format!("{text}:{port}")) {
        Ok((server, destination)) => {
            reply(client, DONE)?;
            tunnel::carry(shared, client, server, &destination)
        }
        Err(_) => reply(client, NOT_ALLOWED),
    }
}

fn address(address: IpAddr) -> (String, Result<Host, &'static str>) {
    let address = plain(address);
    (address.to_string(), Ok(Host::Address(address)))
}

fn read<const N: usize>(client: &mut TcpStream) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    client.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn reply(client: &mut TcpStream, code: u8) -> io::Result<()> {
    client.write_all(&[VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0])
}
