//! Changes of skills, told to a running process.
