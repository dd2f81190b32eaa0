//! Which part of the old root is bound where in the new one: a view as a list, in the
//! order in which it can be carried out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::view::View;

/// What a world makes for itself: nothing there is bound because a view names it.
const OWN: [&str; 10] = [
    "/proc",
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/fd",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
];

/// One thing that is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Where it is in the old root, absolute.
    pub source: PathBuf,
    /// Where it will be in the new one, absolute.
    pub target: PathBuf,
    /// What may be done with it.
    pub access: Access,
}

/// What may be done with what is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It may be read and executed.
    Read,
    /// It may be changed too.
    Write,
    /// As [`Access::Write`], bound on itself only so that it cannot be moved: something
    /// protected is in it.
    Hold,
    /// As [`Access::Read`], within something that may be changed.
    Protect,
}

impl Access {
    /// Whether what is bound so can be changed.
    pub fn is_writable(self) -> bool {
        match self {
            Self::Write | Self::Hold => true,
            Self::Read | Self::Protect => false,
        }
    }
}

/// Everything that is bound for `view`, outer before inner. The root itself comes
/// first where the view holds all of it.
pub fn places(view: &View) -> Vec<Place> {
    let mut wanted = BTreeMap::new();
    let mut want = |source: &Path, target: &Path, access| {
        let place = Place {
            source: source.to_owned(),
            target: target.to_owned(),
            access,
        };
        wanted.insert(target.to_owned(), place);
    };
    for path in &view.readable {
        want(path, path, Access::Read);
    }
    for path in view.writable.iter().chain([&view.temporary]) {
        want(path, view.in_own_world(path), Access::Write);
    }
    for place in guards(view) {
        want(&place.source, &place.target, place.access);
    }
    needed(wanted.into_values())
}

/// What keeps the protected paths as they are, and where they are.
pub fn guards(view: &View) -> Vec<Place> {
    let itself = |path: &Path, access| Place {
        source: path.to_owned(),
        target: path.to_owned(),
        access,
    };
    let outermost = |path: &Path| {
        let roots = view.writable.iter().chain([&view.directory]);
        roots
            .filter(|root| path.starts_with(root))
            .map(|root| root.components().count())
            .max()
    };
    let mut guards = BTreeMap::new();
    for path in &view.protected {
        let depth = outermost(path).unwrap_or(usize::MAX);
        let holders = path.ancestors().skip(1);
        for holder in holders.take_while(|holder| holder.components().count() > depth) {
            guards
                .entry(holder.to_owned())
                .or_insert_with(|| itself(holder, Access::Hold));
        }
    }
    for path in &view.protected {
        guards.insert(path.clone(), itself(path, Access::Protect));
    }
    needed(guards.into_values())
}

/// Leaves out what an outer place already shows with the same access.
fn needed(sorted: impl Iterator<Item = Place>) -> Vec<Place> {
    let mut kept: Vec<Place> = Vec::new();
    for place in sorted {
        if OWN.iter().any(|own| place.target.starts_with(own)) {
            continue;
        }
        let outer = kept
            .iter()
            .rev()
            .find(|outer| place.target.starts_with(&outer.target))
            .filter(|outer| outer.source == outer.target);
        let told = match (outer.map(|outer| outer.access), place.access) {
            (None, _) => false,
            (Some(Access::Read | Access::Protect), access) => !access.is_writable(),
            (Some(Access::Write | Access::Hold), access) => {
                matches!(access, Access::Read | Access::Write)
            }
        };
        // What is protected stays so, whatever else names a part of it.
        let within_protected = outer.is_some_and(|outer| outer.access == Access::Protect);
        if !told && !within_protected {
            kept.push(place);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(list: &[&str]) -> Vec<PathBuf> {
        list.iter().map(PathBuf::from).collect()
    }

    fn view(readable: &[&str], writable: &[&str], protected: &[&str], temporary: &str) -> View {
        View {
            readable: paths(readable),
            writable: paths(writable),
            protected: paths(protected),
            directory: writable.first().map(PathBuf::from).unwrap_or_default(),
            temporary: temporary.into(),
            home: temporary.into(),
            ..View::default()
        }
    }

    #[track_caller]
    fn check(view: &View, expected: &[&str]) {
        let said: Vec<String> = places(view)
            .iter()
            .map(|place| {
                let access = match place.access {
                    Access::Read => "read",
                    Access::Write => "write",
                    Access::Hold => "hold",
                    Access::Protect => "protect",
                };
                let (source, target) = (place.source.display(), place.target.display());
                if place.source == place.target {
                    format!("{access} {target}")
                } else {
                    format!("{access} {target} from {source}")
                }
            })
            .collect();
        assert_eq!(said, expected);
    }

    #[test]
    fn the_temporary_folder_is_tmp_and_nothing_else() {
        check(
            &view(&["/usr"], &["/home/a/x"], &[], "/var/t/1"),
            &["write /home/a/x", "write /tmp from /var/t/1", "read /usr"],
        );
    }

    #[test]
    fn a_directory_below_tmp_is_bound_in_the_temporary_folder() {
        check(
            &view(&[], &["/tmp/work"], &[], "/tmp/1"),
            &["write /tmp from /tmp/1", "write /tmp/work"],
        );
    }

    #[test]
    fn a_directory_that_is_tmp_stays_the_hosts() {
        check(&view(&[], &["/tmp"], &[], "/tmp/1"), &["write /tmp"]);
    }

    #[test]
    fn what_holds_something_protected_is_held() {
        check(
            &view(
                &[],
                &["/w"],
                &["/w/.git/hooks", "/w/.git/config", "/w/.x"],
                "/tmp/1",
            ),
            &[
                "write /tmp from /tmp/1",
                "write /w",
                "hold /w/.git",
                "protect /w/.git/config",
                "protect /w/.git/hooks",
                "protect /w/.x",
            ],
        );
    }

    #[test]
    fn nothing_within_a_protected_folder_can_be_written() {
        check(
            &view(&[], &["/w", "/w/.x/y"], &["/w/.x"], "/tmp/1"),
            &["write /tmp from /tmp/1", "write /w", "protect /w/.x"],
        );
    }

    #[test]
    fn a_readable_path_within_a_writable_one_is_no_less_writable() {
        check(
            &view(&["/w/lib"], &["/w"], &[], "/w/t"),
            &["write /tmp from /w/t", "write /w"],
        );
    }

    #[test]
    fn a_writable_path_within_a_readable_one_is_bound_over_it() {
        check(
            &view(&["/opt", "/opt/a"], &["/opt/b"], &[], "/opt/b/t"),
            &["read /opt", "write /opt/b", "write /tmp from /opt/b/t"],
        );
    }

    #[test]
    fn processes_and_common_devices_are_the_worlds_own() {
        check(
            &view(&["/dev/null", "/dev/kvm", "/proc/7"], &["/w"], &[], "/w/t"),
            &["read /dev/kvm", "write /tmp from /w/t", "write /w"],
        );
    }

    #[test]
    fn a_name_that_begins_like_another_is_not_within_it() {
        check(
            &view(&["/opt/ab"], &["/opt/a"], &[], "/opt/a/t"),
            &["write /opt/a", "read /opt/ab", "write /tmp from /opt/a/t"],
        );
    }
}
