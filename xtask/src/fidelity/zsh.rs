//! Reads the completion script for zsh that a clap program generates of itself: what
//! clap knows of every command, whatever its help page shows.
//!
//! Scripts keep to one form: `_arguments` with a word for each spelling of an option,
//! and `case $line[N] in` with an arm for each command. They name hidden options and
//! commands too; [`Witness::hide`] marks what the program's own pages do not list.

use serde_json::{Value, json};

/// A script names nothing deeper.
const DEEPEST: usize = 16;

/// What a script says of its program.
#[derive(Debug, Default, PartialEq)]
pub struct Witness {
    pub program: String,
    pub commands: Vec<Command>,
}

/// A command of the program; the root has no path.
#[derive(Debug, Default, PartialEq)]
pub struct Command {
    pub path: Vec<String>,
    pub hidden: bool,
    pub flags: Vec<Flag>,
    pub positionals: Vec<Positional>,
}

/// An option with all its spellings.
#[derive(Debug, Default, PartialEq)]
pub struct Flag {
    pub names: Vec<String>,
    pub takes_value: bool,
    pub optional_value: bool,
    pub choices: Vec<String>,
    pub repeatable: bool,
    pub hidden: bool,
    /// Everything behind the spelling: the same for all spellings of one option.
    tail: String,
}

/// An argument by its place.
#[derive(Debug, Default, PartialEq)]
pub struct Positional {
    pub name: String,
    pub required: bool,
    pub many: bool,
}

/// What the script says, or nothing where it is not one of clap's.
pub fn read(script: &str) -> Option<Witness> {
    let first = script.lines().next()?;
    let program = first.strip_prefix("#compdef ")?.split_whitespace().next()?;
    let mut witness = Witness {
        program: program.to_owned(),
        commands: Vec::new(),
    };
    let mut path: Vec<String> = Vec::new();
    // The `case` constructs that are open: whether their arms are commands, and
    // whether one of these is open.
    let mut open: Vec<(bool, bool)> = Vec::new();
    let mut words = words(script).into_iter().peekable();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "case" if !word.quoted => {
                let on = words.next().unwrap_or_default().text;
                open.push((on.starts_with("$line["), false));
                if open.len() > 2 * DEEPEST {
                    return None;
                }
            }
            "esac" if !word.quoted => {
                open.pop();
            }
            ";;" => {
                if let Some((true, arm)) = open.last_mut()
                    && std::mem::take(arm)
                {
                    path.pop();
                }
            }
            "_arguments" => {
                let mut command = Command {
                    path: path.clone(),
                    ..Command::default()
                };
                while let Some(spec) = words.next_if(|word| word.text != "&&") {
                    command.add(&spec.text);
                }
                witness.commands.push(command);
            }
            label => {
                if let Some((true, arm)) = open.last_mut()
                    && !*arm
                    && let Some(name) = label.strip_prefix('(').and_then(|it| it.strip_suffix(')'))
                {
                    *arm = true;
                    path.push(name.to_owned());
                }
            }
        }
    }
    let is_help = |command: &Command| command.path.iter().any(|word| word == "help");
    witness.commands.retain(|command| !is_help(command));
    (!witness.commands.is_empty()).then_some(witness)
}

impl Witness {
    /// Marks what the page of its command (for a command, of its parent) does not list.
    pub fn hide(&mut self, page: impl Fn(&[String]) -> Option<String>) {
        for at in 0..self.commands.len() {
            let path = self.commands[at].path.clone();
            let parent_hidden = self.commands[..at]
                .iter()
                .any(|other| other.hidden && path.starts_with(&other.path));
            let named = match path.split_last() {
                Some((name, parent)) => page(parent).is_none_or(|page| lists(&page, name)),
                None => true,
            };
            let command = &mut self.commands[at];
            command.hidden = parent_hidden || !named;
            if let Some(page) = page(&path) {
                for flag in &mut command.flags {
                    flag.hidden = !flag.names.iter().any(|name| lists(&page, name));
                }
            }
        }
    }

    /// In the form that all witnesses have.
    pub fn to_json(&self) -> Value {
        let commands: Vec<Value> = self.commands.iter().map(Command::to_json).collect();
        json!({"program": self.program, "commands": commands})
    }
}

