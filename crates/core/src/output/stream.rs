//! One captured stream as it is shown: whole, or both its ends with a line between
//! them that says what is missing.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Captured, ansi};
use crate::model::{Encoding, StdoutSpec};

/// One stream as it is shown.
pub(super) struct Shown {
    pub text: String,
    /// It is all there was, byte for byte.
    pub exact: bool,
    /// It is not all there was.
    pub cut: bool,
}

impl Shown {
    /// `captured` as a definition wants its stdout.
    pub fn declared(captured: &Captured, spec: &StdoutSpec) -> Self {
        let mut shown = match (spec.encoding, spec.trim) {
            (Encoding::Base64, _) => {
                return Self {
                    text: STANDARD.encode(&captured.head),
                    // The text is another one than the program's.
                    exact: captured.head.is_empty(),
                    cut: is_cut(captured),
                };
            }
            (Encoding::Utf8, true) if !is_cut(captured) => Self::of(&trimmed(captured)),
            (Encoding::Utf8, _) => Self::of(captured),
        };
        if spec.trim {
            shown.text = shown.text.trim().to_owned();
        }
        shown
    }

    pub fn of(captured: &Captured) -> Self {
        if !is_cut(captured) {
            let text = ansi::shown(&captured.head);
            return Self {
                exact: text.as_bytes() == captured.head,
                text,
                cut: false,
            };
        }
        let head = &captured.head[..whole_end(&captured.head)];
        let tail = &captured.tail[whole_start(&captured.tail)..];
        let left_out = captured.total - (head.len() + tail.len()) as u64;
        let mut text = ansi::shown(head);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let place = match &captured.file {
            Some(file) => format!("everything is in {}", file.display()),
            None => "they were not kept".to_owned(),
        };
        let _ = writeln!(text, "[… {left_out} bytes left out; {place} …]");
        text.push_str(&ansi::shown(tail));
        Self {
            text,
            exact: false,
            cut: true,
        }
    }
}

/// Whether not all that was printed was kept.
fn is_cut(captured: &Captured) -> bool {
    let kept = captured.head.len() + captured.tail.len();
    !captured.tail.is_empty() || captured.total > kept as u64
}

/// A stream that was kept whole, without the white space around it.
pub(super) fn trimmed(captured: &Captured) -> Captured {
    let head = captured.head.trim_ascii().to_vec();
    Captured {
        total: head.len() as u64,
        head,
        ..Captured::default()
    }
}

/// Where the last whole character of `bytes` ends.
fn whole_end(bytes: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(3);
    let is_start = |&at: &usize| bytes[at] & 0xc0 != 0x80;
    let Some(last) = (start..bytes.len()).rev().find(is_start) else {
        return bytes.len();
    };
    let needed = match bytes[last] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    if last + needed > bytes.len() {
        last
    } else {
        bytes.len()
    }
}

/// Where the first whole character of `bytes` starts.
fn whole_start(bytes: &[u8]) -> usize {
    let continued = |&&byte: &&u8| byte & 0xc0 == 0x80;
    bytes.iter().take(3).take_while(continued).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_falls_between_characters_wherever_it_is_made() {
        let text = "aé漢🦀z";
        for at in 0..=text.len() {
            let (head, tail) = text.as_bytes().split_at(at);
            let head = &head[..whole_end(head)];
            let tail = &tail[whole_start(tail)..];
            assert!(std::str::from_utf8(head).is_ok(), "{at}");
            assert!(std::str::from_utf8(tail).is_ok(), "{at}");
            assert!(text.len() - head.len() - tail.len() <= 4, "{at}");
            if text.is_char_boundary(at) {
                assert_eq!(head.len() + tail.len(), text.len(), "{at}");
            }
        }
        assert_eq!(whole_end(b"\xff\xff\xff"), 3);
        assert_eq!(whole_end(b"\x80\x80\x80\x80"), 4);
    }
}
