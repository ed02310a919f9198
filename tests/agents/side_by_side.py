"""Measures Porthole beside other agents' browsers on the same pages in one run, and prints tables.

    side_by_side.py --modules NODE_MODULES --pages FOLDER [--service EXECUTABLE] [--rounds 20] [--seeds e]
        [--only clicks,walk,sizes,tasks] [--tasks NAME,…] [--minutes 12]

1. `clicks`: from a click to a snapshot after it: on a still page, one that fetches, one that renders two frames later, one
   that navigates; and whether that snapshot shows what the click did. Contenders take turns, so that noise hits all. The
   DevTools protocol itself, a click and one evaluation, is what all of them add to.
2. `walk`: a snapshot of the longest page, beside one evaluation that merely walks over it.
3. `sizes`: bytes of a snapshot of real pages.
4. `tasks`: tasks of MiniWoB++ that the same strategies solve with snapshots and refs alone.
"""

import argparse
import contextlib
import functools
import http.server
import pathlib
import statistics
import threading
import time

import devtools
import miniwob
import rivals
import tasks
from agent import Agent, CallFailed, Tree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHROMIUM = "/usr/bin/chromium-headless-shell"
ANSWER_MS = 80
# Between a snapshot and a click, as an agent's model reads the one before it asks for the other.
THINKS_MS = 150
PAGES = {
    "still": "document.getElementById('out').textContent = 'effect-' + n",
    "fetches": "fetch('/slow/' + n).then((answer) => answer.text()).then((text) => { out.textContent = text; })",
    "renders late": "requestAnimationFrame(() => requestAnimationFrame(() => { out.textContent = 'effect-' + n; }))",
    "navigates": "location.href = '/next/' + n",
}
PAGE = """<!doctype html><title>{kind}</title><h1>{kind}</h1><p>Some words that stand on the page.</p>
<label>Name <input></label><button onclick="let n = ++window.n; {code}">Do it</button><button id="out">none</button>
<script>window.n = 0; window.out = document.getElementById('out');</script>"""
# Sixty tasks whose strategies see and act by snapshots and refs alone, so that any of the contenders can run them: no
# selectors, boxes, points, drags or extraction. Of MiniWoB's many mail tasks, which have one strategy, there are three.
TASKS = """
click-test click-test-2 click-test-transfer click-button unicode-test click-dialog-2 click-link click-dialog
click-button-sequence button-delay click-checkboxes click-checkboxes-large click-checkboxes-transfer
click-checkboxes-soft
click-option choose-list click-collapsible-2 click-collapsible-2-nodelay click-tab-2 click-tab-2-easy click-tab-2-medium
click-tab-2-hard click-tab focus-text focus-text-2 find-greatest odd-or-even buy-ticket guess-number generate-number
stock-market number-checkboxes enter-text enter-text-dynamic enter-time enter-text-2 enter-password login-user
copy-paste
copy-paste-2 find-word text-transform simple-arithmetic simple-algebra multi-layouts multi-orderings form-sequence-2
form-sequence-3 use-spinner use-autocomplete use-autocomplete-nodelay click-menu read-table read-table-2 search-engine
phone-book navigate-tree email-inbox email-inbox-noscroll email-inbox-reply""".split()