/// Whether `page` has `name` at the start of a line, among what stands before the gap,
/// or as another name: `[aliases: name]`.
fn lists(page: &str, name: &str) -> bool {
    let word = |text: &str| {
        let ends = |c: char| !(c.is_alphanumeric() || c == '-' || c == '_');
        text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + name.len()..].chars().next();
            before.is_none_or(ends) && after.is_none_or(ends)
        })
    };
    let starts = page.lines().any(|line| {
        let entry = line.trim_start();
        // Texts are set further right.
        let is_entry = (1..=8).contains(&(line.len() - entry.len()))
            && entry.starts_with('-') == name.starts_with('-');
        let left = entry.split("  ").next().unwrap_or_default();
        let mut names = left.split(", ").map(|part| {
            let end = match name.starts_with('-') {
                true => part.find([' ', '=', '[', '.']),
                false => None,
            };
            &part[..end.unwrap_or(part.len())]
        });
        is_entry && names.any(|part| part == name)
    });
    let joined = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let tagged = joined.split('[').skip(1).any(|tag| {
        let (head, names) = tag.split_once(':').unwrap_or_default();
        head.contains("alias") && names.split(']').next().is_some_and(word)
    });
    starts || tagged
}

impl Command {
    fn to_json(&self) -> Value {
        let flags: Vec<Value> = self
            .flags
            .iter()
            .map(|flag| {
                json!({
                    "names": flag.names,
                    "takes_value": flag.takes_value,
                    "optional_value": flag.optional_value,
                    "choices": flag.choices,
                    "repeatable": flag.repeatable,
                    "hidden": flag.hidden,
                    "required": false,
                })
            })
            .collect();
        let positionals: Vec<Value> = self
            .positionals
            .iter()
            .map(|it| json!({"name": it.name, "required": it.required, "many": it.many}))
            .collect();
        json!({
            "path": self.path,
            "aliases": [],
            "hidden": self.hidden,
            "flags": flags,
            "positionals": positionals,
        })
    }

    /// Takes in one word of `_arguments`.
    fn add(&mut self, spec: &str) {
        let mut rest = spec;
        // Options that it excludes, or that exclude it.
        if let Some(behind) = rest.strip_prefix('(')
            && let Some((_, behind)) = behind.split_once(')')
        {
            rest = behind;
        }
        let repeatable = rest.starts_with('*');
        let rest = rest.strip_prefix('*').unwrap_or(rest);
        if rest.starts_with('-') {
            self.add_flag(rest, repeatable);
        } else if let Some(rest) = rest.strip_prefix(':') {
            self.add_positional(rest, repeatable);
        }
    }

    fn add_flag(&mut self, spec: &str, repeatable: bool) {
        let dashes = spec.len() - spec.trim_start_matches('-').len();
        // A letter may be any sign; a longer name ends at one.
        let name_end = match dashes {
            1 => 1 + spec[1..].chars().next().map_or(0, char::len_utf8),
            _ => spec.find(['[', '+', '=', ':']).unwrap_or(spec.len()),
        };
        let (name, rest) = spec.split_at(name_end);
        let joined = rest.starts_with(['+', '=']);
        let rest = rest.trim_start_matches(['+', '=', '-']);
        let tail = rest.to_owned();
        let help = rest.strip_prefix('[').and_then(|rest| {
            let end = closing(rest)?;
            Some((&rest[..end], &rest[end + 1..]))
        });
        let (help, value) = help.unwrap_or(("", rest));
        if name == "--help" {
            self.flags
                .pop_if(|last| last.names == ["-h"] && last.tail == tail);
            return;
        }
        // The letters of an option come first, then its words.
        let same = self.flags.last_mut().filter(|last| {
            let only_letters = last.names.iter().all(|name| !name.starts_with("--"));
            last.tail == tail && dashes == 2 && (only_letters || !help.is_empty())
                || last.tail == tail && dashes == 1 && only_letters && !help.is_empty()
        });
        if let Some(last) = same {
            last.names.push(name.to_owned());
            return;
        }
        self.flags.push(Flag {
            names: vec![name.to_owned()],
            takes_value: joined,
            // Where it may be left out, there is no word for it or an optional one.
            optional_value: joined && (value.starts_with("::") || value.is_empty()),
            choices: choices(value),
            repeatable,
            hidden: false,
            tail,
        });
    }

    fn add_positional(&mut self, spec: &str, many: bool) {
        let optional = spec.starts_with(':');
        let spec = spec.trim_start_matches(':');
        let name = spec.split(" -- ").next().unwrap_or_default();
        let name = name.split(':').next().unwrap_or_default().trim();
        // `:: :_x_commands` and `*::: :->x` lead on to the commands.
        if !name.is_empty() {
            self.positionals.push(Positional {
                name: name.to_owned(),
                required: !optional,
                many,
            });
        }
    }
}

