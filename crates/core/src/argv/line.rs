//! A command line in one string as words: POSIX quoting and nothing else of a shell.
//!
//! No expansion, no comments, no operators: `$HOME`, `*` and `|` are text.

/// Why a line has no words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unbalanced {
    /// `'` without another.
    #[error("its single quote is not closed")]
    Single,
    /// `"` without another.
    #[error("its double quote is not closed")]
    Double,
    /// `\` with nothing behind it.
    #[error("nothing stands behind its last backslash")]
    Backslash,
}

/// The words of `line`.
pub fn split_line(line: &str) -> Result<Vec<String>, Unbalanced> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => single(&mut chars, word.get_or_insert_default())?,
            '"' => double(&mut chars, word.get_or_insert_default())?,
            '\\' => match chars.next().ok_or(Unbalanced::Backslash)? {
                // The line goes on: neither of the two is there.
                '\n' => {}
                escaped => word.get_or_insert_default().push(escaped),
            },
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Ok(words)
}

fn single(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), Unbalanced> {
    loop {
        match chars.next().ok_or(Unbalanced::Single)? {
            '\'' => return Ok(()),
            char => word.push(char),
        }
    }
}

fn double(chars: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), Unbalanced> {
    loop {
        match chars.next().ok_or(Unbalanced::Double)? {
            '"' => return Ok(()),
            '\\' => match chars.next().ok_or(Unbalanced::Double)? {
                '\n' => {}
                escaped @ ('$' | '`' | '"' | '\\') => word.push(escaped),
                other => word.extend(['\\', other]),
            },
            char => word.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argv::{quoted, shell_line};
    use proptest::prelude::*;

    #[test]
    fn quotes_and_backslashes_mean_what_they_mean_to_sh_and_nothing_else_does() {
        let cases: [(&str, &[&str]); 15] = [
            ("", &[]),
            ("  \t\n ", &[]),
            ("-r .name file.json", &["-r", ".name", "file.json"]),
            ("'a b'  c", &["a b", "c"]),
            (r#"".a | .b""#, &[".a | .b"]),
            ("a'b'\"c\"d", &["abcd"]),
            ("'' \"\"", &["", ""]),
            (r"it\'s a\ b", &["it's", "a b"]),
            (r#""\$x \" \\ \n \`""#, &[r#"$x " \ \n `"#]),
            (r"'\'", &["\\"]),
            ("a\\\nb", &["ab"]),
            ("\"a\\\nb\"", &["ab"]),
            ("$HOME `id` $(id) *", &["$HOME", "`id`", "$(id)", "*"]),
            ("a|b;c&d>e # f ~", &["a|b;c&d>e", "#", "f", "~"]),
            ("é'漢 字'", &["é漢 字"]),
        ];
        for (line, expected) in cases {
            assert_eq!(split_line(line).unwrap(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_opened_must_be_closed() {
        let cases = [
            ("a 'b", Unbalanced::Single),
            ("it's", Unbalanced::Single),
            ("\"a", Unbalanced::Double),
            (r#""a\""#, Unbalanced::Double),
            ("\"a\\", Unbalanced::Double),
            ("a\\", Unbalanced::Backslash),
        ];
        for (line, expected) in cases {
            assert_eq!(split_line(line), Err(expected), "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_is_quoted_is_split_into_the_same_words(words in proptest::collection::vec("\\PC{0,8}|[ '\"\\\\\n\t$]{0,6}", 0..6)) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            prop_assert_eq!(split_line(&quoted(words.iter().copied())).unwrap(), words.clone());
            prop_assert_eq!(split_line(&shell_line(words.iter().copied())).unwrap(), words);
        }
    }
}
