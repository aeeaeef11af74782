//! Who may change the table: the organisation may lock a row, the user may change the others, and
//! a project can only tighten.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IntoDeserializer, value::Error as WordError};

use crate::provenance::Provenance;
use crate::tier::{Ask, Cell, Scripts, TABLE, Tier, TrustRow};

/// `[trust]` of a configuration: changes by row, such as `[trust.git]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct TrustSection {
    /// Rows that only the organization may loosen.
    #[serde(default)]
    pub lock: Vec<TrustRow>,
    /// What changes, by row.
    #[serde(flatten)]
    pub rows: BTreeMap<TrustRow, CellChange>,
}

/// What a configuration says about a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CellChange {
    /// The trust tier of its skills.
    pub tier: Option<Tier>,
    /// What may become of scripts.
    pub scripts: Option<Scripts>,
    /// When the user is asked.
    pub ask: Option<Ask>,
}

/// A configuration that says more than it may.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// A project loosens a row.
    #[error("a project may only tighten, and `trust.{row}.{field}` would loosen")]
    ProjectLoosens {
        /// The row.
        row: &'static str,
        /// The field.
        field: &'static str,
    },
    /// A layer other than the organization locks a row.
    #[error("only the organisation's policy may set `trust.lock`")]
    Lock,
    /// A value is none of the words for it.
    #[error("`{key}` cannot be `{value}`")]
    Word {
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
}

/// Whose words count; each layer comes before the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The organisation's policy.
    Org,
    /// The user's configuration.
    User,
    /// The project's configuration.
    Project,
}

impl Layer {
    fn as_str(self) -> &'static str {
        match self {
            Self::Org => "the organisation's policy",
            Self::User => "your configuration",
            Self::Project => "the project's configuration",
        }
    }
}

/// A row as it stands after all layers.
#[derive(Debug, Clone)]
struct LockedCell {
    cell: Cell,
    is_locked: bool,
    notes: Vec<String>,
}

/// The table after all layers.
#[derive(Debug, Clone)]
pub struct Policy(BTreeMap<TrustRow, LockedCell>);

impl Default for Policy {
    fn default() -> Self {
        let rows = TABLE.into_iter().map(|(row, cell)| {
            let standing = LockedCell {
                cell,
                is_locked: false,
                notes: Vec::new(),
            };
            (row, standing)
        });
        Self(rows.collect())
    }
}

impl Policy {
    /// Adds a layer; layers come in order, the organisation's first.
    pub fn with(mut self, layer: Layer, section: &TrustSection) -> Result<Self, PolicyError> {
        if layer != Layer::Org && !section.lock.is_empty() {
            return Err(PolicyError::Lock);
        }
        for (row, standing) in &mut self.0 {
            if let Some(change) = section.rows.get(row) {
                standing.apply(row.as_str(), layer, *change)?;
            }
            standing.is_locked |= section.lock.contains(row);
        }
        Ok(self)
    }

    /// The table with values that were put together elsewhere: `value` is asked for keys such as
    /// `trust.git.scripts`, and says whose word it is. Who may say what was decided there, too.
    /// `is_locked` says of a key whether the organisation keeps it to itself.
    pub fn from_keys(
        value: impl Fn(&str) -> Option<(String, Layer)>,
        is_locked: impl Fn(&str) -> bool,
    ) -> Result<Self, PolicyError> {
        let mut policy = Self::default();
        for (row, standing) in &mut policy.0 {
            let key = |field: &str| format!("trust.{}.{field}", row.as_str());
            let Cell { tier, scripts, ask } = standing.cell;
            standing.cell = Cell {
                tier: standing.taken(&key("tier"), tier, &value)?,
                scripts: standing.taken(&key("scripts"), scripts, &value)?,
                ask: standing.taken(&key("ask"), ask, &value)?,
            };
            standing.is_locked = is_locked(&key("scripts"));
        }
        Ok(policy)
    }

