"""Runs a scripted agent against the tasks of MiniWoB++ over Porthole's routes, and prints how many it solved.

    miniwob.py [--seeds a,b,c] [--task NAME,…] [--log] [--slow-ms 200] [--service EXECUTABLE]

The agent gets a task's utterance, as MiniWoB's own environment hands it over, and sees the page only through Porthole.
The reward travels in the page's title, which the agent does not read.
"""

import argparse
import http.client
import http.server
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import tasks
from agent import Agent, CallFailed

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = "miniwob==1.1.0"
EPISODE_MS = 1_000_000_000
# Puts utterance and reward into the title. `WOB_*` are MiniWoB's own globals.
WRAPPER = """
<script>
(() => {
  const onload = window.onload;
  const publish = (end) => { document.title = JSON.stringify({utterance: window.WOB_UTTERANCE, end}); };
  window.onload = () => {
    Math.seedrandom(%s);
    core.EPISODE_MAX_TIME = %d;
    const endEpisode = core.endEpisode;
    let ended = false;
    core.endEpisode = function () {
      endEpisode.apply(this, arguments);
      if (!ended && WOB_DONE_GLOBAL) {
        ended = true;
        publish({reward: WOB_RAW_REWARD_GLOBAL, reason: WOB_REWARD_REASON});
      }
    };
    onload();
    core.startEpisodeReal();
    core.hideDisplay();
    window.WOB_UTTERANCE = core.getUtterance();
    publish(null);
  };
})();
</script>
"""


def install(folder):
    """Installs MiniWoB's pages and its parser of utterances, without what they need to drive Chrome themselves."""
    if not (folder / "miniwob/fields.py").exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), PACKAGE]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return folder / "miniwob"


