//! Keeps secrets out of what is told while a call runs.

use crate::exec::Event;

/// What stands in a secret's place.
pub(super) const HIDDEN: &str = "***";

/// A cut line may end within a secret: so much of its beginning counts as one.
const SHORTEST_START: usize = 4;

/// What a line ends with that was too long.
const CUT: char = '…';

/// The secrets of one call.
#[derive(Clone, Default)]
pub(super) struct Redaction {
    /// Longest first, so that one within another does not spoil it.
    pieces: Vec<String>,
}

impl Redaction {
    /// Hides every line of every one of `secrets`.
    pub fn of<'a>(secrets: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut pieces: Vec<String> = secrets
            .into_iter()
            .flat_map(|secret| {
                let text = String::from_utf8_lossy(secret).into_owned();
                let lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
                lines
            })
            .filter(|piece| !piece.is_empty())
            .collect();
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
        pieces.dedup();
        Self { pieces }
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// `event` without the secrets.
    pub fn event(&self, event: Event) -> Event {
        match event {
            Event::StderrLine(line) => Event::StderrLine(self.line(line)),
            Event::Stdout(bytes) => Event::Stdout(bytes),
        }
    }

    fn line(&self, mut line: String) -> String {
        for piece in &self.pieces {
            if line.contains(piece.as_str()) {
                line = line.replace(piece.as_str(), HIDDEN);
            }
        }
        let Some(kept) = line.strip_suffix(CUT) else {
            return line;
        };
        let starts = self.pieces.iter().flat_map(|piece| {
            let ends = piece.char_indices().map(|(end, _)| end).rev();
            ends.map(|end| &piece[..end])
                .filter(|start| start.len() >= SHORTEST_START)
        });
        let longest = starts
            .filter(|start| kept.ends_with(start))
            .max_by_key(|start| start.len());
        match longest {
            Some(start) => format!("{}{HIDDEN}{CUT}", &kept[..kept.len() - start.len()]),
            None => line,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(secrets: &[&str], line: &str, expected: &str) {
        let redaction = Redaction::of(secrets.iter().map(|secret| secret.as_bytes()));
        let told = redaction.event(Event::StderrLine(line.to_owned()));
        assert_eq!(told, Event::StderrLine(expected.to_owned()));
    }

    #[test]
    fn a_secret_is_hidden_wherever_it_stands_in_a_line() {
        check(&["s3cret"], "token s3cret, s3cret", "token ***, ***");
        check(&["s3cret"], "no token", "no token");
        check(&["abc", "xabcx"], "xabcx abc", "*** ***");
    }

    #[test]
    fn each_line_of_a_long_secret_is_hidden() {
        let key = "-----BEGIN KEY-----\nMIIB\n-----END KEY-----\n";
        check(&[key], "  MIIB", "  ***");
        check(&[key], "-----END KEY-----", "***");
    }

    #[test]
    fn a_line_that_was_cut_within_a_secret_does_not_show_its_beginning() {
        check(&["s3cret"], "token s3cre…", "token ***…");
        check(&["s3cret"], "token s3c…", "token s3c…");
        check(&["s3cret"], "token s3cre", "token s3cre");
    }

    #[test]
    fn nothing_is_hidden_where_there_is_no_secret() {
        assert!(Redaction::of([b"".as_slice(), b"\n \n"]).is_empty());
        check(&[""], "all of it", "all of it");
    }
}
