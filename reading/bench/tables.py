#!/usr/bin/env python3
"""Compares real tables, read through the service, cell by cell with an oracle that shares no code with it.

    PORTHOLE_ALLOW_TARGETS=127.0.0.1:8791 PORTHOLE_RATE_LIMIT=100000 porthole up
    reading/bench/tables.py FOLDER…           # folders of saved pages, *.html or *.html.gz

The pages are those of the three sets that articles.py names: `html`; `test/html` and `dev/html`; `tests/cache` and
`tests/eval`. Every page with a table is served on 127.0.0.1:8791, with its own scripts off and without resources from
elsewhere. The bench's script forms each visible table by the HTML standard's algorithm (4.9.12.1) from the browser's spans,
takes each cell's `innerText` without nested tables and `select` elements, and posts the grid to this bench, which requests
the same tables from Porthole. The comparison ignores white space, case (a style may change it) and invisible characters; a
header of several rows must be the joined texts of its levels.

`innerText` includes text that is rendered but invisible (clipped, off-screen, of its background's colour), which is frequent
on pages whose own styles are missing. Porthole leaves it out and adds the warning `hidden_text`. A table that differs and has
this warning is therefore compared a second time: Porthole's with `include_hidden`, the oracle's as a second grid with every
row and cell and all of their text, rendered or not. It is right if these two are equal and the first pair differed only by
text that was left out. Differences are printed. `--limit N` ends after N pages.
"""
import collections
import concurrent.futures
import gzip
import json
import pathlib
import re
import sys
import threading
import unicodedata

import worker
from worker import post

PORT = 8791
AT_ONCE = 4
DIRECTIVES = 16
LONG = "a row is longer than an answer"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-oracle'; connect-src 'self'"
ORACLE = """
const WORDLESS = 'table, select, datalist, script, style, noscript, template, textarea, svg, canvas, object, audio, title';
const allText = cell => {
  const copy = cell.cloneNode(true);
  for (const one of copy.querySelectorAll(WORDLESS)) one.remove();
  return copy.textContent;
};
const form = (table, displayed, textOf) => {
  const grid = [], texts = [];
  const place = (x, y, cell) => { (grid[y] ??= [])[x] ??= cell };
  const group = rows => {
    const first = grid.length;
    for (const row of rows) grid.push([]);
    rows.forEach((row, at) => {
      let x = 0;
      for (const cell of row.children) {
        if (cell.localName !== 'td' && cell.localName !== 'th') continue;
        if (!displayed(cell)) continue;
        while (grid[first + at][x] !== undefined) x++;
        const tall = cell.rowSpan === 0 ? rows.length - at : Math.min(cell.rowSpan, rows.length - at);
        const number = texts.push(textOf(cell)) - 1;
        for (let down = 0; down < tall; down++) for (let right = 0; right < cell.colSpan; right++) place(x + right, first + at + down, number);
        x += cell.colSpan;
      }
    });
  };
  const rows = part => [...part.children].filter(child => child.localName === 'tr' && displayed(child));
  let loose = [];
  const feet = [];
  for (const child of table.children) {
    if (child.localName === 'tr') { if (displayed(child)) loose.push(child); continue }
    if (!['thead', 'tbody', 'tfoot'].includes(child.localName)) continue;
    group(loose); loose = [];
    if (!displayed(child)) continue;
    if (child.localName === 'tfoot') feet.push(child); else group(rows(child));
  }
  group(loose);
  for (const foot of feet) group(rows(foot));
  return { grid: grid.map(row => Array.from(row, cell => cell ?? null)).filter(row => row.length), texts };
};
const isDisplayed = element => getComputedStyle(element).display !== 'none';
const innerText = cell => {
  const nested = [...cell.querySelectorAll('table, select')];
  const before = nested.map(one => one.style.cssText);
  for (const one of nested) one.style.setProperty('display', 'none', 'important');
  const text = cell.innerText;
  nested.forEach((one, n) => one.style.cssText = before[n]);
  return text;
};
addEventListener('load', () => {
  const tables = [...document.querySelectorAll('table')].map(table => table.checkVisibility({ visibilityProperty: true })
    ? { ...form(table, isDisplayed, innerText), all: form(table, () => true, allText) } : null);
  fetch(location.origin + '/oracle' + location.pathname, { method: 'POST', body: JSON.stringify(tables) });
});
"""
SCRIPT = ORACLE.replace("\\", "\\\\")
oracles = {}
came = threading.Condition()


def html_of(path):
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    charset = re.search(rb"<meta[^>]+charset=[\"']?([\w-]+)", data[:4000], re.I)
    try:
        return data.decode(charset[1].decode() if charset else "utf-8", errors="replace")
    except LookupError:
        return data.decode(errors="replace")


