//! The variables that tell programs that nobody is at a terminal.

use std::ffi::OsString;

use super::Environment;

/// Names and values that switch off colour, pagers, editors, prompts and
/// spinners. Nothing here answers a question with yes.
const SETTINGS: &[(&str, &str)] = &[
    ("MCP_MODE", "true"),
    // Colour and cursor movement.
    ("NO_COLOR", "1"),
    ("CLICOLOR", "0"),
    ("PY_COLORS", "0"),
    ("TERM", "dumb"),
    ("GLAMOUR_STYLE", "notty"),
    ("GH_SPINNER_DISABLED", "1"),
    // Pagers.
    ("PAGER", "cat"),
    ("AWS_PAGER", "cat"),
    ("BAT_PAGER", "cat"),
    ("DELTA_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GLAB_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("PSQL_PAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    // Editors: one that refuses says more than one that waits.
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("GH_EDITOR", "false"),
    ("KUBE_EDITOR", "false"),
    // Questions.
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GCM_INTERACTIVE", "never"),
    ("GH_PROMPT_DISABLED", "1"),
    ("NO_PROMPT", "1"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("SUDO_ASKPASS", "/bin/false"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PIP_NO_INPUT", "1"),
    ("TF_INPUT", "0"),
    ("AWS_CLI_AUTO_PROMPT", "off"),
    // Notices that have nothing to do with the call.
    ("COBRA_ACTIVE_HELP", "0"),
    ("GH_NO_UPDATE_NOTIFIER", "1"),
    ("NO_UPDATE_NOTIFIER", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
];

/// Variables that would bring back what the settings switch off.
const REMOVED: &[&str] = &[
    "CLICOLOR_FORCE",
    "FORCE_COLOR",
    "COLORTERM",
    // Cobra writes to it.
    "BASH_COMP_DEBUG_FILE",
];

/// The caller's environment, made fit for a run without a terminal.
pub fn environment() -> Environment {
    let set = SETTINGS
        .iter()
        .map(|(name, value)| (OsString::from(name), Some(OsString::from(value))));
    let removed = REMOVED.iter().map(|name| (OsString::from(name), None));
    Environment::Inherit(set.chain(removed).collect())
}
