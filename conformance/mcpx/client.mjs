// Does with mcpx what a client scenario of the conformance suite asks a client to do.
//
//     node client.mjs MCPX URL
//
// The suite appends the URL of the scenario's server, and names the scenario in
// MCP_CONFORMANCE_SCENARIO; MCP_CONFORMANCE_CONTEXT has the calls of those scenarios
// that say which. Everything goes through mcpx's command line: what it lists, what it
// prints, how it exits. The server is configured, so that mcpx lets it go soon after:
// the suite waits until nobody is connected.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

const [mcpx, url] = process.argv.slice(2);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT || '{}');

const folder = `${process.env.XDG_CONFIG_HOME}/mcpx`;
mkdirSync(folder, { recursive: true });
const settings = `[servers.suite]\nurl = ${JSON.stringify(url)}\nkeepalive = "1s"\ntimeout = "20s"\n`;
writeFileSync(`${folder}/config.toml`, settings);

/** What `mcpx suite words…` prints; ends this client as mcpx ended if that failed. */
function run(...words) {
  const { status, stdout, error } = spawnSync(mcpx, ['suite', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (error) throw error;
  process.stdout.write(`mcpx ${words.join(' ')}: exit ${status}\n${stdout}\n`);
  if (status !== 0) process.exit(status ?? 1);
  return stdout;
}

const list = () => JSON.parse(run('-v', '--json'));
const call = (tool, args, ...words) => run(tool, JSON.stringify(args), ...words);

/** A value for every parameter that a tool must have. */
function made_up(tool) {
  const values = { integer: 2, number: 2.5, boolean: true, array: [], object: {}, null: null };
  const { properties = {}, required = [] } = tool.inputSchema ?? {};
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type] ?? 'a']));
}

const scenarios = {
  // Its server has the tool, but does not know `tools/call`.
  'json-schema-ref-no-deref': () => list().forEach((tool) => run(tool.name, '--help')),
  'elicitation-sep1034-client-defaults': () =>
    list().forEach((tool) => call(tool.name, {}, '--answer=accept')),
  'sep-2322-client-request-state': () => {
    call('test_mrtr_echo_state', {}, '--answer=confirmed=true');
    call('test_mrtr_unrelated', {});
    call('test_mrtr_no_state', {}, '--answer=confirmed=true');
    call('test_mrtr_no_result_type', {});
  },
  'json-schema-2020-12-preservation': () => {
    const tool = list().find((tool) => tool.name === 'json_schema_2020_12_tool');
    call('json_schema_echo', { schema: tool.inputSchema });
  },
};

function otherwise() {
  const tools = list();
  if (context.toolCalls) return context.toolCalls.forEach((one) => call(one.name, one.arguments));
  tools.forEach((tool) => call(tool.name, made_up(tool)));
}

(scenarios[scenario] ?? otherwise)();
