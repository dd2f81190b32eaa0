//! The round trip is the identity: mcpx, talking to `argway serve PROGRAM`, prints the
//! bytes that PROGRAM prints, and succeeds and fails as it does.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::json;
use world::{World, sibling};

/// A program, and the same program by way of two protocols.
struct Pair {
    world: World,
    program: PathBuf,
    name: String,
}

/// What is compared besides stdout and success.
#[derive(Clone, Copy, PartialEq)]
enum Stderr {
    Same,
    /// It has times in it, or paths of its own.
    Varies,
}

impl Pair {
    /// `served` is what argway is told to serve; `program` what it then runs.
    fn new(program: &Path, served: &Path, options: &[&str]) -> Self {
        Self::inside(World::new(), program, served, options)
    }

    fn inside(world: World, program: &Path, served: &Path, options: &[&str]) -> Self {
        let name = program.file_name().unwrap().to_str().unwrap().to_owned();
        let words = [&["serve", served.to_str().unwrap()], options].concat();
        Self {
            world: world.server(&name, sibling("argway"), &words),
            program: program.to_owned(),
            name,
        }
    }

    fn of(program: &Path) -> Self {
        Self::new(program, program, &[])
    }

    /// Runs both, and compares.
    #[track_caller]
    fn check(&self, mcpx: &[&str], words: &[&str], stderr: Stderr) -> (Output, Output) {
        let own = self.world.run(&self.program).args(words).output();
        let through = self.world.call([&[self.name.as_str()], mcpx].concat());
        let through = through.output();
        let said = String::from_utf8_lossy(&through.stderr).into_owned();
        assert!(
            through.stdout == own.stdout,
            "{mcpx:?} prints {:?} …, {words:?} prints {:?} …\n{said}",
            beginning(&through.stdout),
            beginning(&own.stdout),
        );
        assert_eq!(
            through.status.success(),
            own.status.success(),
            "{mcpx:?}: {said}"
        );
        assert!(
            through.status.code().is_some_and(|code| code < 2),
            "{mcpx:?}: {said}"
        );
        if stderr == Stderr::Same {
            let expected = String::from_utf8_lossy(&own.stderr);
            assert_eq!(said, expected, "{mcpx:?}");
        }
        (own, through)
    }

    #[track_caller]
    fn same(&self, mcpx: &[&str], words: &[&str]) {
        self.check(mcpx, words, Stderr::Same);
    }

    /// Both fail, and mcpx says what the program says.
    #[track_caller]
    fn fails(&self, mcpx: &[&str], words: &[&str]) {
        let (own, through) = self.check(mcpx, words, Stderr::Varies);
        assert!(!own.status.success(), "{words:?} succeeds");
        assert!(
            !own.stderr.is_empty() && !through.stderr.is_empty(),
            "{words:?}"
        );
    }
}

fn beginning(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).into_owned()
}

/// The Go program with a flag of every type, built once.
fn everyflag() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcpx/everyflag");
        let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/everyflag/build");
        let built = Command::new(build)
            .arg("newest")
            .arg(&out)
            .status()
            .unwrap();
        assert!(built.success(), "everyflag cannot be built: it needs Go");
        out
    })
}

#[test]
fn every_type_of_flag_arrives_as_it_was_written() {
    let pair = Pair::of(everyflag());
    for value in [
        "--string=plain",
        "--string=",
        "--string= spaces  around ",
        "--string=--looks-like-a-flag",
        "--string=it's \"quoted\", $HOME `and` \\more\\",
        "--string=two\nlines\tand é 漢 🦀",
        "--string=null",
        "--string=12",
        "--string={\"json\": true}",
        "--bool",
        "--int=-5",
        "--int8=-128",
        "--int64=9223372036854775807",
        "--int64=-9223372036854775808",
        "--uint64=18446744073709551615",
        "--float64=0.1",
        "--float64=-1e-300",
        "--float64=123456789012345680",
        "--float32=3.5",
        "--duration=1h30m0.5s",
        "--ip=::1",
        "--ip-net=10.0.0.0/8",
        "--hex=00ff",
        "--base64=AP8=",
        "--config=/etc/a file",
        "--region=",
    ] {
        pair.same(&["everyflag_all", value], &["all", value]);
    }
}

#[test]
fn switches_go_both_ways() {
    let pair = Pair::of(everyflag());
    pair.same(
        &["everyflag_all", "--no-bool-true"],
        &["all", "--bool-true=false"],
    );
    // What is off anyway need not be said.
    pair.same(&["everyflag_all", "--no-bool"], &["all"]);
    pair.same(&["everyflag_all", "--bool-true"], &["all", "--bool-true"]);
    pair.same(&["everyflag_all", "--count=3"], &["all", "-nnn"]);
}

