//! Keys for which anybody could sign, and signatures with two spellings.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use skillyard_trust::signature::{KeyError, PublicKey};

use crate::key;

fn ed25519(point: [u8; 32]) -> Result<PublicKey, KeyError> {
    let mut spki = hex::decode("302a300506032b6570032100").unwrap();
    spki.extend(point);
    PublicKey::from_spki(&spki)
}

#[test]
fn points_of_small_order_are_refused() {
    for point in [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ] {
        let mut bytes = [0; 32];
        hex::decode_to_slice(point, &mut bytes).unwrap();
        assert_eq!(ed25519(bytes), Err(KeyError::Weak), "{point}");
    }
}

#[test]
fn second_spellings_of_a_point_are_refused() {
    // p + 3 and p + 4 stand for 3 and 4; whether they are points at all, they are no key.
    let mut refused = 0;
    for low in 0..19_u8 {
        let mut bytes = [0xff; 32];
        (bytes[0], bytes[31]) = (0xed + low, 0x7f);
        let found = ed25519(bytes);
        assert!(found.is_err(), "{low}: {found:?}");
        refused += usize::from(found == Err(KeyError::NotCanonical));
    }
    assert!(refused > 0);
}

#[test]
fn a_signature_has_one_spelling() {
    let key = key(1);
    let signature = key.sign(b"message");
    // Adding the group's order to the second half gives the same point without a check.
    let order = hex::decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let mut other = signature.clone();
    let mut carry = 0_u16;
    for (byte, add) in other[32..].iter_mut().zip(order.unwrap()) {
        carry += u16::from(*byte) + u16::from(add);
        [*byte, _] = carry.to_le_bytes();
        carry >>= 8;
    }
    let public = key.public().unwrap();
    assert!(public.has_signed(b"message", &signature));
    assert!(!public.has_signed(b"message", &other));
    for length in [0, 63, 65] {
        let mut cut = signature.clone();
        cut.resize(length, 0);
        assert!(!public.has_signed(b"message", &cut), "{length}");
    }
}

#[test]
fn keys_of_other_kinds_are_named() {
    // An X25519 key, the same curve for another purpose.
    let spki = STANDARD.decode("MCowBQYDK2VuAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=");
    let error = PublicKey::from_spki(&spki.unwrap()).unwrap_err();
    assert_eq!(error, KeyError::Algorithm("1.3.101.110".into()));
    let mut long = key(1).public().unwrap().spki().to_vec();
    long.push(0);
    assert!(PublicKey::from_spki(&long).is_err());
}
