//! Guesses from names and texts what a command does to the world.
//!
//! A name is asked first, from its last word upwards, then the summary. Harmless is
//! only what a verb calls harmless and no text contradicts: to take a reader for a
//! writer costs a question to the user, the other way round costs their data.

use crate::model::{CommandSpec, Effect, Evidence, Fact, Param};

/// The effect of `command`, from its name, then its texts.
pub fn of_command(command: &CommandSpec) -> Effect {
    let by_name = by_path(&command.path);
    let by_text = command.summary.split_whitespace().next().and_then(of_prose);
    let effect = match (by_name, by_text) {
        // Of a name and a text that disagree the worse counts.
        (Some(name), Some(text)) => name.max(text),
        (Some(known), None) | (None, Some(known)) => known,
        (None, None) => Effect::Unknown,
    };
    let unread = command.from.of(Fact::Text) == Some(Evidence::Completion);
    let doubtful = command.raw_words || unread || runs_words(command) || says_more(command);
    if effect == Effect::Read && doubtful {
        return Effect::Unknown;
    }
    effect
}

/// The effect that giving `flag` raises `command` to, if the flag does anything
/// by itself.
pub fn of_flag(command: &CommandSpec, flag: &Param) -> Option<Effect> {
    if !flag.is_flag() {
        return None;
    }
    let name = flag.name.to_lowercase();
    let text = flag.text.to_lowercase();
    if is_api(command)
        && [
            "method",
            "request",
            "field",
            "raw-field",
            "input",
            "data",
            "form",
        ]
        .contains(&name.as_str())
    {
        return Some(Effect::Write);
    }
    let mut words = name.split(['-', '_', '.']);
    let first = words.next().unwrap_or_default();
    if holds(NEGATIONS, first) {
        return None;
    }
    let destroys = |text: &str| {
        ["delet", "overwrit", "remov", "kill", "discard"]
            .iter()
            .any(|mark| text.contains(mark))
    };
    if name == "force" || (first == "force" && destroys(&text)) {
        return Some(Effect::Destructive);
    }
    if holds(FLAGS_THAT_DESTROY, first) {
        // What a cache held is fetched again.
        return Some(match name.ends_with("cache") {
            true => Effect::Write,
            false => Effect::Destructive,
        });
    }
    // `--password-command`: whoever names the command decides what it does.
    let runs = ["command", "cmd", "exec", "execute"];
    let last = name.rsplit(['-', '_', '.']).next().unwrap_or_default();
    if flag.kind.takes_value() && runs.contains(&last) {
        return Some(Effect::Write);
    }
    // `--write-out json`
    if text.contains("output format") {
        return None;
    }
    if holds(FLAGS_THAT_WRITE, first) || ["in-place", "inplace"].contains(&name.as_str()) {
        return Some(Effect::Write);
    }
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    if FILES_WRITTEN
        .split_whitespace()
        .any(|mark| plain.ends_with(mark))
    {
        return Some(Effect::Write);
    }
    let writes_a_file = [
        "write to file",
        "write output to",
        "writes output to",
        "output to file",
        "save to",
        "write the",
        "creates a directory",
        "in place",
        "in-place",
    ]
    .iter()
    .any(|mark| text.contains(mark));
    if writes_a_file {
        return Some(Effect::Write);
    }
    (text.contains("browser") || name == "web").then_some(Effect::Unknown)
}

/// Commands that send any request there is.
fn is_api(command: &CommandSpec) -> bool {
    command.path.last().is_some_and(|word| {
        ["api", "curl", "request", "raw", "rpc", "query"].contains(&word.as_str())
    })
}

fn by_path(path: &[String]) -> Option<Effect> {
    let (last, above) = path.split_last()?;
    let done_above = above.iter().rev().find_map(|word| {
        of_word(word).filter(|&effect| effect > Effect::Read || holds(READ_BELOW, word))
    });
    let is_thing = holds(THINGS, &last.to_lowercase());
    match (of_word(last), done_above) {
        (Some(effect), Some(above)) if is_thing => Some(effect.max(above)),
        (own, above) => own.or(above),
    }
}

/// What the first verb of a command's word does: `get-contexts`, `rmdirs`.
fn of_word(word: &str) -> Option<Effect> {
    let word = word.to_lowercase();
    of_verb(&word).or_else(|| of_verb(word.split(['-', '_', ':', '.']).next()?))
}

