//! Reads types out of what a parser says about a value that no parser likes.
//!
//! pflag refuses a bad value with the error of the type's own parser, and often
//! that error lists the values it would take. The value is [`BAD`]: no number,
//! no duration, no key=value pair, and broken as CSV.

use crate::model::{Kind, Scalar, Split};

/// The value that only free text accepts.
pub const BAD: &str = "\"@";

/// What pflag says when it cannot parse a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Complaint {
    /// A value was refused.
    Refused {
        /// The flag's long name, without dashes.
        flag: String,
        /// The value as it was given.
        value: String,
        /// The parser's reason.
        reason: String,
    },
    /// The flag stood last and takes a value.
    NeedsArgument {
        /// The flag's long name, without dashes.
        flag: String,
    },
    /// No such flag.
    UnknownFlag {
        /// As it was given, without dashes.
        flag: String,
    },
    /// The command line could not be parsed for another reason.
    Other(String),
}

/// What a refusal says about the type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A value of this type, or several: pflag's lists use the same parser.
    Scalar(Scalar),
    /// A list whose parser differs from that of one value.
    List(Scalar, Split),
    /// `key=value` pairs.
    Map,
    /// A boolean or a number of Go's own `flag` package, which does not say which.
    GoFlag,
    /// A parser of the program's own.
    Custom,
}

/// What is known of a flag's value from asking its parser. Nothing means that it
/// was not asked or did not say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Heard {
    /// Whether [`BAD`] was accepted.
    pub accepted: Option<bool>,
    /// What the refusal says.
    pub refusal: Option<Refusal>,
    /// Still offered after it was given: giving it again adds to it.
    pub repeatable: Option<bool>,
    /// Whether it must be followed by a value.
    pub needs_value: Option<bool>,
    /// The values that the refusal lists.
    pub choices: Vec<String>,
    /// For maps: what the parser of their values is.
    pub map_of: Option<Scalar>,
}

/// The complaint in `text`, standard error of either form of the question.
pub fn complaint(text: &str) -> Option<Complaint> {
    if let Some(refused) = refused(text) {
        return Some(refused);
    }
    if let Some(rest) = after(text, "flag needs an argument: ") {
        // Short forms read `'o' in -o`; only long ones are ever asked about.
        let flag = first_line(rest).trim().trim_start_matches('-').to_owned();
        return Some(Complaint::NeedsArgument { flag });
    }
    if let Some(rest) = after(text, "unknown flag: ") {
        let flag = first_line(rest).trim().trim_start_matches('-').to_owned();
        return Some(Complaint::UnknownFlag { flag });
    }
    after(text, "Error while parsing flags from args ")
        .map(|rest| Complaint::Other(first_line(rest).to_owned()))
}

fn refused(text: &str) -> Option<Complaint> {
    let rest = after(text, "invalid argument ")?;
    let (value, rest) = go_quoted(rest)?;
    let (names, rest) = go_quoted(rest.strip_prefix(" for ")?)?;
    let reason = rest.strip_prefix(" flag: ")?;
    let flag = names.rsplit("--").next()?.to_owned();
    Some(Complaint::Refused {
        flag,
        value,
        reason: first_line(reason).trim().to_owned(),
    })
}

fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.find(mark).map(|at| &text[at + mark.len()..])
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The Go-quoted string that `text` opens with, and what follows it.
fn go_quoted(text: &str) -> Option<(String, &str)> {
    let body = text.strip_prefix('"')?;
    let mut plain = String::new();
    let mut chars = body.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return Some((plain, &body[at + 1..])),
            '\\' => plain.push(match chars.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                other => other,
            }),
            other => plain.push(other),
        }
    }
    None
}

