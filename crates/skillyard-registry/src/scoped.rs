//! Names in namespaces within addresses: `/skills/@acme/pdf/download` is one name and one word.
//!
//! Routes are told apart by their segments, and a name must always be one of them. So before
//! anything is routed the slash within such a name is escaped; what is read from the segment later
//! has it again. Addresses stay what people type and what plain files are called.

use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;

/// The request with the names in its address made one segment each.
pub(crate) fn joined(mut request: Request) -> Request {
    if let Some(uri) = rewritten(request.uri()) {
        *request.uri_mut() = uri;
    }
    request
}

fn rewritten(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    // At the very start it is a namespace with documents of its own, not a name.
    let start = [path.find("/@"), path.find("/%40")];
    let start = start.into_iter().flatten().min().filter(|at| *at > 0)?;
    let slash = start + 1 + path[start + 1..].find('/')?;
    let query = uri.query().map(|query| format!("?{query}"));
    let joined = format!(
        "{}%2F{}{}",
        &path[..slash],
        &path[slash + 1..],
        query.unwrap_or_default()
    );
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(joined).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_one_segment() {
        let check = |path: &str, expected: Option<&str>| {
            let uri: Uri = path.parse().unwrap();
            let found = rewritten(&uri).map(|uri| uri.to_string());
            assert_eq!(found.as_deref(), expected, "{path}");
        };
        check("/skills/pdf/download", None);
        check("/skills/@acme", None);
        check("/skills/@acme/pdf", Some("/skills/@acme%2Fpdf"));
        check(
            "/skills/%40acme/pdf/1.0.0?x=/@a/b",
            Some("/skills/%40acme%2Fpdf/1.0.0?x=/@a/b"),
        );
        check("/index/@acme/3/p/pdf", Some("/index/@acme%2F3/p/pdf"));
        check("/@acme/.well-known/skills/index.json", None);
    }
}
