//! Variables through which somebody else's code gets into a program.

/// Beginnings of names that the system's loaders and the like read.
const PREFIXES: [&str; 5] = ["LD_", "DYLD_", "BASH_FUNC_", "GCONV_", "_RLD"];

/// Variables that name code, a file of code, or a command to run, for a shell, an
/// interpreter or a program that many others start.
const NAMES: &[&str] = &[
    // Shells.
    "BASH_ENV",
    "BASHOPTS",
    "ENV",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "ZDOTDIR",
    // The C library and TLS.
    "GETCONF_DIR",
    "GLIBC_TUNABLES",
    "LOCPATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    // Interpreters.
    "CLASSPATH",
    "CORECLR_PROFILER_PATH",
    "DOTNET_STARTUP_HOOKS",
    "ERL_AFLAGS",
    "ERL_FLAGS",
    "GEM_HOME",
    "GEM_PATH",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LUA_CPATH",
    "LUA_INIT",
    "LUA_PATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PYTHONBREAKPOINT",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONUSERBASE",
    "RUBYLIB",
    "RUBYOPT",
    "_JAVA_OPTIONS",
    // Commands that programs run, and settings that name such.
    "GIT_ASKPASS",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR",
    "LESSCLOSE",
    "LESSOPEN",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
];

/// Whether a program that sees the variable `name` may run code that it names. Such a
/// variable is set by no definition and passed on by none.
///
/// Names are compared without regard to case: some systems do so too.
pub fn loads_code(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str()) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_loads_code_is_known_and_the_rest_is_let_through() {
        for name in [
            "LD_PRELOAD",
            "ld_audit",
            "DYLD_INSERT_LIBRARIES",
            "BASH_ENV",
            "NODE_OPTIONS",
        ] {
            assert!(loads_code(name), "{name}");
        }
        for name in [
            "LC_ALL",
            "PATH",
            "HOME",
            "OLD_PWD",
            "ENVIRONMENT",
            "GIT_DIR",
            "",
        ] {
            assert!(!loads_code(name), "{name}");
        }
    }
}
