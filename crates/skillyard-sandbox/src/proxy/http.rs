//! HTTP: `CONNECT`, and plain requests with a whole address, one to a connection.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;

use super::server::Shared;
use super::tunnel;
use crate::host_rule::Destination;

/// The longest head of a request.
const MAX_HEAD: usize = 32 * 1024;

/// Serves one request, of which the first byte was read already.
pub(super) fn serve(shared: &Shared, client: &mut TcpStream, first: u8) -> io::Result<()> {
    let Some(head) = read_head(client, first)? else {
        return refuse(
            client,
            "431 Request Header Fields Too Large",
            "the request is too long",
        );
    };
    let Some(request) = Request::parse(&head) else {
        return refuse(client, "400 Bad Request", "the request is not understood");
    };
    if request.method == "CONNECT" {
        let asked = Destination::parse(request.target, 443);
        return match shared.connect(asked, request.target) {
            Ok((server, destination)) => {
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
                tunnel::carry(shared, client, server, &destination)
            }
            Err(reason) => refuse(client, "403 Forbidden", &reason),
        };
    }
    plain(shared, client, &request)
}

/// Forwards a plain request. Only one: a second one could be for another host.
fn plain(shared: &Shared, client: &mut TcpStream, request: &Request<'_>) -> io::Result<()> {
    let Some((authority, path)) = whole_address(request.target) else {
        return refuse(
            client,
            "400 Bad Request",
            "a proxy wants a whole http:// address",
        );
    };
    let asked = Destination::parse(authority, 80);
    let hosts: Vec<_> = request
        .values("host")
        .map(|host| Destination::parse(host, 80))
        .collect();
    if hosts.len() > 1 || hosts.first().is_some_and(|host| *host != asked) {
        shared.refuse(authority, "the request names another host");
        return refuse(client, "403 Forbidden", "the request names another host");
    }
    let lengths: Vec<&str> = request.values("content-length").collect();
    let length = match lengths.as_slice() {
        [] => Some(0),
        [one] if one.bytes().all(|byte| byte.is_ascii_digit()) => one.parse::<u64>().ok(),
        _ => None,
    };
    let (Some(length), None) = (length, request.values("transfer-encoding").next()) else {
        return refuse(
            client,
            "411 Length Required",
            "the length of the request must be known",
        );
    };
    let (mut server, destination) = match shared.connect(asked, authority) {
        Ok(connected) => connected,
        Err(reason) => return refuse(client, "403 Forbidden", &reason),
    };
    let mut head = format!(
        "{} {path} HTTP/1.1\r\nHost: {destination}\r\nConnection: close\r\n",
        request.method
    );
    for (name, value) in &request.fields {
        let lower = name.to_ascii_lowercase();
        let ours = matches!(
            lower.as_str(),
            "host" | "connection" | "keep-alive" | "upgrade" | "te" | "trailer"
        );
        if !ours && !lower.starts_with("proxy-") {
            head.extend([name, ": ", value, "\r\n"]);
        }
    }
    head += "\r\n";
    server.write_all(head.as_bytes())?;
    io::copy(&mut client.take(length), &mut server)?;
    io::copy(&mut server, client)?;
    Ok(())
}

/// The authority and the path of `http://authority/path`.
fn whole_address(target: &str) -> Option<(&str, String)> {
    let scheme = target.get(..7)?;
    let rest = target.get(7..)?;
    if !scheme.eq_ignore_ascii_case("http://") {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some((authority, format!("{slash}{path}")))
}

/// A request without its body.
struct Request<'a> {
    method: &'a str,
    target: &'a str,
    fields: Vec<(&'a str, &'a str)>,
}

impl<'a> Request<'a> {
    fn parse(head: &'a str) -> Option<Self> {
        let mut lines = head.strip_suffix("\r\n\r\n")?.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let is_token = |text: &str| {
            let token =
                |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            !text.is_empty() && text.bytes().all(token)
        };
        if words.next().is_some() || !version.starts_with("HTTP/1.") || !is_token(method) {
            return None;
        }
        let fields = lines.map(|line| {
            let (name, value) = line.split_once(':')?;
            let clean = |text: &str| !text.contains(|c: char| c.is_control() && c != '\t');
            (is_token(name) && clean(value)).then_some((name, value.trim()))
        });
        Some(Self {
            method,
            target,
            fields: fields.collect::<Option<_>>()?,
        })
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let fields = self
            .fields
            .iter()
            .filter(move |(each, _)| each.eq_ignore_ascii_case(name));
        fields.map(|(_, value)| *value)
    }
}

/// Reads up to the empty line, byte by byte: what follows is for somebody else.
fn read_head(client: &mut TcpStream, first: u8) -> io::Result<Option<String>> {
    let mut head = vec![first];
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= MAX_HEAD {
            return Ok(None);
        }
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    // Whatever is not text in a head was not understood; what is left of it is not either.
    Ok(Some(String::from_utf8_lossy(&head).into_owned()))
}

fn refuse(client: &mut TcpStream, status: &str, reason: &str) -> io::Result<()> {
    let body = format!("sandbox: {reason}\n");
    let length = body.len();
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
