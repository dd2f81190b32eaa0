//! Base64 as servers really send it.

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);

/// The bytes behind `code`: in either alphabet, padded or not, on one line or many, as
/// it is or as a `data:` URL. Nothing where it is no base64.
pub(super) fn decode(code: &str) -> Option<Vec<u8>> {
    let code = match code.trim_start().strip_prefix("data:") {
        Some(url) => url.split_once(";base64,")?.1,
        None => code,
    };
    let spaced = code.bytes().any(|byte| byte.is_ascii_whitespace());
    let code: std::borrow::Cow<str> = match spaced {
        true => code.split_ascii_whitespace().collect::<String>().into(),
        false => code.into(),
    };
    let alphabet = match code.contains(['-', '_']) {
        true => &URL_SAFE,
        false => &STANDARD,
    };
    let engine = GeneralPurpose::new(alphabet, LENIENT);
    engine.decode(code.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[track_caller]
    fn check(code: &str, bytes: &[u8]) {
        assert_eq!(decode(code).as_deref(), Some(bytes), "{code}");
    }

    #[test]
    fn every_usual_way_of_writing_it_is_read() {
        check("", b"");
        check("Zm9vYg==", b"foob");
        check("Zm9vYg", b"foob");
        check("Zm9v\r\nYg==\n", b"foob");
        check("//77", b"\xff\xfe\xfb");
        check("__77", b"\xff\xfe\xfb");
        check("-_77", b"\xfb\xfe\xfb");
        check("data:image/png;base64,Zm8=", b"fo");
    }

    #[test]
    fn what_is_no_base64_is_nothing() {
        for code in ["no base64!", "Z", "Zm8=Zm8=", "data:text/plain,hi", "é"] {
            assert_eq!(decode(code), None, "{code}");
        }
    }
}
