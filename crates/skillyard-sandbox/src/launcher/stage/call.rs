//! System calls without a library, because the stage has none.
//!
//! A number below zero is an error's, as the kernel returns it.

#![expect(unsafe_code, reason = "there is nothing below this that could wrap it")]

mod fences;
mod files;
mod numbers;
mod processes;
mod raw;
mod sockets;

pub(crate) use fences::{add_rule, filter, new_rules, restrict};
pub(crate) use files::{close, close_on_exec, enter, entries, length, map, open, read, write};
pub(crate) use processes::{
    Watched, block, control, ended, execute, exit, fork, limits, new_session, own_number,
    set_limits, signal, signals, sleep, usage_of_children, wait,
};
pub(crate) use sockets::{listen, send_descriptor, socket};

/// What a system call returns: a number, or the number of an error.
pub(crate) type Answer = Result<usize, i32>;
