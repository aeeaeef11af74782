//! The fast reader answers as the full one does, or not at all.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillyard_format::yaml::{Node, Value, parse_by_events, parse_simple};

fuzz_target!(|source: &str| {
    let (full, _) = parse_by_events(source, 0);
    if let Some(simple) = parse_simple(source, 0) {
        let full = full.expect("the full reader accepts what the fast one does");
        same(&simple.root.expect("a root"), &full.root.expect("a root"));
    }
});

fn same(simple: &Node, full: &Node) {
    match (&simple.value, &full.value) {
        (Value::Scalar(a), Value::Scalar(b)) => assert_eq!(a, b),
        (Value::Sequence(a), Value::Sequence(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| same(a, b));
        }
        (Value::Mapping(a), Value::Mapping(b)) => {
            assert_eq!(a.entries.len(), b.entries.len());
            for (a, b) in a.entries.iter().zip(&b.entries) {
                assert_eq!((&a.key, a.key_span), (&b.key, b.key_span));
                same(&a.value, &b.value);
            }
        }
        _ => panic!("different kinds"),
    }
}
