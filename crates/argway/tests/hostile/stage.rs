//! One hostile case: what is done, and what must come of it.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::ground::{all_hold, finish};
use crate::world::World;

const AT_A_TIME: usize = 4;

/// More on stderr than this is no message.
const LONGEST_MESSAGE: usize = 64 * 1024;

/// Something that is done to `argway`, and its answer. `WORLD` in texts stands for the
/// folder of the case; the definition is in `WORLD/t.kdl`, its tool is `cli_t`.
pub struct Case {
    what: String,
    definition: Vec<u8>,
    words: Vec<OsString>,
    /// A shell line in place of the words, where `$ARGWAY` is the program.
    line: Option<String>,
    stdin: Vec<u8>,
    variables: Vec<(String, Option<OsString>)>,
    prepare: Box<dyn Fn(&World) + Sync>,
    code: i32,
    stdout: Said,
    stderr: Said,
}

/// What must be on a stream.
pub enum Said {
    Exactly(String),
    /// All of these; nothing where there are none.
    Has(Vec<String>),
    /// The program's own words.
    Anything,
}

impl Said {
    fn check(&self, text: &str) -> bool {
        match self {
            Self::Exactly(expected) => text == expected,
            Self::Has(parts) if parts.is_empty() => text.is_empty(),
            Self::Has(parts) => parts.iter().all(|part| text.contains(part)),
            Self::Anything => true,
        }
    }
}

/// A definition of `t` that runs `command`, in KDL, and has this body.
pub fn definition(command: &str, body: &str) -> String {
    format!("cli \"t\" {{\n    description \"x\"\n    command {command}\n    {body}\n}}\n")
}

