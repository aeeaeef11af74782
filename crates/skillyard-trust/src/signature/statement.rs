//! The statement that is signed: an in-toto statement in the form of Model Signing.
//!
//! Its predicate lists every file with its SHA-256. Verifiers of Model Signing pass over fields
//! they do not know, so ours carries one more, `skillyard`: the skill's name and version, its tree
//! digest (which covers what Model Signing leaves out: executable bits and git's own files), the
//! time, where the bytes came from, and the public key, so that a signature by an unknown signer
//! can still be distinguished from a broken one.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use skillyard_format::Digest;

use crate::signature::dsse::{self, EnvelopeError};
use crate::signature::key::PublicKey;
use crate::signature::tree::{
    FileChange, GIT_PATHS, SIGNATURE_FILE, Tree, compare, describe_changes, is_git_path,
};

pub(super) const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
pub(super) const PREDICATE_TYPE: &str = "https://model_signing/signature/v1.0";

/// Most files that a statement may list.
pub(super) const MAX_RESOURCES: usize = 20_000;

/// What its maker wants known about a signature.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReleaseDetails {
    /// When it is made.
    pub signed: Timestamp,
    /// Where the skill is kept, such as the address of its repository.
    pub source: Option<String>,
    /// The revision there, such as a commit.
    pub revision: Option<String>,
}

/// A statement, taken apart.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    subject: String,
    resources: BTreeMap<String, [u8; 32]>,
    leaves_out: Vec<String>,
    own: Option<SkillyardPredicate>,
}

/// What only our statements carry.
#[derive(Debug, Clone)]
struct SkillyardPredicate {
    name: String,
    version: Option<String>,
    tree: Digest,
    details: ReleaseDetails,
    key: Option<PublicKey>,
}

/// What a statement says about a skill, once the skill was found to be as it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedFacts {
    /// The skill's name.
    pub name: String,
    /// Its version, if it has one.
    pub version: Option<String>,
    /// The tree digest without the signature.
    pub digest: Digest,
    /// What the signer claims about it, without proof.
    pub details: Option<ReleaseDetails>,
    /// Files that are there and not covered; only git's own can be.
    pub uncovered: Vec<String>,
}

impl Statement {
    pub(super) fn parse(payload: &[u8]) -> Result<Self, StatementError> {
        let value = dsse::parse(payload)?;
        expect(&value, "_type", STATEMENT_TYPE)?;
        expect(&value, "predicateType", PREDICATE_TYPE)?;
        let subjects = array(&value, "subject")?;
        let [subject] = subjects else {
            return Err(invalid(format!(
                "its statement is about {} subjects, and exactly one is expected",
                subjects.len()
            )));
        };
        let predicate = field(&value, "predicate")?;
        let serialization = field(predicate, "serialization")?;
        for (name, expected) in [("method", "files"), ("hash_type", "sha256")] {
            let found = dsse::text(serialization, name)?;
            if found != expected {
                return Err(unsupported_method(found));
            }
        }
        let leaves_out = match serialization.get("ignore_paths") {
            None => Vec::new(),
            Some(_) => array(serialization, "ignore_paths")?
                .iter()
                .filter_map(|path| path.as_str().map(str::to_owned))
                .collect(),
        };
        let listed = array(predicate, "resources")?;
        if listed.is_empty() || listed.len() > MAX_RESOURCES {
            return Err(wrong_number_of_files(listed.len()));
        }
        let mut hasher = Sha256::new();
        let mut resources = BTreeMap::new();
        for each in listed {
            let (path, digest) = resource(each)?;
            hasher.update(digest);
            if resources.insert(path.to_owned(), digest).is_some() {
                return Err(invalid(format!("it lists `{path}` twice")));
            }
        }
        let digest = dsse::text(field(subject, "digest")?, "sha256")?;
        if digest != hex::encode(hasher.finalize()) {
            return Err(invalid(
                "its subject digest is not that of the files it lists",
            ));
        }
        Ok(Self {
            subject: dsse::text(subject, "name")?.to_owned(),
            resources,
            leaves_out,
            own: predicate
                .get("skillyard")
                .map(SkillyardPredicate::parse)
                .transpose()?,
        })
    }

    /// The key that the statement itself names; worth something only to tell an unknown signer
    /// from a broken signature.
    pub(super) fn named_key(&self) -> Option<&PublicKey> {
        self.own.as_ref()?.key.as_ref()
    }

    /// Whether the skill is what the statement says: each file the same, none missing, none added.
    pub(super) fn check(
        &self,
        tree: &Tree,
        folder: Option<&str>,
    ) -> Result<SignedFacts, StatementError> {
        tree.check_regular()?;
        let (changes, uncovered) = compare(&self.resources, &self.leaves_out, tree);
        if !changes.is_empty() {
            return Err(StatementError::Changed(changes));
        }
        let digest = tree.digest();
        let called = folder.unwrap_or(&self.subject);
        let (name, version) = tree.identity(Some(called)).ok_or_else(no_name)?;
        let Some(own) = &self.own else {
            // Model Signing gives the subject's name no meaning, so a folder may have any.
            return Ok(SignedFacts {
                name,
                version,
                digest,
                details: None,
                uncovered,
            });
        };
        let other_name = |found: &str| StatementError::Name {
            signed: own.name.clone(),
            found: found.to_owned(),
        };
        if own.name != name {
            return Err(other_name(&name));
        }
        if let Some(folder) = folder
            && folder != own.name
            && folder != self.subject
        {
            return Err(other_name(folder));
        }
        if own.version != version {
            return Err(invalid(
                "it was made for another version than the one in `SKILL.md`",
            ));
        }
        if own.tree != digest {
            return Err(invalid(
                "an executable bit or one of git's files is not as it was signed",
            ));
        }
        Ok(SignedFacts {
            name,
            version,
            digest,
            details: Some(own.details.clone()),
            // The tree digest covers git's own files too.
            uncovered: Vec::new(),
        })
    }
}

