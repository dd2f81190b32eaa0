//! Texts with variables: `${VAR}` and `${VAR:-default}`.
//!
//! mcpx's own file is written in this grammar. What other clients write is turned
//! into it when their files are read, so that only this file knows about `$`.

use std::fmt;
use std::path::Path;

/// A text in pieces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Variable {
        name: String,
        default: Option<String>,
    },
}

/// What the variables of other clients stand for.
#[derive(Debug, Clone, Copy)]
pub struct Dialect<'a> {
    /// `${userHome}`.
    pub home: &'a Path,
    /// `${workspaceFolder}`.
    pub workspace: &'a Path,
    /// `$VAR` without braces is a variable, and stays as it is where it is not set.
    pub bare: bool,
}

impl Template {
    /// Reads a text. Of `$`s directly before a `{`, each pair is one plain `$`; an odd
    /// one begins a variable. Any other `$` is a `$`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut template = Self::default();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            template.text(&rest[..at]);
            let run = rest[at..].bytes().take_while(|byte| *byte == b'$').count();
            let after = &rest[at + run..];
            let Some(inside) = after.strip_prefix('{') else {
                template.text(&rest[at..at + run]);
                rest = after;
                continue;
            };
            template.text(&"$".repeat(run / 2));
            if run % 2 == 0 {
                template.text("{");
                rest = inside;
                continue;
            }
            let end = inside.find('}').ok_or_else(|| {
                "`${` has no `}`; write `$${` for one that begins no variable".to_owned()
            })?;
            template.variable(&inside[..end]);
            rest = &inside[end + 1..];
        }
        template.text(rest);
        Ok(template)
    }

    /// A text without variables, whatever it holds.
    pub fn literal(text: &str) -> Self {
        let mut template = Self::default();
        template.text(text);
        template
    }

    /// Reads a text of another client.
    pub fn of_client(text: &str, dialect: Dialect<'_>) -> Self {
        let mut template = Self::default();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            template.text(&rest[..at]);
            let after = &rest[at + 1..];
            let braced = after.strip_prefix('{').and_then(|inside| {
                let end = inside.find('}')?;
                Some((&inside[..end], &inside[end + 1..]))
            });
            let bare = after
                .find(|c: char| !is_name_character(c))
                .unwrap_or(after.len());
            if let Some((inside, behind)) = braced {
                if !template.client_variable(inside, dialect) {
                    template.text(&rest[at..at + 3 + inside.len()]);
                }
                rest = behind;
            } else if dialect.bare && is_name(&after[..bare]) {
                template.0.push(Piece::Variable {
                    name: after[..bare].to_owned(),
                    default: Some(format!("${}", &after[..bare])),
                });
                rest = &after[bare..];
            } else {
                template.text("$");
                rest = after;
            }
        }
        template.text(rest);
        template
    }

    /// Whether what is inside `${…}` means something; its meaning is added.
    fn client_variable(&mut self, inside: &str, dialect: Dialect<'_>) -> bool {
        let folder_name = || dialect.workspace.file_name().unwrap_or_default();
        match inside {
            "workspaceFolder" | "workspaceRoot" | "cwd" => {
                self.text(&dialect.workspace.to_string_lossy());
            }
            "workspaceFolderBasename" => self.text(&folder_name().to_string_lossy()),
            "userHome" => self.text(&dialect.home.to_string_lossy()),
            "pathSeparator" | "/" => self.text("/"),
            _ => {
                let plain = inside.strip_prefix("env:").unwrap_or(inside);
                let (name, _) = plain.split_once(":-").unwrap_or((plain, ""));
                let kind = inside.split_once(':').map(|(kind, _)| kind);
                if !is_name(name) && !kind.is_some_and(is_name) {
                    return false;
                }
                self.variable(plain);
            }
        }
        true
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.0.push(Piece::Text(text.to_owned())),
        }
    }

    fn variable(&mut self, inside: &str) {
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (inside, None),
        };
        self.0.push(Piece::Variable {
            name: name.to_owned(),
            default,
        });
    }

    /// Whether every variable is one that an environment can have.
    pub fn check(&self) -> Result<(), String> {
        for piece in &self.0 {
            let Piece::Variable { name, default } = piece else {
                continue;
            };
            if !is_name(name) {
                return Err(format!(
                    "`${{{name}}}` names no variable; a name has letters, digits and `_`, and `$${{` is a plain `${{`"
                ));
            }
            if default.as_ref().is_some_and(|text| text.contains("${")) {
                return Err(format!(
                    "the default of `{name}` holds a variable of its own; a default is plain text"
                ));
            }
        }
        Ok(())
    }

    /// The whole text, if it has no variables.
    pub fn plain(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The text before the first variable.
    pub fn beginning(&self) -> &str {
        match self.0.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// Whether it begins with a variable.
    pub fn begins_with_variable(&self) -> bool {
        matches!(self.0.first(), Some(Piece::Variable { .. }))
    }

    /// With every variable filled in by `value`, which gives nothing for one that is
    /// not set. A default stands for a variable that is not set or empty.
    pub fn fill(
        &self,
        mut value: impl FnMut(&str) -> Result<Option<String>, String>,
    ) -> Result<String, String> {
        let mut filled = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Variable { name, .. } if !is_name(name) => {
                    return Err(format!(
                        "`${{{}}}` can only be filled in by the program that the file belongs to; name an environment variable instead",
                        name.escape_debug()
                    ));
                }
                Piece::Variable { name, default } => match (value(name)?, default) {
                    (Some(value), None) => filled.push_str(&value),
                    (Some(value), Some(_)) if !value.is_empty() => filled.push_str(&value),
                    (_, Some(default)) => filled.push_str(default),
                    (None, None) => {
                        return Err(format!("the variable `{name}` is not set"));
                    }
                },
            }
        }
        Ok(filled)
    }
}

