//! Text for a terminal: laid out, and broken where it is too wide.

use unicode_width::UnicodeWidthStr;

/// How far text stands in under its heading.
const INDENT: usize = 4;
/// A column that is wider than this does not push the next one further.
const WIDEST: usize = 36;
/// Text is not broken to lines narrower than this, however narrow the terminal.
const NARROWEST: usize = 24;

/// A page under construction.
#[derive(Debug)]
pub struct Page {
    text: String,
    /// Lines are broken at this width; 0 leaves them whole.
    columns: usize,
}

impl Page {
    /// An empty page.
    pub fn new(columns: usize) -> Self {
        let text = String::new();
        Self { text, columns }
    }

    /// Begins a section.
    pub fn heading(&mut self, title: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(title);
        self.text.push('\n');
    }

    /// An empty line.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Text under the heading, its own lines kept.
    pub fn paragraph(&mut self, text: &str) {
        for line in text.lines() {
            self.put(INDENT, &broken(line, self.room(INDENT)));
        }
    }

    /// Lines to be copied, which are never broken.
    pub fn verbatim(&mut self, text: &str) {
        for line in text.lines() {
            self.put(INDENT, &[line.to_owned()]);
        }
    }

    /// A command line that is too wide goes on further in, between its words.
    pub fn synopsis(&mut self, command: &str, words: &[String]) {
        let room = self.room(INDENT);
        let mut lines = vec![command.to_owned()];
        for word in words {
            let last = lines.len() - 1;
            if lines[last].width() + 1 + word.width() > room {
                lines.push(format!("    {word}"));
            } else {
                lines[last].push_str(&format!(" {word}"));
            }
        }
        self.put(INDENT, &lines);
    }

    /// Rows of columns, all but the last aligned.
    pub fn table(&mut self, rows: &[Vec<String>], gap: usize) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let widest = match (self.columns, columns) {
            // The texts get most of a narrow terminal.
            (1.., ..=2) => WIDEST.min(self.columns / 3),
            _ => WIDEST,
        };
        let starts = starts(rows, columns, gap, widest);
        for row in rows {
            let mut line = " ".repeat(INDENT);
            let mut below = Vec::new();
            for (cell, start) in row.iter().zip(&starts) {
                let start = INDENT + start;
                if cell.is_empty() {
                    continue;
                }
                let is_last = start == INDENT + starts[columns - 1];
                if is_last && columns > 1 && line.width() + gap.min(2) > start && self.columns > 0 {
                    // The row's beginning is too wide: its text goes below.
                    self.text.push_str(line.trim_end());
                    self.text.push('\n');
                    line.clear();
                }
                if line.width() > INDENT && line.width() + gap.min(2) > start {
                    line.push_str(&" ".repeat(gap.min(2)));
                }
                let pad = start.saturating_sub(line.width());
                line.push_str(&" ".repeat(pad));
                let room = self.room(start);
                let mut lines = cell.lines().flat_map(|line| broken(line, room));
                line.push_str(&lines.next().unwrap_or_default());
                below.extend(lines.map(|line| (start, line)));
            }
            self.text.push_str(line.trim_end());
            self.text.push('\n');
            for (start, line) in below {
                self.put(start, &[line]);
            }
        }
    }

    /// What was written.
    pub fn finish(self) -> String {
        self.text
    }

    fn room(&self, indent: usize) -> usize {
        match self.columns {
            0 => usize::MAX,
            columns => columns.saturating_sub(indent).max(NARROWEST),
        }
    }

    fn put(&mut self, indent: usize, lines: &[String]) {
        for line in lines {
            if !line.is_empty() {
                self.text.push_str(&" ".repeat(indent));
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
    }
}

/// Where each column starts.
fn starts(rows: &[Vec<String>], columns: usize, gap: usize, widest: usize) -> Vec<usize> {
    let mut start = 0;
    let mut starts = Vec::new();
    for column in 0..columns {
        starts.push(start);
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widths = cells.map(|cell| cell.width());
        start += widths.filter(|width| *width <= widest).max().unwrap_or(0) + gap;
    }
    starts
}

/// One line as lines that are no wider than `room`: broken between words, the rest as
/// far in as the line itself, or as the text of a list's item.
fn broken(line: &str, room: usize) -> Vec<String> {
    if line.width() <= room {
        return vec![line.to_owned()];
    }
    let text = line.trim_start();
    let bullet = ["- ", "* ", "• "].iter().any(|mark| text.starts_with(mark));
    let first = line.len() - text.len();
    let indent = (first + if bullet { 2 } else { 0 }).min(room / 2);
    let mut lines = Vec::new();
    let mut current = " ".repeat(first.min(room / 2));
    let mut is_empty = true;
    for word in text.split(' ') {
        if !is_empty && current.width() + 1 + word.width() > room {
            lines.push(current.trim_end().to_owned());
            current = " ".repeat(indent);
            is_empty = true;
        }
        if !is_empty {
            current.push(' ');
        }
        current.push_str(word);
        is_empty = false;
    }
    lines.push(current.trim_end().to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_are_too_wide_are_broken() {
        let cases: [(&str, usize, &[&str]); 5] = [
            ("short", 10, &["short"]),
            ("one two three", 8, &["one two", "three"]),
            ("  in deep water", 10, &["  in deep", "  water"]),
            ("- an item of it", 10, &["- an item", "  of it"]),
            ("averylongword here", 6, &["averylongword", "here"]),
        ];
        for (line, room, lines) in cases {
            assert_eq!(broken(line, room), lines, "{line}");
        }
    }

    #[test]
    fn columns_are_aligned_and_texts_of_several_lines_stay_in_theirs() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let rows = [
            row(["--a", "first\nsecond"]),
            row(["--longer", "text"]),
            row(["--a-flag-that-is-much-wider-than-all-others", "far"]),
        ];
        let mut page = Page::new(0);
        page.table(&rows, 4);
        let whole = "    --a         first\n                second\n    --longer    text\n    --a-flag-that-is-much-wider-than-all-others  far\n";
        assert_eq!(page.finish(), whole);
        let mut page = Page::new(40);
        page.table(&rows, 4);
        assert!(
            page.finish()
                .ends_with("than-all-others\n                far\n")
        );
        let rows = [
            row(["--a", "first"]),
            row(["--a-flag-of-30-columns-=STRING", "second"]),
        ];
        for (columns, expected) in [
            (
                80,
                "    --a    first\n    --a-flag-of-30-columns-=STRING\n           second\n",
            ),
            (
                120,
                "    --a                               first\n    --a-flag-of-30-columns-=STRING    second\n",
            ),
        ] {
            let mut page = Page::new(columns);
            page.table(&rows, 4);
            assert_eq!(page.finish(), expected, "in {columns} columns");
        }
    }
}
