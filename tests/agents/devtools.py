"""The DevTools protocol itself, over a browser's pipe: what any tool that drives a browser pays at least."""

import json
import os
import shutil
import subprocess
import tempfile

POINT = """(() => {
  const button = [...document.querySelectorAll('button')].find((one) => one.textContent === %s);
  const { x, y, width, height } = button.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
})()"""
# Visits every element and text of the document; `look` is what is asked of an element.
WALK = """(() => {
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  let seen = 0;
  for (let node = walker.currentNode; node; node = walker.nextNode()) {
    if (node.nodeType === 3 ? node.data.length > 0 : LOOK) seen++;
  }
  return seen;
})()"""
# Its tag alone, or whether it is drawn, too.
LOOKS = {
    "tags and texts": "node.localName !== ''",
    "with styles": "getComputedStyle(node).display !== 'none'",
    "with styles and boxes": "getComputedStyle(node).display !== 'none' && node.getBoundingClientRect().width >= 0",
}


class Seen:
    """What an evaluation said, with what the measurement asks of a tree."""

    def __init__(self, raw, text):
        self.raw, self.text = raw, text

    def find(self, role, name):
        return self.raw.evaluate(POINT % json.dumps(name))


class Raw:
    """A page that is clicked by three commands and read by one evaluation."""

    name = "the protocol itself"

    def __init__(self, executable):
        self.profile = tempfile.mkdtemp()
        to_read, self.commands = os.pipe()
        self.answers, to_write = os.pipe()
        # The browser reads commands from descriptor 3 and writes answers to 4.
        wrapped = ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "browser"]
        flags = ["--remote-debugging-pipe", "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        self.process = subprocess.Popen(
            [*wrapped, executable, *flags, f"--user-data-dir={self.profile}", "about:blank"],
            pass_fds=(to_read, to_write), stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self.number, self.read, self.answered = 0, b"", {}
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        return self.number

    def answer(self, number):
        while number not in self.answered:
            while b"\0" not in self.read:
                more = os.read(self.answers, 1 << 20)
                if not more:
                    raise SystemExit("the browser has ended")
                self.read += more
            message, _, self.read = self.read.partition(b"\0")
            message = json.loads(message)
            if "id" in message:
                self.answered[message["id"]] = message
        return self.answered.pop(number).get("result") or {}

    def ask(self, method, **params):
        return self.answer(self.send(method, **params))

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        return result.get("result", {}).get("value")

    def open(self, url):
        self.ask("Page.navigate", url=url)
        while self.evaluate("document.readyState + ' ' + location.href") != f"complete {url}":
            pass

    def snapshot(self, everything):
        text = self.evaluate("document.body.innerText") or ""
        return text, text

    def tree(self, text):
        return Seen(self, text)

    def click(self, point):
        x, y = point
        sent = [self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)]
        for kind in ("mousePressed", "mouseReleased"):
            sent.append(self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1))
        for number in sent:
            self.answer(number)
        return self.tree(self.snapshot(False)[1])

    def walk(self, look):
        """Walks over the document in one evaluation."""
        return self.evaluate(WALK.replace("LOOK", LOOKS[look]))

    def close(self):
        os.close(self.commands)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)
