//! Questions of a server, put to the person at the terminal, or answered from
//! `--answer`.
//!
//! Older servers ask with `elicitation/create` during a call, newer ones with a
//! result that is none yet; the question is the same. [`form`] reads it, [`answers`]
//! are what the command line brought.

pub mod answers;
pub mod form;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::caller::{Caller, Gone};
use super::session::Stop;
use crate::exit::Failure;
use answers::{Answers, Decision};
use form::{Field, Kind, Question};

/// How often a value that does not fit is asked for again.
const PATIENCE: usize = 5;

/// Somebody who can be asked.
pub trait Person {
    /// Whether anybody is there.
    fn can_ask(&self) -> bool;

    /// A line; nothing at end of file.
    async fn ask(&mut self, question: &str, secret: bool) -> Result<Option<String>, Gone>;
}

impl Person for Caller {
    fn can_ask(&self) -> bool {
        Caller::can_ask(self)
    }

    async fn ask(&mut self, question: &str, secret: bool) -> Result<Option<String>, Gone> {
        Caller::ask(self, question, secret).await
    }
}

/// What became of a question.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// The result of the elicitation.
    Answered(Value),
    /// Nobody could say: the question, and the flags to answer it with.
    Open(String),
}

/// Answers the question in `params`, which the server called `server` asks. `key`
/// tells it from others of the same call.
pub async fn answer(
    person: &mut impl Person,
    answers: &Answers,
    server: &str,
    key: &str,
    params: &RawValue,
) -> Result<Outcome, Stop> {
    let question = match Question::read(params) {
        Ok(question) => question,
        Err(problem) => {
            let refused = format!("its question cannot be understood: {problem}");
            return Err(Failure::protocol(server, refused).into());
        }
    };
    match answers.decision {
        Some(Decision::Decline) => return Ok(Outcome::Answered(declined())),
        Some(Decision::Cancel) => return Ok(Outcome::Answered(cancelled())),
        Some(Decision::Accept) | None => {}
    }
    let accepted = answers.decision == Some(Decision::Accept);
    let heading = heading(server, &question);
    match &question.kind {
        Kind::Url(_) if accepted => Ok(Outcome::Answered(json!({"action": "accept"}))),
        Kind::Url(_) if person.can_ask() => {
            let asked = format!("{heading}Open it yourself. Done? [y/n] ");
            let said = confirm(person, &asked).await?;
            Ok(Outcome::Answered(said.without_content()))
        }
        Kind::Url(_) => Ok(Outcome::Open(open(&question, &[]))),
        Kind::Form(fields) => {
            let (mut content, left) = from_flags(answers, key, fields)?;
            let given = accepted || !content.is_empty();
            if given && left.iter().all(|field| !field.required) {
                return Ok(Outcome::Answered(accept(content)));
            }
            if !person.can_ask() {
                return Ok(Outcome::Open(open(&question, &left)));
            }
            if fields.is_empty() {
                let said = confirm(person, &format!("{heading}Accept? [y/n] ")).await?;
                return Ok(Outcome::Answered(match said {
                    Said::Yes => accept(content),
                    Said::No | Said::Nothing => said.without_content(),
                }));
            }
            let mut before = heading;
            for field in left {
                match put(person, &before, field).await? {
                    Put::Value(value) => {
                        content.insert(field.name.clone(), value);
                    }
                    Put::Skipped => {}
                    Put::Cancelled => return Ok(Outcome::Answered(cancelled())),
                }
                before.clear();
            }
            Ok(Outcome::Answered(accept(content)))
        }
    }
}

/// The result for a question that nobody answers.
pub fn cancelled() -> Value {
    json!({"action": "cancel"})
}

fn declined() -> Value {
    json!({"action": "decline"})
}

fn accept(content: Map<String, Value>) -> Value {
    json!({"action": "accept", "content": content})
}

