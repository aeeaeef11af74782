//! Which login is for which place: one that was given for a host is not sent to another.
//!
//! A login is what `auth`, `token`, `key` and `headers` hold. It belongs to the address that its own
//! layer and the weaker ones name, whether that address counts or the organisation has locked it
//! away. Where a stronger layer, such as a variable of the environment, names another host, it
//! stays at home; and so does one whose layers name no address.

use url::Url;

use super::Config;
use super::layer::Setting;
use crate::config::value::ConfigValue;
use crate::error::config_error::ConfigError;
use crate::error::config_origin::LayerKind;
use crate::redactor::secret::Secret;

impl Config {
    /// The strongest login under a key that was given for the place in use.
    pub(super) fn login(&self, key: &str) -> Option<&Setting> {
        let logins = self.said.iter().rev().filter(|each| each.key == key);
        let mut logins = logins.filter(|each| is_login(each));
        logins.find(|each| self.is_given_for_use(key, each.origin.layer()))
    }

    /// The token under a key, and who said it; without one a variable's, which is for what the
    /// environment and the weaker layers name.
    pub(super) fn login_or(
        &self,
        key: &str,
        variable: Option<&Secret>,
    ) -> Result<(Option<&Setting>, Option<Secret>), ConfigError> {
        if let Some(setting) = self.login(key)
            && let ConfigValue::Token(template) = &setting.value
        {
            return Ok((Some(setting), Some(self.resolved(setting, template)?)));
        }
        let variable = variable.filter(|_| self.is_given_for_use(key, LayerKind::Environment));
        Ok((None, variable.cloned()))
    }

    /// The logins whose keys begin so, by the rest of the key, that were given for the place in use.
    pub(super) fn logins<'a>(&'a self, beginning: &str) -> Vec<(&'a str, &'a Setting)> {
        let keys = self.settings().map(|each| each.key.as_str());
        let found = keys.filter_map(|key| Some((key.strip_prefix(beginning)?, self.login(key)?)));
        found.collect()
    }

    /// Whether a login of this layer is for the place in use.
    pub(super) fn is_given_for_use(&self, login: &str, layer: LayerKind) -> bool {
        match (self.seen_by(layer).place(login), self.place(login)) {
            (Some(meant), Some(in_use)) => is_same_place(&meant, &in_use),
            _ => false,
        }
    }

    /// The logins that are not sent, because what is in use is elsewhere: each with its place.
    pub(crate) fn logins_at_home(&self) -> impl Iterator<Item = (&Setting, String)> {
        let logins = self.settings().filter(|each| is_login(each));
        logins.filter_map(|each| {
            let in_use = self.place(&each.key)?;
            (!self.is_given_for_use(&each.key, each.origin.layer())).then_some((each, in_use))
        })
    }

    /// The place that a login in the user's file is for, if its layers name one.
    pub(crate) fn place_of_own_login(&self, login: &str) -> Option<String> {
        self.seen_by(LayerKind::User).place(login)
    }

    /// The logins in a layer that were given for another place than the one they would be for
    /// without the keys in it that go, and with these set anew.
    pub(crate) fn logins_left_by(
        &self,
        is_gone: impl Fn(&str) -> bool,
        new: &[Setting],
        layer: LayerKind,
    ) -> Vec<String> {
        let before = self.seen_by(layer);
        let mut after = before.clone();
        after
            .said
            .retain(|each| each.origin.layer() != layer || !is_gone(&each.key));
        // Of what is left nothing is stronger than the layer.
        after.said.extend_from_slice(new);
        let logins = after.said.iter().filter(|each| is_login(each));
        let logins = logins.filter(|each| each.origin.layer() == layer);
        let left = logins.filter(|each| {
            let old = before.place(&each.key);
            let new = after.place(&each.key);
            old.is_some_and(|old| !new.is_some_and(|new| is_same_place(&old, &new)))
        });
        left.map(|each| each.key.clone()).collect()
    }

    /// What a layer and the weaker ones say, also where it is locked and does not count.
    fn seen_by(&self, layer: LayerKind) -> Self {
        let mut seen = self.clone();
        seen.said.append(&mut seen.unused);
        seen.said.retain(|each| each.origin.layer() <= layer);
        seen.said.sort_by_key(|each| each.origin.layer());
        seen
    }

    /// Where what a login is for lies.
    fn place(&self, login: &str) -> Option<String> {
        let names: Vec<&str> = login.split('.').collect();
        match names.as_slice() {
            ["registry", "auth"] => self.address("registry.url"),
            ["sources", name, "auth"] => self.address(&format!("sources.{name}.url")),
            ["hosts", name, "token"] => self.host_api(name),
            ["models", name, "key"] => self.model_address(name),
            ["telemetry", "headers", ..] => self.address("telemetry.endpoint"),
            ["mcp", "servers", name, "headers", ..] => {
                self.address(&format!("mcp.servers.{name}.url"))
            }
            // What a program gets is sent nowhere.
            _ => None,
        }
    }

    /// The address of a key; one whose variables are missing as it is written.
    pub(super) fn address(&self, key: &str) -> Option<String> {
        let setting = self.get(key)?;
        let ConfigValue::Address(address) = &setting.value else {
            return None;
        };
        let resolved = self.resolved(setting, address.template());
        Some(resolved.map_or_else(|_| address.written(), |place| place.expose().to_owned()))
    }
}

/// Whether a setting is something to log in with.
fn is_login(setting: &Setting) -> bool {
    matches!(setting.value, ConfigValue::Auth(_) | ConfigValue::Token(_))
}

/// Whether two addresses are on the same host, reached in the same way.
pub(crate) fn is_same_place(one: &str, other: &str) -> bool {
    // What is written alike is the same, also where a variable of it is missing.
    one == other
        || match (Url::parse(one), Url::parse(other)) {
            (Ok(one), Ok(other)) => {
                one.scheme() == other.scheme()
                    && one.host() == other.host()
                    && one.port_or_known_default() == other.port_or_known_default()
            }
            _ => false,
        }
}

/// The key that the token for a registry is kept under.
pub(crate) fn auth_key(alias: Option<&str>) -> String {
    match alias {
        None => "registry.auth".to_owned(),
        Some(alias) => format!("sources.{alias}.auth"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_and_the_way_to_it_make_a_place() {
        assert!(is_same_place("https://h/a", "https://h:443/b"));
        assert!(is_same_place("https://${HOST}/a", "https://${HOST}/a"));
        for other in ["http://h/a", "https://h:8443/a", "https://x/a", ""] {
            assert!(!is_same_place("https://h/a", other), "{other}");
        }
    }
}