/// What the parser's `reason` for refusing [`BAD`] says about the type.
pub fn refusal(reason: &str) -> Refusal {
    let has = |mark: &str| reason.contains(mark);
    if reason == "parse error" {
        return Refusal::GoFlag;
    }
    if has("must be formatted as key=value") {
        return Refusal::Map;
    }
    // Lists of addresses convert what single ones parse.
    if has("converted to IP address") {
        return Refusal::List(Scalar::Ip, Split::Comma);
    }
    if has("converted to CIDR") {
        return Refusal::List(Scalar::IpNet, Split::Comma);
    }
    // Of pflag's types only []int goes through Atoi; an int goes through ParseInt.
    if has("strconv.Atoi") {
        return Refusal::List(Scalar::Int(64), Split::Comma);
    }
    if has("in quoted-field") || has("in non-quoted") {
        return Refusal::List(Scalar::String, Split::Csv);
    }
    // Parsers of a program's own that still name a type: `parsing "x" as bool failed`.
    let as_type = |name: &str| has(&format!(" as {name} failed"));
    Refusal::Scalar(if has("strconv.ParseBool") || as_type("bool") {
        Scalar::Bool
    } else if has("strconv.ParseInt") || as_type("int") || as_type("int64") {
        Scalar::Int(64)
    } else if has("strconv.ParseUint") || as_type("uint") || as_type("uint32") {
        Scalar::Uint(64)
    } else if has("strconv.ParseFloat") || as_type("float64") {
        Scalar::Float(64)
    } else if has("time: invalid duration") {
        Scalar::Duration
    } else if has("parsing time") {
        Scalar::Time
    } else if has("failed to parse IP mask") {
        Scalar::IpMask
    } else if has("failed to parse IP") {
        Scalar::Ip
    } else if has("invalid CIDR") {
        Scalar::IpNet
    } else if has("encoding/hex") {
        Scalar::Hex
    } else if has("illegal base64") {
        Scalar::Base64
    } else {
        return Refusal::Custom;
    })
}

impl Heard {
    /// Adds the answer to a call with [`BAD`]: the complaint, or none and
    /// whether the flag is still offered.
    pub fn tried_bad(&mut self, complaint: Option<&Complaint>, still_offered: Option<bool>) {
        match complaint {
            Some(Complaint::Refused { reason, .. }) => {
                self.accepted = Some(false);
                self.refusal = Some(refusal(reason));
                self.choices = choices(reason);
            }
            Some(_) => {}
            None => {
                self.accepted = Some(true);
                self.repeatable = still_offered;
            }
        }
    }

    /// Whether anything was learned about the type.
    pub fn knows_type(&self) -> bool {
        self.accepted.is_some()
    }

    /// The kind that the answers add up to. `custom` is the program's name for
    /// the type, where it has one of its own.
    pub fn kind(&self, custom: Option<&str>) -> Option<Kind> {
        let text = || match custom {
            Some(name) => Scalar::Other(name.to_owned()),
            None => Scalar::String,
        };
        let bare = self.needs_value == Some(false);
        let many = self.repeatable == Some(true);
        Some(match (self.accepted?, &self.refusal) {
            (true, _) | (false, None) if many => Kind::List(text(), Split::Repeat),
            (true, _) | (false, None) => Kind::One(text()),
            (false, Some(Refusal::Map)) => Kind::Map(self.map_of.clone().unwrap_or(Scalar::String)),
            // A parser of the program's own that reads one number as pflag reads several.
            (false, Some(Refusal::List(of, Split::Comma))) if self.repeatable == Some(false) => {
                Kind::One(of.clone())
            }
            (false, Some(Refusal::List(of, split))) => Kind::List(of.clone(), *split),
            (false, Some(Refusal::GoFlag)) if bare => Kind::Switch,
            (false, Some(Refusal::Scalar(Scalar::Bool))) if self.needs_value != Some(true) => {
                Kind::Switch
            }
            (false, Some(Refusal::Scalar(Scalar::Int(_)))) if bare => Kind::Count,
            (false, Some(Refusal::Scalar(of))) if many => Kind::List(of.clone(), Split::Comma),
            (false, Some(Refusal::Scalar(of))) => Kind::One(of.clone()),
            (false, Some(Refusal::Custom | Refusal::GoFlag)) if many => {
                Kind::List(text(), Split::Repeat)
            }
            (false, Some(Refusal::Custom | Refusal::GoFlag)) => Kind::One(text()),
        })
    }
}

/// Phrases after which a refusal lists what would be right.
const LISTS: [&str; 19] = [
    "valid values are",
    "valid values:",
    "valid options are",
    "valid options:",
    "valid choices are",
    "valid choices:",
    "allowed values are",
    "allowed values:",
    "allowed options are",
    "supported values are",
    "supported values:",
    "possible values are",
    "possible values:",
    "must be one of",
    "should be one of",
    "expected one of",
    "can be one of",
    "must be either",
    "allowed:",
];

