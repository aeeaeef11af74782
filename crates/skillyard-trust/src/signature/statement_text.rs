//! The statement about a skill, as it is signed.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::key::PublicKey;
use super::statement::{
    Details, MAX_RESOURCES, PREDICATE_TYPE, STATEMENT_TYPE, StatementError, check_path,
};
use super::tree::{GIT_PATHS, SIGNATURE_FILE, Tree, is_git_path};

/// The statement about a skill, as bytes to be signed.
pub(super) fn about(
    tree: &Tree,
    folder: &str,
    details: &Details,
    key: &PublicKey,
) -> Result<Vec<u8>, StatementError> {
    tree.check_regular()?;
    let (name, version) = tree.identity(Some(folder)).ok_or(StatementError::NoName)?;
    let listed: Vec<_> = tree
        .files()
        .filter(|(path, _)| !is_git_path(path))
        .collect();
    if listed.len() > MAX_RESOURCES {
        return Err(StatementError::Resources(listed.len()));
    }
    let mut subject = Sha256::new();
    let mut resources = Vec::new();
    for (path, file) in &listed {
        check_path(path)?;
        subject.update(file.digest.as_bytes());
        resources.push(json!({
            "name": path,
            "algorithm": "sha256",
            "digest": file.digest.to_hex(),
        }));
    }
    let mut left_out = GIT_PATHS.to_vec();
    left_out.push(SIGNATURE_FILE);
    let mut own = json!({
        "name": name,
        "treeDigest": tree.digest().to_string(),
        "signed": details.signed.to_string(),
        "publicKey": key.to_pem(),
    });
    let further = [
        ("version", &version),
        ("source", &details.source),
        ("revision", &details.revision),
    ];
    for (field, value) in further {
        if let Some(value) = value {
            own[field] = value.clone().into();
        }
    }
    let statement = json!({
        "_type": STATEMENT_TYPE,
        "subject": [{ "name": folder, "digest": { "sha256": hex::encode(subject.finalize()) } }],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "serialization": {
                "method": "files",
                "hash_type": "sha256",
                "allow_symlinks": false,
                "ignore_paths": left_out,
            },
            "resources": resources,
            "skillyard": own,
        },
    });
    Ok(statement.to_string().into_bytes())
}
