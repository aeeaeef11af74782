//! Which login is for which place: one that was given for a registry is not sent to another.
//!
//! A login belongs to the address that its own layer and the weaker ones name. Where a stronger
//! layer, such as a variable of the environment, names another host, it stays at home.

use url::Url;

use super::Config;
use super::layer::Setting;
use super::origin::LayerKind;
use super::value::Value;

impl Config {
    /// Whether a login was given for what is at `url`.
    pub(super) fn is_login_for(&self, login: &Setting, url: &str) -> bool {
        let Some(table) = login.key.strip_suffix(".auth") else {
            return true;
        };
        let meant = self.place_at(table, login.origin.layer());
        meant.is_none_or(|meant| is_same_place(&meant, url))
    }

    /// The place that a login in the user's file would be for, where that is not the place in use.
    pub(crate) fn login_elsewhere(&self, login: &str, in_use: &str) -> Option<String> {
        let table = login.strip_suffix(".auth")?;
        let meant = self.place_at(table, LayerKind::User)?;
        (!is_same_place(&meant, in_use)).then_some(meant)
    }

    /// The login in a layer that was given for another place than the one this value names.
    pub(crate) fn login_left_by(&self, place: &Setting, layer: LayerKind) -> Option<String> {
        let table = place.key.strip_suffix(".url")?;
        let login = format!("{table}.auth");
        let is_here = self.all(&login).any(|each| each.origin.layer() == layer);
        let meant = self.place_at(table, layer).filter(|_| is_here)?;
        (!is_same_place(&meant, &self.place(place))).then_some(login)
    }

    /// Where a source is by the word of a layer and of those that are weaker.
    fn place_at(&self, table: &str, layer: LayerKind) -> Option<String> {
        let key = format!("{table}.url");
        let said = self.all(&key);
        let said = said.filter(|each| each.origin.layer() <= layer);
        said.last().map(|setting| self.place(setting))
    }

    /// An address; one whose variables are missing is like no other.
    fn place(&self, setting: &Setting) -> String {
        let Value::Address(address) = &setting.value else {
            return String::new();
        };
        let resolved = self.resolved(setting, address.template());
        resolved.map_or_else(|_| String::new(), |place| place.expose().to_owned())
    }
}

/// Whether two addresses are on the same host, reached in the same way.
fn is_same_place(one: &str, other: &str) -> bool {
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => {
            one.scheme() == other.scheme()
                && one.host() == other.host()
                && one.port_or_known_default() == other.port_or_known_default()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_and_the_way_to_it_make_a_place() {
        assert!(is_same_place("https://h/a", "https://h:443/b"));
        for other in ["http://h/a", "https://h:8443/a", "https://x/a", ""] {
            assert!(!is_same_place("https://h/a", other), "{other}");
        }
    }
}
