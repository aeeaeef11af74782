//! Changes to the text, which keep what else is in it.

use std::path::Path;

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::{ApprovalError, Approvals, SkillApproval, TrustedFolder};

/// A change of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change<'a> {
    /// Trusts a folder, in place of another one that was trusted there.
    TrustFolder(&'a TrustedFolder),
    /// Trusts a folder no longer.
    RevokeFolder(&'a Path),
    /// Approves a version of a skill, in place of what was approved of it before.
    ApproveSkill(&'a SkillApproval),
    /// Approves nothing of a skill any more, in no version.
    RevokeSkill(&'a str),
}

/// The text after a change, or `None` when nothing changes.
pub fn edit(text: &str, change: &Change<'_>) -> Result<Option<String>, ApprovalError> {
    // What cannot be read must not be written back.
    let before = Approvals::parse(text)?;
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| ApprovalError::Text(error.to_string()))?;
    let changed = match change {
        Change::TrustFolder(folder) => {
            let path = &folder.path;
            let path = path
                .to_str()
                .ok_or_else(|| ApprovalError::NotUtf8(path.to_string_lossy().into_owned()))?;
            let is_new = !before.folders.contains(folder);
            if is_new {
                let folders = list(&mut document, "folder")?;
                remove(folders, |each| is(each, "path", path));
                folders.push(folder_table(path, folder));
            }
            is_new
        }
        Change::RevokeFolder(path) => {
            let path = path.to_string_lossy();
            remove(list(&mut document, "folder")?, |each| {
                is(each, "path", &path)
            })
        }
        Change::ApproveSkill(approval) => {
            let skills = list(&mut document, "skill")?;
            let digest = approval.digest.to_string();
            remove(skills, |each| {
                is(each, "name", &approval.name) && is(each, "digest", &digest)
            });
            skills.push(table(approval));
            true
        }
        Change::RevokeSkill(name) => {
            remove(list(&mut document, "skill")?, |each| is(each, "name", name))
        }
    };
    Ok(changed.then(|| document.to_string()))
}

fn list<'a>(
    document: &'a mut DocumentMut,
    key: &'static str,
) -> Result<&'a mut ArrayOfTables, ApprovalError> {
    document
        .entry(key)
        .or_insert(Item::ArrayOfTables(ArrayOfTables::new()))
        .as_array_of_tables_mut()
        .ok_or(ApprovalError::NotAList(key))
}

fn is(table: &Table, key: &str, text: &str) -> bool {
    table.get(key).and_then(Item::as_str) == Some(text)
}

fn remove(tables: &mut ArrayOfTables, goes: impl Fn(&Table) -> bool) -> bool {
    let before = tables.len();
    tables.retain(|each| !goes(each));
    tables.len() < before
}

fn folder_table(path: &str, folder: &TrustedFolder) -> Table {
    let mut table = Table::new();
    table.insert("path", value(path));
    if let Some(identity) = &folder.identity {
        table.insert("identity", value(identity.to_string()));
    }
    if let Some(owner) = folder.owner {
        table.insert("owner", value(i64::from(owner)));
    }
    table
}

fn table(approval: &SkillApproval) -> Table {
    let list = |texts: &[String]| texts.iter().collect::<Array>();
    let mut table = Table::new();
    table.insert("name", value(&approval.name));
    table.insert("digest", value(approval.digest.to_string()));
    table.insert("scripts", value(approval.scripts));
    if !approval.network.is_empty() {
        table.insert("network", value(list(&approval.network)));
    }
    if !approval.tools.is_empty() {
        table.insert("tools", value(list(&approval.tools)));
    }
    table.insert("approved_at", value(&approval.approved_at));
    if let Some(who) = &approval.approved_by {
        table.insert("approved_by", value(who));
    }
    table
}