/// The values that `reason` says are the only right ones; none unless it lists
/// them in so many words.
pub fn choices(reason: &str) -> Vec<String> {
    let lower = reason.to_ascii_lowercase();
    let Some(rest) = LISTS
        .iter()
        .filter_map(|mark| lower.find(mark).map(|at| &reason[at + mark.len()..]))
        .next()
    else {
        return Vec::new();
    };
    let rest = rest.trim_start_matches([':', ' ']).trim_end();
    listed(rest).unwrap_or_default()
}

/// `{a|b}`, `[a b]`, `(a, b)`, `"a", "b" or "c"`, `a, b, c`.
fn listed(text: &str) -> Option<Vec<String>> {
    let closing = match text.chars().next()? {
        '{' => Some('}'),
        '[' => Some(']'),
        '(' => Some(')'),
        _ => None,
    };
    let (body, fenced) = match closing {
        Some(close) => (&text[1..text.find(close)?], true),
        None => (sentence(text), false),
    };
    let items: Vec<String> = if body.contains('|') {
        body.split('|').map(unquote).collect()
    } else if body.contains(',') || !fenced {
        body.split(',')
            .flat_map(|part| part.split(" or "))
            .flat_map(|part| part.split(" and "))
            .map(|part| {
                let part = part.trim();
                let part = part.strip_prefix("or ").unwrap_or(part);
                unquote(part.strip_prefix("and ").unwrap_or(part))
            })
            .filter(|item| !item.is_empty())
            .collect()
    } else {
        body.split_whitespace().map(unquote).collect()
    };
    let spaced = body.contains('|');
    let plausible = !items.is_empty()
        && items.iter().all(|item| {
            !item.is_empty()
                && item.len() <= 64
                && (spaced || !item.contains(char::is_whitespace))
                && !item.contains("...")
                && !item.contains(BAD)
                && !item.contains(['<', '>', '='])
        });
    // One bare word is a sentence, not a list.
    (plausible && (fenced || items.len() > 1)).then_some(items)
}

/// `text` up to the end of its sentence or the next clause.
fn sentence(text: &str) -> &str {
    let end = [". ", "; ", ": ", " (", ", got", ", but", " but "]
        .iter()
        .filter_map(|mark| text.find(mark))
        .min()
        .unwrap_or(text.len());
    text[..end].trim_end_matches(['.', ')', ';'])
}

