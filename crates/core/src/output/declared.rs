//! What a definition declares of its command's output, held against what came out.

use serde_json::Value;

use super::stream::Shown;
use super::{DataFormat, Ending, Outcome, data};
use crate::catalog::Tool;
use crate::model::{Encoding, StdoutFormat, StdoutSpec};

/// What was made of a run's output.
#[derive(Default)]
pub(super) struct Declared {
    /// Stdout as data, where it is that.
    pub data: Option<Value>,
    /// Why the call failed although the command did not, a sentence each.
    pub failures: Vec<String>,
    /// What else is to be said, a sentence each.
    pub notes: Vec<String>,
}

/// Reads `stdout` as `tool` declares it, or as `format` says where it declares nothing.
pub(super) fn read(tool: &Tool, format: DataFormat, outcome: &Outcome, stdout: &Shown) -> Declared {
    let mut declared = Declared::default();
    match tool.spec().run.as_deref() {
        None if tool.spec().output.is_some() => {
            let said = StdoutSpec {
                format: tool.spec().output.unwrap_or_default(),
                ..StdoutSpec::default()
            };
            declared.stdout(&said, format, stdout);
        }
        None if stdout.cut => {}
        None => declared.data = data::read(&stdout.text, format),
        Some(run) => {
            declared.stdout(&run.stdout, format, stdout);
            declared.schema(tool);
            if run.stderr.fail_on_output && outcome.stderr.total > 0 {
                declared.failures.push(
                    "The command printed to its stderr, which its definition counts as a failure."
                        .to_owned(),
                );
            }
        }
    }
    // A command that failed need not have printed what it prints when it succeeds.
    if outcome.ending != Ending::Exited(0) {
        declared.failures.clear();
    }
    declared
}

impl Declared {
    fn stdout(&mut self, said: &StdoutSpec, format: DataFormat, stdout: &Shown) {
        if said.encoding == Encoding::Base64 {
            if stdout.cut {
                self.notes
                    .push("Only the beginning of stdout is in the result.".to_owned());
            }
            return;
        }
        match said.format {
            StdoutFormat::Text => {}
            StdoutFormat::Json if stdout.cut => self
                .notes
                .push("stdout is too long to be read as JSON.".to_owned()),
            StdoutFormat::Auto if stdout.cut => {}
            StdoutFormat::Auto => {
                self.data = match format {
                    DataFormat::Json => data::json_or_lines(&stdout.text),
                    DataFormat::Any | DataFormat::None => data::read(&stdout.text, format),
                };
            }
            StdoutFormat::Json => match data::whole(&stdout.text) {
                Ok(Some(data)) => self.data = Some(data),
                Ok(None) => self.notes.push(
                    "stdout is JSON that cannot be held exactly, because a number has too many \
                     digits or a key stands twice: read it as text."
                        .to_owned(),
                ),
                Err(error) => self.failures.push(format!(
                    "stdout is not JSON, which its definition says it is: {error}."
                )),
            },
        }
    }

    /// Takes away data that is not what the definition declares.
    fn schema(&mut self, tool: &Tool) {
        let (Some(schema), Some(data)) = (&tool.data_schema, &self.data) else {
            return;
        };
        let reasons = schema.reasons(data);
        if !reasons.is_empty() {
            self.data = None;
            self.failures.push(format!(
                "stdout is not what its definition declares: {}.",
                reasons.join("; ")
            ));
        }
    }
}
