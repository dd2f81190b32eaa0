//! Reads blocks of flag lines: pflag's columns, Kubernetes' `--output='':` with
//! the text on the next line, and the older `--hex[=false]`.

use std::collections::BTreeMap;

use super::text::{blank, indent};
use super::{ListedFlag, Section};

/// The flags of a block, and its lines that are none.
pub(crate) fn read(lines: &[&str], section: Section) -> (Vec<ListedFlag>, Vec<String>) {
    let mut block = Block::new(lines, section);
    for line in lines {
        block.line(line);
    }
    block.end()
}

/// Whether `line` looks like the start of a flag: `  -c, --name`, `      --name`.
pub(crate) fn starts_flag(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix('-') else {
        return false;
    };
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    rest.starts_with(|c: char| c.is_alphanumeric() || "?#@$%!_".contains(c))
}

/// Whether the block's first flag is written as Kubernetes' templates do:
/// `--output='':`.
pub(crate) fn are_assigned(lines: &[&str]) -> bool {
    let first = lines.iter().find(|line| starts_flag(line));
    first.is_some_and(|line| assigned(line.trim()).is_some())
}

struct Block<'a> {
    section: Section,
    /// The indents at which a flag may start.
    starts: [usize; 2],
    /// The byte at which descriptions start.
    column: Option<usize>,
    /// Whether lines were broken to fit a width, so that a break means nothing.
    wrapped: bool,
    flags: Vec<ListedFlag>,
    current: Option<(ListedFlag, Shape, Vec<&'a str>)>,
    unread: Vec<String>,
}

/// How a flag's left part was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `--name type   text (default x)`.
    Columns,
    /// `--name=default: text`, or with tabs: the default stands at the name.
    Assigned,
}

