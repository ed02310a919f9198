"""Shared by the reading benches: a local site for the pages, and requests to the worker that reads them."""

import http.server
import json
import os
import threading
import urllib.error
import urllib.request

WORKER = os.environ.get("PORTHOLE_URL", "http://127.0.0.1:8787") + "/api/sandbox"


class Handler(http.server.BaseHTTPRequestHandler):
    """A site that does not log its requests."""

    def log_message(self, *_):
        pass


def serve(port, handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def post(route, body):
    """Returns the worker's answer, also if it is a failure."""
    request = urllib.request.Request(f"{WORKER}/{route}", json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=100) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)
