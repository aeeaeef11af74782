//! What to do where a database shows a certificate that cannot be believed.

use std::error::Error;
use std::io;

use rustls::CertificateError;

/// What the user can do, if a certificate is why it failed.
pub(super) fn certificate_hint(error: &(dyn Error + 'static)) -> Option<String> {
    use CertificateError::{
        Expired, ExpiredContext, NotValidForName, NotValidForNameContext, UnknownIssuer,
    };
    let chain = std::iter::successors(Some(error), |error| (*error).source());
    let problem = chain.filter_map(|error| error.downcast_ref::<io::Error>());
    let problem = problem.filter_map(|error| error.get_ref()?.downcast_ref::<rustls::Error>());
    let problem = problem.last()?;
    let rustls::Error::InvalidCertificate(problem) = problem else {
        return None;
    };
    Some(match problem {
        NotValidForName | NotValidForNameContext { .. } => {
            "Name the host in the address as its certificate does; `sslmode=verify-ca` does not look at the name".into()
        }
        Expired | ExpiredContext { .. } => "Give the database a certificate that has not ended".into(),
        UnknownIssuer => "Name the certificate of who made it with `sslrootcert=FILE` behind the `?` of the address; `sslmode=require` does not look whose it is".into(),
        _ => "Have it made anew, or name the right authority with `sslrootcert=FILE` behind the `?` of the address".into(),
    })
}
