//! rlimits, umask, the out-of-memory score: what the system counts for each process.
//!
//! Never the size of the address space: Go, Node and the JVM reserve far more than
//! they use. Never the number of processes: it is counted over all of a user's, and
//! not at all for root. The supervisor watches both.

use argway_core::policy::Resources;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::LayerError;

/// The layer's name in errors and in what `doctor` prints.
pub const NAME: &str = "rlimits";

const MIB: u64 = 1 << 20;

/// Bounds this process and, each by itself, those that it starts. A bound that the
/// caller already has is never raised.
pub fn apply(resources: &Resources) -> Result<(), LayerError> {
    limit(Resource::Cpu, "processor time", |hard| {
        cpu(resources.cpu_seconds, hard)
    })?;
    let flat = [
        (
            Resource::Data,
            "memory",
            resources.memory_mb.saturating_mul(MIB),
        ),
        (Resource::Nofile, "open files", resources.open_files),
        (
            Resource::Fsize,
            "file size",
            resources.file_mb.saturating_mul(MIB),
        ),
        (Resource::Core, "core dumps", 0),
    ];
    for (resource, name, wanted) in flat {
        limit(resource, name, |hard| {
            let bound = Some(hard.map_or(wanted, |hard| hard.min(wanted)));
            (bound, bound)
        })?;
    }
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    // The first to go when memory is short. Not promised to anybody, so not an error.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    Ok(())
}

type Bounds = (Option<u64>, Option<u64>);

/// The signal comes at the soft bound, the end a second later.
fn cpu(wanted: u64, hard: Option<u64>) -> Bounds {
    let wanted = wanted.max(1);
    let end = wanted.saturating_add(1);
    let end = hard.map_or(end, |hard| hard.min(end));
    (Some(wanted.min(end.saturating_sub(1)).max(1)), Some(end))
}

fn limit(
    resource: Resource,
    name: &str,
    bounds: impl FnOnce(Option<u64>) -> Bounds,
) -> Result<(), LayerError> {
    let (current, maximum) = bounds(getrlimit(resource).maximum);
    setrlimit(resource, Rlimit { current, maximum }).map_err(|error| {
        LayerError::new(
            NAME,
            format_args!("{name} could not be bounded"),
            &error.into(),
            "a process may always lower its own limits; the container that this runs in \
             must allow `prlimit64`",
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;
    use crate::layers::testing::{check_alone, word};

    #[test]
    fn the_signal_comes_before_the_end_and_neither_above_the_caller_s_bound() {
        assert_eq!(cpu(120, None), (Some(120), Some(121)));
        assert_eq!(cpu(120, Some(60)), (Some(59), Some(60)));
        assert_eq!(cpu(120, Some(120)), (Some(119), Some(120)));
        assert_eq!(cpu(0, None), (Some(1), Some(2)));
        assert_eq!(cpu(u64::MAX, None), (Some(u64::MAX - 1), Some(u64::MAX)));
    }

    fn seen(resource: Resource) -> String {
        let Rlimit { current, maximum } = getrlimit(resource);
        format!("{current:?} {maximum:?}")
    }

    #[test]
    fn a_bounded_process_is_held_to_its_bounds() {
        check_alone(
            "layers::limits::tests::a_bounded_process_is_held_to_its_bounds",
            || {
                setrlimit(
                    Resource::Fsize,
                    Rlimit {
                        current: Some(3 * MIB),
                        maximum: Some(3 * MIB),
                    },
                )
                .unwrap();
                apply(&Resources {
                    cpu_seconds: 5,
                    memory_mb: 64,
                    open_files: 32,
                    file_mb: 10,
                    ..Resources::default()
                })
                .unwrap();
                let files: Vec<_> = (0..40).map(|_| std::fs::File::open("/dev/null")).collect();
                let refused = files.into_iter().find_map(Result::err).unwrap();
                let memory = Vec::<u8>::new().try_reserve_exact(256 * MIB as usize);
                let score = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap();
                vec![
                    format!("cpu {}", seen(Resource::Cpu)),
                    format!("data {}", seen(Resource::Data)),
                    format!("files {}", seen(Resource::Nofile)),
                    format!("file size {}", seen(Resource::Fsize)),
                    format!("core {}", seen(Resource::Core)),
                    format!(
                        "another file: {}",
                        word::<()>(Err(refused.raw_os_error().unwrap()))
                    ),
                    format!("256 MiB: {}", memory.is_ok()),
                    format!("score {}", score.trim()),
                    format!(
                        "umask {:o}",
                        rustix::process::umask(rustix::fs::Mode::empty()).bits()
                    ),
                ]
            },
            &[
                "cpu Some(5) Some(6)",
                "data Some(67108864) Some(67108864)",
                "files Some(32) Some(32)",
                "file size Some(3145728) Some(3145728)",
                "core Some(0) Some(0)",
                "another file: EMFILE",
                "256 MiB: false",
                "score 1000",
                "umask 22",
            ],
        );
    }
}
