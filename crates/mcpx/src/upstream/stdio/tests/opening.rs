//! How a server is started, and which life it turns out to have.

use super::*;

#[tokio::test]
async fn a_server_is_opened_and_answers() {
    let scene = Scene::new(&[]);
    let connection = scene.open().await;
    let about = connection.about().clone();
    assert_eq!(about.name.as_deref(), Some("fake-mcp"));
    assert_eq!(about.version.as_deref(), Some("1.2.3"));
    assert_eq!(about.instructions.as_deref(), Some("Use `add` to add."));
    assert_eq!(about.protocol, "2025-11-25");
    assert!(about.has_tools && connection.is_alive());
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    assert_eq!(
        connection.pid().map(|pid| pid.to_string()),
        scene.pids().first().cloned()
    );
    assert_eq!(
        scene.methods(),
        ["initialize", "notifications/initialized", "tools/call"]
    );
}

#[tokio::test]
async fn every_version_that_is_opened_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let connection = Scene::new(&["--protocol", version]).open().await;
        assert_eq!(connection.about().protocol, version);
        assert_eq!(text(&connection, "echo", json!({"text": "hi"})).await, "hi");
    }
}

#[tokio::test]
async fn a_version_that_is_not_known_is_an_error_that_names_it() {
    let error = Scene::new(&["--protocol", "1999-01-01"])
        .fails_to_open()
        .await;
    assert!(matches!(error, UpstreamError::Protocol(_)), "{error:?}");
    assert!(error.to_string().contains("1999-01-01"), "{error}");
}

#[tokio::test]
async fn banners_returns_and_marks_on_stdout_are_no_obstacle() {
    let scene = Scene::new(&["--banner", "--crlf"]);
    let connection = scene.open().await;
    assert_eq!(text(&connection, "echo", json!({"text": "hi"})).await, "hi");
    let log = fs::read_to_string(&scene.target.log).unwrap();
    assert!(log.contains("fake-mcp is listening"), "{log}");
    let connection = Scene::new(&["--bom"]).open().await;
    assert_eq!(text(&connection, "echo", json!({"text": "hi"})).await, "hi");
}

#[tokio::test]
async fn a_server_without_initialize_is_discovered_and_remembered() {
    let scene = Scene::new(&["--era", "modern-only"]);
    let connection = scene.open().await;
    assert_eq!(connection.about().protocol, "2026-07-28");
    assert_eq!(connection.about().name.as_deref(), Some("fake-mcp"));
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    assert_eq!(scene.pids().len(), 1);
    connection.close().await;
    let before = scene.methods().len();
    let connection = scene.open().await;
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    let methods = &scene.methods()[before..];
    assert_eq!(methods.first().map(String::as_str), Some("server/discover"));
    assert!(!methods.contains(&"initialize".to_owned()), "{methods:?}");
}

#[tokio::test]
async fn a_server_that_ends_with_its_refusal_is_started_again() {
    let scene = Scene::new(&["--era", "modern-only", "--exit-on-initialize"]);
    let connection = scene.open().await;
    assert_eq!(text(&connection, "add", json!({"a": 1, "b": 2})).await, "3");
    assert_eq!(scene.pids().len(), 2);
}

#[tokio::test]
async fn a_remembered_life_that_fails_is_searched_anew() {
    for flags in [&["--exit-on-discover"][..], &["--era", "legacy"]] {
        let scene = Scene::new(flags);
        let life = Life::Stateless {
            protocol: "2026-07-28".to_owned(),
        };
        let key = Memory::key(&scene.target.endpoint);
        scene.memory.learn(&key, &life);
        let connection = scene.open().await;
        assert_eq!(connection.about().protocol, "2025-11-25");
        assert!(matches!(
            scene.memory.recall(&key),
            Some(Life::Opened { .. })
        ));
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up_and_ended() {
    let mut scene = Scene::new(&["--never-initialize"]);
    scene.target.connect_timeout = Duration::from_millis(300);
    let error = scene.fails_to_open().await;
    assert_eq!(error.to_string(), "no answer to initialize within 0.3 s");
    scene.leaves_nothing().await;
}

#[tokio::test]
async fn a_server_that_takes_its_time_is_waited_for() {
    let scene = Scene::new(&["--slow-initialize", "500"]);
    let connection = scene.open().await;
    assert_eq!(text(&connection, "echo", json!({"text": "hi"})).await, "hi");
}

#[tokio::test]
async fn a_server_that_ends_at_once_says_why() {
    let scene = Scene::new(&["--fail-to-start", "7"]);
    match scene.fails_to_open().await {
        UpstreamError::Start { reason, stderr } => {
            assert!(
                reason.ends_with("fake-mcp ended with exit code 7 before it was ready"),
                "{reason}"
            );
            assert_eq!(stderr, "fake-mcp: there is no database here");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    for (program, expected) in [
        (folder.path().join("missing"), "there is no program"),
        (file("plain", "text", 0o644), "is not an executable file"),
        (
            file("script", "#!/no/such/interpreter\n", 0o755),
            "the interpreter that its first line names",
        ),
    ] {
        let error = Scene::of(&program, &[]).fails_to_open().await;
        assert!(matches!(error, UpstreamError::Start { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(
            error.to_string().contains(program.to_str().unwrap()),
            "{error}"
        );
    }
    let scene = Scene::new(&[]);
    fs::remove_dir_all(scene.folder.path()).unwrap();
    let error = scene.fails_to_open().await;
    assert!(error.to_string().contains("no such folder"), "{error}");
}

#[tokio::test]
async fn a_server_gets_its_words_its_folder_and_only_its_variables() {
    let scene = Scene::new(&["--", "two words", "$HOME", ""]);
    let connection = scene.open().await;
    let folder = scene.folder.path().canonicalize().unwrap();
    assert_eq!(
        text(&connection, "cwd", json!({})).await,
        folder.to_str().unwrap()
    );
    assert_eq!(
        text(&connection, "args", json!({})).await,
        r#"["--","two words","$HOME",""]"#
    );
    let path = text(&connection, "env", json!({"name": "PATH"})).await;
    assert_eq!(path, "/usr/local/bin:/usr/bin:/bin");
    let cargo = text(&connection, "env", json!({"name": "CARGO_MANIFEST_DIR"})).await;
    assert_eq!(cargo, "not set");
}
