//! The way out through the proxy, and everything that is not on the list.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use skillyard_sandbox::{Backend, Denial, HostRule, Network, Outcome, Profile, RunEnd};

use crate::lab::{Lab, output};

/// A server that answers every request with what it was asked.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            std::thread::spawn(move || {
                let mut request = vec![0; 4096];
                let length = connection.read(&mut request).unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let body = request.replace("\r\n", "|");
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                );
                let _ = connection.write_all(answer.as_bytes());
            });
        }
    });
    port
}

fn profile(hosts: &[String]) -> Profile {
    let rules: Vec<HostRule> = hosts.iter().map(|host| host.parse().unwrap()).collect();
    Profile {
        network: Network::Hosts(rules),
        ..Profile::default()
    }
}

/// Runs Python with a function that speaks HTTP to the proxy by hand.
fn ask(lab: &Lab, profile: &Profile, script: &str) -> Outcome {
    let script = format!(
        "
import os, socket
def proxy(text):
    channel = socket.create_connection(('127.0.0.1', 3128), 20)
    channel.sendall(text.encode() if isinstance(text, str) else text)
    return channel
def first(text):
    return proxy(text).makefile('rb').readline().decode().strip()
{script}"
    );
    lab.run(
        Backend::Bubblewrap,
        profile,
        &skillyard_sandbox::Command::new("/usr/bin/python3").arguments(["-c", &script]),
    )
}

#[test]
fn a_listed_host_is_reached_by_every_way() {
    let (lab, port) = (Lab::new(), server());
    let profile = profile(&[format!("127.0.0.1:{port}")]);
    let script = format!(
        "
import urllib.request
# Plain requests, by the variables that every client knows.
print(urllib.request.urlopen('http://127.0.0.1:{port}/path?x=1').read().decode().split('|')[0])
# CONNECT.
channel = proxy('CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n')
print(channel.recv(100).split(b'\\r')[0].decode())
channel.sendall(b'GET /tunnel HTTP/1.1\\r\\n\\r\\n')
print(channel.makefile('rb').read().split(b'\\r\\n\\r\\n')[1].decode())
# SOCKS5.
channel = proxy(b'\\x05\\x01\\x00')
channel.recv(2)
channel.sendall(b'\\x05\\x01\\x00\\x01' + socket.inet_aton('127.0.0.1') + ({port}).to_bytes(2, 'big'))
print(channel.recv(10)[1])
channel.sendall(b'GET /socks HTTP/1.1\\r\\n\\r\\n')
print(channel.makefile('rb').read().split(b'\\r\\n\\r\\n')[1].decode())"
    );
    let outcome = ask(&lab, &profile, &script);
    let expected = "GET /path?x=1 HTTP/1.1\nHTTP/1.1 200 Connection established\nGET /tunnel HTTP/1.1||\n0\nGET /socks HTTP/1.1||\n";
    assert_eq!(output(&outcome), expected, "{}", outcome.stderr.text());
    assert_eq!(outcome.connections, [format!("127.0.0.1:{port}")]);
    assert_eq!(outcome.denials, []);
}

#[test]
fn a_port_of_this_machine_is_reached_by_its_name() {
    let (lab, port) = (Lab::new(), server());
    let script = format!(
        "
import urllib.request
print(os.environ['NO_PROXY'], os.environ['NODE_USE_ENV_PROXY'], socket.gethostbyname('localhost'))
print(urllib.request.urlopen('http://localhost:{port}/path').read().decode().split('|')[0])"
    );
    let listed = profile(&[format!("localhost:{port}")]);
    let outcome = ask(&lab, &listed, &script);
    let expected = "127.0.0.1,::1 1 127.0.0.1\nGET /path HTTP/1.1\n";
    assert_eq!(output(&outcome), expected, "{}", outcome.stderr.text());
    // Without a word about it there is only the program's own machine.
    let outcome = ask(&lab, &profile(&["allowed.example".to_owned()]), &script);
    assert_eq!(output(&outcome), "localhost,127.0.0.1,::1 1 127.0.0.1\n");
}

