//! Asks a real program: starts it with nothing to read, nothing to write to and
//! little time, many at once.
//!
//! A program that is only looked at sees an empty home, an empty folder and an
//! environment without the caller's secrets, and nothing that it starts outlives
//! the question. Where the system has a sandbox, it can reach nothing else either.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use argway_core::output::Ending;
use argway_core::policy::Demand;
use argway_core::probe::{Answer, Probe, ProbeError, Question};
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::exec::{self, Environment, Invocation, Limits, Sandbox, Ward};

mod guard;

pub use guard::Guard;
use guard::{Asked, Standing};

/// The caller's variables that a program gets to see: what it needs to start and
/// to know the language, and nothing that could be a secret.
const PASSED_ON: &[&str] = &["PATH", "TZ", "LD_LIBRARY_PATH"];

/// With the caller's home, these too: where programs look for their settings.
const PASSED_ON_WITH_HOME: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "KUBECONFIG",
    "DOCKER_CONFIG",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
];

/// Those of them that say where something is.
const SETTINGS_PLACES: &[&str] = &[
    "HOME",
    "KUBECONFIG",
    "DOCKER_CONFIG",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Folders in an empty home, with the variable that points to each.
const HOME_FOLDERS: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_RUNTIME_DIR", ".run"),
];

/// No terminal, no colour, no pager, no questions, no reports home.
const SETTINGS: &[(&str, &str)] = &[
    ("NO_COLOR", "1"),
    ("CLICOLOR", "0"),
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("LC_ALL", "C.UTF-8"),
    ("CI", "1"),
    ("COLUMNS", "1000"),
    ("COBRA_ACTIVE_HELP", "0"),
    ("TYPER_USE_RICH", "0"),
    // Nothing is written beside a program's modules for having been asked.
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("DO_NOT_TRACK", "1"),
    ("NO_UPDATE_NOTIFIER", "1"),
    ("GH_NO_UPDATE_NOTIFIER", "1"),
    ("GH_PROMPT_DISABLED", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("CHECKPOINT_DISABLE", "1"),
];

/// Servers that some programs look for even to print their help, and whose answer
/// changes what they print: with an empty home, addresses where nobody listens.
const NO_SERVERS: &[(&str, &str)] = &[
    ("DOCKER_HOST", "unix:///dev/null"),
    ("KUBERNETES_MASTER", "http://127.0.0.1:1"),
];

/// Set once the process is about to end: nothing more is asked.
static ABANDONED: AtomicBool = AtomicBool::new(false);

/// The folders of all probes that are not finished.
static PLACES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Ends everything that this process runs, questions and calls, and removes the
/// folders in which programs were asked. For a process that is about to end: probes
/// that are being asked never answer.
pub fn abandon() {
    ABANDONED.store(true, Ordering::SeqCst);
    exec::end_all();
    let places = std::mem::take(&mut *PLACES.lock().unwrap_or_else(PoisonError::into_inner));
    for place in places {
        open_up(&place);
        let _ = fs::remove_dir_all(place);
    }
}

/// How a real program is asked.
#[derive(Debug, Clone)]
pub struct ProcessProbe {
    /// The file to run, absolute.
    pub program: PathBuf,
    /// Each question is ended after this long.
    pub timeout: Duration,
    /// Bytes kept of each stream; more ends the question.
    pub max_output: usize,
    /// How many run at once.
    pub jobs: usize,
    /// Give it the caller's HOME and XDG folders instead of empty ones.
    pub with_home: bool,
    /// Whether it runs in a sandbox.
    pub guard: Guard,
    /// What it may look at in there, beside what it needs to start.
    pub readable: Vec<PathBuf>,
    /// What the first question showed; clones share it.
    standing: Arc<Mutex<Option<Standing>>>,
    place: Option<Arc<Place>>,
}

impl ProcessProbe {
    /// A probe of `program`, an absolute path, with the usual limits.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            program: program.into(),
            timeout: Duration::from_secs(10),
            max_output: 4 << 20,
            jobs: 2 * cores,
            with_home: false,
            guard: Guard::default(),
            readable: Vec::new(),
            standing: Arc::default(),
            place: None,
        }
    }

    /// Files that the program left in the home it was given, relative to it,
    /// sorted. A program that is only asked for help should leave none.
    pub fn written(&self) -> Vec<String> {
        let mut files = Vec::new();
        if let Some(place) = &self.place {
            for folder in [&place.home, &place.work] {
                list(folder, folder, &mut files);
            }
        }
        files.sort();
        files
    }

    /// Why the program was asked without a sandbox although one was wanted, where
    /// that is so.
    pub fn unguarded(&self) -> Option<String> {
        let reason = match &*self.standing() {
            Some(Standing::Unguarded(reason)) => reason.clone(),
            Some(Standing::Guarded(_)) | None => return None,
        };
        Some(match &self.place {
            Some(place) => place.forget(&reason),
            None => reason,
        })
    }

    fn standing(&self) -> MutexGuard<'_, Option<Standing>> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the folders that the program was given. Dropping the last clone
    /// of a probe does the same.
    pub fn finish(&mut self) {
        self.place = None;
    }

    fn place(&mut self) -> io::Result<Arc<Place>> {
        if self.place.is_none() {
            self.place = Some(Arc::new(Place::new()?));
        }
        self.place
            .clone()
            .ok_or_else(|| io::Error::other("no place"))
    }

    fn invocation(
        &self,
        question: &Question,
        place: &Place,
        guarded: Option<Demand>,
    ) -> Invocation {
        Invocation {
            program: self.program.clone(),
            words: question.words.iter().map(OsString::from).collect(),
            stdin: None,
            // A sandbox takes no folder that a link leads to.
            directory: Some(fs::canonicalize(&place.work).unwrap_or_else(|_| place.work.clone())),
            environment: Environment::Exactly(self.variables(place)),
            limits: Limits {
                timeout: self.timeout,
                keep: self.max_output,
                spill: 0,
                spill_folders: Vec::new(),
            },
            sandbox: guarded.map(|demand| Sandbox {
                policy: guard::policy([place.home.as_path(), &place.temporary], self.readable()),
                demand,
            }),
        }
    }

    /// What the program may look at besides the system: what it was allowed, and where
    /// the variables lead that it is given.
    fn readable(&self) -> Vec<PathBuf> {
        let folders = |name: &str| {
            let value = std::env::var_os(name).unwrap_or_default();
            std::env::split_paths(&value).collect::<Vec<_>>()
        };
        let mut readable = self.readable.clone();
        readable.extend(folders("LD_LIBRARY_PATH"));
        if self.with_home {
            readable.extend(SETTINGS_PLACES.iter().flat_map(|name| folders(name)));
        }
        readable
    }

    fn variables(&self, place: &Place) -> Vec<(OsString, OsString)> {
        let passed_on = |name: &&str| Some((OsString::from(name), std::env::var_os(name)?));
        let mut variables: Vec<_> = PASSED_ON.iter().filter_map(passed_on).collect();
        if self.with_home {
            variables.extend(PASSED_ON_WITH_HOME.iter().filter_map(passed_on));
        } else {
            variables.push(("HOME".into(), place.home.clone().into()));
            variables.extend(
                HOME_FOLDERS
                    .iter()
                    .map(|(name, folder)| (name.into(), place.home.join(folder).into())),
            );
            variables.extend(
                NO_SERVERS
                    .iter()
                    .map(|(name, address)| (name.into(), address.into())),
            );
        }
        variables.push(("TMPDIR".into(), place.temporary.clone().into()));
        variables.extend(
            SETTINGS
                .iter()
                .map(|(name, value)| (name.into(), value.into())),
        );
        variables
    }
}

