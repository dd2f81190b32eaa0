//! The ground under every template: lines without escapes, and their indents.

use std::borrow::Cow;

/// `text` without terminal escapes, overstrikes and carriage returns.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text
        .bytes()
        .any(|byte| matches!(byte, 0x1b | 0x08 | b'\r') || byte == 0xc2)
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{9b}' => skip_control_sequence(&mut chars),
            // Manual pages print a bold x as x, backspace, x.
            '\u{8}' => {
                if out.chars().next_back().is_some_and(|last| last != '\n') {
                    out.pop();
                }
            }
            '\r' => {}
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_escape(chars: &mut Chars<'_>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        // A command to the terminal, as links are: ends with BEL or ESC \.
        Some(']') => {
            while let Some(&c) = chars.peek() {
                match c {
                    '\n' => return,
                    '\u{7}' => {
                        chars.next();
                        return;
                    }
                    '\u{1b}' => {
                        chars.next();
                        if chars.peek() == Some(&'\\') {
                            chars.next();
                        }
                        return;
                    }
                    _ => {
                        chars.next();
                    }
                }
            }
        }
        Some('\n') | None => {}
        Some(_) => {
            // Two-character escapes, and those with one intermediate: `ESC ( B`.
            let first = chars.next();
            if matches!(first, Some('(' | ')' | '*' | '+' | '#' | ' ')) {
                chars.next_if(|c| *c != '\n');
            }
        }
    }
}

fn skip_control_sequence(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        if ('\u{40}'..='\u{7e}').contains(&c) {
            return;
        }
    }
}

/// Columns before the first character that is not blank; a tab goes to the next
/// multiple of eight.
pub(crate) fn indent(line: &str) -> usize {
    let mut column = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => column += 1,
            b'\t' => column = (column / 8 + 1) * 8,
            _ => break,
        }
    }
    column
}

/// Whether nothing but blanks is on the line.
pub(crate) fn blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// The lines as one text without their common indent and without blank lines
/// at either end.
pub(crate) fn unindented(lines: &[&str]) -> String {
    let Some(first) = lines.iter().position(|line| !blank(line)) else {
        return String::new();
    };
    let last = lines.iter().rposition(|line| !blank(line)).unwrap_or(first);
    let lines = &lines[first..=last];
    let common = lines
        .iter()
        .filter(|line| !blank(line))
        .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        // The prefix is blank in every line with text, hence cut on a boundary.
        out.push_str(line.get(common..).unwrap_or("").trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_overstrikes_leave_the_text() {
        assert_eq!(plain("\u{1b}[1;33mUsage:\u{1b}[0m x\r\n"), "Usage: x\n");
        assert_eq!(plain("N\u{8}NA\u{8}AME _\u{8}x"), "NAME x");
        assert_eq!(
            plain("see \u{1b}]8;;http://a\u{7}here\u{1b}]8;;\u{1b}\\ now"),
            "see here now"
        );
        assert_eq!(plain("\u{1b}(Bx\u{1b}[12\nnext"), "x\nnext");
    }

    #[test]
    fn a_block_loses_its_common_indent_only() {
        assert_eq!(
            unindented(&["", "  a", "    b", "", "  c", ""]),
            "a\n  b\n\nc"
        );
    }
}
