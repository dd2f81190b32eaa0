//! What the package of a Node program says of it, found from its executable and read,
//! never run.
//!
//! npm installs a link to a script inside the package, so the script's real path leads
//! to the `package.json` above it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use argway_core::model::Family;
use serde_json::Value;

/// A file longer than this is not read.
const LONGEST: u64 = 16 * 1024 * 1024;

/// A script lies at most so many folders below its package.
const DEEPEST: usize = 8;

/// The folder of the package that the program at `path` belongs to, and what its
/// `package.json` says.
fn package(path: &Path) -> Option<(PathBuf, Value)> {
    let script = fs::canonicalize(path).ok()?;
    let folders = script.ancestors().skip(1).take(DEEPEST);
    for folder in folders {
        let Some(document) = read(&folder.join("package.json")) else {
            continue;
        };
        // One without a name only says how modules in its folder are loaded.
        if document.get("name").is_some() {
            return Some((folder.to_path_buf(), document));
        }
    }
    None
}

fn read(file: &Path) -> Option<Value> {
    let file = fs::File::open(file).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > LONGEST {
        return None;
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// The manifest of the oclif program at `path`: it lies beside the `package.json` that
/// has an `oclif` entry.
pub fn oclif_manifest(path: &Path) -> Option<PathBuf> {
    let (folder, package) = package(path)?;
    package.get("oclif")?.as_object()?;
    let manifest = folder.join("oclif.manifest.json");
    manifest.is_file().then_some(manifest)
}

/// The manifests of the plugins that come with the oclif program at `path`, whose
/// commands are the program's too. What a user added later is not among them.
pub fn oclif_plugins(path: &Path) -> Vec<PathBuf> {
    let Some((folder, package)) = package(path) else {
        return Vec::new();
    };
    let plugins = package.pointer("/oclif/plugins").and_then(Value::as_array);
    let names = plugins.into_iter().flatten().filter_map(Value::as_str);
    names.filter_map(|name| plugin(&folder, name)).collect()
}

/// What the oclif program at `path` says of itself: the commands of its manifest and of its
/// plugins' in one, with the package's `oclif` entry, which says how topics are written.
pub fn oclif_description(path: &Path) -> Option<String> {
    let (_, package) = package(path)?;
    let mut description = read(&oclif_manifest(path)?)?;
    let commands = description.get_mut("commands")?.as_object_mut()?;
    for plugin in oclif_plugins(path).iter().filter_map(|file| read(file)) {
        let more = plugin.get("commands").and_then(Value::as_object);
        for (id, command) in more.into_iter().flatten() {
            commands.entry(id).or_insert_with(|| command.clone());
        }
    }
    let mut entry = package.get("oclif")?.clone();
    // Where the package does not say, oclif takes a colon.
    entry
        .as_object_mut()?
        .entry("topicSeparator")
        .or_insert(":".into());
    description
        .as_object_mut()?
        .insert("oclif".to_owned(), entry);
    Some(description.to_string())
}

/// Where Node would find the package `name` from `folder`.
fn plugin(folder: &Path, name: &str) -> Option<PathBuf> {
    let plain = |part: &str| !part.is_empty() && !part.starts_with('.');
    if !name.split('/').all(plain) || name.split('/').count() > 2 {
        return None;
    }
    let places = folder
        .ancestors()
        .map(|above| above.join("node_modules").join(name));
    let found = places.map(|place| place.join("oclif.manifest.json"));
    found.into_iter().find(|manifest| manifest.is_file())
}

/// The family that the packages show which the program at `path` is made of. Two of them
/// show nothing: which one parses the command line is then only seen in its pages.
pub fn family(path: &Path) -> Option<Family> {
    let (_, package) = package(path)?;
    if package.get("oclif").is_some_and(Value::is_object) {
        return Some(Family::Oclif);
    }
    let known = [
        ("commander", Family::Commander),
        ("cac", Family::Commander),
        ("yargs", Family::Yargs),
    ];
    // Bundled programs have theirs among those of their development.
    for kind in ["dependencies", "devDependencies"] {
        let uses = package.get(kind).and_then(Value::as_object);
        let Some(uses) = uses else { continue };
        let mut found = known.iter().filter(|(name, _)| uses.contains_key(*name));
        match (found.next(), found.next()) {
            (Some((_, family)), None) => return Some(*family),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    use argway_core::model::Family;
    use tempfile::TempDir;

    use super::{family, oclif_description, oclif_manifest, oclif_plugins};

    /// A package as npm installs it, and the link to its script.
    fn installed(folder: &Path, package: &str) -> PathBuf {
        let root = folder.join("node_modules/tool");
        fs::create_dir_all(root.join("bin")).unwrap();
        fs::write(root.join("package.json"), package).unwrap();
        fs::write(root.join("bin/run.js"), "#!/usr/bin/env node\n").unwrap();
        let bin = folder.join("node_modules/.bin");
        fs::create_dir_all(&bin).unwrap();
        symlink("../tool/bin/run.js", bin.join("tool")).unwrap();
        bin.join("tool")
    }

    #[test]
    fn a_manifest_lies_beside_the_package_that_the_link_leads_to() {
        let folder = TempDir::new().unwrap();
        let link = installed(
            folder.path(),
            r#"{"name": "tool", "oclif": {"bin": "tool"}}"#,
        );
        assert_eq!(oclif_manifest(&link), None);
        let manifest = folder.path().join("node_modules/tool/oclif.manifest.json");
        fs::write(&manifest, "{}").unwrap();
        assert_eq!(
            oclif_manifest(&link).unwrap(),
            fs::canonicalize(manifest).unwrap()
        );
        assert_eq!(family(&link), Some(Family::Oclif));
    }

    #[test]
    fn other_packages_have_no_manifest() {
        let folder = TempDir::new().unwrap();
        let link = installed(folder.path(), r#"{"name": "tool"}"#);
        let manifest = folder.path().join("node_modules/tool/oclif.manifest.json");
        fs::write(manifest, "{}").unwrap();
        assert_eq!(oclif_manifest(&link), None);
        assert_eq!(oclif_manifest(Path::new("/nowhere/at/all")), None);
    }

    #[test]
    fn plugins_are_found_as_node_finds_them() {
        let folder = TempDir::new().unwrap();
        let package = r#"{"name": "tool", "oclif":
            {"plugins": ["@oclif/plugin-version", "../elsewhere", "missing"]}}"#;
        let link = installed(folder.path(), package);
        let plugin = folder.path().join("node_modules/@oclif/plugin-version");
        fs::create_dir_all(&plugin).unwrap();
        fs::write(plugin.join("oclif.manifest.json"), "{}").unwrap();
        let elsewhere = folder.path().join("node_modules/tool/elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        fs::write(elsewhere.join("oclif.manifest.json"), "{}").unwrap();
        let found = oclif_plugins(&link);
        assert_eq!(found.len(), 1);
        assert!(found[0].ends_with("@oclif/plugin-version/oclif.manifest.json"));
    }

    #[test]
    fn a_description_has_the_commands_of_plugins_and_the_separator() {
        let folder = TempDir::new().unwrap();
        let package = r#"{"name": "tool", "oclif": {"bin": "tool", "plugins": ["more"]}}"#;
        let link = installed(folder.path(), package);
        let own = folder.path().join("node_modules/tool/oclif.manifest.json");
        fs::write(own, r#"{"commands": {"a": {"id": "a"}}, "version": "1"}"#).unwrap();
        let plugin = folder.path().join("node_modules/more");
        fs::create_dir_all(&plugin).unwrap();
        let manifest = r#"{"commands": {"a": {"id": "other"}, "b": {"id": "b"}}}"#;
        fs::write(plugin.join("oclif.manifest.json"), manifest).unwrap();
        let description: serde_json::Value =
            serde_json::from_str(&oclif_description(&link).unwrap()).unwrap();
        assert_eq!(
            description,
            serde_json::json!({
                "commands": {"a": {"id": "a"}, "b": {"id": "b"}},
                "version": "1",
                "oclif": {"bin": "tool", "plugins": ["more"], "topicSeparator": ":"},
            })
        );
    }

    #[test]
    fn the_packages_that_a_program_uses_show_its_family() {
        for (package, expected) in [
            (
                r#"{"name": "tool", "dependencies": {"commander": "^14"}}"#,
                Some(Family::Commander),
            ),
            (
                r#"{"name": "tool", "devDependencies": {"yargs": "^17"}}"#,
                Some(Family::Yargs),
            ),
            (
                r#"{"name": "tool", "dependencies": {"yargs": "1"}, "devDependencies": {"commander": "1"}}"#,
                Some(Family::Yargs),
            ),
            (
                r#"{"name": "tool", "dependencies": {"yargs": "1", "commander": "1"}}"#,
                None,
            ),
            (r#"{"name": "tool"}"#, None),
            ("not a package", None),
        ] {
            let folder = TempDir::new().unwrap();
            assert_eq!(
                family(&installed(folder.path(), package)),
                expected,
                "{package}"
            );
        }
    }
}
