//! Times as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).

use std::time::Duration;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// How long after the beginning of 1970 a time is.
pub(super) fn since_1970(text: &str) -> Option<Duration> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, day, month, year, time, "GMT"] = words.as_slice() else {
        return None;
    };
    let number = |text: &str, most: u64| text.parse().ok().filter(|number: &u64| *number <= most);
    let month = MONTHS.iter().position(|each| each == month)? as u64 + 1;
    let (day, year) = (number(day, 31)?.max(1), number(year, 9999)?);
    let mut parts = time.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    // A leap second is one, too.
    let clock = number(hours, 23)? * 3600 + number(minutes, 59)? * 60 + number(seconds, 60)?;
    // Years that begin in March have their leap day at the end; months from then on alternate.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year.checked_sub(1)?, month + 9)
    };
    let leap_days = year / 4 - year / 100 + year / 400;
    let days = year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1;
    // The days from the first of March of the year 0 on.
    let days = days.checked_sub(719_468)?;
    Some(Duration::from_secs(days * 24 * 60 * 60 + clock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_http_writes_them() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(
                since_1970(text),
                expected.map(Duration::from_secs),
                "{text}"
            );
        };
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
        check("Tue, 29 Feb 2000 23:59:59 GMT", Some(951_868_799));
        check("Mon, 01 Mar 2100 00:00:00 GMT", Some(4_107_542_400));
        check("Wed, 31 Dec 1969 00:00:00 GMT", None);
        for text in [
            "",
            "3",
            "x",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37",
        ] {
            check(text, None);
        }
    }
}
