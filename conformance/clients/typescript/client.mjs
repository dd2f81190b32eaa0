// Uses a server through the official TypeScript SDK: version 1 (`initialize`), and
// version 2 in both lives of the protocol.
//
//     client.mjs PLAN.json -- SERVER [WORD...]
//
// The plan is the same as python_client.py's. Ends non-zero at the first thing that
// is not as declared.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import * as v1 from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import * as v2 from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import Ajv2020 from "ajv/dist/2020.js";

const LEVEL = "io.modelcontextprotocol/logLevel";

function check(true_, what) {
  if (!true_) throw new Error(what);
  console.log(`  ok: ${what}`);
}

const lives = [
  { name: "TypeScript SDK 1", Client: v1.Client, Stdio: Stdio1, old: true },
  { name: "TypeScript SDK 2", Client: v2.Client, Stdio: Stdio2, mode: "legacy" },
  { name: "TypeScript SDK 2", Client: v2.Client, Stdio: Stdio2, mode: { pin: "2026-07-28" } },
  { name: "TypeScript SDK 2, probing", Client: v2.Client, Stdio: Stdio2, mode: "auto" },
];

async function everything(list, field) {
  const entries = [];
  let cursor;
  do {
    const page = await list(cursor ? { cursor } : undefined);
    entries.push(...page[field]);
    cursor = page.nextCursor;
  } while (cursor);
  return entries;
}

async function fails(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return undefined;
}

async function use(life, plan, [command, ...args]) {
  const options = life.old ? {} : { versionNegotiation: { mode: life.mode } };
  const client = new life.Client({ name: "argway-tests", version: "1" }, options);
  const transport = new life.Stdio({ command, args, env: process.env, stderr: "inherit" });
  await client.connect(transport);
  const version = life.old ? transport._protocolVersion : client.getNegotiatedProtocolVersion();
  console.log(`${life.name}, ${version ?? "initialize"}`);
  const modern = version === "2026-07-28";
  const call = (params, options) =>
    life.old ? client.callTool(params, undefined, options) : client.callTool(params, options);

  check(client.getInstructions(), "there are instructions");
  const tools = await everything((params) => client.listTools(params), "tools");
  check(tools.length > 0, `${tools.length} tools are listed`);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const tool of tools) {
    ajv.compile(tool.inputSchema);
    if (tool.outputSchema) ajv.compile(tool.outputSchema);
    if (typeof tool.annotations?.readOnlyHint !== "boolean") throw new Error(`${tool.name} has no hints`);
  }
  check(true, "every schema is one, every tool has its hints");

  const tool = tools.find((tool) => tool.name === plan.call.tool);
  check(ajv.validate(tool.inputSchema, plan.call.arguments), "the call fits the schema");
  const result = await call({ name: tool.name, arguments: plan.call.arguments });
  check(!result.isError, `${tool.name} runs: ${JSON.stringify(result.content[0].text.slice(0, 60))}`);
  check(result.content[0].text.includes(plan.call.says ?? ""), "and says what it should");
  check(ajv.validate(tool.outputSchema, result.structuredContent), "its structured result is as declared");

  const wrong = await call({ name: tool.name, arguments: { ...plan.call.arguments, no_such_flag: 1 } });
  check(wrong.isError && wrong.content[0].text.includes("no_such_flag"), "a wrong argument is told to the model");
  check((await fails(call({ name: "no such tool", arguments: {} })))?.code === -32602, "an unknown tool is -32602");

  const resources = await everything((params) => client.listResources(params), "resources");
  const page = await client.readResource({ uri: resources[0].uri });
  check(page.contents[0].text, `${resources[0].uri} can be read, one of ${resources.length}`);
  check(await fails(client.readResource({ uri: "argway://nowhere/help" })), "an unknown resource is an error");

  const prompts = await everything((params) => client.listPrompts(params), "prompts");
  if (prompts.length > 0) {
    const prompt = await client.getPrompt({ name: prompts[0].name, arguments: { goal: "something" } });
    check(prompt.messages[0].content.text.includes("something"), `prompt ${prompts[0].name}, one of ${prompts.length}`);
  }

  if (plan.progress) {
    const logged = [];
    const onLog = (message) => logged.push(String(message.params.data));
    client.setNotificationHandler(life.old ? LoggingMessageNotificationSchema : "notifications/message", onLog);
    if (!modern) await client.setLoggingLevel("warning");
    const heard = [];
    const params = { name: plan.progress.tool, arguments: plan.progress.arguments };
    if (modern) params._meta = { [LEVEL]: "warning" };
    await call(params, { onprogress: ({ progress }) => heard.push(progress) });
    check(heard.length >= 2, `progress is told while it runs: ${heard}`);
    check(heard.every((value, at) => at === 0 || heard[at - 1] < value), "and only grows");
    check(logged.some((line) => line.includes("tock")), `stderr is logged: ${logged.slice(0, 2)}`);
  }

  if (plan.cancel) {
    const { file } = plan.cancel;
    rmSync(file, { force: true });
    const abort = new AbortController();
    const calling = fails(
      call({ name: plan.cancel.tool, arguments: plan.cancel.arguments }, { signal: abort.signal }),
    );
    await soon(() => existsSync(file), "it starts");
    abort.abort("enough");
    check(await calling, "a call can be taken back");
    const processes = readFileSync(file, "utf8").trim().split(" ");
    await soon(() => !processes.some(running), `its processes ${processes} are ended`);
    check(true, "and its processes are ended");
  }

  await client.close();
  check(true, "the server ends when it is left");
}

async function soon(condition, what) {
  const deadline = Date.now() + 15_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(what);
    await sleep(20);
  }
}

function running(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2)[0] !== "Z";
  } catch {
    return false;
  }
}

const at = process.argv.indexOf("--");
const plan = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const life of lives) await use(life, plan, process.argv.slice(at + 1));