impl<'a> Block<'a> {
    fn new(lines: &[&'a str], section: Section) -> Self {
        let least = lines
            .iter()
            .filter(|line| starts_flag(line))
            .map(|line| indent(line))
            .min()
            .unwrap_or(0);
        // pflag leaves three spaces, some templates two.
        let column = common_column(lines, 3).or_else(|| common_column(lines, 2));
        Self {
            section,
            starts: [least, least + 4],
            column,
            wrapped: lines.iter().all(|line| line.chars().count() <= 80),
            flags: Vec::new(),
            current: None,
            unread: Vec::new(),
        }
    }

    fn line(&mut self, line: &'a str) {
        if blank(line) {
            return;
        }
        if self.starts_here(line)
            && let Some((flag, shape, text)) = self.left(line)
        {
            self.close();
            self.current = Some((flag, shape, text.into_iter().collect()));
            return;
        }
        match &mut self.current {
            Some((_, _, text)) if indent(line) > self.starts[0] => text.push(line),
            _ => self.unread.push(line.trim().to_owned()),
        }
    }

    fn starts_here(&self, line: &str) -> bool {
        let at = indent(line);
        starts_flag(line)
            && (at == self.starts[0] || at == self.starts[1] && line.trim_start().starts_with("--"))
    }

    /// The flag whose left part `line` has, and the start of its text.
    fn left(&self, line: &'a str) -> Option<(ListedFlag, Shape, Option<&'a str>)> {
        if let Some(tab) = line.trim_start().find('\t') {
            let line = line.trim_start();
            let (mut flag, shape) = self.names(&line[..tab])?;
            // The older look, tabs and all, prints a switch's default there.
            if flag.value_name.is_none() && flag.default.is_none() {
                flag.default = flag.bare.take();
            }
            return Some((flag, shape, Some(line[tab..].trim())));
        }
        if let Some((left, text)) = assigned(line.trim()) {
            let (flag, shape) = self.names(left)?;
            return Some((flag, shape, Some(text)));
        }
        let split = gap(line, 3).or_else(|| {
            let column = self.column?;
            let before = line.get(..column)?;
            (before.ends_with("  ") && line.len() > column)
                .then(|| (before.trim_end().len(), column))
        });
        let (left, text) = match split {
            Some((end, start)) => (&line[..end], line.get(start..)),
            None => (line, None),
        };
        let (flag, shape) = self.names(left.trim())?;
        Some((flag, shape, text))
    }

    /// Reads `-c, --name value[=bare]` or `--name=default`.
    fn names(&self, left: &str) -> Option<(ListedFlag, Shape)> {
        let mut flag = ListedFlag {
            section: self.section,
            ..ListedFlag::default()
        };
        let mut rest = left;
        if !rest.starts_with("--") {
            let mut chars = rest.strip_prefix('-')?.chars();
            let short = chars.next()?;
            let after = chars.as_str();
            flag.short = Some(short);
            rest = match after
                .strip_prefix(", --")
                .or_else(|| after.strip_prefix(" --"))
            {
                Some(name) => name,
                // A flag without a long name.
                None if after.is_empty() || after.starts_with([' ', '=', '[']) => {
                    let shape = value(&mut flag, after);
                    return Some((flag, shape));
                }
                None => return None,
            };
        } else {
            rest = &rest[2..];
        }
        let end = rest
            .find([' ', '='])
            .into_iter()
            .chain(rest.find("[="))
            .min()
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        // `--name, -n` is not how pflag prints, but some do.
        let name = match name.strip_suffix(',') {
            Some(name) => {
                let short = after.trim_start().strip_prefix('-')?;
                let mut chars = short.chars();
                flag.short = Some(chars.next()?);
                flag.long = Some(name.to_owned());
                let shape = value(&mut flag, chars.as_str());
                return Some((flag, shape));
            }
            None => name,
        };
        if !name.is_empty() {
            flag.long = Some(name.to_owned());
        }
        if flag.long.is_none() && flag.short.is_none() {
            return None;
        }
        let shape = value(&mut flag, after);
        Some((flag, shape))
    }

    fn close(&mut self) {
        let Some((mut flag, shape, lines)) = self.current.take() else {
            return;
        };
        let lines: Vec<&str> = lines
            .into_iter()
            .map(str::trim)
            .skip_while(|line| line.is_empty())
            .collect();
        flag.text = lines.join(if self.wrapped { " " } else { "\n" });
        take_deprecation(&mut flag);
        if shape == Shape::Columns {
            take_default(&mut flag);
        }
        flag.text.truncate(flag.text.trim_end().len());
        self.flags.push(flag);
    }

    fn end(mut self) -> (Vec<ListedFlag>, Vec<String>) {
        self.close();
        (self.flags, self.unread)
    }
}

/// The column that most texts start in after so many spaces.
fn common_column(lines: &[&str], least: usize) -> Option<usize> {
    let mut columns = BTreeMap::<usize, usize>::new();
    for line in lines.iter().filter(|line| starts_flag(line)) {
        if let Some((_, column)) = gap(line, least) {
            *columns.entry(column).or_default() += 1;
        }
    }
    let most = columns.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(column, _)| column)
}

/// Where the first run of at least `least` spaces after the indent starts and ends.
fn gap(line: &str, least: usize) -> Option<(usize, usize)> {
    let start = line.len() - line.trim_start().len();
    let mut run = 0;
    for (at, byte) in line.bytes().enumerate().skip(start) {
        if byte == b' ' {
            run += 1;
        } else {
            if run >= least {
                return Some((at - run, at));
            }
            run = 0;
        }
    }
    None
}

/// Splits `--name=default:` or `--name=default: text`, as Kubernetes prints it.
fn assigned(line: &str) -> Option<(&str, &str)> {
    let name_end = line.find([' ', '='])?;
    let equals = if line[name_end..].starts_with('=') {
        name_end
    } else {
        // `-o, --output='':`
        let long = line.strip_prefix('-')?.char_indices().nth(1)?.0 + 1;
        let rest = line[long..].strip_prefix(", --")?;
        let end = rest.find([' ', '='])?;
        if !rest[end..].starts_with('=') {
            return None;
        }
        line.len() - rest.len() + end
    };
    let value = &line[equals + 1..];
    let close = match value.chars().next()? {
        '\'' => end_of_quoted(value, "':")?,
        '"' => end_of_quoted(value, "\":")?,
        '[' => end_of_quoted(value, "]:")?,
        _ => match value.find(": ") {
            Some(colon) if !value[..colon].contains(' ') => colon,
            _ => value.strip_suffix(':').filter(|v| !v.contains(' '))?.len(),
        },
    };
    let end = equals + 1 + close;
    Some((&line[..end], line[end + 1..].trim()))
}

