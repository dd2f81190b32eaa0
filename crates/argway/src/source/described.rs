//! Programs that describe themselves, and files that describe programs.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use argway_core::model::{Loss, Reading};
use argway_core::probe::Probe;
use argway_core::sources::described::{self, Format, Memory, Own, Sign};
use argway_serve::identify;

use super::{Reader, Source};

/// So much of a file shows whether argway wrote it.
const OPENING: usize = 64;

/// What a captured manifest is called beside the pages.
pub const MANIFEST: &str = "oclif.manifest.json";

/// The file beside the program at `path` that describes it.
pub fn manifest(path: &Path) -> Option<PathBuf> {
    identify::node::oclif_manifest(path)
}

/// What that file says, with those of the plugins that come with the program.
pub fn manifest_text(path: &Path) -> Option<String> {
    identify::node::oclif_description(path)
}

impl Source {
    /// Reads `name` from what it says of itself where something shows that it does, else
    /// from its pages. A Cobra program's pages are read besides: they are had at once,
    /// and hold what a description leaves out.
    pub(super) fn read_own(
        &self,
        name: &str,
        reader: Reader,
        signs: &[Sign],
        manifest: Option<&str>,
        probe: &mut dyn Probe,
    ) -> anyhow::Result<Reading> {
        let mut memory = Memory::new(probe);
        let own = match manifest {
            Some(text) => of_manifest(name, text),
            None => described::find(name, signs, &mut memory),
        };
        let probe = memory.learnt();
        match (own, reader) {
            (Own::Read(own), Reader::Cobra | Reader::CobraPages) => {
                let pages = self.read_pages(name, reader, probe);
                Ok(match pages {
                    Ok(pages) => described::join(*own, pages),
                    Err(_) => *own,
                })
            }
            (Own::Read(own), Reader::Pages(_)) => Ok(*own),
            (Own::Nothing, reader) => self.read_pages(name, reader, probe),
            (Own::Unread(losses), reader) => {
                let mut reading = self.read_pages(name, reader, probe)?;
                reading.losses.splice(0..0, losses);
                Ok(reading)
            }
        }
    }
}

fn of_manifest(name: &str, text: &str) -> Own {
    match described::read(Format::Oclif, Some(name), text) {
        Ok(reading) => Own::Read(Box::new(reading)),
        Err(error) => Own::Unread(vec![Loss {
            path: Vec::new(),
            what: format!("its {MANIFEST} {error}; its help was read instead"),
        }]),
    }
}

/// What the file at `path` says of a program, in argway's own format or another.
pub fn read_file(path: &Path) -> anyhow::Result<Reading> {
    let text = text(path)?;
    let shown = path.display();
    let own = || {
        serde_json::from_str(&text)
            .with_context(|| format!("{shown} is not a description of a program"))
    };
    // As argway writes it, which is served most: no other format is tried.
    let opening: String = text.chars().take(OPENING).collect();
    if opening.starts_with('{') && opening.contains("\"argway\"") {
        return own();
    }
    if let Some(format) = described::recognise(&text) {
        return named(format, path, &text).map_err(|error| anyhow!("{shown} {error}"));
    }
    if is_usage_name(path) {
        let read = described::read(Format::Usage, None, &text);
        return read.map_err(|error| anyhow!("{shown} {error}"));
    }
    if text.trim_start().starts_with('{') && text.contains("\"argway\"") {
        return own();
    }
    Err(anyhow!("{shown} {}", described::why_not(&text)))
}

/// Reads `text` for the program that it names, or else for the one that the file is
/// called after, where there is such a program.
fn named(format: Format, path: &Path, text: &str) -> Result<Reading, described::DescribedError> {
    described::read(format, None, text).or_else(|error| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = file.split('.').next().unwrap_or_default();
        match identify::resolve(stem) {
            Ok(_) => described::read(format, Some(stem), text).map_err(|_| error),
            Err(_) => Err(error),
        }
    })
}

/// Whether the file at `path` describes a program, going by its name and content; no
/// program starts as such a file does.
pub fn is_description(path: &Path) -> anyhow::Result<bool> {
    let end = path.extension().and_then(|end| end.to_str());
    let is_named = matches!(end, Some("json" | "yaml" | "yml"));
    let is_path = path.as_os_str().as_encoded_bytes().contains(&b'/');
    if !(is_named || is_path) || !path.is_file() {
        return Ok(false);
    }
    if matches!(end, Some("yaml" | "yml")) {
        return Ok(true);
    }
    let mut start = [0; 64];
    let length = File::open(path)
        .and_then(|mut file| file.read(&mut start))
        .with_context(|| format!("{} could not be read", path.display()))?;
    Ok(start[..length].trim_ascii_start().starts_with(b"{"))
}

/// Whether the KDL file at `path` is a usage spec rather than definitions.
pub fn is_usage(path: &Path) -> bool {
    // Opening a pipe would wait for its writer.
    let is_file = path.is_file();
    is_usage_name(path)
        || is_file
            && text(path).is_ok_and(|text| described::recognise(&text) == Some(Format::Usage))
}

fn is_usage_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_encoded_bytes().ends_with(b".usage.kdl")
}

/// The text of a file that is not too large to be a description.
fn text(path: &Path) -> anyhow::Result<String> {
    let shown = path.display();
    let most = described::MOST_BYTES as u64;
    let read = || {
        let mut bytes = Vec::new();
        // One byte more shows that it is too large.
        File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(bytes)
    };
    let bytes = read().with_context(|| format!("{shown} could not be read"))?;
    if bytes.len() as u64 > most {
        let size = fs::metadata(path).map_or(0, |meta| meta.len());
        return Err(anyhow!(
            "{shown} has {size} bytes; a description has at most {most}"
        ));
    }
    String::from_utf8(bytes).with_context(|| format!("{shown} is not text"))
}
