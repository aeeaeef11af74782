//! Waiting for the disk.
//!
//! One call for a whole file system takes a fraction of a call for each of many small files. But it
//! waits for what everybody else writes there, too, which can be seconds, so a few files are waited
//! for one by one.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::write::Draft;

/// Up to so many files and folders are waited for one by one.
const FEW: usize = 48;

/// Makes what was staged and what was drafted durable.
pub(super) fn durable<'a>(
    stages: &[impl AsRef<Path>],
    drafts: impl Iterator<Item = &'a Draft>,
) -> io::Result<()> {
    let mut synced = Vec::new();
    if let Some(few) = few_of(stages)? {
        // All are on their way before the first is waited for, which then is most of the wait.
        few.iter().for_each(start_writing);
        few.iter().try_for_each(File::sync_all)?;
    } else {
        for stage in stages {
            let stage = File::open(stage)?;
            let device = stage.metadata()?.dev();
            if !synced.contains(&device) {
                sync_all_of(&stage)?;
                synced.push(device);
            }
        }
    }
    for draft in drafts {
        if cfg!(not(target_os = "linux")) || !synced.contains(&draft.device()?) {
            draft.sync()?;
        }
    }
    Ok(())
}

/// Everything that was staged, what lies in a folder before it; nothing if it is much, or if a link
/// leads to more.
fn few_of(stages: &[impl AsRef<Path>]) -> io::Result<Option<Vec<File>>> {
    let mut few = Vec::new();
    for stage in stages {
        // Each skill is a folder with a file in it, so that many need not be opened to be counted.
        if std::fs::read_dir(stage)?.nth(FEW / 2).is_some() {
            return Ok(None);
        }
        if !collect(stage.as_ref(), &mut few)? {
            return Ok(None);
        }
    }
    Ok(Some(few))
}

fn collect(folder: &Path, few: &mut Vec<File>) -> io::Result<bool> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !collect(&entry.path(), few)? {
                return Ok(false);
            }
        } else if kind.is_file() && few.len() < FEW {
            few.push(File::open(entry.path())?);
        } else {
            return Ok(false);
        }
    }
    few.push(File::open(folder)?);
    Ok(few.len() <= FEW)
}

/// Begins to write a file to the disk, where that can be asked for.
fn start_writing(file: &File) {
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

/// Waits for everything on the file system of a folder.
fn sync_all_of(folder: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(folder)?;
    #[cfg(not(target_os = "linux"))]
    folder.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn staged(files: usize) -> tempfile::TempDir {
        let stage = tempfile::tempdir().unwrap();
        for number in 0..files {
            let folder = stage.path().join(format!("skill-{}", number / 8));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(format!("{number}.md")), "x").unwrap();
        }
        stage
    }

    #[test]
    fn a_few_files_are_waited_for_with_their_folders() {
        let stage = staged(3);
        let few = few_of(&[stage.path().to_owned()]).unwrap().unwrap();
        let kinds: Vec<bool> = few
            .iter()
            .map(|each| each.metadata().unwrap().is_file())
            .collect();
        assert_eq!(kinds, [true, true, true, false, false]);
        durable(&[stage.path().to_owned()], std::iter::empty()).unwrap();
    }

    #[test]
    fn many_files_and_links_are_waited_for_at_once() {
        let linked = staged(1);
        std::os::unix::fs::symlink("/", linked.path().join("link")).unwrap();
        for stage in [staged(FEW), linked] {
            let stages = [stage.path().to_owned()];
            assert!(few_of(&stages).unwrap().is_none());
            durable(&stages, std::iter::empty()).unwrap();
        }
    }

    #[test]
    fn a_stage_that_is_gone_is_an_error() {
        let stages = [PathBuf::from("/nowhere/at/all")];
        assert!(durable(&stages, std::iter::empty()).is_err());
    }
}
