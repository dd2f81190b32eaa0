//! Values that nobody may see but the program that they are for.
//!
//! They never stand among the words, and showing one in any way shows `***`.

use std::fmt;

use super::{Arguments, shell_line};
use crate::catalog::Tool;
use crate::model::Secret;

/// What stands where a secret would be shown.
const HIDDEN: &str = "***";

/// A secret value.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// The value itself, for the program that it is for.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// The secrets of one call, by the way that they reach the program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Secrets {
    /// Variables and their values.
    pub environment: Vec<(String, SecretText)>,
    /// What the program reads.
    pub stdin: Option<SecretText>,
}

impl Secrets {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.environment.is_empty() && self.stdin.is_none()
    }

    /// `words` as [`shell_line`] shows them, with where secrets go and not what they
    /// are: `TOKEN=*** gh api`.
    pub fn shell_line<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> String {
        let mut line = String::new();
        for (name, value) in &self.environment {
            line.push_str(&format!("{name}={value} "));
        }
        line.push_str(&shell_line(words));
        if let Some(value) = &self.stdin {
            line.push_str(&format!(" < {value}"));
        }
        line
    }
}

impl Arguments {
    /// The secrets that `tool` was given, which are not among its words.
    pub fn secrets(&self, tool: &Tool) -> Secrets {
        let mut secrets = Secrets::default();
        for (slot, value) in &self.secrets {
            match &tool.param(*slot).secret {
                Some(Secret::Environment(name)) => {
                    secrets.environment.push((name.clone(), value.clone()));
                }
                Some(Secret::Stdin) => secrets.stdin = Some(value.clone()),
                None => {}
            }
        }
        secrets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_shown_as_stars_whoever_shows_it() {
        let secret = || SecretText::new("hunter2".to_owned());
        let secrets = Secrets {
            environment: vec![("TOKEN".to_owned(), secret()), ("KEY".to_owned(), secret())],
            stdin: Some(secret()),
        };
        assert_eq!(
            secrets.shell_line(["gh", "api", "a b"]),
            "TOKEN=*** KEY=*** gh api 'a b' < ***"
        );
        for shown in [
            format!("{secrets:?}"),
            format!("{:#?}", secret()),
            secret().to_string(),
        ] {
            assert!(
                !shown.contains("hunter2") && shown.contains("***"),
                "{shown}"
            );
        }
        assert_eq!(secret().expose(), "hunter2");
        assert_eq!(Secrets::default().shell_line(["gh"]), "gh");
    }
}
