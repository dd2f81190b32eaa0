//! What a sandboxed run may do: data only.
//!
//! Definitions and flags fill these types, `argway-sandbox` enforces them. Nothing
//! here knows how.

use serde::{Deserialize, Serialize};

mod variables;

pub use variables::loads_code;

/// What a run may reach and use. The default is what a definition gets that says
/// nothing: no network, its working directory, bounded resources.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxPolicy {
    /// Whether it may talk to the network.
    pub network: bool,
    /// Which files it may reach.
    pub filesystem: Filesystem,
    /// Further folders and files that it may read, absolute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readable: Vec<String>,
    /// Further folders and files that it may read and write, absolute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writable: Vec<String>,
    /// Variables of the server's environment that it sees, beyond the harmless ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// How much it may use.
    pub resources: Resources,
}

/// Which files a run may reach, besides the system's (read-only, so that programs
/// start) and a temporary folder of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filesystem {
    /// No others: it runs in its temporary folder.
    None,
    /// Its working directory.
    #[default]
    Cwd,
    /// The caller's home, and the working directory.
    Home,
    /// Everything that the caller may.
    Full,
}

/// How much a run may use, counted over everything that it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Resources {
    /// Seconds of processor time.
    pub cpu_seconds: u64,
    /// Memory in MiB.
    pub memory_mb: u64,
    /// Descriptors that one process may have open.
    pub open_files: u64,
    /// Processes at a time.
    pub processes: u64,
    /// The largest file that it may write, in MiB.
    pub file_mb: u64,
    /// What it may print on each stream, in MiB.
    pub output_mb: u64,
}

impl Default for Resources {
    fn default() -> Self {
        Self {
            cpu_seconds: 120,
            memory_mb: 1024,
            open_files: 1024,
            processes: 256,
            file_mb: 1024,
            output_mb: 64,
        }
    }
}

/// How much of a policy must hold for a program to be started at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Demand {
    /// The strict tier, or the portable one where namespaces are not allowed.
    #[default]
    Enforced,
    /// The strict tier or nothing.
    Strict,
    /// The portable tier even where more could be had.
    Portable,
    /// Whatever can be had, and the result says what could not.
    BestEffort,
}

/// What held while a program ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enforcement {
    /// Which set of layers.
    pub tier: Tier,
    /// Promises of the policy that were not kept, one sentence each. Empty but in
    /// the portable tier, whose gaps these are, and with [`Demand::BestEffort`].
    pub gaps: Vec<String>,
}

/// A set of layers that was tried against attacks as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Namespaces, seccomp, and Landlock where there is one.
    Strict,
    /// Landlock and seccomp, no namespaces.
    Portable,
    /// Less than either: only by [`Demand::BestEffort`].
    Partial,
}

/// A bound that a run went over and was ended for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exceeded {
    /// Processor time of everything together.
    Cpu,
    /// Memory of everything together.
    Memory,
    /// The number of processes.
    Processes,
}

/// What an operator says on the command line about every policy: the last word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyOverrides {
    /// The network, allowed or not.
    pub network: Option<bool>,
    /// Which files.
    pub filesystem: Option<Filesystem>,
    /// Further readable paths.
    pub readable: Vec<String>,
    /// Further writable paths.
    pub writable: Vec<String>,
    /// Further variables.
    pub variables: Vec<String>,
    /// Seconds of processor time.
    pub cpu_seconds: Option<u64>,
    /// Memory in MiB.
    pub memory_mb: Option<u64>,
    /// Descriptors of one process.
    pub open_files: Option<u64>,
    /// Processes at a time.
    pub processes: Option<u64>,
    /// The largest file in MiB.
    pub file_mb: Option<u64>,
}

impl PolicyOverrides {
    /// `policy` with what the operator says instead.
    pub fn apply(&self, policy: &SandboxPolicy) -> SandboxPolicy {
        let mut policy = policy.clone();
        let resources = &mut policy.resources;
        let numbers = [
            (&mut resources.cpu_seconds, self.cpu_seconds),
            (&mut resources.memory_mb, self.memory_mb),
            (&mut resources.open_files, self.open_files),
            (&mut resources.processes, self.processes),
            (&mut resources.file_mb, self.file_mb),
        ];
        for (number, said) in numbers {
            *number = said.unwrap_or(*number);
        }
        policy.network = self.network.unwrap_or(policy.network);
        policy.filesystem = self.filesystem.unwrap_or(policy.filesystem);
        policy.readable.extend(self.readable.iter().cloned());
        policy.writable.extend(self.writable.iter().cloned());
        policy.variables.extend(self.variables.iter().cloned());
        policy
    }
}
