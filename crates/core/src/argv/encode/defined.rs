//! The words of parameters in the forms that their source gives them: a definition, or
//! the help of a program of any family but Cobra's.

use super::super::{Arguments, Given};
use crate::catalog::Tool;
use crate::catalog::names::Slot;
use crate::model::{Joiner, Kind, Param, Spelling, Split};

/// What stands between joined values where a definition does not say.
const SEPARATOR: &str = " ";

/// Appends the words of one flag, or says why there are none. What is off or empty
/// has none: a default is written by argway or not at all.
pub(super) fn flag_words(
    param: &Param,
    given: &Given,
    words: &mut Vec<String>,
) -> Result<(), String> {
    let spelling = param.spelling().ok_or("has no spelling")?;
    let name = name(spelling).ok_or("has no spelling")?;
    match given {
        Given::Switch(true) => words.push(name.clone()),
        Given::Switch(false) => words.extend(spelling.negative.clone()),
        Given::Count(times) => words.extend(std::iter::repeat_n(name.clone(), *times as usize)),
        Given::Bare => words.push(name.clone()),
        Given::One(value) => push(name, spelling.joiner, value, words)?,
        // `--list` alone is not the same as none.
        Given::Many(values) if values.is_empty() => {
            words.extend(spelling.bare.as_ref().map(|_| name.clone()));
        }
        Given::Many(values) => match &param.kind {
            Kind::List(_, Split::Csv | Split::Comma) => {
                push(name, spelling.joiner, &joined(values, Some(","))?, words)?;
            }
            Kind::List(_, Split::Joined) => {
                let word = joined(values, spelling.separator.as_deref())?;
                push(name, spelling.joiner, &word, words)?;
            }
            // `--files a b c`
            Kind::List(_, Split::Words) => {
                if let Some(value) = values.iter().find(|value| looks_like_flag(value)) {
                    return Err(format!("cannot hold {value:?}: it could be read as a flag"));
                }
                for values in values.chunks(together(param, values).unwrap_or(values.len())) {
                    words.push(name.clone());
                    words.extend(values.iter().cloned());
                }
            }
            _ => {
                for value in values {
                    push(name, spelling.joiner, value, words)?;
                }
            }
        },
        Given::Pairs(pairs) => {
            for (key, value) in pairs {
                if key.contains('=') {
                    return Err(format!(
                        "cannot have the key `{key}`: it holds an equals sign"
                    ));
                }
                push(name, spelling.joiner, &format!("{key}={value}"), words)?;
            }
        }
    }
    Ok(())
}

/// How many of `values` stand behind each occurrence of a flag that takes a fixed number of
/// them, as its placeholder shows: `--arg NAME VALUE`, click's `<TEXT TEXT>...`.
pub(super) fn together(param: &Param, values: &[String]) -> Option<usize> {
    let shown = param.value_name.as_deref()?;
    let tuple = shown
        .strip_prefix('<')
        .and_then(|it| it.strip_suffix(">..."));
    let shown = tuple.unwrap_or(shown);
    let count = shown.split_whitespace().count();
    let fixed = count > 1 && !shown.contains(['[', '|', '.', '…']);
    (fixed && values.len().is_multiple_of(count)).then_some(count)
}

/// The form that is written: a value can be attached to a short one only, as a rule.
fn name(spelling: &Spelling) -> Option<&String> {
    let (long, short) = (spelling.long.as_ref(), spelling.short.as_ref());
    match spelling.joiner {
        Joiner::Attached => short.or(long),
        Joiner::Equals | Joiner::Space => long.or(short),
    }
}

fn push(name: &str, joiner: Joiner, value: &str, words: &mut Vec<String>) -> Result<(), String> {
    match joiner {
        Joiner::Equals => words.push(format!("{name}={value}")),
        Joiner::Attached => words.push(attached(name, value)?),
        Joiner::Space => {
            // getopt would take it; clap, argparse and others read a flag.
            let negative = value.parse::<f64>().is_ok();
            if looks_like_flag(value) && !negative {
                return Err(format!(
                    "cannot be {value:?}: behind a space it could be read as a flag; where the \
                     program takes `{name}=VALUE`, its definition can say `joiner \"equals\"`"
                ));
            }
            words.extend([name.to_owned(), value.to_owned()]);
        }
    }
    Ok(())
}

/// `-C5`.
pub(super) fn attached(name: &str, value: &str) -> Result<String, String> {
    match value.is_empty() {
        // The program would take the next word for it.
        true => Err(format!(
            "cannot be empty: its value stands right behind `{name}`"
        )),
        false => Ok(format!("{name}{value}")),
    }
}

/// `values` as one word that its reader takes apart into the same.
pub(super) fn joined(values: &[String], separator: Option<&str>) -> Result<String, String> {
    let separator = separator.unwrap_or(SEPARATOR);
    if !separator.is_empty()
        && let Some(value) = values.iter().find(|value| value.contains(separator))
    {
        return Err(format!(
            "cannot hold {value:?}: its values are joined with {separator:?}, which would split it; \
             the definition can say another `separator`, or `repeat` where the program takes the \
             flag several times"
        ));
    }
    // Who splits at blanks sees no difference between none and two.
    let is_blank = !separator.is_empty() && separator.trim().is_empty();
    if is_blank && values.iter().any(String::is_empty) {
        return Err("cannot hold an empty value: nothing would be left of it".to_owned());
    }
    Ok(values.join(separator))
}

/// The positionals' words, behind `--` where one looks like a flag.
pub(super) fn positional_words(
    tool: &Tool,
    arguments: &Arguments,
    problems: &mut Vec<String>,
) -> Vec<String> {
    let spec = tool.spec();
    let mut words: Vec<String> = Vec::new();
    let mut exposed: Option<String> = None;
    let mut as_written = false;
    for (slot, given) in &arguments.given {
        let Slot::Positional(_) = slot else {
            continue;
        };
        let param = tool.param(*slot);
        let own: Vec<String> = match given {
            Given::One(word) => vec![word.clone()],
            Given::Many(values) => match &param.kind {
                Kind::List(_, Split::Joined) if !values.is_empty() => match joined(values, None) {
                    Ok(word) => vec![word],
                    Err(problem) => {
                        problems.push(format!("`{}` {problem}", param.name));
                        continue;
                    }
                },
                _ => values.clone(),
            },
            Given::Switch(on) => vec![on.to_string()],
            Given::Count(_) | Given::Bare | Given::Pairs(_) => Vec::new(),
        };
        // The words of a line are the caller's to choose, flags and all.
        match param.kind {
            Kind::Line => as_written |= !own.is_empty(),
            _ => exposed = exposed.or_else(|| own.iter().find(|it| looks_like_flag(it)).cloned()),
        }
        words.extend(own);
    }
    if let Some(word) = words.first().filter(|word| tool.reserved.contains(word)) {
        problems.push(format!(
            "{word:?} cannot stand as an argument of `{}`: the program would read it as its subcommand",
            tool.command_line()
        ));
    }
    let Some(word) = exposed else {
        return words;
    };
    let has_end = spec.run.as_ref().is_none_or(|run| run.end_of_options);
    if !has_end || as_written {
        problems.push(format!(
            "{word:?} would be read as a flag: nothing protects it in `{}`",
            tool.command_line()
        ));
        return words;
    }
    words.insert(0, "--".to_owned());
    words
}

fn looks_like_flag(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}
