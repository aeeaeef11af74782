//! Makes the launcher's second stage: a small program without any library, which the crate
//! carries as bytes. Where it cannot be made the crate does the same with its own binary.

#![allow(
    clippy::disallowed_methods,
    reason = "cargo speaks to build scripts through variables, and the compiler is started"
)]

use std::path::{Path, PathBuf};
use std::{env, fs};

const STAGE: &str = "src/launcher/stage";

fn main() {
    println!("cargo::rerun-if-changed={STAGE}");
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let output = PathBuf::from(of("OUT_DIR")).join("stage");
    let known = ["x86_64", "aarch64", "riscv64"].contains(&of("CARGO_CFG_TARGET_ARCH").as_str());
    let possible = known && of("CARGO_CFG_TARGET_OS") == "linux";
    if !(possible && compile(&output, &of)) {
        if possible {
            println!(
                "cargo::warning=the small launcher could not be built: sandboxes will start more slowly"
            );
        }
        fs::write(&output, []).expect("the folder for output can be written");
    }
}

fn compile(output: &Path, of: &dyn Fn(&str) -> String) -> bool {
    let mut compiler = std::process::Command::new(of("RUSTC"));
    compiler
        .arg(Path::new(STAGE).join("freestanding.rs"))
        .args([
            "--crate-name",
            "stage",
            "--crate-type",
            "bin",
            "--edition",
            "2024",
        ])
        .args(["--target", &of("TARGET"), "--cap-lints", "allow"])
        .args([
            "-C",
            "opt-level=2",
            "-C",
            "panic=abort",
            "-C",
            "strip=symbols",
        ])
        .args(["-C", "relocation-model=static", "-C", "link-arg=-static"])
        .args(["-C", "link-arg=-nostdlib", "-C", "link-arg=-nostartfiles"])
        .args(["-C", "link-arg=-Wl,--build-id=none,-z,norelro"])
        .arg("-o")
        .arg(output);
    let linker = of("RUSTC_LINKER");
    if !linker.is_empty() {
        compiler.arg("-C").arg(format!("linker={linker}"));
    }
    compiler.status().is_ok_and(|status| status.success())
}
