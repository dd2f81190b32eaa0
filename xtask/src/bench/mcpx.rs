//! mcpx beside the least that a warm call can be, and beside the fastest peer.
//!
//! Every kind of run is taken in turns with the others, so that whatever else the
//! machine does is done to all of them.

pub(crate) mod echo;
pub(super) mod parts;

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::json;

use super::talk::Talk;
use super::{Row, mb, median, ms, print};
use parts::{Floor, Mcpx, Peer};

/// Rounds whose medians are compared, after some that only warm up.
const ROUNDS: usize = 300;
const WARM_UP: usize = 20;

/// Calls of the sustained run, after some that only warm up, from so many at once.
const CALLS: usize = 10_000;
const FIRST_CALLS: usize = 1_000;
const CLIENTS: usize = 8;

/// Bytes of a result that must not stay in the daemon's memory.
const LARGE: usize = 50_000_000;

/// What mcpx promises.
const FLOOR_RATIO: f64 = 2.0;
const PEER_RATIO: f64 = 0.5;
const CPU_MS: f64 = 2.0;
const IDLE_MB: f64 = 15.0;
const SIZE_MB: f64 = 12.0;
const CALLS_PER_SECOND: f64 = 1_000.0;

/// What a daemon may grow by in the sustained run: the allocator's own ups and downs.
const GROWTH_KB: f64 = 1_024.0;

/// Something that is run and timed.
type Timed<'a> = &'a mut dyn FnMut() -> anyhow::Result<Duration>;

/// Runs every benchmark of mcpx and prints a table.
pub(super) fn run(words: &[String]) -> anyhow::Result<()> {
    let check = match words {
        [] => false,
        [word] if word == "--check" => true,
        _ => bail!("`bench mcpx` takes nothing but --check"),
    };
    let folder = tempfile::tempdir()?;
    let mcpx = Mcpx::build(folder.path())?;
    let floor = Floor::build(folder.path())?;
    let peer = Peer::install(folder.path()).context("the peer")?;

    let mut rows = calls(&mcpx, &floor, &peer)?;
    rows.push(processor_time(&mcpx)?);
    rows.push(idle(&mcpx, "idle daemon with one server")?);
    rows.push(size(&mcpx)?);
    rows.extend(sustained(&mcpx, &floor)?);
    mcpx.large(LARGE)?;
    rows.push(idle(&mcpx, "idle daemon after a result of 50 MB")?);
    print(&rows)?;
    let failed = rows.iter().filter(|row| !row.passed).count();
    if check && failed > 0 {
        bail!("{failed} of {} limits are not kept", rows.len());
    }
    Ok(())
}

/// Warm calls and warm help.
fn calls(mcpx: &Mcpx, floor: &Floor, peer: &Peer) -> anyhow::Result<Vec<Row>> {
    let server = std::env::current_exe()?;
    let mut raw = Talk::start(&server, &["mcp-echo".as_ref()], None)?;
    raw.initialize()?;
    let mut raw_call = || {
        let begun = Instant::now();
        let arguments = json!({"name": "echo", "arguments": {"message": "hi"}});
        raw.request("tools/call", arguments)?;
        anyhow::Ok(begun.elapsed())
    };
    let mut kinds: [(Timed, Vec<Duration>); 6] = [
        (&mut || floor.call(), Vec::new()),
        (&mut raw_call, Vec::new()),
        (&mut || mcpx.call(), Vec::new()),
        (&mut || peer.call(), Vec::new()),
        (&mut || mcpx.help(), Vec::new()),
        (&mut || peer.help(), Vec::new()),
    ];
    for round in 0..WARM_UP + ROUNDS {
        for (run, times) in &mut kinds {
            let took = run()?;
            if round >= WARM_UP {
                times.push(took);
            }
        }
    }
    let [floor, server, call, peer_call, help, peer_help] =
        kinds.map(|(_, mut times)| ms(median(&mut times)));
    raw.leave()?;
    let name = Peer::name();
    Ok(vec![
        Row {
            what: format!("warm call, median of {ROUNDS}"),
            measured: format!("{call:.2} ms, {:.2} ×", (call - server) / floor),
            beside: format!("{floor:.2} ms by a static C program; the server takes {server:.2} ms"),
            limit: format!("{FLOOR_RATIO} × + the server"),
            passed: call - server <= FLOOR_RATIO * floor,
        },
        against("warm call", call, peer_call, PEER_RATIO, &name),
        against(
            "warm --help",
            help,
            floor,
            FLOOR_RATIO,
            "a static C program",
        ),
        against("warm --help", help, peer_help, PEER_RATIO, &name),
    ])
}

