//! Servers behind a URL that fail.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener};
use std::thread;

use argway_testkit::fake_http::Fake;

use super::{World, ended, fails, until};

/// A world whose servers are called as they behave.
fn world(fake: &Fake, behaviours: &[&str]) -> World {
    behaviours.iter().fold(World::new(), |world, behaviour| {
        world.url(behaviour, &fake.url(behaviour))
    })
}

#[track_caller]
fn works(world: &World, server: &str) {
    let echo = world.mcpx([server, "echo", "--text=hi"]);
    echo.success().stdout_eq("hi").stderr_eq("");
}

#[test]
fn a_call_that_fails_is_told_in_a_line_and_the_next_one_works() {
    let fake = Fake::start().unwrap();
    let behaviours = ["plain", "sse", "session", "modern"];
    let world = world(&fake, &behaviours);
    let place = format!("127.0.0.1:{}", fake.port());
    for server in behaviours {
        let broken = format!("{place} broke off in the middle of its answer: connection reset");
        let cut_off = format!("{place} hung up before it answered tools/call");
        let status = |status| format!("http://{place}/{server} answered HTTP {status}: It broke");
        for (words, line) in [
            (&["reset"][..], broken.clone()),
            (
                &["stall", "--timeout=200ms"],
                "no answer to tools/call within 0.2 s".to_owned(),
            ),
            (&["truncated"], cut_off.clone()),
            (&["truncated", "--how=politely"], cut_off.clone()),
            (&["fail", "--status=401"], status(401)),
            (&["fail", "--status=404"], status(404)),
            (&["fail", "--status=500"], status(500)),
        ] {
            let words = [&[server], words].concat();
            fails(&world, &words, 3, &format!("mcpx: {server}: {line}"));
            works(&world, server);
        }
    }
    let hung_up = || fake.seen().iter().filter(|line| *line == "hung up").count();
    until("nobody waits for what stalled", || hung_up() >= 4);
}

#[test]
fn a_stream_of_old_that_ends_is_told_and_opened_again() {
    let fake = Fake::start().unwrap();
    let world = world(&fake, &["old"]);
    works(&world, "old");
    let place = format!("127.0.0.1:{}", fake.port());
    for words in [["old", "reset"], ["old", "truncated"]] {
        let line = format!("mcpx: old: {place} ended its event stream during the call");
        fails(&world, &words, 3, &line);
        works(&world, "old");
    }
    let line = format!("mcpx: old: http://{place}/old/messages answered HTTP 500");
    fails(&world, &["old", "fail"], 3, &line);
    works(&world, "old");
}

#[test]
fn a_server_that_refuses_is_told_with_its_status_and_with_no_secret() {
    let fake = Fake::start().unwrap();
    let world = world(&fake, &["plain"]);
    let place = format!("http://127.0.0.1:{}", fake.port());
    for status in [401, 403, 404, 429, 500, 503] {
        let name = format!("refuse-{status}");
        world.append(&format!(
            "[servers.{name}]\nurl = \"{place}/{name}\"\nheaders = {{ Authorization = \"Bearer s3cr3t-s3cr3t\" }}\n"
        ));
        let output = world.call([&name, "echo"]).output();
        let told = String::from_utf8(output.stderr).unwrap();
        let expected = format!("mcpx: {name}: {place}/{name} answered HTTP {status}: not here, ");
        assert!(told.starts_with(&expected), "{told}");
        assert!(!told.contains("s3cr3t"), "{told}");
        assert!(!told.contains('\u{1b}'), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert_eq!(output.status.code(), Some(3));
    }
    works(&world, "plain");
}

#[test]
fn who_forgets_the_path_is_told_which_is_usual() {
    let world = World::new();
    for (said, hint) in [
        ("", "most servers are at /mcp"),
        ("Not Found", "Not Found; most servers are at /mcp"),
    ] {
        let place = format!("http://127.0.0.1:{}", nothing_here(said));
        for path in ["", "/", "/?key=s3cr3t"] {
            let line = format!("mcpx: {place}/ answered HTTP 404: {hint}: {place}/mcp");
            fails(&world, &[&format!("{place}{path}"), "echo"], 3, &line);
        }
        let line = format!("mcpx: {place}/x answered HTTP 404");
        let line = match said {
            "" => line,
            said => format!("{line}: {said}"),
        };
        fails(&world, &[&format!("{place}/x"), "echo"], 3, &line);
    }
}

/// The port of a host that has nothing, and says this.
fn nothing_here(said: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let length = said.len();
                let head =
                    "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Type: text/plain";
                let mut request = [0; 1];
                stream.read_exact(&mut request)?;
                write!(stream, "{head}\r\nContent-Length: {length}\r\n\r\n{said}")?;
                stream.shutdown(Shutdown::Write)?;
                // What was not read would break the line, and the answer with it.
                std::io::copy(&mut stream, &mut std::io::sink())
            });
        }
    });
    port
}

