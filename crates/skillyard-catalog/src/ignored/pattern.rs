//! Patterns of git in the words of the library that matches them.
//!
//! For git braces are letters like others, and a class may have names for kinds of letters in it
//! (`[[:upper:]]`), or letters behind a `\`, and never means the `/` between folders. The library means
//! something else with each of these.

mod class;

use class::Class;

/// A line of a list, as the library has to be told it. What git cannot read either stays as it is.
pub(super) fn translated(line: &str) -> String {
    let line = match line {
        line if line.ends_with("\\ ") => line,
        line => line.trim_end(),
    };
    if line.is_empty() || line.starts_with('#') {
        return line.to_owned();
    }
    let (mark, body) = match line.strip_prefix('!') {
        Some(body) => ("!", body),
        None => ("", line),
    };
    let named = body.strip_suffix('/').unwrap_or(body);
    if named.is_empty() {
        return String::new();
    }
    // Said in so many words, because a class may have a `/` in it from here on.
    let is_anywhere = body != "**" && !named.contains('/');
    let start = if is_anywhere { "**/" } else { "" };
    format!("{mark}{start}{}", glob(body))
}

fn glob(body: &str) -> String {
    let letters: Vec<char> = body.chars().collect();
    let mut text = String::with_capacity(body.len());
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        at += 1;
        match letter {
            '\\' => {
                text.push('\\');
                text.extend(letters.get(at));
                at += 1;
            }
            '{' | '}' => text.extend(['\\', *letter]),
            '[' => match Class::read(&letters[at..]) {
                Some((class, read)) => {
                    class.write(&mut text);
                    at += read;
                }
                None => text.push('['),
            },
            _ => text.push(*letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use ignore::gitignore::GitignoreBuilder;

    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_to_git() {
        for (line, named, others) in [
            ("{a,b}.key", &["{a,b}.key"][..], &["a.key", "b.key"][..]),
            ("[[:upper:]]p.KEY", &["Up.KEY"], &["up.KEY", ":p.KEY"]),
            ("[[:alpha:]_].key", &["a.key", "Z.key", "_.key"], &["1.key"]),
            ("[![:digit:]].key", &["a.key"], &["1.key"]),
            ("[[:punct:]]", &["!", "]", "[", "~", "@", "-", "{"], &["a"]),
            ("[[:graph:]]", &["!", "a", "0", "~"], &[" "]),
            (
                "x[[:space:][:cntrl:]]y",
                &["x y", "x\ty", "x\u{7f}y"],
                &["x-y"],
            ),
            ("[]a]", &["]", "a"], &["b"]),
            (r"[\]a]", &["]", "a"], &["\\"]),
            (r"[\!a]", &["!", "a"], &["b"]),
            (r"[\!]", &["!"], &["a"]),
            ("[!a]", &["b"], &["a"]),
            ("[a-c-]", &["b", "-"], &["d"]),
            ("[--z]", &["-", ".", "a", "z"], &["~"]),
            ("?[--z]?", &["x.t"], &["s/x"]),
            ("?[!a]?", &["x.t"], &["s/x", "xat"]),
            ("x[[:punct:]]t", &["x.t", "a/x.t"], &["x/t"]),
            ("[[:lower:]-z]d", &["-d", "zd"], &["+d"]),
            ("[a-c-e]", &["b", "-", "e"], &["d"]),
            ("[!^a]", &["b"], &["^", "a"]),
            (r"[\!\^]", &["!", "^"], &["a"]),
            ("[[:x]", &["[", ":", "x"], &["a"]),
            ("!a", &[], &["a"]),
            ("sub/[ab]", &["sub/a"], &["x/sub/a"]),
            ("**", &["a", "a/b"], &[]),
            (r"\{a\}", &["{a}"], &["a"]),
            (r"a\[b", &["a[b"], &["ab"]),
            ("*.[ch]", &["x.c"], &["x.d"]),
        ] {
            let mut builder = GitignoreBuilder::new("/");
            builder.add_line(None, &translated(line)).unwrap();
            let patterns = builder.build().unwrap();
            for (names, expected) in [(named, true), (others, false)] {
                for name in names {
                    let is_named = patterns.matched(name, false).is_ignore();
                    assert_eq!(is_named, expected, "{line} {name}");
                }
            }
        }
        for (line, told) in [
            ("*.key", "**/*.key"),
            ("!/a/**/b/", "!/a/**/b/"),
            ("# {a}", "# {a}"),
            ("!", ""),
            ("/", ""),
        ] {
            assert_eq!(translated(line), told);
        }
    }
}
