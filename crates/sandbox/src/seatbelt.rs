//! The same policy as a profile for macOS' `sandbox-exec`. Generated and tested as
//! text; it has not been run on macOS.
//!
//! A later rule wins over an earlier one: the profile denies everything, then allows
//! what the view shows, then takes back what is protected.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use crate::view::View;

/// What every program needs that is no file.
const BASICS: &str = r#"(version 1)
(deny default)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow file-read* file-write-data file-ioctl
    (literal "/dev/null")
    (literal "/dev/zero"))
(allow file-read*
    (literal "/dev/random")
    (literal "/dev/urandom"))
(allow file-read* file-write-data (subpath "/dev/fd"))
"#;

/// Addresses, not paths: a socket with a path is a door to another program. Names are
/// asked of the system's resolver, which has one.
const NETWORK: &str = r#"(allow system-socket)
(allow network-outbound (remote ip))
(allow network-inbound (local ip))
(allow network-bind (local ip))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow mach-lookup
    (global-name "com.apple.SystemConfiguration.configd")
    (global-name "com.apple.trustd")
    (global-name "com.apple.trustd.agent"))
"#;

/// The profile that confines a program to `view`, and to no network unless `network`.
pub fn profile(view: &View, network: bool) -> String {
    let mut profile = BASICS.to_owned();
    if view.everything {
        profile.push_str("(allow process-exec)\n(allow file*)\n");
    } else {
        files(&mut profile, view);
    }
    // A file that makes its user another one would outlive the sandbox.
    profile.push_str("(deny file-write-setugid)\n");
    if network {
        profile.push_str(NETWORK);
        if view.everything {
            profile.push_str("(allow network*)\n");
        }
    }
    profile
}

fn files(profile: &mut String, view: &View) {
    let shown = || view.readable.iter().chain(&view.writable);
    // The way to a path must be seen to be walked, and nothing beside it.
    let ways: BTreeSet<&Path> = shown()
        .flat_map(|path| path.ancestors().skip(1))
        .chain([Path::new("/")])
        .collect();
    rule(profile, "allow file-read-metadata", "literal", ways);
    rule(
        profile,
        "allow file-read* file-map-executable process-exec",
        "subpath",
        shown().map(|path| path.as_path()),
    );
    rule(
        profile,
        "allow file-write*",
        "subpath",
        view.writable.iter().map(|path| path.as_path()),
    );
    if view.protected.is_empty() {
        return;
    }
    rule(
        profile,
        "deny file-write*",
        "subpath",
        view.protected.iter().map(|path| path.as_path()),
    );
    // Nor is a folder moved away that holds one of them.
    let holders: BTreeSet<&Path> = view
        .protected
        .iter()
        .flat_map(|path| path.ancestors().skip(1))
        .filter(|holder| view.writable.iter().any(|root| holder.starts_with(root)))
        .collect();
    rule(profile, "deny file-write-unlink", "literal", holders);
}

/// One rule over `paths`; none where there are none, since a rule without a path is
/// about every path.
fn rule<'a>(
    profile: &mut String,
    verb: &str,
    filter: &str,
    paths: impl IntoIterator<Item = &'a Path>,
) {
    let mut paths = paths.into_iter().peekable();
    if paths.peek().is_none() {
        return;
    }
    let _ = write!(profile, "({verb}");
    for path in paths {
        let _ = write!(profile, "\n    ({filter} {})", quoted(path));
    }
    profile.push_str(")\n");
}

/// A path as a string of the profile's language, which is a Scheme's.
fn quoted(path: &Path) -> String {
    let mut quoted = String::from("\"");
    for character in path.to_string_lossy().chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> View {
        View {
            readable: vec!["/usr".into(), "/etc/hosts".into()],
            writable: vec!["/Users/me/project".into(), "/private/tmp/call".into()],
            protected: vec!["/Users/me/project/.git/hooks".into()],
            ..View::default()
        }
    }

    /// The part of a profile after what every program has.
    fn rules(view: &View, network: bool) -> String {
        let profile = profile(view, network);
        profile.strip_prefix(BASICS).unwrap_or("BASICS").to_owned()
    }

    #[test]
    fn a_profile_denies_by_default_and_allows_what_the_view_shows() {
        let expected = r#"(allow file-read-metadata
    (literal "/")
    (literal "/Users")
    (literal "/Users/me")
    (literal "/etc")
    (literal "/private")
    (literal "/private/tmp"))
(allow file-read* file-map-executable process-exec
    (subpath "/usr")
    (subpath "/etc/hosts")
    (subpath "/Users/me/project")
    (subpath "/private/tmp/call"))
(allow file-write*
    (subpath "/Users/me/project")
    (subpath "/private/tmp/call"))
(deny file-write*
    (subpath "/Users/me/project/.git/hooks"))
(deny file-write-unlink
    (literal "/Users/me/project")
    (literal "/Users/me/project/.git"))
(deny file-write-setugid)
"#;
        assert_eq!(rules(&view(), false), expected);
        assert!(profile(&view(), false).starts_with("(version 1)\n(deny default)\n"));
    }

    #[test]
    fn the_network_is_addresses_and_with_all_files_everything() {
        let network = rules(&view(), true);
        assert!(network.ends_with(NETWORK));
        assert!(!network.contains("(allow network*)"));
        let everything = View {
            everything: true,
            ..View::default()
        };
        assert!(rules(&everything, true).ends_with("(allow network*)\n"));
        assert!(!rules(&everything, false).contains("network"));
        assert!(rules(&everything, false).contains("(allow file*)"));
    }

    #[test]
    fn no_path_ends_its_string() {
        let view = View {
            writable: vec!["/a \"b\") (allow default) \\".into(), "/c\nd".into()],
            ..View::default()
        };
        let text = rules(&view, false);
        assert!(
            text.contains(r#"(subpath "/a \"b\") (allow default) \\")"#),
            "{text}"
        );
        assert!(text.contains(r#"(subpath "/c\nd")"#), "{text}");
    }

    #[test]
    fn a_list_without_paths_makes_no_rule() {
        let text = rules(&View::default(), false);
        assert!(!text.contains("file-write*"), "{text}");
        assert!(!text.contains("process-exec\n"), "{text}");
    }
}