/// In the grammar that [`Template::parse`] reads.
impl fmt::Display for Template {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, piece) in self.0.iter().enumerate() {
            match piece {
                Piece::Variable { name, default } => match default {
                    Some(default) => write!(out, "${{{name}:-{default}}}")?,
                    None => write!(out, "${{{name}}}")?,
                },
                Piece::Text(text) => {
                    let mut run = 0;
                    for character in text.chars() {
                        match character {
                            '$' => run += 1,
                            '{' => {
                                write!(out, "{}{{", "$".repeat(2 * run))?;
                                run = 0;
                            }
                            _ => {
                                write!(out, "{}{character}", "$".repeat(run))?;
                                run = 0;
                            }
                        }
                    }
                    let before_variable = at + 1 < self.0.len();
                    let times = if before_variable { 2 } else { 1 };
                    out.write_str(&"$".repeat(times * run))?;
                }
            }
        }
        Ok(())
    }
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Whether an environment variable can be called so.
pub fn is_name(text: &str) -> bool {
    text.chars().all(is_name_character) && text.starts_with(|c: char| !c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    fn value(name: &str) -> Result<Option<String>, String> {
        Ok(match name {
            "USER" => Some("ada".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        })
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let template = Template::parse(text).unwrap();
        assert_eq!(template.fill(value).unwrap(), expected, "{text}");
        assert_eq!(
            Template::parse(&template.to_string()).unwrap(),
            template,
            "{text} again"
        );
    }

    #[test]
    fn variables_are_filled_in() {
        check("", "");
        check("plain", "plain");
        check("${USER}", "ada");
        check("a ${USER} b${USER}", "a ada bada");
        check("${NONE:-else}", "else");
        check("${EMPTY:-else}", "else");
        check("${EMPTY}", "");
        check("${USER:-else}", "ada");
        check("${NONE:-}", "");
    }

    #[test]
    fn a_dollar_is_a_dollar_unless_it_opens_a_brace() {
        check("cost: 5$", "cost: 5$");
        check("pa$$word", "pa$$word");
        check("$USER", "$USER");
        check("$${USER}", "${USER}");
        check("$$${USER}", "$ada");
        check("$$$${USER}", "$${USER}");
        check("{x} $", "{x} $");
        check("^${USER}$", "^ada$");
    }

    #[test]
    fn what_cannot_be_filled_in_says_why() {
        let cases = [
            ("${NONE}", "the variable `NONE` is not set"),
            (
                "${input:token}",
                "`${input:token}` can only be filled in by the program that the file belongs to; name an environment variable instead",
            ),
        ];
        for (text, expected) in cases {
            let template = Template::parse(text).unwrap();
            assert_eq!(template.fill(value).unwrap_err(), expected);
        }
        assert_eq!(
            Template::parse("a ${USER").unwrap_err(),
            "`${` has no `}`; write `$${` for one that begins no variable"
        );
    }

    #[test]
    fn names_and_defaults_are_checked() {
        let cases = [
            (
                "${A-B}",
                "`${A-B}` names no variable; a name has letters, digits and `_`, and `$${` is a plain `${`",
            ),
            (
                "${}",
                "`${}` names no variable; a name has letters, digits and `_`, and `$${` is a plain `${`",
            ),
            (
                "${A:-${B}}",
                "the default of `A` holds a variable of its own; a default is plain text",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(
                Template::parse(text).unwrap().check().unwrap_err(),
                expected
            );
        }
    }

    #[test]
    fn other_clients_variables_become_ours() {
        let dialect = Dialect {
            home: Path::new("/home/ada"),
            workspace: Path::new("/src/${odd}"),
            bare: false,
        };
        let cases = [
            ("${env:USER}", "${USER}"),
            ("${USER}", "${USER}"),
            ("${USER:-x}", "${USER:-x}"),
            ("${userHome}/bin", "/home/ada/bin"),
            ("${workspaceFolder}/bin", "/src/$${odd}/bin"),
            ("${workspaceFolderBasename}", "$${odd}"),
            ("${input:key}", "${input:key}"),
            ("${not a name}", "$${not a name}"),
            ("a$b $$ ${", "a$b $$ $${"),
            ("$${USER}", "$$${USER}"),
        ];
        for (text, expected) in cases {
            let template = Template::of_client(text, dialect);
            assert_eq!(template.to_string(), expected, "{text}");
            assert_eq!(
                Template::parse(expected).unwrap(),
                template,
                "{text} read again"
            );
        }
        let bare = Dialect {
            bare: true,
            ..dialect
        };
        for (text, expected) in [("$USER-1", "ada-1"), ("pa$sword", "pa$sword"), ("5$", "5$")] {
            let template = Template::of_client(text, bare);
            let again = Template::parse(&template.to_string()).unwrap();
            assert_eq!(again.fill(value).unwrap(), expected, "{text}");
        }
    }
}
