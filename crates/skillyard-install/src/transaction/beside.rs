//! What a change does while it waits for the disk.

/// Does `waiting` on a thread of its own, and `work` meanwhile, when it is `begun`.
pub(super) fn beside_work<A: Send, B>(
    waiting: impl FnOnce() -> A + Send,
    begun: &impl Fn(),
    work: impl FnOnce() -> B,
) -> (A, B) {
    std::thread::scope(|scope| {
        let waiting = scope.spawn(waiting);
        begun();
        let work = work();
        match waiting.join() {
            Ok(waited) => (waited, work),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The same on a thread that is there already: one that has to start begins later than it would end.
pub(super) fn on_the_side<A: Send, B>(
    waiting: impl FnOnce() -> A + Send,
    begun: &impl Fn(),
    work: impl FnOnce() -> B,
) -> (A, B) {
    let mut waited = None;
    let work = rayon::in_place_scope(|scope| {
        scope.spawn(|_| waited = Some(waiting()));
        begun();
        work()
    });
    (
        waited.expect("the scope ends when all in it have ended"),
        work,
    )
}
