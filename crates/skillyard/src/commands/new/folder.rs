//! The folder of a new skill: what is written into it, and how it comes to its place.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use skillyard_format::SkillName;
use skillyard_format::frontmatter::repair::quoted;
use skillyard_format::yaml::is_typed;

use super::Args;
use crate::error::CommandError;

/// The text of a skill that is to be filled in.
pub(super) fn template(name: &SkillName, description: &str, args: &Args) -> String {
    let title: Vec<String> = name.as_str().split('-').map(capitalised).collect();
    // Some names, such as `2048` and `null`, are no text without quotes.
    let quoted_name = is_typed(name.as_str()).then(|| quoted(name.as_str()));
    let name = quoted_name.as_deref().unwrap_or(name.as_str());
    let mut text = format!(
        "---\nname: {name}\ndescription: {}\n---\n\n# {}\n\n## Instructions\n\n\
         1. Say what the agent should do first.\n\
         2. Say how it can tell that it is done.\n",
        quoted(description),
        title.join(" "),
    );
    if args.scripts {
        text.push_str("\n## Scripts\n\n- `scripts/run.sh` prints a greeting. Run it from the skill's folder.\n");
    }
    if args.references {
        text.push_str("\n## References\n\n- Read [references/details.md](references/details.md) when the steps above are not enough.\n");
    }
    text
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

/// Makes the whole folder beside its place and moves it there, so that it is never half there.
pub(super) fn create(args: &Args, folder: &Path, text: &str) -> Result<(), CommandError> {
    let place = folder.parent().unwrap_or(&args.path);
    let write = || -> io::Result<()> {
        fs::create_dir_all(place)?;
        let staging = tempfile::Builder::new()
            .prefix(".skillyard-new-")
            .tempdir_in(place)?;
        let root = staging.path();
        fs::write(root.join("SKILL.md"), text)?;
        if args.scripts {
            fs::create_dir(root.join("scripts"))?;
            script(&root.join("scripts/run.sh"))?;
        }
        if args.references {
            fs::create_dir(root.join("references"))?;
            fs::write(
                root.join("references/details.md"),
                "# Details\n\nWhat the agent needs to know only sometimes.\n",
            )?;
        }
        if args.assets {
            fs::create_dir(root.join("assets"))?;
        }
        open_to_others(root)?;
        fs::rename(root, folder)?;
        // The folder has moved away; there is nothing left to clean up.
        let _ = staging.keep();
        Ok(())
    };
    write().map_err(|source| CommandError::Write {
        path: folder.to_owned(),
        source,
    })
}

fn script(path: &Path) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(b"#!/bin/sh\nset -eu\necho \"hello from $(basename \"$0\")\"\n")?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// A temporary folder is private; a skill's folder is not.
fn open_to_others(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
