//! How the environment says that a bucket is reached.

use secrecy::SecretString;
use skillyard_registry::blobs::{S3Access, Ways};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;

/// The way to a bucket, through the proxies that are for its servers: which name those have only
/// the store knows, and a region's is another than that of all.
pub(super) fn access(context: &Context) -> Result<S3Access, CommandError> {
    let environment = &context.environment;
    let access = &environment.s3;
    let routes = environment.proxies.routes().map_err(InstallFailure::from)?;
    let secret = access.secret.as_ref();
    Ok(S3Access {
        key: access.key.clone(),
        secret: secret.map(|each| SecretString::from(each.expose().to_owned())),
        region: access.region.clone(),
        endpoint: access.endpoint.clone(),
        ways: Ways::new(move |server| routes.proxy_for(server).cloned()),
    })
}
