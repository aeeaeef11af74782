//! Changes to `trust.toml`, entry by entry so that the user's own words stay.

use std::fs::File;
use std::path::Path;

use jiff::Timestamp;
use skillyard_trust::signature::{
    Certificate, IdentityPattern, Moment, Policy, PublicKey, Rotation, SignerScope,
};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::{handed_over, read};
use crate::error::CommandError;
use crate::error::signing::SigningError;
use crate::files::private::{lock, write_private};
use crate::files::read_owned_text;

/// The policy's text, to be changed; nobody else changes it meanwhile.
#[derive(Debug)]
pub(crate) struct Edit<'a> {
    file: &'a Path,
    document: DocumentMut,
    _lock: File,
}

impl<'a> Edit<'a> {
    /// Opens the file; one that is not there is begun.
    ///
    /// What the change depends on is to be read after this, when others are done.
    pub(crate) fn open(file: &'a Path) -> Result<Self, CommandError> {
        let lock = lock(&file.with_extension("lock"))?;
        read(file)?;
        let document = read_owned_text(file)?.parse();
        let document = document.map_err(|error: toml_edit::TomlError| CommandError::Config {
            path: file.to_owned(),
            message: error.to_string(),
        })?;
        Ok(Self {
            file,
            document,
            _lock: lock,
        })
    }

    /// Trusts a key, in place of what was said about it before.
    pub(crate) fn trust_key(
        &mut self,
        name: &str,
        key: &PublicKey,
        scope: &SignerScope,
    ) -> Result<(), CommandError> {
        let pem = key.to_pem();
        let is_this = |table: &Table| {
            let text = table.get("public-key").and_then(Item::as_str);
            text.is_some_and(|text| text.trim() == pem.trim())
        };
        let keys = self.tables("key")?;
        keys.retain(|table| !is_this(table));
        let mut table = named(name);
        table.insert("public-key", value(pem));
        add_scope(&mut table, scope);
        keys.push(table);
        Ok(())
    }

    /// Lets a key's time end.
    pub(crate) fn end_key(&mut self, key: &PublicKey, time: Moment) -> Result<(), CommandError> {
        let pem = key.to_pem();
        for table in self.tables("key")?.iter_mut() {
            let text = table.get("public-key").and_then(Item::as_str);
            if text.is_some_and(|text| text.trim() == pem.trim()) {
                table.insert("expires", value(time.to_string()));
            }
        }
        Ok(())
    }

    /// Trusts an authority.
    pub(crate) fn trust_authority(
        &mut self,
        name: &str,
        certificate: &Certificate,
        subjects: &[IdentityPattern],
        scope: &SignerScope,
    ) -> Result<(), CommandError> {
        let mut table = named(name);
        table.insert("certificate", value(certificate.to_pem()));
        add_patterns(&mut table, "subjects", subjects);
        add_scope(&mut table, scope);
        self.replace("authority", table)
    }

    /// Trusts an identity of Sigstore.
    pub(crate) fn trust_identity(
        &mut self,
        name: &str,
        identity: &str,
        issuer: &str,
        scope: &SignerScope,
    ) -> Result<(), CommandError> {
        let mut table = named(name);
        table.insert("identity", value(identity));
        table.insert("issuer", value(issuer));
        add_scope(&mut table, scope);
        self.replace("identity", table)
    }

    /// Trusts a key no longer, or a skill by its digest.
    pub(crate) fn revoke(
        &mut self,
        what: (&str, &str),
        time: Moment,
        reason: Option<&str>,
    ) -> Result<(), CommandError> {
        let mut table = Table::new();
        table.insert(what.0, value(what.1));
        table.insert("time", value(time.to_string()));
        if let Some(reason) = reason {
            table.insert("reason", value(reason));
        }
        self.tables("revoked")?.push(table);
        Ok(())
    }

    /// Lets a key take the place of another, as the other one says; tells whether it had not yet.
    pub(crate) fn rotate(
        &mut self,
        name: &str,
        rotation: &Rotation,
        statement: &str,
        policy: &Policy,
    ) -> Result<bool, CommandError> {
        let now = Moment(Timestamp::now());
        let (from, to) = (rotation.from, rotation.to.id());
        let old = policy.key(from);
        let old = old.ok_or(SigningError::NothingToReplace(from))?;
        for id in [from, to] {
            if policy.revocation(id).is_some() {
                return Err(SigningError::Revoked(id).into());
            }
        }
        rotation.check(old).map_err(SigningError::from)?;
        if policy.has_followed(from, to) {
            return Ok(false);
        }
        let scope = handed_over(policy, from, now)?;
        self.trust_key(name, &rotation.to, scope)?;
        // The statement's time is the old key's word, which cannot lengthen its own time.
        let ends = Moment(rotation.time).min(now);
        self.end_key(old, scope.expires.map_or(ends, |expires| expires.min(ends)))?;
        let mut table = Table::new();
        table.insert("statement", value(statement));
        self.tables("rotation")?.push(table);
        Ok(true)
    }

    /// Writes the file, if it is still one that can be read.
    pub(crate) fn save(self) -> Result<(), CommandError> {
        let text = self.document.to_string();
        Policy::parse(&text).map_err(|source| SigningError::Policy {
            path: self.file.to_owned(),
            source,
        })?;
        write_private(self.file, text.as_bytes())
    }

    /// Puts an entry in the place of one of the same name.
    fn replace(&mut self, list: &str, table: Table) -> Result<(), CommandError> {
        let name = table.get("name").and_then(Item::as_str).map(str::to_owned);
        let tables = self.tables(list)?;
        tables.retain(|each| each.get("name").and_then(Item::as_str) != name.as_deref());
        tables.push(table);
        Ok(())
    }

    fn tables(&mut self, name: &str) -> Result<&mut ArrayOfTables, CommandError> {
        let error = CommandError::Config {
            path: self.file.to_owned(),
            message: format!("`{name}` is not a list of tables"),
        };
        let item = self.document.entry(name);
        item.or_insert(Item::ArrayOfTables(ArrayOfTables::new()))
            .as_array_of_tables_mut()
            .ok_or(error)
    }
}

fn named(name: &str) -> Table {
    let mut table = Table::new();
    table.insert("name", value(name));
    table
}

fn add_scope(table: &mut Table, scope: &SignerScope) {
    add_patterns(table, "scope", &scope.names);
    add_patterns(table, "sources", &scope.sources);
    for (name, moment) in [("not-before", scope.not_before), ("expires", scope.expires)] {
        if let Some(moment) = moment {
            table.insert(name, value(moment.to_string()));
        }
    }
}

fn add_patterns(table: &mut Table, name: &str, patterns: &[IdentityPattern]) {
    if !patterns.is_empty() {
        let list: Array = patterns.iter().map(IdentityPattern::as_str).collect();
        table.insert(name, value(list));
    }
}
