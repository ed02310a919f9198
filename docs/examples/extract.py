"""Reads a page and prints its text: python3 extract.py URL [INSTRUCTION], as extract.py https://example.com article

Retries what may succeed later. PORTHOLE_URL says where the worker is, PORTHOLE_KEY is its client key if it asks for
one. PORTHOLE_SANDBOX_ID and PORTHOLE_OWNER_TOKEN name a sandbox whose token was minted elsewhere (see mint_token.py);
without them the worker makes one. Standard library only.
"""

import json
import os
import random
import sys
import time
import urllib.error
import urllib.request

BASE = os.environ.get("PORTHOLE_URL", "http://127.0.0.1:8787").rstrip("/")
RETRIES_MAX = 4


def attempt(route, body):
    headers = {"content-type": "application/json"}
    if key := os.environ.get("PORTHOLE_KEY"):
        headers["authorization"] = f"Bearer {key}"
    request = urllib.request.Request(f"{BASE}/api/sandbox/{route}", json.dumps(body).encode(), headers)
    try:
        # Longer than every limit behind the worker, so that the part that failed is the one that answers.
        with urllib.request.urlopen(request, timeout=90) as response:
            return json.load(response)
    except urllib.error.HTTPError as refused:
        return json.load(refused)
    except OSError as lost:
        return {"ok": False, "error": "SERVICE_UNAVAILABLE", "message": str(lost), "retryable": True}


def post(route, body):
    """At most 4 retries, after 2, 4, 8 and 16 s with up to 20 % added by chance; a longer retry_after_ms wins."""
    retry = 1
    while True:
        answer = attempt(route, body)
        if answer["ok"]:
            return answer
        if not answer["retryable"] or retry > RETRIES_MAX:
            sys.exit(f"{answer['error']}: {answer['message']} ({answer.get('details', '')})")
        delay_s = max(2**retry * (1 + 0.2 * random.random()), answer.get("retry_after_ms", 0) / 1000)
        print(f"retry {retry} in {delay_s:.1f} s: {answer['error']}", file=sys.stderr)
        time.sleep(delay_s)
        retry += 1


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python3 extract.py URL [INSTRUCTION]")
    sandbox_id, owner_token = os.environ.get("PORTHOLE_SANDBOX_ID"), os.environ.get("PORTHOLE_OWNER_TOKEN")
    if not sandbox_id or not owner_token:
        sandbox = post("create", {})
        sandbox_id, owner_token = sandbox["sandbox_id"], sandbox["owner_token"]
    request = {"sandbox_id": sandbox_id, "owner_token": owner_token, "url": sys.argv[1]}
    if len(sys.argv) == 3:
        request["instruction"] = sys.argv[2]
    answer = post("browser-extract", request)
    for warning in answer["warnings"]:
        print(warning, file=sys.stderr)
    print(answer["content"])


main()
