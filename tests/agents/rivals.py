"""Other agents' browsers, driven over their own protocols, with the methods of `Agent`.

Each reads its own snapshots into lines of our grammar, so that the strategies see the same shape. What a browser offers
no tool for (a selector, a box, an extraction) raises `Unsupported`.
"""

import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time

from agent import CallFailed, Tree

# Chromium knocks on its maker's hosts otherwise; as root it needs the first one.
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
ANSWER_TIMEOUT_S = 60


class Unsupported(Exception):
    """The browser has no tool for that."""


class Rival:
    """What a strategy may call. `snapshot_bytes` and `click_ms` are measured as for `Agent`."""

    def __init__(self):
        self.calls = 0
        self.measured = []  # route, ms, bytes of the snapshot or None
        self.session = None
        self.log = None

    # What each of them does in its own way.

    def open(self, url):
        raise NotImplementedError

    def do(self, route, ref, fields):
        """Acts on an element."""
        raise NotImplementedError

    def snapshot(self, everything):
        """The snapshot's text as it came, and in our grammar."""
        raise NotImplementedError

    def evaluate(self, function):
        raise NotImplementedError

    # What the strategies call.

    @property
    def title(self):
        return str(self.evaluate("() => document.title"))

    def act(self, route, ref=None, **fields):
        if "target" in fields or "at" in fields or "to" in fields:
            raise Unsupported(route)
        self.calls += 2
        began = time.perf_counter()
        if route == "navigate":
            self.open(fields["url"])
        else:
            self.do(route, ref, fields)
        raw, text = self.snapshot(False)
        self.measured.append((route, (time.perf_counter() - began) * 1000, len(raw.encode())))
        return self.tree(text)

    def tree(self, text):
        return Tree(text)

    def call(self, route, **fields):
        if route == "wait" and "ms" in fields:
            self.calls += 1
            time.sleep(fields["ms"] / 1000)
        elif route == "wait" and "network_idle_ms" in fields:
            self.calls += 1
            time.sleep(0.5)
        elif route in ("status", "close"):
            pass
        elif route == "press":
            self.act("press", **fields)
        else:
            raise Unsupported(route)
        return {}

    def look(self, **fields):
        self.calls += 1
        raw, text = self.snapshot(bool(fields))
        self.measured.append(("snapshot", 0, len(raw.encode())))
        return self.tree(text)

    def look_at_all(self, **fields):
        if fields:
            raise Unsupported("boxes")
        return self.look(everything=True)

    def click(self, line, **fields):
        return self.act("click", line.ref, **fields)

    def type(self, line, text, **fields):
        return self.act("type", line.ref, text=text, **fields)

    def press(self, key, line=None, **fields):
        return self.act("press", line and line.ref, key=key, **fields)

    def _unsupported(self, *arguments, **fields):
        raise Unsupported("selectors, boxes, extraction, points")

    click_at = drag = items = box = tap = extract = _unsupported


