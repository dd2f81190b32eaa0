//! Manifests, and what they say.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use snapbox::{assert_data_eq, str};

use super::{read, recognise};

const FLAGS: &str = r#"{"commands": {
  "apps:create": {
    "id": "apps:create", "pluginName": "@acme/acme", "summary": "creates an app",
    "aliases": ["create"], "strict": false,
    "examples": ["$ acme apps:create x"],
    "args": {"name": {"name": "name", "required": true, "options": ["x", "y"]}},
    "flags": {
      "app": {"name": "app", "type": "option", "char": "a", "env": "APP", "required": true, "multiple": false},
      "tag": {"name": "tag", "type": "option", "multiple": true, "exclusive": ["app"]},
      "size": {"name": "size", "type": "option", "options": ["s", "m"], "default": "s", "required": true},
      "wait": {"name": "wait", "type": "boolean", "allowNo": true, "dependsOn": ["app"]},
      "secret": {"name": "secret", "type": "boolean", "hidden": true},
      "help": {"name": "help", "type": "boolean", "char": "h"},
      "odd": {"name": "odd", "type": "wheel"}
    }
  },
  "apps": {"id": "apps", "description": "list apps\n\nAll of them.", "args": [], "flags": {}, "hidden": true}
}, "version": "1.2.3"}"#;

fn described(name: Option<&str>, text: &str) -> String {
    let reading = read(name, text).unwrap();
    let mut out = vec![format!(
        "{} {}",
        reading.program.name,
        reading.program.version.unwrap_or_default()
    )];
    for command in &reading.program.commands {
        let hidden = if command.hidden { " (hidden)" } else { "" };
        out.push(format!(
            "{:?}{hidden} {:?} {}",
            command.path, command.aliases, command.summary
        ));
        for param in &command.params {
            let spelling = param.spelling().cloned().unwrap_or_default();
            let forms = [spelling.long, spelling.short, spelling.negative];
            let forms: Vec<String> = forms.into_iter().flatten().collect();
            out.push(format!(
                "  {} {} {}{}{:?} {:?} {:?}",
                param.name,
                forms.join(","),
                param.kind,
                if param.required { " required " } else { " " },
                param.choices,
                param.default,
                param.env,
            ));
        }
        out.extend(command.groups.iter().map(|group| format!("  {group:?}")));
    }
    out.extend(reading.losses.iter().map(|loss| format!("? {}", loss.what)));
    out.join("\n")
}

#[test]
fn a_manifest_says_everything_of_a_flag() {
    assert_data_eq!(
        described(None, FLAGS),
        str![[r#"
acme 1.2.3
[] [] 
["apps:create"] ["create"] creates an app
  app --app,-a string required [] None Some("APP")
  tag --tag words<string> [] None None
  size --size string ["s", "m"] Some("s") None
  wait --wait,--no-wait switch [] None None
  secret --secret switch [] None None
  name  string required ["x", "y"] None None
  args  words<string> [] None None
  Exclusive(["tag", "app"])
  Requires(["wait", "app"])
["apps"] (hidden) [] list apps
? the flag `odd` was not understood
"#]]
    );
}

#[test]
fn examples_show_whether_a_blank_stands_behind_a_topic() {
    let text = r#"[{"id": "a:b", "args": {}, "flags": {}, "examples": [
        {"command": "<%= config.bin %> a b --x", "description": "runs"}]},
        {"id": "c:d", "args": {}, "flags": {}}]"#;
    assert!(recognise(text));
    assert_data_eq!(
        described(Some("tool"), text),
        str![[r#"
tool 
[] [] 
["a"] [] 
["a", "b"] [] 
["c"] [] 
["c", "d"] [] 
"#]]
    );
}

#[test]
fn the_package_says_what_stands_behind_a_topic() {
    let said = |separator: &str| {
        let text = format!(
            r#"{{"commands": {{"a:b": {{"id": "a:b", "args": {{}}, "flags": {{}},
                "examples": ["$ tool a:b"]}}}},
                "oclif": {{"bin": "tool", "topicSeparator": "{separator}"}}}}"#
        );
        described(None, &text)
    };
    assert_data_eq!(
        said(" "),
        str![[r#"
tool 
[] [] 
["a"] [] 
["a", "b"] [] 
"#]]
    );
    assert_data_eq!(
        said(":"),
        str![[r#"
tool 
[] [] 
["a:b"] [] 
"#]]
    );
}

#[test]
fn other_documents_are_none() {
    for text in [
        "",
        "[]",
        "{}",
        r#"{"commands": []}"#,
        r#"{"commands": {"a": {"flags": [], "args": {}, "id": "a"}}}"#,
        r#"{"commands": [{"name": "a", "id": "a", "flags": [], "args": []}]}"#,
    ] {
        assert!(!recognise(text), "{text}");
    }
}
