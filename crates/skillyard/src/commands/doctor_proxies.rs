//! `skillyard doctor`: which proxies the environment names, without their logins.

use skillyard_install::fetch::http::{HttpError, NamedProxy};

use super::doctor::{Check, Verdict};
use crate::context::Context;

const AREA: &str = "network";

/// A check for each kind of address that a proxy is for; none without proxies.
pub(super) fn checks(context: &Context) -> Vec<Check> {
    let proxies = &context.environment.proxies;
    let direct = proxies.direct.as_deref().map(str::trim);
    let kinds = [("https", &proxies.https), ("http", &proxies.http)];
    let named = kinds.into_iter().filter_map(|(scheme, proxy)| {
        let proxy = proxy.as_ref()?;
        Some(check(scheme, proxy, direct))
    });
    named.collect()
}

fn check(scheme: &str, proxy: &NamedProxy, direct: Option<&str>) -> Check {
    let Some(address) = proxy.shown() else {
        return Check {
            verdict: Verdict::Bad,
            hint: Some(format!("Mend `{}`, or unset it", proxy.variable)),
            ..Check::good(AREA, "proxy", HttpError::Proxy(proxy.variable).to_string())
        };
    };
    let besides = direct.map_or_else(String::new, |hosts| format!(" and `NO_PROXY` ({hosts})"));
    Check::good(
        AREA,
        "proxy",
        format!(
            "`{scheme}://` goes through {address} (`{}`), but for this machine{besides}",
            proxy.variable
        ),
    )
}