class Mcp:
    """An MCP server over stdio."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        watchdog = threading.Timer(ANSWER_TIMEOUT_S, self.process.kill)
        watchdog.start()
        try:
            while True:
                line = self.process.stdout.readline()
                if not line:
                    raise SystemExit(f"{method}: the server has ended")
                message = json.loads(line)
                if message.get("id") == self.number and "method" not in message:
                    return message.get("result") or {"isError": True, "content": [{"text": str(message)}]}
        finally:
            watchdog.cancel()

    def tool(self, name, **arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        if result.get("isError"):
            raise CallFailed(name, arguments, {"error": "isError", "details": text[:300]})
        return text

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Playwright(Rival):
    """@playwright/mcp: its acting tools answer with a file's name, so that a snapshot is a call of its own."""

    name = "Playwright MCP"
    KINDS = {"click": "browser_click", "hover": "browser_hover"}

    def __init__(self, modules, chromium):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.mcp = Mcp(
            "node", f"{modules}/@playwright/mcp/cli.js", "--headless", "--isolated", "--no-sandbox",
            "--executable-path", chromium, "--output-dir", self.folder.name,
        )

    def open(self, url):
        self.mcp.tool("browser_navigate", url=url)

    def do(self, route, ref, fields):
        target = {"element": "it", "target": ref} if ref else {}
        if route in self.KINDS:
            self.mcp.tool(self.KINDS[route], **target)
        elif route == "check":
            # It has no tool for that; a click does where the box is not checked.
            self.mcp.tool("browser_click", **target)
        elif route == "type":
            self.mcp.tool("browser_type", **target, text=fields["text"], slowly=fields.get("slowly", False))
        elif route == "press":
            self.mcp.tool("browser_press_key", key=fields["key"])
        elif route == "select":
            self.mcp.tool("browser_select_option", **target, values=fields["values"])
        else:
            raise Unsupported(route)

    def snapshot(self, everything):
        text = self.mcp.tool("browser_snapshot")
        raw = text.partition("```yaml\n")[2].rpartition("\n```")[0]
        lines = []
        for line in raw.splitlines():
            indent, dash, rest = line.partition("- ")
            if rest.startswith("/"):
                continue
            if rest.startswith("'"):
                quoted, _, tail = rest[1:].rpartition("'")
                rest = quoted.replace("''", "'") + tail
            key, colon, value = rest.rpartition(": ")
            if colon and value.startswith('"') and value.endswith('"') and not key.endswith('"'):
                rest = f"{key}: {json.loads(value)}"
            rest = re.sub(r" \[cursor=pointer\]", " [clickable]", rest)
            lines.append(indent + dash + rest)
        return raw, "\n".join(lines)

    def evaluate(self, function):
        text = self.mcp.tool("browser_evaluate", function=function)
        return json.loads(text.partition("### Result\n")[2].partition("\n### ")[0])

    def close(self):
        self.mcp.close()
        self.folder.cleanup()


class ChromeDevtools(Rival):
    """chrome-devtools-mcp: acting tools answer with a snapshot where it is asked for."""

    name = "chrome-devtools-mcp"
    LINE = re.compile(
        r'^(?P<indent> *)uid=(?P<uid>\S+) ?(?P<role>[A-Za-z]+)?(?: ?"(?P<name>(?:[^"\\]|\\.)*)")?(?P<rest>.*)$'
    )
    FLAG = re.compile(r" (checked|selected|disabled|expanded|focused|required)\b")

    def __init__(self, modules, chromium):
        super().__init__()
        flags = [f"--chromeArg={flag}" for flag in FLAGS]
        self.mcp = Mcp(
            "node", f"{modules}/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js", "--headless", "--isolated",
            "--executablePath", chromium, "--no-usage-statistics", *flags,
        )
        self.page = 1

    def tool(self, name, **arguments):
        return self.mcp.tool(name, pageId=self.page, **arguments)

    def open(self, url):
        self.tool("navigate_page", type="url", url=url)
        self.shown = None

    def do(self, route, ref, fields):
        self.shown = None
        if route == "click" or route == "check":
            self.shown = self.tool("click", uid=ref, includeSnapshot=True)
        elif route == "hover":
            self.shown = self.tool("hover", uid=ref, includeSnapshot=True)
        elif route == "type" and fields.get("slowly"):
            self.tool("click", uid=ref)
            self.tool("type_text", text=fields["text"])
        elif route == "type":
            self.shown = self.tool("fill", uid=ref, value=fields["text"], includeSnapshot=True)
        elif route == "press":
            self.shown = self.tool("press_key", key=fields["key"], includeSnapshot=True)
        elif route == "select" and len(fields["values"]) == 1:
            self.shown = self.tool("fill", uid=ref, value=fields["values"][0], includeSnapshot=True)
        else:
            raise Unsupported(route)

    def snapshot(self, everything):
        text, self.shown = self.shown or self.tool("take_snapshot"), None
        raw = text.partition("## Latest page snapshot\n")[2]
        lines = []
        for line in raw.splitlines():
            match = self.LINE.match(line)
            if not match:
                continue
            role = match["role"] or "text"
            value = re.search(r' value="((?:[^"\\]|\\.)*)"', match["rest"])
            flags = "".join(f" [{flag}]" for flag in self.FLAG.findall(match["rest"]))
            name = f' "{match["name"]}"' if match["name"] else ""
            shown = f": {value[1]}" if value else ""
            lines.append(f'{match["indent"]}- {role.lower()}{name}{flags} [ref={match["uid"]}]{shown}')
        return raw, "\n".join(lines)

    def tree(self, text):
        return TextIsClickable(text)

    def evaluate(self, function):
        text = self.tool("evaluate_script", function=function)
        return json.loads(text.partition("```json\n")[2].partition("\n```")[0])

    def close(self):
        self.mcp.close()