impl SkillyardPredicate {
    fn parse(value: &Value) -> Result<Self, StatementError> {
        let optional = |name: &'static str| match value.get(name) {
            None => Ok(None),
            Some(_) => dsse::text(value, name).map(|text| Some(text.to_owned())),
        };
        let digest = dsse::text(value, "treeDigest")?.parse();
        let signed = dsse::text(value, "signed")?.parse();
        let key = optional("publicKey")?.map(|pem| PublicKey::from_pem(&pem));
        Ok(Self {
            name: dsse::text(value, "name")?.to_owned(),
            version: optional("version")?,
            tree: digest.map_err(|_| EnvelopeError::Field("treeDigest"))?,
            details: ReleaseDetails {
                signed: signed.map_err(|_| EnvelopeError::Field("signed"))?,
                source: optional("source")?,
                revision: optional("revision")?,
            },
            key: key
                .transpose()
                .map_err(|_| EnvelopeError::Field("publicKey"))?,
        })
    }
}

fn resource(value: &Value) -> Result<(&str, [u8; 32]), StatementError> {
    let path = dsse::text(value, "name")?;
    check_path(path)?;
    let algorithm = dsse::text(value, "algorithm")?;
    if algorithm != "sha256" {
        return Err(unsupported_method(algorithm));
    }
    let mut digest = [0; 32];
    hex::decode_to_slice(dsse::text(value, "digest")?, &mut digest)
        .map_err(|_| EnvelopeError::Field("digest"))?;
    Ok((path, digest))
}

/// One file has one name: no way up, no second spelling, nothing that a terminal obeys.
pub(super) fn check_path(path: &str) -> Result<(), StatementError> {
    let plain = |part: &str| !matches!(part, "" | "." | "..");
    let odd = |c: char| c == '\\' || c.is_control();
    if path.len() <= 4096 && path.split('/').all(plain) && !path.contains(odd) {
        Ok(())
    } else {
        let path: String = path.chars().take(200).collect();
        Err(invalid(format!(
            "it lists the path {path:?}, which is not a plain path within the skill"
        )))
    }
}

fn expect(value: &Value, name: &'static str, expected: &'static str) -> Result<(), StatementError> {
    let found = dsse::text(value, name)?;
    if found == expected {
        return Ok(());
    }
    let found: String = found.chars().take(100).collect();
    Err(invalid(format!(
        "its statement is a `{found}`, and `{expected}` is expected"
    )))
}

pub(super) fn invalid(reason: impl Into<String>) -> StatementError {
    StatementError::Invalid(reason.into())
}

fn unsupported_method(method: &str) -> StatementError {
    let method: String = method.chars().take(100).collect();
    invalid(format!(
        "it uses `{method}`, and every file must be listed whole with its SHA-256"
    ))
}

fn wrong_number_of_files(count: usize) -> StatementError {
    invalid(format!(
        "it lists {count} files, and 1 to {MAX_RESOURCES} are expected"
    ))
}

fn no_name() -> StatementError {
    invalid("the skill has no `SKILL.md` with a name")
}

fn field<'a>(value: &'a Value, name: &'static str) -> Result<&'a Value, EnvelopeError> {
    value.get(name).ok_or(EnvelopeError::Field(name))
}

fn array<'a>(value: &'a Value, name: &'static str) -> Result<&'a [Value], EnvelopeError> {
    let list = value.get(name).and_then(Value::as_array);
    list.map(Vec::as_slice).ok_or(EnvelopeError::Field(name))
}

/// Why a statement says nothing about a skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// The JSON and its fields.
    #[error("its statement is not whole: {0}")]
    Form(#[from] EnvelopeError),
    /// A statement that is not about a skill, or not about this one; or a skill that cannot be signed.
    #[error("{0}")]
    Invalid(String),
    /// The files are not those that were signed.
    #[error("the files are not those that were signed: {}", describe_changes(.0))]
    Changed(Vec<FileChange>),
    /// The skill goes by another name.
    #[error("it was made for the skill `{signed}`, and this one is called `{found}`")]
    Name {
        /// The name that was signed.
        signed: String,
        /// The name it has here.
        found: String,
    },
}

/// The statement about a skill, as bytes to be signed.
pub(super) fn statement_text(
    tree: &Tree,
    folder: &str,
    details: &ReleaseDetails,
    key: &PublicKey,
) -> Result<Vec<u8>, StatementError> {
    tree.check_regular()?;
    let (name, version) = tree.identity(Some(folder)).ok_or_else(no_name)?;
    let listed: Vec<_> = tree
        .files()
        .filter(|(path, _)| !is_git_path(path))
        .collect();
    if listed.len() > MAX_RESOURCES {
        return Err(wrong_number_of_files(listed.len()));
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
