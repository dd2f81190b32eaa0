//! What is wrong with definitions, as people read it.
//!
//! What a file says is shown without what a terminal would act on: it may be a
//! stranger's, who wants it to look like something else.

use argway_core::sources::kdl::Mistake;

use crate::terminal;

/// `FILE:LINE:COLUMN: what is wrong`, for a log.
pub fn line(mistake: &Mistake) -> String {
    let (file, line, column) = (mistake.file(), mistake.line(), mistake.column());
    let place = format!("{}:{line}:{column}", harmless(file));
    match &mistake.help {
        Some(help) => format!("{place}: {mistake}; {help}"),
        None => format!("{place}: {mistake}"),
    }
}

/// `text` on one line, without anything that moves a cursor, changes a colour or the
/// direction of writing.
pub fn harmless(text: &str) -> String {
    terminal::harmless(&text.replace(['\n', '\t'], " "))
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn nothing_in_a_text_makes_it_look_like_another() {
        for (text, expected) in [
            ("größer als x", "größer als x"),
            ("one\ntwo", "one two"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{202e}b", "a\u{fffd}b"),
            ("a\u{200b}b", "a\u{fffd}b"),
        ] {
            assert_eq!(harmless(text), expected);
        }
    }
}