class TextIsClickable(Tree):
    """A tree whose clickable elements are their text."""

    def all(self, role=None, label=None, contains=None, ref=True):
        roles = (role,) if isinstance(role, str) else role
        if roles is not None and "generic" in roles:
            roles = (*roles, "text")
        return super().all(roles, label, contains, ref)


class AgentBrowser(Rival):
    """agent-browser: over its daemon's socket, which costs less than a process for each command."""

    name = "agent-browser"

    def __init__(self, modules, chromium):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.command = [f"{modules}/agent-browser/bin/agent-browser-linux-x64", "--session", "bench"]
        self.environment = dict(os.environ, AGENT_BROWSER_SOCKET_DIR=self.folder.name)
        os.chmod(self.command[0], 0o755)
        self.run("--executable-path", chromium, "--args", ",".join(FLAGS), "open", "about:blank")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(ANSWER_TIMEOUT_S)
        self.socket.connect(f"{self.folder.name}/bench.sock")
        self.answers = self.socket.makefile("rb")
        self.number = 0

    def run(self, *arguments):
        subprocess.run([*self.command, *arguments], env=self.environment, check=True, capture_output=True, timeout=60)

    def ask(self, action, **fields):
        self.number += 1
        self.socket.sendall(json.dumps({"id": str(self.number), "action": action, **fields}).encode() + b"\n")
        answer = json.loads(self.answers.readline())
        if not answer.get("success"):
            raise CallFailed(action, fields, {"error": "failed", "details": str(answer.get("error"))[:300]})
        return answer["data"]

    def open(self, url):
        self.ask("navigate", url=url)

    def do(self, route, ref, fields):
        selector = {"selector": f"@{ref}"}
        if route in ("click", "hover", "check"):
            self.ask(route, **selector)
        elif route == "type" and fields.get("slowly"):
            self.ask("click", **selector)
            self.ask("type", **selector, text=fields["text"])
        elif route == "type":
            self.ask("fill", **selector, value=fields["text"])
        elif route == "press":
            self.ask("press", key=fields["key"])
        elif route == "select":
            self.ask("select", **selector, values=fields["values"])
        else:
            raise Unsupported(route)

    def snapshot(self, everything):
        raw = self.ask("snapshot", **({} if everything else {"interactive": True}))["snapshot"]
        lines = []
        for line in raw.splitlines():
            line = line.replace("- StaticText", "- text")
            line = re.sub(r"^( *)- text \"(.*)\"$", lambda found: f"{found[1]}- text: {found[2]}", line)
            line = re.sub(r"\[([^\]]*)\]", lambda found: f"[{found[1].replace(', ', '] [')}]", line)
            line = re.sub(r"\] clickable.*?(?=: |$)", "] [clickable]", line)
            line = line.replace("checked=true", "checked")
            line = re.sub(r"^( *- )([A-Z]\w+)", lambda found: found[1] + found[2].lower(), line)
            lines.append(line)
        return raw, "\n".join(lines)

    def evaluate(self, function):
        return self.ask("evaluate", script=f"({function})()")["result"]

    def close(self):
        self.socket.close()
        self.run("close")
        self.folder.cleanup()


ALL = [Playwright, AgentBrowser, ChromeDevtools]
