//! What the commands that install, update and remove have in common.

pub(crate) mod changes;
pub(crate) mod check;
pub(crate) mod chronicle;
pub(crate) mod conflict;
pub(crate) mod difference;
pub(crate) mod finish;
pub(crate) mod known;
mod logs;
mod meaning;
pub(crate) mod newest;
pub(crate) mod pick;
pub(crate) mod place;
pub(crate) mod prepared;
mod progress;
pub(crate) mod renaming;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod scanner;
mod sources;
pub(crate) mod supply;
pub(crate) mod threads;
pub(crate) mod unused;
mod validation;
pub(crate) mod wanted;
pub(crate) mod web;
pub(crate) mod wish;
pub(crate) mod written;
