//! Patterns with `*` and `?`, as people write them for names.

/// Whether `text` is what `glob` means: `*` stands for anything, `?` for one character.
pub fn matches(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut g, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if g < glob.len() && glob[g] == '*' {
            star = Some((g, t));
            g += 1;
        } else if g < glob.len() && (glob[g] == '?' || glob[g] == text[t]) {
            g += 1;
            t += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            g = at + 1;
            t = from + 1;
        } else {
            return false;
        }
    }
    glob[g..].iter().all(|&char| char == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_is_anything_and_a_question_mark_one_character() {
        let cases = [
            ("pr list", "pr list", true),
            ("pr *", "pr list", true),
            ("*list*", "pr list", true),
            ("pr", "pr list", false),
            ("pr ?ist", "pr list", true),
            ("pr ?", "pr list", false),
            ("*", "", true),
            ("a*b*c", "axxbyybzc", true),
            ("a*b*c", "axxbyybz", false),
        ];
        for (glob, text, expected) in cases {
            assert_eq!(matches(glob, text), expected, "{glob} {text}");
        }
    }
}
