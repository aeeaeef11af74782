//! A bar for a download, on a terminal and only when it takes a while.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use skillyard_install::fetch::http::Progress;

use crate::printer::Printer;
use crate::sanitize::visible;

/// What takes less time than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(150);

/// Shows how far a download is.
pub(crate) struct Bar {
    shown: bool,
    state: Mutex<Option<State>>,
}

struct State {
    bar: ProgressBar,
    since: Instant,
}

impl Bar {
    pub(crate) fn new(printer: &Printer) -> Self {
        Self {
            shown: printer.shows_progress(),
            state: Mutex::new(None),
        }
    }

    fn with(&self, act: impl FnOnce(&mut Option<State>)) {
        if let Ok(mut state) = self.state.lock() {
            act(&mut state);
        }
    }
}

impl Progress for Bar {
    fn started(&self, what: &str, size: Option<u64>) {
        if !self.shown {
            return;
        }
        let bar = ProgressBar::with_draw_target(size, ProgressDrawTarget::hidden());
        let template = match size {
            Some(_) => "{msg} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec}",
            None => "{msg} {spinner} {bytes} {bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(visible(what).into_owned());
        let since = Instant::now();
        self.with(|state| *state = Some(State { bar, since }));
    }

    fn received(&self, bytes: u64) {
        self.with(|state| {
            if let Some(State { bar, since }) = state {
                if bar.is_hidden() && since.elapsed() > PATIENCE {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                bar.set_position(bytes);
            }
        });
    }

    fn finished(&self) {
        self.with(|state| {
            if let Some(State { bar, .. }) = state.take() {
                bar.finish_and_clear();
            }
        });
    }
}