#[test]
fn what_is_not_listed_is_refused_and_recorded() {
    let (lab, port) = (Lab::new(), server());
    let profile = profile(&["allowed.example".to_owned(), "*.sub.example".to_owned()]);
    let script = format!(
        "
for target in ['127.0.0.1:{port}', 'localhost:{port}', '169.254.169.254:80', '[::1]:{port}', 'evil.example:443', 'allowed.example:22', 'allowed.example.evil.example:443',
               'evil.example\\0.sub.example:443', 'notsub.example:443', '2130706433:{port}', '0x7f.1:{port}', 'x@allowed.example:443', '[::ffff:127.0.0.1]:{port}']:
    print(first(f'CONNECT {{target}} HTTP/1.1\\r\\n\\r\\n'))
print(first('GET http://127.0.0.1:{port}/ HTTP/1.1\\r\\n\\r\\n'))
for name in [b'evil.example', b'evil.example\\0.sub.example', b'127.0.0.1']:
    channel = proxy(b'\\x05\\x01\\x00')
    channel.recv(2)
    channel.sendall(b'\\x05\\x01\\x00\\x03' + bytes([len(name)]) + name + (443).to_bytes(2, 'big'))
    print(channel.recv(10)[1])
# Around the proxy there is no way at all.
for address in [('127.0.0.1', {port}), ('1.1.1.1', 443)]:
    try: socket.create_connection(address, 2); print('connected')
    except OSError as error: print('no way')"
    );
    let outcome = ask(&lab, &profile, &script);
    let expected = "HTTP/1.1 403 Forbidden\n".repeat(14) + "2\n2\n2\nno way\nno way\n";
    assert_eq!(output(&outcome), expected, "{}", outcome.stderr.text());
    assert_eq!(outcome.connections, Vec::<String>::new());
    let refused = |host: &str| {
        outcome
            .denials
            .iter()
            .any(|denial| matches!(denial, Denial::Host { host: asked, .. } if asked == host))
    };
    for host in [
        "evil.example:443",
        "169.254.169.254:80",
        "evil.example\0.sub.example:443",
        "allowed.example:22",
    ] {
        assert!(refused(host), "{host} in {:?}", outcome.denials);
    }
}

#[test]
fn a_listed_name_that_leads_to_a_private_address_is_refused() {
    let (lab, port) = (Lab::new(), server());
    // Names below `localhost` are resolved to the loopback by most resolvers; the name of this
    // machine leads to one of its own addresses. Where neither is known, that is a refusal too.
    let profile = profile(&[
        format!("rebound.localhost:{port}"),
        format!("localhost:{port}"),
    ]);
    let script = format!(
        "
print(first('CONNECT rebound.localhost:{port} HTTP/1.1\\r\\n\\r\\n'))
print(first('CONNECT localhost:{port} HTTP/1.1\\r\\n\\r\\n'))"
    );
    let outcome = ask(&lab, &profile, &script);
    assert_eq!(
        output(&outcome),
        "HTTP/1.1 403 Forbidden\nHTTP/1.1 200 Connection established\n"
    );
}

#[test]
fn a_request_for_one_host_cannot_reach_another() {
    let (lab, port) = (Lab::new(), server());
    let profile = profile(&[format!("localhost:{port}")]);
    let script = format!(
        "
base = 'http://localhost:{port}/'
print(first(f'GET {{base}} HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n'))
print(first(f'GET {{base}} HTTP/1.1\\r\\nHost: localhost:{port}\\r\\nHost: evil.example\\r\\n\\r\\n'))
print(first(f'POST {{base}} HTTP/1.1\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n'))
print(first(f'POST {{base}} HTTP/1.1\\r\\nContent-Length: 1\\r\\nContent-Length: 2\\r\\n\\r\\n'))
print(first('GET /path HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n'))
print(first('nonsense\\r\\n\\r\\n'))
print(first('GET ' + 'x' * 40000))
# What follows the first request goes nowhere.
channel = proxy(f'GET {{base}} HTTP/1.1\\r\\nProxy-Authorization: x\\r\\n\\r\\nGET http://evil.example/ HTTP/1.1\\r\\n\\r\\n')
print(channel.makefile('rb').read().decode().split('\\r\\n\\r\\n')[1])
# The greeting of TLS names another host than was asked for.
name = b'evil.example'
def block(size, data): return len(data).to_bytes(size, 'big') + data
extension = b'\\0\\0' + block(2, block(2, b'\\0' + block(2, name)))
algorithms = b'\\0\\x0d' + block(2, block(2, b'\\4\\3'))
body = b'\\3\\3' + bytes(32) + block(1, b'') + block(2, b'\\x13\\1') + block(1, b'\\0') + block(2, extension + algorithms)
channel = proxy('CONNECT localhost:{port} HTTP/1.1\\r\\n\\r\\n')
channel.recv(100)
hello = b'\\1' + block(3, body)
channel.sendall(b'\\x16\\3\\1' + block(2, hello))
print(len(channel.recv(100)))
# The same in pieces, and a greeting that is none.
for pieces in [[hello[:9], hello[9:60], hello[60:]], [b'\\2' + hello[1:]]]:
    channel = proxy('CONNECT localhost:{port} HTTP/1.1\\r\\n\\r\\n')
    channel.recv(100)
    for piece in pieces:
        channel.sendall(b'\\x16\\3\\1' + block(2, piece))
    try: print(len(channel.recv(100)))
    except ConnectionError: print(0)"
    );
    let outcome = ask(&lab, &profile, &script);
    let shown = output(&outcome);
    let expected = format!(
        "HTTP/1.1 403 Forbidden\nHTTP/1.1 403 Forbidden\nHTTP/1.1 411 Length Required\nHTTP/1.1 411 Length Required\n\
         HTTP/1.1 400 Bad Request\nHTTP/1.1 400 Bad Request\nHTTP/1.1 431 Request Header Fields Too Large\n\
         GET / HTTP/1.1|Host: localhost:{port}|Connection: close||\n0\n0\n0\n"
    );
    assert_eq!(shown, expected, "{}", outcome.stderr.text());
    let fronting = Denial::Host {
        host: format!("evil.example:{port}"),
        reason: "`localhost` was asked for".into(),
    };
    assert!(outcome.denials.contains(&fronting), "{:?}", outcome.denials);
    let odd = Denial::Host {
        host: format!("localhost:{port}"),
        reason: "its greeting of TLS cannot be read".into(),
    };
    assert!(outcome.denials.contains(&odd), "{:?}", outcome.denials);
}

