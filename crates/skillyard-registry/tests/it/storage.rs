//! The same registry over other storage.
