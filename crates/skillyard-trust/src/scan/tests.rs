//! Properties that hold for any input.
