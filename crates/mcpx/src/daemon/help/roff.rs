//! The manual as a man page: `man/mcpx.1` is what this writes.

use super::manual::{Block, SUMMARY, USAGE, sections};

/// The man page of mcpx.
pub fn man_page() -> String {
    let mut page = format!(
        ".\\\" Written by crates/mcpx/src/daemon/help/roff.rs from the same text as mcpx --help.\n\
         .TH MCPX 1 \"\" \"mcpx {}\" \"User Commands\"\n\
         .SH NAME\nmcpx \\- {}\n.SH SYNOPSIS\n",
        env!("CARGO_PKG_VERSION"),
        escaped(SUMMARY)
    );
    let lines: Vec<String> = USAGE.iter().map(|line| synopsis(line)).collect();
    page.push_str(&lines.join(".br\n"));
    for section in sections() {
        page.push_str(&format!(".SH {}\n", quoted(section.title)));
        for (index, block) in section.blocks.iter().enumerate() {
            match block {
                Block::Text(text) => {
                    if index > 0 {
                        page.push_str(".PP\n");
                    }
                    page.push_str(&line(&emphasised(text)));
                }
                Block::Terms(terms) => {
                    for (term, text) in terms {
                        let term = escaped(term);
                        page.push_str(&format!(".TP\n\\fB{term}\\fR\n{}", line(&escaped(text))));
                    }
                }
                Block::Lines(lines) => {
                    if index > 0 {
                        page.push_str(".PP\n");
                    }
                    page.push_str(".RS 4\n.nf\n");
                    for text in lines.lines() {
                        page.push_str(&line(&escaped(text)));
                    }
                    page.push_str(".fi\n.RE\n");
                }
            }
        }
    }
    page
}

/// A usage line: the words that are typed in bold, placeholders in italics.
fn synopsis(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let is_word = |c: char| c.is_ascii_alphabetic() || c == '-';
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end.max(usize::from(end == 0)));
        let font = match () {
            () if word.len() > 1
                && word
                    .trim_start_matches('-')
                    .chars()
                    .all(|c| c.is_ascii_uppercase()) =>
            {
                "I"
            }
            () if word.starts_with(|c: char| c.is_ascii_lowercase()) => "B",
            () => "R",
        };
        out.push_str(&format!("\\f{font}{}\\fR", escaped(word)));
        rest = after;
    }
    line(&out)
}

/// Text whose backticks stand for bold.
fn emphasised(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(index, part)| match index % 2 {
        0 => escaped(part),
        _ => format!("\\fB{}\\fR", escaped(part)),
    });
    parts.collect()
}

/// Text without anything that roff would understand.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '`' => out.push_str("\\(ga"),
            '"' => out.push_str("\\(dq"),
            '~' => out.push_str("\\(ti"),
            '^' => out.push_str("\\(ha"),
            '—' => out.push_str("\\(em"),
            c => out.push(c),
        }
    }
    out
}

/// A line of text, which is no request even if it begins like one.
fn line(text: &str) -> String {
    match text.starts_with(['.', '\'']) {
        true => format!("\\&{text}\n"),
        false => format!("{text}\n"),
    }
}

fn quoted(title: &str) -> String {
    match title.contains(' ') {
        true => format!("\"{title}\""),
        false => title.to_owned(),
    }
}
