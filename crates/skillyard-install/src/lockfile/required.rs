//! What one installed skill needs of another.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A skill that another one needs, written `name` or `name@revision`. Older locks have names alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Required {
    /// Its name.
    pub name: String,
    /// The versions or the revision that will do; any where nothing is said.
    pub requested: Option<String>,
}

impl Required {
    /// Puts the two together again where a name, which may be an odd one, has an `@` itself.
    pub(super) fn whole(&mut self) {
        *self = Self {
            name: self.to_string(),
            requested: None,
        };
    }
}

impl From<String> for Required {
    fn from(text: String) -> Self {
        match text.split_once('@') {
            Some((name, requested)) if !name.is_empty() && !requested.is_empty() => Self {
                name: name.to_owned(),
                requested: Some(requested.to_owned()),
            },
            _ => Self {
                name: text,
                requested: None,
            },
        }
    }
}

impl From<Required> for String {
    fn from(required: Required) -> Self {
        required.to_string()
    }
}

impl fmt::Display for Required {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match &self.requested {
            Some(requested) => write!(f, "@{requested}"),
            None => Ok(()),
        }
    }
}
