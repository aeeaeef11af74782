//! Refusals as the document tells of them: one word each where an endpoint lists its answers.

use std::collections::BTreeMap;

use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response};
use utoipa::{IntoResponses, ToSchema as _};

use crate::problem::Problem;

macro_rules! refusals {
    ($($(#[$text:meta])* $name:ident = $status:literal, $description:literal;)*) => {$(
        $(#[$text])*
        pub(super) struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                refused($status, $description)
            }
        }
    )*};
}

refusals! {
    /// It makes no sense.
    Senseless = "400", "it makes no sense; `detail` says why";
    /// Whoever asks may not.
    Forbidden = "403", "who asks may not do this";
    /// The skill is not what was installed, or it is revoked.
    Altered = "403", "the skill's files are not those that are locked, or it is revoked; `skill` names it, and `remedy` says what its user can do";
    /// There is nothing of that name.
    Missing = "404", "there is nothing of that name";
    /// It does not fit to how things are.
    Untimely = "409", "it does not fit to how things are";
    /// The body is of another kind.
    NotJson = "415", "the body is not JSON";
    /// The user has to be asked.
    Unanswered = "428", "the user has to be asked what `detail` says; with their yes, call again with `consent`";
    /// There is no room for more.
    Full = "503", "there is no room for more at the moment";
}

/// What anybody can be refused with, whatever they ask for.
pub(super) struct Gate;

impl IntoResponses for Gate {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let all = [
            ("401", "a token is needed, where the server has tokens"),
            ("403", "who asks may not do this"),
            ("429", "too many requests, or too many wrong tokens"),
            (
                "500",
                "the server failed, which is no fault of who asks; its log says why",
            ),
            ("503", "the answer took too long"),
        ];
        all.into_iter()
            .flat_map(|(status, description)| refused(status, description))
            .collect()
    }
}

/// What whoever sends a body can be refused with besides.
pub(super) struct Upload;

impl IntoResponses for Upload {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut all = refused("408", "the body took too long");
        all.extend(refused("413", "the body is larger than 4 MiB"));
        all
    }
}

fn refused(status: &str, description: &str) -> BTreeMap<String, RefOr<Response>> {
    let schema = Ref::from_schema_name(Problem::name());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let response = ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content)
        .build();
    BTreeMap::from([(status.to_owned(), response.into())])
}
