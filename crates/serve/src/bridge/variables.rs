//! The variables that a call's program sees.
//!
//! In a sandbox these are a list: what programs need to know the language and where
//! other programs are, what keeps them from asking questions, what the policy passes
//! on, what the definition sets. Without one it is the server's environment, with the
//! same additions.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use argway_core::model::RunSpec;
use argway_core::policy::SandboxPolicy;

use super::codec;
use super::redaction::HIDDEN;
use super::setup::SetupError;
use crate::exec::{self, Environment};

/// What a sandboxed program sees of the server's environment, and every `LC_…`.
const PASSED_ON: [&str; 5] = ["PATH", "LANG", "TZ", "USER", "LOGNAME"];

/// And where it may use the network: how to get there, and whom to believe.
const PASSED_ON_WITH_NETWORK: [&str; 10] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// A variable that a call sets.
#[derive(Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    pub(super) value: OsString,
    /// Where its value comes from.
    pub origin: Origin,
}

/// Where a variable's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The definition, as written.
    Definition,
    /// The server's environment, which may hold secrets of the server's.
    Server,
    /// The caller: a secret.
    Caller,
}

impl Variable {
    /// Its value as anybody may see it; nothing where nobody may.
    pub fn shown(&self) -> Option<Cow<'_, str>> {
        match self.origin {
            Origin::Definition => Some(self.value.to_string_lossy()),
            Origin::Server | Origin::Caller => None,
        }
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.shown();
        write!(f, "{}={}", self.name, shown.as_deref().unwrap_or(HIDDEN))
    }
}

/// The server's own variables, as values so that tests can be others.
pub(super) type Server = BTreeMap<OsString, OsString>;

/// What a definition sets, and then the `secrets` of the call.
pub(super) fn set(
    run: Option<&RunSpec>,
    secrets: Vec<(String, String)>,
    server: &Server,
) -> Result<Vec<Variable>, SetupError> {
    let mut variables = Vec::new();
    let mut unset = Vec::new();
    for (name, written) in run.iter().flat_map(|run| &run.env) {
        let expanded = match run.is_some_and(|run| run.expand_env) {
            true => expand(written, server),
            false => Ok(OsString::from(written)),
        };
        match expanded {
            Ok(value) => variables.push(Variable {
                name: name.clone(),
                origin: match value == written.as_str() {
                    true => Origin::Definition,
                    false => Origin::Server,
                },
                value,
            }),
            Err(Unexpanded::Unset(name)) => unset.push(name),
            Err(Unexpanded::Malformed) => {
                return Err(SetupError::Expansion {
                    name: name.clone(),
                    written: written.clone(),
                });
            }
        }
    }
    if !unset.is_empty() {
        unset.sort();
        unset.dedup();
        return Err(SetupError::Unset(unset));
    }
    for (name, value) in secrets {
        variables.retain(|variable: &Variable| variable.name != name);
        variables.push(Variable {
            name,
            value: value.into(),
            origin: Origin::Caller,
        });
    }
    for variable in &variables {
        check_name(&variable.name)?;
        if variable.value.as_bytes().contains(&0) {
            return Err(SetupError::Nul(variable.name.clone()));
        }
    }
    Ok(variables)
}

