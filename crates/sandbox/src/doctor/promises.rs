//! The table of promises, and what attempts have to say about each.

use std::collections::BTreeMap;

use super::Finding;

/// What came of one attempt to do what no program may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt {
    /// It was stopped.
    Stopped,
    /// It could be done: what exactly.
    Done(String),
    /// It could not even be tried, so nothing is known.
    Untried(String),
}

/// What came of all attempts in one tier, by their names; or why the tier is not to be had.
pub type Attempts = Result<BTreeMap<String, Attempt>, String>;

/// A promise, the layers that keep it, and the attempts that would break it.
struct Promise {
    text: &'static str,
    layers: &'static str,
    attempts: &'static [&'static str],
}

const PROMISES: [Promise; 14] = [
    Promise {
        text: "no network of any kind",
        layers: "network namespace, seccomp, Landlock",
        attempts: &["tcp", "udp", "unix-path", "unix-abstract", "netlink"],
    },
    Promise {
        text: "files outside cannot be read",
        layers: "mount namespace, Landlock",
        attempts: &["read", "list"],
    },
    Promise {
        text: "files outside cannot be written",
        layers: "mount namespace, Landlock",
        attempts: &["write", "create", "remove"],
    },
    Promise {
        text: "modes and times of files outside cannot be changed",
        layers: "mount namespace",
        attempts: &["mode"],
    },
    Promise {
        text: "files outside cannot even be seen",
        layers: "mount namespace",
        attempts: &["see"],
    },
    Promise {
        text: "what would become code outside is read-only",
        layers: "mount namespace",
        attempts: &["hook", "replace"],
    },
    Promise {
        text: "no other process is seen",
        layers: "pid namespace, Landlock",
        attempts: &["process"],
    },
    Promise {
        text: "no other process is signalled",
        layers: "pid namespace, Landlock",
        attempts: &["signal"],
    },
    Promise {
        text: "no privilege is kept or gained",
        layers: "capabilities, no_new_privs, seccomp",
        attempts: &["capabilities", "new-privileges", "namespaces"],
    },
    Promise {
        text: "limits of each process hold",
        layers: "limits",
        attempts: &["descriptors-limit", "file-limit", "limits"],
    },
    Promise {
        text: "the number of processes is bounded",
        layers: "supervisor",
        attempts: &["crowd"],
    },
    Promise {
        text: "environment and descriptors are only those that were given",
        layers: "launcher",
        attempts: &["environment", "descriptors"],
    },
    Promise {
        text: "no terminal can be reached",
        layers: "session, mount namespace, Landlock",
        attempts: &["terminal"],
    },
    Promise {
        text: "nothing that was started is left",
        layers: "pid namespace, supervisor",
        attempts: &["left"],
    },
];

/// The table for what both tiers gave.
pub fn judge(strict: &Attempts, portable: &Attempts) -> Vec<Finding> {
    PROMISES
        .iter()
        .map(|promise| Finding {
            promise: promise.text,
            layers: promise.layers,
            strict: promise.is_kept(strict),
            portable: promise.is_kept(portable),
        })
        .collect()
}

impl Promise {
    /// Kept only if every attempt was made and stopped.
    fn is_kept(&self, attempts: &Attempts) -> Result<(), String> {
        let attempts = attempts.as_ref().map_err(Clone::clone)?;
        for name in self.attempts {
            match attempts.get(*name) {
                Some(Attempt::Stopped) => {}
                Some(Attempt::Done(what)) => return Err(what.clone()),
                Some(Attempt::Untried(why)) => return Err(format!("not known: {why}")),
                None => return Err(format!("not known: `{name}` gave no answer")),
            }
        }
        Ok(())
    }
}

impl Attempt {
    /// As one line, after the attempt's name.
    #[cfg(target_os = "linux")]
    pub fn to_line(&self, name: &str) -> String {
        let (word, text) = match self {
            Self::Stopped => ("stopped", ""),
            Self::Done(what) => ("done", what.as_str()),
            Self::Untried(why) => ("untried", why.as_str()),
        };
        format!("{name} {word} {}\n", text.replace('\n', " "))
    }

    /// From such a line, with the attempt's name.
    #[cfg(target_os = "linux")]
    pub fn from_line(line: &str) -> Option<(String, Self)> {
        let mut words = line.splitn(3, ' ');
        let (name, word) = (words.next()?, words.next()?);
        let text = words.next().unwrap_or_default().to_owned();
        let attempt = match word {
            "stopped" => Self::Stopped,
            "done" => Self::Done(text),
            "untried" => Self::Untried(text),
            _ => return None,
        };
        Some((name.to_owned(), attempt))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    use super::*;

    fn all_stopped() -> BTreeMap<String, Attempt> {
        PROMISES
            .iter()
            .flat_map(|promise| promise.attempts)
            .map(|name| ((*name).to_owned(), Attempt::Stopped))
            .collect()
    }

    /// The promises that are not kept in a tier that gave `attempts`.
    fn broken(attempts: Attempts) -> Vec<(&'static str, String)> {
        judge(&attempts, &Err("not looked at".to_owned()))
            .into_iter()
            .filter_map(|finding| Some((finding.promise, finding.strict.err()?)))
            .collect()
    }

    #[test]
    fn where_every_attempt_is_stopped_every_promise_is_kept() {
        assert_eq!(broken(Ok(all_stopped())), []);
    }

    #[test]
    fn one_attempt_that_works_breaks_its_promise_and_no_other() {
        let mut attempts = all_stopped();
        attempts.insert("mode".to_owned(), Attempt::Done("chmod worked".to_owned()));
        assert_eq!(
            broken(Ok(attempts)),
            [(
                "modes and times of files outside cannot be changed",
                "chmod worked".to_owned()
            )]
        );
    }

    #[test]
    fn what_could_not_be_tried_is_not_known_to_be_kept() {
        let mut attempts = all_stopped();
        attempts.insert("see".to_owned(), Attempt::Untried("no folder".to_owned()));
        attempts.remove("terminal");
        assert_eq!(
            broken(Ok(attempts)),
            [
                (
                    "files outside cannot even be seen",
                    "not known: no folder".to_owned()
                ),
                (
                    "no terminal can be reached",
                    "not known: `terminal` gave no answer".to_owned()
                ),
            ]
        );
    }

    #[test]
    fn a_tier_that_is_not_to_be_had_keeps_nothing() {
        let found = broken(Err("no user namespaces".to_owned()));
        assert_eq!(found.len(), PROMISES.len());
        assert!(found.iter().all(|(_, why)| why == "no user namespaces"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_attempt_survives_its_line() {
        for attempt in [
            Attempt::Stopped,
            Attempt::Done("read it".to_owned()),
            Attempt::Untried("no such file".to_owned()),
        ] {
            let line = attempt.to_line("read");
            let back = Attempt::from_line(line.trim_end_matches('\n')).unwrap();
            assert_eq!(back, ("read".to_owned(), attempt));
        }
    }
}
