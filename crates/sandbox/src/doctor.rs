//! What the sandbox can promise on this machine, found out by trying.
//!
//! A tier is tried as a call would get it: this binary, launched in the sandbox, does
//! what no program may and tells what it could (`attempts`, `trial`). What it could not
//! do is a promise kept (`promises`). Single layers are tried in processes of their own
//! (`layers`), to say which one is missing and what would allow it.
//!
//! A binary that examines must ask [`is_wanted`] first thing in `main`, as for the
//! launcher; without that nothing is found to be kept.

#[cfg(target_os = "linux")]
mod attempts;
#[cfg(target_os = "linux")]
mod layers;
mod promises;
#[cfg(target_os = "linux")]
mod trial;

/// The first word by which a binary knows that it is to do what no program may.
pub const WORD: &str = "__attempt";

/// One promise, the layers that keep it, and whether they hold here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What is promised: `no network`, `files outside cannot be read` …
    pub promise: &'static str,
    /// The layers that keep it, where they can be had.
    pub layers: &'static str,
    /// Whether it is kept in the strict tier here.
    pub strict: Result<(), String>,
    /// Whether it is kept in the portable tier here.
    pub portable: Result<(), String>,
}

/// All promises, and which tier a call gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// A row each.
    pub findings: Vec<Finding>,
    /// Whether the strict tier is refused for a reason that lets the portable one take its
    /// place, by the very rule that calls go by.
    pub portable_takes_over: bool,
}

/// Something about this machine that the layers depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What: `kernel`, `Landlock` …
    pub name: &'static str,
    /// How it is here.
    pub value: String,
}

/// One layer, tried alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Its name, as errors have it.
    pub name: &'static str,
    /// Whether it could be put on; otherwise why not, and what would allow it.
    pub held: Result<(), String>,
}

/// Whether this process was started to try something: to be asked first thing in `main`.
pub fn is_wanted() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == WORD)
}

/// Does what the words after [`WORD`] say, tells what came of it on stdout, and ends
/// this process.
pub fn main() -> ! {
    #[cfg(target_os = "linux")]
    attempts::carry_out(std::env::args_os().skip(2));
    #[cfg(not(target_os = "linux"))]
    std::process::exit(125)
}

/// Tries both tiers, each in a process of its own, and gives the table of promises.
/// Takes a few seconds at worst.
pub fn examine() -> Table {
    #[cfg(target_os = "linux")]
    let (strict, portable, portable_takes_over) = {
        use argway_core::policy::Demand;
        let strict = trial::perform(Demand::Strict);
        let takes_over = matches!(&strict, Err(refusal) if refusal.portable_takes_over);
        (
            strict.map_err(|refusal| refusal.why),
            trial::perform(Demand::Portable).map_err(|refusal| refusal.why),
            takes_over,
        )
    };
    #[cfg(not(target_os = "linux"))]
    let (strict, portable, portable_takes_over) = (
        Err("this tier is Linux' own".to_owned()),
        Err("it has not been tried on this system".to_owned()),
        false,
    );
    Table {
        findings: promises::judge(&strict, &portable),
        portable_takes_over,
    }
}

/// What the layers depend on, as it is here.
pub fn facts() -> Vec<Fact> {
    #[cfg(target_os = "linux")]
    return layers::facts();
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

/// Every layer, tried alone in a process of its own.
pub fn layers() -> Vec<Layer> {
    #[cfg(target_os = "linux")]
    return layers::tried();
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}
