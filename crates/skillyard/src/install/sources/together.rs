//! Sources that are opened at once: most of the time of each is spent waiting for somebody.

use std::collections::BTreeMap;

use std::thread;

use parking_lot::Mutex;
use skillyard_install::reference::{GitReference, Reference, Remote};

use super::Sources;
use crate::error::CommandError;
use crate::install::open_source::OpenSource;
use crate::install::resolved_reference::ResolvedReference;
use crate::install::sources::SourceReach;

/// Most sources that are fetched at a time, for the sake of whoever gives them.
const MAX_PARALLEL_SOURCES: usize = 8;

/// What became of the states of one source, as far as they were asked for.
struct Fetched {
    key: String,
    opened: Vec<OpenSource>,
    /// The name whose tags were looked for, and why there is nothing.
    failed: Option<(String, CommandError)>,
}

impl Sources<'_> {
    /// Opens the sources that these references stand for, several at a time. What fails is told to
    /// whoever asks for it.
    pub(in crate::install) fn open_together<'m>(
        &mut self,
        meanings: impl Iterator<Item = &'m ResolvedReference>,
    ) {
        if self.reach == SourceReach::Here {
            return;
        }
        let mut sources: BTreeMap<String, Vec<&ResolvedReference>> = BTreeMap::new();
        for meaning in meanings.filter(|meaning| is_waited_for(&meaning.reference)) {
            if let Ok(key) = meaning.source()
                && !self.opened.contains_key(&key)
            {
                sources.entry(key).or_default().push(meaning);
            }
        }
        // What is wrong with the way to the network is told where it is needed.
        if sources.len() < 2 {
            return;
        }
        let Ok(web) = self.web() else {
            return;
        };
        web.hold_notes();
        let number = sources.len().min(MAX_PARALLEL_SOURCES);
        let queue = Mutex::new(sources.into_iter());
        let next = || queue.lock().next();
        let this = &*self;
        let work = || {
            let sources = std::iter::from_fn(next);
            let fetched = sources.map(|(key, meanings)| this.fetch_states(key, &meanings));
            fetched.collect::<Vec<_>>()
        };
        let fetched: Vec<Fetched> = thread::scope(|scope| {
            let threads: Vec<_> = (0..number).map(|_| scope.spawn(work)).collect();
            // What a thread that panicked had is asked for again.
            let fetched = threads.into_iter().filter_map(|each| each.join().ok());
            fetched.flatten().collect()
        });
        web.tell_held();
        for Fetched {
            key,
            opened,
            failed,
        } in fetched
        {
            if let Some((tag_name, error)) = failed {
                self.failed.insert((key.clone(), tag_name), error);
            }
            self.opened.insert(key, opened);
        }
    }

    /// Opens one source in each state that is asked for. Where one cannot be had, the others wait until
    /// somebody needs them.
    fn fetch_states(&self, key: String, meanings: &[&ResolvedReference]) -> Fetched {
        let mut opened: Vec<OpenSource> = Vec::new();
        let mut failed = None;
        for meaning in meanings {
            if opened.iter().any(|each| each.is_for(meaning)) {
                continue;
            }
            match self.fetch(meaning) {
                Ok(fetched) => opened.push(fetched),
                Err(error) => {
                    failed = Some((meaning.tag_name().to_owned(), error));
                    break;
                }
            }
        }
        Fetched {
            key,
            opened,
            failed,
        }
    }
}

/// Whether somebody else answers, or another program does. Of several who log in with SSH each may ask
/// the person for a word, and those questions must come one after the other.
fn is_waited_for(reference: &Reference) -> bool {
    match reference {
        Reference::Local(_) => false,
        Reference::Git(GitReference { remote, .. }) => match remote {
            Remote::Address(address) => address.url().scheme() != "ssh",
            Remote::Scp { .. } => false,
            Remote::Path(_) => true,
        },
        _ => true,
    }
}
