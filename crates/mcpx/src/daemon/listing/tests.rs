//! Lists as they are printed, with secrets left out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::json;
use serde_json::value::RawValue;
use snapbox::{assert_data_eq, str};

use super::*;
use crate::config::Settings;

fn entries() -> BTreeMap<String, ServerEntry> {
    let secret = |name: &str| BTreeMap::from([(name.to_owned(), "hunter2".to_owned())]);
    let stdio = EndpointText::Stdio {
        command: "npx".to_owned(),
        args: ["-y", "server", "--token=hunter2", "a b"]
            .map(str::to_owned)
            .into(),
        env: secret("TOKEN"),
        cwd: None,
    };
    let http = EndpointText::Http {
        url: "https://me:hunter2@mcp.example.com/${PATH}".to_owned(),
        headers: secret("Authorization"),
        ca_file: None,
    };
    let entry = |name: &str, endpoint| {
        let entry = ServerEntry {
            name: name.to_owned(),
            scope: Scope::Own,
            origin: Some("/home/me/.config/mcpx/config.toml".into()),
            endpoint,
            settings: Settings::default(),
        };
        (name.to_owned(), entry)
    };
    BTreeMap::from([entry("github", stdio), entry("apify", http)])
}

fn specs() -> Vec<ToolSpec> {
    [
        json!({"name": "add", "description": "Adds. \u{1b}[31m\u{9b}2JTwo numbers.\n\nMore."}),
        json!({"name": "subtract", "title": "Subtract", "description": ""}),
    ]
    .iter()
    .map(|tool| {
        let raw = RawValue::from_string(tool.to_string()).unwrap();
        ToolSpec::read(&raw, &[]).unwrap()
    })
    .collect()
}

#[test]
fn servers_are_listed_a_line_each() {
    assert_eq!(servers(&entries(), false, false), "apify\ngithub\n");
    assert_eq!(servers(&BTreeMap::new(), false, false), "");
    assert_eq!(servers(&BTreeMap::new(), false, true), "[]\n");
}

#[test]
fn servers_are_told_in_full_without_their_secrets() {
    assert_data_eq!(
        servers(&entries(), true, false),
        str![[r#"
apify   https://***@mcp.example.com/${PATH}  /home/me/.config/mcpx/config.toml
github  npx -y server '--token=***' 'a b'    /home/me/.config/mcpx/config.toml

"#]]
    );
    assert_data_eq!(
        servers(&entries(), false, true),
        str![[r#"
[
  {
    "name": "apify",
    "transport": "http",
    "url": "https://***@mcp.example.com/${PATH}",
    "origin": "/home/me/.config/mcpx/config.toml",
    "scope": "config"
  },
  {
    "name": "github",
    "transport": "stdio",
    "command": "npx",
    "args": [
      "-y",
      "server",
      "--token=***",
      "a b"
    ],
    "origin": "/home/me/.config/mcpx/config.toml",
    "scope": "config"
  }
]

"#]]
    );
}

#[test]
fn servers_of_project_files_say_so() {
    let mut entries = entries();
    for entry in entries.values_mut() {
        entry.origin = Some("/src/app/.mcp.json".into());
        entry.scope = Scope::Project;
    }
    let text = servers(&entries, true, false);
    for line in text.lines() {
        assert!(
            line.ends_with("  /src/app/.mcp.json (project file)"),
            "{line}"
        );
    }
    let json = servers(&entries, false, true);
    assert_eq!(json.matches(r#""scope": "project""#).count(), 2, "{json}");
}

#[test]
fn tools_are_listed_with_their_summaries_or_their_whole_text() {
    assert_data_eq!(
        tools(&specs(), false, false, 0),
        str![[r#"
add       Adds
subtract  Subtract

"#]]
    );
    assert_data_eq!(
        tools(&specs(), true, false, 0),
        str![[r#"
add
    Adds. Two numbers.

    More.

subtract
    Subtract

"#]]
    );
    let json: serde_json::Value = serde_json::from_str(&tools(&specs(), false, true, 0)).unwrap();
    assert_eq!(json[0]["description"], specs()[0].description);
    assert_eq!(json[1]["summary"], "Subtract");
    assert!(!tools(&specs(), true, true, 0).contains(|c: char| c.is_control() && c != '\n'));
    assert_eq!(tools(&[], false, false, 0), "");
}

#[test]
fn a_terminal_gets_a_line_for_each_tool_however_long_its_summary() {
    let raw = json!({"name": "draw", "description": "Draws 図 of all that there is to see"});
    let raw = RawValue::from_string(raw.to_string()).unwrap();
    let all = [ToolSpec::read(&raw, &[]).unwrap()];
    for (columns, expected) in [
        (0, "draw  Draws 図 of all that there is to see\n"),
        (80, "draw  Draws 図 of all that there is to see\n"),
        (18, "draw  Draws 図 of…\n"),
        (14, "draw  Draws…\n"),
    ] {
        assert_eq!(tools(&all, false, false, columns), expected, "{columns}");
    }
}
