//! Builds everyflag and talks to it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use argway_core::catalog::{Catalog, Inherited, Selection};
use argway_core::model::{Program, Reading};
use serde_json::Value;

/// The Cobra releases that the codec is read by.
pub const RELEASES: [&str; 7] = [
    "1.0.0", "1.2.1", "1.4.0", "1.6.1", "1.8.1", "1.9.1", "newest",
];

/// everyflag built against `release` of Cobra; built once, and again when its
/// sources changed.
pub fn everyflag(release: &str) -> PathBuf {
    static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap();
    if let Some(path) = built.get(release) {
        return path.clone();
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/everyflag");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("everyflag");
    fs::create_dir_all(&folder).unwrap();
    let out = folder.join(format!("everyflag-{release}"));
    // Other test binaries may be building it at this moment.
    let lock = fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    if changed(&out).is_none_or(|built| built < newest(&sources)) {
        let result = Command::new(sources.join("build"))
            .arg(release)
            .arg(&out)
            .output()
            .unwrap();
        assert!(
            result.status.success(),
            "everyflag for Cobra {release} could not be built; these tests need `go` and its module proxy:\n{}",
            String::from_utf8_lossy(&result.stderr)
        );
    }
    built.insert(release.to_owned(), out.clone());
    out
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

fn newest(folder: &Path) -> SystemTime {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| match path.is_dir() {
            true => newest(&path),
            false => changed(&path).unwrap(),
        })
        .max()
        .unwrap()
}

/// What everyflag answers to each of `questions` in this mode, in one process.
pub fn ask(release: &str, mode: &str, questions: &[Value]) -> Vec<Value> {
    let mut child = Command::new(everyflag(release))
        .env("EVERYFLAG", mode)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = questions.iter().map(|line| format!("{line}\n")).collect();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "everyflag {mode} failed");
    let answers: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    match mode {
        "describe" | "ophis" => assert_eq!(answers.len(), 1),
        _ => assert_eq!(answers.len(), questions.len()),
    }
    answers
}

/// everyflag as it describes itself.
pub fn program(release: &str) -> Arc<Program> {
    let answers = ask(release, "describe", &[]);
    let reading: Reading = serde_json::from_value(answers[0].clone()).unwrap();
    Arc::new(reading.program)
}

/// Its tools, with inherited flags listed.
pub fn catalog(release: &str, selection: &Selection) -> Catalog {
    Catalog::build(&[program(release)], selection, Inherited::All).unwrap()
}
