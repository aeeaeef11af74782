//! `[registry]` and `[sources.NAME]`: where references with and without an alias lead.

use url::Url;

use super::Config;
use super::address;
use super::layer::Setting;
use super::source::SourceKind;
use super::template::Template;
use crate::config::source::SourceConfig;
use crate::config::value::ConfigValue;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::redactor::secret::Secret;

impl Config {
    /// The registry that plain names are looked up in.
    pub(crate) fn registry(&self) -> Result<Option<SourceConfig<'_>>, ConfigError> {
        self.source_at("registry", SourceKind::Registry)
    }

    /// The source of an alias; nothing if the configuration does not name it.
    pub(crate) fn source(&self, alias: &str) -> Result<Option<SourceConfig<'_>>, ConfigError> {
        let table = format!("sources.{alias}");
        let kind = match self.text(&format!("{table}.type")).as_deref() {
            Some("git") => SourceKind::Git,
            Some("github") => SourceKind::Github,
            Some("gitlab") => SourceKind::Gitlab,
            Some("well-known") => SourceKind::WellKnown,
            Some("archive") => SourceKind::Archive,
            Some(_) => SourceKind::Registry,
            None => self
                .url(&format!("{table}.url"))?
                .map_or(SourceKind::Registry, |url| SourceKind::of_url(&url)),
        };
        self.source_at(&table, kind)
    }

    /// The names of all sources, sorted.
    pub(crate) fn aliases(&self) -> Vec<String> {
        let names = self
            .settings()
            .filter_map(|each| each.key.strip_prefix("sources.")?.split('.').next());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The source that an address lies in, by the longest URL; registries and forges have addresses
    /// of their own making. One whose URL cannot be read is none.
    pub(crate) fn source_around(&self, address: &Url) -> Option<String> {
        let aliases = self.aliases().into_iter();
        let around = aliases.filter_map(|alias| {
            let source = self.source(&alias).ok()??;
            let url = Url::parse(&source.url).ok()?;
            (source.holds_addresses() && below(address, &url).is_some())
                .then(|| (url.path().len(), alias))
        });
        around
            .max_by_key(|(length, _)| *length)
            .map(|(_, alias)| alias)
    }

    /// The registry that an address lies in, by its alias, and the path below it; the default one
    /// has no alias. One whose URL cannot be read is none.
    pub(crate) fn registry_around<'u>(
        &self,
        address: &'u Url,
    ) -> Option<(Option<String>, &'u str)> {
        self.registries_around(address).next()
    }

    /// All registries that an address lies in, with the path below each.
    pub(crate) fn registries_around<'u>(
        &self,
        address: &'u Url,
    ) -> impl Iterator<Item = (Option<String>, &'u str)> {
        let aliases = self.aliases().into_iter();
        let named = aliases.map(|alias| (self.source(&alias), Some(alias)));
        let all = std::iter::once((self.registry(), None)).chain(named);
        all.filter_map(|(source, alias)| {
            let source = source.ok()??;
            let url = Url::parse(&source.url).ok()?;
            let below = below(address, &url)?;
            (source.kind == SourceKind::Registry).then_some((alias, below))
        })
    }

    fn source_at(
        &self,
        table: &str,
        kind: SourceKind,
    ) -> Result<Option<SourceConfig<'_>>, ConfigError> {
        let auth = format!("{table}.auth");
        let Some(url) = self.url(&format!("{table}.url"))? else {
            // A source that only says how to log in is half written, not unknown.
            return match self.get(&auth) {
                Some(setting) => Err(ConfigError {
                    at: Some(setting.origin.clone()),
                    problem: ConfigProblem::NotSet {
                        key: format!("{table}.url"),
                        keys: Vec::new(),
                    },
                }),
                None => Ok(None),
            };
        };
        let url = match kind {
            SourceKind::Registry => without_list(url),
            _ => url,
        };
        let auth = self.login(&auth).and_then(|setting| match &setting.value {
            ConfigValue::Auth(auth) => Some((setting, auth)),
            _ => None,
        });
        Ok(Some(SourceConfig {
            kind,
            auth,
            url,
            config: self,
        }))
    }

    /// The URL of a key, with its variables resolved.
    pub(crate) fn url(&self, key: &str) -> Result<Option<String>, ConfigError> {
        let Some(setting) = self.get(key) else {
            return Ok(None);
        };
        let ConfigValue::Address(address) = &setting.value else {
            return Ok(None);
        };
        let url = self
            .resolved(setting, address.template())?
            .expose()
            .to_owned();
        self.redactor().learn_address(&url);
        address::check(&url).map_err(|problem| ConfigError {
            at: Some(setting.origin.clone()),
            problem: ConfigProblem::Value {
                key: key.to_owned(),
                problem,
            },
        })?;
        Ok(Some(url))
    }

    /// A text with the values of its variables, which is not shown from now on.
    pub(crate) fn resolved(
        &self,
        setting: &Setting,
        template: &Template,
    ) -> Result<Secret, ConfigError> {
        let resolved = template.resolve(self.environment());
        resolved.map_err(|variable| ConfigError {
            at: Some(setting.origin.clone()),
            problem: ConfigProblem::NoVariable {
                key: setting.key.clone(),
                variable: variable.to_owned(),
            },
        })
    }
}

/// The path of an address below that of a URL on the same host.
fn below<'u>(address: &'u Url, url: &Url) -> Option<&'u str> {
    let folder = url.path().trim_end_matches('/');
    let below = address.path().strip_prefix(folder)?;
    let is_below = below.is_empty() || below.starts_with('/');
    (is_below && address.origin() == url.origin()).then_some(below)
}

/// Where a registry is whose address was given with the path of its list of skills.
fn without_list(url: String) -> String {
    let place = url.trim_end_matches('/').strip_suffix("/skills");
    match place.filter(|place| !place.ends_with('/')) {
        Some(place) => place.to_owned(),
        None => url,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_may_be_named_by_its_list() {
        for (url, place) in [
            ("https://h/skills", "https://h"),
            ("https://h/skills/", "https://h"),
            ("https://h/registry/skills", "https://h/registry"),
            ("https://h/registry", "https://h/registry"),
            ("https://skills", "https://skills"),
            ("https://h/my-skills", "https://h/my-skills"),
        ] {
            assert_eq!(without_list(url.to_owned()), place);
        }
    }

    #[test]
    fn an_address_lies_in_a_url_of_its_host_and_folder() {
        let check = |address: &str, url: &str| {
            below(&Url::parse(address).unwrap(), &Url::parse(url).unwrap()).is_some()
        };
        for url in ["https://h", "https://h/", "https://h/a", "https://h/a/"] {
            assert!(check("https://h/a/x.zip", url), "{url}");
        }
        assert!(check("https://h/a.zip", "https://h/a.zip"));
        for (address, url) in [
            ("https://h/ab/x.zip", "https://h/a"),
            ("https://h/a/../b/x.zip", "https://h/a"),
            ("https://h/a/%2e%2e/b/x.zip", "https://h/a"),
            ("http://h/a/x.zip", "https://h/a"),
            ("https://h:8443/a/x.zip", "https://h/a"),
            ("https://h.example/a/x.zip", "https://h/a"),
            ("https://u@g/a/x.zip", "https://h/a"),
        ] {
            assert!(!check(address, url), "{address} {url}");
        }
    }
}