/// Where the bracket that is open ends; `\]` does not end it.
fn closing(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == ']' && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at)
    })
}

/// The values in `:NAME:(a b)` or `:NAME:((a\:"text" b\:"text"))`.
fn choices(value: &str) -> Vec<String> {
    let Some(at) = value.find(":(") else {
        return Vec::new();
    };
    let list = &value[at + 2..];
    let mut found = Vec::new();
    match list.strip_prefix('(') {
        Some(described) => {
            for line in described.lines() {
                let name = line.split("\\:").next().unwrap_or_default();
                let name = name.trim_end_matches("))");
                // A text may go on in a line of its own.
                if line.contains("\\:") && !name.contains(' ') || !line.contains('"') {
                    found.push(name.replace('\\', ""));
                }
            }
        }
        None => {
            let list = list.split(')').next().unwrap_or_default();
            found.extend(list.split_whitespace().map(|name| name.replace('\\', "")));
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// A word of the script, without its quotes.
#[derive(Debug, Default)]
struct Word {
    text: String,
    quoted: bool,
}

/// The words of a shell script; quotes join, `'\''` is an apostrophe.
fn words(script: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut chars = script.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                word.quoted = true;
                word.text.extend(chars.by_ref().take_while(|c| *c != '\''));
            }
            '"' => {
                let word = word.get_or_insert_default();
                word.quoted = true;
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    word.text.push(c);
                    if c == '\\' {
                        word.text.extend(chars.next());
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(c) => word.get_or_insert_default().text.push(c),
            },
            '#' if word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            _ if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().text.push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    use super::*;

    const SCRIPT: &str = r#"#compdef tool

_tool() {
    local ret=1
    _arguments "${_arguments_options[@]}" : \
'(-q --quiet)*-v[Don'\''t hush]' \
'(-q --quiet)*--verbose[Don'\''t hush]' \
'--color=[When]:WHEN:((auto\:"if a terminal"
never\:"not"))' \
'--colour=[When]:WHEN:((auto\:"if a terminal"
never\:"not"))' \
'*-c+[Set \[a\] key]:key=value:_default' \
'--level=[]:LEVEL:(low high)' \
'--cached[]' \
'--timings=[Report]::FORMAT:_default' \
'--secret[Not shown]' \
'-h[Print help]' \
'--help[Print help]' \
'::file -- A file:_files' \
":: :_tool_commands" \
"*::: :->tool" \
&& ret=0
    case $state in
    (tool)
        case $line[1] in
            (add)
_arguments "${_arguments_options[@]}" : \
':name -- Whose:' \
'*::more:' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
}
"#;

    fn shown(witness: &Witness) -> Vec<String> {
        let mut out = Vec::new();
        for command in &witness.commands {
            out.push(format!("{:?} hidden {}", command.path, command.hidden));
            for flag in &command.flags {
                out.push(format!(
                    "  {} value {} optional {} repeatable {} hidden {} {:?}",
                    flag.names.join(","),
                    flag.takes_value,
                    flag.optional_value,
                    flag.repeatable,
                    flag.hidden,
                    flag.choices
                ));
            }
            for it in &command.positionals {
                out.push(format!(
                    "  {} required {} many {}",
                    it.name, it.required, it.many
                ));
            }
        }
        out
    }

    #[test]
    fn a_script_names_commands_options_and_their_values() {
        let mut witness = read(SCRIPT).unwrap();
        witness.hide(|path| {
            path.is_empty().then(|| {
                "  -v, --verbose\n  --color  [aliases: --colour]\n  -c\n  --level <L>\n  --cached\n  --timings\n  add  Adds --secret".to_owned()
            })
        });
        assert_eq!(
            shown(&witness),
            [
                "[] hidden false",
                "  -v,--verbose value false optional false repeatable true hidden false []",
                "  --color,--colour value true optional false repeatable false hidden false [\"auto\", \"never\"]",
                "  -c value true optional false repeatable true hidden false []",
                "  --level value true optional false repeatable false hidden false [\"low\", \"high\"]",
                "  --cached value false optional false repeatable false hidden false []",
                "  --timings value true optional true repeatable false hidden false []",
                "  --secret value false optional false repeatable false hidden true []",
                "  file required false many false",
                "[\"add\"] hidden false",
                "  name required true many false",
                "  more required false many true",
            ]
        );
    }

    #[test]
    fn another_script_is_none_of_claps() {
        assert_eq!(read("#compdef _gh gh\n_gh() { echo; }\n"), None);
    }
}
