//! The attacks, a line each.

use crate::ground::Who;

/// One attack.
#[derive(Debug)]
pub struct Attack {
    /// The attacker's words; `{…}` are places and things of the ground's.
    pub line: &'static str,
    pub alone: Alone,
    /// What of the portable tier's promises it shows to be missing.
    pub open: Option<Gap>,
}

/// For whom an attack works without a sandbox.
#[derive(Debug, Clone, Copy)]
pub enum Alone {
    Works,
    WorksForRoot,
    WorksForUsers,
    /// Depends on the kernel and on what a container leaves to root.
    WhereThereIsSuch,
}

/// A promise that takes a mount namespace to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// Modes, times and attributes of files outside.
    Metadata,
    /// Which files there are outside.
    Existence,
    /// What is protected inside the working directory.
    Protected,
}

/// Each gap, and a word by which argway's sentence about it is known.
pub const GAPS: &[(Gap, &str)] = &[
    (Gap::Metadata, "mode"),
    (Gap::Existence, "exist"),
    (Gap::Protected, ".git"),
];

impl Attack {
    /// Whether `who` must succeed with it without a sandbox.
    pub fn must_work(&self, who: Who) -> bool {
        match self.alone {
            Alone::Works => true,
            Alone::WorksForRoot => who == Who::Root,
            Alone::WorksForUsers => who == Who::User,
            Alone::WhereThereIsSuch => false,
        }
    }

    /// Whether it would reach everything on this machine, and is not tried alone.
    pub fn reaches_everyone(&self, who: Who) -> bool {
        matches!(self.alone, Alone::WorksForUsers) && who == Who::Root
    }

    const fn open(mut self, gap: Gap) -> Self {
        self.open = Some(gap);
        self
    }
}

const fn attack(line: &'static str, alone: Alone) -> Attack {
    Attack {
        line,
        alone,
        open: None,
    }
}

const fn works(line: &'static str) -> Attack {
    attack(line, Alone::Works)
}

const fn for_root(line: &'static str) -> Attack {
    attack(line, Alone::WorksForRoot)
}

const fn perhaps(line: &'static str) -> Attack {
    attack(line, Alone::WhereThereIsSuch)
}

