//! Questions, and what a person or the command line says to them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::VecDeque;

use super::*;

/// Somebody who says these lines, and then nothing more.
#[derive(Default)]
pub struct Script {
    nobody: bool,
    lines: VecDeque<&'static str>,
    asked: Vec<(String, bool)>,
}

impl Person for Script {
    fn can_ask(&self) -> bool {
        !self.nobody
    }

    async fn ask(&mut self, question: &str, secret: bool) -> Result<Option<String>, Gone> {
        self.asked.push((question.to_owned(), secret));
        Ok(self.lines.pop_front().map(str::to_owned))
    }
}

const FORM: &str = r#"{
    "message": "Who are \u001b[31myou?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Your name", "minLength": 2},
            "age": {"type": "integer", "minimum": 0, "maximum": 150},
            "colour": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"], "default": "g"},
            "news": {"type": "boolean", "description": "By post"}
        },
        "required": ["name", "age"]
    }
}"#;

fn raw(text: &str) -> Box<RawValue> {
    serde_json::from_str(text).unwrap()
}

async fn asked(lines: &[&'static str], params: &str) -> (Value, Vec<(String, bool)>) {
    let mut script = Script {
        lines: lines.iter().copied().collect(),
        ..Script::default()
    };
    let answers = Answers::default();
    let outcome = answer(&mut script, &answers, "fake", "", &raw(params)).await;
    match outcome.unwrap() {
        Outcome::Answered(value) => (value, script.asked),
        Outcome::Open(question) => panic!("{question}"),
    }
}

/// What becomes of a question where nobody is, with these `--answer`s.
async fn flagged(given: &[&str], key: &str, params: &str) -> Result<Outcome, String> {
    let mut nobody = Script {
        nobody: true,
        ..Script::default()
    };
    let answers = Answers::read(given.iter().copied())?;
    match answer(&mut nobody, &answers, "fake", key, &raw(params)).await {
        Ok(outcome) => Ok(outcome),
        Err(Stop::Failure(failure)) => Err(failure.to_string()),
        Err(Stop::Gone) => panic!("nobody went"),
    }
}

#[tokio::test]
async fn a_form_is_asked_field_by_field() {
    let (answer, asked) = asked(&["Ada", "36", "", "y"], FORM).await;
    assert_eq!(
        answer,
        json!({"action": "accept", "content": {"name": "Ada", "age": 36, "colour": "g", "news": true}})
    );
    let asked: Vec<&str> = asked
        .iter()
        .map(|(question, _)| question.as_str())
        .collect();
    assert_eq!(
        asked,
        [
            "`fake` asks: Who are you?\n  Your name [name]\n  text> ",
            "  age\n  integer from 0 to 150> ",
            "  colour\n    1) r (Red)\n    2) g (Green)\n  one of these, empty for g> ",
            "  news: By post\n  yes or no, empty to skip> ",
        ]
    );
}

#[tokio::test]
async fn a_value_that_does_not_fit_is_asked_for_again() {
    let lines = ["", "A", "Ada", "old", "200", "36.5", "36", "blue", "1", ""];
    let (answer, asked) = asked(&lines, FORM).await;
    assert_eq!(
        answer,
        json!({"action": "accept", "content": {"name": "Ada", "age": 36, "colour": "r"}})
    );
    let wrong: Vec<&str> = asked
        .iter()
        .filter_map(|(question, _)| question.strip_prefix("  `"))
        .map(|question| question.lines().next().unwrap())
        .collect();
    assert_eq!(
        wrong,
        [
            "name` is required",
            "name` takes at least 2 characters",
            "age` takes an integer from 0 to 150, not `old`",
            "age` takes an integer from 0 to 150, not 200",
            "age` takes an integer from 0 to 150, not 36.5",
            "colour` takes one of r, g, not `blue`",
        ]
    );
}

#[tokio::test]
async fn the_end_of_the_input_and_the_end_of_patience_cancel() {
    assert_eq!(asked(&["Ada"], FORM).await.0, cancelled());
    assert_eq!(asked(&["A"; 20], FORM).await.0, cancelled());
}

#[tokio::test]
async fn a_question_without_fields_is_a_yes_or_no() {
    let form =
        r#"{"message": "Delete it?", "requestedSchema": {"type": "object", "properties": {}}}"#;
    let (answer, questions) = asked(&["perhaps", "YES"], form).await;
    assert_eq!(answer, json!({"action": "accept", "content": {}}));
    assert_eq!(questions[0].0, "`fake` asks: Delete it?\nAccept? [y/n] ");
    assert_eq!(asked(&["n"], form).await.0, declined());
    assert_eq!(asked(&[], form).await.0, cancelled());
}

#[tokio::test]
async fn a_url_is_shown_and_never_opened() {
    let url =
        r#"{"mode": "url", "message": "Sign in", "url": "https://host/in", "elicitationId": "1"}"#;
    let (answer, questions) = asked(&["y"], url).await;
    assert_eq!(answer, json!({"action": "accept"}));
    assert_eq!(
        questions[0].0,
        "`fake` asks: Sign in\n  https://host/in\nOpen it yourself. Done? [y/n] "
    );
}

#[tokio::test]
async fn choices_are_taken_by_value_title_and_number() {
    let form = |property: &str| {
        format!(r#"{{"message": "?", "requestedSchema": {{"properties": {{"c": {property}}}}}}}"#)
    };
    let titled = r#"{"type": "string", "oneOf": [{"const": "2", "title": "Two"}, {"const": "x", "title": "Ex"}]}"#;
    let several =
        r#"{"type": "array", "items": {"anyOf": [{"const": "a", "title": "Ay"}, {"const": "b"}]}}"#;
    for (property, line, expected) in [
        (titled, "2", json!("2")),
        (titled, "ex", json!("x")),
        (titled, "1", json!("2")),
        (several, "ay, 2", json!(["a", "b"])),
    ] {
        let (answer, _) = asked(&[line], &form(property)).await;
        assert_eq!(answer["content"]["c"], expected, "{property} {line}");
    }
}

#[tokio::test]
async fn a_password_is_typed_unseen_and_formats_are_checked() {
    let form = r#"{"message": "?", "requestedSchema": {"properties": {
        "p": {"type": "string", "format": "password"},
        "e": {"type": "string", "format": "email"},
        "d": {"type": "string", "format": "date"}
    }}}"#;
    let (answer, questions) = asked(&["pw", "me", "me@host", "today", "2026-07-28"], form).await;
    assert_eq!(
        answer["content"],
        json!({"p": "pw", "e": "me@host", "d": "2026-07-28"})
    );
    let unseen: Vec<bool> = questions.iter().map(|(_, secret)| *secret).collect();
    assert_eq!(unseen, [true, false, false, false, false]);
    assert!(
        questions[2]
            .0
            .starts_with("  `e` takes text like name@example.org, not \"me\"\n")
    );
}

