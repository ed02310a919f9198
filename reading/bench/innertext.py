#!/usr/bin/env python3
"""Compares Porthole's text with the browser's own `innerText`, on the Web Platform Tests' cases for it.

    PORTHOLE_ALLOW_TARGETS=127.0.0.1:8792 PORTHOLE_RATE_LIMIT=100000 porthole up
    reading/bench/innertext.py wpt/html/dom/elements/the-innertext-and-outertext-properties/getter-tests.js

Every case of the file becomes a box of one page. The page's script posts the browser's `innerText` of each box to this
bench, which requests the same boxes and the whole page from Porthole. The two may differ only in runs of blank lines, which
the bench folds with its own code. Other differences are printed, and the exit code is then 1.
"""
import itertools
import json
import os
import pathlib
import sys

import worker
from worker import post

PORT = 8792
DIRECTIVES = 16
PAGE = """<!doctype html><style>
.before::before { content: 'abc' } .table { display: table } .itable { display: inline-table } .row { display: table-row }
.cell { display: table-cell } .first-line-uppercase::first-line { text-transform: uppercase }
.first-letter-uppercase::first-letter { text-transform: uppercase } .first-letter-float::first-letter { float: left }
</style><body><script>
const cases = [];
function box(holder, html) {
  holder.innerHTML = html;
  for (const one of holder.querySelectorAll('.poke')) one.textContent = 'abc';
  for (const name of ['rp', 'optgroup', 'div']) for (const one of holder.querySelectorAll('.poke-' + name)) {
    const inner = document.createElement(name);
    inner.textContent = 'abc';
    one.append(inner);
  }
  for (const one of holder.querySelectorAll('.shadow')) one.attachShadow({ mode: 'open' }).textContent = 'abc';
  const target = holder.querySelector('#target') ?? holder.firstElementChild;
  target.setAttribute('data-case', cases.push(target) - 1);
}
const inside = (parent, html) => { const holder = document.createElement('div'); parent.append(holder); box(holder, html) };
const testText = html => inside(document.body, html);
const testTextInSVG = html => {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  document.body.append(svg);
  const holder = document.createElement('div');
  box(holder, html);
  svg.append(...holder.childNodes);
};
</script><script src=cases.js></script><script>
addEventListener('load', () => fetch('expected', { method: 'POST', body: JSON.stringify({
  cases: cases.map(one => ({ text: one.innerText ?? null, html: one.outerHTML })), page: document.body.innerText }) }));
</script>"""
expected = {}


def serve(cases):
    class Handler(worker.Handler):
        def do_GET(self):
            is_page = self.path == "/"
            self.send_response(200)
            self.send_header("content-type", f"text/{'html' if is_page else 'javascript'}; charset=utf-8")
            self.end_headers()
            self.wfile.write(PAGE.encode() if is_page else cases)

        def do_POST(self):
            expected.update(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

    worker.serve(PORT, Handler)


def folded(text):
    """Folds each run of blank lines into one empty line. The first and the last line are not part of a run."""
    first, *lines = text.split("\n")
    last = [lines.pop()] if lines else []
    kept = [first]
    for is_blank, run in itertools.groupby(lines, lambda line: not line.strip()):
        run = list(run)
        kept += [""] if is_blank and len(run) > 1 else run
    return "\n".join(kept + last)


def main():
    serve(pathlib.Path(sys.argv[1]).read_bytes())
    sandbox = post("create", {})
    who = {"sandbox_id": sandbox["sandbox_id"], "owner_token": sandbox["owner_token"], "url": f"http://127.0.0.1:{PORT}/"}
    page = post("browser-extract", {**who, "instruction": "text"})
    texts = [(at, case) for at, case in enumerate(expected["cases"]) if case["text"] is not None]
    wrong = 0 if page["content"] == folded(expected["page"]) else 1
    if wrong:
        lines = folded(expected["page"])
        at = len(os.path.commonprefix([page["content"], lines]))
        print(f"the whole page differs: {page['content'][at - 20 : at + 20]!r} for {lines[at - 20 : at + 20]!r}")
    folds = 0
    for start in range(0, len(texts), DIRECTIVES):
        part = texts[start : start + DIRECTIVES]
        # At least two directives, so that an empty text is one of several results and not an error.
        asked = [{"kind": "text", "selector": f"[data-case='{at}']"} for at, _ in part] + [{"kind": "text"}] * (len(part) < 2)
        results = post("browser-extract", {**who, "extract": asked})["results"]
        for (at, case), result in zip(part, results):
            got = result["content"]
            # A text of only white space is returned as empty.
            if got == folded(case["text"]) or (got == "" and not case["text"].strip()):
                folds += got != case["text"] and bool(got)
                continue
            wrong += 1
            print(f"case {at}: {got!r} for {case['text']!r} in {case['html'][:200]}")
    print(f"{len(texts)} cases and the whole page: {wrong} differ in more than runs of blank lines, {folds} in these")
    sys.exit(1 if wrong else 0)


main()
