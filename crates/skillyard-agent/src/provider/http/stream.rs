//! The answer of a server, as it comes.

use std::collections::VecDeque;
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use reqwest::blocking::Response;
use secrecy::SecretString;

use super::TICK;
use super::failure::{instead, is_page, refused};
use crate::provider::ProviderError;
use crate::provider::sse::{SseEvent, SseParser};

/// Most bytes of an answer.
const MAX_ANSWER_BYTES: usize = 64 << 20;
/// Bytes of a beginning that may be an error in place of an answer.
const ERROR_PREFIX_BYTES: usize = 16 << 10;
/// How long the end is waited for when all was said.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// What comes of a request, one after the other.
pub(super) enum Piece {
    /// The server said that an answer follows.
    Begun,
    /// More of it.
    Bytes(Vec<u8>),
    /// There is none, or no more of it.
    Failed(ProviderError),
}

/// The events of an answer.
pub(in crate::provider) struct Stream<'a> {
    pieces: Receiver<Piece>,
    parser: SseParser,
    ready: VecDeque<SseEvent>,
    cancel: &'a AtomicBool,
    silence: Duration,
    size: usize,
    /// Whether there was any event.
    spoken: bool,
    ended: bool,
}

/// Passes an answer on, piece by piece.
pub(super) fn pump(
    mut response: Response,
    sender: &SyncSender<Piece>,
    secrets: &[SecretString],
    silence: Duration,
) -> Result<(), std::sync::mpsc::SendError<Piece>> {
    if response.status().as_u16() != 200 {
        return sender.send(Piece::Failed(refused(response, secrets)));
    }
    if is_page(&response) {
        let problem = "it is a web page".to_owned();
        return sender.send(Piece::Failed(ProviderError::Malformed { problem }));
    }
    sender.send(Piece::Begun)?;
    let mut buffer = vec![0; 16 << 10];
    let mut beginning = Vec::new();
    loop {
        match response.read(&mut buffer) {
            Ok(0) => {
                return match instead(&beginning, secrets) {
                    Some(error) => sender.send(Piece::Failed(error)),
                    None => Ok(()),
                };
            }
            Ok(size) => {
                if beginning.len() < ERROR_PREFIX_BYTES {
                    beginning.extend_from_slice(&buffer[..size]);
                }
                sender.send(Piece::Bytes(buffer[..size].to_vec()))?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                let seconds = silence.as_secs();
                return sender.send(Piece::Failed(ProviderError::Silent { seconds }));
            }
            Err(error) => {
                let problem = error.to_string();
                return sender.send(Piece::Failed(ProviderError::Cut { problem }));
            }
        }
    }
}

impl<'a> Stream<'a> {
    /// The events of what comes in pieces, until there is silence for so long.
    pub(super) fn new(pieces: Receiver<Piece>, silence: Duration, cancel: &'a AtomicBool) -> Self {
        Self {
            pieces,
            parser: SseParser::default(),
            ready: VecDeque::new(),
            cancel,
            silence,
            size: 0,
            spoken: false,
            ended: false,
        }
    }

    /// Waits no longer than a moment for more: there is hardly anything to come.
    pub(in crate::provider) fn expect_end(&mut self) {
        self.silence = self.silence.min(END_TIMEOUT);
    }

    /// The next event; `None` at the end.
    pub(in crate::provider) fn next(&mut self) -> Result<Option<SseEvent>, ProviderError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.spoken = true;
                return Ok(Some(event));
            }
            if self.ended && self.size > 0 && !self.spoken {
                let problem = "it is no stream of events".to_owned();
                return Err(ProviderError::Malformed { problem });
            }
            if self.ended {
                return Ok(None);
            }
            match self.piece()? {
                Some(Piece::Bytes(bytes)) => {
                    self.size += bytes.len();
                    if self.size > MAX_ANSWER_BYTES {
                        return Err(ProviderError::TooLong {
                            limit: MAX_ANSWER_BYTES,
                        });
                    }
                    self.ready.extend(self.parser.take(&bytes)?);
                }
                Some(_) => {}
                None => {
                    self.ended = true;
                    self.ready.extend(self.parser.finish());
                }
            }
        }
    }

    /// The next piece; `None` at the end.
    pub(super) fn piece(&mut self) -> Result<Option<Piece>, ProviderError> {
        let start = Instant::now();
        loop {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(ProviderError::Cancelled);
            }
            match self.pieces.recv_timeout(TICK) {
                Ok(Piece::Failed(error)) => return Err(error),
                Ok(piece) => return Ok(Some(piece)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if start.elapsed() > self.silence => {
                    let seconds = self.silence.as_secs();
                    return Err(ProviderError::Silent { seconds });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