/// The whole environment of a call: a list under `policy`, the server's without one.
pub(super) fn environment(
    policy: Option<&SandboxPolicy>,
    variables: &[Variable],
    server: &Server,
) -> Result<Environment, SetupError> {
    let set = |variable: &Variable| (OsString::from(&variable.name), variable.value.clone());
    let Environment::Inherit(mut changes) = exec::environment() else {
        return Ok(Environment::Exactly(variables.iter().map(set).collect()));
    };
    let Some(policy) = policy else {
        let variables = variables.iter().map(set);
        changes.extend(variables.map(|(name, value)| (name, Some(value))));
        return Ok(Environment::Inherit(changes));
    };
    for name in &policy.variables {
        check_name(name)?;
    }
    let network = match policy.network {
        true => PASSED_ON_WITH_NETWORK.as_slice(),
        false => &[],
    };
    let passed_on = |name: &OsStr| {
        let lists = PASSED_ON.iter().chain(network);
        let language = name.as_bytes().starts_with(b"LC_");
        language || lists.into_iter().any(|passed| name == *passed)
    };
    let mut all: BTreeMap<OsString, OsString> = server
        .iter()
        .filter(|(name, _)| passed_on(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    all.extend(
        changes
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let asked_for = policy.variables.iter().filter_map(|name| {
        let value = server.get(OsStr::new(name))?;
        Some((OsString::from(name), value.clone()))
    });
    all.extend(asked_for);
    all.extend(variables.iter().map(set));
    Ok(Environment::Exactly(all.into_iter().collect()))
}

/// The bytes of each `NAME=value` that `environment` comes to.
pub(super) fn lengths(environment: &Environment, server: &Server) -> Vec<usize> {
    let length = |name: &OsStr, value: &OsStr| name.len() + 1 + value.len();
    match environment {
        Environment::Exactly(variables) => variables
            .iter()
            .map(|(name, value)| length(name, value))
            .collect(),
        Environment::Inherit(changes) => {
            let mut all: BTreeMap<&OsStr, &OsStr> = server
                .iter()
                .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
                .collect();
            for (name, value) in changes {
                match value {
                    Some(value) => all.insert(name, value),
                    None => all.remove(name.as_os_str()),
                };
            }
            all.into_iter()
                .map(|(name, value)| length(name, value))
                .collect()
        }
    }
}

fn check_name(name: &str) -> Result<(), SetupError> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(SetupError::Name(name.to_owned()));
    }
    match codec::loads_code(name) {
        true => Err(SetupError::LoadsCode(name.to_owned())),
        false => Ok(()),
    }
}

/// Why a value has no expansion.
#[derive(Debug, PartialEq, Eq)]
enum Unexpanded {
    /// It names this variable, which is not set.
    Unset(String),
    /// A `${` without a name or an end.
    Malformed,
}

/// `written` with `$NAME` and `${NAME}` replaced and `$$` for a dollar. A dollar
/// before anything else is a dollar.
fn expand(written: &str, server: &Server) -> Result<OsString, Unexpanded> {
    let mut value = Vec::new();
    let mut rest = written;
    while let Some((before, after)) = rest.split_once('$') {
        value.extend_from_slice(before.as_bytes());
        if let Some(after) = after.strip_prefix('$') {
            value.push(b'$');
            rest = after;
            continue;
        }
        let (name, behind) = match after.strip_prefix('{') {
            Some(braced) => {
                let (name, behind) = braced.split_once('}').ok_or(Unexpanded::Malformed)?;
                if name.is_empty() || name_length(name) != name.len() {
                    return Err(Unexpanded::Malformed);
                }
                (name, behind)
            }
            None => after.split_at(name_length(after)),
        };
        if name.is_empty() {
            value.push(b'$');
        } else {
            let known = server.get(OsStr::new(name));
            let known = known.ok_or_else(|| Unexpanded::Unset(name.to_owned()))?;
            value.extend_from_slice(known.as_bytes());
        }
        rest = behind;
    }
    value.extend_from_slice(rest.as_bytes());
    Ok(OsString::from_vec(value))
}

/// How much of the beginning of `text` is a variable's name.
fn name_length(text: &str) -> usize {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match text.bytes().next() {
        Some(first) if first.is_ascii_digit() => 0,
        _ => text.bytes().take_while(is_name).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Server {
        [
            ("PATH", "/bin"),
            ("LANG", "C"),
            ("LC_TIME", "de"),
            ("HOME", "/home/me"),
            ("TOKEN", "s3cret"),
            ("https_proxy", "http://p"),
            ("SSL_CERT_FILE", "/certs"),
            ("LD_PRELOAD", "/evil.so"),
            ("FORCE_COLOR", "1"),
        ]
        .iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
    }

    fn run(env: &[(&str, &str)], expand_env: bool) -> RunSpec {
        RunSpec {
            env: env
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            expand_env,
            ..RunSpec::default()
        }
    }

    #[test]
    fn a_value_is_expanded_where_it_names_a_variable() {
        for (written, expected) in [
            ("plain", "plain"),
            ("$TOKEN", "s3cret"),
            ("${TOKEN}", "s3cret"),
            ("a-$LANG/$LC_TIME:${LANG}x", "a-C/de:Cx"),
            ("$$TOKEN $$$$", "$TOKEN $$"),
            ("costs 5$ or $5 or $-", "costs 5$ or $5 or $-"),
            ("", ""),
            ("$LANGé", "Cé"),
        ] {
            let expected = Ok(OsString::from(expected));
            assert_eq!(expand(written, &server()), expected, "{written}");
        }
        for (written, expected) in [
            ("$NOT_THERE", Unexpanded::Unset("NOT_THERE".to_owned())),
            ("${NOT_THERE}", Unexpanded::Unset("NOT_THERE".to_owned())),
            ("${LANG", Unexpanded::Malformed),
            ("${}", Unexpanded::Malformed),
            ("${LANG:-x}", Unexpanded::Malformed),
        ] {
            assert_eq!(expand(written, &server()), Err(expected), "{written}");
        }
    }

    #[test]
    fn variables_that_are_not_set_are_all_named() {
        let run = run(&[("A", "$ONE"), ("B", "x$TWO"), ("C", "$LANG")], true);
        let error = set(Some(&run), Vec::new(), &server()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "ONE and TWO are not set in the server's environment, and the definition's `env` needs them"
        );
    }

    #[test]
    fn expanded_values_and_secrets_are_shown_to_nobody() {
        let run = run(&[("A", "$TOKEN"), ("B", "plain")], true);
        let secrets = vec![("C".to_owned(), "hush".to_owned())];
        let variables = set(Some(&run), secrets, &server()).unwrap();
        assert_eq!(format!("{variables:?}"), "[A=***, B=plain, C=***]");
    }

    #[test]
    fn as_written_means_as_written() {
        let run = run(&[("A", "$TOKEN")], false);
        let variables = set(Some(&run), Vec::new(), &server()).unwrap();
        assert_eq!(format!("{variables:?}"), "[A=$TOKEN]");
    }

    #[test]
    fn names_that_load_code_or_are_none_are_refused_from_every_side() {
        for name in ["LD_PRELOAD", "BASH_ENV", "NODE_OPTIONS", "A=B", "", "A\0"] {
            let run = run(&[(name, "x")], false);
            assert!(set(Some(&run), Vec::new(), &server()).is_err(), "{name:?}");
            let secrets = vec![(name.to_owned(), "x".to_owned())];
            assert!(set(None, secrets, &server()).is_err(), "{name:?}");
            let policy = SandboxPolicy {
                variables: vec![name.to_owned()],
                ..SandboxPolicy::default()
            };
            assert!(
                environment(Some(&policy), &[], &server()).is_err(),
                "{name:?}"
            );
        }
        let secrets = vec![("A".to_owned(), "x\0y".to_owned())];
        let error = set(None, secrets, &server()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the variable A cannot hold a NUL byte, and this call would give it one"
        );
    }

    fn names(policy: Option<&SandboxPolicy>, variables: &[Variable]) -> Vec<String> {
        let known = server();
        let names = |name: &OsStr| name.to_string_lossy().into_owned();
        let mut all: Vec<String> = match environment(policy, variables, &known).unwrap() {
            Environment::Exactly(all) => all.iter().map(|(name, _)| names(name)).collect(),
            Environment::Inherit(changes) => {
                let mut all = known;
                for (name, value) in changes {
                    match value {
                        Some(value) => all.insert(name, value),
                        None => all.remove(&name),
                    };
                }
                all.keys().map(|name| names(name)).collect()
            }
        };
        // What keeps programs from asking questions is always there.
        assert!(all.iter().any(|name| name == "PAGER"));
        let Environment::Inherit(settings) = exec::environment() else {
            panic!("the settings are additions");
        };
        all.retain(|name| !settings.iter().any(|(set, _)| set == name.as_str()));
        all
    }

    #[test]
    fn a_sandboxed_program_sees_a_list() {
        let policy = SandboxPolicy::default();
        assert_eq!(names(Some(&policy), &[]), ["LANG", "LC_TIME", "PATH"]);
        let policy = SandboxPolicy {
            network: true,
            variables: vec!["TOKEN".to_owned(), "NOT_THERE".to_owned()],
            ..SandboxPolicy::default()
        };
        let run = run(&[("OWN", "1")], false);
        let variables = set(Some(&run), Vec::new(), &server()).unwrap();
        assert_eq!(
            names(Some(&policy), &variables),
            [
                "LANG",
                "LC_TIME",
                "OWN",
                "PATH",
                "SSL_CERT_FILE",
                "TOKEN",
                "https_proxy"
            ]
        );
    }

    #[test]
    fn without_a_sandbox_it_sees_what_the_server_does() {
        let run = run(&[("OWN", "1")], false);
        let variables = set(Some(&run), Vec::new(), &server()).unwrap();
        assert_eq!(
            names(None, &variables),
            [
                "HOME",
                "LANG",
                "LC_TIME",
                "LD_PRELOAD",
                "OWN",
                "PATH",
                "SSL_CERT_FILE",
                "TOKEN",
                "https_proxy"
            ]
        );
    }

    #[test]
    fn the_definition_has_the_last_word_over_the_settings() {
        let policy = SandboxPolicy::default();
        let run = run(&[("PAGER", "less"), ("PATH", "/own")], false);
        let variables = set(Some(&run), Vec::new(), &server()).unwrap();
        let Environment::Exactly(all) = environment(Some(&policy), &variables, &server()).unwrap()
        else {
            panic!("a list");
        };
        let value = |name: &str| {
            let found = all.iter().find(|(have, _)| have == name);
            found.map(|(_, value)| value.to_string_lossy().into_owned())
        };
        assert_eq!(value("PAGER").as_deref(), Some("less"));
        assert_eq!(value("PATH").as_deref(), Some("/own"));
    }

    #[test]
    fn lengths_are_those_of_the_environment_that_is_used() {
        let exactly = Environment::Exactly(vec![("AB".into(), "cde".into())]);
        assert_eq!(lengths(&exactly, &server()), [6]);
        let server: Server = [("A".into(), "1".into()), ("B".into(), "22".into())].into();
        let changes = vec![
            ("A".into(), None),
            ("B".into(), Some("333".into())),
            ("C".into(), Some("".into())),
        ];
        assert_eq!(lengths(&Environment::Inherit(changes), &server), [5, 2]);
    }
}
