//! Skills as text for a model: the catalog of tier 1 and the envelope of tier 2.

pub mod activation;
pub mod arguments;
pub mod catalog;
mod escape;

pub use escape::one_line;