/// What the verb that opens a sentence does: `Lists`, `Copies`. What is fetched is
/// often only shown.
fn of_prose(word: &str) -> Option<Effect> {
    if word.to_lowercase().starts_with("fetch") {
        return None;
    }
    let word: String = word
        .chars()
        .filter(|char| char.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    of_verb(&word)
        .or_else(|| of_verb(word.strip_suffix('s')?))
        .or_else(|| of_verb(word.strip_suffix("es")?))
        .or_else(|| of_verb(&format!("{}y", word.strip_suffix("ies")?)))
}

fn holds(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

fn of_verb(word: &str) -> Option<Effect> {
    if holds(DESTROY, word) {
        Some(Effect::Destructive)
    } else if holds(WRITE, word) {
        Some(Effect::Write)
    } else if holds(ANYTHING, word) {
        Some(Effect::Unknown)
    } else if holds(READ, word) || holds(THINGS, word) {
        Some(Effect::Read)
    } else {
        None
    }
}

/// Whether the usage line hands words on to another command: `[-- COMMAND]`.
fn runs_words(command: &CommandSpec) -> bool {
    command
        .usage
        .split_whitespace()
        .any(|word| matches!(word, "--" | "[--" | "(--"))
}

/// Whether texts name a deed that looking does not need.
fn says_more(command: &CommandSpec) -> bool {
    let summary = command.summary.to_lowercase();
    let lead = first_sentence(&command.description).to_lowercase();
    // `Display and rotate the root CA`, `Show/edit`
    let also = summary
        .replace('/', " or ")
        .split(" and ")
        .flat_map(|part| part.split(" or "))
        .skip(1)
        .filter_map(|part| of_prose(part.split_whitespace().next()?))
        .any(|effect| effect >= Effect::Write);
    let in_lead = [&summary, &lead].iter().any(|text| {
        words(text).any(|word| {
            holds(DEEDS, word)
                || word
                    .strip_suffix('s')
                    .is_some_and(|word| holds(DEEDS, word))
        })
    });
    // A sentence that names a flag is about the flag: `With --web, open it in a browser`.
    let description = command.description.to_lowercase().replace("\n\n", ". ");
    let anywhere = [
        "browser",
        "will be deleted",
        "will delete",
        "will be removed",
        "will remove",
        "will be overwritten",
        "will overwrite",
        "will be created",
        "will create",
        "will execute",
        "interactive",
        "run a ",
        "runs a ",
        "run the ",
        "runs the ",
    ]
    .iter()
    .any(|mark| {
        summary.contains(mark)
            || description
                .split(". ")
                .any(|sentence| sentence.contains(mark) && !sentence.contains("--"))
    });
    also || in_lead || anywhere
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric() && char != '-')
        .filter(|word| !word.is_empty())
}

fn first_sentence(text: &str) -> &str {
    let end = [". ", ".\n", "\n\n"]
        .iter()
        .filter_map(|mark| text.find(mark))
        .min()
        .unwrap_or(text.len());
    &text[..end]
}

/// Verbs, and nouns that commands are named by, that only look.
const READ: &str = "
    list ls lsd lsf lsl lsjson get show describe view status search diff logs log version
    inspect history info ps top stats events cat display print read find explain whoami
    check checksum cryptcheck verify validate lint tree listremotes can-i exists
    api-resources api-versions cluster-info dump-config monitor watch tail head query lookup
    resolve compare count outdated hashsum sha1sum md5sum return report
";

/// Things to look at, unless something above says what is done to them: `env` looks,
/// `set env` does not.
const THINGS: &str = "
    images du df size about help env usage licenses sbom ports port summary details current
    snapshots digest manifest catalog properties hash locks ancestry dependents dependencies
    paths path fields managed unmanaged source-path target-path supported
";

/// Verbs that keep their meaning for the words below them: `search repos`.
const READ_BELOW: &str = "list ls get show describe view search top explain";

/// Verbs that change or add something.
const WRITE: &str = "
    create add set apply push edit update upgrade install new init import upload download
    pull fetch clone fork copy cp copyto copyurl save load write put post send publish
    release tag label annotate commit merge rebase checkout switch rename enable disable
    start stop restart pause unpause resume suspend attach detach mount umount unmount join
    leave link unlink login logout sign attest approve deny lock unlock close reopen open
    transfer archive unarchive pin unpin star subscribe assign unassign grant allow patch
    scale autoscale expose rollout taint cordon uncordon build compile generate gen render
    register deploy migrate convert configure setup touch mkdir make backup snapshot up
    launch export extract encrypt decrypt track untrack mutate append rerun trigger cancel
    promote bump change modify store refresh rotate auth authorize review comment ready
    develop bundle pack unpack vendor tidy ingest mark unmark batch rebuild undo
     keyring settier rcat trust compact compaction flatten rename-context
    use use-context shutdown reboot poweron poweroff on
";

/// Verbs that remove or overwrite something.
const DESTROY: &str = "
    delete remove rm rmi rmdir rmdirs del prune destroy purge drop uninstall kill clean
    cleanup clear reset wipe erase forget evict drain revoke unset replace restore rollback
    revert overwrite truncate down deletefile defrag format burn move mv moveto sync bisync
    dedupe deregister unpublish unregister terminate abort
";

/// Verbs that may do anything: what they run is not theirs to say.
const ANYTHING: &str = "
    exec execute run shell ssh console sh debug serve server proxy port-forward eval script
    do cd api rc plugin test config browse docs jupyter code perf benchmark bench
    edit-config interactive wait daemon agent forward trace dap connect core completion tui
    ui dashboard ncdu elect txn
";

/// Deeds that contradict a harmless name.
const DEEDS: &str = "
    create delete remove install uninstall execute overwrite write modify update upload
    push launch open opens start restart kill prune edit mount benchmark performance
    download removing deleting creating writing clear workload implement
";

/// First words of flags that switch something off.
const NEGATIONS: &str = "
    no not dont skip disable keep without exclude ignore never dry
";

const FLAGS_THAT_DESTROY: &str = "
    delete remove prune purge overwrite destroy wipe erase clean cleanup clear reset
    replace kill drop uninstall truncate clobber unset discard
";

/// Ends of names of flags, without punctuation, whose value is a file to be written.
const FILES_WRITTEN: &str = "
    outputfile outfile outputdir outputdirectory outdir logfile logpath cpuprofile
    memprofile profileoutput tracefile cidfile pidfile iidfile digestfile metadatafile
";

const FLAGS_THAT_WRITE: &str = "
    write create install upload apply edit fix save update push publish commit
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    #[track_caller]
    fn check(path: &str, summary: &str, expected: Effect) {
        let command = CommandSpec {
            path: path.split_whitespace().map(str::to_owned).collect(),
            summary: summary.to_owned(),
            ..CommandSpec::default()
        };
        assert_eq!(of_command(&command), expected, "{path}: {summary}");
    }

    #[test]
    fn the_last_verb_of_the_path_counts() {
        check("pr list", "List pull requests", Effect::Read);
        check(
            "config get-contexts",
            "Describe one or many contexts",
            Effect::Read,
        );
        check("search repos", "", Effect::Read);
        check("create deployment", "", Effect::Write);
        check("env", "", Effect::Read);
        check("set env", "", Effect::Write);
        check("rollout status", "", Effect::Read);
        check("history frob", "", Effect::Unknown);
        check(
            "volume rm",
            "Remove one or more volumes",
            Effect::Destructive,
        );
    }

    #[test]
    fn a_text_can_only_make_it_worse() {
        check("frob", "Shows the frobs", Effect::Read);
        check("frob", "Deletes every frob", Effect::Destructive);
        check("status", "Removes the status", Effect::Destructive);
        check("get", "Get packages and install them", Effect::Unknown);
        check("view", "View an issue in the browser", Effect::Unknown);
        check(
            "swarm ca",
            "Display and rotate the root CA",
            Effect::Unknown,
        );
        check("run list", "List recent workflow runs", Effect::Read);
        check(
            "check perf",
            "Check the performance of the cluster",
            Effect::Unknown,
        );
        check("delete", "Show what is deleted", Effect::Destructive);
    }

    #[test]
    fn a_sentence_about_a_flag_is_not_about_the_command() {
        let mut command = CommandSpec {
            path: vec!["view".to_owned()],
            summary: "View an issue".to_owned(),
            description: "Display it.\n\nWith `--web`, open it in a web browser instead."
                .to_owned(),
            ..CommandSpec::default()
        };
        assert_eq!(of_command(&command), Effect::Read);
        command.description = "Display it. It is shown in a web browser.".to_owned();
        assert_eq!(of_command(&command), Effect::Unknown);
    }

    #[test]
    fn what_is_not_known_is_not_harmless() {
        check("frob", "", Effect::Unknown);
        check("exec", "Execute a command", Effect::Unknown);
        let raw = CommandSpec {
            path: vec!["get".to_owned()],
            raw_words: true,
            ..CommandSpec::default()
        };
        assert_eq!(of_command(&raw), Effect::Unknown);
    }

    #[test]
    fn a_flag_that_names_a_command_to_run_does_more_than_read() {
        let command = CommandSpec::default();
        let effect =
            |name: &str, kind: &str| of_flag(&command, &Param::flag(name, kind.parse().unwrap()));
        assert_eq!(effect("password-command", "string"), Some(Effect::Write));
        assert_eq!(effect("exec", "csv<string>"), Some(Effect::Write));
        assert_eq!(effect("command", "switch"), None);
        assert_eq!(effect("command-timeout", "duration"), None);
    }

    #[track_caller]
    fn check_flag(command: &str, name: &str, text: &str, expected: Option<Effect>) {
        let command = CommandSpec {
            path: vec![command.to_owned()],
            ..CommandSpec::default()
        };
        let mut flag = Param::flag(name, Kind::Switch);
        text.clone_into(&mut flag.text);
        assert_eq!(of_flag(&command, &flag), expected, "--{name}: {text}");
    }

    #[test]
    fn a_flag_can_raise_it() {
        check_flag("list", "force", "", Some(Effect::Destructive));
        check_flag("list", "delete-source", "", Some(Effect::Destructive));
        check_flag("list", "web", "Open in the browser", Some(Effect::Unknown));
        check_flag("eval", "inplace", "Update the file", Some(Effect::Write));
        check_flag("api", "method", "The HTTP method", Some(Effect::Write));
        check_flag("list", "method", "The sort method", None);
        check_flag("list", "no-prune", "", None);
        check_flag("list", "force-local", "Force using the local socket", None);
        check_flag("list", "limit", "How many", None);
        check_flag("list", "clean-cache", "", Some(Effect::Write));
        check_flag("list", "write-out", "set the output format", None);
    }
}
