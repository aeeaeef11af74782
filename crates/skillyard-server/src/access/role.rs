//! Roles.

use std::str::FromStr;

/// The permissions of a token; each role includes those before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Read skills.
    #[default]
    Read,
    /// Talk in sessions.
    Chat,
    /// Let scripts run.
    Run,
    /// Everything, paths included.
    Admin,
}

impl Role {
    /// Every role, the weakest first.
    pub const ALL: [Self; 4] = [Self::Read, Self::Chat, Self::Run, Self::Admin];

    /// The word for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Chat => "chat",
            Self::Run => "run",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let role = Self::ALL.into_iter().find(|role| role.as_str() == text);
        role.ok_or(())
    }
}
