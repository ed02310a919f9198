"""Mints an owner token and prints it: python3 mint_token.py SANDBOX_ID

A backend that has the owner key needs no request to the worker for that. PORTHOLE_OWNER_KEYS is the service's own
setting, a comma list of kid:base64url-key; the first key signs. The token is a JWT, HS256: any JWT library makes the
same. Standard library only.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time

VALID_SECONDS = 3600


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def main():
    keys = os.environ.get("PORTHOLE_OWNER_KEYS")
    if len(sys.argv) != 2 or not keys:
        sys.exit("usage: PORTHOLE_OWNER_KEYS=kid:base64url-key python3 mint_token.py SANDBOX_ID")
    kid, key = keys.split(",")[0].strip().split(":")
    key = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))

    issued_at = int(time.time())
    header = {"alg": "HS256", "typ": "JWT", "kid": kid}
    claims = {"iss": "porthole", "sub": sys.argv[1], "iat": issued_at, "exp": issued_at + VALID_SECONDS}
    message = b".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    signature = base64url(hmac.new(key, message, hashlib.sha256).digest())
    print((message + b"." + signature).decode())


main()
