//! A command line as a person would type it. Only for showing: nothing here is
//! ever given to a shell.

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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn sh_reads_the_same_words_back(words in proptest::collection::vec("[^\0]{0,12}", 1..6)) {
            let words: Vec<&str> = ["printf", r"%s\0"].into_iter().chain(words.iter().map(String::as_str)).collect();
            let out = std::process::Command::new("sh")
                .args(["-c", &shell_line(words.iter().copied())])
                .output()
                .unwrap();
            let read: Vec<&[u8]> = out.stdout.split(|byte| *byte == 0).collect();
            let expected: Vec<&[u8]> = words[2..].iter().map(|word| word.as_bytes()).chain([&b""[..]]).collect();
            prop_assert_eq!(read, expected);
        }
    }
}
