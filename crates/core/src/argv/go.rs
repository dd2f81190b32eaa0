//! The grammars in which Go's standard library and pflag read single values.
//!
//! These decide what is sent; the patterns in `schema` say the same to a model.
//! Both are compared with Go itself in `tests/go_values.rs`.

use std::net::{Ipv4Addr, Ipv6Addr};

/// `time.ParseDuration`.
pub fn is_duration(text: &str) -> bool {
    const LIMIT: u64 = 1 << 63;
    let (negative, mut rest) = match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    let mut total = 0u64;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => digits(after),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return false;
        }
        let end = after
            .find(|char: char| char == '.' || char.is_ascii_digit())
            .unwrap_or(after.len());
        let Some(unit) = nanoseconds(&after[..end]) else {
            return false;
        };
        rest = &after[end..];
        let Some(part) = whole_part(whole)
            .filter(|whole| *whole <= LIMIT / unit)
            .and_then(|whole| (whole * unit).checked_add(fraction_part(fraction, unit)))
            .filter(|part| *part <= LIMIT)
        else {
            return false;
        };
        total = match total.checked_add(part) {
            Some(total) if total <= LIMIT => total,
            _ => return false,
        };
    }
    negative || total < LIMIT
}

fn digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|char: char| !char.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

fn nanoseconds(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // Micro sign, then Greek mu.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

fn whole_part(digits: &str) -> Option<u64> {
    match digits {
        "" => Some(0),
        digits => digits.parse().ok().filter(|whole| *whole <= 1 << 63),
    }
}

/// Nanoseconds of the digits after the point; Go ignores those that do not fit.
fn fraction_part(digits: &str, unit: u64) -> u64 {
    let mut value = 0u64;
    let mut scale = 1f64;
    for digit in digits.bytes().map(|byte| u64::from(byte - b'0')) {
        if value > ((1 << 63) - 1) / 10 || value * 10 + digit > 1 << 63 {
            break;
        }
        value = value * 10 + digit;
        scale *= 10.0;
    }
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    let nanoseconds = (value as f64 * (unit as f64 / scale)) as u64;
    nanoseconds
}

/// `net.ParseIP`: either family, no zone, no leading zeros.
pub fn is_ip(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok() || text.parse::<Ipv6Addr>().is_ok()
}

/// `net.ParseCIDR`. The prefix may have leading zeros; the address may not.
pub fn is_cidr(text: &str) -> bool {
    let Some((address, prefix)) = text.split_once('/') else {
        return false;
    };
    let most = if address.parse::<Ipv4Addr>().is_ok() {
        32
    } else if address.parse::<Ipv6Addr>().is_ok() {
        128
    } else {
        return false;
    };
    let significant = prefix.trim_start_matches('0');
    !prefix.is_empty()
        && prefix.bytes().all(|byte| byte.is_ascii_digit())
        && (significant.is_empty() || significant.parse::<u32>().is_ok_and(|bits| bits <= most))
}

/// pflag's `ParseIPv4Mask`: an address, or eight hexadecimal digits. Go's integer
/// parser lets an underscore stand for the first digit of a pair.
pub fn is_mask(text: &str) -> bool {
    let pairs = text.len() == 8
        && text.as_bytes().chunks(2).all(|pair| {
            (pair[0] == b'_' || pair[0].is_ascii_hexdigit()) && pair[1].is_ascii_hexdigit()
        });
    pairs || is_ip(text)
}

/// `hex.DecodeString`.
pub fn is_hex(text: &str) -> bool {
    text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `base64.StdEncoding.DecodeString`: padded; line ends anywhere are passed over.
pub fn is_base64(text: &str) -> bool {
    let kept: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    let padding = kept.iter().rev().take_while(|byte| **byte == b'=').count();
    kept.len().is_multiple_of(4)
        && padding <= 2
        && kept[..kept.len() - padding]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reads: fn(&str) -> bool, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(reads(text), "{text:?} is refused");
        }
        for text in bad {
            assert!(!reads(text), "{text:?} is accepted");
        }
    }

    #[test]
    fn durations() {
        check(
            is_duration,
            &[
                "0",
                "+0",
                "-0",
                "1h30m",
                "1.5h",
                "-5m0s",
                ".5s",
                "1.s",
                "+5s",
                "1us",
                "1µs",
                "1μs",
                "2540400h10m10s",
                "-9223372036854775808ns",
                "9223372036854775807ns",
            ],
            &[
                "",
                "-",
                "1",
                "5 s",
                ".s",
                "1d",
                "1h 30m",
                "s",
                "9223372036854775808ns",
                "9223372036854775809ns",
                "-9223372036854775809ns",
                "3000000h",
                "1e3s",
            ],
        );
    }

    #[test]
    fn addresses_and_networks() {
        check(
            is_ip,
            &[
                "1.2.3.4",
                "::",
                "::1",
                "::ffff:1.2.3.4",
                "1:2:3:4:5:6:7:8",
                "1::8",
                "FE80::A",
            ],
            &[
                "",
                "01.2.3.4",
                "1.2.3",
                "256.1.1.1",
                "fe80::1%eth0",
                "1:2:3:4:5:6:7::8",
                "12345::",
            ],
        );
        check(
            is_cidr,
            &[
                "10.0.0.0/8",
                "10.0.0.0/008",
                "::/0",
                "::ffff:1.2.3.4/96",
                "fe80::/128",
            ],
            &[
                "10.0.0.0",
                "10.0.0.0/33",
                "10.0.0.0/",
                "10.0.0.0/-1",
                "::/129",
                "10.0/8",
                "1.2.3.4/+8",
            ],
        );
        check(
            is_mask,
            &["255.255.255.0", "ffffff00", "_f_f_f00"],
            &["ffffff0", "gfffff00", "24"],
        );
    }

    #[test]
    fn bytes() {
        check(is_hex, &["", "00ff", "AbCd"], &["0", "0x00", "gg", "é"]);
        check(
            is_base64,
            &["", "YQ==", "YWI=", "YWJj", "YQ\r\n==\n", "YW\nJj"],
            &["YQ", "YQ=", "====", "Y===", "YQ==YQ==", "YW-_", "YQ= ="],
        );
    }
}