impl Probe for ProcessProbe {
    fn is_guarded(&self) -> bool {
        self.guard == Guard::Off || self.unguarded().is_none()
    }

    fn ask(&mut self, questions: &[Question]) -> Vec<Result<Answer, ProbeError>> {
        if questions.is_empty() {
            return Vec::new();
        }
        let place = match self.place() {
            Ok(place) => place,
            Err(error) => {
                let reason = format!("no temporary folder: {error}");
                let failed = || Err(ProbeError::NotStarted(reason.clone()));
                return questions.iter().map(|_| failed()).collect();
            }
        };
        // On a thread of its own, so that it may be called from anywhere, the
        // inside of another runtime included.
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| self.ask_all(questions, &place));
            match asking.join() {
                Ok(answers) => answers,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }
}

impl ProcessProbe {
    fn ask_all(&self, questions: &[Question], place: &Place) -> Vec<Result<Answer, ProbeError>> {
        let standing = self.standing().clone();
        let (first, rest, demand) = match (self.guard, standing) {
            (Guard::Off, _) => (None, questions, None),
            (Guard::Always(demand), _) => (None, questions, Some(demand)),
            (Guard::WherePossible, Some(standing)) => (None, questions, standing.demand()),
            (Guard::WherePossible, None) => {
                let (first, rest) = questions.split_at(1);
                let (standing, result) = guard::settle(|demand| {
                    let asked = self.run_all(first, place, demand).pop();
                    asked.unwrap_or_else(lost)
                });
                let demand = standing.as_ref().and_then(Standing::demand);
                *self.standing() = standing;
                (Some(result), rest, demand)
            }
        };
        let rest = self.run_all(rest, place, demand);
        first
            .into_iter()
            .chain(rest)
            .map(|result| self.answer(result, place))
            .collect()
    }

