//! A call that is a task. Of late the server decides that, and is asked after it until
//! it is finished; in 2025-11-25 the client asks for one, where a tool demands it, and
//! then for its result.

use std::collections::BTreeSet;
use std::time::Duration;

use argway_core::sources::tool::ToolSpec;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::Terminal;
use super::rounds::Conversation;
use crate::daemon::pool::Wire;
use crate::daemon::session::Stop;
use crate::exit::Failure;
use crate::harmless;
use crate::upstream::UpstreamError;

/// How often a task is asked after, whatever the server suggests.
const SOONEST: Duration = Duration::from_millis(50);
const USUAL: Duration = Duration::from_secs(1);
const LATEST: Duration = Duration::from_secs(10);

/// What a server says of a task.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    task_id: String,
    status: String,
    status_message: Option<String>,
    poll_interval_ms: Option<u64>,
    input_requests: Option<Map<String, Value>>,
    result: Option<Box<RawValue>>,
    error: Option<RpcError>,
}

#[derive(Deserialize)]
struct RpcError {
    code: Option<i64>,
    message: Option<String>,
    data: Option<Box<RawValue>>,
}

/// Whether a tool can only be called as a task that the client asks for.
pub fn demanded(tool: &ToolSpec) -> bool {
    #[derive(Deserialize)]
    struct Tool {
        execution: Execution,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Execution {
        task_support: String,
    }
    let tool = serde_json::from_str::<Tool>(tool.raw.get());
    tool.is_ok_and(|tool| tool.execution.task_support == "required")
}

/// The result of the task that was asked for, when it has one: the server answers when
/// it is finished, and asks meanwhile what it asks. Nothing if it made no task of it.
pub async fn awaited<T: Terminal, W: Wire>(
    conversation: &mut Conversation<'_, T, W>,
    created: &RawValue,
) -> Option<Result<Box<RawValue>, Stop>> {
    #[derive(Deserialize)]
    struct Created {
        task: Named,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Named {
        task_id: String,
    }
    let Created { task } = serde_json::from_str(created.get()).ok()?;
    let id = to_raw_value(&json!({"taskId": task.task_id})).ok()?;
    let result = conversation.request("tasks/result", &id).await;
    if let Err(Stop::Gone | Stop::Failure(Failure::Upstream { .. })) = &result {
        conversation.dismiss("tasks/cancel", &id).await;
    }
    Some(result)
}

/// The result of the task that `created` tells of, when it has one. A task that is not
/// waited for any more is cancelled.
pub async fn finished<T: Terminal, W: Wire>(
    conversation: &mut Conversation<'_, T, W>,
    created: &RawValue,
) -> Result<Box<RawValue>, Stop> {
    let task = read(conversation, created)?;
    let id = json!({"taskId": task.task_id});
    let id = to_raw_value(&id).map_err(|error| conversation.no_mcp(error))?;
    let result = followed(conversation, task, &id).await;
    if let Err(Stop::Gone | Stop::Failure(Failure::Upstream { .. })) = &result {
        conversation.dismiss("tasks/cancel", &id).await;
    }
    result
}

async fn followed<T: Terminal, W: Wire>(
    conversation: &mut Conversation<'_, T, W>,
    mut task: Task,
    id: &RawValue,
) -> Result<Box<RawValue>, Stop> {
    let timeout = conversation.call.timeout();
    let mut deadline = crate::upstream::deadline(timeout);
    let mut answered = BTreeSet::new();
    loop {
        match task.status.as_str() {
            "completed" => {
                let none = "its task is completed and has no result";
                return task.result.ok_or_else(|| conversation.no_mcp(none));
            }
            "failed" => {
                let error = task.error.unwrap_or(RpcError {
                    code: None,
                    message: task.status_message,
                    data: None,
                });
                return Err(Stop::Failure(Failure::Upstream {
                    server: conversation.call.target.name.clone(),
                    source: UpstreamError::Rpc {
                        code: error.code.unwrap_or(-32603),
                        message: error.message.unwrap_or_else(|| "its task failed".into()),
                        data: error.data,
                    },
                }));
            }
            "cancelled" => {
                let why = task
                    .status_message
                    .as_deref()
                    .unwrap_or("the task was cancelled");
                return Err(Failure::Tool(harmless::text_within(why, 4_000)).into());
            }
            "input_required" => {
                let before = Instant::now();
                let mut requests = task.input_requests.take().unwrap_or_default();
                // It may not have read the last answers yet.
                requests.retain(|key, _| answered.insert(key.clone()));
                let responses = conversation.responses(requests).await?;
                deadline += before.elapsed();
                if !responses.is_empty() {
                    let update = json!({"taskId": task.task_id, "inputResponses": responses});
                    let update = to_raw_value(&update);
                    let update = update.map_err(|error| conversation.no_mcp(error))?;
                    conversation.request("tasks/update", &update).await?;
                }
            }
            // `working`, and whatever else may come before an end.
            _ => {
                if let Some(message) = &task.status_message {
                    conversation.line.set(None, None, Some(message));
                    let drawn = conversation.line.draw();
                    conversation.terminal.stderr(&drawn).await?;
                }
            }
        }
        if Instant::now() >= deadline {
            return Err(Stop::Failure(Failure::Upstream {
                server: conversation.call.target.name.clone(),
                source: UpstreamError::Timeout {
                    method: "tools/call".into(),
                    after: timeout,
                },
            }));
        }
        let pause = task.poll_interval_ms.map(Duration::from_millis);
        conversation
            .pause(pause.unwrap_or(USUAL).clamp(SOONEST, LATEST))
            .await?;
        let answer = conversation.request("tasks/get", id).await?;
        task = read(conversation, &answer)?;
    }
}

fn read<T: Terminal, W: Wire>(
    conversation: &Conversation<'_, T, W>,
    task: &RawValue,
) -> Result<Task, Stop> {
    serde_json::from_str(task.get())
        .map_err(|error| conversation.no_mcp(format!("its task cannot be read: {error}")))
}
