//! Classes of letters, `[a-z]`, read as git does.

/// The letters that stand for themselves in a class of the library only at some places, and the `/`,
/// which no class of git means.
const SPECIAL: [char; 5] = ['!', '-', '/', ']', '^'];

/// What stands between `[` and `]`.
pub(super) struct Class {
    is_negated: bool,
    /// From a letter to another, with both.
    ranges: Vec<(char, char)>,
}

impl Class {
    /// Reads what follows `[`, up to the `]` at its end, and says how many letters that are; nothing
    /// where it has no end, or names a kind of letters that there is not.
    pub(super) fn read(letters: &[char]) -> Option<(Self, usize)> {
        let is_negated = matches!(letters.first(), Some('!' | '^'));
        let mut ranges = Vec::new();
        let mut at = usize::from(is_negated);
        let first = at;
        // The letter that a range could begin with.
        let mut before = None;
        loop {
            let letter = *letters.get(at)?;
            at += 1;
            match (letter, before) {
                (']', _) if at > first + 1 => return Some((Self { is_negated, ranges }, at)),
                ('-', Some(from)) if !matches!(letters.get(at), None | Some(']')) => {
                    let to = escaped(letters, &mut at)?;
                    ranges.push((from, to));
                    before = None;
                }
                ('[', _)
                    if letters.get(at) == Some(&':')
                        && let Some(end) = end(&letters[at..]) =>
                {
                    let name: String = letters[at + 1..at + end - 1].iter().collect();
                    ranges.extend_from_slice(kind(&name)?);
                    at += end + 1;
                    before = None;
                }
                _ => {
                    at -= 1;
                    let letter = escaped(letters, &mut at)?;
                    ranges.push((letter, letter));
                    before = Some(letter);
                }
            }
        }
    }

    /// Writes it with each letter where it stands for itself.
    pub(super) fn write(&self, text: &mut String) {
        let has = |letter: char| {
            self.ranges
                .iter()
                .any(|(from, to)| (*from..=*to).contains(&letter))
        };
        let specials = SPECIAL
            .into_iter()
            .filter(|letter| *letter != '/' && has(*letter));
        let specials: Vec<char> = specials.collect();
        let plain: String = self.ranges.iter().flat_map(|range| plain(*range)).collect();
        if !self.is_negated && plain.is_empty() {
            let each: Vec<String> = specials
                .iter()
                .map(|letter| format!("\\{letter}"))
                .collect();
            // Without a letter it means none that a path could have.
            let told = match each.as_slice() {
                [] => "\0".to_owned(),
                [only] => only.clone(),
                several => format!("{{{}}}", several.join(",")),
            };
            text.push_str(&told);
            return;
        }
        let written = |letter: char| specials.contains(&letter).then_some(letter);
        text.push('[');
        text.extend(self.is_negated.then_some('!'));
        text.extend(written(']'));
        text.push_str(&plain);
        text.extend(self.is_negated.then_some('/'));
        text.extend(['!', '^', '-'].into_iter().filter_map(written));
        text.push(']');
    }
}

/// The letter at a place, which a `\` may stand before.
fn escaped(letters: &[char], at: &mut usize) -> Option<char> {
    if letters.get(*at) == Some(&'\\') {
        *at += 1;
    }
    let letter = *letters.get(*at)?;
    *at += 1;
    Some(letter)
}

/// Where the name of a kind of letters ends that begins with `:`, if it ends with `:]`.
fn end(letters: &[char]) -> Option<usize> {
    let end = letters.iter().position(|letter| *letter == ']')?;
    (end > 1 && letters[end - 1] == ':').then_some(end)
}

/// A range without the letters that are special, as ranges that the library can read.
fn plain((from, to): (char, char)) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = Some(from).filter(|from| *from <= to);
    while let Some(from) = rest {
        let special = SPECIAL
            .into_iter()
            .find(|letter| (from..=to).contains(letter));
        let until = match special {
            Some(special) => before(special).filter(|until| *until >= from),
            None => Some(to),
        };
        match until {
            Some(until) if until == from => parts.push(from.to_string()),
            Some(until) => parts.push(format!("{from}-{until}")),
            None => {}
        }
        rest = special.and_then(after).filter(|from| *from <= to);
    }
    parts
}

fn before(letter: char) -> Option<char> {
    char::from_u32(u32::from(letter).checked_sub(1)?)
}

fn after(letter: char) -> Option<char> {
    char::from_u32(u32::from(letter) + 1)
}

/// The letters of a kind.
fn kind(name: &str) -> Option<&'static [(char, char)]> {
    Some(match name {
        "alnum" => &[('a', 'z'), ('A', 'Z'), ('0', '9')],
        "alpha" => &[('a', 'z'), ('A', 'Z')],
        "blank" => &[(' ', ' '), ('\t', '\t')],
        "cntrl" => &[('\u{1}', '\u{1f}'), ('\u{7f}', '\u{7f}')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[(' ', ' '), ('\t', '\r')],
        "upper" => &[('A', 'Z')],
        "xdigit" => &[('0', '9'), ('a', 'f'), ('A', 'F')],
        _ => return None,
    })
}