#[test]
fn a_redirection_is_followed_only_within_its_origin() {
    let fake = Fake::start().unwrap();
    let behaviours = [
        "redirect-307",
        "redirect-308",
        "redirect-302",
        "away-307",
        "circle",
        "page",
    ];
    let world = world(&fake, &behaviours);
    works(&world, "redirect-307");
    works(&world, "redirect-308");
    let port = fake.port();
    let place = format!("http://127.0.0.1:{port}");
    for (server, line) in [
        (
            "redirect-302",
            format!(
                "{place}/redirect-302 answered HTTP 302: it redirects to {place}/; configure that URL if it is the server"
            ),
        ),
        (
            "away-307",
            format!(
                "{place}/away-307 answered HTTP 307: it redirects to http://localhost:{port}/; configure that URL if it is the server"
            ),
        ),
        ("circle", format!("{place}/circle redirects in a circle")),
        (
            "page",
            format!("127.0.0.1:{port} answered with something that is no JSON-RPC (text/html)"),
        ),
    ] {
        let line = format!("mcpx: {server}: {line}");
        fails(&world, &[server, "echo"], 3, &line);
    }
}

#[test]
fn nobody_at_a_url_is_told_and_somebody_later_is_found() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let world = World::new().url("away", &format!("http://127.0.0.1:{port}/mcp"));
    let line = format!("mcpx: away: cannot connect to 127.0.0.1:{port}: connection refused");
    fails(&world, &["away", "echo"], 3, &line);
    let fake = Fake::start().unwrap();
    let url = fake.url("plain");
    world.config(&format!("[servers.away]\nurl = {url:?}\n"));
    works(&world, "away");
}

/// Somebody who listens and is no HTTP server: says this to whoever has said something,
/// and then hangs up or waits until that one does. Gives the port.
fn listener(said: &'static [u8], hangs_up: bool) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                // Who hangs up first needs no word.
                let _ = stream.read(&mut [0; 64 * 1024]);
                let _ = stream.write_all(said);
                if !hangs_up {
                    let _ = std::io::copy(&mut stream, &mut std::io::sink());
                }
            });
        }
    });
    port
}

#[test]
fn somebody_at_a_url_who_is_no_server_is_told() {
    let world = World::new();
    for (said, hangs_up, line) in [
        (&b""[..], false, "no answer to initialize within 0.4 s"),
        (
            b"",
            true,
            "PLACE gave no answer: connection closed before message completed",
        ),
        (
            b"SSH-2.0-OpenSSH_9.9\r\n",
            false,
            "PLACE gave no answer: invalid HTTP version parsed",
        ),
        (
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{",
            false,
            "no answer to initialize within 0.4 s",
        ),
    ] {
        let port = listener(said, hangs_up);
        world.config(&format!(
            "[servers.odd]\nurl = \"http://127.0.0.1:{port}/mcp\"\n"
        ));
        if line.contains("within") {
            world.append("connect_timeout = \"400ms\"\n");
        }
        let line = line.replace("PLACE", &format!("127.0.0.1:{port}"));
        fails(&world, &["odd", "echo"], 3, &format!("mcpx: odd: {line}"));
    }
}

#[test]
fn a_call_that_is_interrupted_hangs_up() {
    let fake = Fake::start().unwrap();
    let world = world(&fake, &["plain"]);
    let mut call = world.start(["plain", "stall"]);
    until("the call begins", || {
        fake.seen().iter().any(|line| line == "POST tools/call")
    });
    call.kill().unwrap();
    call.wait().unwrap();
    until("the server is told", || {
        fake.seen().iter().any(|line| line == "hung up")
    });
    let slow = world.start(["plain", "slow", "--ms=1"]);
    ended(slow, 0, "done", "");
}
