//! The arguments in a usage line: `SRC...`, `[FILES]...`, `{a|b}`, `COMMAND [ARGS]...`.

use super::forms;
use crate::model::{Evidence, Fact, Kind, Param, Scalar, Split};
use crate::sources::usage::tokens::{self, Group};

/// Longer lines are not read.
const LONGEST: usize = 16 << 10;

/// What a usage line says.
#[derive(Debug, Default)]
pub(super) struct Usage {
    pub positionals: Vec<Param>,
    /// A command's name goes there.
    pub has_commands: bool,
    /// The name may be left out.
    pub runs_alone: bool,
}

/// Reads the line of the command at `path`.
pub(super) fn read(line: &str, _program: &str, path: &[String]) -> Usage {
    let mut usage = Usage::default();
    if line.len() > LONGEST {
        return usage;
    }
    let all: Vec<&str> = tokens::split(line).iter().map(|token| token.text).collect();
    let mut rest = after_options(&all, path);
    while let [token, after @ ..] = rest {
        rest = after;
        let next_is_args = after.first().is_some_and(|next| next.starts_with("[ARGS]"));
        if next_is_args && token.to_uppercase().contains("COMMAND") {
            usage.has_commands = true;
            usage.runs_alone = token.starts_with('[');
            // What follows are more of them.
            break;
        }
        if is_options(token) {
            continue;
        }
        if matches!(*token, "COMMAND" | "[COMMAND]" | "<command>") && after.is_empty() {
            usage.has_commands = true;
            break;
        }
        // `SRC ...`
        let apart = after.first().is_some_and(|next| tokens::is_ellipsis(next));
        if apart {
            rest = &after[1..];
        }
        if let Some(param) = argument(token, apart) {
            let taken = usage.positionals.iter().any(|have| have.name == param.name);
            if !taken {
                usage.positionals.push(param);
            }
        }
    }
    usage
}

fn is_options(token: &str) -> bool {
    matches!(
        token.to_uppercase().as_str(),
        "[OPTIONS]" | "[OPTIONS]..." | "OPTIONS" | "[OPTION]..." | "[FLAGS]"
    )
}

/// What stands behind the program, the path and the word for options.
fn after_options<'a>(tokens: &'a [&'a str], path: &[String]) -> &'a [&'a str] {
    if let Some(at) = tokens.iter().position(|token| is_options(token))
        && at + 1 < tokens.len()
    {
        return &tokens[at + 1..];
    }
    let module = tokens.get(1) == Some(&"-m");
    let mut at = if module { 3 } else { 1 }.min(tokens.len());
    for word in path {
        if let Some(ahead) = tokens[at..].iter().position(|token| token == word) {
            at += ahead + 1;
        }
    }
    &tokens[at..]
}

fn argument(token: &str, repeated: bool) -> Option<Param> {
    let (body, mark) = tokens::unmarked(token.trim_end_matches('!'));
    let many = repeated || mark.starts_with("..") || mark == "…";
    let (inner, required) = match tokens::group(body) {
        Some(Group::Square(inner, "")) => (inner, false),
        _ => (body, true),
    };
    // Optional choices have brackets of their own in those.
    let choices = match forms::choices(inner) {
        found if !found.is_empty() => found,
        _ => forms::choices(body),
    };
    let (inner, inner_mark) = tokens::unmarked(inner);
    let many = many || inner_mark.starts_with("..");
    let name = inner.trim_matches(['[', ']', '{', '}', '<', '>']);
    if name.is_empty() || name.starts_with('-') {
        return None;
    }
    let kind = match many {
        true => Kind::List(Scalar::String, Split::Words),
        false => Kind::One(Scalar::String),
    };
    let name = if choices.is_empty() { name } else { "choice" };
    let mut param = Param::positional(name, kind);
    param.required = required;
    param.value_name = Some(token.to_owned());
    param.from.note(Fact::Name, Evidence::Help);
    param.from.note(Fact::Required, Evidence::Help);
    param.from.note(Fact::Type, Evidence::Help);
    if !choices.is_empty() {
        param.from.note(Fact::Choices, Evidence::Help);
    }
    param.choices = choices;
    Some(param)
}
