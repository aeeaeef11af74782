//! The proxy itself: takes connections, decides, and remembers what it decided.

use std::io::{self, Read as _};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::public::not_public;
use super::{http, socks};
use crate::host_rule::HostRule;
use crate::host_rule::{Destination, Host, plain};
use crate::outcome::Denial;

/// How many connections there may be at once.
const MAX_CONNECTIONS: usize = 128;
/// How many decisions are remembered; a program must not fill our memory by asking.
const MAX_DECISIONS: usize = 200;
/// How long a host may take to answer.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a program may take to say what it wants.
const ASK: Duration = Duration::from_secs(30);

/// What the proxy decided.
#[derive(Debug, Clone, Default)]
pub(crate) struct Decisions {
    pub(crate) denials: Vec<Denial>,
    pub(crate) connections: Vec<String>,
}

/// A running proxy.
pub(crate) struct Proxy {
    thread: JoinHandle<()>,
    shared: Arc<Shared>,
}

/// What the threads of a proxy share.
pub(super) struct Shared {
    rules: Vec<HostRule>,
    decisions: Mutex<Decisions>,
    open: Mutex<Vec<TcpStream>>,
    listener: Mutex<Option<TcpListener>>,
    count: AtomicUsize,
    stopping: AtomicBool,
}

/// The two ends of the way that the listening socket comes.
pub(crate) fn channel() -> io::Result<(OwnedFd, OwnedFd)> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    let flags = SocketFlags::CLOEXEC;
    Ok(socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        flags,
        None,
    )?)
}

impl Proxy {
    /// Waits for the socket and serves it, until [`Self::finish`].
    pub(crate) fn start(channel: OwnedFd, rules: Vec<HostRule>) -> Self {
        let shared = Arc::new(Shared {
            rules,
            decisions: Mutex::default(),
            open: Mutex::default(),
            listener: Mutex::default(),
            count: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
        });
        let serving = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            // Without a socket there was no program either.
            if let Ok(Some(socket)) = receive(&channel) {
                serve(&serving, &TcpListener::from(socket));
            }
        });
        Self { thread, shared }
    }

    /// Closes everything and tells what was decided.
    pub(crate) fn finish(self) -> Decisions {
        self.shared.stopping.store(true, Ordering::SeqCst);
        if let Some(listener) = &*lock(&self.shared.listener) {
            // The thread that waits for connections wakes up.
            let _ = rustix::net::shutdown(listener, rustix::net::Shutdown::Both);
        }
        let _ = self.thread.join();
        for connection in lock(&self.shared.open).drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        std::mem::take(&mut lock(&self.shared.decisions))
    }
}

/// Takes the socket that the launcher sends.
fn receive(channel: &OwnedFd) -> io::Result<Option<OwnedFd>> {
    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut bytes = [io::IoSliceMut::new(&mut byte)];
    recvmsg(channel, &mut bytes, &mut message, RecvFlags::CMSG_CLOEXEC)?;
    let mut sockets = message.drain().filter_map(|each| match each {
        RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
        _ => None,
    });
    Ok(sockets.next())
}

fn serve(shared: &Arc<Shared>, listener: &TcpListener) {
    let Ok(copy) = listener.try_clone() else {
        return;
    };
    *lock(&shared.listener) = Some(copy);
    while !shared.stopping.load(Ordering::SeqCst) {
        let Ok((connection, _)) = listener.accept() else {
            // Shut down, or out of descriptors for a moment.
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        if shared.count.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
            shared.count.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let shared = Arc::clone(shared);
        std::thread::spawn(move || {
            // A connection that fails is the program's loss and nobody else's.
            let _ = answer(&shared, connection);
            shared.count.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// Speaks SOCKS5 or HTTP, whichever the program begins with.
fn answer(shared: &Shared, mut connection: TcpStream) -> io::Result<()> {
    connection.set_read_timeout(Some(ASK))?;
    shared.remember(&connection)?;
    let mut first = [0];
    connection.read_exact(&mut first)?;
    let result = if first[0] == socks::VERSION {
        socks::serve(shared, &mut connection)
    } else {
        http::serve(shared, &mut connection, first[0])
    };
    let _ = connection.shutdown(Shutdown::Both);
    result
}

impl Shared {
    /// Connects to what was asked for, if it is allowed.
    pub(super) fn connect(
        &self,
        asked: Result<Destination, &'static str>,
        text: &str,
    ) -> Result<(TcpStream, Destination), String> {
        let result = asked
            .map_err(str::to_owned)
            .and_then(|destination| self.open(&destination).map(|stream| (stream, destination)));
        match &result {
            Ok((_, destination)) => {
                let mut decisions = lock(&self.decisions);
                let host = destination.to_string();
                if decisions.connections.len() < MAX_DECISIONS
                    && !decisions.connections.contains(&host)
                {
                    decisions.connections.push(host);
                }
            }
            Err(reason) => self.refuse(text, reason),
        }
        result
    }

    /// Remembers a refusal.
    pub(super) fn refuse(&self, text: &str, reason: &str) {
        let denial = Denial::Host {
            host: text.chars().take(300).collect(),
            reason: reason.to_owned(),
        };
        let mut decisions = lock(&self.decisions);
        if decisions.denials.len() < MAX_DECISIONS && !decisions.denials.contains(&denial) {
            decisions.denials.push(denial);
        }
    }

    fn open(&self, destination: &Destination) -> Result<TcpStream, String> {
        if !self.rules.iter().any(|rule| rule.allows(destination)) {
            return Err("it is not on the list".into());
        }
        let addresses = self.addresses(destination)?;
        let mut last = "it has no address".to_owned();
        for address in addresses {
            if self.stopping.load(Ordering::SeqCst) {
                return Err("the program has ended".into());
            }
            // The address that was checked is the one that is used: names are not asked twice.
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(stream) => {
                    let remembered = self.remember(&stream);
                    return remembered
                        .map(|()| stream)
                        .map_err(|error| error.to_string());
                }
                Err(error) => last = error.to_string(),
            }
        }
        Err(format!("it cannot be reached: {last}"))
    }

    fn addresses(&self, destination: &Destination) -> Result<Vec<SocketAddr>, String> {
        let port = destination.port;
        let name = match &destination.host {
            // It is on the list by itself.
            Host::Address(address) => return Ok(vec![SocketAddr::new(*address, port)]),
            Host::Name(name) => name,
        };
        let found = (name.as_str(), port).to_socket_addrs();
        let found = found.map_err(|error| format!("its name cannot be found: {error}"))?;
        let mut allowed = Vec::new();
        let mut refused = None;
        for address in found {
            let ip: IpAddr = plain(address.ip());
            match not_public(ip) {
                Some(reason)
                    if !self
                        .rules
                        .iter()
                        .any(|rule| rule.allows_address(name, ip, port)) =>
                {
                    refused = Some(format!("its address {ip} is {reason} and not on the list"));
                }
                _ => allowed.push(SocketAddr::new(ip, port)),
            }
        }
        match refused {
            // One address that should not be there says enough about the others.
            Some(reason) => Err(reason),
            None => Ok(allowed),
        }
    }

    /// Connections that [`Proxy::finish`] has to close.
    fn remember(&self, connection: &TcpStream) -> io::Result<()> {
        let copy = connection.try_clone()?;
        let mut open = lock(&self.open);
        open.retain(|each| each.peer_addr().is_ok());
        open.push(copy);
        Ok(())
    }
}

/// A thread that failed leaves nothing half done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
