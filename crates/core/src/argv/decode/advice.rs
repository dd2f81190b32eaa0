//! What to say of a word that means nothing: the nearest thing that does.

use super::{Given, Line, find, listed, shown, value};
use crate::argv::shell_line;
use crate::catalog::names::nearest;
use crate::sources::tool::ToolParam;

/// Flags that an error about an unknown one lists.
const LISTED_FLAGS: usize = 8;

/// Longest word that is put into an example.
const LONGEST_EXAMPLE: usize = 60;

impl<T: Copy> Line<'_, T> {
    /// Of a flag that nobody has.
    pub(super) fn unknown(&self, name: &str) -> String {
        let tool = &self.tool.name;
        let what = format!("`--{name}` is not a flag of {tool}");
        let negations: Vec<String> = self
            .tool
            .params
            .iter()
            .filter_map(|param| self.tool.negation(param))
            .collect();
        let shown = self.tool.params.iter().map(|param| param.flag.as_str());
        let candidates = shown
            .chain(negations.iter().map(String::as_str))
            .chain(self.own_flags.iter().map(|own| own.long));
        if let Some(near) = nearest(name, candidates) {
            return format!("{what}; did you mean `--{near}`?");
        }
        let flags: Vec<String> = self
            .tool
            .params
            .iter()
            .map(|param| format!("`--{}`", param.flag))
            .collect();
        match flags.len() {
            0 if self.tool.open => {
                format!("{what}, which declares none: it takes its arguments as one JSON object")
            }
            0 => format!("{what}, which takes no arguments"),
            1..=LISTED_FLAGS => format!("{what}, which has {}", listed(&flags, "and")),
            _ => format!("{what}; `--help` lists those that are"),
        }
    }

    /// Of a flag with one dash.
    pub(super) fn unknown_short(&self, word: &str, char: char) -> String {
        let what = match word.chars().count() {
            2 => format!("`{word}` is not a flag"),
            _ => format!("`-{char}` in `{word}` is not a flag"),
        };
        let name = word.trim_start_matches('-').split('=').next();
        match name.filter(|name| find(self.tool, name).is_some()) {
            Some(name) => format!("{what}; did you mean `--{name}`?"),
            None => format!("{what}: the flags of {} begin with `--`", self.tool.name),
        }
    }

    /// Of a word that is neither a flag, a value nor JSON.
    pub(super) fn stray(&self, word: &str) -> String {
        let tool = &self.tool.name;
        let what = format!("{} is neither a flag nor a JSON object", shown(word));
        let free = |param: &&ToolParam| {
            !param.accepts.is_switch()
                && !self
                    .given
                    .keys()
                    .any(|&index| self.tool.params[index].property == param.property)
                && value::json(param, &[Given::Word(word)]).is_ok()
        };
        let mut params = self.tool.params.iter().filter(free);
        let meant = params
            .clone()
            .find(|param| param.required)
            .or_else(|| params.next());
        match meant {
            Some(param) if word.chars().count() <= LONGEST_EXAMPLE => {
                let flag = format!("--{}={word}", param.flag);
                let line = shell_line([tool.as_str(), flag.as_str()]);
                format!("{what}; did you mean `{line}`?")
            }
            _ if self.tool.params.is_empty() && !self.tool.open => {
                format!("{what}, and {tool} takes no arguments")
            }
            _ => format!("{what}: {tool} takes flags, one JSON object, or `-` for JSON on stdin"),
        }
    }
}
