//! One file of a skill, or a part of it.

use std::path::Path;

use serde_json::{Value, json};
use skillyard_catalog::builtin;
use skillyard_catalog::resource::{
    BinaryContent, HardLinks, ReadLimits, ReadRange, Resource, ResourceContent, ResourceError,
    SkillRoot,
};
use skillyard_format::text::nearest;

use super::tell;
use crate::commands::read::ReadArgs;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::library::installed::Altered;
use crate::library::skill_files::SkillFileOnDisk;

/// Prints a file of a skill.
pub(super) fn resource(
    context: &Context,
    args: &ReadArgs,
    file: &SkillFileOnDisk,
    path: &str,
    altered: Option<Altered>,
) -> Outcome {
    let config = context.config()?;
    let limits = ReadLimits {
        max_bytes: config.max_resource_bytes(),
        nested: config.reads_nested_resources(),
        // The user reads their own disk; the guard against links is for agents.
        hard_links: HardLinks::Allow,
        binary: BinaryContent::Include,
        ..ReadLimits::default()
    };
    let range = ReadRange {
        offset: args.offset,
        limit: args.limit,
    };
    let builtin = file
        .folder
        .strip_prefix("builtin:")
        .ok()
        .and_then(Path::to_str);
    let builtin = builtin.and_then(|name| Some((name, builtin::files(name)?)));
    let resource = if let Some((name, files)) = builtin {
        builtin_resource(name, files, path, range)?
    } else {
        let root = SkillRoot::open(&file.folder).map_err(CommandError::Resource)?;
        let read = root.read(path, range, &limits);
        read.map_err(|error| absent(&root, &args.skill.to_string_lossy(), error))?
    };
    if context.printer.is_json() {
        let mut value = resource_json(&resource);
        tell(altered, &mut value);
        context.printer.json(&value)?;
        return Ok(ExitStatus::Success);
    }
    match &resource.content {
        ResourceContent::Text(text) => context.printer.untrusted(text)?,
        ResourceContent::Binary { media_type, bytes } => {
            if context.printer.is_terminal() {
                context.printer.note(&format!(
                    "binary, {media_type}, {} bytes; send it to a file to get it",
                    resource.size
                ));
            } else {
                context.printer.raw(bytes.as_deref().unwrap_or_default())?;
            }
        }
    }
    if let Some(next) = resource.next_offset {
        context.printer.note(&format!(
            "{} of {} bytes; go on with `--offset {next}`",
            next, resource.size
        ));
    }
    Ok(ExitStatus::Success)
}

/// Says of a file that is not there which one may be meant.
fn absent(root: &SkillRoot, skill: &str, error: ResourceError) -> CommandError {
    let ResourceError::NotFound { path } = error else {
        return CommandError::Resource(error);
    };
    let files = root.list(None).map(|listing| listing.files);
    let files = files.unwrap_or_default();
    let files: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    CommandError::NoSuchFile {
        nearest: meant(&path, &files),
        skill: skill.to_owned(),
        path,
    }
}

/// The file that is called so in another folder, or that is nearly called so.
fn meant(path: &str, files: &[&str]) -> Option<String> {
    let wanted = last_part(path);
    let files = || files.iter().copied();
    let elsewhere = |name: &str| files().find(|file| last_part(file) == name);
    let near = || nearest(path, files());
    let nearly = || elsewhere(nearest(wanted, files().map(last_part))?);
    let found = elsewhere(wanted).or_else(near).or_else(nearly);
    found.map(str::to_owned)
}

/// What a file is called in its folder.
fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn builtin_resource(
    skill: &str,
    files: &[(&str, &'static str)],
    path: &str,
    range: ReadRange,
) -> Result<Resource, CommandError> {
    let found = files
        .iter()
        .find(|(each, _)| *each == path.trim_start_matches("./"));
    let paths = || files.iter().map(|(each, _)| *each).collect::<Vec<_>>();
    let (path, text) = found.ok_or_else(|| CommandError::NoSuchFile {
        skill: skill.to_owned(),
        path: path.to_owned(),
        nearest: meant(path, &paths()),
    })?;
    let size = text.len() as u64;
    if range.offset > size {
        return Err(CommandError::Resource(ResourceError::OffsetPastEnd {
            path: (*path).to_owned(),
            offset: range.offset,
            size,
        }));
    }
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let end = range.offset.saturating_add(range.limit.unwrap_or(size));
    let start = text.floor_char_boundary(place(range.offset));
    let end = text.floor_char_boundary(place(end));
    Ok(Resource {
        path: (*path).to_owned(),
        size,
        offset: start as u64,
        content: ResourceContent::Text(text[start..end].to_owned()),
        next_offset: (end < text.len()).then_some(end as u64),
        executable: false,
    })
}

fn resource_json(resource: &Resource) -> Value {
    let mut value = json!({
        "path": resource.path,
        "size": resource.size,
        "offset": resource.offset,
        "next_offset": resource.next_offset,
        "executable": resource.executable,
    });
    match &resource.content {
        ResourceContent::Text(text) => value["text"] = json!(text),
        ResourceContent::Binary { media_type, bytes } => {
            use base64::Engine as _;
            value["media_type"] = json!(media_type);
            value["base64"] = json!(
                bytes
                    .as_ref()
                    .map(|bytes| base64::engine::general_purpose::STANDARD.encode(bytes))
            );
        }
    }
    value
}
