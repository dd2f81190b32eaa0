//! What no rlimit holds: everything that a program starts counts together.

use argway_core::output::Ending;
use argway_core::policy::{Exceeded, Resources};

use crate::common::token;
use crate::scene::{in_each_tier, nobody_is_left, run, text};

pub fn time_of_all_together_is_bounded() {
    in_each_tier(|mut scene, _| {
        scene.policy.resources.cpu_seconds = 1;
        let token = token();
        let outcome = scene.run(
            "for i in 1 2 3 4; do (while :; do :; done) & done; wait",
            &token,
        );
        assert_eq!(outcome.ending, Ending::Exceeded(Exceeded::Cpu));
        nobody_is_left(&token);
    });
}

pub fn time_of_one_after_the_other_is_bounded() {
    in_each_tier(|mut scene, _| {
        scene.policy.resources.cpu_seconds = 1;
        let token = token();
        let outcome = scene.run(
            "while :; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; done",
            &token,
        );
        assert_eq!(outcome.ending, Ending::Exceeded(Exceeded::Cpu));
        nobody_is_left(&token);
    });
}

pub fn memory_of_all_together_is_bounded() {
    in_each_tier(|mut scene, _| {
        scene.policy.resources.memory_mb = 64;
        let token = token();
        // Each holds less than the bound; together they pass it.
        let hog = "exec perl -e '$x = \"y\" x (24 << 20); sleep 600'";
        let outcome = scene.run(
            &format!(
                "for i in 1 2 3 4 5; do sh -c \"{}\" & done; wait",
                hog.replace('"', "\\\"").replace('$', "\\$")
            ),
            &token,
        );
        assert_eq!(
            outcome.ending,
            Ending::Exceeded(Exceeded::Memory),
            "{:?}",
            text(&outcome)
        );
        nobody_is_left(&token);
    });
}

pub fn processes_are_counted() {
    in_each_tier(|mut scene, _| {
        scene.policy.resources.processes = 16;
        let token = token();
        let outcome = scene.run(
            "i=0; while [ $i -lt 200 ]; do sleep 600 & i=$((i+1)); done; wait",
            &token,
        );
        assert_eq!(
            outcome.ending,
            Ending::Exceeded(Exceeded::Processes),
            "{:?}",
            text(&outcome)
        );
        nobody_is_left(&token);
    });
}

pub fn a_flood_ends_where_the_policy_says() {
    in_each_tier(|mut scene, _| {
        let folder = tempfile::tempdir().unwrap();
        scene.policy.resources.output_mb = 1;
        let token = token();
        let mut invocation = scene.script("yes", &token);
        invocation.limits.keep = 1000;
        invocation.limits.spill_folders = vec![folder.path().join("spill")];
        let outcome = run(invocation).unwrap();
        assert_eq!(outcome.ending, Ending::Flooded(1 << 20));
        nobody_is_left(&token);
    });
}

pub fn within_its_bounds_a_program_is_left_alone() {
    in_each_tier(|mut scene, _| {
        scene.policy.resources = Resources {
            cpu_seconds: 20,
            memory_mb: 256,
            processes: 16,
            ..Resources::default()
        };
        let outcome = scene.run(
            "for i in 1 2 3 4; do (perl -e '$x = \"y\" x (16 << 20); sleep 1') & done; wait; \
             echo done",
            "",
        );
        assert_eq!(outcome.ending, Ending::Exited(0), "{:?}", text(&outcome));
        assert_eq!(text(&outcome).0, "done\n");
    });
}
