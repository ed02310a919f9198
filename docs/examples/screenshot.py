"""Takes a picture of a page and writes it to a file: python3 screenshot.py URL FILE

PORTHOLE_URL says where the worker is, PORTHOLE_KEY is its client key if it asks for one. Standard library only.
"""

import base64
import json
import os
import sys
import urllib.error
import urllib.request

BASE = os.environ.get("PORTHOLE_URL", "http://127.0.0.1:8787").rstrip("/")


def post(route, body):
    headers = {"content-type": "application/json"}
    if key := os.environ.get("PORTHOLE_KEY"):
        headers["authorization"] = f"Bearer {key}"
    request = urllib.request.Request(f"{BASE}/api/sandbox/{route}", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=90) as response:
            return json.load(response)
    except urllib.error.HTTPError as refused:
        answer = json.load(refused)
        sys.exit(f"{answer['error']}: {answer['message']} ({answer['details']})")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: python3 screenshot.py URL FILE")
    url, file = sys.argv[1:]
    # One sandbox serves any number of requests until its token expires, after a day by default.
    sandbox = post("create", {})
    owner = {"sandbox_id": sandbox["sandbox_id"], "owner_token": sandbox["owner_token"]}
    answer = post("browser-screenshot", {**owner, "url": url})
    with open(file, "wb") as picture:
        picture.write(base64.b64decode(answer["image_base64"]))
    for warning in answer["warnings"]:
        print(warning, file=sys.stderr)
    print(f"{file}: {answer['width']}x{answer['height']} {answer['mime_type']}")


main()
