//! The registry that the user works with.

use std::sync::Arc;

use skillyard_install::fetch::http::Http;
use skillyard_install::fetch::registry::HttpRegistry;

use crate::context::Context;
use crate::error::CommandError;
use crate::install::web::Web;
use crate::text::shell::registry_flag;

/// Which registry a command is about.
#[derive(Debug, clap::Args)]
pub(crate) struct RegistryArg {
    /// A registry of your configuration, other than the default one
    #[arg(long, value_name = "ALIAS", global = true)]
    registry: Option<String>,
}

impl RegistryArg {
    /// Its alias; none for the default one.
    pub(crate) fn alias(&self) -> Option<&str> {
        self.registry.as_deref()
    }

    /// The registry and the way there.
    pub(crate) fn open(&self, context: &Context) -> Result<Remote, CommandError> {
        Remote::open(context, self.alias())
    }
}

/// A registry and the way there.
pub(crate) struct Remote {
    /// The way.
    pub(crate) http: Arc<Http>,
    /// The registry.
    pub(crate) registry: HttpRegistry,
}

impl Remote {
    /// The registry of an alias, or the default one.
    pub(crate) fn open(context: &Context, alias: Option<&str>) -> Result<Self, CommandError> {
        Web::new(context, &[])?.remote(alias)
    }

    /// The same without asking it: only what was seen before.
    pub(crate) fn offline(context: &Context, alias: Option<&str>) -> Result<Self, CommandError> {
        Web::new(context, &[])?.offline().remote(alias)
    }

    /// What chooses it on a command line, with the blank before it; nothing for the default one.
    pub(crate) fn flag(&self) -> String {
        registry_flag(self.registry.alias.as_deref())
    }

    /// Where it is, without secrets.
    pub(crate) fn address(&self) -> String {
        let mut url = self.registry.base.clone();
        // Neither can fail for an address that was asked before.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.as_str().trim_end_matches('/').to_owned()
    }
}
