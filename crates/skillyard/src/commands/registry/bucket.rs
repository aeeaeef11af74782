//! How the environment says that a bucket is reached.

use secrecy::SecretString;
use skillyard_registry::blobs::S3Access;
use url::Url;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;

/// The way to a bucket, through the proxy that is for its server.
pub(super) fn access(context: &Context) -> Result<S3Access, CommandError> {
    let environment = &context.environment;
    let access = &environment.s3;
    let routes = environment.proxies.routes().map_err(InstallFailure::from)?;
    // Without a server it is Amazon's, whose names end so in every region.
    let server = access.endpoint.as_deref();
    let server = Url::parse(server.unwrap_or("https://s3.amazonaws.com")).ok();
    let proxy = server.and_then(|server| routes.proxy_for(&server).cloned());
    let secret = access.secret.as_ref();
    Ok(S3Access {
        key: access.key.clone(),
        secret: secret.map(|each| SecretString::from(each.expose().to_owned())),
        region: access.region.clone(),
        endpoint: access.endpoint.clone(),
        proxy: proxy.map(|proxy| SecretString::from(String::from(proxy))),
    })
}
