//! Words as one line of a POSIX shell: as a person would type it, for showing, and
//! with everything quoted, for the definitions that run through `sh`.

/// Words that mean something to a shell where a command is expected.
const RESERVED: [&str; 17] = [
    "!", "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until",
    "while", "time", "function", "select",
];

/// `words` as one line that a POSIX shell would read back to the same words.
pub fn shell_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = String::new();
    for (index, word) in words.into_iter().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        let is_command = index == 0 && !word.contains('=') && !RESERVED.contains(&word);
        let is_plain = !word.is_empty() && word.bytes().all(is_plain);
        match is_plain && (is_command || index > 0) {
            true => line.push_str(word),
            false => quote(word, &mut line),
        }
    }
    line
}

/// `words` as one line that any POSIX shell reads back to the same words: each in
/// quotes, so that none of them is anything but itself.
pub fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = String::new();
    for (index, word) in words.into_iter().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        quote(word, &mut line);
    }
    line
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&byte)
}

fn quote(word: &str, line: &mut String) {
    line.push('\'');
    line.push_str(&word.replace('\'', r"'\''"));
    line.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_needs_quotes_gets_them() {
        let cases: [(&[&str], &str); 5] = [
            (&["gh", "pr", "list", "--limit=5"], "gh pr list --limit=5"),
            (&["gh", "a b", ""], "gh 'a b' ''"),
            (&["gh", "it's"], r"gh 'it'\''s'"),
            (&["a=b", "c=d"], "'a=b' c=d"),
            (&["if", "~", "*", "$x", "if"], "'if' '~' '*' '$x' if"),
        ];
        for (words, line) in cases {
            assert_eq!(shell_line(words.iter().copied()), line);
        }
    }

    /// What `sh` prints for a line.
    fn sh(line: &str) -> Vec<u8> {
        let sh = std::process::Command::new("sh").args(["-c", line]).output();
        sh.unwrap().stdout
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn sh_reads_the_same_words_back(words in proptest::collection::vec("[^\0]{0,12}", 1..6)) {
            let print = ["printf", r"%s\0"].into_iter();
            let line: Vec<&str> = print.chain(words.iter().map(String::as_str)).collect();
            let expected: String = words.iter().map(|word| format!("{word}\0")).collect();
            prop_assert_eq!(sh(&shell_line(line.iter().copied())), expected.as_bytes());
            prop_assert_eq!(sh(&quoted(line.iter().copied())), expected.as_bytes());
        }
    }
}
