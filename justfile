# `just` lists what there is to run; `./scripts/test` needs no just.

# Everything that a change must pass
test:
    ./scripts/test

# The quick half: formatting, lints, unit tests of one crate
check crate="argway-core":
    cargo fmt --check
    cargo clippy -p {{crate}} --all-targets -- -D warnings
    cargo test -p {{crate}}

# How much of real programs is read right
fidelity *programs:
    cargo xtask fidelity {{programs}}

# Speed, as ratios
bench:
    cargo xbench
    cargo xbench mcpx
    cargo xbench sandbox

# What a newcomer sees
try program="git":
    cargo run --release --bin argway -- try {{program}}
