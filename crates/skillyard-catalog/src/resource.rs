//! Reading a file of a skill, never one outside it.
