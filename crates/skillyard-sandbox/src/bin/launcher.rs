//! A launcher of its own for the tests and the bench of this crate.
//!
//! In Skillyard the same code runs inside the main binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(code) = skillyard_sandbox::launcher::main(std::env::args_os()) {
        return code;
    }
    ExitCode::from(2)
}