#[tokio::test]
async fn integers_keep_every_digit() {
    let form = r#"{"message": "?", "requestedSchema": {"properties": {"n": {"type": "integer"}}}}"#;
    for digits in ["18446744073709551615", "-9223372036854775808"] {
        let outcome = flagged(&[&format!("n={digits}")], "", form).await.unwrap();
        let Outcome::Answered(answer) = outcome else {
            panic!("not answered")
        };
        assert_eq!(answer["content"]["n"].to_string(), digits);
    }
}

mod flags {
    use super::*;

    #[tokio::test]
    async fn answer_without_anybody_and_defaults_fill_the_rest() {
        let expected =
            json!({"action": "accept", "content": {"name": "Ada", "age": 36, "colour": "g"}});
        for given in [
            &["name=Ada", "age=36"][..],
            &[r#"{"name": "Ada", "age": 36}"#],
            &["name=Ada", r#"{"age": 36}"#, "accept"],
            &["name=Bob", "name=Ada", "who.age=36", "age=40"],
            &[r#"{"who": {"name": "Ada", "age": 36}}"#],
        ] {
            let outcome = flagged(given, "who", FORM).await;
            assert_eq!(
                outcome,
                Ok(Outcome::Answered(expected.clone())),
                "{given:?}"
            );
        }
    }

    #[tokio::test]
    async fn what_they_leave_open_is_told_with_the_flags_to_give() {
        let open = |text: &str| Ok(Outcome::Open(text.to_owned()));
        assert_eq!(
            flagged(&[], "", FORM).await,
            open(
                "it asks: Who are you?; answer with --answer='name=TEXT' --answer='age=INTEGER', \
                 or with --answer=decline"
            )
        );
        assert_eq!(
            flagged(&["name=Ada"], "", FORM).await,
            open(
                "it asks: Who are you?; answer with --answer='age=INTEGER', \
                 or with --answer=decline"
            )
        );
        let choice = r#"{"message": "Which:", "requestedSchema": {"properties": {"c": {"enum": ["a", "b"]}}}}"#;
        assert_eq!(
            flagged(&[], "", choice).await,
            open(
                "it asks: Which; answer with --answer='c=CHOICE' (c: a, b), \
                 or with --answer=decline"
            )
        );
        let url = r#"{"mode": "url", "message": "Sign in", "url": "https://host"}"#;
        assert_eq!(
            flagged(&[], "", url).await,
            open(
                "it asks: Sign in (https://host); answer with --answer=accept, \
                 or with --answer=decline"
            )
        );
    }

    #[tokio::test]
    async fn decline_and_cancel_are_answers_too() {
        for (given, expected) in [("decline", declined()), ("cancel", cancelled())] {
            let outcome = flagged(&[given], "", FORM).await;
            assert_eq!(outcome, Ok(Outcome::Answered(expected)));
        }
    }

    #[tokio::test]
    async fn a_wrong_one_is_refused_with_what_would_be_right() {
        for (given, expected) in [
            (
                "age=old",
                "`--answer`: `age` takes an integer from 0 to 150, not `old`",
            ),
            (
                "yes",
                "`--answer` takes NAME=VALUE, a JSON object, `accept` or `decline`, not `yes`",
            ),
            (
                "{oops",
                "`--answer` takes a JSON object: key must be a string at line 1 column 2",
            ),
        ] {
            assert_eq!(flagged(&[given], "", FORM).await, Err(expected.to_owned()));
        }
    }
}