    /// What came of each of `questions`, in order.
    fn run_all(
        &self,
        questions: &[Question],
        place: &Place,
        guarded: Option<Demand>,
    ) -> Vec<Asked> {
        let since = Instant::now();
        let mut numbers = Vec::new();
        let mut answers: Vec<Option<Asked>> = questions.iter().map(|_| None).collect();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => return questions.iter().map(|_| Err(error.to_string())).collect(),
        };
        runtime.block_on(async {
            let ward = match guarded {
                Some(demand) => self.ward(place, demand).await,
                None => None,
            };
            let mut asked = questions.iter().enumerate();
            let mut under_way = JoinSet::new();
            loop {
                while under_way.len() < self.jobs.max(1)
                    && !ABANDONED.load(Ordering::SeqCst)
                    && let Some((index, question)) = asked.next()
                {
                    let invocation = self.invocation(question, place, guarded);
                    let ward = ward.clone();
                    under_way.spawn(async move {
                        let mut ignore = |_| {};
                        let never = std::future::pending();
                        let run = exec::run_within(ward.as_deref(), invocation, never, &mut ignore);
                        (index, run.await)
                    });
                }
                match under_way.join_next().await {
                    Some(Ok((index, result))) => {
                        if let Ok((number, _)) = &result {
                            numbers.push(*number);
                        }
                        answers[index] = Some(Ok(result.map(|(_, outcome)| outcome)));
                    }
                    Some(Err(error)) => {
                        if let Ok(panic) = error.try_into_panic() {
                            std::panic::resume_unwind(panic);
                        }
                    }
                    None => break,
                }
            }
        });
        exec::end_left_behind(&numbers, since);
        while ABANDONED.load(Ordering::SeqCst) {
            // The process ends; what comes of answers cut short is nobody's business.
            std::thread::park();
        }
        answers
            .into_iter()
            .map(|answer| answer.unwrap_or_else(lost))
            .collect()
    }

    /// The sandbox that all questions share, since making one takes longer than many an
    /// answer. Nothing where there can be none: then a question's own says why.
    async fn ward(&self, place: &Place, demand: Demand) -> Option<Arc<Ward>> {
        let standing = place.ward().take().filter(|(held, _)| *held == demand);
        let ward = match standing {
            Some((_, ward)) => ward,
            None => {
                let invocation = self.invocation(&Question::new([""; 0]), place, Some(demand));
                let opened = Ward::open(&invocation, invocation.sandbox.as_ref()?);
                Arc::new(
                    tokio::time::timeout(self.timeout, opened)
                        .await
                        .ok()?
                        .ok()?,
                )
            }
        };
        *place.ward() = Some((demand, Arc::clone(&ward)));
        Some(ward)
    }

    fn answer(&self, asked: Asked, place: &Place) -> Result<Answer, ProbeError> {
        let outcome = asked
            .map_err(ProbeError::NotStarted)?
            .map_err(|error| ProbeError::NotStarted(error.to_string()))?;
        let code = match outcome.ending {
            Ending::Exited(code) => Some(code),
            Ending::Signalled(_) | Ending::Cancelled => None,
            Ending::TimedOut(after) => return Err(ProbeError::TimedOut(after)),
            Ending::Flooded(_) | Ending::Exceeded(_) => {
                return Err(ProbeError::Flooded(self.max_output));
            }
        };
        let text = |bytes: &[u8]| place.forget(&String::from_utf8_lossy(bytes));
        Ok(Answer {
            code,
            stdout: text(&outcome.stdout.head),
            stderr: text(&outcome.stderr.head),
        })
    }
}