class Pages(http.server.SimpleHTTPRequestHandler):
    """MiniWoB's pages; a task's has the wrapper."""

    def do_GET(self):
        match = re.fullmatch(r"/miniwob/([\w-]+)\.html\?seed=(\w+)", self.path)
        if not match:
            return super().do_GET()
        page = (pathlib.Path(self.directory) / f"miniwob/{match[1]}.html").read_text()
        wrapper = WRAPPER % (json.dumps(match[2]), EPISODE_MS)
        body = page.replace("</body>", wrapper + "</body>").encode()
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def serve(folder):
    handler = lambda *arguments: Pages(*arguments, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


class Service:
    """A service of ours that may visit the pages' ports."""

    def __init__(self, executable, *page_ports):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "TMPDIR": tempfile.gettempdir(),
            "PORTHOLE_SERVICE_ADDR": "127.0.0.1:0",
            "PORTHOLE_SERVICE_ADMIN_ADDR": "127.0.0.1:0",
            "PORTHOLE_OWNER_KEYS": "k:" + "A" * 43,
            "PORTHOLE_RATE_LIMIT": "1000000",
            "PORTHOLE_ALLOW_TARGETS": ",".join(f"127.0.0.1:{port}" for port in page_ports),
        }
        self.process = subprocess.Popen([executable], env=environment, stderr=subprocess.STDOUT, stdout=subprocess.PIPE)
        for line in self.process.stdout:
            match = re.search(rb'(127\.0\.0\.1:[1-9]\d*)', line)
            if match and b"admin" not in line.split(match[1])[0][-20:]:
                self.address = match[1].decode()
                break
        else:
            raise SystemExit("the service did not start")
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def sandbox(self):
        connection = http.client.HTTPConnection(self.address, timeout=30)
        connection.request("POST", "/create", "{}", {"content-type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        return {"sandbox_id": answer["sandbox_id"], "owner_token": answer["owner_token"]}

    def close(self):
        self.process.terminate()
        self.process.wait(20)


def fields_of(package):
    """MiniWoB's own parser of utterances, loaded without its package, which would import Selenium."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("miniwob_fields", package / "fields.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.get_field_extractor


class Task:
    """What a strategy gets: the task's name, its utterance, the utterance's fields and the first snapshot."""

    def __init__(self, name, utterance, fields, tree):
        self.name = name
        self.utterance = utterance
        self.fields = fields
        self.tree = tree


def attempt(agent, port, name, seed, extractor):
    """Returns the reward (None where the episode did not end) and what went wrong."""
    tree = agent.act("navigate", url=f"http://127.0.0.1:{port}/miniwob/{name}.html?seed={seed}")
    utterance = published(agent)["utterance"]
    fields = {}
    if isinstance(utterance, dict):
        fields, utterance = utterance["fields"], utterance["utterance"]
    else:
        try:
            fields = dict(extractor(name)(utterance))
        except (KeyError, ValueError):
            pass
    trouble = ""
    try:
        tasks.solve(agent, Task(name, utterance, fields, tree))
    except CallFailed as failed:
        trouble = str(failed)
        if agent.log is not None:
            trouble += "\n" + traceback.format_exc()
    except Exception as error:  # a strategy that met a page it does not know
        trouble = f"{type(error).__name__}: {error}"
        if agent.log is not None:
            trouble = traceback.format_exc()
    return utterance, trouble


def published(agent):
    """What the wrapper has put into the title. It does so in `load`, which a busy machine may be late with."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if agent.title.startswith("{"):
            return json.loads(agent.title)
        agent.call("status")
    raise CallFailed("navigate", {}, {"error": "no task in the title", "details": agent.title})


def reward_of(agent):
    """The reward, once the page has given it: some do after an animation."""
    deadline = time.monotonic() + 1.5
    while True:
        agent.call("status")
        try:
            end = json.loads(agent.title)["end"]
        except (ValueError, KeyError):
            return None
        if end or time.monotonic() > deadline:
            return end
        time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="a,b,c")
    parser.add_argument("--task", default="")
    parser.add_argument("--log", action="store_true", help="print each call of a task that was not solved")
    parser.add_argument("--slow-ms", type=float, default=0, help="print acting calls that took longer")
    parser.add_argument("--service", default=str(ROOT / "target/debug/porthole-service"))
    parser.add_argument("--package", default=str(ROOT / "target/miniwob"))
    options = parser.parse_args()

    package = install(pathlib.Path(options.package))
    extractor = fields_of(package)
    html = package / "html"
    names = sorted(path.stem for path in (html / "miniwob").glob("*.html"))
    if options.task:
        names = [name for name in names if name in options.task.split(",")]
    port = serve(html)
    service = Service(options.service, port)
    rows = {}
    unsolved = {}
    try:
        sandbox = service.sandbox()
        for seed in options.seeds.split(","):
            measured, calls, solved = [], [], 0
            for name in names:
                agent = Agent(f"http://{service.address}", sandbox)
                agent.log = [] if options.log else None
                trouble, utterance, end = "", "", None
                try:
                    utterance, trouble = attempt(agent, port, name, seed, extractor)
                    measured += agent.measured
                    calls.append(agent.calls)
                    for route, ms, _ in agent.measured:
                        if options.slow_ms and ms > options.slow_ms and route not in ("navigate", "wait"):
                            print(f"slow: {seed} {name} {route} {ms:.0f} ms", flush=True)
                    end = reward_of(agent)
                except CallFailed as failed:
                    trouble = trouble or str(failed)
                if agent.session:
                    agent.call("close")
                if end and end["reward"] and end["reward"] > 0:
                    solved += 1
                    continue
                unsolved.setdefault(name, []).append(seed)
                print(f"{seed} {name}: {end} {utterance!r} {trouble}", flush=True)
                for route, fields, took, answer in agent.log or []:
                    tree = answer.pop("snapshot", {}).get("tree") if isinstance(answer.get("snapshot"), dict) else None
                    told = ("error", "details", "warnings", "content", "events", "method")
                    brief = {k: v for k, v in answer.items() if k in told and v}
                    print(f"    {took} ms {route} {fields} -> {brief}")
                    if tree is not None:
                        print("\n".join("        " + line for line in tree.splitlines()[:120]))
            rows[seed] = (solved, len(names), measured, calls)
    finally:
        service.close()
    report(rows, unsolved)


def report(rows, unsolved):
    columns = "calls a task, median, mean | a click with its snapshot, median, p95 | snapshot bytes, median, p95"
    print(f"| seed | solved | {columns} |")
    print("|---|---|---|---|---|")
    for seed, (solved, count, measured, calls) in rows.items():
        clicks = sorted(ms for route, ms, size in measured if route == "click" and size is not None)
        sizes = sorted(size for _, _, size in measured if size is not None)
        p95 = lambda values: values[int(len(values) * 0.95)] if values else 0
        middle = lambda values: statistics.median(values) if values else 0
        print(
            f"| {seed} | {solved} of {count} | {middle(calls):.0f}, {statistics.mean(calls):.1f} "
            f"| {middle(clicks):.0f} ms, {p95(clicks):.0f} ms "
            f"| {middle(sizes):.0f}, {p95(sizes):.0f} |"
        )
    print("not solved:", ", ".join(f"{name} ({','.join(seeds)})" for name, seeds in unsolved.items()) or "none")


if __name__ == "__main__":
    main()
