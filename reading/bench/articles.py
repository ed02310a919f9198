#!/usr/bin/env python3
"""Measures articles through the service, on public sets of saved pages.

    git clone https://github.com/scrapinghub/article-extraction-benchmark       # articles
    git clone https://github.com/Murrough-Foley/web-content-extraction-benchmark   # seven kinds of pages
    git clone https://github.com/adbar/trafilatura                              # pages in many languages
    PORTHOLE_ALLOW_TARGETS=127.0.0.1:8790 PORTHOLE_RATE_LIMIT=100000 porthole up
    reading/bench/articles.py CLONE [--every N] [--beside]

The saved pages are served on 127.0.0.1:8790 and read with the directive `article`. The Markdown is converted to plain text:
link targets, marks and escapes are removed, words are kept. A policy keeps a page from loading anything from other sites,
whose content has changed since the page was saved. Some pages' scripts navigate to https or to their own site, which is not
served here, or replace the saved content with an excuse; such a page is reported and read again with its scripts off. A text
counts as an excuse if less than half of its runs of four words occur in the file outside scripts. `--still` serves all pages
with their scripts off, as tools without a browser read them. `--every N` takes each Nth page; `--beside` measures trafilatura
and readability-lxml on the same pages, if they are installed; `--text` also measures the time of the directive `text`.

Scores: for the first set, run its own `evaluate.py` in its folder on the `output/*.json` written here. The second set's score
is its `word_f1`, averaged over the pages, by kind; the third set's counts the passages that must and must not be present.
"""
import collections
import concurrent.futures
import gzip
import html
import json
import pathlib
import re
import statistics
import sys

import worker
from worker import post

PORT = 8790
AT_ONCE = 4
SAVED_SHARE_MIN = 0.5
POLICY = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"


class Set:
    """A set of pages: files by key, and the ground truth for each."""

    def __init__(self, folder):
        self.folder, self.truths, self.pages = folder, {}, {}
        if (folder / "tests/evaldata.json").exists():
            self.name, tests = "passages", folder / "tests"
            for number, item in enumerate(json.loads((tests / "evaldata.json").read_text()).values()):
                path = next(tests / sub / item["file"] for sub in ("cache", "eval") if (tests / sub / item["file"]).exists())
                self.pages[str(number)], self.truths[str(number)] = path, item
        elif (folder / "test/ground-truth").exists():
            self.name = "kinds"
            for path in sorted((folder / "test/ground-truth").glob("*.json")):
                self.pages[path.stem] = folder / f"test/html/{path.stem}.html.gz"
                self.truths[path.stem] = json.loads(path.read_text())
        else:
            self.name = "articles"
            self.pages = {path.name.removesuffix(".html.gz"): path for path in sorted((folder / "html").glob("*.html.gz"))}

    def html(self, key):
        path = self.pages[key]
        return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()

    def score(self, texts):
        """Returns lines with the scores of these texts."""
        if self.name == "articles":
            return ["see evaluate.py"]
        if self.name == "kinds":
            scores = collections.defaultdict(list)
            for key, text in texts.items():
                kind = self.truths[key].get("_internal", {}).get("page_type", {}).get("primary", "article")
                f1 = word_f1(text, self.truths[key]["ground_truth"].get("main_content") or "")
                for name in ("all", "collection" if kind == "category" else kind):
                    scores[name].append(f1)
            return [f"{name}: F1 {statistics.mean(each):.3f} of {len(each)} pages" for name, each in sorted(scores.items())]
        there = missing = wrong = 0
        for key, text in texts.items():
            plain = squeezed(text)
            found = sum(squeezed(passage) in plain for passage in self.truths[key]["with"])
            there += found
            missing += len(self.truths[key]["with"]) - found
            wrong += sum(squeezed(passage) in plain for passage in self.truths[key]["without"])
        precision, recall = there / max(there + wrong, 1), there / max(there + missing, 1)
        return [f"F1 {2 * precision * recall / (precision + recall):.3f}, precision {precision:.3f}, recall {recall:.3f}, {len(texts)} pages"]


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


def word_f1(text, truth):
    got, wanted = (collections.Counter(re.findall(r"\w+", each.lower())) for each in (text, truth))
    if not wanted or not got:
        return float(not wanted and not got)
    precision, recall = ((got & wanted).total() / each.total() for each in (got, wanted))
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def runs(text):
    words = re.findall(r"\w+", text.lower())
    return set(zip(words, words[1:], words[2:], words[3:]))


def is_excuse(text, saved):
    """Returns whether most of a text is not in the saved page."""
    saved = re.sub(r"(?is)<(script|style)\b.*?</\1\s*>|<[^>]*>", " ", saved.decode(errors="replace"))
    got = runs(text)
    return len(got & runs(html.unescape(saved))) < len(got) * SAVED_SHARE_MIN


