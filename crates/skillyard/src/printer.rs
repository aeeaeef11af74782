//! The only way to the terminal: data to stdout, words for people to stderr.

mod data;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use parking_lot::Mutex;

use crate::environment::Environment;
use crate::global_args::GlobalArgs;
use crate::redactor::Redactor;
use crate::terminal::SignalState;
use crate::text::sanitize::visible;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const BOLD: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Most warnings that are kept for a document.
const MAX_WARNINGS: usize = 1_000;

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Volume {
    Quiet,
    Normal,
    Verbose,
}

/// Writes what a command has to say, as loud and as colourful as the user asked.
#[derive(Debug, Clone)]
pub(crate) struct Printer {
    volume: Volume,
    json: bool,
    choice: ColorChoice,
    /// Whether the terminal shows lines of text and nothing else.
    dumb: bool,
    columns: Option<usize>,
    redactor: Redactor,
    /// Whether who read stdout went away.
    unread: Arc<AtomicBool>,
    /// What people would have been warned of, for a document to have it.
    warnings: Arc<Mutex<Vec<String>>>,
    /// What hears signals at questions.
    heard: SignalState,
}

#[expect(
    clippy::unused_self,
    reason = "who writes needs the printer, also where it has nothing to decide"
)]
impl Printer {
    /// Resolves flags and environment.
    pub(crate) fn new(global: &GlobalArgs, environment: &Environment, redactor: Redactor) -> Self {
        let choice = match global.color {
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
            clap::ColorChoice::Auto if environment.no_color || environment.dumb_terminal => {
                ColorChoice::Never
            }
            clap::ColorChoice::Auto => ColorChoice::Auto,
        };
        Self {
            volume: match (global.quiet, global.verbose) {
                (true, _) => Volume::Quiet,
                (false, 0) => Volume::Normal,
                (false, _) => Volume::Verbose,
            },
            json: global.json,
            choice,
            dumb: environment.dumb_terminal,
            columns: environment.columns.or_else(terminal_columns),
            redactor,
            unread: Arc::default(),
            warnings: Arc::default(),
            heard: SignalState::default(),
        }
    }

    /// Whether nobody reads stdout any more: who goes on for ever ends then.
    pub(crate) fn is_unread(&self) -> bool {
        self.unread.load(Ordering::Relaxed)
    }

    /// Whether the answer is to be JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether the user asked for more with `-v`.
    pub(crate) fn is_verbose(&self) -> bool {
        self.volume >= Volume::Verbose
    }

    /// Whether stdout is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Whether a terminal may be written to with styles.
    pub(crate) fn styles_terminal(&self) -> bool {
        self.choice != ColorChoice::Never
    }

    /// Whether data may have styles in it.
    pub(crate) fn styles_data(&self) -> bool {
        self.resolved(self.is_terminal()) != ColorChoice::Never
    }

    /// Whether the user can be asked: stdin and stderr are a terminal.
    pub(crate) fn can_ask(&self) -> bool {
        !self.json && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// What hears signals while the user is asked.
    pub(crate) fn heard(&self) -> &SignalState {
        &self.heard
    }

    /// Whether questions are lines of plain text: no colour is wanted, or the cursor cannot move.
    pub(crate) fn asks_plainly(&self) -> bool {
        self.dumb || self.choice == ColorChoice::Never
    }

    /// Whether progress can be shown: stderr is a terminal whose cursor moves, and nobody asked for
    /// silence.
    pub(crate) fn shows_progress(&self) -> bool {
        self.volume >= Volume::Normal && !self.json && !self.dumb && io::stderr().is_terminal()
    }

    /// How wide text for people may be: `COLUMNS`, else what the terminal says.
    pub(crate) fn width(&self) -> usize {
        self.columns.unwrap_or(100).clamp(40, 140)
    }

    /// How wide lines of others in notes may be: programs are given them whole.
    pub(crate) fn width_of_notes(&self) -> usize {
        if io::stderr().is_terminal() {
            self.width()
        } else {
            usize::MAX
        }
    }

    /// Tells people something they would miss.
    pub(crate) fn note(&self, text: &str) {
        if self.volume >= Volume::Normal && !self.json {
            self.people(text);
        }
    }

    /// Warns people; programs find it among the [warnings](Self::warnings) of their document.
    pub(crate) fn warn(&self, text: &str) {
        self.note(&format!("warning: {}", visible(text)));
        if self.json {
            let mut warnings = self.warnings.lock();
            // A server warns for as long as it runs.
            if warnings.len() < MAX_WARNINGS {
                warnings.push(text.to_owned());
            }
        }
    }

    /// What a program has to be warned of so far.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.warnings.lock().clone()
    }