/// One that shows the words that it gets.
pub fn shows(body: &str) -> String {
    definition(r#""printf" "%s|""#, body)
}

/// One that runs a line of shell.
pub fn shell(line: &str, body: &str) -> String {
    let line = serde_json::Value::from(line);
    definition(
        &format!(r#""/bin/sh" "-c" {line}"#),
        &format!("args false\n    {body}"),
    )
}

impl Case {
    /// `argway` with these words.
    pub fn argway<const N: usize>(what: &str, words: [&str; N]) -> Self {
        Self {
            what: what.to_owned(),
            definition: definition(r#""echo" "hi""#, "args false").into_bytes(),
            words: words.iter().map(OsString::from).collect(),
            line: None,
            stdin: Vec::new(),
            variables: Vec::new(),
            prepare: Box::new(|_| ()),
            code: 0,
            stdout: Said::Has(Vec::new()),
            stderr: Said::Has(Vec::new()),
        }
    }

    /// A call of the definition, with these arguments on stdin.
    pub fn call(what: &str, definition: impl Into<Vec<u8>>, arguments: impl Into<Vec<u8>>) -> Self {
        Self::argway(what, ["call", "WORLD/t.kdl", "cli_t", "-"])
            .defined(definition)
            .stdin(arguments)
    }

    /// The definition is only listed.
    pub fn listed(what: &str, definition: impl Into<Vec<u8>>) -> Self {
        Self::argway(what, ["tools", "WORLD/t.kdl"]).defined(definition)
    }

    /// A line for a shell.
    pub fn line(what: &str, line: &str) -> Self {
        let mut case = Self::argway(what, []);
        case.line = Some(line.to_owned());
        case
    }

    pub fn defined(mut self, definition: impl Into<Vec<u8>>) -> Self {
        self.definition = definition.into();
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    pub fn word(mut self, word: impl Into<Vec<u8>>) -> Self {
        self.words.push(OsString::from_vec(word.into()));
        self
    }

    pub fn variable(mut self, name: &str, value: Option<&str>) -> Self {
        self.variables
            .push((name.to_owned(), value.map(OsString::from)));
        self
    }

    /// What is done in the world before.
    pub fn after(mut self, prepare: impl Fn(&World) + Sync + 'static) -> Self {
        self.prepare = Box::new(prepare);
        self
    }

    /// Succeeds and prints exactly this.
    pub fn prints(self, stdout: &str) -> Self {
        self.answers(0, stdout, &[])
    }

    /// Ends with this code, prints exactly this, and says all of these.
    pub fn answers(mut self, code: i32, stdout: &str, stderr: &[&str]) -> Self {
        self.code = code;
        self.stdout = Said::Exactly(stdout.to_owned());
        self.stderr = Said::Has(stderr.iter().map(|&part| part.to_owned()).collect());
        self
    }

    /// Prints nothing and says exactly this, as one message.
    pub fn fails(mut self, code: i32, message: &str) -> Self {
        self.code = code;
        self.stderr = Said::Exactly(format!("argway: {message}\n"));
        self
    }

    /// The definition has a mistake and there is no other.
    pub fn mistaken(self, message: &str) -> Self {
        self.answers(
            3,
            "",
            &[
                "argway: WORLD/t.kdl:",
                message,
                "\nargway: WORLD/t.kdl has no definition that can be used\n",
            ],
        )
    }

    /// What is printed is looked at otherwise, or too long to be.
    pub fn prints_anything(mut self) -> Self {
        self.stdout = Said::Anything;
        self
    }

    /// stderr holds all of these.
    pub fn says(mut self, code: i32, parts: &[&str]) -> Self {
        self.code = code;
        self.stderr = Said::Has(parts.iter().map(|&part| part.to_owned()).collect());
        self
    }

    pub fn prints_with(mut self, parts: &[&str]) -> Self {
        self.stdout = Said::Has(parts.iter().map(|&part| part.to_owned()).collect());
        self
    }

    fn check(&self) -> Result<(), String> {
        let world = World::new();
        let root = world.path("").canonicalize().unwrap();
        let root = root.to_str().unwrap().trim_end_matches('/').to_owned();
        for folder in ["work", "tmp"] {
            fs::create_dir(world.path(folder)).unwrap();
        }
        let text = replaced(&self.definition, "WORLD", &root);
        fs::write(world.path("t.kdl"), text).unwrap();
        (self.prepare)(&world);

        let mut command = self.command(&world, &root);
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let bytes = match self.stdin.len() < 4096 {
            true => replaced(&self.stdin, "WORLD", &root),
            false => self.stdin.clone(),
        };
        // Whoever does not read it need not.
        thread::spawn(move || drop(stdin.write_all(&bytes)));
        let output = finish(child);
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&root, "WORLD");
        let (stdout, stderr) = (shown(&output.stdout), shown(&output.stderr));
        let wrong = |why: &str| {
            let cut = |text: &str| text.chars().take(2000).collect::<String>();
            let (code, stdout, stderr) = (output.status, cut(&stdout), cut(&stderr));
            Err(format!(
                "{}: {why}\n  {code}\n  stdout {stdout:?}\n  stderr {stderr:?}",
                self.what
            ))
        };
        if output.status.code() != Some(self.code) {
            return wrong(&format!("the exit code is not {}", self.code));
        }
        if !self.stdout.check(&stdout) {
            return wrong("stdout is another");
        }
        if !self.stderr.check(&stderr) {
            return wrong("stderr is another");
        }
        let is_message = !matches!(self.stderr, Said::Anything);
        if stderr.contains("panicked") || (is_message && stderr.len() > LONGEST_MESSAGE) {
            return wrong("this is no message");
        }
        let left = || {
            fs::read_dir(world.path("tmp")).map_or(0, |tmp| {
                tmp.flatten()
                    .flat_map(|own| fs::read_dir(own.path()))
                    .flat_map(Iterator::flatten)
                    .filter(|entry| entry.path().is_dir())
                    .count()
            })
        };
        // A launcher removes them, which may end after the call.
        let until = Instant::now() + Duration::from_secs(30);
        while left() > 0 && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
        match left() {
            0 => Ok(()),
            _ => wrong("temporary folders are left"),
        }
    }

    fn command(&self, world: &World, root: &str) -> Command {
        let argway = PathBuf::from(env!("CARGO_BIN_EXE_argway"));
        let mut command = match &self.line {
            None => Command::new(&argway),
            Some(line) => {
                let mut command = Command::new("/bin/sh");
                command.arg("-c").arg(line.replace("WORLD", root));
                command
            }
        };
        for word in &self.words {
            let word = replaced(word.as_encoded_bytes(), "WORLD", root);
            command.arg(OsString::from_vec(word));
        }
        command
            .env_clear()
            .env("ARGWAY", argway)
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", world.path("home"))
            .env("XDG_CACHE_HOME", world.path("cache"))
            .env("TMPDIR", world.path("tmp"))
            .current_dir(world.path("work"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for (name, value) in &self.variables {
            match value {
                Some(value) => {
                    let value = replaced(value.as_encoded_bytes(), "WORLD", root);
                    command.env(name, OsString::from_vec(value))
                }
                None => command.env_remove(name),
            };
        }
        command
    }
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest
        .windows(from.len())
        .position(|part| part == from.as_bytes())
    {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(to.as_bytes());
        rest = &rest[at + from.len()..];
    }
    out.extend_from_slice(rest);
    out
}

/// Every case has its answer.
#[track_caller]
pub fn all_are_answered(cases: &[Case]) {
    all_hold(cases, AT_A_TIME, Case::check);
}

/// A file with a mode.
pub fn file(world: &World, name: &str, bytes: impl AsRef<[u8]>, mode: u32) {
    let path = world.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
}
