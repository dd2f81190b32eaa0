//! What a file with media is called: after its URI and its MIME type, with nothing in
//! it that a shell or a path could misunderstand.

use argway_core::output::Media;

/// Bytes that a name may have, its extension apart.
const LONGEST: usize = 100;

/// MIME types and their extensions; the first is the usual one.
const EXTENSIONS: &[(&str, &[&str])] = &[
    ("application/epub+zip", &["epub"]),
    ("application/gzip", &["gz", "tgz"]),
    ("application/javascript", &["js", "mjs"]),
    ("application/json", &["json"]),
    ("application/ld+json", &["jsonld", "json"]),
    ("application/msword", &["doc"]),
    ("application/ndjson", &["ndjson", "jsonl"]),
    ("application/pdf", &["pdf"]),
    ("application/rtf", &["rtf"]),
    ("application/sql", &["sql"]),
    ("application/toml", &["toml"]),
    ("application/typescript", &["ts"]),
    ("application/vnd.apache.parquet", &["parquet"]),
    ("application/vnd.ms-excel", &["xls"]),
    ("application/vnd.ms-powerpoint", &["ppt"]),
    ("application/vnd.oasis.opendocument.spreadsheet", &["ods"]),
    ("application/vnd.oasis.opendocument.text", &["odt"]),
    (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        &["pptx"],
    ),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        &["xlsx"],
    ),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        &["docx"],
    ),
    ("application/wasm", &["wasm"]),
    ("application/x-7z-compressed", &["7z"]),
    ("application/x-bzip2", &["bz2"]),
    ("application/x-gzip", &["gz", "tgz"]),
    ("application/x-ndjson", &["ndjson", "jsonl"]),
    ("application/x-sh", &["sh"]),
    ("application/x-tar", &["tar"]),
    ("application/x-xz", &["xz"]),
    ("application/x-yaml", &["yaml", "yml"]),
    ("application/xhtml+xml", &["xhtml", "html"]),
    ("application/xml", &["xml"]),
    ("application/yaml", &["yaml", "yml"]),
    ("application/zip", &["zip"]),
    ("application/zstd", &["zst"]),
    ("audio/aac", &["aac"]),
    ("audio/aiff", &["aiff", "aif"]),
    ("audio/flac", &["flac"]),
    ("audio/m4a", &["m4a"]),
    ("audio/midi", &["mid", "midi"]),
    ("audio/mp3", &["mp3"]),
    ("audio/mp4", &["m4a", "mp4"]),
    ("audio/mpeg", &["mp3", "mpga"]),
    ("audio/ogg", &["ogg", "oga", "opus"]),
    ("audio/opus", &["opus", "ogg"]),
    ("audio/vnd.wave", &["wav"]),
    ("audio/wav", &["wav"]),
    ("audio/wave", &["wav"]),
    ("audio/webm", &["webm", "weba"]),
    ("audio/x-flac", &["flac"]),
    ("audio/x-m4a", &["m4a"]),
    ("audio/x-wav", &["wav"]),
    ("font/otf", &["otf"]),
    ("font/ttf", &["ttf"]),
    ("font/woff", &["woff"]),
    ("font/woff2", &["woff2"]),
    ("image/apng", &["apng", "png"]),
    ("image/avif", &["avif"]),
    ("image/bmp", &["bmp"]),
    ("image/gif", &["gif"]),
    ("image/heic", &["heic"]),
    ("image/heif", &["heif"]),
    ("image/jpeg", &["jpg", "jpeg"]),
    ("image/jpg", &["jpg", "jpeg"]),
    ("image/jxl", &["jxl"]),
    ("image/png", &["png"]),
    ("image/svg+xml", &["svg"]),
    ("image/tiff", &["tiff", "tif"]),
    ("image/vnd.microsoft.icon", &["ico"]),
    ("image/webp", &["webp"]),
    ("image/x-icon", &["ico"]),
    ("text/calendar", &["ics"]),
    ("text/css", &["css"]),
    ("text/csv", &["csv"]),
    ("text/html", &["html", "htm"]),
    ("text/javascript", &["js", "mjs"]),
    ("text/markdown", &["md", "markdown"]),
    ("text/tab-separated-values", &["tsv"]),
    ("text/vcard", &["vcf"]),
    ("text/x-markdown", &["md", "markdown"]),
    ("text/x-python", &["py"]),
    ("text/xml", &["xml"]),
    ("text/yaml", &["yaml", "yml"]),
    ("video/mp4", &["mp4", "m4v"]),
    ("video/mpeg", &["mpeg", "mpg"]),
    ("video/ogg", &["ogv"]),
    ("video/quicktime", &["mov"]),
    ("video/webm", &["webm"]),
    ("video/x-matroska", &["mkv"]),
    ("video/x-msvideo", &["avi"]),
];

/// The name of a file for `media`.
pub(super) fn of(media: &Media) -> String {
    let mime = media.mime.split(';').next().unwrap_or_default();
    let mime = mime.trim().to_ascii_lowercase();
    let named = media.name.as_deref().map(sane).unwrap_or_default();
    let (stem, own) = match split(&named) {
        (stem, own) if !stem.is_empty() => (stem, own),
        _ => (general(&mime), None),
    };
    let extension = match (by_type(&mime), own) {
        (Some(known), Some(own)) if known.contains(&own.to_ascii_lowercase().as_str()) => own,
        (Some(known), Some(own)) => {
            // What the name says besides is part of the name.
            return format!("{}.{}", short(&format!("{stem}.{own}")), known[0]);
        }
        (Some(known), None) => known[0],
        (None, Some(own)) => own,
        (None, None) if mime.starts_with("text/") => "txt",
        (None, None) => "bin",
    };
    format!("{}.{extension}", short(stem))
}

