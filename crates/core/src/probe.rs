//! How a reader asks a program something, without knowing how it is asked.
//!
//! In production a probe starts processes; for a bug report or a test it reads a
//! recorded transcript. Readers hand over whole batches, so that a probe can ask
//! many things at once.

/// One thing to ask a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Question {
    /// The words after the program's name.
    pub words: Vec<String>,
}

impl Question {
    /// The question with these words.
    pub fn new(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
        }
    }
}

/// What a program answered, bounded by the probe.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// Exit code; nothing when it was ended by a signal.
    pub code: Option<i32>,
    /// Standard output, invalid UTF-8 replaced.
    pub stdout: String,
    /// Standard error, likewise.
    pub stderr: String,
}

/// Why there is no answer. It costs the one question, never the walk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// It did not end in time and was ended.
    #[error("did not answer within {0:?}")]
    TimedOut(std::time::Duration),
    /// It printed more than the probe keeps and was ended.
    #[error("printed more than {0} bytes")]
    Flooded(usize),
    /// It could not be started.
    #[error("could not be started: {0}")]
    NotStarted(String),
    /// A transcript does not have it.
    #[error("is not in the transcript")]
    NotRecorded,
}

/// Something that can put questions to one program.
pub trait Probe {
    /// Answers to `questions`, in the same order.
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>>;

    /// Whether what is asked can do no harm, whatever the program makes of it, or the
    /// operator takes that upon themselves. Known once something was asked.
    fn is_guarded(&self) -> bool {
        true
    }
}
