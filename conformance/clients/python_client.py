"""Uses a server through the official Python SDK, in both lives of the protocol.

    python_client.py PLAN.json -- SERVER [WORD...]

The plan names one call to make and, where the program has something slow, what to
watch and what to cancel. Ends non-zero at the first thing that is not as declared.
"""

import json
import os
import sys
import time

import anyio
import jsonschema
from mcp import Client, MCPError, StdioServerParameters


def check(true, what):
    if not true:
        raise AssertionError(what)
    print(f"  ok: {what}")


async def everything(lister, field):
    """All entries of a list, whatever number of pages it comes in."""
    entries, cursor = [], None
    while True:
        page = await lister(cursor=cursor)
        entries += getattr(page, field)
        cursor = page.next_cursor
        if cursor is None:
            return entries


async def use(plan, words, mode):
    logged = []

    async def on_log(message):
        logged.append(message.data)

    server = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))
    async with Client(server, mode=mode, logging_callback=on_log, log_level="warning") as client:
        print(f"Python SDK, {client.protocol_version}")
        check(client.instructions, "there are instructions")

        tools = {tool.name: tool for tool in await everything(client.list_tools, "tools")}
        check(tools, f"{len(tools)} tools are listed")
        for tool in tools.values():
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            if tool.output_schema is not None:
                jsonschema.Draft202012Validator.check_schema(tool.output_schema)
            hints = tool.annotations
            check_quietly(hints is not None and hints.read_only_hint is not None, f"{tool.name} has hints")
        check(True, "every schema is one, every tool has its hints")

        call = plan["call"]
        tool = tools[call["tool"]]
        jsonschema.validate(call["arguments"], tool.input_schema)
        result = await client.call_tool(tool.name, call["arguments"])
        check(not result.is_error, f"{tool.name} runs: {result.content[0].text[:60]!r}")
        check(call.get("says", "") in result.content[0].text, "and says what it should")
        jsonschema.validate(result.structured_content, tool.output_schema)
        check(True, "its structured result is as declared")

        result = await client.call_tool(tool.name, {**call["arguments"], "no_such_flag": 1})
        check(result.is_error and "no_such_flag" in result.content[0].text, "a wrong argument is told to the model")
        try:
            await client.call_tool("no such tool", {})
            check(False, "an unknown tool is an error")
        except MCPError as error:
            check(error.code == -32602, "an unknown tool is -32602")

        resources = await everything(client.list_resources, "resources")
        page = await client.read_resource(resources[0].uri)
        check(page.contents[0].text, f"{resources[0].uri} can be read, one of {len(resources)}")
        try:
            await client.read_resource("argway://nowhere/help")
            check(False, "an unknown resource is an error")
        except MCPError as error:
            check(error.code in (-32002, -32602), "an unknown resource is an error")

        prompts = await everything(client.list_prompts, "prompts")
        if prompts:
            prompt = await client.get_prompt(prompts[0].name, {"goal": "something"})
            check("something" in prompt.messages[0].content.text, f"prompt {prompts[0].name}, one of {len(prompts)}")

        if "progress" in plan:
            await progress(client, plan["progress"], logged, mode)
        if "cancel" in plan:
            await cancel(client, plan["cancel"])
    check(True, "the server ends when it is left")


def check_quietly(true, what):
    if not true:
        raise AssertionError(what)


async def progress(client, call, logged, mode):
    if mode == "legacy":
        await client.session.set_logging_level("warning")
    heard = []

    async def on_progress(progress, total, message):
        heard.append(progress)

    await client.call_tool(call["tool"], call["arguments"], progress_callback=on_progress)
    check(len(heard) >= 2, f"progress is told while it runs: {heard}")
    check(all(a < b for a, b in zip(heard, heard[1:])), "and only grows")
    check(any("tock" in str(line) for line in logged), f"stderr is logged: {logged[:2]}")


async def cancel(client, call):
    if os.path.exists(call["file"]):
        os.remove(call["file"])
    with anyio.move_on_after(60) as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, call["tool"], call["arguments"])
            while not os.path.exists(call["file"]):
                await anyio.sleep(0.02)
            group.cancel_scope.cancel()
    check(not scope.cancelled_caught, "a call can be taken back")
    with open(call["file"]) as file:
        processes = [int(number) for number in file.read().split()]
    deadline = time.monotonic() + 15
    while any(running(process) for process in processes):
        check_quietly(time.monotonic() < deadline, f"its processes {processes} are ended")
        await anyio.sleep(0.05)
    check(True, "and its processes are ended")


def running(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def main():
    at = sys.argv.index("--")
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    for mode in ("legacy", "auto"):
        anyio.run(use, plan, sys.argv[at + 1 :], mode)


main()
