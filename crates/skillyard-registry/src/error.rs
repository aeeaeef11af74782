//! Why the registry says no, with the status that says so over HTTP.

use skillyard_format::Digest;

use crate::blobs::BlobError;
use crate::database::DatabaseError;
use crate::names::NameRefusal;
use crate::package::Refusal;
use crate::role::Role;
use crate::token::Action;

/// Why the registry says no.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// No token, where one is needed.
    #[error("a token is needed")]
    NoToken,
    /// A token that is not known, ended or was revoked; which of them is nobody's business.
    #[error("the token is not known, has ended or was revoked")]
    BadToken,
    /// The token does not allow it.
    #[error("the token does not allow `{}`{}", .action.as_str(), of(*.action, .skill))]
    Scope {
        /// What was to be done.
        action: Action,
        /// The skill.
        skill: String,
    },
    /// The skill is somebody else's.
    #[error("`{account}` does not own the skill `{skill}`")]
    NotOwner {
        /// Who asks.
        account: String,
        /// The skill.
        skill: String,
    },
    /// The role is not high enough.
    #[error("`{account}` is {role} of `{subject}`, and this is for a {needed}")]
    Role {
        /// Who asks.
        account: String,
        /// The skill or the namespace.
        subject: String,
        /// What they are.
        role: Role,
        /// What they would have to be.
        needed: Role,
    },
    /// The role is one of the whole namespace.
    #[error(
        "`{account}` is {role} of `{subject}` through `{namespace}`, so that can only be changed there"
    )]
    Inherited {
        /// Whose role.
        account: String,
        /// The skill.
        subject: String,
        /// What they are.
        role: Role,
        /// What makes them that.
        namespace: String,
    },
    /// Nobody has what was to be taken away.
    #[error("`{account}` has no role for `{subject}`")]
    NoRole {
        /// Who.
        account: String,
        /// The skill or the namespace.
        subject: String,
    },
    /// There is no such namespace.
    #[error("there is no namespace `{0}`")]
    NoNamespace(String),
    /// There is no such tag.
    #[error("`{skill}` has no tag `{tag}`")]
    NoTag {
        /// The skill.
        skill: String,
        /// The tag.
        tag: String,
    },
    /// Nothing was offered to the caller.
    #[error("no offer of `{0}` stands that concerns you")]
    NoTransfer(String),
    /// There is no such token, or it is somebody else's.
    #[error("there is no token `{0}` to end")]
    NoSuchToken(String),
    /// A token cannot hand on what it does not allow.
    #[error("your token does not allow `{0}` itself, so it cannot make one that does")]
    MoreThanOwn(String),
    /// A mirror is only read.
    #[error("this is a mirror of {0}, where changes belong")]
    Mirror(String),
    /// There is no such skill.
    #[error("there is no skill `{0}`")]
    NoSkill(String),
    /// There is nothing to give to whoever names no version.
    #[error("every version of `{0}` was withdrawn")]
    Withdrawn(String),
    /// There is no such version.
    #[error("`{skill}` has no version `{version}`")]
    NoVersion {
        /// The skill.
        skill: String,
        /// The version.
        version: String,
    },
    /// There is no such file.
    #[error("`{skill}` has no file `{path}`")]
    NoFile {
        /// The skill.
        skill: String,
        /// The file.
        path: String,
    },
    /// Nobody of that name owns anything.
    #[error("nobody called `{0}` owns a skill")]
    NoOwner(String),
    /// Nobody has ever had a token of that name.
    #[error("there is no account `{0}`: nobody of that name has had a token of this registry")]
    NoAccount(String),
    /// What stands in the upload is not what stands in the address.
    #[error("the upload is `{found}`, and the address says `{named}`")]
    OtherPackage {
        /// What stands in the upload.
        found: String,
        /// What stands in the address.
        named: String,
    },
    /// A parameter that cannot be used.
    #[error("{0}")]
    Parameter(String),
    /// The request names a host that is not this machine.
    #[error("this registry answers to names of its own machine only, until `--url` says another")]
    ForeignName,
    /// A form comes from a page of another site, or from one that is older than its login.
    #[error("the form is of no page of this registry; load that page again, then repeat it")]
    ForeignPage,
    /// There is nothing at this address.
    #[error("there is nothing at this address")]
    NoRoute,
    /// The address does not understand this.
    #[error("this address does not understand the method")]
    NoMethod,
    /// The name cannot be taken.
    #[error(transparent)]
    Name(#[from] NameRefusal),
    /// The name looks like another skill's.
    #[error("the name `{name}` looks like `{other}`, which is taken")]
    Confusable {
        /// The name.
        name: String,
        /// The skill that has it.
        other: String,
    },
    /// The name is one edit from a popular one.
    #[error(
        "the name `{name}` is one letter from `{other}`, which many use; it is held until whoever runs the registry lets it pass"
    )]
    Held {
        /// The name.
        name: String,
        /// The popular one.
        other: String,
    },
    /// The version is there with other bytes.
    #[error(
        "`{skill}` has the version {version} already, as {published}; versions are never replaced"
    )]
    Immutable {
        /// The skill.
        skill: String,
        /// The version.
        version: String,
        /// The digest that it has for good.
        published: Digest,
    },
    /// The upload was looked at and refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Too many bytes.
    #[error("the upload is larger than {0} bytes")]
    TooLarge(usize),
    /// Too few bytes.
    #[error("the upload ended before all of it had come")]
    BrokenOff,
    /// Too slow.
    #[error("the upload took too long")]
    TooSlow,
    /// Too many requests.
    #[error("too many requests; try again in {0} seconds")]
    TooMany(u64),
    /// The last owner cannot go.
    #[error("`{0}` would have no owner left")]
    LastOwner(String),
    /// The database.
    #[error("the registry cannot answer now")]
    Database(#[from] DatabaseError),
    /// The archives.
    #[error("the registry cannot answer now")]
    Blob(#[from] BlobError),
    /// Something else that is not the caller's fault.
    #[error("the registry cannot answer now")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<sqlx::Error> for RegistryError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}

impl RegistryError {
    /// Something that broke on our side.
    pub(crate) fn internal(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(error.into())
    }

    /// Whether the database broke it off so that others could go on: it can be done again.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Database(error) if error.is_passing())
    }

    /// The status over HTTP.
    pub fn status(&self) -> u16 {
        match self {
            Self::NoToken | Self::BadToken => 401,
            Self::Scope { .. }
            | Self::NotOwner { .. }
            | Self::Role { .. }
            | Self::MoreThanOwn(_)
            | Self::ForeignName
            | Self::ForeignPage
            | Self::Mirror(_) => 403,
            Self::NoSkill(_)
            | Self::NoVersion { .. }
            | Self::Withdrawn(_)
            | Self::NoFile { .. }
            | Self::NoOwner(_)
            | Self::NoAccount(_)
            | Self::NoNamespace(_)
            | Self::NoTag { .. }
            | Self::NoTransfer(_)
            | Self::NoRole { .. }
            | Self::NoSuchToken(_)
            | Self::NoRoute => 404,
            Self::NoMethod => 405,
            Self::TooSlow => 408,
            Self::Confusable { .. }
            | Self::Held { .. }
            | Self::Immutable { .. }
            | Self::Inherited { .. }
            | Self::LastOwner(_) => 409,
            Self::TooLarge(_) => 413,
            Self::Name(_) | Self::Refused(_) | Self::OtherPackage { .. } => 422,
            Self::TooMany(_) => 429,
            Self::Parameter(_) | Self::BrokenOff => 400,
            Self::Database(_) | Self::Blob(_) | Self::Internal(_) => 503,
        }
    }

    /// The kind of problem, as the last part of its address.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoToken => "token-needed",
            Self::BadToken => "token-refused",
            Self::Scope { .. } => "scope",
            Self::NotOwner { .. } => "not-owner",
            Self::Role { .. } => "role",
            Self::MoreThanOwn(_) => "more-than-own",
            Self::Mirror(_) => "mirror",
            Self::Inherited { .. } => "inherited-role",
            Self::NoRole { .. } => "no-such-role",
            Self::NoNamespace(_) => "no-such-namespace",
            Self::NoTag { .. } => "no-such-tag",
            Self::NoTransfer(_) => "no-such-transfer",
            Self::NoSuchToken(_) => "no-such-token",
            Self::Held { .. } => "held-name",
            Self::NoSkill(_) => "no-such-skill",
            Self::NoVersion { .. } => "no-such-version",
            Self::Withdrawn(_) => "withdrawn",
            Self::NoFile { .. } => "no-such-file",
            Self::NoOwner(_) => "no-such-owner",
            Self::NoAccount(_) => "no-such-account",
            Self::OtherPackage { .. } => "other-package",
            Self::ForeignName => "foreign-name",
            Self::ForeignPage => "foreign-page",
            Self::NoRoute => "not-found",
            Self::NoMethod => "method",
            Self::BrokenOff => "broken-off",
            Self::TooSlow => "too-slow",
            Self::Confusable { .. } => "confusable-name",
            Self::Immutable { .. } => "immutable",
            Self::LastOwner(_) => "last-owner",
            Self::TooLarge(_) => "too-large",
            Self::Name(_) => "name",
            Self::Refused(refusal) => match refusal {
                Refusal::Archive(_) | Refusal::Pack(_) => "archive",
                Refusal::Findings(_) => "findings",
                Refusal::Signature(_) => "signature",
                _ => "invalid-skill",
            },
            Self::TooMany(_) => "too-many-requests",
            Self::Parameter(_) => "parameter",
            Self::Database(_) | Self::Blob(_) | Self::Internal(_) => "unavailable",
        }
    }
}

/// What a token does not allow something for; some actions are about nothing but themselves.
fn of(action: Action, subject: &str) -> String {
    if subject == action.as_str() {
        String::new()
    } else {
        format!(" for `{subject}`")
    }
}
