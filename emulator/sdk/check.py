"""PyPI's browserbase and playwright, unchanged, against the emulator at BROWSERBASE_BASE_URL."""

import os
import struct

import browserbase
from browserbase import Browserbase
from playwright.sync_api import sync_playwright

project = os.environ["BROWSERBASE_PROJECT_ID"]
bb = Browserbase()

session = bb.sessions.create(
    project_id=project,
    region="us-east-1",
    api_timeout=120,
    user_metadata={"check": "python"},
    browser_settings={"viewport": {"width": 700, "height": 500}, "record_session": False, "log_session": False},
)
assert session.status == "RUNNING", session.status
assert session.expires_at > session.created_at
listed = bb.sessions.list(status="RUNNING", q="user_metadata['check']:'python'")
assert [one.id for one in listed] == [session.id]

with sync_playwright() as playwright:
    browser = playwright.chromium.connect_over_cdp(session.connect_url)
    page = browser.contexts[0].pages[0]
    page.goto("data:text/html,<title>from python</title><h1>Hello")
    assert page.title() == "from python"
    picture = page.screenshot(path=os.path.join(os.environ["CHECK_FOLDER"], "python.png"))
    assert struct.unpack(">II", picture[16:24]) == (700, 500)
    assert bb.sessions.debug(session.id).pages[0].title == "from python"
    released = bb.sessions.update(session.id, project_id=project, status="REQUEST_RELEASE")
    assert released.status == "COMPLETED"
    browser.close()

assert bb.sessions.retrieve(session.id).status == "COMPLETED"
assert bb.sessions.logs.list(session.id) == []
assert bb.projects.retrieve(project).concurrency >= 1
assert bb.projects.usage(project).browser_minutes >= 1
for call, error in [
    (lambda: bb.sessions.retrieve("unknown"), browserbase.NotFoundError),
    (lambda: Browserbase(api_key="wrong").sessions.list(), browserbase.AuthenticationError),
    (lambda: bb.sessions.create(project_id="another"), browserbase.NotFoundError),
]:
    try:
        call()
    except error:
        pass
    else:
        raise AssertionError(f"{error.__name__} was not raised")
print(f"python: ok ({os.environ['BROWSERBASE_BASE_URL']})")