#[test]
fn lists_keep_their_commas_and_quotes() {
    let pair = Pair::of(everyflag());
    pair.same(
        &["everyflag_all", "--string-slice=a,b", "--string-slice=c"],
        &["all", "--string-slice=\"a,b\",c"],
    );
    pair.same(
        &[
            "everyflag_all",
            "--string-slice=say \"hi\"",
            "--string-slice=x y",
        ],
        &["all", "--string-slice=\"say \"\"hi\"\"\",x y"],
    );
    pair.same(
        &["everyflag_all", "--string-slice=two\nlines"],
        &["all", "--string-slice=\"two\nlines\""],
    );
    pair.same(
        &[
            "everyflag_all",
            "--string-array=a,b",
            "--string-array=c \"d\"",
        ],
        &["all", "--string-array=a,b", "--string-array=c \"d\""],
    );
    pair.same(
        &[
            "everyflag_all",
            "--int64-slice=9007199254740993",
            "--int64-slice=-1",
        ],
        &["all", "--int64-slice=9007199254740993,-1"],
    );
    pair.same(
        &["everyflag_all", "--bool-slice=true", "--bool-slice=false"],
        &["all", "--bool-slice=true,false"],
    );
    pair.same(
        &[
            "everyflag_all",
            "--string-to-string={\"k\": \"v=w\", \"l\": \"m,n\"}",
        ],
        &["all", "--string-to-string=k=v=w,\"l=m,n\""],
    );
    pair.same(
        &[
            "everyflag_all",
            "--string-to-int64={\"k\": 9223372036854775807}",
        ],
        &["all", "--string-to-int64=k=9223372036854775807"],
    );
}

#[test]
fn positionals_are_flags_and_arrive_as_positionals() {
    let pair = Pair::of(everyflag());
    pair.same(
        &[
            "everyflag_move",
            "--source-arg=a",
            "--dest=b c",
            "--more=d",
            "--more=e",
        ],
        &["move", "a", "b c", "d", "e"],
    );
    pair.same(
        &[
            "everyflag_move",
            "--source-arg=a",
            "--source=flag",
            "--dry-run",
        ],
        &["move", "a", "--source=flag", "--dry-run"],
    );
    pair.same(
        &["everyflag_all", "--word=one", "--word=--two"],
        &["all", "--", "one", "--two"],
    );
    pair.same(&["everyflag_parent_list"], &["parent", "list"]);
    pair.same(
        &["everyflag_all", r#"{"word": ["x"], "int": 7}"#],
        &["all", "--int=7", "x"],
    );
}

#[test]
fn flags_that_mcpx_has_too_are_the_programs_with_a_prefix() {
    let pair = Pair::of(everyflag());
    pair.same(&["everyflag_all", "--tool-quiet"], &["all", "--quiet"]);
    pair.same(&["everyflag_all", "--tool-verbose=2"], &["all", "-vv"]);
    pair.same(&["everyflag_all", "--", "--quiet"], &["all", "--quiet"]);
}

#[test]
fn what_the_program_would_refuse_is_refused() {
    let pair = Pair::of(everyflag());
    let refused = |mcpx: &[&str], words: &[&str], code: i32| {
        let own = pair.world.run(everyflag()).args(words).output();
        assert!(!own.status.success() && own.stdout.is_empty(), "{words:?}");
        let through = pair.world.mcpx([&["everyflag"], mcpx].concat());
        let through = through.code(code).stdout_eq("");
        assert!(!through.get_output().stderr.is_empty(), "{mcpx:?}");
    };
    refused(&["everyflag_needs"], &["needs"], 2);
    refused(&["everyflag_all", "--int=two"], &["all", "--int=two"], 2);
    refused(&["everyflag_all", "--nothing"], &["all", "--nothing"], 2);
    // An integer by its schema; that Go has no room for it only argway knows.
    let large = "--int64=9223372036854775808";
    refused(&["everyflag_all", large], &["all", large], 1);
}

#[test]
fn the_nested_layout_is_the_same_program() {
    let program = everyflag();
    let pair = Pair::new(program, program, &["--layout", "nested"]);
    pair.same(
        &[
            "everyflag_all",
            r#"--flags={"string-slice": ["a,b", "c"], "int64": 9223372036854775807}"#,
            "--args=x",
        ],
        &[
            "all",
            "--string-slice=\"a,b\",c",
            "--int64=9223372036854775807",
            "x",
        ],
    );
    let own = pair.world.run(program).args(["all", "--int=two"]).output();
    let through = pair
        .world
        .mcpx(["everyflag", "everyflag_all", r#"--flags={"int": "two"}"#]);
    let through = through.failure().stdout_eq("");
    assert!(!own.status.success() && !through.get_output().stderr.is_empty());
}

/// Says what it is told to say, as no well-behaved program would.
const SAY: &str = r#"#!/bin/sh
if [ "$1" = -- ]; then shift; fi
case $1 in
text) echo 'a line' ;;
unended) printf 'no newline' ;;
blank) printf '\n\n \n' ;;
nothing) ;;
bytes) printf 'a\377\376\000b\200\n' ;;
colours) printf '\033[31mred\033[0m\r\n\a' ;;
json) printf '{"b": 1.0, "a": 9007199254740993}' ;;
wide) printf 'h\303\251llo \346\274\242\n' ;;
complaint) echo 'a warning' >&2; echo 'out' ;;
only-complaint) printf 'an unended warning' >&2 ;;
foul) printf 'bad \377 bytes\n' >&2; printf 'half' ; exit 3 ;;
failure) echo 'it is broken' >&2; exit 1 ;;
silent-failure) exit 7 ;;
failure-with-output) echo 'so far'; exit 255 ;;
long) yes 'a line that is repeated until it is long' | head -c 3000000 ;;
long-failure) yes 'again' | head -c 1500000; exit 4 ;;
long-bytes) head -c 2097153 /dev/zero ;;
long-complaint) yes 'oh no' | head -c 1200000 >&2; echo 'done' ;;
*) echo "what is $1?" >&2; exit 2 ;;
esac
"#;