fn end_of_quoted(value: &str, close: &str) -> Option<usize> {
    value[1..].find(close).map(|at| at + 2)
}

/// Reads what follows a flag's name.
fn value(flag: &mut ListedFlag, after: &str) -> Shape {
    if let Some(default) = after.strip_prefix('=') {
        assign(flag, default);
        return Shape::Assigned;
    }
    let mut rest = after.trim();
    if let Some(inner) = rest.strip_suffix(']')
        && let Some(at) = inner.rfind("[=")
    {
        let bare = &inner[at + 2..];
        rest = rest[..at].trim_end();
        // Of the older look too: no flag standing alone means "off".
        if rest.is_empty() && bare == "false" {
            flag.default = Some("false".to_owned());
            return Shape::Assigned;
        }
        // pflag puts a string in quotes here without escaping anything.
        let inner = bare
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        flag.bare = Some(inner.unwrap_or(bare).to_owned());
    }
    if !rest.is_empty() {
        flag.value_name = Some(rest.to_owned());
    }
    Shape::Columns
}

fn assign(flag: &mut ListedFlag, default: &str) {
    let default = default.trim();
    let single = default
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    if let Some(inner) = single {
        flag.default = Some(inner.to_owned());
        flag.default_quoted = true;
    } else if let Some(inner) = unquoted(default) {
        flag.default = Some(inner);
        flag.default_quoted = true;
    } else {
        flag.default = Some(default.to_owned());
    }
}

/// Moves `(DEPRECATED: …)` at the end of the text to its own place.
fn take_deprecation(flag: &mut ListedFlag) {
    let Some(inner) = flag.text.strip_suffix(')') else {
        return;
    };
    if let Some(at) = inner.rfind("(DEPRECATED: ") {
        flag.deprecated = Some(inner["(DEPRECATED: ".len() + at..].trim().to_owned());
        flag.text.truncate(at);
        flag.text.truncate(flag.text.trim_end().len());
    }
}

/// Moves the default that pflag added at the end of the text to its own place.
///
/// Authors write such words too: only what pflag could have printed for this
/// type is taken, the rest stays text.
fn take_default(flag: &mut ListedFlag) {
    const OPEN: &str = "(default ";
    let Some(inner) = flag.text.strip_suffix(')') else {
        return;
    };
    let mut at = inner.rfind(OPEN);
    // The text of a quoted default may hold the opening words itself.
    while let Some(open) = at {
        if let Some(default) = unquoted(&inner[open + OPEN.len()..]) {
            flag.default = Some(default);
            flag.default_quoted = true;
            flag.text.truncate(open);
            return;
        }
        at = inner[..open]
            .rfind(OPEN)
            .filter(|earlier| inner[earlier + OPEN.len()..].starts_with('"'));
    }
    let Some(open) = inner.rfind(OPEN) else {
        return;
    };
    let default = &inner[open + OPEN.len()..];
    if printable(flag.value_name.as_deref(), default) {
        flag.default = Some(default.to_owned());
        flag.text.truncate(open);
    }
}