/// Servers of mail, of databases and of SSH greet before they are spoken to. Whom a program greets
/// afterwards is looked at all the same, however late that is.
#[test]
fn a_server_that_speaks_first_is_heard_at_once() {
    let lab = Lab::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let _ = connection.write_all(b"220 ready\r\n");
            let mut said = [0; 4096];
            let length = connection.read(&mut said).unwrap_or(0);
            let _ = connection.write_all(&said[..length]);
        }
    });
    let script = format!(
        "
def block(size, data): return len(data).to_bytes(size, 'big') + data
extension = b'\\0\\0' + block(2, block(2, b'\\0' + block(2, b'evil.example')))
algorithms = b'\\0\\x0d' + block(2, block(2, b'\\4\\3'))
body = b'\\3\\3' + bytes(32) + block(1, b'') + block(2, b'\\x13\\1') + block(1, b'\\0') + block(2, extension + algorithms)
hello = b'\\x16\\3\\1' + block(2, b'\\1' + block(3, body))
for said in [b'EHLO me', hello]:
    channel = proxy('CONNECT localhost:{port} HTTP/1.1\\r\\n\\r\\n')
    lines = channel.makefile('rb')
    print([lines.readline() for _ in range(3)][2].decode().strip())
    channel.sendall(said)
    print(lines.read())"
    );
    let outcome = ask(&lab, &profile(&[format!("localhost:{port}")]), &script);
    let expected = "220 ready\nb'EHLO me'\n220 ready\nb''\n";
    assert_eq!(output(&outcome), expected, "{}", outcome.stderr.text());
    let fronting = Denial::Host {
        host: format!("evil.example:{port}"),
        reason: "`localhost` was asked for".into(),
    };
    assert_eq!(outcome.denials, [fronting]);
}

#[test]
fn many_connections_at_once_do_not_hang_the_end() {
    let (lab, port) = (Lab::new(), server());
    let profile = profile(&[format!("127.0.0.1:{port}")]);
    let script = format!(
        "
open = [proxy('CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n') for _ in range(60)] + [proxy('') for _ in range(30)]
print(len(open))"
    );
    let outcome = ask(&lab, &profile, &script);
    assert_eq!(
        (outcome.end, output(&outcome).as_str()),
        (RunEnd::Exited(0), "90\n"),
        "{outcome:?}"
    );
}

#[test]
fn an_open_network_is_the_hosts_own() {
    let lab = Lab::new();
    let port = server();
    let profile = Profile {
        network: Network::Full,
        ..Profile::default()
    };
    for backend in crate::lab::BOTH {
        let script = format!(
            "import urllib.request as r; print(r.urlopen('http://127.0.0.1:{port}/x').read().decode().split('|')[0])"
        );
        let command =
            skillyard_sandbox::Command::new("/usr/bin/python3").arguments(["-c", &script]);
        assert_eq!(
            output(&lab.run(backend, &profile, &command)),
            "GET /x HTTP/1.1\n",
            "{backend}"
        );
        // Services of the host that are no network stay closed.
        let profile = Profile {
            network: Network::Full,
            ..lab.profile()
        };
        for name in [
            "unix_socket",
            "unix_socket_in_workspace",
            "abstract_socket",
            "turned_pair",
            "netlink_socket",
            "raw_socket",
        ] {
            let said = output(&lab.run(backend, &profile, &lab.probe(name)));
            assert!(said.starts_with("held"), "{backend} {name}: {said}");
        }
    }
}
