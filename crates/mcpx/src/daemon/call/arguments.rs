//! What a tool is called with: flags, JSON, or what is on stdin.

use argway_core::argv::Source;
use argway_core::argv::decode;
use argway_core::sources::tool::ToolSpec;
use serde_json::value::RawValue;

use crate::daemon::caller::Caller;
use crate::daemon::session::Stop;
use crate::exit::Failure;
use crate::wire::{Stdin, StdinWish};

/// The arguments, checked. Stdin is read only if neither flags nor JSON were given.
pub async fn gather(
    caller: &mut Caller,
    tool: &ToolSpec,
    source: Source,
) -> Result<Box<RawValue>, Stop> {
    let explicit = match source {
        Source::Flags(arguments) | Source::Json(arguments) => return Ok(arguments),
        Source::Stdin => true,
        Source::Nothing => false,
    };
    let wish = match explicit {
        true => Some(StdinWish::All),
        false => wish(tool, caller.invocation.stdin),
    };
    let read = match wish {
        Some(wish) => caller.read_stdin(wish).await?.unwrap_or_default(),
        None => Vec::new(),
    };
    Ok(from_stdin(tool, explicit, read)?)
}

/// What is wanted of stdin when the words say nothing. A pipe that stays open and
/// silent is waited for only where the tool cannot be called without it.
fn wish(tool: &ToolSpec, stdin: Stdin) -> Option<StdinWish> {
    match stdin {
        Stdin::Terminal | Stdin::Nothing => None,
        Stdin::Data if tool.params.is_empty() => None,
        Stdin::Data => match tool.params.iter().any(|param| param.required) {
            true => Some(StdinWish::All),
            false => Some(StdinWish::IfObject),
        },
    }
}

fn from_stdin(tool: &ToolSpec, explicit: bool, bytes: Vec<u8>) -> Result<Box<RawValue>, Failure> {
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Usage("stdin is not UTF-8, so it is no JSON".into()))?;
    match text.trim() {
        "" if explicit => Err(Failure::Usage(
            "stdin is empty; with `-` it holds a JSON object".into(),
        )),
        "" => match decode::missing(tool) {
            Some(missing) => Err(Failure::Usage(missing.to_string())),
            None => RawValue::from_string("{}".into())
                .map_err(|error| Failure::System(error.to_string())),
        },
        text => decode::object(tool, text).map_err(|wrong| {
            let problems = wrong.problems.iter();
            let problems: Vec<String> = problems.map(|text| format!("stdin: {text}")).collect();
            Failure::Usage(problems.join("\n"))
        }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use argway_core::sources::tool::{Accepts, ToolParam};

    use super::*;

    fn tool(required: &[bool]) -> ToolSpec {
        ToolSpec {
            name: "tool".into(),
            title: None,
            description: String::new(),
            params: required
                .iter()
                .map(|required| ToolParam {
                    property: "text".into(),
                    flag: "text".into(),
                    aliases: Vec::new(),
                    accepts: Accepts::Text,
                    required: *required,
                    default: None,
                    text: String::new(),
                })
                .collect(),
            open: false,
            output: None,
            raw: RawValue::from_string("{}".into()).unwrap(),
        }
    }

    #[test]
    fn stdin_is_waited_for_only_where_the_tool_cannot_be_called_without_it() {
        for (required, stdin, expected) in [
            (&[][..], Stdin::Data, None),
            (&[false], Stdin::Data, Some(StdinWish::IfObject)),
            (&[false, true], Stdin::Data, Some(StdinWish::All)),
            (&[true], Stdin::Terminal, None),
            (&[true], Stdin::Nothing, None),
        ] {
            assert_eq!(
                wish(&tool(required), stdin),
                expected,
                "{required:?} {stdin:?}"
            );
        }
    }

    #[test]
    fn an_empty_stdin_that_was_asked_for_is_a_mistake() {
        let error = from_stdin(&tool(&[false]), true, b" \n".to_vec()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "stdin is empty; with `-` it holds a JSON object"
        );
        let error = from_stdin(&tool(&[false]), false, vec![0xff]).unwrap_err();
        assert_eq!(error.to_string(), "stdin is not UTF-8, so it is no JSON");
    }
}
