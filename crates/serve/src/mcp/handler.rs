//! What the server answers to each request.

#![expect(
    deprecated,
    reason = "logging is deprecated from 2026-07-28 on, and the older versions have it"
)]

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use argway_core::manual;
use argway_core::output::Reply;
use argway_core::schema;
use rmcp::model::*;
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use super::page::page;
use super::report::Report;
use super::shelf::{GOAL, Shelf};
use super::{Phase, Server};
use crate::bridge::{CallError, Prepared};

/// How long a client may use a list without asking again, from 2026-07-28 on. It
/// hears of changes earlier if it listens.
const FRESH_MS: u64 = 60_000;

/// The level of `logging/setLevel`, for the versions that have it.
#[derive(Default)]
pub(super) struct Level(Mutex<Option<LoggingLevel>>);

impl Level {
    fn set(&self, level: LoggingLevel) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    fn get(&self) -> Option<LoggingLevel> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type Context = RequestContext<RoleServer>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let identity = &self.shared.identity;
        let served = self.served();
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new(&identity.name, &identity.version).with_title(&identity.title),
            )
            .with_instructions(manual::instructions(
                &served.bridge.catalog,
                served.bridge.settings.layout,
            ))
    }

    async fn discover(&self, _: Context) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_ttl_ms(FRESH_MS))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let served = self.once_read().await?;
        let tools = served.bridge.catalog.tools();
        let layout = served.bridge.settings.layout;
        let (tools, next_cursor) = page(
            cursor(&request),
            served.generation,
            tools.len(),
            self.shared.options.page,
            |index| schema::tool(&tools[index], layout),
        )?;
        let tools = tools.into_iter().map(tool).collect::<Result<_, _>>()?;
        let (ttl_ms, cache_scope) = freshness(&context);
        Ok(ListToolsResult {
            next_cursor,
            ttl_ms,
            cache_scope,
            ..ListToolsResult::with_all_items(tools)
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let served = self.served();
        let found = served.bridge.catalog.find(name)?;
        tool(schema::tool(found, served.bridge.settings.layout)).ok()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let served = self.once_read().await?;
        let arguments = request.arguments.unwrap_or_default();
        let prepared = match served.bridge.prepare(&request.name, &arguments) {
            Ok(prepared) => prepared,
            Err(error @ CallError::UnknownTool { .. }) => {
                return Err(ErrorData::invalid_params(error.to_string(), None));
            }
            Err(error) => return Ok(failed(&error.to_string()).into()),
        };
        let result = match self.run(&served.bridge, &prepared, &context).await {
            Ok(reply) => {
                self.tell_gaps(&reply);
                result(reply)
            }
            Err(error) => failed(&error.to_string()),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let served = self.once_read().await?;
        let all = served.shelf().resources();
        let (resources, next_cursor) = page(
            cursor(&request),
            served.generation,
            all.len(),
            self.shared.options.page,
            |index| all[index].clone(),
        )?;
        let (ttl_ms, cache_scope) = freshness(&context);
        Ok(ListResourcesResult {
            next_cursor,
            ttl_ms,
            cache_scope,
            ..ListResourcesResult::with_all_items(resources)
        })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let all = Shelf::templates();
        let limit = self.shared.options.page;
        let (templates, next_cursor) = page(cursor(&request), 0, all.len(), limit, |index| {
            all[index].clone()
        })?;
        let (ttl_ms, cache_scope) = freshness(&context);
        Ok(ListResourceTemplatesResult {
            next_cursor,
            ttl_ms,
            cache_scope,
            ..ListResourceTemplatesResult::with_all_items(templates)
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let served = self.once_read().await?;
        let text =
            (served.shelf().read(&request.uri, &served.bridge.catalog)).ok_or_else(|| {
                // rmcp gives this the code that the client's version has for it.
                let message = format!("no resource is at `{}`", request.uri);
                ErrorData::resource_not_found(message, Some(json!({ "uri": request.uri })))
            })?;
        let mut result = ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]);
        (result.ttl_ms, result.cache_scope) = freshness(&context);
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let served = self.once_read().await?;
        let all = served.shelf().prompts(&served.bridge.catalog);
        let (prompts, next_cursor) = page(
            cursor(&request),
            served.generation,
            all.len(),
            self.shared.options.page,
            |index| all[index].clone(),
        )?;
        let (ttl_ms, cache_scope) = freshness(&context);
        Ok(ListPromptsResult {
            next_cursor,
            ttl_ms,
            cache_scope,
            ..ListPromptsResult::with_all_items(prompts)
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let served = self.once_read().await?;
        let bridge = &served.bridge;
        let arguments = request.arguments.unwrap_or_default();
        let goal = arguments.get(GOAL).and_then(Value::as_str);
        let (tool, text) = (served.shelf())
            .prompt(&request.name, goal, &bridge.catalog, bridge.settings.layout)
            .ok_or_else(|| {
                let message = format!("no prompt is called `{}`", request.name);
                ErrorData::invalid_params(message, None)
            })?;
        let message = PromptMessage::new_text(Role::User, text);
        let summary = format!("Examples of `{}`", tool.command_line());
        Ok(GetPromptResult::new(vec![message])
            .with_description(summary)
            .into())
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.shared.level.set(request.level);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // What of it is not offered, rmcp takes away by the capabilities.
        let mut accepted = requested.clone();
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut generation = self.shared.generation.subscribe();
        let sink = subscription.sink();
        let wants = sink.accepted();
        loop {
            tokio::select! {
                changed = generation.changed() => if changed.is_err() { return Ok(()) },
                () = subscription.cancelled() => return Ok(()),
                () = self.reached(Phase::Closing) => return Ok(()),
            }
            // A failure here means that the client is gone, which ends the loop above.
            if wants.tools_list_changed == Some(true) {
                let _ = sink.notify_tool_list_changed().await;
            }
            if wants.prompts_list_changed == Some(true) {
                let _ = sink.notify_prompt_list_changed().await;
            }
            if wants.resources_list_changed == Some(true) {
                let _ = sink.notify_resource_list_changed().await;
            }
        }
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: Context,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Context,
    ) -> Result<CustomResult, ErrorData> {
        // A known method arrives here when its parameters have the wrong shape.
        if KNOWN_METHODS.contains(&request.method.as_str()) {
            let message = format!(
                "the parameters of `{}` have the wrong shape",
                request.method
            );
            return Err(ErrorData::invalid_params(message, None));
        }
        let message = format!("no method is called `{}`", request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }
}

const KNOWN_METHODS: [&str; 10] = [
    "initialize",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "logging/setLevel",
    "subscriptions/listen",
];

impl Server {
    /// Runs a call in its turn, telling the client what it asked to hear.
    async fn run(
        &self,
        bridge: &crate::bridge::Bridge,
        prepared: &Prepared,
        context: &Context,
    ) -> Result<Reply, CallError> {
        let stop = async {
            tokio::select! {
                () = context.ct.cancelled() => {}
                () = self.reached(Phase::Over) => {}
            }
        };
        tokio::pin!(stop);
        let _slot = tokio::select! {
            slot = self.shared.slots.acquire() => slot.ok(),
            () = &mut stop => return Err(CallError::Cancelled),
        };
        let level = if is_modern(context) {
            context.meta.log_level()
        } else {
            self.shared.level.get()
        };
        let token = context.meta.get_progress_token();
        let report = Report::new(context.peer.clone(), &prepared.tool, token, level);
        if !report.is_wanted() {
            return bridge.run(prepared, stop, &mut |_| {}).await;
        }
        let mut note = |event| report.note(event);
        let run = async {
            let reply = bridge.run(prepared, stop, &mut note).await;
            report.end();
            reply
        };
        let (reply, ()) = tokio::join!(run, report.tell());
        reply
    }

    /// Says once to whoever runs the server what the sandbox does not hold here.
    fn tell_gaps(&self, reply: &Reply) {
        if reply.gaps.is_empty() || self.shared.told_gaps.swap(true, Ordering::Relaxed) {
            return;
        }
        let gaps = reply.gaps.join("; ");
        let text = format!("not held by the sandbox of calls: {gaps}");
        self.shared.options.operator.tell(&text);
    }
}

fn is_modern(context: &Context) -> bool {
    (context.protocol_version()).is_some_and(|version| !version.has_initialize())
}

fn freshness(context: &Context) -> (Option<u64>, Option<CacheScope>) {
    if is_modern(context) {
        (Some(FRESH_MS), Some(CacheScope::Private))
    } else {
        (None, None)
    }
}

fn cursor(request: &Option<PaginatedRequestParams>) -> Option<&str> {
    request.as_ref()?.cursor.as_deref()
}

fn tool(object: Value) -> Result<Tool, ErrorData> {
    serde_json::from_value(object)
        .map_err(|error| ErrorData::internal_error(format!("a tool's schema: {error}"), None))
}

fn result(reply: Reply) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text)]);
    result.structured_content = Some(reply.structured);
    result.is_error = Some(reply.is_error);
    result.meta = match reply.meta {
        Some(Value::Object(meta)) => Some(MetaObject(meta)),
        _ => None,
    };
    result
}

fn failed(why: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}
