//! Skills as text for a model: the catalog of tier 1, the envelope of tier 2 and the
//! files of tier 3.

pub mod activation;
pub mod arguments;
pub mod catalog;
mod escape;
pub mod foreign;
pub mod middle;
pub mod resource;

pub use escape::{one_line, xml};
