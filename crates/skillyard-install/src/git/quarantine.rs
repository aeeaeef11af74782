//! The empty repository that another one is fetched into.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::place::{ObjectFormat, RemoteLocation, ServerSupport};
use crate::reference::Remote;

/// Where the contents of files come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlobSource {
    /// They are fetched when they are needed.
    Fetched,
    /// They are read where they are, in a repository of this machine.
    Borrowed,
    /// They come with the commit.
    Whole,
}

/// Makes a bare repository in `folder` that knows its remote.
pub(super) fn prepare(folder: &Path, place: &RemoteLocation<'_>) -> io::Result<BlobSource> {
    for each in ["objects/info", "objects/pack", "refs/heads"] {
        std::fs::create_dir_all(folder.join(each))?;
    }
    std::fs::write(folder.join("HEAD"), "ref: refs/heads/none\n")?;
    let contents = match objects_of(place.remote) {
        None if place.serves == ServerSupport::Everything => BlobSource::Whole,
        None => BlobSource::Fetched,
        Some(objects) => {
            let line = format!("{objects}\n");
            std::fs::write(folder.join("objects/info/alternates"), line)?;
            BlobSource::Borrowed
        }
    };
    configure(folder, place, contents)?;
    Ok(contents)
}

/// The folder of objects of a repository on this machine.
///
/// Only objects are read there; settings and hooks of that repository stay out of it. Git does
/// not hash them again, which our own digest over the skill does.
fn objects_of(remote: &Remote) -> Option<String> {
    let path: PathBuf = match remote {
        Remote::Path(path) => path.clone(),
        Remote::Address(address) if remote.is_local() => address.url().to_file_path().ok()?,
        Remote::Address(_) | Remote::Scp { .. } => return None,
    };
    let path = path.canonicalize().ok()?;
    let mut folders = [path.join("objects"), path.join(".git/objects")].into_iter();
    let objects = folders.find(|folder| folder.join("info").is_dir())?;
    let is_whole = !objects.with_file_name("shallow").exists();
    let objects = objects.to_str()?;
    (is_whole && !objects.contains(char::is_control)).then(|| objects.to_owned())
}

/// The address goes into the repository's own settings, and so never into a list of processes.
fn configure(folder: &Path, place: &RemoteLocation<'_>, contents: BlobSource) -> io::Result<()> {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let url = quoted(&place.url);
    let mut text = String::from("[core]\n\trepositoryformatversion = 1\n\tbare = true\n");
    text.push_str("[extensions]\n");
    if place.objects == ObjectFormat::Sha256 {
        text.push_str("\tobjectFormat = sha256\n");
    }
    if contents == BlobSource::Fetched {
        text.push_str("\tpartialClone = origin\n");
    }
    let _ = writeln!(text, "[remote \"origin\"]\n\turl = \"{url}\"");
    if contents == BlobSource::Fetched {
        text.push_str("\tpromisor = true\n\tpartialclonefilter = blob:none\n");
    }
    // Git would go on, with the headers, to wherever it is led.
    let _ = writeln!(text, "[http \"{url}\"]\n\tfollowRedirects = false");
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(folder.join("config"))?
        .write_all(text.as_bytes())
}