/// The extensions of a type that says what a file is. `text/plain` does not: sources of
/// every language have it.
fn by_type(mime: &str) -> Option<&'static [&'static str]> {
    let found = EXTENSIONS.iter().find(|(name, _)| *name == mime);
    found.map(|(_, extensions)| *extensions).or_else(|| {
        let (_, suffix) = mime.rsplit_once('+')?;
        match suffix {
            "json" => Some(&["json"]),
            "xml" => Some(&["xml"]),
            "yaml" => Some(&["yaml", "yml"]),
            "zip" => Some(&["zip"]),
            _ => None,
        }
    })
}

/// What something without a name is called.
fn general(mime: &str) -> &'static str {
    match mime.split('/').next() {
        Some("image") => "image",
        Some("audio") => "audio",
        Some("video") => "video",
        Some("text") => "text",
        _ => "file",
    }
}

/// A name in two, at an extension that looks like one.
fn split(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('.') {
        Some((stem, extension))
            if (1..=8).contains(&extension.len())
                && extension.bytes().all(|byte| byte.is_ascii_alphanumeric()) =>
        {
            (stem, Some(extension))
        }
        _ => (name, None),
    }
}

/// The last part of a path, of letters, digits, dots and dashes, which a shell can take
/// as it is and which no option or hidden file begins with.
fn sane(name: &str) -> String {
    let name = decoded(name);
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |character: char| match character {
        '.' | '-' | '_' => character,
        letter if letter.is_alphanumeric() => letter,
        _ => '_',
    };
    let plain: String = last.chars().map(plain).collect();
    let named = plain.trim_start_matches(['.', '-']).trim_end_matches('.');
    named.to_owned()
}

/// With `%20` and its like read.
fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, after @ ..] = rest {
        let code = (*first == b'%').then(|| after.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// At most so long as file systems take.
fn short(stem: &str) -> &str {
    let mut end = stem.len().min(LONGEST);
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    &stem[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mime: &str, name: &str, expected: &str) {
        let media = Media {
            mime: mime.to_owned(),
            name: (!name.is_empty()).then(|| name.to_owned()),
            bytes: Vec::new(),
        };
        assert_eq!(of(&media), expected, "{mime} {name}");
    }

    #[test]
    fn the_type_gives_the_extension() {
        check("image/png", "", "image.png");
        check("IMAGE/JPEG; q=1", "", "image.jpg");
        check("image/svg+xml", "", "image.svg");
        check("audio/wav", "", "audio.wav");
        check("application/vnd.api+json", "", "file.json");
        check("text/plain", "", "text.txt");
        check("text/x-unheard-of", "", "text.txt");
        check("application/pdf", "report", "report.pdf");
        check("application/octet-stream", "", "file.bin");
        check("", "", "file.bin");
        check("nonsense", "", "file.bin");
    }

    #[test]
    fn a_name_keeps_an_extension_that_fits() {
        check("image/jpeg", "cat.JPEG", "cat.JPEG");
        check("text/plain", "main.rs", "main.rs");
        check("", "archive.tar.gz", "archive.tar.gz");
        check("application/octet-stream", "a.wasm", "a.wasm");
        check("image/png", "notes.txt", "notes.txt.png");
        check("text/markdown", "v1.2", "v1.2.md");
        check("", "a sentence. With dots", "a_sentence._With_dots.bin");
    }

    #[test]
    fn a_name_is_never_a_path_an_option_or_hidden() {
        check("", "../../etc/passwd", "passwd.bin");
        check("", "..", "file.bin");
        check("", "-rf.txt", "rf.txt");
        check("", ".bashrc", "bashrc.bin");
        check("", "%2e%2e%2fetc%2Fshadow", "shadow.bin");
        check("", "C:\\x\\y.txt", "y.txt");
        check("", "a\u{0}b\nc\u{202e}d;$(e).txt", "a_b_c_d___e_.txt");
        check("", "my%20file%zz%.txt", "my_file_zz_.txt");
        check("", "naïve 漢字.md", "naïve_漢字.md");
    }

    #[test]
    fn a_long_name_is_cut_between_characters() {
        let long = format!("{}.txt", "é".repeat(300));
        check("", &long, &format!("{}.txt", "é".repeat(50)));
        let odd = format!("a{}.png", "é".repeat(300));
        check("image/png", &odd, &format!("a{}.png", "é".repeat(49)));
    }

    #[test]
    fn the_table_is_sorted_and_every_extension_is_plain() {
        assert!(EXTENSIONS.is_sorted_by_key(|(mime, _)| mime));
        for (mime, extensions) in EXTENSIONS {
            let plain = |extension: &str| split(&format!("a.{extension}")).1 == Some(extension);
            assert!(
                !extensions.is_empty() && extensions.iter().all(|one| plain(one)),
                "{mime}"
            );
        }
    }
}