def serve(pages):
    class Handler(worker.Handler):
        def do_GET(self):
            key, _, query = self.path.strip("/").partition("?")
            there = key in pages.pages
            self.send_response(200 if there else 404)
            self.send_header("content-type", "text/html" if pages.name == "passages" else "text/html; charset=utf-8")
            self.send_header("content-security-policy", POLICY + ("; script-src 'none'" if query == "still" else ""))
            self.end_headers()
            try:
                self.wfile.write(pages.html(key) if there else b"")
            except (BrokenPipeError, ConnectionResetError):
                pass

    worker.serve(PORT, Handler)


def plain(markdown):
    text = re.sub(r'!\[((?:[^\[\]\\]|\\.)*)\]\((?:<[^>]*>|[^)\s]*)(?: "(?:[^"\\]|\\.)*")?\)', "", markdown)
    text = re.sub(r'\[((?:[^\[\]\\]|\\.)*)\]\((?:<[^>]*>|(?:[^()\s]|\([^()\s]*\))*)(?: "(?:[^"\\]|\\.)*")?\)', r"\1", text)
    text = re.sub(r"<(https?://[^>]+)>", r"\1", text)
    text = re.sub(r"</?(?:em|strong)>|<br>", "", text)
    text = re.sub(r"(?m)^(\s*)\d+[.)] ", r"\1", text).replace("___", "")
    # Removes marks of emphasis, lists, headings, quotes, code and tables; escaped characters are kept.
    text = re.sub(r"(?m)^(?:> ?)*(?:\s*- )*(?:#+ )?|(?<!\\)[*`|]+|^```.*$", "", text)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    return re.sub(r"(?<!\w)_+|_+(?!\w)", "", text)


def beside(pages, keys):
    """Measures the libraries on the same files."""
    try:
        import lxml.html
        import readability
        import trafilatura
    except ImportError as error:
        print("other libraries are not measured:", error)
        return
    def of_readability(html):
        return lxml.html.fromstring(readability.Document(html.decode(errors="replace")).summary()).text_content()
    def of_trafilatura(html):
        return trafilatura.extract(html, include_comments=False)
    for name, extract in (("trafilatura", of_trafilatura), ("readability-lxml", of_readability)):
        texts = {}
        for key in keys:
            try:
                texts[key] = extract(pages.html(key)) or ""
            except Exception:  # A page that the library can't read counts as empty.
                texts[key] = ""
        report(pages, name, texts)


def report(pages, name, texts):
    (pages.folder / "output").mkdir(exist_ok=True)
    output = {key: {"articleBody": text} for key, text in texts.items()}
    (pages.folder / "output" / f"{name}.json").write_text(json.dumps(output))
    for line in pages.score(texts):
        print(f"{name}: {line}")


def main():
    arguments = sys.argv[1:]
    every = int(arguments[arguments.index("--every") + 1]) if "--every" in arguments else 1
    pages = Set(pathlib.Path(arguments[0]))
    keys = sorted(pages.pages)[::every]
    if "--beside" in arguments:
        beside(pages, keys)
    serve(pages)
    sandbox = post("create", {})
    who = {"sandbox_id": sandbox["sandbox_id"], "owner_token": sandbox["owner_token"]}
    texts, failed, times = {}, {}, {"article": [], "text": []}

    def article(url):
        """Returns the article as plain text, or the error code."""
        content, offset = "", 0
        while offset is not None:
            answer = post("browser-extract", {**who, "url": url, "instruction": "article", "offset": offset})
            if not answer["ok"]:
                return None, answer["error"]
            times["article"].append(answer["timings_ms"]["capture"])
            content += answer["content"] + "\n\n"
            offset = answer.get("next_offset")
        return plain(content), None

    def read(key):
        url = f"http://127.0.0.1:{PORT}/{key}"
        still = "--still" in arguments
        text, error = (None, None) if still else article(url)
        if not still and (text is None or is_excuse(text, pages.html(key))):
            print("failed with its scripts, read without them:" if text is None else "showed an excuse, read without its scripts:", key, error or "")
            still = True
        if still:
            url += "?still"
            text, error = article(url)
        if text is None:
            failed[key] = error
        texts[key] = text or ""
        if "--text" in arguments:
            answer = post("browser-extract", {**who, "url": url, "instruction": "text"})
            if answer["ok"]:
                times["text"].append(answer["timings_ms"]["capture"])

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(read, keys))
    report(pages, "porthole", texts)
    for key, code in failed.items():
        print("failed:", key, code)
    for name, each in times.items():
        if each:
            print(f"{name}: median {statistics.median(each)} ms of reading, {len(each)} answers")


main()
