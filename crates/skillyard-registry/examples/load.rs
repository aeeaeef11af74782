//! Asks a server at a steady rate, or as fast as it answers, and says how long answers took.
//!
//! `load --address HOST:PORT --requests FILE [--rate 200] [--connections 32] [--seconds 10]
//! [--once]`. The file has a JSON object a line: `method`, `path`, `headers` and `body_file`. With a
//! rate the time of an answer counts from when its request was due, so that a server that stands
//! still for a while cannot hide it. It prints one JSON object.

#![allow(clippy::print_stdout, reason = "its output is its result")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Deserialize)]
struct Line {
    method: Option<String>,
    path: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body_file: Option<String>,
}

/// What all connections share.
struct Plan {
    address: String,
    requests: Vec<Vec<u8>>,
    next: AtomicUsize,
    most: usize,
    start: Instant,
    end: Instant,
    rate: Option<f64>,
}

#[derive(Default)]
struct Seen {
    microseconds: Vec<u64>,
    statuses: BTreeMap<u16, usize>,
    bytes: usize,
    broken: usize,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let place = arguments.iter().position(|each| each == name)?;
        arguments.get(place + 1).map(String::as_str)
    };
    let address = value("--address").ok_or("--address is missing")?;
    let file = std::fs::read_to_string(value("--requests").ok_or("--requests is missing")?)?;
    let requests: Result<Vec<_>, Failure> =
        file.lines().map(|line| written(line, address)).collect();
    let requests = requests?;
    let seconds: f64 = value("--seconds").unwrap_or("10").parse()?;
    let connections: usize = value("--connections").unwrap_or("32").parse()?;
    let once = arguments.iter().any(|each| each == "--once");
    let start = Instant::now() + Duration::from_millis(50);
    let plan = Arc::new(Plan {
        address: address.to_owned(),
        most: if once { requests.len() } else { usize::MAX },
        requests,
        next: AtomicUsize::new(0),
        start,
        end: start + Duration::from_secs_f64(seconds),
        rate: value("--rate").map(str::parse).transpose()?,
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let seen = runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..connections {
            tasks.spawn(ask(Arc::clone(&plan)));
        }
        tasks.join_all().await
    });
    tell(seen, start.elapsed().as_secs_f64());
    Ok(())
}

/// A request as it goes over the wire.
fn written(line: &str, address: &str) -> Result<Vec<u8>, Failure> {
    let line: Line = serde_json::from_str(line)?;
    let body = line.body_file.map(std::fs::read).transpose()?;
    let method = line.method.as_deref().unwrap_or("GET");
    let mut head = format!("{method} {} HTTP/1.1\r\nhost: {address}\r\n", line.path);
    for (name, value) in &line.headers {
        write!(head, "{name}: {value}\r\n")?;
    }
    if let Some(body) = &body {
        write!(head, "content-length: {}\r\n", body.len())?;
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend(body.unwrap_or_default());
    Ok(bytes)
}

async fn ask(plan: Arc<Plan>) -> Seen {
    let mut seen = Seen::default();
    let mut stream = None;
    loop {
        let number = plan.next.fetch_add(1, Ordering::Relaxed);
        if number >= plan.most {
            return seen;
        }
        let due = match plan.rate {
            #[expect(clippy::cast_precision_loss, reason = "no run is so long")]
            Some(rate) => plan.start + Duration::from_secs_f64(number as f64 / rate),
            None => Instant::now(),
        };
        if due >= plan.end {
            return seen;
        }
        tokio::time::sleep_until(due.into()).await;
        let request = &plan.requests[number % plan.requests.len()];
        if let Ok((status, bytes)) = answered(&plan.address, &mut stream, request).await {
            *seen.statuses.entry(status).or_default() += 1;
            seen.bytes += bytes;
            let time = due.elapsed().as_micros();
            let time = u64::try_from(time).unwrap_or(u64::MAX);
            seen.microseconds.push(time);
        } else {
            stream = None;
            seen.broken += 1;
        }
    }
}

/// Sends a request and reads its answer, which has to say how long it is.
async fn answered(
    address: &str,
    stream: &mut Option<TcpStream>,
    request: &[u8],
) -> Result<(u16, usize), Failure> {
    let stream = if let Some(stream) = stream {
        stream
    } else {
        let connected = TcpStream::connect(address).await?;
        connected.set_nodelay(true)?;
        stream.insert(connected)
    };
    stream.write_all(request).await?;
    let mut answer = Vec::with_capacity(16 * 1024);
    let head = loop {
        if stream.read_buf(&mut answer).await? == 0 {
            return Err("the server closed the connection".into());
        }
        if let Some(place) = answer.windows(4).position(|each| each == b"\r\n\r\n") {
            break place + 4;
        }
    };
    let text = std::str::from_utf8(&answer[..head])?;
    let status = text.get(9..12).ok_or("no status")?.parse()?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    let length = length.ok_or("an answer without a length")?;
    while answer.len() < head + length {
        if stream.read_buf(&mut answer).await? == 0 {
            return Err("the server broke off".into());
        }
    }
    Ok((status, length))
}

fn tell(seen: Vec<Seen>, seconds: f64) {
    let mut all = Seen::default();
    for each in seen {
        all.microseconds.extend(each.microseconds);
        for (status, count) in each.statuses {
            *all.statuses.entry(status).or_default() += count;
        }
        all.bytes += each.bytes;
        all.broken += each.broken;
    }
    all.microseconds.sort_unstable();
    let at = |share: usize| {
        let place = all.microseconds.len() * share / 1000;
        all.microseconds.get(place).or(all.microseconds.last())
    };
    let milliseconds = |share| {
        let microseconds = u32::try_from(at(share).copied().unwrap_or_default());
        f64::from(microseconds.unwrap_or(u32::MAX)) / 1000.0
    };
    let told = serde_json::json!({
        "requests": all.microseconds.len(),
        "seconds": seconds,
        "p50": milliseconds(500),
        "p90": milliseconds(900),
        "p99": milliseconds(990),
        "max": milliseconds(1000),
        "statuses": all.statuses,
        "bytes": all.bytes,
        "broken": all.broken,
    });
    println!("{told}");
}