class Site(http.server.SimpleHTTPRequestHandler):
    """The four pages, and a folder of real ones."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        kind = self.path.strip("/").replace("-", " ")
        if kind in PAGES:
            return self.answer(PAGE.format(kind=kind, code=PAGES[kind]))
        if self.path.startswith(("/slow/", "/next/")):
            time.sleep(ANSWER_MS / 1000)
            words = "effect-" + self.path.rpartition("/")[2]
            page = f"<title>next</title><h1>{words}</h1><button>{words}</button>"
            return self.answer(words if "slow" in self.path else page)
        return super().do_GET()

    def answer(self, body):
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments):
        pass


class Porthole(Agent):
    """Ours, with what the measurements ask of the others too."""

    name = "Porthole"

    def open(self, url):
        self.connect_anew()
        self.call("navigate", url=url)

    def connect_anew(self):
        """The service closes a connection that is idle while the others have their turns."""
        self.connection.close()

    def close(self):
        if self.session:
            self.connect_anew()
            self.call("close")
            self.session = None

    def act(self, route, **fields):
        if route == "navigate":
            self.connect_anew()
        return super().act(route, **fields)

    def snapshot(self, everything):
        text = self.look(**({"interactive_only": False} if everything else {})).text
        return text, text

    def tree(self, text):
        return Tree(text)


def clicks(contenders, base, rounds):
    print("| | " + " | ".join(f"{kind}: ms, p95; effect shown" for kind in PAGES) + " |")
    print("|---|" + "---|" * len(PAGES))
    took = {contender.name: {kind: ([], []) for kind in PAGES} for contender in contenders}
    for kind in PAGES:
        for number in range(rounds):
            for contender in contenders:
                contender.open(f"{base}/{kind.replace(' ', '-')}")
                line = contender.tree(contender.snapshot(False)[1]).find("button", "Do it")
                time.sleep(THINKS_MS / 1000)
                began = time.perf_counter()
                tree = contender.click(line)
                milliseconds, shown = took[contender.name][kind]
                milliseconds.append((time.perf_counter() - began) * 1000)
                shown.append("effect-1" in tree.text)
    for name, kinds in took.items():
        cells = []
        for milliseconds, shown in kinds.values():
            milliseconds.sort()
            p95 = milliseconds[int(len(milliseconds) * 0.95)]
            cells.append(f"{statistics.median(milliseconds):.1f}, {p95:.1f}; {sum(shown)} of {len(shown)}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def walks(porthole, raw, base, folder, rounds):
    longest = max(pathlib.Path(folder, "py").rglob("*.html"), key=lambda page: page.stat().st_size)
    url = f"{base}/{longest.relative_to(folder)}"
    porthole.open(url)
    raw.open(url)
    measured = {f"an evaluation that walks over it: {look}": functools.partial(raw.walk, look) for look in devtools.LOOKS}
    measured["Porthole's snapshot"] = functools.partial(porthole.snapshot, False)
    measured["Porthole's snapshot with all text"] = functools.partial(porthole.snapshot, True)
    took = {what: [] for what in measured}
    for _ in range(rounds):
        for what, run in measured.items():
            porthole.connect_anew()
            began = time.perf_counter()
            run()
            took[what].append((time.perf_counter() - began) * 1000)
    print(f"\n| {longest.relative_to(folder)}, {longest.stat().st_size / 1e6:.1f} MB | ms, p95 |\n|---|---|")
    for what, milliseconds in took.items():
        milliseconds.sort()
        print(f"| {what} | {statistics.median(milliseconds):.0f}, {milliseconds[int(len(milliseconds) * 0.95)]:.0f} |")


def sizes(contenders, base, folder):
    pages = (pathlib.Path(folder) / "pages.txt").read_text().split()
    rows = {}
    for page in pages:
        for contender in contenders:
            contender.open(f"{base}/{page}")
            # Pages of frameworks draw themselves after `load`.
            time.sleep(0.3)
            sizes = [len(contender.snapshot(all)[0].encode()) for all in (False, True)]
            rows.setdefault(page, {})[contender.name] = sizes
    print("\n| bytes of a snapshot | " + " | ".join(f"{contender.name}" for contender in contenders) + " |")
    print("|---|" + "---|" * len(contenders))
    for page, row in rows.items():
        print(f"| {page} | " + " | ".join(f"{short}, {whole}" for short, whole in row.values()) + " |")
    totals = [[sum(row[contender.name][nth] for row in rows.values()) for nth in (0, 1)] for contender in contenders]
    print("| all | " + " | ".join(f"{short}, {whole}" for short, whole in totals) + " |", flush=True)


def solve(contenders, package, port, seeds, names, minutes):
    extractor = miniwob.fields_of(package)
    until = time.monotonic() + 60 * minutes
    attempted = {seed: 0 for seed in seeds}
    solved = {contender.name: {seed: 0 for seed in seeds} for contender in contenders}
    lost = {contender.name: [] for contender in contenders}
    for seed in seeds:
        for name in names:
            if time.monotonic() > until:
                break
            attempted[seed] += 1
            for contender in contenders:
                try:
                    _, trouble = miniwob.attempt(contender, port, name, seed, extractor)
                    end = miniwob.reward_of(contender)
                except (CallFailed, rivals.Unsupported) as failed:
                    end, trouble = None, str(failed)
                if end and (end["reward"] or 0) > 0:
                    solved[contender.name][seed] += 1
                else:
                    lost[contender.name].append(f"{name} ({seed})")
                    print(f"lost: {contender.name} {seed} {name} {trouble[:160]!r}", flush=True)
                if isinstance(contender, Porthole):
                    contender.close()
    columns = [f"seed {seed}" for seed in seeds]
    columns += ["a click with its snapshot, median, p95", "snapshot bytes, median, p95"]
    print("\n| | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * (len(seeds) + 2))
    for contender in contenders:
        milliseconds = sorted(ms for route, ms, size in contender.measured if route == "click" and size is not None)
        size = sorted(size for _, _, size in contender.measured if size is not None)
        p95 = lambda values: values[int(len(values) * 0.95)]
        print(
            f"| {contender.name} | "
            + " | ".join(f"{count} of {attempted[seed]}" for seed, count in solved[contender.name].items())
            + f" | {statistics.median(milliseconds):.1f} ms, {p95(milliseconds):.1f} ms"
            + f" | {statistics.median(size):.0f}, {p95(size):.0f} |", flush=True,
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--modules", required=True)
    parser.add_argument("--pages", required=True)
    parser.add_argument("--service", default=str(ROOT / "target/release/porthole-service"))
    parser.add_argument("--package", default=str(ROOT / "target/miniwob"))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--without", default="", help="contenders that do not run, by their names")
    parser.add_argument("--seeds", default="e")
    parser.add_argument("--tasks", default="", help="names of tasks; all sixty unless said")
    parser.add_argument("--minutes", type=float, default=12, help="no task begins after these")
    parser.add_argument("--only", default="clicks,walk,sizes,tasks")
    options = parser.parse_args()
    only = options.only.split(",")

    handler = functools.partial(Site, directory=options.pages)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    package = miniwob.install(pathlib.Path(options.package))
    tasks_port = miniwob.serve(package / "html")

    service = miniwob.Service(options.service, server.server_address[1], tasks_port)
    contenders = [Porthole(f"http://{service.address}", service.sandbox())]
    try:
        contenders += [rival(options.modules, CHROMIUM) for rival in rivals.ALL if rival.name not in options.without]
        if "clicks" in only or "walk" in only:
            with contextlib.closing(devtools.Raw(CHROMIUM)) as raw:
                if "clicks" in only:
                    clicks([raw, *contenders], base, options.rounds)
                if "walk" in only:
                    walks(contenders[0], raw, base, options.pages, options.rounds)
        if "sizes" in only:
            sizes(contenders, base, options.pages)
        if "tasks" in only:
            for contender in contenders:
                contender.measured.clear()
            contenders[0].close()
            names = options.tasks.split(",") if options.tasks else TASKS
            solve(contenders, package, tasks_port, options.seeds.split(","), names, options.minutes)
    finally:
        for contender in contenders:
            contender.close()
        service.close()


if __name__ == "__main__":
    main()