/// Whether pflag prints `default` unquoted for a flag shown with `value_name`.
fn printable(value_name: Option<&str>, default: &str) -> bool {
    let word = !default.is_empty() && !default.contains(char::is_whitespace);
    let list = default.starts_with('[') && default.ends_with(']');
    let map = default.starts_with("map[") && default.ends_with(']');
    match value_name {
        // Strings are quoted, whatever their placeholder.
        Some("string") => false,
        Some("strings" | "stringArray" | "list" | "stringSlice") => list,
        Some("stringToString" | "stringToInt" | "stringToInt64" | "map") => list || map,
        Some(name) if name.ends_with("Slice") => list,
        Some("ints" | "uints" | "bools") => list,
        Some(
            "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32"
            | "uint64" | "count",
        ) => default.parse::<i128>().is_ok(),
        Some("float" | "float32" | "float64" | "decimal") => default.parse::<f64>().is_ok(),
        Some("duration") => word && default.starts_with(|c: char| c.is_ascii_digit() || c == '-'),
        Some("time") => default.starts_with(|c: char| c.is_ascii_digit()),
        // A placeholder hides the type; a sentence in brackets is still a sentence.
        Some(_) | None => word,
    }
}

/// The text of a string literal as Go writes it; nothing if `text` is not
/// exactly one.
pub(crate) fn unquoted(text: &str) -> Option<String> {
    let mut chars = text.strip_prefix('"')?.chars();
    let mut out = String::new();
    loop {
        match chars.next()? {
            '"' => return chars.as_str().is_empty().then_some(out),
            '\\' => {
                let code = match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'v' => '\u{b}',
                    'x' => hex(&mut chars, 2)?,
                    'u' => hex(&mut chars, 4)?,
                    'U' => hex(&mut chars, 8)?,
                    c @ ('"' | '\\' | '\'') => c,
                    _ => return None,
                };
                out.push(code);
            }
            c => out.push(c),
        }
    }
}

fn hex(chars: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let code = chars.as_str().get(..digits)?;
    let value = u32::from_str_radix(code, 16).ok()?;
    *chars = chars.as_str()[digits..].chars();
    char::from_u32(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: ListedFlag) {
        let (flags, unread) = read(&[line], Section::Own);
        assert_eq!((flags, unread), (vec![expected], vec![]), "{line}");
    }

    fn flag(long: &str, short: Option<char>) -> ListedFlag {
        ListedFlag {
            long: Some(long.to_owned()),
            short,
            text: "text".to_owned(),
            ..ListedFlag::default()
        }
    }

    fn assigned_flag(long: &str, short: Option<char>, default: &str, quoted: bool) -> ListedFlag {
        ListedFlag {
            default: Some(default.to_owned()),
            default_quoted: quoted,
            ..flag(long, short)
        }
    }

    #[test]
    fn defaults_at_the_name_are_read_in_every_look() {
        check(
            "      --all=false: text",
            assigned_flag("all", None, "false", false),
        );
        check(
            "  -b, --base=\"a b\": text",
            assigned_flag("base", Some('b'), "a b", true),
        );
        check(
            "    -o, --output='x: y': text",
            assigned_flag("output", Some('o'), "x: y", true),
        );
        check(
            "    --url='http://a:1': text",
            assigned_flag("url", None, "http://a:1", true),
        );
        check(
            "      --keys=[a:1]: text",
            assigned_flag("keys", None, "[a:1]", false),
        );
        check(
            "      --hex[=false]\t\ttext",
            assigned_flag("hex", None, "false", false),
        );
        check(
            "  -w, --out=\"simple\"\ttext",
            assigned_flag("out", Some('w'), "simple", true),
        );
        check(
            "  -v, --verbose[=false]: text",
            assigned_flag("verbose", Some('v'), "false", false),
        );
    }

    #[test]
    fn a_flag_may_have_only_one_name() {
        check(
            "  -x, --            text",
            ListedFlag {
                long: None,
                ..flag("", Some('x'))
            },
        );
        check("  -h --help   text", flag("help", Some('h')));
        let mut number = ListedFlag {
            long: None,
            ..flag("", Some('n'))
        };
        number.value_name = Some("int".to_owned());
        check("  -n int   text", number);
    }

    #[test]
    fn go_literals_are_taken_whole_or_not_at_all() {
        assert_eq!(
            unquoted(r#""a\n\"b\" \u00fc\x41""#).as_deref(),
            Some("a\n\"b\" üA")
        );
        assert_eq!(unquoted(r#""a" and "b""#), None);
        assert_eq!(unquoted(r#""open"#), None);
    }
}
