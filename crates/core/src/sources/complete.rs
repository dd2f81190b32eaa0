//! Reads what Cobra's `__complete` prints.
//!
//! Programs print banners, log-file names and hints around the answer, so only
//! what stands before the directive line and looks like a candidate is kept.

/// The answer to one `__complete` call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// In printed order.
    pub candidates: Vec<Candidate>,
    /// What a shell should do besides.
    pub directive: Directive,
}

/// One proposed word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Candidate {
    /// The word, without the `=` that some versions append to flags.
    pub word: String,
    /// Its description: for a flag the first line of the raw usage text, its
    /// back-quotes kept.
    pub text: String,
}

/// The bit set that ends an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Directive(pub u32);

impl Directive {
    /// The program could not complete.
    pub const ERROR: Directive = Directive(1);
    /// Candidates are prefixes.
    pub const NO_SPACE: Directive = Directive(2);
    /// Files are no candidates.
    pub const NO_FILES: Directive = Directive(4);
    /// Candidates are file extensions.
    pub const FILE_EXTENSIONS: Directive = Directive(8);
    /// Candidates are directories.
    pub const DIRECTORIES: Directive = Directive(16);
    /// Candidates are in an order that means something.
    pub const KEEP_ORDER: Directive = Directive(32);

    /// Whether every bit of `other` is set.
    pub fn has(self, other: Directive) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A flag that completion offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedFlag {
    /// Without dashes.
    pub long: String,
    /// Without its dash.
    pub short: Option<char>,
    /// The first line of its usage text, back-quotes kept.
    pub text: String,
}

/// Reads standard output of a `__complete` call; nothing if no directive ends
/// it, which means that the program did not answer as Cobra does.
pub fn parse(stdout: &str) -> Option<Completion> {
    let lines: Vec<&str> = stdout.lines().collect();
    let end = lines.iter().rposition(|line| directive(line).is_some())?;
    Some(Completion {
        candidates: lines[..end]
            .iter()
            .filter_map(|line| candidate(line))
            .collect(),
        directive: directive(lines[end])?,
    })
}

fn directive(line: &str) -> Option<Directive> {
    let digits = line.trim_end().strip_prefix(':')?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().map(Directive)
}

fn candidate(line: &str) -> Option<Candidate> {
    let (word, text) = line.split_once('\t').unwrap_or((line, ""));
    let plausible = !word.is_empty()
        && !word.starts_with("_activeHelp_")
        && !word
            .chars()
            .any(|char| char.is_whitespace() || char.is_control());
    plausible.then(|| Candidate {
        word: match word.strip_suffix('=') {
            Some(flag) if flag.starts_with("--") => flag.to_owned(),
            _ => word.to_owned(),
        },
        text: text.trim_end().to_owned(),
    })
}

impl Completion {
    /// The candidates that are flags, each short form with its long one. Cobra
    /// prints a short form directly after the long form that it belongs to.
    pub fn flags(&self) -> Vec<OfferedFlag> {
        let mut flags: Vec<OfferedFlag> = Vec::new();
        for Candidate { word, text } in &self.candidates {
            if let Some(long) = word.strip_prefix("--") {
                if !long.is_empty() {
                    flags.push(OfferedFlag {
                        long: long.to_owned(),
                        short: None,
                        text: text.clone(),
                    });
                }
            } else if let Some(short) = word.strip_prefix('-') {
                let mut chars = short.chars();
                if let (Some(char), None, Some(flag)) =
                    (chars.next(), chars.next(), flags.last_mut())
                    && flag.short.is_none()
                    && flag.text == *text
                {
                    flag.short = Some(char);
                }
            }
        }
        flags
    }

    /// The candidates that could be names of commands.
    pub fn names(&self) -> impl Iterator<Item = &Candidate> {
        self.candidates
            .iter()
            .filter(|candidate| !candidate.word.starts_with('-'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stdout: &str, expected: &str) {
        let shown = match parse(stdout) {
            None => "no answer".to_owned(),
            Some(answer) => {
                let words: Vec<String> = answer
                    .candidates
                    .iter()
                    .map(|candidate| format!("{}({})", candidate.word, candidate.text))
                    .collect();
                format!("{} :{}", words.join(" "), answer.directive.0)
            }
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn candidates_come_with_their_descriptions() {
        check(
            "get\tGet it\nset\n:4\nCompletion ended with directive: ShellCompDirectiveNoFileComp\n",
            "get(Get it) set() :4",
        );
    }

    #[test]
    fn a_banner_before_the_answer_is_dropped() {
        check(
            "Logging to /tmp/x.log now\nget\tGet it\n:0\n",
            "get(Get it) :0",
        );
    }

    #[test]
    fn hints_are_no_candidates() {
        check("_activeHelp_ Type a name\nget\n:4\n", "get() :4");
    }

    #[test]
    fn without_a_directive_there_is_no_answer() {
        check("Usage: age [options]\n", "no answer");
        check("", "no answer");
        check(":\n", "no answer");
    }

    #[test]
    fn an_equals_sign_after_a_flag_is_not_part_of_it() {
        check("--output=\tFormat\n:6\n", "--output(Format) :6");
    }

    #[test]
    fn short_forms_join_the_flag_before_them() {
        let answer = parse("--all\tAll\n-a\tAll\n--by\tBy `key`\n-x\tOther\n:4\n").unwrap();
        let flags: Vec<_> = answer
            .flags()
            .into_iter()
            .map(|flag| (flag.long, flag.short, flag.text))
            .collect();
        assert_eq!(
            flags,
            [
                ("all".to_owned(), Some('a'), "All".to_owned()),
                ("by".to_owned(), None, "By `key`".to_owned()),
            ]
        );
    }
}
