//! Waiting for the disk where it costs little: most changes are one skill.
//!
//! What is staged is on its way together with the lock and the journal, which are waited for anyway.
//! Of many files each would be a wait of its own, and one call for the whole file system would wait
//! for what everybody else writes there, too.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::write::start_writing;

/// Up to so many files and folders are waited for.
const FEW: usize = 48;

/// The files of a small change, which are waited for.
pub(super) struct Few(Vec<File>);

impl Few {
    /// What was staged, if it is little; nothing else is opened.
    pub(super) fn of(stages: &[impl AsRef<Path>]) -> io::Result<Option<Self>> {
        Ok(few_of(stages)?.map(Self))
    }

    /// Begins to write it to the disk.
    pub(super) fn start(&self) {
        self.0.iter().for_each(start_writing);
    }

    /// Waits until it is there.
    pub(super) fn wait(&self) -> io::Result<()> {
        self.0.iter().try_for_each(File::sync_all)
    }
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
        let few = Few::of(&[stage.path().to_owned()]).unwrap().unwrap();
        few.start();
        let files = few.0.iter();
        let kinds: Vec<bool> = files
            .map(|each| each.metadata().unwrap().is_file())
            .collect();
        assert_eq!(kinds, [true, true, true, false, false]);
        few.wait().unwrap();
    }

    #[test]
    fn many_files_and_links_are_not_waited_for() {
        let linked = staged(1);
        std::os::unix::fs::symlink("/", linked.path().join("link")).unwrap();
        for stage in [staged(FEW), linked] {
            let few = Few::of(&[stage.path().to_owned()]).unwrap();
            assert!(few.is_none());
        }
    }

    #[test]
    fn a_stage_that_is_gone_is_an_error() {
        assert!(Few::of(&[PathBuf::from("/nowhere/at/all")]).is_err());
    }
}
