//! Checked arguments as words.
//!
//! The forms are those that pflag reads without a second meaning: `--flag=value`
//! always, so that no value is taken for a flag or a subcommand; `--` before
//! positionals that could be. A definition says the forms itself, and nothing that
//! its program would read as something else is written.

use super::{ArgumentError, Arguments, Given, groups, value};
use crate::catalog::Tool;
use crate::catalog::names::Slot;
use crate::model::{Family, Joiner, Kind, Param, Scalar, Split};
use crate::schema;

mod defined;

/// Bytes of one list word beyond which the rest goes into another.
const LONG_WORD: usize = 64 * 1024;

/// The words after the program's name.
///
/// Arguments that [`Arguments::check`] let through for the same tool always have
/// words; the error is for those of another.
pub fn encode(tool: &Tool, arguments: &Arguments) -> Result<Vec<String>, ArgumentError> {
    let mut problems = Vec::new();
    let spec = tool.spec();
    let mut words = Vec::new();
    // Those of flags that stand behind so many words of the path.
    let mut early: Vec<Vec<String>> = vec![Vec::new(); spec.path.len()];
    let positionals = positional_words(tool, arguments, &mut problems);
    let switches = match positionals.iter().any(|word| word == "--") {
        true if tool.family() == Family::Cobra => Switches::Valued,
        _ => Switches::Alone,
    };
    for (slot, given) in &arguments.given {
        if let Slot::Positional(_) = slot {
            continue;
        }
        let param = tool.param(*slot);
        let place = param.spelling().and_then(|spelling| spelling.after_words);
        let place = place.and_then(|place| early.get_mut(place));
        if let Err(problem) = words_of(tool, param, given, switches, place.unwrap_or(&mut words)) {
            problems.push(format!("`{}` {problem}", param.name));
        }
    }
    let used = arguments.used();
    for param in &tool.constants {
        if param.secret.is_some() || groups::is_excluded(tool, &param.name, &used) {
            continue;
        }
        if let Err(problem) = constant_words(tool, param, &mut words) {
            problems.push(format!("`{}` {problem}", param.name));
        }
    }
    let fixed = spec.run.iter().flat_map(|run| &run.words).cloned();
    let path = early.into_iter().zip(&spec.path);
    let path = path.flat_map(|(early, word)| early.into_iter().chain([word.clone()]));
    let words: Vec<String> = fixed.chain(path).chain(words).chain(positionals).collect();
    if words.iter().any(|word| word.contains('\0')) {
        problems.push("an argument holds a NUL byte, which no command line can carry".to_owned());
    }
    match problems.is_empty() {
        true => Ok(words),
        false => Err(ArgumentError { problems }),
    }
}

/// How a flag that needs no value is written.
#[derive(Clone, Copy)]
enum Switches {
    /// `--force`.
    Alone,
    /// `--force=true`. Were it after all a flag that takes a value, alone it would
    /// take the `--` behind it, and what that protects would be read as flags.
    Valued,
}

fn words_of(
    tool: &Tool,
    param: &Param,
    given: &Given,
    switches: Switches,
    words: &mut Vec<String>,
) -> Result<(), String> {
    match tool.family() {
        Family::Cobra => flag_words(param, given, switches, words),
        _ => defined::flag_words(param, given, words),
    }
}

/// Appends the words of a flag that no caller sees and every call gives.
fn constant_words(tool: &Tool, param: &Param, words: &mut Vec<String>) -> Result<(), String> {
    let Some(default) = schema::injected(param) else {
        return Ok(());
    };
    let given = value::given(param, &default)
        .map_err(|expected| format!("takes {expected}, not {default}"))?;
    words_of(tool, param, &given, Switches::Alone, words)
}

