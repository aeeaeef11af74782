//! Times in files: `2027-01-01`, or `2027-01-01T12:00:00Z`.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Moment(pub Timestamp);

/// A text that is not a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time; one is `2027-01-01` or `2027-01-01T12:00:00Z`")]
pub struct MomentError(String);

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        let whole = format!("{text}T00:00:00Z");
        let is_date = text.parse::<Date>().is_ok() && text.len() == 10;
        let text = if is_date { &whole } else { text };
        text.parse()
            .map(Self)
            .map_err(|_| MomentError(text.chars().take(50).collect()))
    }
}

impl TryFrom<String> for Moment {
    type Error = MomentError;

    fn try_from(text: String) -> Result<Self, MomentError> {
        text.parse()
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.0.to_string()
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Moment;

    #[test]
    fn a_date_is_its_first_instant() {
        let moment: Moment = "2027-01-01".parse().unwrap();
        assert_eq!(moment.to_string(), "2027-01-01T00:00:00Z");
        assert_eq!("2027-01-01T00:00:00Z".parse(), Ok(moment));
        for bad in ["", "soon", "2027", "2027-13-01", "2027-01-01T00:00:00"] {
            assert!(bad.parse::<Moment>().is_err(), "{bad}");
        }
    }
}
