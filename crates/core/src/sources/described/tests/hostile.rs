use super::*;

#[test]
fn other_texts_are_none_of_them() {
    for text in [
        "",
        "{}",
        "usage: x [-h]\n",
        "Usage: cmd <file>\n\nflag: x\n",
        "{\"argway\": 1, \"name\": \"x\", \"family\": \"cobra\", \"commands\": []}",
        "name: ci\non: push\njobs:\n  a: {}\n",
        "name: web\nservices:\n  db: {}\n",
        "cli jq { bin jq; flag --x }\nbin jq\n",
        "node \"value\"\n",
        "[1, 2]",
        "#!/bin/sh\nexec flag arg cmd\n",
    ] {
        assert_eq!(recognise(text), None, "{text}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let told = [
        refused(Format::Usage, "bin x\ncmd \"a {\n"),
        refused(Format::Usage, "flag --x\n"),
        refused(Format::Usage, "bin x\ncli y\n"),
        refused(
            Format::Machine,
            r#"{"version": "2.0", "name": "x", "commands": []}"#,
        ),
        refused(Format::Machine, "{"),
        refused(
            Format::OpenCli,
            r#"{"opencli": "0.1", "info": {"title": "My Tool"}}"#,
        ),
        refused(Format::OpenCli, "info: x\n"),
        refused(Format::Carapace, "name: [\n"),
        refused(
            Format::Swift,
            r#"{"serializationVersion": 7, "command": {}}"#,
        ),
        why_not("just: some\nyaml: text\n").to_string(),
    ];
    assert_data_eq!(
        told.join("\n"),
        str![[r#"
is not KDL: line 2: this string is never closed
does not say what its program is called
has a `cli` in line 2: that is a definition, no usage spec
is version 2.0 of `help --machine`; 1.x can be read
is not JSON: EOF while parsing an object at line 1 column 1
calls its program `My Tool`, which is no command's name
is no OpenCLI description: it has no `opencli` and `info`
is not YAML: unclosed bracket '[' at line 1, column 7
is no dump of Swift's help in serialization version 0 or 1
is no description that argway knows: not its own, a usage spec, OpenCLI, a carapace spec, `help --machine`, an oclif manifest, Swift's dump or .NET's schema
"#]]
    );
}

#[test]
fn a_name_that_was_given_wins() {
    let reading = read(Format::Usage, Some("other"), "bin x\nflag --y\n").unwrap();
    assert_eq!(reading.program.name, "other");
    assert_eq!(reading.program.commands[0].usage, "other [flags]");
}

#[test]
fn depth_and_repetition_are_bounded() {
    let deep = "{\"command\":".repeat(100_000);
    assert!(read(Format::Swift, None, &deep).is_err());
    let mut nested = String::from("bin x\n");
    for _ in 0..30 {
        nested.push_str("cmd a {\n");
    }
    nested.push_str(&"}\n".repeat(30));
    let reading = read(Format::Usage, None, &nested).unwrap();
    assert_eq!(reading.program.commands.len(), 13);
    let around = "bin x\nflagset a { use b; flag --one }\nflagset b { use a; flag --two }\nuse a\n";
    let reading = read(Format::Usage, None, around).unwrap();
    assert_eq!(reading.program.commands[0].params.len(), 2);
    let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nname: x\ncommands: *b\n";
    assert_eq!(recognise(bomb), None);
    let twice = "bin x\ncmd a help=one\ncmd a help=two\ncmd \"-b\"\ncmd \"c d\"\n";
    assert_data_eq!(
        show(&read(Format::Usage, None, twice).unwrap()),
        str![[r#"
x - (its own description)
[] Unknown parent - 
  usage: x
[a] Unknown - one
  usage: x a
lost at [a]: is described twice; the first is taken
lost at []: `-b` is not the name of a command
lost at []: `c d` is not the name of a command

"#]]
    );
}

#[test]
fn what_is_no_flag_is_not_made_one() {
    let text = "bin x\nflag \"nothing\"\nflag \"--ok\"\nflag \"--a b\"\nflag \"--\"\nflag \"\"\narg \"\"\n";
    assert_data_eq!(
        show(&read(Format::Usage, None, text).unwrap()),
        str![[r#"
x - (its own description)
[] Unknown - 
  usage: x [flags]
  --ok
lost at []: the flag `nothing` was not understood
lost at []: the flag `--a b` was not understood
lost at []: the flag `--` was not understood
lost at []: the flag `` was not understood
lost at []: the argument `` was not understood

"#]]
    );
    let text =
        "name: x\nflags:\n  -a: fine\n  -b, -c, --d: too many\n  '--e f=': a blank\n  é: no\n";
    assert_data_eq!(
        show(&read(Format::Carapace, None, text).unwrap()),
        str![[r#"
x - (its own description)
[] Unknown - 
  usage: x [flags]
  -a - fine
lost at []: the flag `-b, -c, --d` was not understood
lost at []: the flag `--e f=` was not understood
lost at []: the flag `é` was not understood

"#]]
    );
}

#[test]
fn a_parents_flags_reach_its_children_where_it_does_nothing_itself() {
    let text = "bin x\ncmd a subcommand_required=#true { flag \"-C <DIR>\"; flag \"--all\" global=#true; \
                cmd b { flag \"--all\" } ; cmd c }\n";
    assert_data_eq!(
        show(&read(Format::Usage, None, text).unwrap()),
        str![[r#"
x - (its own description)
[] Unknown parent - 
  usage: x
[a] Unknown parent - 
  usage: x a [flags]
  -C string
  --all
[a b] Unknown - 
  usage: x a b [flags]
  --all
  ^ -C string after:1
[a c] Unknown - 
  usage: x a c [flags]
  ^ -C string after:1
  ^ --all

"#]]
    );
}
