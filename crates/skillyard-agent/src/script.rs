//! A script of a skill on its way into the sandbox.
//!
//! `copy` makes a copy of the skill that is what its digest says, `interpreter` finds who understands
//! the script and `installation` what belongs to that program, `permissions` is
//! what the user allows and the skill declares, and `plan` is the result.
//! `protected` says what of a workspace stays as it is, `skill_folders` where skills are read from,
//! `made` what was new in them afterwards; `told` tells people and programs of a plan. `ready` is all of it in one step, for a skill of a shelf.
//!
//! Whether a script may run at all is decided before: [`skillyard_trust::verdict`] says so, and the user.

mod copy;
mod error;
mod installation;
mod interpreter;
mod made;
mod permissions;
mod plan;
mod protected;
mod ready;
mod scratch;
mod skill_folders;
#[cfg(test)]
mod tests;
mod told;

pub use copy::Copy;
pub use error::ScriptError;
pub use interpreter::beginning;
pub use made::Made;
pub use permissions::Allowed;
pub use plan::{ScriptPlan, Subject, in_workspace, outline, plan, shown_at};
pub use protected::{is_obeyed, leads_into, makes_repository};
pub use ready::{Machine, Ready, ScriptRequest};
pub use scratch::{Scratch, sweep};
pub use skill_folders::SkillFolders;
pub use told::{argv, as_json, limits_json, reach};
