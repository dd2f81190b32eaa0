//! Durations and sizes as people write them on a command line.

use std::time::Duration;

/// `2m`, `1h30m`, `1.5s`, `500ms`; a bare number is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration; write it like 30s, 2m, 1h30m or 500ms");
    if let Ok(seconds) = text.parse::<u32>() {
        return positive(Duration::from_secs(seconds.into()), text);
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let number = take(rest, |c| c.is_ascii_digit() || c == '.');
        let unit = take(&rest[number.len()..], |c| c.is_ascii_alphabetic());
        let seconds = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return Err(wrong()),
        };
        let number_value: f64 = number.parse().map_err(|_| wrong())?;
        let part = Duration::try_from_secs_f64(number_value * seconds).map_err(|_| wrong())?;
        total = total.checked_add(part).ok_or_else(wrong)?;
        rest = &rest[number.len() + unit.len()..];
    }
    positive(total, text)
}

fn positive(duration: Duration, text: &str) -> Result<Duration, String> {
    if duration.is_zero() {
        return Err(format!(
            "`{text}` leaves no time at all; write it like 30s or 2m"
        ));
    }
    Ok(duration)
}

/// `1MiB`, `64k`, `1.5GB`, `4096`: k, M and G alone mean KiB, MiB and GiB.
pub fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size; write it like 4096, 64KiB, 1MiB or 1GiB");
    let number = take(text, |c| c.is_ascii_digit() || c == '.');
    let scale: u64 = match text[number.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    if !number.contains('.') {
        let whole: u64 = number.parse().map_err(|_| wrong())?;
        return whole.checked_mul(scale).ok_or_else(wrong);
    }
    let part: f64 = number.parse().map_err(|_| wrong())?;
    Ok((part * scale as f64) as u64)
}

fn take(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, milliseconds) in [
            ("2m", 120_000),
            ("1h30m", 5_400_000),
            ("1.5s", 1_500),
            ("500ms", 500),
            ("90", 90_000),
        ] {
            assert_eq!(
                duration(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_duration_that_is_none_is_refused_with_what_would_be_right() {
        for text in ["", "m", "2 m", "-1s", "soon", "1.2.3s", "0", "1e400s", "2x"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(
            duration("soon").unwrap_err(),
            "`soon` is not a duration; write it like 30s, 2m, 1h30m or 500ms"
        );
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, expected) in [
            ("4096", 4096),
            ("64KiB", 65_536),
            ("64k", 65_536),
            ("1MiB", 1 << 20),
            ("1.5M", 3 << 19),
            ("1GB", 1_000_000_000),
            ("0", 0),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "MiB", "-1", "1TiB2", "99999999999999999999G"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