def serve(pages):
    class Handler(worker.Handler):
        def do_GET(self):
            path = pages.get(self.path.strip("/"))
            self.send_response(200 if path else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-security-policy", POLICY)
            self.end_headers()
            # The script comes first: at the end, an element that is left open would contain it.
            page = re.sub(r"(?i)(<!doctype[^>]*>)?", rf"\1<script nonce=oracle>{SCRIPT}</script>", html_of(path), count=1) if path else ""
            try:
                self.wfile.write(page.encode())
            except (BrokenPipeError, ConnectionResetError):
                pass

        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            with came:
                oracles[self.path.removeprefix("/oracle/")] = json.loads(body)
                came.notify_all()
            self.send_response(204)
            self.end_headers()

    worker.serve(PORT, Handler)


def plain(text):
    return "".join(c for c in text if not c.isspace() and unicodedata.category(c) not in ("Cc", "Cf", "Zs")).casefold()


def expected(oracle, header_rows):
    """Returns the column names, and the rows below them."""
    texts = [plain(text) for text in oracle["texts"]]
    rows = [[None if cell is None else cell for cell in row] for row in oracle["grid"]]
    width = max((len(row) for row in rows[:header_rows]), default=0)
    names = []
    for x in range(width):
        levels = []
        for row in rows[:header_rows]:
            is_title = header_rows > 1 and width > 1 and len(row) == width and len(set(row)) == 1
            if not is_title and x < len(row) and row[x] is not None and texts[row[x]]:
                if not levels or levels[-1] != texts[row[x]]:
                    levels.append(texts[row[x]])
        names.append("/".join(levels))
    return names, [["" if cell is None else texts[cell] for cell in row] for row in rows[header_rows:]]


def is_within(part, whole):
    """Returns whether all characters of `part` are in `whole`, in the same order."""
    rest = iter(whole)
    return all(c in rest for c in part)


def compare(oracle, headers, rows, agree):
    """Returns a description of the first difference, or None."""
    header_rows = len(oracle["grid"]) - len(rows)
    if header_rows < 0 or (header_rows > 0) != bool(headers):
        return f"{len(oracle['grid'])} rows, of which {len(rows)} are read, and {len(headers)} names"
    names, lines = expected(oracle, header_rows)
    got = [plain(name) for name in headers]
    if len(got) != len(names) or not all(map(agree, got, names)):
        return f"names {got} for {names}"
    for y, (line, row) in enumerate(zip(lines, rows)):
        if len(row) != len(line) or not all(map(agree, map(plain, row), line)):
            return f"row {y}: {[plain(cell) for cell in row]} for {line}"
    return None


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    limit = int(arguments.pop()) if "--limit" in sys.argv else None
    folders = [pathlib.Path(argument) for argument in arguments]
    files = [path for folder in folders for path in ([folder] if folder.is_file() else sorted(folder.rglob("*"))) if path.is_file()]
    files = [path for path in files if path.name.endswith((".html", ".htm", ".html.gz")) and "<table" in html_of(path).lower()]
    pages = {f"{number}": path for number, path in enumerate(files[:limit])}
    serve(pages)
    sandbox = post("create", {})
    who = {"sandbox_id": sandbox["sandbox_id"], "owner_token": sandbox["owner_token"]}
    count, wrong, failed = collections.Counter(), [], []

    def ask(key, wanted, offset=0, hidden=False):
        extract = [{"kind": "table", "selector": f"xpath: (//table)[{number + 1}]", "include_hidden": hidden} for number in wanted]
        for one in extract if offset else []:
            one["offset"] = offset
        answer = post("browser-extract", {**who, "url": f"http://127.0.0.1:{PORT}/{key}", "extract": extract})
        if answer["ok"] and len(extract) == 1:
            return answer, [answer]
        return answer, answer.get("results", [])

    def whole(key, number, result, hidden=False):
        """Returns the headers and all rows, requested in as many parts as needed, or the reason why they can't be read."""
        rows = []
        while True:
            if not result.get("data"):
                return None, None, str(result.get("warnings") or result.get("error"))
            rows += result["data"]["rows"]
            if any("cut_entry" in warning for warning in result["warnings"]):
                return None, None, LONG
            if result.get("next_offset") is None:
                return result["data"]["headers"], rows, None
            _, results = ask(key, [number], result["next_offset"], hidden)
            if not results:
                return None, None, "the rest can't be read"
            result = results[0]

    def whole_with_hidden(key, number, oracle):
        """Returns the first difference if hidden text counts on both sides, or None."""
        _, results = ask(key, [number], hidden=True)
        headers, rows, reason = whole(key, number, results[0], hidden=True) if results else (None, None, "it can't be read with hidden text")
        return reason or compare(oracle, headers, rows, str.__eq__)

    def read(key):
        first = post("browser-extract", {**who, "url": f"http://127.0.0.1:{PORT}/{key}", "instruction": "text"})
        with came:
            if not came.wait_for(lambda: key in oracles, 5):
                failed.append((key, first.get("error", "no oracle")))
                return
            oracle = oracles[key]
        # Skips tables without any text.
        wanted = [at for at, table in enumerate(oracle) if table and any(plain(text) for text in table["texts"])]
        for start in range(0, len(wanted), DIRECTIVES):
            part = wanted[start : start + DIRECTIVES]
            answer, results = ask(key, part)
            if len(results) != len(part):
                failed.append((key, answer.get("error"), answer.get("details")))
                continue
            for number, result in zip(part, results):
                headers, rows, reason = whole(key, number, result)
                says_hidden = any("hidden_text" in warning for warning in result["warnings"])
                reason = reason or compare(oracle[number], headers, rows, str.__eq__)
                hidden = bool(reason) and headers is not None and says_hidden
                if hidden and not compare(oracle[number], headers, rows, is_within):
                    reason = whole_with_hidden(key, number, oracle[number]["all"])
                with came:
                    if reason == LONG:
                        count["long"] += 1
                        continue
                    count["all"] += 1
                    count["hidden"] += hidden and not reason
                    count["cells"] += sum(len(row) for row in oracle[number]["grid"])
                    if reason:
                        wrong.append((str(pages[key]), number, reason))

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(read, pages))
    for path, number, reason in wrong:
        print(f"{path} table {number}: {reason[:600]}")
    for one in failed:
        print("failed:", pages[one[0]], *one[1:])
    right = count["all"] - len(wrong)
    print(f"{count['all']} tables of {count['cells']} cells on {len(pages)} pages: {right} exactly right ({right / max(count['all'], 1):.4f})", end="")
    print(f", {count['hidden']} of them with hidden text counted on both sides, {len(wrong)} wrong; {len(failed)} requests failed, {count['long']} tables with a row longer than an answer are left out")


main()
