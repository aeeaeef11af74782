#![doc = include_str!("../README.md")]

pub mod allowed_tools;
pub mod conditions;
pub mod diagnostic;
pub mod difference;
pub mod document;
pub mod edit;
pub mod fields;
pub mod fix;
pub mod frontmatter;
pub mod links;
pub mod lossy_json;
pub mod mcp_tool_name;
pub mod name;
pub mod package;
pub mod qualified;
pub mod reference;
pub mod render;
mod requires;
pub mod rules;
pub mod sandbox_request;
pub mod script;
pub mod skill;
pub mod span;
pub mod text;
pub mod tokens;
pub mod triggers;
pub mod yaml;

pub use diagnostic::{Diagnostic, Severity};
pub use document::Document;
pub use name::SkillName;
pub use package::Digest;
pub use qualified::{Namespace, QualifiedName};
pub use rules::{Profile, Subject};
pub use skill::Skill;
pub use span::{LineIndex, Position, Span};