const SAYINGS: [&str; 18] = [
    "text",
    "unended",
    "blank",
    "nothing",
    "bytes",
    "colours",
    "json",
    "wide",
    "complaint",
    "only-complaint",
    "foul",
    "failure",
    "silent-failure",
    "failure-with-output",
    "long",
    "long-failure",
    "long-bytes",
    "long-complaint",
];

/// A world with the program, and what argway is told of it.
fn say(options: &[&str]) -> Pair {
    let world = World::new();
    let program = world.program("say", SAY);
    let described = |name: &str| json!({"name": name, "text": name});
    let description = json!({
        "argway": 1,
        "name": "say",
        "executable": program,
        "family": "cobra",
        "commands": [{
            "path": [],
            "summary": "Says something",
            "description": "Says something",
            "usage": "say WHAT",
            "runnable": true,
            "effect": "read",
            "params": [{
                "name": "what",
                "role": "positional",
                "type": "string",
                "required": true,
                "from": described("help"),
            }],
            "from": described("help"),
        }],
    });
    let file = world.file("say.json", description.to_string());
    Pair::inside(world, &program, &file, options)
}

#[test]
fn every_byte_comes_through() {
    let pair = say(&[]);
    for saying in SAYINGS {
        pair.same(&["say", &format!("--what={saying}")], &[saying]);
    }
    pair.same(&["say", "--what=something else"], &["something else"]);
}

#[test]
fn every_byte_comes_through_as_ophis_has_it() {
    let pair = say(&["--layout", "nested"]);
    for saying in SAYINGS
        .into_iter()
        .filter(|saying| !saying.starts_with("long"))
    {
        pair.same(
            &["say", "--flags={}", &format!("--args={saying}")],
            &[saying],
        );
    }
}

#[test]
fn a_program_that_is_ended_is_a_failure_that_says_why() {
    let pair = say(&["--timeout", "1s"]);
    pair.world
        .program("say", "#!/bin/sh\necho begun\nsleep 30\n");
    let ended = pair.world.mcpx(["say", "say", "--what=anything"]);
    let ended = ended.code(1).stdout_eq("begun\n");
    let said = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
    assert!(said.contains("longer than 1 s"), "{said}");
}

/// A real program: one that `scripts/tools` fetched, or one on PATH.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let fetched = std::env::var_os("ARGWAY_TOOLS").map(PathBuf::from);
    let folders = fetched.into_iter().chain(std::env::split_paths(&path));
    let mut files = folders.map(|folder| folder.join(name));
    files.find(|file| file.is_file())
}

#[track_caller]
fn real(name: &str) -> Pair {
    let program = find(name).unwrap_or_else(|| {
        panic!("{name} is not here: run ./scripts/test, which fetches it and sets ARGWAY_TOOLS")
    });
    read(&program)
}

/// A program that argway takes its time to read: done before anybody waits for it.
fn read(program: &Path) -> Pair {
    let pair = Pair::of(program);
    let argway = pair.world.run(sibling("argway"));
    argway
        .args(["describe".as_ref(), program.as_os_str()])
        .assert()
        .success();
    pair
}

