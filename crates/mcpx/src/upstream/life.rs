//! How a server wants to be spoken to: opened once (`initialize`), or asked afresh
//! each time (2026-07-28). Found out by trying, and remembered.

mod memory;

use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::peer::{About, Peer};
use super::{CallOptions, UpstreamError};

pub use memory::Memory;

/// The versions that are opened with `initialize`, newest first.
const OPENED: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// The version in which every request says everything.
const STATELESS: &str = "2026-07-28";
/// What a server answers to a version that it does not speak; it tells which it does.
const UNSUPPORTED_VERSION: i64 = -32022;
/// The log messages that are told.
const LOG_LEVEL: &str = "info";

/// What a server says about itself fits into this.
const LONGEST_ANSWER: usize = 4 << 20;

/// How a server is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Life {
    /// Opened once, with `initialize`.
    Opened {
        /// The version that was agreed on.
        protocol: String,
    },
    /// Every request says everything.
    Stateless {
        /// The version that requests are in.
        protocol: String,
    },
}

impl Life {
    /// The protocol version.
    pub fn protocol(&self) -> &str {
        match self {
            Life::Opened { protocol } | Life::Stateless { protocol } => protocol,
        }
    }
}

/// Opens with `initialize`; the peer lives [`Life::Opened`] after it.
pub async fn initialize(peer: &Peer, timeout: Duration) -> Result<About, UpstreamError> {
    peer.live(None);
    let params = json!({
        "protocolVersion": OPENED[0],
        "capabilities": {"elicitation": {}},
        "clientInfo": client_info(),
    });
    let answer = ask(peer, "initialize", &params, timeout).await?;
    // The first servers said no version at all.
    let protocol = answer["protocolVersion"].as_str().unwrap_or(OPENED[3]);
    if !OPENED.contains(&protocol) {
        return Err(UpstreamError::Protocol(format!(
            "it speaks MCP {protocol}, and mcpx speaks {} and {STATELESS}",
            OPENED.join(", ")
        )));
    }
    let about = about(&answer, protocol, &answer["serverInfo"]);
    peer.live(Some(Life::Opened {
        protocol: protocol.to_owned(),
    }));
    let told = peer.notify("notifications/initialized", RawValue::NULL);
    match tokio::time::timeout(timeout, told).await {
        Ok(told) => told.map(|()| about),
        Err(_) => Err(UpstreamError::Timeout {
            method: "notifications/initialized".to_owned(),
            after: timeout,
        }),
    }
}

/// Asks with `server/discover`; the peer lives [`Life::Stateless`] after it.
pub async fn discover(peer: &Peer, timeout: Duration) -> Result<About, UpstreamError> {
    peer.live(Some(Life::Stateless {
        protocol: STATELESS.to_owned(),
    }));
    let asked = Instant::now();
    let mut discovered = discovered(peer, timeout).await;
    if matches!(&discovered, Err(error) if offers_it_though(error)) {
        discovered = self::discovered(peer, timeout.saturating_sub(asked.elapsed())).await;
    }
    if discovered.is_err() {
        peer.live(None);
    }
    discovered
}

/// Asks a stateless server to tell when its tools change, on a link where what it says
/// comes in anyway. (A server that was opened tells it unasked.)
pub fn listen(peer: &Peer) {
    let params = r#"{"notifications":{"toolsListChanged":true}}"#.to_owned();
    if let Ok(params) = RawValue::from_string(params) {
        peer.mention("subscriptions/listen", &params);
    }
}

/// Whether a refusal of the version names that same version as one to try again with.
fn offers_it_though(error: &UpstreamError) -> bool {
    let UpstreamError::Rpc {
        code: UNSUPPORTED_VERSION,
        data: Some(data),
        ..
    } = error
    else {
        return false;
    };
    let data: Value = serde_json::from_str(data.get()).unwrap_or_default();
    let supported = data["supported"].as_array();
    supported.is_some_and(|all| all.iter().any(|version| version == STATELESS))
}

