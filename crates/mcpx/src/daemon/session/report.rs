//! Says why a command has no result.

use crate::daemon::caller::{Caller, Gone, Voice};
use crate::exit::Failure;
use crate::harmless;
use crate::upstream::UpstreamError;

/// What is shown of an error, and of what a server wrote to stderr.
const LONGEST_ERROR: usize = 8_000;

/// Says why there is no result.
pub async fn report(caller: &mut Caller, failure: &Failure) -> Result<(), Gone> {
    if let Failure::Tool(text) = failure {
        caller.stderr(text.as_bytes()).await?;
        return match text.ends_with('\n') {
            true => Ok(()),
            false => caller.stderr(b"\n").await,
        };
    }
    let mut told = fit(&failure.to_string());
    if caller.voice() != Voice::Verbose && wrote(failure) {
        told.push_str(" (-v tells more)");
    }
    for line in told.lines() {
        caller.warn(line).await?;
    }
    if let Failure::Upstream { source, .. } = failure {
        for line in details(source).lines() {
            caller.note(format!("  {line}")).await?;
        }
    }
    Ok(())
}

/// Whether a server that could not be started wrote something to stderr.
fn wrote(failure: &Failure) -> bool {
    match failure {
        Failure::Upstream {
            source: UpstreamError::Start { stderr, .. },
            ..
        } => !stderr.trim().is_empty(),
        _ => false,
    }
}

/// What is told of an error with `-v`.
fn details(error: &UpstreamError) -> String {
    match error {
        UpstreamError::Start { stderr, .. } | UpstreamError::Ended { stderr, .. } => {
            // The end says why; the beginning may be long ago.
            let text = harmless::text(stderr);
            let start = text.len().saturating_sub(LONGEST_ERROR);
            let start = (start..=text.len()).find(|index| text.is_char_boundary(*index));
            text[start.unwrap_or_default()..].to_owned()
        }
        UpstreamError::Rpc {
            data: Some(data), ..
        } => fit(data.get()),
        UpstreamError::Rpc { data: None, .. }
        | UpstreamError::Timeout { .. }
        | UpstreamError::Protocol(_)
        | UpstreamError::Http { .. }
        | UpstreamError::Network(_)
        | UpstreamError::InputRequired { .. }
        | UpstreamError::Cancelled => String::new(),
    }
}

/// Fit for a terminal, and not too long for it.
pub fn fit(text: &str) -> String {
    harmless::text_within(text, LONGEST_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_stderr_is_told() {
        let stderr = format!("{}é\nError: no such file\n", "x".repeat(LONGEST_ERROR));
        let error = UpstreamError::Start {
            reason: String::new(),
            stderr,
        };
        let told = details(&error);
        assert!(told.len() <= LONGEST_ERROR);
        assert!(told.ends_with("\nError: no such file"));
    }
}
