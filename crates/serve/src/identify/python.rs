//! Tells the library of a Python program from the module that its launcher imports.
//!
//! Launchers that installers write hold one line of interest, `from PACKAGE.MODULE import
//! FUNCTION`; that module lies in the environment beside them. Nothing is run.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use argway_core::model::Family;

/// A launcher is short.
const LONGEST_LAUNCHER: u64 = 16 * 1024;
/// A module beyond this is read in part.
const LONGEST_MODULE: u64 = 1 << 20;

/// The family whose library the program's main module imports, where it imports one only.
pub fn family(path: &Path) -> Option<Family> {
    let launcher = beginning(path, LONGEST_LAUNCHER)?;
    let first = launcher.lines().next()?;
    if !first.starts_with("#!") || !first.contains("python") {
        return None;
    }
    let module = launcher.lines().find_map(imported)?;
    let found = folders(path)
        .into_iter()
        .flat_map(|folder| files(&folder, &module))
        .find_map(|file| beginning(&file, LONGEST_MODULE))?;
    library(&found)
}

/// The module in `from PACKAGE.MODULE import FUNCTION`; Python's own are none.
fn imported(line: &str) -> Option<String> {
    let (module, _) = line.strip_prefix("from ")?.split_once(" import ")?;
    let module = module.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let is_name = !module.is_empty() && module.chars().all(plain) && !module.contains("..");
    (is_name && !module.starts_with('.') && !matches!(module, "re" | "sys" | "os"))
        .then(|| module.to_owned())
}

/// Where modules of the launcher at `path` lie: in the environment that it stands in.
fn folders(path: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for launcher in [Some(path.to_owned()), path.canonicalize().ok()]
        .into_iter()
        .flatten()
    {
        let Some(environment) = launcher.parent().and_then(Path::parent) else {
            continue;
        };
        let versions = fs::read_dir(environment.join("lib"));
        for version in versions.into_iter().flatten().flatten().take(256) {
            if version.file_name().to_string_lossy().starts_with("python3") {
                folders.push(version.path().join("site-packages"));
                folders.push(version.path().join("dist-packages"));
            }
        }
    }
    folders
}

fn files(folder: &Path, module: &str) -> [PathBuf; 2] {
    let path = folder.join(module.replace('.', "/"));
    [path.with_extension("py"), path.join("__init__.py")]
}

/// The one library of command lines that `module` imports.
fn library(module: &str) -> Option<Family> {
    let imports = |name: &str| {
        module.lines().map(str::trim_start).any(|line| {
            let rest = line
                .strip_prefix("import ")
                .or_else(|| line.strip_prefix("from "));
            let word = rest.and_then(|rest| rest.split([' ', '.', ',']).next());
            word == Some(name)
        })
    };
    let known = [
        (Family::Argparse, imports("argparse")),
        (Family::Optparse, imports("optparse")),
        (Family::Click, imports("click") || imports("typer")),
    ];
    let mut found = known.into_iter().filter(|(_, is)| *is);
    match (found.next(), found.next()) {
        (Some((family, _)), None) => Some(family),
        _ => None,
    }
}

fn beginning(path: &Path, most: u64) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path)
        .ok()?
        .take(most)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(module: &str, expected: Option<Family>) {
        let environment = tempfile::tempdir().unwrap();
        let bin = environment.path().join("bin");
        let package = environment.path().join("lib/python3.11/site-packages/tool");
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir_all(&package).unwrap();
        let launcher = bin.join("tool");
        let text = "#!/opt/python3\nimport re\nimport sys\nfrom tool.cli import main\n";
        fs::write(&launcher, text).unwrap();
        fs::write(package.join("cli.py"), module).unwrap();
        assert_eq!(family(&launcher), expected, "{module}");
    }

    #[test]
    fn the_one_library_that_is_imported_is_meant() {
        check("import os\nimport optparse\n", Some(Family::Optparse));
        check(
            "from argparse import ArgumentParser\n",
            Some(Family::Argparse),
        );
        check("import typer\n", Some(Family::Click));
        check("import click\nimport argparse\n", None);
        check("import clicker\n# import click\n", None);
        check("", None);
    }

    #[test]
    fn what_is_no_launcher_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        for text in [
            "",
            "#!/bin/sh\nfrom a import b\n",
            "#!/opt/python3\nfrom .. import b\n",
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(family(&path), None, "{text}");
        }
    }
}
