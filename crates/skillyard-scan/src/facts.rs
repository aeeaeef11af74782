//! What a skill does, in single facts: it reads secrets, sends, fetches, runs, decodes.
//!
//! A fact alone is no finding. Rules put facts together, because it is the combination that
//! tells an attack from a tool: most scripts send something, few send a private key.

use std::ops::Range;

/// Something that code does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fact {
    /// Names a file that holds keys, passwords, cookies or wallets.
    SecretFile,
    /// Reads one secret from the environment.
    SecretVariable,
    /// Takes the whole environment.
    WholeEnvironment,
    /// Sends something over the network.
    Sends,
    /// Gets something over the network.
    Fetches,
    /// Writes what it gets to a file.
    Downloads,
    /// Starts a program.
    Starts,
    /// Runs text as code.
    Evaluates,
    /// Turns encoded text back.
    Decodes,
    /// Makes a file executable, or starts a file that was written.
    RunsFile,
    /// Asks who and where the user is.
    Identity,
    /// Takes everything of a kind: mails, contacts, histories, clipboards, screens.
    PersonalData,
    /// Names a place where secrets are kept, in words too loose to count alone.
    SecretPlace,
    /// Lets the user type something that is not shown.
    Typed,
    /// Uses the network in any way.
    Reaches,
}

/// A fact that was seen.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) fact: Fact,
    pub(crate) file: usize,
    pub(crate) unit: usize,
    /// Where, in the plain text of the file.
    pub(crate) range: Range<usize>,
}