pub const ATTACKS: &[Attack] = &[
    // Files outside.
    works("read {home}/.ssh/id_rsa"),
    works("read {outside}/secret"),
    works("read ../outside/secret"),
    works("list {home}"),
    works("list {outside}"),
    works("write {outside}/fresh"),
    works("write ../outside/fresh"),
    works("write {outside}/notes"),
    works("append {home}/.bashrc"),
    works("write {home}/.config"),
    works("truncate {outside}/notes"),
    works("remove {outside}/notes"),
    works("make-folder {outside}/folder"),
    works("remove-tree {outside}"),
    works("read-through-symlink {home}/.ssh/id_rsa"),
    works("write-through-symlink {outside}/notes"),
    works("swap-symlinks {outside}/secret"),
    works("hard-link {outside}/secret"),
    works("move-out {outside}/loot"),
    works("move-in {outside}/secret"),
    works("execute {outside}/program"),
    works("own-program"),
    works("chmod {outside}/notes").open(Gap::Metadata),
    works("touch {outside}/notes").open(Gap::Metadata),
    works("setxattr {outside}/notes").open(Gap::Metadata),
    works("stat {outside}/secret").open(Gap::Existence),
    works("readlink {outside}/link").open(Gap::Existence),
    works("enter {outside}").open(Gap::Existence),
    works("watch {outside}").open(Gap::Existence),
    // Files inside that would become code outside.
    works("mark-setuid"),
    works("write .slop-mcp/cli/tool.kdl").open(Gap::Protected),
    works("write .slop-mcp/cli/evil.kdl").open(Gap::Protected),
    works("write .argway/cli/evil.kdl").open(Gap::Protected),
    works("pipe-in-the-way .argway/cli/evil.kdl").open(Gap::Protected),
    works("write .git/hooks/post-commit").open(Gap::Protected),
    works("append .git/hooks/pre-commit").open(Gap::Protected),
    works("remove .git/hooks/pre-commit").open(Gap::Protected),
    works("append .git/config").open(Gap::Protected),
    works("reopen .git/config").open(Gap::Protected),
    works("link-hook").open(Gap::Protected),
    works("move-git").open(Gap::Protected),
    works("link-git").open(Gap::Protected),
    works("remove-tree .git").open(Gap::Protected),
    works("remove-tree .argway").open(Gap::Protected),
    works("append .vscode/tasks.json").open(Gap::Protected),
    works("append .idea/workspace.xml").open(Gap::Protected),
    // Sockets.
    works("tcp {tcp}"),
    perhaps("tcp6 {tcp6}"),
    works("tcp-fast-open {tcp}"),
    perhaps("multipath-tcp {tcp}"),
    works("tcp-listen"),
    works("udp {udp}"),
    perhaps("udp6 {udp6}"),
    works("dns {udp}"),
    works("unix {stream}"),
    works("unix ./stream"),
    works("unix-datagram {datagram}"),
    works("unix-datagram ./datagram"),
    works("unix-listen"),
    works("datagram-pair {datagram}"),
    works("datagram-pair ./datagram"),
    works("abstract {abstract}"),
    works("abstract-listen {abstract}"),
    perhaps("socket 40 1 0"),
    works("socket 16 3 0"),
    perhaps("socket 16 3 9"),
    perhaps("socket 17 3 0"),
    perhaps("socket 2 3 1"),
    perhaps("socket 2 1 132"),
    perhaps("socket 38 5 0"),
    perhaps("socket 29 3 1"),
    perhaps("socket 31 3 0"),
    perhaps("socket 44 3 0"),
    perhaps("socket-by-interrupt"),
    perhaps("socket-by-x32"),
    perhaps("io-uring"),
    // Other processes.
    works("scan-environments ATTACK_SECRET {token}"),
    works("scan-command-lines {first-half} {second-half}"),
    works("through-root-of {victim} {outside}/secret"),
    perhaps("through-root-of 1 {outside}/secret"),
    works("memory-of {victim} {address}"),
    works("trace {victim}"),
    works("read-memory {victim} {address}"),
    works("kill {victim}"),
    works("kill-by-descriptor {victim}"),
    attack("kill-everyone {victim}", Alone::WorksForUsers),
    works("signal-by-owner {victim}"),
    works("renice {victim}"),
    works("limit {victim}"),
    works("take-descriptor {victim}"),
    perhaps("compare {victim}"),
    perhaps("advise-memory {victim} {address}"),
    perhaps("move-memory {victim} {address}"),
    works("inherited-descriptors {token}"),
    works("environment ATTACK_SECRET"),
    works("environment LD_PRELOAD"),
    works("preloaded {spy}"),
    works("shared-memory {key}"),
    works("message-queue {key}"),
    works("semaphore {key}"),
    perhaps("named-queue {key}"),
    // Worlds, rights and the kernel.
    perhaps("unshare"),
    perhaps("clone3"),
    for_root("run-setuid {raised}"),
    for_root("become"),
    for_root("give-away"),
    perhaps("grant-capability"),
    perhaps("join-world"),
    perhaps("mount"),
    perhaps("chroot"),
    perhaps("privileged pivot_root"),
    perhaps("privileged umount"),
    perhaps("privileged fsopen"),
    perhaps("privileged open_tree"),
    perhaps("open-by-handle {outside}/secret"),
    perhaps("keyring"),
    perhaps("add-key"),
    perhaps("request-key"),
    perhaps("bpf"),
    perhaps("perf"),
    perhaps("userfaultfd"),
    works("run-from-memory"),
    works("personality"),
    perhaps("real-time"),
    perhaps("priority"),
    perhaps("raise-limit"),
    perhaps("dump-core"),
    perhaps("outlive-others"),
    perhaps("kernel-log"),
    perhaps("hostname"),
    perhaps("clock"),
    perhaps("privileged reboot"),
    perhaps("privileged swapon"),
    perhaps("privileged swapoff"),
    perhaps("privileged init_module"),
    perhaps("privileged delete_module"),
    perhaps("privileged kexec_load"),
    perhaps("privileged acct"),
    perhaps("privileged quotactl"),
    perhaps("privileged fanotify_init"),
    perhaps("privileged iopl"),
    perhaps("privileged ioperm"),
    // The machine, as root.
    for_root("read /etc/shadow"),
    perhaps("read /proc/1/environ"),
    perhaps("open-for-writing /proc/sys/kernel/core_pattern"),
    perhaps("open-for-writing /proc/sysrq-trigger"),
    perhaps("read /proc/kcore"),
    perhaps("read /dev/mem"),
    perhaps("read /dev/kmsg"),
    perhaps("read {disk}"),
    perhaps("device block"),
    perhaps("device character"),
    perhaps("open-for-writing {cgroup}"),
    perhaps("open-for-writing /sys/kernel/mm/transparent_hugepage/enabled"),
    for_root("lease /etc/passwd"),
    works("lease {outside}/notes"),
    perhaps("read /proc/timer_list"),
    perhaps("read /proc/slabinfo"),
    perhaps("read /proc/vmallocinfo"),
    for_root("append {system}"),
    for_root("chmod {system}").open(Gap::Metadata),
];
