//! A folder to run in, a policy, and the tiers in turn.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use argway_core::output::Outcome;
use argway_core::policy::{Demand, SandboxPolicy, Tier};
use argway_serve::exec::{self, Environment, ExecError, Invocation, Sandbox};
use tempfile::TempDir;

use crate::common::{alive, runtime, script};

/// The word that makes this binary a server with one call under way.
pub const SERVER: &str = "__server";

/// Processes that nothing but a supervisor ends: two generations away, in sessions of
/// their own, deaf to signals, one of them stopped, none holding the output.
pub const DAEMONS: &str = r#"
    up=$(mktemp -d)
    (setsid sh -c 'trap "" TERM HUP INT; : >"$2/1"; while :; do sleep 0.05; done' sh "$1" "$up" </dev/null >/dev/null 2>&1 &)
    (setsid sh -c ': >"$2/2"; kill -STOP $$; :' sh "$1" "$up" </dev/null >/dev/null 2>&1 &)
    (env -i setsid sh -c '(trap "" TERM; : >"$2/3"; while :; do sleep 0.05; done) & wait' sh "$1" "$up" </dev/null >/dev/null 2>&1 &)
    until [ -e "$up/1" ] && [ -e "$up/2" ] && [ -e "$up/3" ]; do sleep 0.02; done
    echo started
"#;

/// Where a test runs.
pub struct Scene {
    pub folder: TempDir,
    pub demand: Demand,
    pub policy: SandboxPolicy,
}

impl Scene {
    pub fn new(demand: Demand) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            demand,
            policy: SandboxPolicy::default(),
        }
    }

    /// `sh -c text sh token` in the sandbox.
    pub fn script(&self, text: &str, token: &str) -> Invocation {
        Invocation {
            directory: Some(self.folder.path().canonicalize().unwrap()),
            environment: Environment::Exactly(vec![(
                "PATH".into(),
                "/usr/local/bin:/usr/bin:/bin".into(),
            )]),
            sandbox: Some(Sandbox {
                policy: self.policy.clone(),
                demand: self.demand,
            }),
            ..script(text, token)
        }
    }

    pub fn run(&self, text: &str, token: &str) -> Outcome {
        run(self.script(text, token)).unwrap()
    }

    pub fn run_for(&self, text: &str, token: &str, timeout: Duration) -> Outcome {
        let mut invocation = self.script(text, token);
        invocation.limits.timeout = timeout;
        run(invocation).unwrap()
    }
}

/// The same in either tier; in the portable one alone where the system is said to allow
/// no namespaces.
pub fn in_each_tier(test: impl Fn(Scene, Tier)) {
    let without = std::env::var_os("ARGWAY_TESTS_WITHOUT_NAMESPACES");
    if without.is_none_or(|value| value != "1") {
        test(Scene::new(Demand::Strict), Tier::Strict);
    }
    test(Scene::new(Demand::Portable), Tier::Portable);
}

pub fn run(invocation: Invocation) -> Result<Outcome, ExecError> {
    let mut ignore = |_| {};
    runtime().block_on(exec::run(invocation, std::future::pending(), &mut ignore))
}

pub fn text(outcome: &Outcome) -> (&str, &str) {
    (
        std::str::from_utf8(&outcome.stdout.head).unwrap(),
        std::str::from_utf8(&outcome.stderr.head).unwrap(),
    )
}

#[track_caller]
pub fn nobody_is_left(token: &str) {
    assert_eq!(alive(token), Vec::<String>::new());
}

/// Waits until something is so, for as long as a busy machine may take.
#[track_caller]
pub fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(20), "not so: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Launchers that this process started, ended or not.
pub fn launchers(of: u32) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| {
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
            let is_ours = parent == of.to_string();
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let zombie = line.is_empty();
            (is_ours && (zombie || line.starts_with(b"argway\0__sandbox")))
                .then(|| entry.file_name().to_str()?.parse().ok())?
        })
        .collect()
}

/// Temporary folders of runs that a server with this pid started.
pub fn temporary_folders(of: u32) -> Vec<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let base = std::env::temp_dir().join(format!("argway-{user}"));
    let entries = std::fs::read_dir(base).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with(&format!("{of}-"))
        })
        .collect()
}

/// What this binary does as a server: one call that leaves daemons and goes on.
pub fn serve(words: &[String]) {
    let [demand, token, text] = words else {
        panic!("three words, not {words:?}");
    };
    let demand = match demand.as_str() {
        "strict" => Demand::Strict,
        "portable" => Demand::Portable,
        "enforced" => Demand::Enforced,
        "best-effort" => Demand::BestEffort,
        other => panic!("no such demand: {other}"),
    };
    let scene = Scene::new(demand);
    match run(scene.script(text, token)) {
        Ok(outcome) => {
            let said = String::from_utf8_lossy(&outcome.stdout.head).into_owned();
            let held = outcome.sandbox.unwrap();
            println!(
                "{:?} {:?} {:?} {said}",
                outcome.ending, held.tier, held.gaps
            );
        }
        Err(error) => println!("{error}"),
    }
}
