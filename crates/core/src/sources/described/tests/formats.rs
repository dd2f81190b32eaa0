use super::*;

#[test]
fn what_help_machine_prints_is_read() {
    check(
        Format::Machine,
        r#"{
  "version": "1.2", "cli_version": "v0.3", "name": "fleet", "description": "Ships and ports",
  "commands": [
    {"name": "ship", "path": ["get", "ship"], "path_string": "get ship", "description": "Show ships",
     "long_description": "Show one ship, or all of them.", "usage": "fleet get ship [NAME] [flags]",
     "aliases": ["ships"], "category": "read", "flags": [
       {"name": "output", "shorthand": "o", "type": "string", "default": "table", "description": "How",
        "required": false, "enum": ["table", "json"]},
       {"name": "watch", "type": "bool", "default": false, "description": "Go on", "required": false},
       {"name": "rigged", "type": "bool", "default": true, "description": "With sails", "required": false},
       {"name": "label", "type": "stringSlice", "default": [], "description": "Only these", "required": false},
       {"name": "depth", "type": "SizeSuffix", "description": "Draught", "required": false, "hidden": true}
     ],
     "positional_args": [{"name": "NAME", "description": "Which", "required": false}],
     "examples": [{"description": "All", "command": "fleet get ship"}, {"description": "", "command": "fleet get ship x"}]},
    {"name": "sink", "path": ["sink"], "path_string": "sink", "description": "Delete ships",
     "usage": "fleet sink NAME...", "category": "write", "flags": [
       {"name": "where", "type": "string", "description": "Place", "required": true, "providers": ["navy"]}],
     "positional_args": [{"name": "NAME", "required": true, "variadic": true}, {"name": "REST...", "required": false}]},
    {"name": "settings", "path": ["settings"], "path_string": "settings", "description": "Show settings",
     "usage": "fleet settings", "category": "admin", "flags": []}
  ],
  "global_flags": [
    {"name": "namespace", "shorthand": "n", "type": "string", "description": "Where", "required": false},
    {"name": "timeout", "type": "duration", "default": "0s", "description": "How long", "required": false}
  ]
}"#,
        str![[r#"
fleet v0.3 (its own description)
[] Unknown parent - Ships and ports
  usage: fleet [flags]
  -n,--namespace=string - Where
  --timeout=duration - How long
[get] Read parent - 
  usage: fleet get [flags]
  ^ -n,--namespace=string - Where
  ^ --timeout=duration - How long
[get ship] Read aka ships - Show ships
  usage: fleet get ship [NAME] [flags]
  long: Show one ship, or all of them.
  examples: # All/fleet get ship//fleet get ship x
  -o,--output=string default:table {table,json} - How
  --watch - Go on
  --rigged off:"--rigged=false" default:true - With sails
  --label=csv<string> - Only these
  --depth=other<SizeSuffix> hidden - Draught
  <NAME> string - Which
  ^ -n,--namespace=string - Where
  ^ --timeout=duration - How long
[sink] Destructive - Delete ships
  usage: fleet sink NAME...
  --where=string required - Place [providers: navy]
  <NAME> words<string> required
  <REST> words<string>
  ^ -n,--namespace=string - Where
  ^ --timeout=duration - How long
[settings] Write - Show settings
  usage: fleet settings
  ^ -n,--namespace=string - Where
  ^ --timeout=duration - How long

"#]],
    );
}

#[test]
fn a_usage_spec_is_read() {
    check(
        Format::Usage,
        r##"
name "Ferry"
bin ferry
version "2.1"
about "Crosses rivers"
long_about "Crosses rivers, and comes back."
flag "-v --verbose" count=#true global=#true help="Say more"
flag "--color" negate="--no-color" default=#true env=FERRY_COLOR
flag "-C --cd <DIR>" global=#true help="Start there"
include file="other.usage.kdl"
flagset io {
    flag "--json" help="As JSON"
    use more
}
flagset more {
    flag "--quiet"
}
cmd cross effect=write help="Go over" {
    alias over go
    alias hidden hide=#true
    long_help """
        Go over.

        Slowly.
        """
    flag "-b --bank <BANK>" required=#true {
        choices left right
    }
    flag "--load... <THING>" help="Once each"
    flag "--stops <STOP>..." help="All at once"
    flag "--when[=TIME]" help="At a time"
    flag "--poll" value_optional=#true default_missing="30s" {
        arg <EVERY>
    }
    flag "--only" {
        arg <PART> delimiter=, {
            choices { choice hull help="Wood"; choice sail; choice keel hide=#true }
        }
    }
    flag "--path" { arg <PATH> delimiter=: }
    flag "--size <W> <H>" conflicts=--only
    flag "--guess <X>" { choices a b strict=#false; }
    flag "--sink" effect=destructive deprecated="use scuttle" hide=#true requires=--bank
    flag "-p <PORT>" default="8080"
    flag "-h --help" help="Print help" action=help builtin=#true
    use io
    group speed "--json" "--quiet" required=#true
    arg "<RIVER>" help="Which"
    arg "[-- WORDS]..." required=#false var=#true help="For the crew"
    example "ferry cross rhine" header="Simple" help="From here"
    complete river run="rm -rf /"
}
cmd crew subcommand_required=#true help="People" {
    cmd list effect=read { arg "[NAME]" default="all" }
    cmd help
}
cmd run help="Run tasks" {
    mount run="ferry tasks --usage"
    arg "[TASK]" double_dash=automatic
}
"##,
        str![[r#"
ferry 2.1 (its own description)
[] Unknown - Crosses rivers
  usage: ferry [flags]
  long: Crosses rivers, and comes back.
  -v,--verbose count - Say more
  --color off:"--no-color" default:true env:FERRY_COLOR
  -C,--cd=string - Start there
[cross] Write aka over,go - Go over
  usage: ferry cross [flags] <RIVER> [-- WORDS]...
  long: Go over.//Slowly.
  examples: # Simple/# From here/ferry cross rhine
  -b,--bank=string required {left,right}
  --load=repeat<string> - Once each
  --stops=words<string> - All at once
  --when=string bare:"" - At a time
  --poll=string bare:"30s"
  --only=comma<string> {hull,sail}
  --path=joined<string> by:":"
  --size=words<string>
  --guess=string - (such as a, b)
  --sink hidden deprecated:use scuttle Destructive!
  -p string default:8080
  --json - As JSON
  --quiet
  <RIVER> string required - Which
  <WORDS> words<string> - For the crew
  ^ -v,--verbose count - Say more
  ^ -C,--cd=string - Start there
  one of: size, only
  needs: sink, bank
  one of: json, quiet
  any of: json, quiet
[crew] Unknown parent - People
  usage: ferry crew [flags]
  ^ -v,--verbose count - Say more
  ^ -C,--cd=string - Start there
[crew list] Read - 
  usage: ferry crew list [flags] [NAME]
  <NAME> string default:all
  ^ -v,--verbose count - Say more
  ^ -C,--cd=string - Start there
[run] Unknown - Run tasks
  usage: ferry run [flags] [TASK]
  <TASK> string
  ^ -v,--verbose count - Say more
  ^ -C,--cd=string - Start there
lost at []: `other.usage.kdl` is to be included and was not read
lost at [run]: has more commands, which `ferry tasks --usage` would list; what a spec names is not run

"#]],
    );
}

#[test]
fn a_usage_spec_in_the_older_kdl_means_the_same() {
    let old = "bin \"x\"\nflag \"-f --force\" global=true help=\"Do\"\ncmd \"a\" hide=true {\n  \
               long_help r#\"Long\n\"text\"\"#\n  arg \"<file>\" var=true\n}\n";
    let new = "bin x\nflag \"-f --force\" global=#true help=Do\ncmd a hide=#true {\n  \
               long_help #\"\"\"\n    Long\n    \"text\"\n    \"\"\"#\n  arg <file> var=#true\n}\n";
    let show_of = |text| show(&read(Format::Usage, None, text).unwrap());
    assert_eq!(show_of(old), show_of(new));
    assert_data_eq!(
        show_of(old),
        str![[r#"
x - (its own description)
[] Unknown parent - 
  usage: x [flags]
  -f,--force Destructive! - Do
[a] Unknown hidden - Long
  usage: x a [flags] <file>...
  long: Long/"text"
  <file> words<string> required
  ^ -f,--force Destructive! - Do

"#]]
    );
}

#[test]
fn opencli_is_read_as_json() {
    check(
        Format::OpenCli,
        r#"{"opencli": "0.1", "info": {"title": "barge", "version": "1.0", "description": "Carries.\nA lot."},
"conventions": {"groupOptions": true, "optionArgumentSeparator": "="},
"options": [
  {"name": "--help", "aliases": ["-h"], "description": "Help"},
  {"name": "--verbose", "aliases": ["-v"], "recursive": true, "description": "More"}],
"commands": [
  {"name": "load", "aliases": ["l"], "description": "Put on", "examples": ["barge load coal"],
   "exitCodes": [{"code": 0, "description": "Done"}, {"code": 3, "description": "Too heavy"}],
   "options": [
     {"name": "--mode", "required": true, "arguments": [{"name": "MODE", "required": true, "acceptedValues": ["fast", "slow"]}]},
     {"name": "--tag", "arguments": [{"name": "TAG", "arity": {"minimum": 1}}]},
     {"name": "--log", "arguments": [{"name": "LEVEL", "arity": {"minimum": 0, "maximum": 1}}]},
     {"name": "-x", "hidden": true, "arguments": [{"name": "N"}]}],
   "arguments": [{"name": "CARGO", "required": true, "arity": {"minimum": 1}, "description": "What"}]},
  {"name": "tow", "hidden": true, "commands": [{"name": "away", "interactive": true}]}]}"#,
        str![[r#"
barge 1.0 (its own description)
[] Unknown parent - Carries.
  usage: barge [flags]
  long: Carries./A lot.
  -v,--verbose - More
[load] Write aka l - Put on
  usage: barge load [flags] <CARGO>...
  long: Put on//Exit codes:/0: Done/3: Too heavy
  examples: barge load coal
  --mode=string required {fast,slow}
  --tag=words<string>
  --log=string bare:""
  -x string hidden
  <CARGO> words<string> required - What
  ^ -v,--verbose - More
[tow] Unknown parent hidden - 
  usage: barge tow [flags]
  ^ -v,--verbose - More
[tow away] Unknown - 
  usage: barge tow away [flags]
  ^ -v,--verbose - More
lost at [tow away]: asks its user questions, which a tool cannot answer

"#]],
    );
}

#[test]
fn opencli_is_read_as_yaml_and_by_name() {
    check(
        Format::OpenCli,
        r#"opencli: 0.1
info:
  title: raft
  version: 1.10
conventions:
  optionSeparator: " "
options:
  --level:
    description: How much
    arguments:
      LEVEL:
        acceptedValues: [no, yes]
commands:
  float:
    description: Stay up
    arguments:
      WHERE:
        required: false
"#,
        str![[r#"
raft 1.10 (its own description)
[] Unknown parent - 
  usage: raft [flags]
  --level string {no,yes} - How much
[float] Unknown - Stay up
  usage: raft float [flags] [WHERE]
  <WHERE> string
  ^ --level string after:0 {no,yes} - How much

"#]],
    );
}

#[test]
fn a_carapace_spec_is_read() {
    check(
        Format::Carapace,
        r#"# yaml-language-server: $schema=https://carapace.sh/schemas/command.json
name: canoe
description: Paddles
persistentflags:
  -c, --config=: configuration
flags:
  -v*: more
commands:
  - name: row <where>
    aliases: [r]
    group: moving
    description: go
    flags:
      --color?: when
      -s, --side=!: which side
      --tag=*: labels
      --secret=&: not shown
      -name=: single dash
      --pair=:
        description: two of them
        nargs: 2
    exclusiveflags:
      - [color, side]
    completion:
      flag:
        side: ["left\tport", right]
        tag: ["$(git tag)"]
      positional:
        - [here, there]
        - ["$files"]
      positionalany: ["$(rm -rf /)"]
      dashany: ["$carapace.tools"]
  - name: sink
    hidden: true
    parsing: disabled
    run: "$(rm -rf /)"
"#,
        str![[r#"
canoe - (its own description)
[] Unknown parent - Paddles
  usage: canoe [flags]
  -v count - more
  -c,--config string - configuration
[row] Unknown aka r in:moving - go
  usage: canoe row [flags] [arg1] [arg2] [args]... [-- words]...
  --color=string bare:"" - when
  -s,--side string required {left,right} - which side
  --tag repeat<string> - labels
  --secret string hidden - not shown
  -name string - single dash
  --pair words<string> - two of them
  <arg1> string {here,there}
  <arg2> string
  <args> words<string>
  <words> words<string>
  ^ -v count after:0 - more
  ^ -c,--config string - configuration
  one of: color, side
[sink] Unknown hidden raw - 
  usage: canoe sink [flags]
  ^ -v count after:0 - more
  ^ -c,--config string - configuration

"#]],
    );
}

#[test]
fn what_swift_dumps_is_read() {
    check(
        Format::Swift,
        r#"{"serializationVersion": 0, "command": {
  "commandName": "skiff", "abstract": "A small boat.", "discussion": "Very small.",
  "subcommands": [
    {"commandName": "sail", "superCommands": ["skiff"], "abstract": "Go.", "arguments": [
      {"kind": "positional", "valueName": "port", "isOptional": false, "isRepeating": false, "shouldDisplay": true, "abstract": "To"},
      {"kind": "option", "names": [{"kind": "short", "name": "s"}, {"kind": "long", "name": "speed"}], "valueName": "speed",
       "defaultValue": "slow", "allValues": ["slow", "fast"], "isOptional": true, "isRepeating": false, "shouldDisplay": true},
      {"kind": "option", "names": [{"kind": "long", "name": "stop"}], "valueName": "stop", "isOptional": true, "isRepeating": true,
       "parsingStrategy": "upToNextOption", "shouldDisplay": true},
      {"kind": "option", "names": [{"kind": "longWithSingleDash", "name": "crew"}], "valueName": "name", "isOptional": false, "isRepeating": true, "shouldDisplay": false},
      {"kind": "flag", "names": [{"kind": "long", "name": "lights"}, {"kind": "long", "name": "no-lights"}], "isOptional": true, "isRepeating": false, "shouldDisplay": true},
      {"kind": "flag", "names": [{"kind": "long", "name": "red"}, {"kind": "long", "name": "green"}], "isOptional": true, "isRepeating": false, "shouldDisplay": true},
      {"kind": "flag", "names": [{"kind": "short", "name": "v"}, {"kind": "long", "name": "verbose"}], "isOptional": true, "isRepeating": true, "shouldDisplay": true},
      {"kind": "flag", "names": [{"kind": "short", "name": "h"}, {"kind": "long", "name": "help"}], "isOptional": true, "isRepeating": false, "shouldDisplay": true},
      {"kind": "positional", "valueName": "rest", "isOptional": true, "isRepeating": true, "parsingStrategy": "postTerminator", "shouldDisplay": true}]},
    {"commandName": "help", "abstract": "Show subcommand help information."}]}}"#,
        str![[r#"
skiff - (its own description)
[] Unknown parent - A small boat.
  usage: skiff
  long: A small boat.//Very small.
[sail] Unknown - Go.
  usage: skiff sail [flags] <port> [-- rest]...
  -s,--speed=string default:slow {slow,fast}
  --stop=words<string>
  -crew repeat<string> required hidden
  --lights off:"--no-lights"
  --red
  --green
  -v,--verbose count
  <port> string required - To
  <rest> words<string>
  one of: red, green

"#]],
    );
}

#[test]
fn what_dotnet_prints_is_read() {
    check(
        Format::DotNet,
        r#"{"name": "tug", "version": "10.0.1", "description": "Pulls", "hidden": false,
"options": {
  "--diagnostics": {"description": "More", "hidden": false, "aliases": ["-d", "/d"], "valueType": "System.Boolean", "hasDefaultValue": false,
    "arity": {"minimum": 0, "maximum": 1}, "required": false, "recursive": true},
  "--help": {"hidden": false, "aliases": ["-?", "-h"], "valueType": "System.Void", "hasDefaultValue": false, "arity": {"minimum": 0, "maximum": 0}, "required": false, "recursive": true}},
"subcommands": {
  "pull": {"description": "Pull a ship", "hidden": false, "aliases": ["p"],
    "arguments": {
      "port": {"order": 1, "hidden": false, "valueType": "System.String", "hasDefaultValue": true, "defaultValue": "home", "arity": {"minimum": 0, "maximum": 1}},
      "ships": {"order": 0, "hidden": false, "valueType": "System.Collections.Generic.IEnumerable<System.String>", "hasDefaultValue": false, "arity": {"minimum": 1}}},
    "options": {
      "--force-level": {"hidden": false, "valueType": "System.Int32", "hasDefaultValue": true, "defaultValue": 3, "arity": {"minimum": 1, "maximum": 1}, "required": true, "recursive": false},
      "--if-exists": {"hidden": false, "helpName": "error|skip", "valueType": "Tug.IfExists", "hasDefaultValue": false, "arity": {"minimum": 1, "maximum": 1}, "required": false, "recursive": false},
      "--log": {"hidden": true, "valueType": "System.IO.FileInfo", "hasDefaultValue": false, "arity": {"minimum": 0, "maximum": 1}, "required": false, "recursive": false},
      "--lights": {"hidden": false, "valueType": "System.Boolean", "hasDefaultValue": true, "defaultValue": true, "arity": {"minimum": 0, "maximum": 1}, "required": false, "recursive": false},
      "-x": {"hidden": false, "valueType": "System.String[]", "hasDefaultValue": false, "arity": {"minimum": 1}, "required": false, "recursive": false}}}}}"#,
        str![[r#"
tug 10.0.1 (its own description)
[] Write parent - Pulls
  usage: tug [flags]
  -d,--diagnostics - More
[pull] Write aka p - Pull a ship
  usage: tug pull [flags] <ships>... [port]
  --force-level=int32 required default:3
  --if-exists=other<Tug.IfExists> {error,skip}
  --log=string bare:"" hidden
  --lights off:"--lights=false" default:true
  -x repeat<string>
  <ships> words<string> required
  <port> string default:home
  ^ -d,--diagnostics - More

"#]],
    );
}
