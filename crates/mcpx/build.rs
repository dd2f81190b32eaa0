//! Gives the binary an id of what it was built from, so that a client can tell a
//! daemon of another build.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = BTreeSet::new();
    for folder in ["src", "../core/src"] {
        println!("cargo:rerun-if-changed={}", here.join(folder).display());
        collect(&here.join(folder), &mut files);
    }
    let lock = here.join("../../Cargo.lock");
    if lock.is_file() {
        println!("cargo:rerun-if-changed={}", lock.display());
        files.insert(lock);
    }
    let mut hasher = DefaultHasher::new();
    for variable in ["CARGO_PKG_VERSION", "PROFILE", "TARGET"] {
        env::var(variable).unwrap_or_default().hash(&mut hasher);
    }
    for file in files {
        fs::read(&file).unwrap_or_default().hash(&mut hasher);
    }
    println!("cargo:rustc-env=MCPX_BUILD={:016x}", hasher.finish());
}

fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, files),
            false => _ = files.insert(path),
        }
    }
}
