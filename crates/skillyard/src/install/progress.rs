//! A bar for each download, on a terminal and only when it takes a while.

use std::collections::HashMap;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;
use skillyard_install::fetch::http::DownloadProgress;

use crate::printer::Printer;
use crate::text::sanitize::visible;

/// What takes less time than this needs no bar.
const SHOW_AFTER: Duration = Duration::from_millis(150);

/// Shows how far downloads are. A thread has one at a time.
pub(crate) struct Bars {
    shown: bool,
    terminal: MultiProgress,
    of_threads: Mutex<HashMap<ThreadId, Bar>>,
}

struct Bar {
    drawing: ProgressBar,
    since: Instant,
    is_drawn: bool,
}

impl Bars {
    pub(crate) fn new(printer: &Printer) -> Self {
        Self {
            shown: printer.shows_progress(),
            terminal: MultiProgress::new(),
            of_threads: Mutex::default(),
        }
    }

    fn with(&self, act: impl FnOnce(&mut HashMap<ThreadId, Bar>)) {
        act(&mut self.of_threads.lock());
    }
}

impl DownloadProgress for Bars {
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
        let bar = Bar {
            drawing: bar,
            since: Instant::now(),
            is_drawn: false,
        };
        self.with(|bars| {
            // One that begins anew takes its own place.
            if let Some(before) = bars.insert(thread::current().id(), bar) {
                before.drawing.finish_and_clear();
            }
        });
    }

    fn received(&self, bytes: u64) {
        self.with(|bars| {
            if let Some(each) = bars.get_mut(&thread::current().id()) {
                if !each.is_drawn && each.since.elapsed() > SHOW_AFTER {
                    each.drawing = self.terminal.add(each.drawing.clone());
                    each.is_drawn = true;
                }
                each.drawing.set_position(bytes);
            }
        });
    }

    fn finished(&self) {
        self.with(|bars| {
            if let Some(each) = bars.remove(&thread::current().id()) {
                each.drawing.finish_and_clear();
            }
        });
    }
}
