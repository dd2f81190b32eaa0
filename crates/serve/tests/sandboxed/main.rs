//! Runs real programs in a sandbox and looks at what is left of them.
//!
//! A launcher is the running binary executed again: this one. So it has a `main` of its
//! own, which is asked for a launcher first, and runs the tests otherwise.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and a harness prints"
)]

#[path = "../common/mod.rs"]
mod common;
mod course;
mod ends;
mod limits;
mod scene;
mod walks;

use std::process::ExitCode;

type Test = (&'static str, fn());

/// Names a test by its function.
macro_rules! tests {
    ($($module:ident :: $name:ident),* $(,)?) => {
        &[$((concat!(stringify!($module), "::", stringify!($name)), $module::$name)),*]
    };
}

const TESTS: &[Test] = tests![
    course::streams_code_and_tier_arrive,
    course::every_ending_is_told_as_it_was,
    course::an_order_of_any_size_arrives,
    course::a_large_stdin_and_its_echo_pass_each_other,
    course::only_the_given_variables_are_seen,
    course::the_temporary_folder_goes_whatever_is_in_it,
    course::what_cannot_be_executed_says_why,
    course::a_policy_that_cannot_be_is_refused,
    course::a_folder_that_is_not_there_is_named,
    course::a_cgroup_that_is_not_there_is_refused,
    course::no_descriptor_of_the_server_arrives,
    course::a_program_begins_with_usual_signals_and_a_session_of_its_own,
    course::without_namespaces_the_portable_tier_takes_over,
    course::launchers_do_not_stay_as_zombies,
    ends::nothing_is_left_after_the_end_of_the_program,
    ends::nothing_is_left_after_a_timeout,
    ends::nothing_is_left_of_a_call_that_was_taken_back,
    ends::nothing_is_left_of_a_dropped_future,
    ends::nothing_is_left_of_a_dropped_runtime,
    ends::nothing_is_left_of_a_killed_server,
    ends::nothing_is_left_of_a_killed_launcher,
    ends::nothing_is_left_of_a_hundred_calls_that_each_leave_a_daemon,
    ends::a_server_that_stops_ends_its_sandboxes,
    ends::many_forking_away_from_the_end_are_all_ended,
    ends::one_that_ends_when_asked_has_its_last_words_heard,
    ends::a_program_cannot_kill_its_supervisor,
    limits::time_of_all_together_is_bounded,
    limits::time_of_one_after_the_other_is_bounded,
    limits::memory_of_all_together_is_bounded,
    limits::processes_are_counted,
    limits::a_flood_ends_where_the_policy_says,
    limits::within_its_bounds_a_program_is_left_alone,
    walks::a_program_that_is_read_reaches_only_its_own_folders,
    walks::a_program_that_misses_its_files_in_a_sandbox_is_read_without,
    walks::every_question_of_a_walk_ends_as_it_would_alone,
    walks::a_walk_goes_on_where_its_sandbox_was_killed,
];

fn main() -> ExitCode {
    if argway_sandbox::launcher::is_wanted() {
        argway_sandbox::launcher::main();
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [role, rest @ ..] = &words[..]
        && role == scene::SERVER
    {
        scene::serve(rest);
        return ExitCode::SUCCESS;
    }
    let exact = words.iter().any(|word| word == "--exact");
    let filters: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| {
        let matches = |filter: &&String| match exact {
            true => name == filter.as_str(),
            false => name.contains(filter.as_str()),
        };
        filters.is_empty() || filters.iter().any(matches)
    };
    let tests: Vec<&Test> = TESTS.iter().filter(|(name, _)| wanted(name)).collect();
    if words.iter().any(|word| word == "--list") {
        for (name, _) in tests {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let mut failed = Vec::new();
    for (name, test) in &tests {
        println!("test {name} ...");
        match std::panic::catch_unwind(test) {
            Ok(()) => println!("test {name} ... ok"),
            Err(_) => failed.push(name),
        }
    }
    println!("\n{} of {} passed", tests.len() - failed.len(), tests.len());
    match failed.is_empty() {
        true => ExitCode::SUCCESS,
        false => {
            println!("failed: {failed:?}");
            ExitCode::FAILURE
        }
    }
}