#[test]
fn gh() {
    let gh = real("gh");
    gh.same(&["gh_alias_list"], &["alias", "list"]);
    gh.same(
        &["gh_config_get", "--key=git_protocol"],
        &["config", "get", "git_protocol"],
    );
    gh.same(&["gh_config_list"], &["config", "list"]);
    gh.fails(
        &["gh_config_get", "--key=no such key"],
        &["config", "get", "no such key"],
    );
    gh.fails(
        &[
            "gh_pr_list",
            "--limit=5",
            "--label=a,b",
            "--tool-json=title",
        ],
        &["pr", "list", "--limit=5", "--label=\"a,b\"", "--json=title"],
    );
}

#[test]
fn etcdctl() {
    let etcdctl = real("etcdctl");
    etcdctl.same(&["etcdctl_version"], &["version"]);
    let nowhere = [
        "--endpoints=127.0.0.1:1",
        "--command-timeout=300ms",
        "--dial-timeout=300ms",
    ];
    etcdctl.fails(
        &[&["etcdctl_get", "--key-arg=some key"], &nowhere[..]].concat(),
        &[&["get", "some key"], &nowhere[..]].concat(),
    );
}

#[test]
fn restic() {
    let restic = real("restic");
    restic.same(&["restic_version"], &["version"]);
    restic.fails(
        &["restic_snapshots", "--repo=nowhere", "--password-file=none"],
        &["snapshots", "--repo=nowhere", "--password-file=none"],
    );
}

#[test]
fn hcloud() {
    let hcloud = real("hcloud");
    hcloud.same(&["hcloud_version"], &["version"]);
    hcloud.same(&["hcloud_context_list"], &["context", "list"]);
    hcloud.fails(&["hcloud_server_list"], &["server", "list"]);
}

#[test]
fn caddy() {
    let caddy = real("caddy");
    caddy.same(&["caddy_version"], &["version"]);
    caddy.same(
        &["caddy_list-modules", "--versions", "--packages"],
        &["list-modules", "--versions", "--packages"],
    );
    let file = caddy
        .world
        .file("Caddyfile", "localhost {\n\trespond \"é, \\\"hi\\\"\"\n}\n");
    let config = format!("--config={}", file.display());
    let words = [config.as_str(), "--adapter=caddyfile", "--pretty"];
    caddy.check(
        &[&["caddy_adapt"], &words[..]].concat(),
        &[&["adapt"], &words[..]].concat(),
        Stderr::Varies,
    );
}

#[test]
fn rclone() {
    let rclone = real("rclone");
    let bytes: Vec<u8> = (0..=255).collect();
    let long = bytes.repeat(10_000);
    for (name, content) in [
        ("bytes", &bytes),
        ("long", &long),
        ("a, \"b\"", &bytes),
        ("empty", &Vec::new()),
    ] {
        let file = rclone.world.file(&format!("files/{name}"), content);
        let path = file.to_str().unwrap();
        let check = |mcpx: &[&str], words: &[&str]| {
            rclone.check(mcpx, words, Stderr::Varies);
        };
        check(
            &["rclone_cat", &format!("--remote-path={path}")],
            &["cat", path],
        );
        check(
            &[
                "rclone_cat",
                &format!("--remote-path={path}"),
                "--offset=100",
                "--count=7",
            ],
            &["cat", path, "--offset=100", "--count=7"],
        );
    }
    let folder = rclone.world.path("work/files");
    let folder = folder.to_str().unwrap();
    let path = format!("--remote-path={folder}");
    rclone.check(
        &["rclone_lsf", &path, "--csv"],
        &["lsf", folder, "--csv"],
        Stderr::Varies,
    );
    rclone.check(
        &["rclone_lsf", &path, "--format=sp", "--separator=,"],
        &["lsf", folder, "--format=sp", "--separator=,"],
        Stderr::Varies,
    );
    rclone.check(
        &["rclone_size", &path, "--tool-json"],
        &["size", folder, "--json"],
        Stderr::Varies,
    );
    rclone.fails(
        &["rclone_cat", "--remote-path=nowhere:x"],
        &["cat", "nowhere:x"],
    );
}

/// Where they are there: nobody fetches them for a test.
#[test]
fn docker_and_kubectl() {
    if let Some(kubectl) = find("kubectl") {
        let kubectl = read(&kubectl);
        kubectl.same(
            &["kubectl_version", "--client", "--output=json"],
            &["version", "--client", "--output=json"],
        );
        kubectl.fails(
            &[
                "kubectl_get",
                "--args=pods",
                r#"--global-flags={"server": "http://127.0.0.1:1", "request-timeout": "1s"}"#,
            ],
            &[
                "get",
                "pods",
                "--server=http://127.0.0.1:1",
                "--request-timeout=1s",
            ],
        );
    }
    if let Some(docker) = find("docker") {
        let docker = read(&docker);
        docker.same(&["docker_context_ls"], &["context", "ls"]);
    }
}
