//! Strings in quotes: plain, raw, and over several lines.

use super::super::fault::{Fault, Sort, Span};
use super::cursor::{Cursor, is_newline, is_space};

pub(super) struct Quoted {
    pub text: String,
    /// A line break stands in it although it is not a `"""`.
    pub wraps: bool,
}

/// The string in quotes that begins here, if one does.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Option<Quoted>, Fault> {
    let rest = cursor.rest();
    // KDL 1 writes `r#"…"#` where KDL 2 writes `#"…"#`.
    let marked = usize::from(rest.starts_with("r\"") || rest.starts_with("r#"));
    let after = &rest[marked..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    if !after[hashes..].starts_with('"') {
        return Ok(None);
    }
    let raw = marked + hashes > 0;
    let start = cursor.at();
    cursor.advance(marked + hashes);
    // In KDL 1 `r""""` cannot be, so three quotes always mean the same.
    let multi = cursor.rest().starts_with("\"\"\"") && opens_lines(&cursor.rest()[3..]);
    let quotes = if multi { "\"\"\"" } else { "\"" };
    cursor.advance(quotes.len());
    let open = Span::new(start, cursor.at());
    let close = format!("{quotes}{}", "#".repeat(hashes));
    let Some(length) = find_close(cursor.rest(), &close, raw) else {
        let fault = Fault::new(Sort::Syntax, open, "this string is never closed");
        return Err(fault.help(format!("write `{close}` where it ends")));
    };
    let body = &cursor.rest()[..length];
    let inside = cursor.at();
    let text = match (multi, raw) {
        (true, _) => lines(body, raw, open, inside)?,
        (false, true) => body.to_owned(),
        (false, false) => unescape(body, |at| inside + at)?,
    };
    cursor.advance(length + close.len());
    Ok(Some(Quoted {
        wraps: !multi && body.contains(is_newline),
        text,
    }))
}

/// Whether what follows three quotes makes them the begin of a string over several
/// lines. `"""` alone is also how a fourth quote too many looks.
fn opens_lines(after: &str) -> bool {
    after.starts_with(is_newline)
}

/// How many bytes stand before `close`.
fn find_close(text: &str, close: &str, raw: bool) -> Option<usize> {
    if raw {
        return text.find(close);
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' if text[at..].starts_with(close) => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// The content of a `"""` string: without the first and last line break, and without
/// the indentation of its last line.
fn lines(body: &str, raw: bool, open: Span, inside: usize) -> Result<String, Fault> {
    let body = body.replace("\r\n", "\n");
    // A backslash takes the white space behind it away before lines are lines.
    let joined = match raw {
        true => body,
        false => without_escaped_space(&body),
    };
    let mut parts: Vec<&str> = joined.split(is_newline).collect();
    let indent = parts.pop().unwrap_or_default();
    if !indent.chars().all(is_space) {
        let fault = Fault::new(
            Sort::Syntax,
            open,
            "the `\"\"\"` that closes this string stands behind text",
        );
        return Err(fault.help("write it on a line of its own"));
    }
    let mut text = String::new();
    for (index, line) in parts.iter().skip(1).enumerate() {
        if index > 0 {
            text.push('\n');
        }
        if line.chars().all(is_space) {
            continue;
        }
        let Some(line) = line.strip_prefix(indent) else {
            let message = "a line of this string is indented less than the `\"\"\"` that closes it";
            return Err(Fault::new(Sort::Syntax, open, message));
        };
        text.push_str(line);
    }
    match raw {
        true => Ok(text),
        // Where exactly an escape stood is lost with the indentation.
        false => unescape(&text, |_| open.start.min(inside)),
    }
}

fn without_escaped_space(body: &str) -> String {
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let trimmed = after.trim_start_matches(|char| is_space(char) || is_newline(char));
        if trimmed.len() < after.len() {
            rest = trimmed;
            continue;
        }
        let next = after.chars().next().map_or(0, char::len_utf8);
        text.push_str(&rest[at..at + 1 + next]);
        rest = &after[next..];
    }
    text + rest
}

/// `body` with its escapes read; `place` is where a byte of it stands in the file.
fn unescape(body: &str, place: impl Fn(usize) -> usize) -> Result<String, Fault> {
    let mut text = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let offset = body.len() - rest.len() + at;
        let after = &rest[at + 1..];
        let Some(char) = after.chars().next() else {
            break;
        };
        let mut used = char.len_utf8();
        match char {
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            's' => text.push(' '),
            '\\' | '"' | '/' => text.push(char),
            'u' => match code_point(after) {
                Some((char, length)) => {
                    text.push(char);
                    used = length;
                }
                None => {
                    let span = Span::new(place(offset), place(offset + 2));
                    let fault = Fault::new(Sort::Syntax, span, "this `\\u` names no character");
                    return Err(fault.help("write it as `\\u{1F600}`; NUL can stand nowhere"));
                }
            },
            _ if is_space(char) || is_newline(char) => {
                let trimmed = after.trim_start_matches(|char| is_space(char) || is_newline(char));
                used = after.len() - trimmed.len();
            }
            _ => {
                let span = Span::new(place(offset), place(offset + 1 + used));
                let fault = Fault::new(Sort::Syntax, span, format!("`\\{char}` is no escape"));
                let help = format!("a backslash is written `\\\\{char}`, or in a raw string");
                return Err(fault.help(help));
            }
        }
        rest = &after[used..];
    }
    text.push_str(rest);
    Ok(text)
}

/// The character of `u{…}` and how many bytes that is.
fn code_point(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix("u{")?;
    let end = digits.find('}').filter(|end| (1..=6).contains(end))?;
    let hex = digits[..end].bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(&digits[..end], 16)
        .ok()
        .filter(|_| hex)?;
    let char = char::from_u32(number).filter(|char| *char != '\0')?;
    Some((char, "u{".len() + end + 1))
}