    /// What the policy says about a provenance, and why.
    pub fn cell(&self, provenance: &Provenance) -> (Cell, Vec<String>) {
        let (own, notes) = self.row(TrustRow::of(provenance));
        let mut notes = notes.to_vec();
        let Some(place) = provenance.place else {
            return (own, notes);
        };
        let (there, notes_there) = self.row(TrustRow::of(&Provenance::of(place)));
        let cell = own.tightened_by(there);
        if cell != own {
            notes.push(format!("it was found in {}", place.as_str()));
            notes.extend_from_slice(notes_there);
        }
        (cell, notes)
    }

    /// The row by which the organisation locked that scripts of a provenance have no network.
    pub fn keeps_offline(&self, provenance: &Provenance) -> Option<TrustRow> {
        TrustRow::all_of(provenance).find(|row| {
            let standing = self.0.get(row);
            standing.is_none_or(|it| it.is_locked && it.cell.scripts == Scripts::SandboxedOffline)
        })
    }

    fn row(&self, row: TrustRow) -> (Cell, &[String]) {
        match self.0.get(&row) {
            Some(standing) => (standing.cell, &standing.notes),
            // Every row is in the table; should one be forgotten, it is the strictest.
            None => (TABLE[TABLE.len() - 1].1, &[]),
        }
    }
}

impl LockedCell {
    /// The value of a key that was decided elsewhere, with a note if it is not `old`.
    fn taken<T: DeserializeOwned + PartialEq>(
        &mut self,
        key: &str,
        old: T,
        value: impl Fn(&str) -> Option<(String, Layer)>,
    ) -> Result<T, PolicyError> {
        let Some((value, layer)) = value(key) else {
            return Ok(old);
        };
        let read = T::deserialize(IntoDeserializer::<WordError>::into_deserializer(
            value.as_str(),
        ));
        let new = read.map_err(|_| PolicyError::Word {
            key: key.to_owned(),
            value,
        })?;
        if new != old {
            let who = layer.as_str();
            self.notes.push(format!("`{key}` is set in {who}"));
        }
        Ok(new)
    }

    fn apply(
        &mut self,
        row: &'static str,
        layer: Layer,
        change: CellChange,
    ) -> Result<(), PolicyError> {
        let Cell { tier, scripts, ask } = self.cell;
        // An opt-in asks for more and lets an approval lift the block: by its effect it loosens.
        let is_held = layer == Layer::Project || self.is_locked && layer != Layer::Org;
        let is_final = is_held && self.cell.is_final_block();
        if let Some(new) = change.tier.filter(|new| *new != tier)
            && self.may_set(row, "tier", layer, new <= tier)?
        {
            self.cell.tier = new;
        }
        if let Some(new) = change.scripts.filter(|new| *new != scripts)
            && self.may_set(row, "scripts", layer, new >= scripts)?
        {
            self.cell.scripts = new;
        }
        if is_final && change.ask == Some(Ask::OptIn) {
            let who = layer.as_str();
            self.notes.push(format!(
                "`trust.{row}.ask` in {who} has no effect: the block is final"
            ));
        } else if let Some(new) = change.ask.filter(|new| *new != ask)
            && self.may_set(row, "ask", layer, new.is_as_strict_as(ask))?
        {
            self.cell.ask = new;
        }
        Ok(())
    }

    /// Whether the layer may set the field, with a note about it.
    fn may_set(
        &mut self,
        row: &'static str,
        field: &'static str,
        layer: Layer,
        tightens: bool,
    ) -> Result<bool, PolicyError> {
        if !tightens && layer == Layer::Project {
            return Err(PolicyError::ProjectLoosens { row, field });
        }
        let has_effect = tightens || !self.is_locked || layer == Layer::Org;
        let who = layer.as_str();
        self.notes.push(if has_effect {
            format!("`trust.{row}.{field}` is set in {who}")
        } else {
            format!("`trust.{row}.{field}` in {who} has no effect: the organisation locks it")
        });
        Ok(has_effect)
    }
}