/// The fields that the command line answers, and those that it leaves. If it answers
/// at all, what it leaves takes its default.
fn from_flags<'a>(
    answers: &Answers,
    key: &str,
    fields: &'a [Field],
) -> Result<(Map<String, Value>, Vec<&'a Field>), Stop> {
    let mut content = Map::new();
    let mut left = Vec::new();
    for field in fields {
        match answers.of(key, field) {
            Some(value) => {
                let value =
                    value.map_err(|wrong| Failure::Usage(format!("`--answer`: {wrong}")))?;
                content.insert(field.name.clone(), value);
            }
            None => left.push(field),
        }
    }
    if !content.is_empty() || answers.decision == Some(Decision::Accept) {
        for field in &left {
            if let Some(default) = &field.default {
                content.insert(field.name.clone(), default.clone());
            }
        }
        left.retain(|field| field.default.is_none());
    }
    Ok((content, left))
}

fn heading(server: &str, question: &Question) -> String {
    let mut text = format!("`{server}` asks: {}\n", question.message);
    if let Kind::Url(url) = &question.kind {
        text.push_str(&format!("  {url}\n"));
    }
    text
}

/// A question that stays open, with what would answer it.
fn open(question: &Question, left: &[&Field]) -> String {
    let mut text = format!("it asks: {}", question.message.trim_end_matches([':', ' ']));
    if let Kind::Url(url) = &question.kind {
        text.push_str(&format!(" ({url})"));
    }
    let wanted: Vec<&&Field> = left.iter().filter(|field| field.required).collect();
    // Where nothing is required, every field can be what makes it an answer.
    let wanted = match wanted.is_empty() {
        true => left.iter().collect(),
        false => wanted,
    };
    let flags: Vec<String> = match wanted.is_empty() {
        true => vec!["--answer=accept".into()],
        false => wanted.iter().map(|field| field.flag()).collect(),
    };
    let choices: Vec<String> = wanted.iter().filter_map(|field| field.choices()).collect();
    text.push_str(&format!("; answer with {}", flags.join(" ")));
    if !choices.is_empty() {
        text.push_str(&format!(" ({})", choices.join("; ")));
    }
    text.push_str(", or with --answer=decline");
    text
}

enum Said {
    Yes,
    No,
    Nothing,
}

impl Said {
    fn without_content(&self) -> Value {
        match self {
            Said::Yes => json!({"action": "accept"}),
            Said::No => declined(),
            Said::Nothing => cancelled(),
        }
    }
}

async fn confirm(person: &mut impl Person, question: &str) -> Result<Said, Gone> {
    let mut question = question.to_owned();
    for _ in 0..PATIENCE {
        let Some(line) = person.ask(&question, false).await? else {
            return Ok(Said::Nothing);
        };
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(Said::Yes),
            "n" | "no" => return Ok(Said::No),
            _ => question = "Please answer y or n: ".into(),
        }
    }
    Ok(Said::Nothing)
}

enum Put {
    Value(Value),
    Skipped,
    Cancelled,
}

/// Puts one field to the person until its value fits.
async fn put(person: &mut impl Person, before: &str, field: &Field) -> Result<Put, Gone> {
    let prompt = field.prompt();
    let mut question = format!("{before}{prompt}");
    for _ in 0..PATIENCE {
        let Some(line) = person.ask(&question, field.secret()).await? else {
            return Ok(Put::Cancelled);
        };
        let wrong = match (line.trim(), &field.default) {
            ("", Some(default)) => return Ok(Put::Value(default.clone())),
            ("", None) if !field.required => return Ok(Put::Skipped),
            ("", None) => format!("`{}` is required", field.name),
            (text, _) => match field.value(text) {
                Ok(value) => return Ok(Put::Value(value)),
                Err(wrong) => wrong,
            },
        };
        question = format!("  {wrong}\n{prompt}");
    }
    Ok(Put::Cancelled)
}

#[cfg(test)]
mod tests;
