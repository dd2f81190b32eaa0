//! Turns the bytes of a terminal program into the text that a person would see.

/// `bytes` as text: invalid UTF-8 replaced, escape sequences and other control
/// characters removed, overwritten progress lines reduced to their last state.
pub fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
    {
        return text.into_owned();
    }
    let mut screen = Screen {
        text: String::with_capacity(text.len()),
        line: 0,
        returned: false,
    };
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => escape(&mut rest),
            '\u{9b}' => control_sequence(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => string(&mut rest),
            c => screen.put(c),
        }
    }
    screen.text
}

/// What has been printed, as far as one line can be changed afterwards.
struct Screen {
    text: String,
    /// Where the current line starts.
    line: usize,
    /// A carriage return was met: the next character starts the line again.
    returned: bool,
}

impl Screen {
    fn put(&mut self, c: char) {
        match c {
            '\n' => {
                self.text.push('\n');
                self.line = self.text.len();
                self.returned = false;
            }
            '\r' => self.returned = true,
            // Overstriking, as manual pages use it for bold and underline.
            '\u{8}' => {
                if self.text.len() > self.line {
                    self.text.pop();
                }
            }
            '\t' => self.print('\t'),
            c if c.is_control() => {}
            c => self.print(c),
        }
    }

    fn print(&mut self, c: char) {
        if std::mem::take(&mut self.returned) {
            self.text.truncate(self.line);
        }
        self.text.push(c);
    }
}

/// The rest of a sequence that ESC started.
fn escape(rest: &mut std::str::Chars<'_>) {
    let ahead = rest.clone().next();
    match ahead {
        Some('[') => {
            rest.next();
            control_sequence(rest);
        }
        // OSC, DCS, SOS, PM, APC: a string up to its terminator.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            string(rest);
        }
        // Intermediate bytes, then a final one: `ESC ( B`.
        Some(' '..='/') => {
            while rest.clone().next().is_some_and(|c| matches!(c, ' '..='/')) {
                rest.next();
            }
            if rest.clone().next().is_some_and(|c| matches!(c, '0'..='~')) {
                rest.next();
            }
        }
        Some('0'..='~') => {
            rest.next();
        }
        _ => {}
    }
}

/// Parameters and intermediates up to the final character. Anything else in
/// between means that the sequence was broken off: it is text again.
fn control_sequence(rest: &mut std::str::Chars<'_>) {
    while let Some(c) = rest.clone().next() {
        match c {
            ' '..='?' => {
                rest.next();
            }
            '@'..='~' => {
                rest.next();
                return;
            }
            _ => return,
        }
    }
}

/// A string up to BEL or ST. One without an end stops at its line's end, so that
/// it cannot swallow the output.
fn string(rest: &mut std::str::Chars<'_>) {
    while let Some(c) = rest.clone().next() {
        match c {
            '\u{7}' | '\u{9c}' => {
                rest.next();
                return;
            }
            '\u{1b}' => {
                rest.next();
                if rest.clone().next() == Some('\\') {
                    rest.next();
                }
                return;
            }
            '\n' => return,
            _ => {
                rest.next();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(raw: impl AsRef<[u8]>, expected: &str) {
        assert_eq!(shown(raw.as_ref()), expected);
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        check("one\n\ttwo  \n", "one\n\ttwo  \n");
        check("naïve 漢字 🦀\n", "naïve 漢字 🦀\n");
        check("", "");
    }

    #[test]
    fn colours_and_cursor_movements_are_removed() {
        check(
            "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mtrue\x1b[m",
            "red true",
        );
        check("\x1b[2K\x1b[1A\x1b[?25lgone\x1b[?25h", "gone");
        check("\u{9b}31mred\u{9b}0m", "red");
        check("\x1b(B\x1b=a\x1b>\x1bMb\x1b7\x1b8", "ab");
    }

    #[test]
    fn links_and_titles_leave_their_text() {
        check("\x1b]8;;https://x.y/z\x1b\\link\x1b]8;;\x1b\\!", "link!");
        check("\x1b]0;title\x07text", "text");
        check("\x1bP1$r0m\x1b\\text\x1b_apc\x1b\\", "text");
        check("\u{9d}0;title\u{9c}text", "text");
    }

    #[test]
    fn a_broken_sequence_takes_nothing_else_with_it() {
        check("\x1b", "");
        check("a\x1b[", "a");
        check("a\x1b[31", "a");
        check("\x1b]0;never ended\nnext line", "\nnext line");
        check("\x1b[3\nx", "\nx");
        check("\x1b[é", "é");
        check("\x1bé", "é");
    }

    #[test]
    fn overwritten_progress_is_reduced_to_its_last_state() {
        check("10%\r50%\r100%\ndone\n", "100%\ndone\n");
        check("a\r\nb\r\n", "a\nb\n");
        check("half\r", "half");
        check("50%\r\x1b[K100%\r\n", "100%\n");
    }

    #[test]
    fn overstriking_is_undone() {
        check("N\x08NA\x08A_\x08x", "NAx");
        check("\x08\x08a\n\x08b", "a\nb");
    }

    #[test]
    fn other_control_characters_and_invalid_bytes_do_not_pass() {
        check("a\0b\x07c\x0bd\x7fe\u{85}f", "abcdef");
        check(b"ok \xff\xfe \xc3", "ok \u{fffd}\u{fffd} \u{fffd}");
    }

    proptest! {
        #[test]
        fn whatever_comes_only_text_goes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let text = shown(&bytes);
            prop_assert!(text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
            prop_assert_eq!(shown(text.as_bytes()), text);
        }
    }
}
