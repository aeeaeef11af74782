//! What is given of a file: pieces of text, and bytes on request.

use skillyard_catalog::resource::{
    BinaryContent, ReadLimits, ReadRange, Resolver, ResourceContent,
};

use crate::{Fixture, RESOLVERS, text};

#[test]
fn long_texts_are_read_in_pieces_between_characters() {
    let fixture = Fixture::new();
    let whole: String = ["a", "ß", "€", "😀", "\r\n"].concat().repeat(3_000);
    fixture.write("long.md", whole.as_bytes());
    for resolver in RESOLVERS {
        let root = fixture.root(resolver);
        for limit in [0, 1, 2, 3, 4, 5, 1_000, 4_096, 1_000_000] {
            let mut together = String::new();
            let mut offset = 0;
            loop {
                let range = ReadRange {
                    offset,
                    limit: Some(limit),
                };
                let piece = root.read("long.md", range, &ReadLimits::default()).unwrap();
                assert_eq!(piece.offset, offset);
                assert_eq!(piece.size, whole.len() as u64);
                let next = piece.next_offset;
                let piece = text(piece);
                assert!(piece.len() as u64 <= limit.max(4));
                together.push_str(&piece);
                match next {
                    Some(next) if next > offset => offset = next,
                    Some(_) => panic!("reading does not go on at {offset} with limit {limit}"),
                    None => break,
                }
            }
            assert!(together == whole, "limit {limit}");
        }
    }
}

#[test]
fn the_soft_limit_cuts_and_says_where_to_go_on() {
    let fixture = Fixture::new();
    fixture.write("long.md", "€".repeat(1_000_000).as_bytes());
    let resource = fixture.read("long.md").unwrap();
    assert_eq!(resource.next_offset, Some(1_999_998));
    assert_eq!(text(resource).len(), 1_999_998);
}

#[test]
fn an_offset_inside_a_character_gives_it_whole() {
    let fixture = Fixture::new();
    fixture.write("x.md", "a😀b".as_bytes());
    let root = fixture.root(Resolver::Best);
    let read = |offset| {
        let range = ReadRange {
            offset,
            limit: None,
        };
        root.read("x.md", range, &ReadLimits::default())
    };
    for offset in 1..5 {
        let resource = read(offset).unwrap();
        assert_eq!((resource.offset, text(resource).as_str()), (1, "😀b"));
    }
    assert_eq!(text(read(5).unwrap()), "b");
    assert_eq!(text(read(6).unwrap()), "");
    for offset in [7, 9999] {
        assert_eq!(
            read(offset).unwrap_err().to_string(),
            format!("offset {offset} is past the end of `x.md`, which has 6 bytes")
        );
    }
}

#[test]
fn binary_files_are_described_and_given_on_request() {
    let fixture = Fixture::new();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
    let late = [vec![b'a'; 20_000], vec![0xff], vec![b'a'; 20_000]].concat();
    for (name, content, expected) in [
        ("a.png", &png[..], "image/png"),
        ("zero", b"a\0b", "application/octet-stream"),
        ("latin1.txt", b"gr\xfc\xdfe", "application/octet-stream"),
        ("cut.txt", b"abc\xe2\x82", "application/octet-stream"),
        (
            "utf16.txt",
            b"\xff\xfeh\0i\0",
            "text/plain; charset=utf-16le",
        ),
        (
            "paper.pdf",
            b"%PDF-1.4 all of this is text",
            "application/pdf",
        ),
        ("late", &late, "application/octet-stream"),
    ] {
        fixture.write(name, content);
        let resource = fixture.read(name).unwrap();
        assert_eq!(resource.size, content.len() as u64);
        assert_eq!(resource.next_offset, None);
        let ResourceContent::Binary { media_type, bytes } = resource.content else {
            panic!("{name} is text");
        };
        assert_eq!((media_type, bytes), (expected, None), "{name}");

        let limits = ReadLimits {
            binary: BinaryContent::Include,
            max_bytes: 7_000,
            ..ReadLimits::default()
        };
        let mut together = Vec::new();
        let mut offset = Some(0);
        while let Some(from) = offset {
            let range = ReadRange {
                offset: from,
                limit: None,
            };
            let resource = fixture
                .root(Resolver::Best)
                .read(name, range, &limits)
                .unwrap();
            offset = resource.next_offset;
            match resource.content {
                ResourceContent::Binary { bytes, .. } => together.extend(bytes.unwrap()),
                ResourceContent::Text(text) => together.extend(text.into_bytes()),
            }
        }
        assert_eq!(together, content, "{name}");
    }
}

#[test]
fn the_start_of_a_file_decides_for_all_of_it() {
    let fixture = Fixture::new();
    fixture.write("mixed", &[b"\0".to_vec(), vec![b'a'; 100]].concat());
    let range = ReadRange {
        offset: 50,
        limit: None,
    };
    let root = fixture.root(Resolver::Best);
    let resource = root.read("mixed", range, &ReadLimits::default()).unwrap();
    assert!(matches!(resource.content, ResourceContent::Binary { .. }));
}

#[test]
fn text_that_looks_like_a_signature_is_text() {
    let fixture = Fixture::new();
    for content in [
        "BM25 ranks documents",
        "MZ",
        "#!/bin/sh\n",
        "<html>",
        "II* and more",
        "\u{feff}# Title",
        "",
    ] {
        fixture.write("x", content.as_bytes());
        assert_eq!(text(fixture.read("x").unwrap()), content);
    }
}