/// Appends the words of one flag, or says why there are none.
fn flag_words(
    param: &Param,
    given: &Given,
    switches: Switches,
    words: &mut Vec<String>,
) -> Result<(), String> {
    let Some(spelling) = param.spelling() else {
        return Err("has no spelling".to_owned());
    };
    let Some(name) = spelling.long.as_ref().or(spelling.short.as_ref()) else {
        return Err("has no spelling".to_owned());
    };
    let joiner = spelling.joiner;
    let mut push = |value: String| match joiner {
        Joiner::Equals => {
            words.push(format!("{name}={value}"));
            Ok(())
        }
        Joiner::Space => {
            let negative = value.parse::<f64>().is_ok();
            if value.starts_with('-') && value.len() > 1 && !negative {
                return Err(format!("cannot be `{value}`: it would be read as a flag"));
            }
            words.push(name.clone());
            words.push(value);
            Ok(())
        }
        Joiner::Attached => {
            words.push(defined::attached(name, &value)?);
            Ok(())
        }
    };
    match given {
        Given::Switch(true) => words.push(match switches {
            Switches::Alone => name.clone(),
            Switches::Valued => format!("{name}=true"),
        }),
        Given::Bare => words.push(match (switches, &spelling.bare) {
            (Switches::Valued, Some(value)) => format!("{name}={value}"),
            _ => name.clone(),
        }),
        Given::Switch(false) => {
            if param.default.as_deref() == Some("true") {
                // Whatever the joiner: without `=` it would be on, and `false` a positional.
                words.push(format!("{name}=false"));
            }
        }
        Given::Count(times) => {
            words.extend(std::iter::repeat_n(name.clone(), *times as usize));
        }
        Given::One(value) => push(value.clone())?,
        Given::Many(values) => {
            let (scalar, split) = match &param.kind {
                Kind::List(scalar, split) => (scalar, *split),
                _ => (&Scalar::String, Split::Repeat),
            };
            if values.is_empty() {
                return empty_list(param, scalar, split).map(|word| {
                    words.extend(word.then(|| format!("{name}=")));
                });
            }
            for value in list_values(values, scalar, split)? {
                push(value)?;
            }
        }
        Given::Pairs(pairs) => {
            if pairs.is_empty() && has_default(param) {
                return Err("cannot be emptied: its default stays where no key is given".to_owned());
            }
            let scalar = match &param.kind {
                Kind::Map(scalar) => scalar,
                _ => &Scalar::String,
            };
            for (key, value) in pairs {
                push(pair(key, value, scalar)?)?;
            }
        }
    }
    Ok(())
}

fn has_default(param: &Param) -> bool {
    param
        .default
        .as_deref()
        .is_some_and(|text| !matches!(text, "" | "[]"))
}

/// Whether an empty list is said with `--flag=`; nothing needs saying where the
/// default is empty too.
fn empty_list(param: &Param, scalar: &Scalar, split: Split) -> Result<bool, String> {
    // pflag reads these lists as CSV, in which nothing is the empty record.
    let sayable = split == Split::Csv
        || (split == Split::Comma && matches!(scalar, Scalar::Bool | Scalar::Ip | Scalar::IpNet));
    match (has_default(param), sayable) {
        (false, _) => Ok(false),
        (true, true) => Ok(true),
        (true, false) => {
            Err("cannot be emptied: its default stays where no value is given".to_owned())
        }
    }
}

/// The values to write behind the flag, each time it is repeated.
fn list_values(values: &[String], scalar: &Scalar, split: Split) -> Result<Vec<String>, String> {
    let elements: Vec<String> = match split {
        Split::Repeat | Split::Words => return Ok(values.to_vec()),
        Split::Joined => return defined::joined(values, None).map(|word| vec![word]),
        Split::Comma => {
            if let Some(value) = values.iter().find(|value| value.contains(',')) {
                return Err(format!("cannot hold `{value}`: a comma would split it"));
            }
            values.to_vec()
        }
        Split::Csv if *scalar == Scalar::String => values
            .iter()
            .map(|value| csv_field(value))
            .collect::<Result<_, _>>()?,
        Split::Csv => values.to_vec(),
    };
    let mut out: Vec<String> = Vec::new();
    for element in elements {
        match out.last_mut() {
            Some(last) if last.len() + element.len() < LONG_WORD => {
                last.push(',');
                last.push_str(&element);
            }
            _ => out.push(element),
        }
    }
    Ok(out)
}

/// A field that Go's `encoding/csv` reads back as `value`.
fn csv_field(value: &str) -> Result<String, String> {
    if value.contains("\r\n") {
        return Err("cannot hold a carriage return before a line feed: CSV loses it".to_owned());
    }
    let needs_quotes = value.is_empty() || value.contains([',', '"', '\n', '\r']);
    Ok(match needs_quotes {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value.to_owned(),
    })
}

/// One `key=value` that pflag reads back as that pair.
fn pair(key: &str, value: &str, scalar: &Scalar) -> Result<String, String> {
    if key.contains('=') {
        return Err(format!(
            "cannot have the key `{key}`: it holds an equals sign"
        ));
    }
    let raw = format!("{key}={value}");
    if *scalar != Scalar::String {
        return match raw.contains(',') {
            true => Err(format!("cannot hold `{raw}`: a comma would split it")),
            false => Ok(raw),
        };
    }
    let special = raw.contains([',', '"', '\n', '\r']);
    match value.contains('=') {
        // With one equals sign pflag takes the word as it is, but for the quotes
        // around it, which it drops; with more it reads CSV.
        false if !raw.starts_with('"') && !raw.ends_with('"') => Ok(raw),
        // So the pair is said twice, which makes two equals signs and one pair.
        false => csv_field(&raw).map(|field| format!("{field},{field}")),
        true if special => csv_field(&raw),
        true => Ok(raw),
    }
}

