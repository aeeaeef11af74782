//! `[sessions]`: where chats are kept.

use super::Config;
use super::address::check_database;
use super::problem::{ConfigError, Problem};
use super::value::Value;
use crate::secret::Secret;

/// The key that says it.
const DATABASE: &str = "sessions.database";

impl Config {
    /// The address of the database that sessions are in; none where they are in a file.
    pub(crate) fn sessions_database(&self) -> Result<Option<Secret>, ConfigError> {
        let Some(setting) = self.get(DATABASE) else {
            return Ok(None);
        };
        let Value::Address(address) = &setting.value else {
            return Ok(None);
        };
        let address = self.resolved(setting, address.template())?;
        self.redactor().learn_address(address.expose());
        check_database(address.expose()).map_err(|problem| ConfigError {
            at: Some(setting.origin.clone()),
            problem: Problem::Value {
                key: DATABASE.to_owned(),
                problem,
            },
        })?;
        Ok(Some(address))
    }
}