fn lost() -> Asked {
    Err("its run was lost".to_owned())
}

/// Where a program is asked: an empty home, an empty folder to run in and one for
/// temporary files.
#[derive(Debug)]
struct Place {
    home: PathBuf,
    work: PathBuf,
    temporary: PathBuf,
    /// How its folders are written, and what stands for each in an answer.
    names: Vec<(String, &'static str)>,
    folder: TempDir,
    /// The sandbox that shows these folders, once there is one.
    ward: Mutex<Option<(Demand, Arc<Ward>)>>,
}

impl Place {
    fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("argway-").tempdir()?;
        PLACES
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(folder.path().to_path_buf());
        let home = folder.path().join("home");
        let work = folder.path().join("work");
        let temporary = folder.path().join("tmp");
        fs::create_dir(&work)?;
        fs::create_dir(&temporary)?;
        for (_, name) in HOME_FOLDERS {
            fs::create_dir_all(home.join(name))?;
        }
        fs::set_permissions(home.join(".run"), fs::Permissions::from_mode(0o700))?;
        let mut names = Vec::new();
        // The folder itself last: its name begins those of the others.
        for (path, stands_for) in [
            (home.as_path(), "~"),
            (&work, "."),
            (&temporary, "/tmp"),
            (folder.path(), ".."),
        ] {
            names.push((path.to_string_lossy().into_owned(), stands_for));
            // A program may have followed the links on the way to it.
            let resolved = fs::canonicalize(path)?.to_string_lossy().into_owned();
            names.push((resolved, stands_for));
        }
        Ok(Self {
            home,
            work,
            temporary,
            names,
            folder,
            ward: Mutex::new(None),
        })
    }

    fn ward(&self) -> MutexGuard<'_, Option<(Demand, Arc<Ward>)>> {
        self.ward.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `text` without the names of these folders, which are others at every
    /// reading: the same program gives the same answers, and no default says a
    /// folder that is gone.
    fn forget(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, stands_for) in &self.names {
            if text.contains(name.as_str()) {
                text = text.replace(name, stands_for);
            }
        }
        text
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Nobody writes to them any more.
        self.ward().take();
        // Programs leave folders that nobody may write to (Go's module cache).
        open_up(self.folder.path());
        // On the list until it is gone.
        let _ = fs::remove_dir_all(self.folder.path());
        PLACES
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|place| place != self.folder.path());
    }
}

/// Makes every folder below writable, so that it can be removed.
fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        // Not through links: they may lead anywhere.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

/// Everything below `folder` that is not a folder, relative to `root`.
fn list(folder: &Path, root: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            list(&path, root, files);
        } else if let Ok(relative) = path.strip_prefix(root) {
            files.push(relative.to_string_lossy().into_owned());
        }
    }
}