fn unquote(text: &str) -> String {
    text.trim()
        .trim_matches(['"', '\'', '`', '“', '”'])
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_reason(reason: &str, expected: &str) {
        let mut heard = Heard::default();
        heard.tried_bad(
            Some(&Complaint::Refused {
                flag: "f".to_owned(),
                value: BAD.to_owned(),
                reason: reason.to_owned(),
            }),
            None,
        );
        let kind = heard.kind(None).map(|kind| kind.to_string());
        assert_eq!(kind.as_deref(), Some(expected), "{reason}");
    }

    #[test]
    fn each_parser_is_known_by_its_error() {
        check_reason(
            r#"strconv.ParseBool: parsing "\"@": invalid syntax"#,
            "switch",
        );
        check_reason(r#"strconv.ParseInt: parsing "\"@": invalid syntax"#, "int");
        check_reason(
            r#"strconv.Atoi: parsing "\"@": invalid syntax"#,
            "comma<int>",
        );
        check_reason(
            r#"strconv.ParseUint: parsing "\"@": invalid syntax"#,
            "uint",
        );
        check_reason(
            r#"strconv.ParseFloat: parsing "\"@": invalid syntax"#,
            "float",
        );
        check_reason(r#"time: invalid duration "\"@""#, "duration");
        check_reason(
            r#"parse error on line 1, column 3: extraneous or missing " in quoted-field"#,
            "csv<string>",
        );
        check_reason(r#""@ must be formatted as key=value"#, "map<string>");
        check_reason(r#"failed to parse IP: "\"@""#, "ip");
        check_reason("invalid CIDR address: \"@", "ip_net");
        check_reason("failed to parse IP mask: \"@", "ip_mask");
        check_reason(
            "invalid string being converted to IP address: @",
            "comma<ip>",
        );
        check_reason("encoding/hex: invalid byte: U+0022 '\"'", "hex");
        check_reason("illegal base64 data at input byte 0", "base64");
        check_reason(
            r#"parsing "\"@" as bool failed: expected newline"#,
            "switch",
        );
        check_reason(r#"parsing "\"@" as int failed: expected integer"#, "int");
        check_reason("invalid size: '\"@'", "string");
    }

    #[test]
    fn answers_add_up() {
        let base = Heard {
            accepted: Some(true),
            ..Heard::default()
        };
        assert_eq!(base.kind(None), Some(Kind::One(Scalar::String)));
        let list = Heard {
            repeatable: Some(true),
            ..base.clone()
        };
        assert_eq!(
            list.kind(None),
            Some(Kind::List(Scalar::String, Split::Repeat))
        );
        let count = Heard {
            accepted: Some(false),
            refusal: Some(Refusal::Scalar(Scalar::Int(64))),
            needs_value: Some(false),
            ..Heard::default()
        };
        assert_eq!(count.kind(None), Some(Kind::Count));
        let value = Heard {
            accepted: Some(false),
            refusal: Some(Refusal::Scalar(Scalar::Bool)),
            needs_value: Some(true),
            ..Heard::default()
        };
        assert_eq!(value.kind(None), Some(Kind::One(Scalar::Bool)));
        let go_flag = |needs_value| Heard {
            accepted: Some(false),
            refusal: Some(refusal("parse error")),
            needs_value: Some(needs_value),
            ..Heard::default()
        };
        assert_eq!(go_flag(false).kind(None), Some(Kind::Switch));
        assert_eq!(go_flag(true).kind(None), Some(Kind::One(Scalar::String)));
        let one_number = Heard {
            accepted: Some(false),
            refusal: Some(refusal("strconv.Atoi: parsing")),
            repeatable: Some(false),
            ..Heard::default()
        };
        assert_eq!(one_number.kind(None), Some(Kind::One(Scalar::Int(64))));
        assert_eq!(Heard::default().kind(None), None);
    }

    #[test]
    fn both_forms_of_the_question_complain_alike() {
        let expected = Some(Complaint::Refused {
            flag: "commit".to_owned(),
            value: BAD.to_owned(),
            reason: r#"strconv.ParseBool: parsing "\"@": invalid syntax"#.to_owned(),
        });
        let completion = "[Debug] [Error] Error while parsing flags from args [--commit=\"@]: invalid argument \"\\\"@\" for \"-c, --commit\" flag: strconv.ParseBool: parsing \"\\\"@\": invalid syntax\nCompletion ended with directive: ShellCompDirectiveDefault\n";
        let help = "Error: invalid argument \"\\\"@\" for \"-c, --commit\" flag: strconv.ParseBool: parsing \"\\\"@\": invalid syntax\nUsage:\n  x [flags]\n";
        assert_eq!(complaint(completion), expected);
        assert_eq!(complaint(help), expected);
        assert_eq!(
            complaint("x: flag needs an argument: --output\n"),
            Some(Complaint::NeedsArgument {
                flag: "output".to_owned()
            })
        );
        assert_eq!(complaint("Completion ended with directive: x\n"), None);
    }

    #[track_caller]
    fn check_choices(reason: &str, expected: &[&str]) {
        assert_eq!(choices(reason), expected, "{reason}");
    }

    #[test]
    fn a_list_in_so_many_words_is_a_choice() {
        check_choices(
            "valid values are {open|closed|all}",
            &["open", "closed", "all"],
        );
        check_choices(
            "valid values are {completed|not planned}",
            &["completed", "not planned"],
        );
        check_choices("valid values are {json}", &["json"]);
        check_choices(r#"must be one of "a", "b", or "c""#, &["a", "b", "c"]);
        check_choices(r#"must be one of "a", "b""#, &["a", "b"]);
        check_choices(
            "must be one of: json, yaml and text",
            &["json", "yaml", "text"],
        );
        check_choices(
            "invalid mode, allowed values: [fast slow]",
            &["fast", "slow"],
        );
        check_choices("must be either 'on' or 'off'", &["on", "off"]);
    }

    #[test]
    fn anything_less_is_no_choice() {
        check_choices("invalid value", &[]);
        check_choices("valid streams are STDIN, STDOUT and STDERR", &[]);
        check_choices("must be one of the following formats", &[]);
        check_choices("must be either a file name or an address", &[]);
        check_choices("valid values are <number><unit>, for example 5m", &[]);
        check_choices("bad format of filter (expected name=value)", &[]);
    }
}
