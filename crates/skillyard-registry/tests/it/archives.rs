//! Archives that are attacks, published over HTTP.

use std::io::Write as _;

use super::yard::{Yard, instructions};

/// A plain tar entry, as an attacker writes it.
fn entry(name: &str, kind: u8, link: &str, content: &[u8]) -> Vec<u8> {
    let mut header = [0_u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..107].copy_from_slice(b"0000644");
    header[108..115].copy_from_slice(b"0000000");
    header[116..123].copy_from_slice(b"0000000");
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[136..147].copy_from_slice(b"00000000000");
    header[148..156].copy_from_slice(b"        ");
    header[156] = kind;
    header[157..157 + link.len()].copy_from_slice(link.as_bytes());
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let mut bytes = header.to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A skill and one entry more.
fn with(extra: &[u8]) -> Vec<u8> {
    let mut tar = entry(
        "SKILL.md",
        b'0',
        "",
        instructions("forms", "1.0.0").as_bytes(),
    );
    tar.extend_from_slice(extra);
    tar.resize(tar.len() + 1024, 0);
    gzip(&tar)
}

#[tokio::test]
async fn archives_that_reach_out_or_blow_up_are_refused() {
    let yard = Yard::new().await;
    let ada = yard.full("ada").await;
    let bomb = vec![0; 64 * 1024 * 1024];
    for (what, archive) in [
        (
            "a path that climbs",
            with(&entry("../evil", b'0', "", b"x")),
        ),
        (
            "an absolute path",
            with(&entry("/etc/evil", b'0', "", b"x")),
        ),
        (
            "a symbolic link",
            with(&entry("link", b'2', "/etc/passwd", b"")),
        ),
        ("a hard link", with(&entry("link", b'1', "SKILL.md", b""))),
        ("a device", with(&entry("device", b'3', "", b""))),
        ("a pipe", with(&entry("pipe", b'6', "", b""))),
        (
            "the same file twice",
            with(&entry("SKILL.md", b'0', "", b"other")),
        ),
        (
            "names that differ in case",
            with(&entry("skill.MD", b'0', "", b"other")),
        ),
        ("a bomb", with(&entry("zeros", b'0', "", &bomb))),
        ("an end in the middle", with(b"")[..40].to_vec()),
        ("nothing", Vec::new()),
        ("no archive", b"hello".to_vec()),
        ("gzip of nothing", gzip(b"")),
    ] {
        let answer = yard.publish(&ada, archive).await;
        assert_eq!(answer.problem(), "422 archive", "{what}");
    }
    assert_eq!(
        yard.get("/skills/forms").await.problem(),
        "404 no-such-skill"
    );
    assert_eq!(yard.publish(&ada, with(b"")).await.status, 201);
}
