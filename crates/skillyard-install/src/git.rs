//! Skills in a git repository, with the `git` program.
//!
//! Nothing is checked out: the wanted objects are fetched and read from the object store, so
//! no filter, hook, attribute or submodule of a stranger's repository has any effect; where git
//! stands in for a forge, attributes say what is packed, as they do there. Only the newest commit
//! is fetched, first without contents; then the contents of the skills.

mod archived;
mod command;
mod commit;
mod error;
mod ignored;
mod linked;
mod listing;
mod memory;
mod objects;
mod place;
mod quarantine;
mod redirect;
mod repository;
mod resolve;
mod start;
mod submodule;
mod tracked;
mod watch;

pub use command::Git;
pub use error::GitError;
pub use ignored::Ignoring;
pub use repository::{Repository, RepositoryRequest};
