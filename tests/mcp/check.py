"""PyPI `mcp`, unchanged, drives `porthole mcp` over stdio and a worker's `/mcp`, in both revisions.

Arguments: the command, the URL of `/mcp`, a page with a form.
"""

import asyncio
import os
import re
import sys

from mcp import Client, MCPError, StdioServerParameters

COMMAND, URL, SITE = sys.argv[1:]


def text(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


def reference(page, role):
    return re.search(rf"- {role} .*\[ref=(@e\d+)\]", page)[1]


async def work(name, server, mode, implied):
    async with Client(server, mode=mode) as client:
        assert len((await client.list_tools()).tools) == 21
        opened = await client.call_tool("browser_navigate", {"url": SITE})
        assert not opened.is_error, text(opened)
        handle = re.search(r"ses_[\w-]+", text(opened))[0]
        session = {} if implied else {"session": handle}

        async def call(tool, arguments, **options):
            return await client.call_tool(tool, {**arguments, **session}, **options)

        await call("browser_type", {"ref": reference(text(opened), "textbox"), "text": "Ada"})
        full = {"mode": "full", "interactiveOnly": False}
        clicked = await call("browser_click", {"ref": reference(text(opened), "button"), "snapshot": full})
        assert "Thank you, Ada" in text(clicked), text(clicked)
        picture = await call("browser_screenshot", {})
        assert [block.mime_type for block in picture.content if block.type == "image"], picture
        stale = await call("browser_click", {"ref": "@e999"})
        assert stale.is_error and "STALE_REF" in text(stale), text(stale)
        seen = []

        async def progressed(progress, total, message):
            seen.append(progress)

        waited = await call("browser_wait", {"ms": 1200}, progress_callback=progressed)
        assert not waited.is_error and seen == sorted(seen) and seen, (text(waited), seen)
        if not implied:
            unnamed = await client.call_tool("browser_snapshot", {})
            assert unnamed.is_error and "NO_PAGE" in text(unnamed), text(unnamed)
        closed = await call("browser_close", {})
        assert not closed.is_error, text(closed)
        try:
            await client.call_tool("browser_fly", {})
        except MCPError as error:
            assert error.error.code == -32602, error
        else:
            raise AssertionError("a tool that there isn't")
    print(f"{name}, {mode}: ok, {len(seen)} progress notifications")


async def main():
    stdio = StdioServerParameters(command=COMMAND, args=["mcp", "--own"], env=dict(os.environ))
    for mode in ["legacy", "2026-07-28"]:
        await work("stdio", stdio, mode, implied=True)
        await work("http", URL, mode, implied=mode == "legacy")


asyncio.run(main())