fn against(what: &str, own: f64, other: f64, limit: f64, name: &str) -> Row {
    Row {
        what: what.to_owned(),
        measured: format!("{own:.2} ms, {:.2} ×", own / other),
        beside: format!("{other:.2} ms by {name}"),
        limit: format!("{limit} ×"),
        passed: own <= limit * other,
    }
}

/// What a client uses of the processor, by the system's account of ended children.
fn processor_time(mcpx: &Mcpx) -> anyhow::Result<Row> {
    let before = children_ms()?;
    for _ in 0..ROUNDS {
        mcpx.call()?;
    }
    let each = (children_ms()? - before) / ROUNDS as f64;
    Ok(Row {
        what: format!("processor time of a client, mean of {ROUNDS}"),
        measured: format!("{each:.2} ms"),
        beside: "user and system".to_owned(),
        limit: format!("{CPU_MS} ms"),
        passed: each <= CPU_MS,
    })
}

/// User and system time of all children that have ended.
fn children_ms() -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').context("/proc/self/stat")?;
    // Behind the name: the state is field 3 of the manual's list, cutime 16, cstime 17.
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: Vec<f64> = ticks.map(str::parse).collect::<Result<_, _>>()?;
    let output = Command::new("getconf").arg("CLK_TCK").output()?;
    let per_second: f64 = String::from_utf8(output.stdout)?.trim().parse()?;
    Ok(ticks.iter().sum::<f64>() / per_second * 1000.0)
}

fn resident_kb(process: u32) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmRSS:"));
    let line = line.context("the daemon's memory")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn idle(mcpx: &Mcpx, what: &str) -> anyhow::Result<Row> {
    std::thread::sleep(Duration::from_millis(500));
    let resident = mb(resident_kb(mcpx.daemon()?)?);
    Ok(Row {
        what: what.to_owned(),
        measured: format!("{resident:.1} MB"),
        beside: String::new(),
        limit: format!("{IDLE_MB} MB"),
        passed: resident <= IDLE_MB,
    })
}

fn size(mcpx: &Mcpx) -> anyhow::Result<Row> {
    let bytes = std::fs::metadata(&mcpx.program)?.len();
    let size = bytes as f64 / 1e6;
    Ok(Row {
        what: "the binary, static and stripped".to_owned(),
        measured: format!("{size:.1} MB"),
        beside: String::new(),
        limit: format!("{SIZE_MB} MB"),
        passed: size <= SIZE_MB,
    })
}

/// Many calls at once: how many a second, and what is left of them in memory.
fn sustained(mcpx: &Mcpx, floor: &Floor) -> anyhow::Result<Vec<Row>> {
    at_once(FIRST_CALLS, &|| mcpx.call())?;
    let daemon = mcpx.daemon()?;
    let before = resident_kb(daemon)?;
    let possible = at_once(CALLS, &|| floor.call())?;
    let rate = at_once(CALLS, &|| mcpx.call())?;
    let after = resident_kb(daemon)?;
    // Half of what the machine can start at all, where that is less.
    let limit = CALLS_PER_SECOND.min(possible / FLOOR_RATIO);
    Ok(vec![
        Row {
            what: format!("{CALLS} calls, {CLIENTS} at once"),
            measured: format!("{rate:.0}/s"),
            beside: format!("{possible:.0}/s of a static C program"),
            limit: format!("{limit:.0}/s"),
            passed: rate >= limit,
        },
        Row {
            what: format!("growth of the daemon in {CALLS} calls"),
            measured: format!("{:+.0} KB", after - before),
            beside: format!("{:.1} MB before", mb(before)),
            limit: format!("+{GROWTH_KB} KB"),
            passed: after - before <= GROWTH_KB,
        },
    ])
}

/// Makes so many calls from several threads; calls a second.
fn at_once(
    calls: usize,
    call: &(dyn Fn() -> anyhow::Result<Duration> + Sync),
) -> anyhow::Result<f64> {
    let left = AtomicUsize::new(calls);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let work = || {
            let take = |left: usize| left.checked_sub(1);
            while left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                .is_ok()
            {
                call()?;
            }
            anyhow::Ok(())
        };
        let threads: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            let ended = thread.join();
            ended.map_err(|_| anyhow::anyhow!("a client panicked"))??;
        }
        anyhow::Ok(())
    })?;
    Ok(calls as f64 / begun.elapsed().as_secs_f64())
}
