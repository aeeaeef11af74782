//! Slots for connections, and which connection is closed when all are in use.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use hyper::body::Body as HttpBody;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// How long a connection must be idle before it may be closed: its last response may still be in
/// flight.
const MIN_IDLE: Duration = Duration::from_secs(1);
/// How long to wait before looking for an idle connection again.
const EVICTION_INTERVAL: Duration = Duration::from_millis(100);

/// A limited number of connection slots.
#[derive(Debug)]
pub(crate) struct ConnectionSlots {
    max_connections: usize,
    table: Mutex<SlotTable>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct SlotTable {
    next: u64,
    slots: HashMap<u64, SlotState>,
}

#[derive(Debug)]
struct SlotState {
    /// Since when the connection is idle; `None` while a request is being answered.
    idle: Option<Instant>,
    evict: Arc<Notify>,
}

/// A slot, freed on drop.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    id: u64,
    evict: Arc<Notify>,
}

impl ConnectionSlots {
    pub(crate) fn new(max_connections: usize) -> Arc<Self> {
        Arc::new(Self {
            max_connections,
            table: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// Waits for a slot; closes the longest-idle connection if there is none.
    pub(crate) async fn acquire(self: &Arc<Self>) -> ConnectionSlot {
        loop {
            if let Some(slot) = self.try_acquire() {
                return slot;
            }
            self.evict_longest_idle();
            let _ = tokio::time::timeout(EVICTION_INTERVAL, self.freed.notified()).await;
        }
    }

    fn try_acquire(self: &Arc<Self>) -> Option<ConnectionSlot> {
        let mut table = self.table.lock();
        if table.slots.len() >= self.max_connections {
            return None;
        }
        let (id, evict) = (table.next, Arc::new(Notify::new()));
        table.next += 1;
        let state = SlotState {
            idle: Some(Instant::now()),
            evict: Arc::clone(&evict),
        };
        table.slots.insert(id, state);
        drop(table);
        Some(ConnectionSlot {
            slots: Arc::clone(self),
            id,
            evict,
        })
    }

    /// Asks the longest-idle connection to close.
    pub(crate) fn evict_longest_idle(&self) {
        let table = self.table.lock();
        let idle = table.slots.values().filter_map(|state| {
            let since = state.idle.filter(|since| since.elapsed() >= MIN_IDLE)?;
            Some((since, &state.evict))
        });
        if let Some((_, evict)) = idle.min_by_key(|(since, _)| *since) {
            evict.notify_one();
        }
    }
}

impl ConnectionSlot {
    /// Completes when the connection should close in favor of another one.
    pub(crate) async fn evicted(&self) {
        self.evict.notified().await;
    }

    /// Marks the connection as busy.
    pub(crate) fn busy(&self) {
        self.set(None);
    }

    /// Marks the connection as idle.
    pub(crate) fn idle(&self) {
        self.set(Some(Instant::now()));
    }

    /// Whether no request is being answered.
    pub(crate) fn is_idle(&self) -> bool {
        let table = self.slots.table.lock();
        let state = table.slots.get(&self.id);
        state.is_none_or(|state| state.idle.is_some())
    }

    fn set(&self, idle: Option<Instant>) {
        if let Some(state) = self.slots.table.lock().slots.get_mut(&self.id) {
            state.idle = idle;
        }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.table.lock().slots.remove(&self.id);
        self.slots.freed.notify_one();
    }
}

/// Marks a connection as busy until it is dropped: when the last of the body was taken.
pub(crate) struct ActiveResponse(Arc<ConnectionSlot>);

impl ActiveResponse {
    pub(crate) fn new(slot: &Arc<ConnectionSlot>) -> Self {
        slot.busy();
        Self(Arc::clone(slot))
    }

    /// The body of the response, which keeps the connection busy.
    pub(crate) fn wrap(self, body: Body) -> Body {
        // A body that is complete is written at once.
        if body.is_end_stream() {
            return body;
        }
        Body::new(ActiveBody {
            body,
            _active: self,
        })
    }
}

impl Drop for ActiveResponse {
    fn drop(&mut self) {
        self.0.idle();
    }
}

struct ActiveBody {
    body: Body,
    _active: ActiveResponse,
}

impl HttpBody for ActiveBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
