//! Any text: the YAML parser never panics or hangs, and its spans lie inside the source.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillyard_format::yaml::{Node, Value, parse};

fuzz_target!(|source: &str| {
    if let Ok(tree) = parse(source, 0)
        && let Some(root) = &tree.root
    {
        check(root, source);
    }
});

fn check(node: &Node, source: &str) {
    assert!(node.span.start <= node.span.end && node.span.end <= source.len());
    match &node.value {
        Value::Scalar(_) => {}
        Value::Sequence(items) => items.iter().for_each(|item| check(item, source)),
        Value::Mapping(mapping) => mapping.entries.iter().for_each(|entry| check(&entry.value, source)),
    }
}
