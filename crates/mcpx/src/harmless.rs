//! What a server says, as a person may see it: nothing in it drives the terminal or turns
//! the text around.

use argway_core::output::shown;

/// Text with its line breaks and its indentation.
pub fn text(text: &str) -> String {
    let shown = shown(text.as_bytes());
    let lines = shown.trim_end().lines().map(|line| {
        let line: String = line.chars().filter(|c| !turns_around(*c)).collect();
        line.replace('\t', "    ").trim_end().to_owned()
    });
    let lines: Vec<String> = lines.skip_while(String::is_empty).collect();
    lines.join("\n")
}

/// The same on one line.
pub fn line(said: &str) -> String {
    let text = text(said);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Text of at most `most` characters and a mark that there was more.
pub fn text_within(said: &str, most: usize) -> String {
    let (start, mark) = cut(said, most);
    format!("{}{mark}", text(start).trim())
}

/// The same on one line.
pub fn line_within(said: &str, most: usize) -> String {
    let line = line(said);
    let (start, mark) = cut(&line, most);
    format!("{start}{mark}")
}

/// JSON that means the same.
pub fn json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Outside of strings JSON has none of these, so here is a string.
            '\u{7f}'..='\u{9f}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if turns_around(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn cut(text: &str, most: usize) -> (&str, &'static str) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    }
}

/// Characters that let text show in another order than it is in.
fn turns_around(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_server_sends_drives_the_terminal() {
        for (sent, seen) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{9b}2Jtext\u{7f}", "text"),
            ("one\r\ntwo\r\n", "one\ntwo"),
            ("safe\u{202e}txt.exe", "safetxt.exe"),
            ("\n\n  indented\n\tmore  \n\n", "  indented\n    more"),
            ("bell\u{7}", "bell"),
        ] {
            assert_eq!(text(sent), seen, "{sent:?}");
        }
        assert_eq!(line("a\n  b\tc"), "a b c");
    }

    #[test]
    fn what_is_too_long_ends_with_a_mark() {
        for (sent, most, on_lines, on_one) in [
            ("ééééé", 3, "ééé…", "ééé…"),
            ("ééé", 3, "ééé", "ééé"),
            (
                " a\r\n\tb \u{1b}[31mc\u{202e}d ",
                20,
                "a\n    b cd",
                "a b cd",
            ),
            ("\u{202e}https://host", 40, "https://host", "https://host"),
        ] {
            assert_eq!(text_within(sent, most), on_lines, "{sent:?}");
            assert_eq!(line_within(sent, most), on_one, "{sent:?}");
        }
    }

    #[test]
    fn json_keeps_its_meaning_without_control_characters() {
        let sent = "{\"a\":\"\u{9b}2J\u{202e}é\"}";
        let safe = json(sent);
        assert_eq!(safe, r#"{"a":"\u009b2J\u202eé"}"#);
        let [sent, safe] = [sent, &safe].map(serde_json::from_str::<serde_json::Value>);
        assert_eq!(sent.ok(), safe.ok());
    }
}