/// Asks a server that was opened for its log messages, which many tell only then.
pub async fn ask_for_logs(peer: &Peer, timeout: Duration) -> Result<(), UpstreamError> {
    let params = json!({"level": LOG_LEVEL});
    ask(peer, "logging/setLevel", &params, timeout)
        .await
        .map(|_| ())
}

async fn discovered(peer: &Peer, timeout: Duration) -> Result<About, UpstreamError> {
    let answer = ask(peer, "server/discover", &json!({}), timeout).await?;
    let offered = answer["supportedVersions"].as_array();
    if !offered.is_some_and(|offered| offered.iter().any(|version| version == STATELESS)) {
        return Err(UpstreamError::Protocol(format!(
            "it discovers itself without offering MCP {STATELESS}"
        )));
    }
    let info = &answer["_meta"]["io.modelcontextprotocol/serverInfo"];
    let info = if info.is_object() {
        info
    } else {
        &answer["serverInfo"]
    };
    Ok(about(&answer, STATELESS, info))
}

async fn ask(
    peer: &Peer,
    method: &str,
    params: &Value,
    timeout: Duration,
) -> Result<Value, UpstreamError> {
    let odd = || UpstreamError::Protocol(format!("the answer to {method} is no object"));
    let params = RawValue::from_string(params.to_string()).map_err(|_| odd())?;
    let options = CallOptions {
        timeout: Some(timeout),
        ..CallOptions::default()
    };
    let answer = peer.request(method, &params, options).await?;
    if answer.get().len() > LONGEST_ANSWER {
        let most = LONGEST_ANSWER >> 20;
        let reason = format!("the answer to {method} has more than {most} MiB");
        return Err(UpstreamError::Protocol(reason));
    }
    let answer: Value = serde_json::from_str(answer.get()).map_err(|_| odd())?;
    answer.is_object().then_some(answer).ok_or_else(odd)
}

fn about(answer: &Value, protocol: &str, info: &Value) -> About {
    let text = |value: &Value| {
        let text = value.as_str().filter(|text| !text.trim().is_empty());
        text.map(str::to_owned)
    };
    // Whoever declares nothing at all has forgotten to, and is asked.
    let declared = answer["capabilities"].as_object();
    let has_tools = declared.is_none_or(|all| all.is_empty() || all.contains_key("tools"));
    About {
        name: text(&info["name"]),
        version: text(&info["version"]),
        protocol: protocol.to_owned(),
        instructions: text(&answer["instructions"]),
        has_tools,
        tells_changes: answer["capabilities"]["tools"]["listChanged"] == true,
        tells_logs: declared.is_some_and(|all| all.contains_key("logging")),
        makes_tasks: answer["capabilities"]["tasks"]["requests"]["tools"]["call"].is_object(),
        reads_headers: false,
    }
}

fn client_info() -> Value {
    json!({"name": "mcpx", "version": env!("CARGO_PKG_VERSION")})
}

/// What a request says in its `_meta`, names and JSON: what its life asks for, whether
/// log messages are wanted, and a progress token if somebody listens.
pub(super) fn meta(
    life: Option<&Life>,
    token: Option<i64>,
    wants_logs: bool,
) -> Vec<(&'static str, String)> {
    let mut meta = Vec::new();
    if let Some(Life::Stateless { protocol }) = life {
        meta.push((
            "io.modelcontextprotocol/protocolVersion",
            json!(protocol).to_string(),
        ));
        // Declared for every call: where nobody can be asked, the question itself is
        // what the caller has to see.
        meta.push((
            "io.modelcontextprotocol/clientCapabilities",
            r#"{"elicitation":{"form":{}}}"#.to_owned(),
        ));
        meta.push((
            "io.modelcontextprotocol/clientInfo",
            client_info().to_string(),
        ));
        if wants_logs {
            meta.push((
                "io.modelcontextprotocol/logLevel",
                json!(LOG_LEVEL).to_string(),
            ));
        }
    }
    if let Some(token) = token {
        meta.push(("progressToken", token.to_string()));
    }
    meta
}
