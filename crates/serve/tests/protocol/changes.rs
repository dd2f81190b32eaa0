//! Programs that change while they are served, or are read for the first time.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

use argway_core::catalog::Catalog;
use argway_serve::mcp::Refresh;
use serde_json::json;

use crate::every_version;
use crate::talk::{NEWEST, World};

#[tokio::test]
async fn a_client_hears_when_a_served_program_changes() {
    for version in every_version() {
        let world = World::new();
        let mut talk = world.talk_with(2, Some(Box::new(Watched::new(&world))));
        talk.open(version).await;
        let first = talk.result("tools/list", json!({})).await;
        if version == NEWEST {
            let wanted = json!({"toolsListChanged": true, "resourcesListChanged": true});
            talk.ask("subscriptions/listen", json!({"notifications": wanted}))
                .await;
            let heard = talk
                .notification("notifications/subscriptions/acknowledged")
                .await;
            assert_eq!(heard["params"]["notifications"], wanted);
        }
        let ticker = world.ticker();
        std::fs::remove_file(&ticker).expect("the old program goes");
        std::fs::copy("/bin/true", &ticker).expect("a new one comes");
        talk.notification("notifications/tools/list_changed").await;
        talk.notification("notifications/resources/list_changed")
            .await;
        // A cursor of the old list does not hold for the new one.
        let error = talk
            .error("tools/list", json!({"cursor": first["nextCursor"]}))
            .await;
        assert_eq!(error["code"], -32602);
        let result = talk.call("ticker_echo", json!({"word": ["x"]})).await;
        assert_eq!(result["structuredContent"]["stdout"], "");
        talk.leave().await;
    }
}

#[tokio::test]
async fn a_client_can_open_while_the_program_is_still_read() {
    let world = World::new();
    for version in every_version() {
        let (go, wait) = std::sync::mpsc::channel();
        let slow = Slow {
            wait,
            catalog: Some(world.catalog()),
        };
        let mut talk = world.talk_unread(Some(Box::new(slow)));
        talk.open(version).await;
        let list = talk.ask("tools/list", json!({})).await;
        let call = json!({"name": "ticker_echo", "arguments": {"word": ["x"]}});
        let call = talk.ask("tools/call", call).await;
        assert_eq!(talk.error("no/such", json!({})).await["code"], -32601);
        go.send(()).expect("the reading goes on");
        let list = talk.answer(list).await;
        assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(5));
        let call = talk.answer(call).await;
        assert_eq!(call["result"]["structuredContent"]["stdout"], "x\n");
        talk.leave().await;
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_read_is_told_to_who_asks() {
    let world = World::new();
    let (go, wait) = std::sync::mpsc::channel();
    go.send(()).expect("no waiting");
    let never = Slow {
        wait,
        catalog: None,
    };
    for refresh in [Some(Box::new(never) as Box<dyn Refresh>), None] {
        let mut talk = world.talk_unread(refresh);
        talk.open("2025-11-25").await;
        let error = talk.error("tools/list", json!({})).await;
        assert_eq!(error["code"], -32603);
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|why| why.contains("read"))
        );
        talk.leave().await;
    }
}

/// Reads when it is told to.
struct Slow {
    wait: std::sync::mpsc::Receiver<()>,
    catalog: Option<Arc<Catalog>>,
}

impl Refresh for Slow {
    fn changed(&mut self) -> bool {
        false
    }

    fn read(&mut self) -> Result<Arc<Catalog>, String> {
        self.wait.recv().expect("a word to go on");
        self.catalog
            .take()
            .ok_or("it has no help to be read".to_owned())
    }
}

/// Sees that the program's file is another.
struct Watched {
    file: PathBuf,
    seen: Option<(u64, u64)>,
    catalog: Arc<Catalog>,
}

impl Watched {
    fn new(world: &World) -> Self {
        let file = world.ticker();
        let seen = identity(&file);
        Self {
            file,
            seen,
            catalog: world.catalog(),
        }
    }
}

fn identity(file: &PathBuf) -> Option<(u64, u64)> {
    std::fs::metadata(file)
        .ok()
        .map(|file| (file.ino(), file.len()))
}

impl Refresh for Watched {
    fn changed(&mut self) -> bool {
        let now = identity(&self.file);
        now.is_some() && now != self.seen
    }

    fn read(&mut self) -> Result<Arc<Catalog>, String> {
        self.seen = identity(&self.file);
        Ok(Arc::clone(&self.catalog))
    }
}
