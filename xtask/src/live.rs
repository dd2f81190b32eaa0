//! Asks a real program, for the measure.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use argway_core::probe::{Answer, Probe, ProbeError, Question};

#[derive(Clone)]
pub struct LiveProbe {
    program: PathBuf,
    home: Arc<tempfile::TempDir>,
}

impl LiveProbe {
    pub fn new(program: PathBuf) -> anyhow::Result<Self> {
        Ok(Self {
            program,
            home: Arc::new(tempfile::tempdir()?),
        })
    }

    fn one(&self, question: &Question) -> Result<Answer, ProbeError> {
        let home = self.home.path();
        let output = Command::new("timeout")
            .arg("10")
            .arg(&self.program)
            .args(&question.words)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("XDG_CONFIG_HOME", home)
            .env("XDG_CACHE_HOME", home)
            .env("NO_COLOR", "1")
            .env("TERM", "dumb")
            .env("PAGER", "cat")
            .env("LC_ALL", "C.UTF-8")
            .env("COBRA_ACTIVE_HELP", "0")
            .current_dir(home)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| ProbeError::NotStarted(error.to_string()))?;
        if output.status.code() == Some(124) {
            return Err(ProbeError::TimedOut(Duration::from_secs(10)));
        }
        Ok(Answer {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}

impl Probe for LiveProbe {
    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        let next = AtomicUsize::new(0);
        let answers: Mutex<Vec<Option<Result<Answer, ProbeError>>>> =
            Mutex::new(vec![None; questions.len()]);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(question) = questions.get(index) else {
                            break;
                        };
                        let answer = self.one(question);
                        if let Ok(mut answers) = answers.lock() {
                            answers[index] = Some(answer);
                        }
                    }
                });
            }
        });
        answers
            .into_inner()
            .unwrap_or_default()
            .into_iter()
            .map(|answer| answer.unwrap_or(Err(ProbeError::NotRecorded)))
            .collect()
    }
}
