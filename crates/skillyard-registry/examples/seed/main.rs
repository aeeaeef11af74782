//! Fills a registry with made-up skills through the same path that an upload takes: unpacked,
//! checked, scanned, packed anew, stored, and committed one by one.
//!
//! `seed --database sqlite:PATH --blobs DIR --count 100000 [--first 0]`. With `--archives DIR`
//! nothing is published and the uploads are written to files instead; with `--questions` it prints
//! what somebody could search for, a line each.

#![allow(clippy::print_stdout, reason = "its output is its result")]

mod words;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bytes::Bytes;
use jiff::Timestamp;
use skillyard_format::package::archive::{Limits, Mode};
use skillyard_format::package::pack::{PackFile, PackFormat, pack};
use skillyard_registry::publishing::Destination;
use skillyard_registry::token::Identity;
use skillyard_registry::{Blobs, Database, Registry};
use words::Words;

type Failure = Box<dyn Error + Send + Sync>;

/// How many are published at once.
const AT_ONCE: usize = 4;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let place = arguments.iter().position(|each| each == name)?;
        arguments.get(place + 1).map(String::as_str)
    };
    let count: usize = value("--count").unwrap_or("1000").parse()?;
    let first: usize = value("--first").unwrap_or("0").parse()?;
    if let Some(folder) = value("--archives") {
        return write_archives(Path::new(folder), first, count);
    }
    if arguments.iter().any(|each| each == "--questions") {
        let words = Words::new();
        for number in 0..count {
            let length = 1 + number % 4;
            // Far from the numbers of skills, so that questions are no copies of descriptions.
            println!(
                "{}",
                words.chance(number as u64 + (1 << 40)).sentence(length)
            );
        }
        return Ok(());
    }
    let database = value("--database").ok_or("--database is missing")?;
    let blobs = PathBuf::from(value("--blobs").ok_or("--blobs is missing")?);
    let runtime = tokio::runtime::Runtime::new()?;
    let start = Instant::now();
    runtime.block_on(publish_all(database, &blobs, first..first + count))?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{{\"published\": {count}, \"seconds\": {seconds:.3}}}");
    Ok(())
}

async fn publish_all(
    database: &str,
    blobs: &Path,
    numbers: std::ops::Range<usize>,
) -> Result<(), Failure> {
    let database = Database::open(database).await?;
    let blobs = Blobs::in_folder(blobs)?;
    let registry = Registry::new(database, blobs, None, Arc::new(Timestamp::now));
    let next = Arc::new(AtomicUsize::new(numbers.start));
    let words = Arc::new(Words::new());
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let (registry, next, words) = (registry.clone(), Arc::clone(&next), Arc::clone(&words));
        let end = numbers.end;
        tasks.spawn(async move {
            let identity = Identity {
                token: "seed".to_owned(),
                account: "seed".to_owned(),
                scopes: vec!["publish".parse()?],
                expires: None,
            };
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return Ok::<(), Failure>(());
                }
                let upload = Bytes::from(archive(&words, number)?);
                registry
                    .publish(&identity, upload, Destination::default())
                    .await?;
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    registry.database.close().await;
    Ok(())
}

fn write_archives(folder: &Path, first: usize, count: usize) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    let words = Words::new();
    for number in first..first + count {
        std::fs::write(
            folder.join(format!("{number}.tar.gz")),
            archive(&words, number)?,
        )?;
    }
    println!("{{\"written\": {count}}}");
    Ok(())
}

/// An upload: instructions of a few kilobytes, a script and a reference.
fn archive(words: &Words, number: usize) -> Result<Vec<u8>, Failure> {
    let mut chance = words.chance(number as u64);
    let name = format!("{}-{}-{number}", chance.word(), chance.word());
    let tags = format!("{} {}", chance.word(), chance.word());
    let body: Vec<String> = (0..6).map(|_| chance.sentence(60)).collect();
    let text = format!(
        "---\nname: {name}\ndescription: {}. Use when the task asks for it.\nlicense: MIT\n\
         metadata:\n  version: \"1.0.0\"\n  tags: {tags}\n---\n\n# {name}\n\n{}\n",
        chance.sentence(25),
        body.join("\n\n"),
    );
    let reference = chance.sentence(120);
    let files = [
        ("SKILL.md", Mode::Plain, text.as_bytes()),
        ("references/details.md", Mode::Plain, reference.as_bytes()),
        (
            "scripts/run.sh",
            Mode::Executable,
            b"#!/bin/sh\necho hello\n".as_slice(),
        ),
    ];
    let files: Vec<PackFile<'_>> = files
        .iter()
        .map(|(path, mode, content)| PackFile {
            path,
            mode: *mode,
            content,
        })
        .collect();
    Ok(pack(&files, PackFormat::TarGz, &Limits::skill())?)
}