/// The positionals' words, protected where they need it.
fn positional_words(tool: &Tool, arguments: &Arguments, problems: &mut Vec<String>) -> Vec<String> {
    if tool.family() == Family::Definition {
        return defined::positional_words(tool, arguments, problems);
    }
    let (before, after) = places(tool, arguments);
    for word in before.iter().chain(&after) {
        if let Some(name) = subcommand(tool, word) {
            problems.push(format!(
                "{word:?} cannot stand as an argument of `{}`: the program could read it as its subcommand `{name}`",
                tool.command_line()
            ));
        }
    }
    let is_flag = |word: &&String| word.starts_with('-') && word.len() > 1;
    let run = tool.spec().run.as_ref();
    if tool.spec().raw_words || run.is_some_and(|run| !run.end_of_options) {
        // It hands every word on, `--` too, so that nothing protects one.
        if let Some(word) = before.iter().chain(&after).find(is_flag) {
            problems.push(format!(
                "{word:?} cannot be given: `{}` passes flags on without checking them",
                tool.command_line()
            ));
        }
        return [before, after].concat();
    }
    let dashes = || vec!["--".to_owned()];
    let exposed = before.iter().find(is_flag);
    if asks_for_dashes(tool) {
        // The program looks where its `--` stands, so there is only that one.
        if let Some(word) = exposed {
            problems.push(format!(
                "{word:?} would be read as a flag: nothing protects it before the `--` of this command"
            ));
        }
        return match after.is_empty() {
            true => before,
            false => [before, dashes(), after].concat(),
        };
    }
    let protected =
        exposed.is_some() || !tool.reserved.is_empty() || flag_takes_words(tool, arguments);
    match !before.is_empty() && protected {
        true => [dashes(), before].concat(),
        false => before,
    }
}

/// Whether a flag was given that takes words until something ends them.
fn flag_takes_words(tool: &Tool, arguments: &Arguments) -> bool {
    arguments.given.iter().any(|(slot, given)| {
        let param = tool.param(*slot);
        // Alone, one with an optional value takes the next word for it: commander, yargs.
        // getopt_long and git's parser look behind an equals sign only, and to git `--` means
        // that files follow.
        let takes_next = !matches!(tool.family(), Family::Cobra | Family::Git | Family::Gnu);
        let alone = takes_next && matches!(given, Given::Bare);
        let words = match given {
            Given::Many(values) => defined::together(param, values).is_none(),
            _ => true,
        };
        let list = matches!(param.kind, Kind::List(_, Split::Words));
        param.is_flag() && (alone || list && words)
    })
}

/// Positional words before and after the `--` that the usage line asks for; all
/// of them before it where it asks for none.
fn places(tool: &Tool, arguments: &Arguments) -> (Vec<String>, Vec<String>) {
    let first_after = first_after_dashes(tool);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (slot, given) in &arguments.given {
        let Slot::Positional(index) = slot else {
            continue;
        };
        let place = match first_after.is_some_and(|first| *index >= first) {
            true => &mut after,
            false => &mut before,
        };
        match given {
            Given::One(word) => place.push(word.clone()),
            Given::Many(words) => place.extend(words.iter().cloned()),
            Given::Switch(_) | Given::Count(_) | Given::Bare | Given::Pairs(_) => {}
        }
    }
    let mut args = arguments.args.iter().cloned();
    match asks_for_dashes(tool) {
        true => {
            before.extend(args.by_ref().take_while(|word| word != "--"));
            after.extend(args);
        }
        false => before.extend(args),
    }
    (before, after)
}

fn asks_for_dashes(tool: &Tool) -> bool {
    tool.family() != Family::Definition && behind_dashes(&tool.spec().usage).next().is_some()
}

/// The words of a usage line behind its `--`, without brackets.
fn behind_dashes(usage: &str) -> impl Iterator<Item = &str> {
    usage
        .split_whitespace()
        .skip_while(|word| !matches!(word.trim_matches(['[', ']', '(', ')']), "--"))
        .skip(1)
        .map(|word| word.trim_matches(['[', ']', '(', ')', '<', '>', '.']))
}

/// The first positional that stands behind `--` in the usage line, as in
/// `kubectl exec POD -- COMMAND [args...]`.
pub(super) fn first_after_dashes(tool: &Tool) -> Option<usize> {
    if !asks_for_dashes(tool) {
        return None;
    }
    let first = behind_dashes(&tool.spec().usage).next()?;
    tool.positionals
        .iter()
        .position(|param| param.name.trim_matches(['<', '>', '.']) == first)
}

/// The subcommand that `word` could be read as: by its name, an alias, another
/// case or the beginning of either (Cobra can be told to take all of these, and
/// a program that parses its parents' flags first looks behind `--` too).
fn subcommand<'a>(tool: &'a Tool, word: &str) -> Option<&'a str> {
    let word = word.to_lowercase();
    tool.reserved
        .iter()
        .find(|name| name.to_lowercase().starts_with(&word))
        .map(String::as_str)
}
