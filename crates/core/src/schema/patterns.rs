//! Regular expressions for Go's value grammars, in the part of ECMA-262 that
//! every engine shares: no look-around, no classes that differ.
//!
//! They accept what `argv::go` accepts, but for a duration's range, which no
//! pattern can hold.

use std::sync::LazyLock;

use crate::model::Scalar;

/// `time.ParseDuration`. Both micro signs are there.
const DURATION: &str =
    "^[-+]?(?:0|(?:(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:ns|us|\u{b5}s|\u{3bc}s|ms|s|m|h))+)$";

/// `hex.DecodeString`.
const HEX: &str = "^(?:[0-9a-fA-F]{2})*$";

/// `base64.StdEncoding`: line ends may stand anywhere.
const BASE64: &str = "^[\\r\\n]*(?:(?:[A-Za-z0-9+/][\\r\\n]*){4})*\
    (?:(?:[A-Za-z0-9+/][\\r\\n]*){2}=[\\r\\n]*=[\\r\\n]*|(?:[A-Za-z0-9+/][\\r\\n]*){3}=[\\r\\n]*)?$";

/// `net.ParseIP`, `net.ParseCIDR` and pflag's masks.
struct Addresses {
    ip: String,
    net: String,
    mask: String,
}

static ADDRESSES: LazyLock<Addresses> = LazyLock::new(|| {
    let byte = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    let v4 = format!("(?:{byte}\\.){{3}}{byte}");
    let v6 = v6(&v4);
    Addresses {
        ip: format!("^(?:{v4}|{v6})$"),
        net: format!(
            "^(?:{v4}/0*(?:3[0-2]|[12]?[0-9])|{v6}/0*(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))$"
        ),
        mask: format!("^(?:(?:[0-9a-fA-F_][0-9a-fA-F]){{4}}|{v4}|{v6})$"),
    }
});

/// An IPv6 address: eight groups, or fewer around one `::`, the last two of which
/// may be written as IPv4.
fn v6(v4: &str) -> String {
    let group = "[0-9a-fA-F]{1,4}";
    let mut forms = vec![format!("(?:{group}:){{6}}(?:{group}:{group}|{v4})")];
    for left in 0..=7u32 {
        let head = match left {
            0 => ":".to_owned(),
            _ => format!("(?:{group}:){{{left}}}"),
        };
        // `::` stands for at least one group.
        let right = match 7 - left {
            0 => String::new(),
            1 => format!("(?:{group})?"),
            most => format!(
                "(?:(?:{group}:){{0,{}}}{group}|(?:{group}:){{0,{}}}{v4})?",
                most - 1,
                most - 2
            ),
        };
        forms.push(format!("{head}:{right}"));
    }
    format!("(?:{})", forms.join("|"))
}

/// The pattern of a value of this type, where its grammar is closed.
pub fn of(scalar: &Scalar) -> Option<&'static str> {
    match scalar {
        Scalar::Duration => Some(DURATION),
        Scalar::Ip => Some(&ADDRESSES.ip),
        Scalar::IpNet => Some(&ADDRESSES.net),
        Scalar::IpMask => Some(&ADDRESSES.mask),
        Scalar::Hex => Some(HEX),
        Scalar::Base64 => Some(BASE64),
        Scalar::String
        | Scalar::Bool
        | Scalar::Int(_)
        | Scalar::Uint(_)
        | Scalar::Float(_)
        | Scalar::Time
        | Scalar::Path
        | Scalar::Other(_) => None,
    }
}
