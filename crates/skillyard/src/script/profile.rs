//! What a script may do, from the configuration of this machine.
//!
//! `allowed` is what the configuration allows, `folder` says which folders a script may work in,
//! `skill_folders` where skills are read from. The plan itself is made by [`skillyard_agent::script`].

mod allowed;
mod folder;
mod skill_folders;

pub(crate) use skillyard_agent::script::{
    Allowed, Made, ScriptPlan, SkillFolders, argv, as_json, in_workspace, is_obeyed, leads_into,
    limits_json, makes_repository, outline, reach,
};

pub(crate) use allowed::configured;
pub(crate) use folder::{private, workspace};
pub(crate) use skill_folders::skill_folders;
