//! The folder of a new skill: what is written into it, and how it comes to its place.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use skillyard_format::SkillName;
use skillyard_format::frontmatter::repair::quoted;
use skillyard_format::yaml::is_typed;

use super::Args;
use crate::error::CommandError;
use crate::whole_folder;

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

/// Makes the folder with all that is to be in it, as open to others as the user's mask leaves it.
pub(super) fn create(args: &Args, folder: &Path, text: &str) -> Result<(), CommandError> {
    let write = |root: &Path| -> io::Result<()> {
        fs::create_dir(root)?;
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
        Ok(())
    };
    whole_folder::put(folder, write).map_err(|source| CommandError::Write {
        path: folder.to_owned(),
        source,
    })
}

fn script(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o777)
        .open(path)?;
    file.write_all(b"#!/bin/sh\nset -eu\necho \"hello from $(basename \"$0\")\"\n")
}
