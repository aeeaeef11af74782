//! Trust tiers, and the table of their consequences.

use serde::{Deserialize, Serialize};

use crate::provenance::{Origin, Provenance};

/// The trust tier of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Not at all.
    Untrusted,
    /// A little.
    Low,
    /// Mostly.
    Medium,
    /// Like the user's own work.
    High,
}

impl Tier {
    /// The word for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A row of the table: provenances that are treated alike. Its name is its key in `[trust]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustRow {
    /// Shipped inside the binary.
    Builtin,
    /// A folder of the organisation.
    Org,
    /// Written here by the user.
    Own,
    /// A registry, signed by a trusted key.
    RegistrySigned,
    /// A registry.
    Registry,
    /// A local folder or archive, and a project that is trusted.
    Local,
    /// A git host.
    Git,
    /// An archive from the web.
    Archive,
    /// A web site that lists its skills.
    WellKnown,
    /// An MCP server.
    Mcp,
    /// A project that is not trusted yet.
    Project,
}

impl TrustRow {
    /// The row of a provenance.
    pub fn of(provenance: &Provenance) -> Self {
        match provenance.origin {
            Origin::Builtin => Self::Builtin,
            Origin::Org => Self::Org,
            Origin::WrittenHere => Self::Own,
            Origin::Registry if provenance.signer.is_some() => Self::RegistrySigned,
            Origin::Registry => Self::Registry,
            Origin::LocalFolder | Origin::LocalArchive | Origin::ProjectTrusted => Self::Local,
            Origin::Git => Self::Git,
            Origin::HttpsArchive => Self::Archive,
            Origin::WellKnown => Self::WellKnown,
            Origin::Mcp => Self::Mcp,
            Origin::ProjectUntrusted => Self::Project,
        }
    }

    /// The rows that count for a provenance: its own, and that of the place where it was found.
    pub fn all_of(provenance: &Provenance) -> impl Iterator<Item = Self> + use<> {
        let place = provenance.place.map(Provenance::of);
        std::iter::once(Self::of(provenance)).chain(place.as_ref().map(Self::of))
    }

    /// Its key in `[trust]`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Org => "org",
            Self::Own => "own",
            Self::RegistrySigned => "registry-signed",
            Self::Registry => "registry",
            Self::Local => "local",
            Self::Git => "git",
            Self::Archive => "archive",
            Self::WellKnown => "well-known",
            Self::Mcp => "mcp",
            Self::Project => "project",
        }
    }
}

/// What may become of a skill's scripts. The later, the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scripts {
    /// They run in the sandbox, with the network that a run asks for.
    Sandboxed,
    /// They run in the sandbox, without network but for hosts that were approved.
    SandboxedOffline,
    /// They do not run; with [`Ask::OptIn`] until they are approved.
    Blocked,
}

impl Scripts {
    /// The word for users and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sandboxed => "sandboxed",
            Self::SandboxedOffline => "sandboxed-offline",
            Self::Blocked => "blocked",
        }
    }
}

/// When the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// Never.
    Never,
    /// Before its first script runs.
    FirstRun,
    /// When it is installed.
    Install,
    /// At both times.
    InstallAndFirstRun,
    /// Not at all: the user must approve the skill of their own accord.
    OptIn,
}

impl Ask {
    /// Whether the user is asked when it is installed.
    pub fn on_install(self) -> bool {
        matches!(self, Self::Install | Self::InstallAndFirstRun | Self::OptIn)
    }

    /// Whether the user is asked before its first script runs.
    pub fn on_first_run(self) -> bool {
        matches!(
            self,
            Self::FirstRun | Self::InstallAndFirstRun | Self::OptIn
        )
    }

    /// Whether it asks whenever `other` does. Where scripts are blocked this is not all: see
    /// [`Cell::is_final_block`].
    pub fn is_as_strict_as(self, other: Self) -> bool {
        self == Self::OptIn
            || (other != Self::OptIn
                && self.on_install() >= other.on_install()
                && self.on_first_run() >= other.on_first_run())
    }

    /// Asks whenever one of both does.
    fn joined(self, other: Self) -> Self {
        let asks = |when: fn(Self) -> bool| when(self) || when(other);
        match (asks(Self::on_install), asks(Self::on_first_run)) {
            _ if self == Self::OptIn || other == Self::OptIn => Self::OptIn,
            (true, true) => Self::InstallAndFirstRun,
            (true, false) => Self::Install,
            (false, true) => Self::FirstRun,
            (false, false) => Self::Never,
        }
    }
}

/// What follows from a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The trust tier of the skill.
    pub tier: Tier,
    /// What may become of its scripts.
    pub scripts: Scripts,
    /// When the user is asked.
    pub ask: Ask,
}

impl Cell {
    /// Whether its scripts are blocked and no approval changes that.
    pub fn is_final_block(&self) -> bool {
        self.scripts == Scripts::Blocked && self.ask != Ask::OptIn
    }

    /// The stricter value of each column; a final block of one of both stays final.
    #[must_use]
    pub fn tightened_by(self, other: Self) -> Self {
        let is_final = self.is_final_block() || other.is_final_block();
        Self {
            tier: self.tier.min(other.tier),
            scripts: self.scripts.max(other.scripts),
            ask: match self.ask.joined(other.ask) {
                // By its effect an opt-in would loosen: an approval lifts the block.
                Ask::OptIn if is_final => Ask::InstallAndFirstRun,
                ask => ask,
            },
        }
    }
}

const fn cell(tier: Tier, scripts: Scripts, ask: Ask) -> Cell {
    Cell { tier, scripts, ask }
}

/// The table of the design.
pub const TABLE: [(TrustRow, Cell); 11] = {
    use Ask::{FirstRun, Install, InstallAndFirstRun, Never, OptIn};
    use Scripts::{Blocked, Sandboxed, SandboxedOffline};
    use Tier::{High, Low, Medium, Untrusted};
    [
        (TrustRow::Builtin, cell(High, Sandboxed, Never)),
        (TrustRow::Org, cell(High, Sandboxed, Never)),
        (TrustRow::Own, cell(High, Sandboxed, Never)),
        (TrustRow::RegistrySigned, cell(High, Sandboxed, Install)),
        (TrustRow::Registry, cell(Medium, Sandboxed, Install)),
        (TrustRow::Local, cell(Medium, Sandboxed, FirstRun)),
        (
            TrustRow::Git,
            cell(Low, SandboxedOffline, InstallAndFirstRun),
        ),
        (TrustRow::Archive, cell(Untrusted, Blocked, OptIn)),
        (TrustRow::WellKnown, cell(Untrusted, Blocked, OptIn)),
        (TrustRow::Mcp, cell(Untrusted, Blocked, OptIn)),
        (TrustRow::Project, cell(Untrusted, Blocked, OptIn)),
    ]
};