    /// Tells people something they asked for with `-v`.
    pub(crate) fn detail(&self, text: &str) {
        if self.volume >= Volume::Verbose && !self.json {
            self.people(text);
        }
    }

    /// Tells people that something failed, and what they can do.
    pub(crate) fn error(&self, message: &str, causes: &[String], hint: Option<&str>) {
        // What was quoted may have lines of its own, which must not pass for ours.
        let indented = |text: &str| text.replace('\n', "\n    ");
        let mut text = format!("{ERROR}error:{ERROR:#} {}", indented(message));
        for cause in causes {
            let _ = write!(text, "\n  Caused by: {}", indented(cause));
        }
        if let Some(hint) = hint {
            let _ = write!(text, "\n\n{HINT}hint:{HINT:#} {}", indented(hint));
        }
        self.people(&text);
    }

    /// `text` as a heading, in data.
    pub(crate) fn heading(&self, text: &str) -> String {
        match self.resolved(io::stdout().is_terminal()) {
            ColorChoice::Never => text.to_owned(),
            _ => format!("{BOLD}{text}{BOLD:#}"),
        }
    }

    /// `text` in the colour of success.
    pub(crate) fn good(&self, text: &str) -> String {
        format!("{GOOD}{text}{GOOD:#}")
    }

    /// Words for people, without secrets.
    pub(crate) fn redacted<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redactor.scrub_for_people(text)
    }

    /// Writes a block for people, even when quiet: it is the answer.
    pub(crate) fn people(&self, text: &str) {
        self.people_lines(&format!("{text}\n"));
    }

    /// Shows what somebody is asked to allow: nothing is hidden but the secrets that were told, for a
    /// look alone may be chosen by whoever wants to be allowed.
    pub(crate) fn exactly(&self, text: &str) {
        self.write_lines(&self.redactor.scrub(&format!("{text}\n")));
    }

    /// Words of a stranger for people, as [`exactly`](Self::exactly) as a question about them.
    pub(crate) fn note_exactly(&self, text: &str) {
        if self.volume >= Volume::Normal && !self.json {
            self.exactly(text);
        }
    }

    /// The same of whole lines, which can be very many and are not copied.
    pub(crate) fn people_lines(&self, lines: &str) {
        self.write_lines(&self.redactor.scrub_for_people(lines));
    }

    fn write_lines(&self, lines: &str) {
        let choice = self.resolved(io::stderr().is_terminal());
        // Nobody is left to be told that stderr is gone.
        let _ = if lines.contains('\x1b') {
            AutoStream::new(io::stderr().lock(), choice).write_all(lines.as_bytes())
        } else {
            io::stderr().lock().write_all(lines.as_bytes())
        };
    }

    fn resolved(&self, terminal: bool) -> ColorChoice {
        match self.choice {
            ColorChoice::Auto if terminal => ColorChoice::Always,
            ColorChoice::Auto => ColorChoice::Never,
            choice => choice,
        }
    }
}

/// How wide the terminal is, if there is one.
fn terminal_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    let size = size.or_else(|_| rustix::termios::tcgetwinsize(io::stderr()));
    let size = size.ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// A writer that remembers its first failure, for who passes it to somebody that goes on without it.
#[derive(Debug)]
pub(crate) struct FailureRecordingWriter<'a, W> {
    inner: W,
    failure: Option<io::Error>,
    stop: Option<&'a AtomicBool>,
}

impl<'a, W> FailureRecordingWriter<'a, W> {
    /// Watches over a writer.
    pub(crate) fn new(inner: W) -> Self {
        Self {
            inner,
            failure: None,
            stop: None,
        }
    }

    /// The same, and stops whoever writes when the reader goes away, as a shell would, or when
    /// nothing more can be written, as on a full disk.
    pub(crate) fn stopping(inner: W, stop: &'a AtomicBool) -> Self {
        Self {
            stop: Some(stop),
            ..Self::new(inner)
        }
    }

    /// Whether the reader went away.
    pub(crate) fn is_unread(&self) -> bool {
        let gone = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        self.failure.as_ref().is_some_and(gone)
    }

    /// What went wrong first. A reader that went away has read enough, which is no failure.
    pub(crate) fn failure(self) -> Option<io::Error> {
        let is_failure = |error: &io::Error| error.kind() != io::ErrorKind::BrokenPipe;
        self.failure.filter(is_failure)
    }

    fn noted<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let kind = error.kind();
            self.failure.get_or_insert(error);
            if let Some(stop) = self.stop.filter(|_| kind != io::ErrorKind::Interrupted) {
                stop.store(true, Ordering::SeqCst);
            }
            kind.into()
        })
    }
}

impl<W: io::Write> io::Write for FailureRecordingWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes);
        self.noted(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.inner.flush();
        self.noted(flushed)
    }
}
