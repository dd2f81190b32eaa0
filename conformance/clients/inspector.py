"""Uses a server through MCP Inspector's command line, in both lives of the protocol.

    inspector.py INSPECTOR PLAN.json -- SERVER [WORD...]

INSPECTOR is the command line that starts it, split at spaces. The plan is the same
as python_client.py's.
"""

import json
import os
import subprocess
import sys
import tempfile

at = sys.argv.index("--")
inspector, server = sys.argv[1].split(" "), sys.argv[at + 1 :]
with open(sys.argv[2]) as file:
    plan = json.load(file)


def inspect(era, *words):
    # It keeps settings in HOME, which are not ours to change.
    with tempfile.TemporaryDirectory() as home:
        eras = ["--protocol-era", era]
        options = ["--connect-timeout", "60000", "--format", "json"]
        command = [*inspector, "--cli", *server, *words, *eras, *options]
        run = subprocess.run(
            command,
            env={**os.environ, "HOME": home},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
    return run


def answer(era, *words):
    run = inspect(era, *words)
    if run.returncode != 0:
        raise AssertionError(f"inspector {words}: exit {run.returncode}\n{run.stdout}{run.stderr}")
    said = json.loads(run.stdout)
    return said.get("result", said)


def check(true, what):
    if not true:
        raise AssertionError(what)
    print(f"  ok: {what}")


for era in ("legacy", "modern"):
    print(f"MCP Inspector, {era}")
    tools = answer(era, "--method", "tools/list")["tools"]
    call = plan["call"]
    check(any(tool["name"] == call["tool"] for tool in tools), f"{len(tools)} tools are listed")

    words = []
    for name, value in call["arguments"].items():
        value = value if isinstance(value, str) else json.dumps(value)
        words += ["--tool-arg", f"{name}={value}"]
    result = answer(era, "--method", "tools/call", "--tool-name", call["tool"], *words)
    check(not result.get("isError"), f"{call['tool']} runs")
    check(call.get("says", "") in result["content"][0]["text"], "and says what it should")
    check("exitCode" in result["structuredContent"], "with a structured result")

    resources = answer(era, "--method", "resources/list")["resources"]
    page = answer(era, "--method", "resources/read", "--uri", resources[0]["uri"])
    check(page["contents"][0]["text"], f"{resources[0]['uri']} can be read")
    prompts = answer(era, "--method", "prompts/list")["prompts"]
    if prompts:
        prompt = answer(era, "--method", "prompts/get", "--prompt-name", prompts[0]["name"])
        check(prompt["messages"], f"prompt {prompts[0]['name']}, one of {len(prompts)}")
