//! Numbers of one to five bytes, seven bits a byte, low bits first.

/// Appends `number` to `bytes`.
pub(super) fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front of `bytes`; `None` where the bytes end or the number is too large.
#[inline]
pub(super) fn take(bytes: &mut &[u8]) -> Option<u32> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    if *first < 0x80 {
        return Some(u32::from(*first));
    }
    let mut number = u32::from(*first & 0x7f);
    for shift in [7, 14, 21, 28] {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if shift == 28 && *byte > 0x0f {
            return None;
        }
        number |= u32::from(*byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_what_is_not_a_number() {
        assert_eq!(take(&mut [].as_slice()), None);
        assert_eq!(take(&mut [0x80].as_slice()), None);
        assert_eq!(take(&mut [0xff; 6].as_slice()), None);
    }

    proptest! {
        #[test]
        fn reads_what_it_wrote(numbers in proptest::collection::vec(any::<u32>(), 0..20)) {
            let mut bytes = Vec::new();
            for number in &numbers {
                push(&mut bytes, *number);
            }
            let mut rest = bytes.as_slice();
            let read: Vec<u32> = std::iter::from_fn(|| take(&mut rest)).collect();
            prop_assert_eq!(read, numbers);
        }
    }
}
