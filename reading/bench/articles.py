#!/usr/bin/env python3
"""Articles through the service itself, as scrapinghub/article-extraction-benchmark wants them.

    git clone https://github.com/scrapinghub/article-extraction-benchmark
    export PORTHOLE_RESOLVE=$(reading/bench/articles.py article-extraction-benchmark --hosts)
    PORTHOLE_ALLOW_TARGETS=127.0.0.1:8790 PORTHOLE_RATE_LIMIT=100000 porthole up
    reading/bench/articles.py article-extraction-benchmark      # writes output/porthole.json there
    cd article-extraction-benchmark && ./evaluate.py

The saved pages are served on 127.0.0.1:8790, each read with the directive `article`, and the Markdown is made plain:
link targets, marks and escapes go, words stay. A page that can't be had this way (its own script sends it to https)
counts as empty. `--hosts` lists the hosts that the pages load from, each with an address that is refused at once, so that
a page waits for none of them, network or not. `--text` measures the directive `text` beside it.
"""
import concurrent.futures
import gzip
import http.server
import json
import pathlib
import re
import statistics
import sys
import threading
import urllib.error
import urllib.request

PORT = 8790
AT_ONCE = 6
WORKER = "http://127.0.0.1:8787/api/sandbox"


def serve(pages):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            page = pages.get(self.path.strip("/"))
            self.send_response(200 if page else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            try:
                self.wfile.write(gzip.decompress(page.read_bytes()) if page else b"")
            except (BrokenPipeError, ConnectionResetError):
                pass

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def post(route, body):
    request = urllib.request.Request(f"{WORKER}/{route}", json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=100) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)


def plain(markdown):
    text = re.sub(r'!\[((?:[^\[\]\\]|\\.)*)\]\((?:<[^>]*>|[^)\s]*)(?: "(?:[^"\\]|\\.)*")?\)', "", markdown)
    text = re.sub(r'\[((?:[^\[\]\\]|\\.)*)\]\((?:<[^>]*>|(?:[^()\s]|\([^()\s]*\))*)(?: "(?:[^"\\]|\\.)*")?\)', r"\1", text)
    text = re.sub(r"<(https?://[^>]+)>", r"\1", text)
    text = re.sub(r"</?(?:em|strong)>|<br>", "", text)
    text = re.sub(r"(?m)^(\s*)\d+[.)] ", r"\1", text).replace("___", "")
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    return re.sub(r"(?<!\w)_+|_+(?!\w)", "", text)


def hosts(pages):
    found = set()
    for path in pages.values():
        text = gzip.decompress(path.read_bytes()).decode(errors="replace").replace("\\/", "/")
        found.update(host.lower() for host in re.findall(r"//([a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*\.[a-zA-Z]{2,})", text))
    return ",".join(f"{host}=127.0.0.1" for host in sorted(found))


def main():
    folder = pathlib.Path(sys.argv[1])
    pages = {path.name.removesuffix(".html.gz"): path for path in (folder / "html").glob("*.html.gz")}
    if "--hosts" in sys.argv:
        print(hosts(pages))
        return
    serve(pages)
    sandbox = post("create", {})
    who = {"sandbox_id": sandbox["sandbox_id"], "owner_token": sandbox["owner_token"]}
    output, failed, times = {}, {}, {"article": [], "text": []}

    def read(key):
        url = f"http://127.0.0.1:{PORT}/{key}"
        content, offset = "", 0
        while offset is not None:
            answer = post("browser-extract", {**who, "url": url, "instruction": "article", "offset": offset})
            if not answer["ok"]:
                failed[key] = answer["error"]
                break
            times["article"].append(answer["timings_ms"]["capture"])
            content += answer["content"] + "\n\n"
            offset = answer.get("next_offset")
        output[key] = {"articleBody": plain(content)}
        if "--text" in sys.argv:
            answer = post("browser-extract", {**who, "url": url, "instruction": "text"})
            if answer["ok"]:
                times["text"].append(answer["timings_ms"]["capture"])

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(read, sorted(pages)))
    (folder / "output").mkdir(exist_ok=True)
    (folder / "output" / "porthole.json").write_text(json.dumps(output))
    for key, code in failed.items():
        print("failed:", key, code)
    for name, each in times.items():
        if each:
            print(f"{name}: median {statistics.median(each)} ms of reading, {len(each)} answers")


main()
